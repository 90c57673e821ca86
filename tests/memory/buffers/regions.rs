//! Regions of blocks of read-only buffers, which the CPU reads in place, against slices: inside, across both ends and
//! outside of the buffer, on every device.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::noise::small;
use cm_test_support::spaces::space;

use super::bytes::Bytes;

/// Neighbouring threads, one after the other, every `step` bytes from `first` on.
const STEPS: [(u32, u32); 6] =
    [(0, 96), (96, 0), (16, 16), (0_u32.wrapping_sub(96), 64), (4096, 96), (0, 1 << 30)];
const THREADS: u32 = 9;
const LENGTH: usize = 700;

/// The bytes of a block that is read by such messages, each from a multiple of 16 bytes on.
fn block(input: &Bytes, offset: u32, messages: &[usize]) -> Vec<u8> {
    let mut start = offset;
    let mut bytes = Vec::new();
    for &message in messages {
        bytes.extend(input.read(u64::from(start & !15), message));
        start = start.wrapping_add(message as u32);
    }
    bytes
}

/// Strides of 1, 2 and 4 of 224 bytes: messages of 128, 64 and 32 bytes.
#[kernel]
fn strides(input: &Buffer<u8>, output: &mut Buffer<u8>, first: u32, step: u32) {
    let v = input.read_linear::<224>(first + thread_origin_x() * step);
    let sum = v.select::<48, 1>(7) + v.select::<48, 2>(100) + v.select::<48, 4>(3) + v.select::<48, 1>(176);
    let all: Vector<u8, 224> = (v + 1).convert();
    let at = thread_origin_x() * 272;
    output.write_linear(at, &sum.convert::<u8>());
    output.write_linear(at + 48, &all);
}

#[test]
fn strides_of_bytes() -> cm::Result<()> {
    for device in &devices(2) {
        for (first, step) in STEPS {
            let input = small::<u8>(LENGTH, 3);
            let buffer = Buffer::from_slice(device, &input)?;
            let mut output = Buffer::<u8>::new(device, THREADS as usize * 272)?;
            strides::launch(device, space(THREADS as usize, 1), &buffer, &mut output, first, step)?;
            let input = Bytes::of(&input);
            let expected: Vec<u8> = (0..THREADS)
                .flat_map(|x| {
                    let v = block(&input, first.wrapping_add(x.wrapping_mul(step)), &[128, 64, 32]);
                    let sums = (0..48).map(|k| {
                        [v[7 + k], v[100 + 2 * k], v[3 + 4 * k], v[176 + k]]
                            .iter()
                            .fold(0, |a: u8, b| a.wrapping_add(*b))
                    });
                    let all = v.iter().map(|byte| byte.wrapping_add(1));
                    sums.chain(all).collect::<Vec<u8>>()
                })
                .collect();
            assert_eq!(output.to_vec()?, expected, "{device:?} from {first} by {step}");
        }
    }
    Ok(())
}

/// A single message, from multiples of 16 and of 4 bytes on.
#[kernel]
fn messages(input: &Buffer<f32>, output: &mut Buffer<f32>, first: u32, step: u32) {
    let offset = first + thread_origin_x() * step;
    let (a, b) = (input.read::<24>(offset), input.read_dwaligned::<24>(offset + 4));
    let a = a.select::<8, 2>(1) + a.select::<8, 1>(16);
    let block = input.read_dwaligned::<32>(offset + 12);
    let c = block.select::<8, 1>(0) + block.select::<8, 4>(0) + block.select::<8, 1>(24);
    output.write(thread_origin_x() * 64, &(a + b.select::<8, 1>(5)));
    output.write(thread_origin_x() * 64 + 32, &c);
}

#[test]
fn one_message() -> cm::Result<()> {
    for device in &devices(2) {
        for (first, step) in STEPS {
            let input = small::<f32>(LENGTH / 4, 4);
            let buffer = Buffer::from_slice(device, &input)?;
            let mut output = Buffer::<f32>::new(device, THREADS as usize * 16)?;
            messages::launch(device, space(THREADS as usize, 1), &buffer, &mut output, first, step)?;
            let input = Bytes::of(&input);
            let floats = |offset: u32, len: usize| -> Vec<f32> {
                let bytes = input.read(offset.into(), 4 * len);
                bytes.chunks(4).map(bytemuck::pod_read_unaligned).collect()
            };
            let expected: Vec<f32> = (0..THREADS)
                .flat_map(|x| {
                    let offset = first.wrapping_add(x.wrapping_mul(step));
                    let (a, b) = (floats(offset & !15, 24), floats(offset.wrapping_add(4), 24));
                    let c = floats(offset.wrapping_add(12), 32);
                    let ab = (0..8).map(|k| a[1 + 2 * k] + a[16 + k] + b[5 + k]);
                    ab.chain((0..8).map(|k| c[k] + c[4 * k] + c[24 + k])).collect::<Vec<f32>>()
                })
                .collect();
            assert_eq!(output.to_vec()?, expected, "{device:?} from {first} by {step}");
        }
    }
    Ok(())
}

/// Blocks that are converted, at once and later, and used in a loop.
#[kernel]
fn conversions(input: &Buffer<i16>, output: &mut Buffer<i32>, first: u32, step: u32, rounds: u32) {
    let offset = first + thread_origin_x() * step;
    let wide: Vector<i32, 64> = input.read::<64>(offset).convert();
    let words = input.read::<64>(offset + 32);
    let floats = words.convert::<f32>();
    let mut sum = Vector::<i32, 16>::splat(0);
    let mut k = 0u32;
    while k < rounds {
        sum += wide.select::<16, 4>(1) * 70000 + wide.select::<16, 1>(40);
        k += 1;
    }
    let product: Vector<f32, 16> = floats.select::<16, 2>(3) * 0.5f32 + floats.select::<16, 1>(48);
    output.write(thread_origin_x() * 128, &sum);
    output.write(thread_origin_x() * 128 + 64, &product.convert::<i32>());
}

#[test]
fn converted_blocks() -> cm::Result<()> {
    for device in &devices(2) {
        for (first, step) in STEPS {
            let input = small::<i16>(LENGTH / 2, 5);
            let buffer = Buffer::from_slice(device, &input)?;
            let mut output = Buffer::<i32>::new(device, THREADS as usize * 32)?;
            conversions::launch(device, space(THREADS as usize, 1), &buffer, &mut output, first, step, 3)?;
            let input = Bytes::of(&input);
            let expected: Vec<i32> = (0..THREADS)
                .flat_map(|x| {
                    let offset = first.wrapping_add(x.wrapping_mul(step));
                    let words = |offset: u32| -> Vec<i16> {
                        block(&input, offset, &[128]).chunks(2).map(bytemuck::pod_read_unaligned).collect()
                    };
                    let (a, b) = (words(offset), words(offset.wrapping_add(32)));
                    let sums = (0..16).map(|k| 3 * (i32::from(a[1 + 4 * k]) * 70000 + i32::from(a[40 + k])));
                    let products =
                        (0..16).map(|k| (f32::from(b[3 + 2 * k]) * 0.5 + f32::from(b[48 + k])) as i32);
                    sums.chain(products).collect::<Vec<i32>>()
                })
                .collect();
            assert_eq!(output.to_vec()?, expected, "{device:?} from {first} by {step}");
        }
    }
    Ok(())
}

/// The second half of 8 elements plus the first.
#[function]
fn folded(memory: &Buffer<u32>, offset: u32) -> Vector<u32, 4> {
    let v = memory.read::<8>(offset);
    v.select::<4, 1>(0) + v.select::<4, 1>(4)
}

/// A function reads a buffer, by reference, that the kernel writes before and after.
#[kernel]
fn between_writes(memory: &mut Buffer<u32>) {
    let offset = thread_origin_x() * 32;
    memory.write(offset, &folded(memory, offset));
    memory.write(offset + 16, &folded(memory, offset));
}

#[test]
fn a_function_sees_what_the_kernel_wrote() -> cm::Result<()> {
    for device in &devices(2) {
        let input = small::<u32>(8 * THREADS as usize, 6);
        let mut memory = Buffer::from_slice(device, &input)?;
        between_writes::launch(device, space(THREADS as usize, 1), &mut memory)?;
        let expected: Vec<u32> = input
            .chunks(8)
            .flat_map(|v| {
                let sums = [0, 1, 2, 3].map(|k| v[k] + v[k + 4]);
                let again = [0, 1, 2, 3].map(|k| sums[k] + v[k + 4]);
                [sums, again].concat()
            })
            .collect();
        assert_eq!(memory.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

/// Two halves of 16 elements, which other threads of the group change after the barrier.
#[function]
fn halves(memory: &Buffer<u32>, offset: u32) -> Vector<u32, 8> {
    let v = memory.read::<16>(offset);
    barrier();
    v.select::<8, 1>(0) + v.select::<8, 1>(8)
}

/// Each of 4 threads replaces the first half of its elements.
#[kernel]
fn rotated(memory: &mut Buffer<u32>) {
    let own = linear_local_id();
    let sum = halves(memory, ((own + 1) % 4) * 64);
    memory.write(own * 64, &sum);
}

/// Two halves of a row, in the same way.
#[function]
fn halves_of_a_row(memory: &Surface2D, row: u32) -> Matrix<u8, 1, 8> {
    let m = memory.read::<u8, 1, 16>(0, row);
    barrier();
    (m.select::<1, 1, 8, 1>(0, 0) + m.select::<1, 1, 8, 1>(0, 8)).convert()
}

/// The same of a surface.
#[kernel]
fn rotated_rows(memory: &mut Surface2D) {
    let own = linear_local_id();
    let sum = halves_of_a_row(memory, (own + 1) % 4);
    memory.write(0, own, &sum);
}

#[test]
fn blocks_are_read_before_a_barrier() -> cm::Result<()> {
    let groups = ThreadGroups::new([1, 1, 1], [4, 1, 1])?;
    for device in &devices(2) {
        let elements: Vec<u32> = (0..64).map(|k| k / 16 + 1).collect();
        let mut memory = Buffer::from_slice(device, &elements)?;
        rotated::launch(device, groups, &mut memory)?;
        let first: Vec<u32> = memory.to_vec()?.chunks(16).flat_map(|v| [v[0], v[7], v[8]]).collect();
        assert_eq!(first, [4, 4, 1, 6, 6, 2, 8, 8, 3, 2, 2, 4], "{device:?}");

        let bytes: Vec<u8> = elements.iter().map(|x| *x as u8).collect();
        let mut memory = Surface2D::from_bytes(device, Format::R8, 16, 4, &bytes)?;
        rotated_rows::launch(device, groups, &mut memory)?;
        let first: Vec<u8> = memory.to_vec()?.chunks(16).flat_map(|v| [v[0], v[7], v[8]]).collect();
        assert_eq!(first, [4, 4, 1, 6, 6, 2, 8, 8, 3, 2, 2, 4], "{device:?}");
    }
    Ok(())
}

/// The last elements of a block, which begin inside of the last square of elements that debug builds move at once.
#[kernel]
fn last_elements(input: &Buffer<u8>, bytes: &mut Buffer<u8>, words: &mut Buffer<u16>) {
    let at = thread_origin_x();
    let places: Vector<u32, 2> = Vector::from_array([0u32, 1]) + at * 2;
    let v = input.read::<16>(at * 16);
    bytes.write_scattered(0, &places, &v.select::<2, 1>(14));
    words.write_scattered(0, &places.select::<1, 1>(1), &v.format::<u16>().select::<1, 1>(7));
}

#[test]
fn the_last_elements_of_the_last_register() -> cm::Result<()> {
    let engines = [CpuEngine::Native, CpuEngine::Ir];
    let cpus = engines.map(|engine| Device::cpu_with_threads(1).map(|cpu| cpu.with_cpu_engine(engine)));
    for device in devices(2).into_iter().chain(cpus.into_iter().collect::<cm::Result<Vec<_>>>()?) {
        for count in [1, 31, 43, 64, 65] {
            let input = small::<u8>(count * 16, 5);
            let (mut bytes, mut words) =
                (Buffer::<u8>::new(&device, count * 2)?, Buffer::<u16>::new(&device, count * 2)?);
            let buffer = Buffer::from_slice(&device, &input)?;
            last_elements::launch(&device, space(count, 1), &buffer, &mut bytes, &mut words)?;
            let lasts = || input.chunks(16).map(|block| [block[14], block[15]]);
            assert_eq!(bytes.to_vec()?, lasts().flatten().collect::<Vec<_>>(), "{count} on {device:?}");
            let expected: Vec<u16> = lasts().flat_map(|last| [0, u16::from_le_bytes(last)]).collect();
            assert_eq!(words.to_vec()?, expected, "{count} on {device:?}");
        }
    }
    Ok(())
}
