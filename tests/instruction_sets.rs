//! Every instruction set, and threads side by side, give the same bytes as the baseline.

#[path = "../examples/linear/kernels.rs"]
mod boxes;
#[path = "../benches/kernels/mod.rs"]
mod kernels;

use std::process::Command;

use cm::prelude::*;
use cm::{Buffer, Device, Event, Format, Surface2D, ThreadSpace};

/// Starts the answer of the other process among what the test harness prints.
const ANSWER: &str = "answer: ";

/// Staged offsets and places, each thread its own.
#[kernel]
fn staged_offsets(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 4, 16>(x * 8, y * 4);
    let mut out: Matrix<u8, 4, 8> = block.select::<4, 1, 8, 1>(0, x % 9);
    out.row_mut(x % 4).select_mut::<4, 2>(y % 2).assign(block.row(y % 4).select::<4, 3>(x % 7));
    out.get_mut(x % 4, y % 8).assign(block.get(y % 4, x % 16) + 1);
    output.write(x * 8, y * 4, &out);
}

/// `format` between rows of different lengths, `replicate`, masks from integers, regions of several forms.
#[kernel]
fn shapes(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 8>(x, y);
    let mut words = block.format::<u16, 2, 8>();
    words.row_mut(1).merge(words.row(0), 0b1010_0110);
    words
        .format_mut::<u32, 4, 2>()
        .column_mut(1)
        .assign(words.format::<u32, 8, 1>().select::<4, 2, 1, 1>(0, 0));
    let mut out = words.format::<u8, 4, 8>();
    out.row_mut(2).assign(block.replicate::<4, 3, 2, 5>(0, 1));
    out.select_mut::<2, 2, 4, 2>(1, 0).assign(block.select::<2, 3, 4, 2>(0, 1));
    out ^= thread_origin_x();
    output.write(x, y, &out);
}

/// Elements that are one of several in a word, of all sizes, read and written.
#[kernel]
fn strides(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let block = input.read::<u8, 4, 32>(x, y);
    let words = block.format::<u16, 4, 16>();
    let dwords = block.format::<u32, 4, 8>();
    let mut out = block;
    out.select_mut::<4, 1, 16, 2>(0, 1).assign(block.select::<4, 1, 16, 2>(0, 0) * 3);
    out.select_mut::<2, 2, 7, 4>(0, 3).assign(block.select::<2, 1, 7, 4>(1, 2) + 1);
    out.select_mut::<3, 1, 4, 8>(1, 5).assign(block.select::<3, 1, 4, 8>(0, 7) ^ 85);
    out.format_mut::<u16, 4, 16>()
        .select_mut::<4, 1, 8, 2>(0, 1)
        .assign(words.select::<4, 1, 8, 2>(0, 0) ^ words.select::<4, 1, 8, 2>(0, 1));
    out.format_mut::<i16, 4, 16>().select_mut::<3, 1, 4, 4>(1, 2).assign(words.select::<3, 1, 4, 4>(0, 3));
    out.format_mut::<u32, 4, 8>()
        .select_mut::<4, 1, 4, 2>(0, 1)
        .assign(dwords.select::<4, 1, 4, 2>(0, 1) + dwords.select::<4, 1, 4, 2>(0, 0));
    output.write(x, y, &out);
}

/// Conversions between all kinds of numbers, saturated and not.
#[kernel]
fn conversions(input: &Surface2D, output: &mut Surface2D, by: f32, bias: Vector<i16, 8>) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y());
    let v = input.read::<f32, 1, 8>(x, y).row(0);
    let scaled = v * by;
    let bytes: Vector<u8, 8> = scaled.convert();
    let signed: Vector<i8, 8> = scaled.convert();
    let words: Vector<i16, 8> = scaled.convert();
    let unsigned: Vector<u16, 8> = scaled.saturate();
    let ints: Vector<i32, 8> = scaled.convert();
    let natural: Vector<u32, 8> = scaled.convert();
    let long: Vector<i64, 8> = scaled.convert();
    let half: Vector<f16, 8> = scaled.convert();
    let double: Vector<f64, 8> = v.convert();
    let rounded: Vector<u8, 8> = (double * 300.0).saturate();
    let mut sum = ints ^ bytes ^ (signed << 3) ^ (words << 5) ^ (unsigned << 7);
    sum += bias;
    let mut all: Vector<u32, 8> = (natural ^ sum).convert();
    all ^= long;
    all ^= half.format::<u16>();
    all ^= rounded;
    output.write(x, y, &all);
}

/// Every access to buffers, each thread its own part of the written one.
#[kernel]
fn buffers(input: &Surface2D, output: &mut Surface2D, table: &Buffer<u8>, own: &mut Buffer<u16>) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let block = input.read::<u8, 2, 8>(x * 8, y * 2);
    let offset = (y * 15 + x) * 32;
    let found = table.read_scattered(x, &block.format::<u8, 1, 16>().row(0));
    own.write(offset, &(found * 3 + table.read::<16>(offset)).convert::<u16>());
    let back = own.read::<16>(offset) + table.read_dwaligned::<16>(offset + 4);
    output.write(x * 8, y * 2, &back.convert::<u8>().format::<u8, 2, 8>());
}

/// [`buffers`] against the same by numbers.
fn launch_buffers(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let threads = space.width() * space.height();
    let table: Vec<u8> = (0..threads * 32 + 32).map(|n| (n * n / 7) as u8).collect();
    let mut own = Buffer::<u16>::new(device, threads * 16)?;
    let event =
        buffers::launch(device, space, input, output, &Buffer::from_slice(device, &table)?, &mut own)?;
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

/// A staged condition: such threads run one by one.
#[kernel]
fn branches(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut block = input.read::<u8, 4, 8>(x, y);
    if block.get(0, 0) > 99 {
        block += 7;
    }
    let mut rounds = block.get(1, 1) % 5;
    while rounds > 0 {
        block.row_mut(2).assign(block.row(2) * 3 + 1);
        rounds -= 1;
    }
    output.write(x, y, &block);
}

type Launch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>;

/// Name, kernel, format, texels of a row, rows, thread space.
type Case = (&'static str, Launch, Format, usize, usize, [usize; 2]);

/// With odd numbers of threads in a row, and blocks over every edge.
const CASES: [Case; 18] = [
    ("linear", boxes::linear::launch, Format::R8, 245, 62, [11, 11]),
    ("linear1d2", boxes::linear1d2::launch, Format::R8, 245, 62, [11, 11]),
    ("linearslide", boxes::linearslide::launch, Format::R8, 245, 62, [11, 11]),
    ("linearslide2", boxes::linearslide2::launch, Format::R8, 245, 62, [11, 11]),
    ("sepia", kernels::sepia::launch, Format::Rgba8, 57, 31, [8, 8]),
    ("binomial5", kernels::binomial5::launch, Format::R8, 117, 31, [8, 8]),
    ("box16", kernels::box16::launch, Format::R16, 117, 31, [8, 16]),
    ("polynomial", kernels::polynomial::launch, Format::R32F, 57, 31, [8, 8]),
    ("block_sum", kernels::block_sum::launch, Format::R8, 101, 31, [4, 4]),
    ("transpose", kernels::transpose::launch, Format::R8, 112, 112, [7, 7]),
    ("swizzle", kernels::swizzle::launch, Format::R8, 229, 31, [8, 8]),
    ("lookup", kernels::lookup::launch, Format::R8, 229, 31, [8, 8]),
    ("staged_offsets", staged_offsets::launch, Format::R8, 117, 31, [15, 8]),
    ("shapes", shapes::launch, Format::R8, 117, 31, [15, 8]),
    ("strides", strides::launch, Format::R8, 229, 31, [8, 8]),
    (
        "conversions",
        |device, space, input, output| {
            let bias = Vector::from_array([-300i16, 5, 6, 7, 8, 9, 10, 32767]);
            conversions::launch(device, space, input, output, 40000.5, bias)
        },
        Format::R32F,
        57,
        31,
        [7, 31],
    ),
    ("buffers", launch_buffers, Format::R8, 120, 16, [15, 8]),
    ("branches", branches::launch, Format::R8, 117, 31, [15, 8]),
];

fn input(format: Format, bytes: usize) -> Vec<u8> {
    let mut data: Vec<u8> = (0..bytes).map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    if format == Format::R32F {
        // Numbers of all sizes, and all that is not one.
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

/// The bytes of every kernel, folded, and how many were written.
#[test]
#[ignore = "`all_instruction_sets_give_the_same_bytes` runs it in processes with other environments"]
fn probe() -> cm::Result<()> {
    println!("\n{ANSWER}device {}", Device::cpu()?.name());
    for threads in [1, 2] {
        let device = Device::cpu_with_threads(threads)?;
        for (name, launch, format, width, height, [w, h]) in CASES {
            let data = input(format, width * height * format.texel_bytes());
            let source = Surface2D::from_bytes(&device, format, width, height, &data)?;
            let mut target = Surface2D::new(&device, format, width, height)?;
            launch(&device, ThreadSpace::new(w, h)?, &source, &mut target)?;
            let bytes = target.to_vec()?;
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

fn probe_with(isa: Option<&str>) -> Result<Vec<String>, String> {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command
        .args(["--exact", "probe", "--ignored", "--nocapture", "--test-threads=1"])
        .env_remove("CM_CPU_ISA");
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
    let baseline = probe_with(Some("baseline")).expect("every CPU has the baseline");
    assert_eq!(baseline.len(), 1 + 2 * CASES.len());
    assert!(baseline[0].contains("baseline"), "{}", baseline[0]);
    // One worker thread or two.
    assert_eq!(baseline[1..=CASES.len()], baseline[1 + CASES.len()..]);
    #[cfg(target_arch = "x86_64")]
    for (name, shown, present) in [
        ("avx2", "AVX2", is_x86_feature_detected!("avx2")),
        ("avx512", "AVX-512", is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512dq")),
    ] {
        match probe_with(Some(name)) {
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
    let best = probe_with(None).expect("without the variable");
    assert_eq!(best[1..], baseline[1..], "the best instruction set against the baseline");
}

#[test]
fn an_unknown_instruction_set_is_an_error() {
    let printed = probe_with(Some("mmx")).expect_err("there is no such instruction set");
    for words in ["CM_CPU_ISA", "mmx", "`baseline`, `avx2` or `avx512`"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
}
