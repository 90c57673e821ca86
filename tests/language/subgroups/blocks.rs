//! Block reads and writes.

use cm::interpret::{InterpretArg, interpret};
use cm::ir::Type;
use cm::prelude::*;
use cm::spirv::lower_in_form;
use cm::verify::verify;

use super::executions::check;
use super::model::values;
use cm_test_kernels::subgroups as kernels;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::memory::Memory;
use cm_test_support::noise::stream;
use cm_test_support::numbers::elements;

/// A buffer as bytes, with the rule for out-of-bounds accesses.
struct Bytes(Vec<u8>);

impl Bytes {
    fn get(&self, at: u32) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|n| *self.0.get(at as usize + n).unwrap_or(&0)))
    }

    fn set(&mut self, at: u32, x: u32) {
        for (n, byte) in x.to_le_bytes().into_iter().enumerate() {
            if let Some(target) = self.0.get_mut(at as usize + n) {
                *target = byte;
            }
        }
    }

    /// Every value of every work item: `p[id + k * N]`, after byte `from` rounded down to 4.
    fn read(&self, size: u32, components: u32, from: u32) -> Vec<u32> {
        let address = |k, id| (from & !3).wrapping_add((id + k * size) * 4);
        (0..components)
            .flat_map(|k| (0..size).map(move |id| (k, id)))
            .map(|(k, id)| self.get(address(k, id)))
            .collect()
    }

    /// The same for writes, after byte `to` rounded down to 16.
    fn write(&mut self, size: u32, to: u32, data: &[u32]) {
        for (n, x) in data.iter().enumerate() {
            let (k, id) = (n as u32 / size, n as u32 % size);
            self.set((to & !15).wrapping_add((id + k * size) * 4), *x);
        }
    }
}

#[test]
fn blocks_of_buffers() {
    macro_rules! sizes {
        ($($n:literal)*) => {$(
            for (from, to) in [(0u32, 0u32), (4, 16), (36, 64), (7, 19), (1000, 1500), (1 << 30, 32), (8, 1 << 31)] {
                let (input, output) = (values::<u32>(400, 3), values::<u32>(900, 4));
                let source = Bytes(bytemuck::cast_slice(&input).to_vec());
                let mut target = Bytes(bytemuck::cast_slice(&output).to_vec());
                target.write($n, to, &source.read($n, 1, from));
                target.write($n, to + $n * 4, &source.read($n, 2, from));
                target.write($n, to + $n * 12, &source.read($n, 4, from + 4));
                target.write($n, to + $n * 28, &source.read($n, 8, from + 8));
                let last = target.read($n, 1, to + $n * 28 + 4);
                target.write($n, to + $n * 60, &last);
                let expected: Vec<u32> = elements(&target.0);
                check!(kernels::buffer_blocks::<$n>, (1, 1), [input], output, [from, to], expected);
            }
        )*};
    }
    sizes! { 8 16 32 }
}

/// A picture, with the rule for out-of-bounds accesses.
#[derive(Clone)]
struct Picture {
    /// Bytes of a texel.
    texel: i32,
    width: i32,
    height: i32,
    bytes: Vec<u8>,
}

impl Picture {
    fn at(&self, x: i32, y: i32) -> usize {
        (y * self.width + x) as usize
    }

    /// The byte at this position, or the byte of the nearest texel at the same position in its texel.
    fn get(&self, x: i32, y: i32) -> u8 {
        let texel = x.div_euclid(self.texel).clamp(0, self.width / self.texel - 1);
        let x = texel * self.texel + x.rem_euclid(self.texel);
        self.bytes[self.at(x, y.clamp(0, self.height - 1))]
    }

    fn read(&self, size: i32, components: i32, x: i32, y: i32) -> Vec<u32> {
        let dword = |x: i32, y: i32| u32::from_le_bytes(std::array::from_fn(|n| self.get(x + n as i32, y)));
        (0..components)
            .flat_map(|k| (0..size).map(move |id| (k, id)))
            .map(|(k, id)| dword(x + 4 * id, y + k))
            .collect()
    }

    fn write(&mut self, size: i32, x: i32, y: i32, data: &[u32]) {
        for (n, value) in data.iter().enumerate() {
            let (k, id) = (n as i32 / size, n as i32 % size);
            for (byte, x) in value.to_le_bytes().into_iter().zip(x + 4 * id..) {
                if (0..self.width).contains(&x) && (0..self.height).contains(&(y + k)) {
                    let at = self.at(x, y + k);
                    self.bytes[at] = byte;
                }
            }
        }
    }
}

const HEIGHT: i32 = 40;

macro_rules! surface_blocks {
    ($test:ident: $($n:literal $width:literal)*) => {
        #[test]
        fn $test() {
            let emulator = Emulator::find();
            let formats = [Format::R8, Format::Rgba8, Format::R32];
            $(
                let places = [(0, 0), (4, 3), (13, 2), (-8, -3), (-70, 5), ($width - 12, 20), ($width + 9, 39), (24, 60)];
                for (format, (x, y)) in formats.into_iter().flat_map(|format| places.map(|place| (format, place))) {
                    let texel = format.texel_bytes() as i32;
                    // Blocks start at whole texels.
                    let x: i32 = x / texel * texel;
                    let mut next = stream((x + 99 * y + 9999) as u32);
                    let mut picture = || Picture {
                        texel,
                        width: $width,
                        height: HEIGHT,
                        bytes: (0..$width * HEIGHT).map(|_| (next() >> 9) as u8).collect(),
                    };
                    let (input, before) = (picture(), picture());
                    let mut expected = before.clone();
                    expected.write($n, 0, 0, &input.read($n, 1, x, y));
                    expected.write($n, 0, 1, &input.read($n, 2, x, y + 1));
                    expected.write($n, 4, 3, &input.read($n, 4, x + 4, y));
                    let eight = input.read($n, 8, x, y - 2);
                    expected.write($n, 0, 7, &eight);
                    expected.write($n, x - (x & 3), y + 15, &eight);

                    type Kernel = kernels::surface_blocks<$n>;
                    let device = Device::cpu().unwrap();
                    let surface = |bytes: &[u8]| {
                        Surface2D::from_bytes(&device, format, $width / texel as usize, HEIGHT as usize, bytes).unwrap()
                    };
                    let mut output = surface(&before.bytes);
                    let space = ThreadSpace::new(1, 1).unwrap();
                    Kernel::launch(&device, space, &surface(&input.bytes), &mut output, x, y).unwrap();
                    assert_eq!(output.to_vec().unwrap(), expected.bytes, "{format} {x} {y}");

                    let function = Kernel::ir().unwrap();
                    verify(&function).unwrap();
                    let memory = |bytes: &[u8]| Memory::new(texel as usize, $width, HEIGHT as usize, bytes);
                    let (mut from, mut to) = (memory(&input.bytes), memory(&before.bytes));
                    let ty = Type::new(cm::elem::ElemType::I32, 1, 1);
                    let mut args = vec![
                        InterpretArg::Surface(&mut from),
                        InterpretArg::Surface(&mut to),
                        InterpretArg::Uniform { ty, bytes: bytemuck::bytes_of(&x) },
                        InterpretArg::Uniform { ty, bytes: bytemuck::bytes_of(&y) },
                    ];
                    interpret(&function, &mut args, [0, 0]).unwrap();
                    assert_eq!(to.bytes(), expected.bytes, "{format} {x} {y} interpreted");

                    if let (Some(emulator), Format::R8) = (&emulator, format) {
                        // The output starts with zeros.
                        let mut expected = Picture { bytes: vec![0; input.bytes.len()], ..before.clone() };
                        expected.write($n, 0, 0, &input.read($n, 1, x, y));
                        expected.write($n, 0, 1, &input.read($n, 2, x, y + 1));
                        expected.write($n, 4, 3, &input.read($n, 4, x + 4, y));
                        expected.write($n, 0, 7, &eight);
                        expected.write($n, x - (x & 3), y + 15, &eight);
                        for target in [Target::Gen9, Target::XeHpc] {
                            let found = emulator.run(&Run {
                                module: &lower_in_form(&Kernel::ir().unwrap(), target, Target::Gen9).unwrap(),
                                device: "skl",
                                kernel: "surface_blocks",
                                input: &input.bytes,
                                pitch: $width,
                                rows: HEIGHT as usize,
                                grid: (1, 1),
                                arguments: &[x, y].map(|n| n.to_le_bytes().to_vec()),
                            });
                            assert_eq!(found, expected.bytes, "{x} {y} executed in the form for {target}");
                        }
                    }
                }
            )*
        }
    };
}

surface_blocks!(blocks_of_surfaces: 8 64 16 96 32 160);

#[test]
fn literal_places() {
    let device = Device::cpu().unwrap();
    let bytes: Vec<u8> = (0..100).collect();
    let picture = Picture { texel: 1, width: 24, height: 4, bytes: bytes[..96].to_vec() };
    let surface = Surface2D::from_bytes(&device, Format::R8, 24, 4, &picture.bytes).unwrap();
    let mut output = Buffer::<u32>::new(&device, 32).unwrap();
    let dwords: Vec<u32> = elements(&bytes);
    let input = Buffer::from_slice(&device, &dwords).unwrap();
    let space = ThreadSpace::new(1, 1).unwrap();
    kernels::literal_blocks::launch(&device, space, &input, &surface, &mut output).unwrap();
    let mut expected = Bytes(vec![0; 128]);
    expected.write(8, 16, &Bytes(bytes).read(8, 1, 4));
    expected.write(8, 48, &picture.read(8, 2, -3, 1));
    let found: Vec<u8> = bytemuck::cast_slice(&output.to_vec().unwrap()).to_vec();
    assert_eq!(found, expected.0);
}
