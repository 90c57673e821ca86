//! Every instruction set, and threads that run side by side, give the same bytes as the baseline.

#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
#[macro_use]
#[path = "../../benches/kernels/mod.rs"]
mod families;
mod combined;
mod counted;
#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
mod kernels;
#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
#[path = "../../examples/linear/kernels.rs"]
mod linear;
#[allow(dead_code, unreachable_pub, reason = "a module of other crates too")]
mod tree_kernels;

use std::process::Command;

use cm::prelude::*;
use cm::{Buffer, Device, Event, Format, Surface2D, ThreadSpace};
use cm_test_support::devices::devices;
use cm_test_support::noise;

/// Marks the answer of the other process in the output of the test harness.
const ANSWER: &str = "answer: ";

/// Launches [`kernels::buffers`], and compares with a scalar computation.
fn launch_buffers(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let threads = space.width() * space.height();
    let table: Vec<u8> = (0..threads * 32 + 32).map(|n| (n * n / 7) as u8).collect();
    let mut own = Buffer::<u16>::new(device, threads * 16)?;
    let event = kernels::buffers::launch(
        device,
        space,
        input,
        output,
        &Buffer::from_slice(device, &table)?,
        &mut own,
    )?;
    let (texels, width) = (input.to_vec()?, input.width());
    for (n, &value) in own.to_vec()?.iter().enumerate() {
        let (thread, k) = (n / 16, n % 16);
        let (x, y) = (thread % space.width(), thread / space.width());
        let texel = texels[(y * 2 + k / 8) * width + x * 8 + k % 8];
        let expected = u16::from(table[x + usize::from(texel)]) * 3 + u16::from(table[thread * 32 + k]);
        assert_eq!(value, expected, "element {n}");
    }
    Ok(event)
}

/// Launches [`kernels::vectors`], and compares with a scalar computation.
fn launch_vectors(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let threads = space.width() * space.height();
    let table: Vec<u32> = (0..320u32).map(|n| n * n * 2_654_435 + n).collect();
    let mut own = Buffer::<u32>::new(device, threads * 64)?;
    let table_buffer = Buffer::from_slice(device, &table)?;
    let event = kernels::vectors::launch(device, space, input, output, &table_buffer, &mut own)?;
    let (texels, written, width) = (input.to_vec()?, output.to_vec()?, input.width());
    for (thread, found) in own.to_vec()?.chunks(64).enumerate() {
        let (x, y) = (thread % space.width(), thread / space.width());
        let texel = |k: usize| (y * 2 + k / 8) * width + x * 8 + k % 8;
        let mut expected = vec![0u32; 64];
        for k in 0..16 {
            let at = usize::from(texels[texel(k)]);
            for row in 0..4 {
                expected[4 * k + row] = table[x + at + row].wrapping_add(1);
            }
            for row in (0..2).filter(|_| at > 64) {
                expected[4 * k + 1 + row] = if 0xb7d1 >> k & 1 == 1 { table[3 + at + row] } else { 0 };
            }
        }
        assert_eq!(found, expected, "thread {thread}");
        for k in 0..16 {
            let row = |row: usize| expected[60 - 4 * k + row];
            let sum = row(0).wrapping_add(row(1)) ^ row(3);
            assert_eq!(written[texel(k)], sum as u8, "thread {thread}, element {k}");
        }
    }
    Ok(event)
}

/// Launches [`tree_kernels::dwords`], and compares with a scalar computation.
fn launch_dwords(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let event = tree_kernels::dwords::launch(device, space, input, output)?;
    let (from, to) = (input.to_vec()?, output.to_vec()?);
    for (n, (from, found)) in from.as_chunks().0.iter().zip(to.as_chunks().0).enumerate() {
        let m = u32::from_le_bytes(*from);
        let bytes = [(m >> 3) as u8, ((m >> 24) + 5) as u8];
        let words = ((m >> 9) ^ 0x5a5a) as u16;
        let expected = u32::from(u16::from_le_bytes(bytes)) | u32::from(words) << 16;
        assert_eq!(u32::from_le_bytes(*found), expected, "texel {n}, of {m:x}");
    }
    Ok(event)
}

type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>;

/// Name, kernel, format, texels of a row, rows, thread space.
type Case = (&'static str, Launch, Format, usize, usize, [usize; 2]);

/// Includes odd numbers of threads in a row, and blocks across every edge.
const CASES: [Case; 70] = [
    ("linear", linear::linear::launch, Format::R8, 245, 62, [11, 11]),
    ("linear1d2", linear::linear1d2::launch, Format::R8, 245, 62, [11, 11]),
    ("linearslide", linear::linearslide::launch, Format::R8, 245, 62, [11, 11]),
    ("linearslide2", linear::linearslide2::launch, Format::R8, 245, 62, [11, 11]),
    ("sepia", families::sepia::launch, Format::Rgba8, 57, 31, [8, 8]),
    ("binomial5", families::binomial5::launch, Format::R8, 117, 31, [8, 8]),
    ("box16", families::box16::launch, Format::R16, 117, 31, [8, 16]),
    ("polynomial", families::polynomial::launch, Format::R32F, 57, 31, [8, 8]),
    ("block_sum", families::block_sum::launch, Format::R8, 101, 31, [4, 4]),
    ("transpose", families::transpose::launch, Format::R8, 112, 112, [7, 7]),
    ("swizzle", families::swizzle::launch, Format::R8, 229, 31, [8, 8]),
    ("lookup", families::lookup::launch, Format::R8, 229, 31, [8, 8]),
    ("luma", families::luma::launch, Format::R8, 309, 31, [8, 8]),
    ("mix", families::mix::launch, Format::R8, 333, 31, [7, 8]),
    ("limited", families::limited::launch, Format::R8, 229, 31, [8, 8]),
    ("ordered", families::ordered::launch, Format::R8, 229, 31, [8, 8]),
    ("distances", families::distances::launch, Format::R8, 229, 31, [8, 8]),
    ("packed_masks", families::packed_masks::launch, Format::R8, 229, 31, [8, 8]),
    ("bits", families::bits::launch, Format::R8, 229, 31, [8, 8]),
    ("dots", families::dots::launch, Format::R8, 229, 31, [8, 8]),
    ("lanes", families::lanes::launch, Format::R8, 229, 31, [8, 8]),
    ("choices", families::choices::launch, Format::R8, 229, 31, [8, 8]),
    ("reduced", families::reduced::launch, Format::R8, 229, 31, [8, 4]),
    ("rounding", families::rounding::launch, Format::R32F, 57, 31, [8, 8]),
    ("curves", families::curves::launch, Format::R32F, 57, 31, [8, 8]),
    ("angles", families::angles::launch, Format::R32F, 57, 31, [8, 8]),
    ("short_floats", families::short_floats::launch, Format::R32F, 57, 31, [8, 8]),
    ("census", families::census::launch, Format::R8, 229, 31, [15, 8]),
    ("weighted", families::weighted::launch, Format::R8, 229, 31, [15, 4]),
    ("thirds", kernels::thirds::launch, Format::R8, 333, 31, [7, 8]),
    ("in_place", kernels::in_place::launch, Format::R8, 117, 31, [15, 8]),
    ("large_blocks", kernels::large_blocks::launch, Format::R8, 117, 31, [15, 8]),
    ("in_place_columns", kernels::in_place_columns::launch, Format::R8, 117, 31, [15, 8]),
    ("apart", kernels::apart::launch, Format::R8, 117, 31, [15, 8]),
    ("across", kernels::across::launch, Format::R8, 117, 31, [15, 8]),
    ("columns", kernels::columns::launch, Format::R8, 117, 112, [7, 7]),
    ("staged_offsets", kernels::staged_offsets::launch, Format::R8, 117, 31, [15, 8]),
    ("shapes", kernels::shapes::launch, Format::R8, 117, 31, [15, 8]),
    ("trees", tree_kernels::trees::launch, Format::R8, 237, 61, [11, 8]),
    ("masks_of_trees", tree_kernels::masks_of_trees::launch, Format::R8, 237, 61, [14, 8]),
    ("named_trees", tree_kernels::named_trees::launch, Format::R8, 237, 61, [14, 8]),
    ("converted_names", tree_kernels::converted_names::launch, Format::R8, 237, 61, [14, 8]),
    ("functions_of_trees", tree_kernels::functions_of_trees::launch, Format::R8, 237, 61, [14, 8]),
    ("sides", tree_kernels::sides::launch, Format::R8, 237, 31, [7, 8]),
    ("loops", tree_kernels::loops::launch, Format::R8, 237, 31, [14, 8]),
    ("long_loops", tree_kernels::long_loops::launch, Format::R8, 237, 31, [14, 8]),
    ("several", tree_kernels::several::launch, Format::R8, 237, 61, [14, 8]),
    (
        "shifted",
        |device, space, input, output| tree_kernels::shifted::launch(device, space, input, output, 300),
        Format::R8,
        237,
        61,
        [14, 8],
    ),
    (
        "shifted_left",
        |device, space, input, output| tree_kernels::shifted_left::launch(device, space, input, output, 13),
        Format::R8,
        237,
        61,
        [14, 8],
    ),
    (
        "two_passes",
        |device, space, input, output| tree_kernels::two_passes::launch(device, space, input, output, 3),
        Format::R8,
        117,
        31,
        [15, 8],
    ),
    ("tuples", tree_kernels::tuples::launch, Format::R8, 237, 61, [14, 8]),
    ("stack_slots", tree_kernels::stack_slots::launch, Format::R8, 237, 61, [14, 7]),
    ("dwords", launch_dwords, Format::R32, 112, 32, [7, 8]),
    ("windows", kernels::windows::launch, Format::R8, 237, 31, [12, 8]),
    ("gaps", kernels::gaps::launch, Format::R8, 229, 31, [8, 8]),
    ("strides", kernels::strides::launch, Format::R8, 229, 31, [8, 8]),
    ("tables", kernels::tables::launch, Format::R8, 229, 31, [8, 8]),
    (
        "conversions_f64",
        |device, space, input, output| {
            let bias = Vector::from_array([-300i16, 5, 6, 7, 8, 9, 10, 32767]);
            kernels::conversions_f64::launch(device, space, input, output, 40000.5, bias)
        },
        Format::R32F,
        57,
        31,
        [7, 31],
    ),
    ("narrowed", kernels::narrowed::launch, Format::R32F, 57, 31, [7, 4]),
    ("buffers", launch_buffers, Format::R8, 120, 16, [15, 8]),
    ("vectors", launch_vectors, Format::R8, 120, 16, [15, 8]),
    ("branches", kernels::branches::launch, Format::R8, 117, 31, [15, 8]),
    ("branches_of_rows", kernels::branches_of_rows::launch, Format::R8, 117, 31, [15, 8]),
    ("places_of_places", combined::places_of_places::launch, Format::R8, 120, 32, [15, 8]),
    ("masks_as_numbers", combined::masks_as_numbers::launch, Format::R8, 120, 32, [15, 8]),
    ("arrays_in_loops", combined::arrays_in_loops::launch, Format::R8, 120, 32, [15, 8]),
    ("lanes_that_leave", combined::lanes_that_leave::launch, Format::R8, 120, 32, [15, 8]),
    ("formats_of_formats", combined::formats_of_formats::launch, Format::R8, 120, 32, [15, 8]),
    ("slices_in_branches", combined::launch_slices, Format::R8, 120, 32, [15, 8]),
    ("counted_in_groups", combined::launch_groups, Format::R8, 120, 32, [15, 8]),
];

fn input(format: Format, bytes: usize) -> Vec<u8> {
    let mut data = noise::bytes(bytes, 0);
    if format == Format::R32F {
        // Numbers of all magnitudes, and NaNs and infinities.
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, 3e9, -3e9, 1e20];
        for (n, texel) in data.chunks_exact_mut(4).enumerate() {
            let value = match n % 5 {
                0 => special[n / 5 % special.len()],
                k => (f32::from(texel[0]) - 100.0) / 10f32.powi(k as i32),
            };
            texel.copy_from_slice(&value.to_le_bytes());
        }
    }
    data
}

/// The bytes that a kernel writes on a device.
fn written(device: &Device, &(_, launch, format, width, height, [w, h]): &Case) -> cm::Result<Vec<u8>> {
    let data = input(format, width * height * format.texel_bytes());
    let source = Surface2D::from_bytes(device, format, width, height, &data)?;
    let mut target = Surface2D::new(device, format, width, height)?;
    launch(device, ThreadSpace::new(w, h)?, &source, &mut target)?;
    target.to_vec()
}

/// `kernels::across` of one thread, in plain Rust.
fn across(block: [u8; 32]) -> [u8; 32] {
    let word = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let mut out = block;
    for k in 0..4 {
        out[k] = block[3 + 2 * k];
    }
    for k in 0..2 {
        // Word 1 * 4 + 3 of the block and the next but one become words 2 and 3 of row 1.
        out[8 + 4 + 2 * k..][..2].copy_from_slice(&word(&block, 2 * (7 + 2 * k)).to_le_bytes());
    }
    let mut odd: Vec<u8> = (0..12).map(|k| block[(1 + k / 6) * 8 + 1 + k % 6]).collect();
    for k in 1..3 {
        let dword = u32::from_le_bytes(odd[4 * k..][..4].try_into().unwrap());
        odd[4 * k..][..4].copy_from_slice(&dword.wrapping_add(0x01ff_02ff).to_le_bytes());
    }
    for k in 0..12 {
        out[(2 + k / 6) * 8 + k % 6] = odd[k];
    }
    let column: Vec<u8> = (0..4).map(|r| block[r * 8 + 5]).collect();
    for k in 0..2 {
        let [low, high] = word(&column, 2 * k).wrapping_add(300).to_le_bytes();
        (out[2 * k * 8 + 7], out[(2 * k + 1) * 8 + 7]) = (low, high);
    }
    out
}

/// `kernels::apart` of the thread at (x, y), in plain Rust; `at` gives bytes of the surface.
fn apart(at: impl Fn(i32, i32) -> u8, x: i32, y: i32) -> [u8; 32] {
    std::array::from_fn(|k| {
        let (r, c) = (k as i32 / 8, k as i32 % 8);
        let sum = at(x * 24 + c, y * 4 + r) ^ at(120 - x * 16 + 7 + c, y * 4 - 2 + r);
        sum.wrapping_add(at(y * 16 - 3 + 2 + c, x * 3 + 1 + 2 * r)) ^ at(y * 8 + c, 25 - x * 2 + r)
    })
}

#[test]
fn rows_are_those_of_the_thread() -> cm::Result<()> {
    let (width, height) = (120, 32);
    let data = input(Format::R8, width * height);
    let at = |x: i32, y: i32| {
        data[y.clamp(0, height as i32 - 1) as usize * width + x.clamp(0, width as i32 - 1) as usize]
    };
    let found = |name| {
        let &(name, launch, ..) = CASES.iter().find(|case| case.0 == name).expect("a case");
        written(&Device::cpu_with_threads(1)?, &(name, launch, Format::R8, width, height, [15, 8]))
    };
    let (found_across, found_apart) = (found("across")?, found("apart")?);
    for (x, y) in (0..8).flat_map(|y| (0..15).map(move |x| (x, y))) {
        let block = |bytes: &dyn Fn(i32, i32) -> u8| -> [u8; 32] {
            std::array::from_fn(|k| bytes(x * 8 + k as i32 % 8, y * 4 + k as i32 / 8))
        };
        let of = |found: &[u8]| block(&|x, y| found[y as usize * width + x as usize]);
        assert_eq!(of(&found_across), across(block(&at)), "across, thread ({x}, {y})");
        assert_eq!(of(&found_apart), apart(at, x, y), "apart, thread ({x}, {y})");
    }
    Ok(())
}

#[test]
fn combined_features_are_their_scalar_meanings() -> cm::Result<()> {
    let data = input(Format::R8, 120 * 32);
    let tile = |bytes: &[u8], x: usize, y: usize| -> combined::Tile {
        std::array::from_fn(|r| std::array::from_fn(|k| bytes[(y * 4 + r) * 120 + x * 8 + k]))
    };
    let case = |name: &str| CASES.iter().find(|case| case.0 == name).expect("a case");
    for device in &devices(1) {
        for (name, model) in combined::MODELS {
            let found = written(device, case(name))?;
            for (x, y) in (0..8).flat_map(|y| (0..15).map(move |x| (x, y))) {
                let expected = model(tile(&data, x, y), x, y);
                assert_eq!(tile(&found, x, y), expected, "{name}, thread ({x}, {y}) on {device:?}");
            }
        }
        let found = written(device, case("counted_in_groups"))?;
        for (group, y) in (0..8).flat_map(|y| (0..3).map(move |group| (group, y))) {
            let tiles = |bytes: &[u8]| std::array::from_fn(|k| tile(bytes, group * 5 + k, y));
            let expected = combined::counted_in_groups_model(tiles(&data));
            assert_eq!(tiles(&found), expected, "group ({group}, {y}) on {device:?}");
        }
    }
    Ok(())
}

/// Replaces all NaNs by the same one: neither signs nor payloads are guaranteed.
fn without_nans(format: Format, mut bytes: Vec<u8>) -> Vec<u8> {
    if format == Format::R32F {
        for float in bytes.as_chunks_mut().0 {
            if f32::from_le_bytes(*float).is_nan() {
                *float = f32::NAN.to_le_bytes();
            }
        }
    }
    bytes
}

#[test]
fn every_device_gives_the_same_bytes() -> cm::Result<()> {
    let devices = devices(1);
    // GPUs approximate the functions of `curves`, whose inputs exceed the range in which sines have a bound.
    for case in CASES.iter().filter(|case| case.0 != "curves") {
        let expected = without_nans(case.2, written(&devices[0], case)?);
        for device in &devices[1..] {
            let found = without_nans(case.2, written(device, case)?);
            let pitch = case.3 * case.2.texel_bytes();
            for (row, (found, expected)) in found.chunks(pitch).zip(expected.chunks(pitch)).enumerate() {
                assert_eq!(found, expected, "{} on {}, row {row}", case.0, device.name());
            }
        }
    }
    Ok(())
}

/// Prints a hash of the bytes of every kernel, and their number.
#[test]
#[ignore = "`all_instruction_sets_give_the_same_bytes` runs it in processes with other environments"]
fn probe() -> cm::Result<()> {
    println!("\n{ANSWER}device {}", Device::cpu()?.name());
    for threads in [1, 2] {
        let device = Device::cpu_with_threads(threads)?;
        for case in &CASES {
            let (name, bytes) = (case.0, written(&device, case)?);
            let written = bytes.iter().filter(|&&byte| byte != 0).count();
            assert!(written >= 16, "{name} wrote {written} of {} bytes", bytes.len());
            let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            println!("{ANSWER}{name} {hash:016x}");
        }
    }
    Ok(())
}

fn probe_with(isa: Option<&str>, engine: &str) -> Result<Vec<String>, String> {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command
        .args(["--exact", "probe", "--ignored", "--nocapture", "--test-threads=1"])
        .env_remove("CM_CPU_ISA")
        .env("CM_CPU_ENGINE", engine);
    command.envs(isa.map(|isa| ("CM_CPU_ISA", isa)));
    let output = command.output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(printed + &String::from_utf8_lossy(&output.stderr));
    }
    Ok(printed.lines().filter_map(|line| line.strip_prefix(ANSWER)).map(str::to_owned).collect())
}

#[test]
fn all_instruction_sets_give_the_same_bytes() {
    let baseline = probe_with(Some("baseline"), "native").expect("every CPU has the baseline");
    assert_eq!(baseline.len(), 1 + 2 * CASES.len());
    assert!(baseline[0].contains("baseline"), "{}", baseline[0]);
    // With one worker thread or two.
    assert_eq!(baseline[1..=CASES.len()], baseline[1 + CASES.len()..]);
    #[cfg(target_arch = "x86_64")]
    for (name, shown, present) in [
        ("avx2", "AVX2", is_x86_feature_detected!("avx2")),
        ("avx512", "AVX-512", is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq")),
    ] {
        match probe_with(Some(name), "native") {
            Ok(answers) => {
                assert!(present && answers[0].contains(shown), "{}", answers[0]);
                assert_eq!(answers[1..], baseline[1..], "{name} against the baseline");
            }
            Err(printed) => {
                assert!(!present, "{name}: {printed}");
                eprintln!("skipped: this CPU has no {shown}");
            }
        }
    }
    for engine in ["native", "ir"] {
        let best = probe_with(None, engine).expect("without the variable");
        assert_eq!(best[1..], baseline[1..], "the best instruction set, {engine}, against the baseline");
    }
}

#[test]
fn an_unknown_instruction_set_is_an_error() {
    let printed = probe_with(Some("mmx"), "native").expect_err("there is no such instruction set");
    for words in ["CM_CPU_ISA", "mmx", "`baseline`, `avx2` or `avx512`"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
}
