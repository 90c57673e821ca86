//! 64-bit division, which Intel's hardware does not have: all operand types, edge values, constants, control
//! flow.

use cm::Target;
use cm::prelude::*;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::noise::long_stream;

/// Bytes of a row of 8 elements of 64 bits, and the number of rows: 64 threads with two blocks of two rows
/// each.
const PITCH: usize = 64;
const ROWS: usize = 256;

/// Values around changes of carries, signs and roundings. Narrower types use their low bits.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0x80,
    0xffff,
    0x0010_0001,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0xff_ffff_8000,
    0x0000_8000_0000_0000,
    0x0fff_ffff_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// All pairs of edge values, then random pairs of every length.
fn pairs() -> Vec<(u64, u64)> {
    let mut random = long_stream();
    let edges = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| (a, b)));
    let more = (0..448).map(|_| {
        let (a, b, lengths) = (random(), random(), random());
        (a >> (lengths & 63), b >> (lengths >> 8 & 63))
    });
    edges.chain(more).collect()
}

/// For each thread, 16 left operands, followed by its 16 right operands.
fn operands(widths: (usize, usize)) -> Vec<u8> {
    let mut bytes = vec![0; PITCH * ROWS];
    for (n, (a, b)) in pairs().into_iter().enumerate() {
        let (thread, row, column) = (n / 16, n % 16 / 8, n % 8);
        for (x, width, below) in [(a, widths.0, 0), (b, widths.1, 2)] {
            let at = (thread * 4 + below + row) * PITCH + column * width;
            bytes[at..at + width].copy_from_slice(&x.to_le_bytes()[..width]);
        }
    }
    bytes
}

fn element(bytes: &[u8], n: usize, below: usize, width: usize) -> u64 {
    let at = (n / 16 * 4 + below + n % 16 / 8) * PITCH + n % 8 * width;
    let mut whole = [0; 8];
    whole[..width].copy_from_slice(&bytes[at..at + width]);
    u64::from_le_bytes(whole)
}

/// Launches a kernel on the CPU, executes its machine code, and compares the results.
fn outputs(
    emulator: &Emulator,
    kernel: &str,
    input: &[u8],
    module: impl Fn(Target) -> cm::Result<Vec<u32>>,
    launch: impl Fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
) -> Vec<u8> {
    let device = Device::cpu().unwrap();
    let source = Surface2D::from_bytes(&device, Format::R8, PITCH, ROWS, input).unwrap();
    let mut output = Surface2D::new(&device, Format::R8, PITCH, ROWS).unwrap();
    launch(&device, ThreadSpace::new(1, ROWS / 4).unwrap(), &source, &mut output).unwrap();
    let wanted = output.to_vec().unwrap();
    for &(device, target) in emulator.devices() {
        let (module, grid) = (&module(target).unwrap()[..], (1, ROWS / 4));
        let run = Run { module, device, kernel, input, pitch: PITCH, rows: ROWS, grid, arguments: &[] };
        let found = emulator.run(&run);
        for (row, (found, wanted)) in found.chunks(PITCH).zip(wanted.chunks(PITCH)).enumerate() {
            assert_eq!(found, wanted, "{kernel} on {device}: row {row}");
        }
    }
    wanted
}

macro_rules! divisions {
    ($($name:ident: $t:ident / $v:ident = $r:ident;)*) => {
        $(
            #[kernel]
            fn $name(input: &Surface2D, output: &mut Surface2D) {
                let y = thread_origin_y() * 4;
                let a = input.read::<$t, 2, 8>(0, y);
                let b = input.read::<$v, 2, 8>(0, y + 2);
                output.write(0, y, &(a / b));
                output.write(0, y + 2, &(a % b));
            }
        )*

        #[test]
        fn all_operands_divide_as_their_numbers_do() {
            let Some(emulator) = Emulator::newest_or_installed() else { return };
            $(
                let widths = (size_of::<$t>(), size_of::<$v>());
                let input = operands(widths);
                let found =
                    outputs(&emulator, stringify!($name), &input, $name::spirv_for, $name::launch);
                for n in 0..pairs().len() {
                    let a = element(&input, n, 0, widths.0) as $t as $r;
                    let b = element(&input, n, 2, widths.1) as $v as $r;
                    let (quotient, remainder) =
                        if b == 0 { (!0, a) } else { (a.wrapping_div(b), a.wrapping_rem(b)) };
                    let name = stringify!($name);
                    assert_eq!(element(&found, n, 0, 8) as $r, quotient, "{name}: {a} / {b}");
                    assert_eq!(element(&found, n, 2, 8) as $r, remainder, "{name}: {a} % {b}");
                }
            )*
        }
    };
}

divisions! {
    i64_i64: i64 / i64 = i64;
    i64_u64: i64 / u64 = u64;
    u64_i64: u64 / i64 = u64;
    u64_u64: u64 / u64 = u64;
    i64_i8: i64 / i8 = i64;
    i64_u8: i64 / u8 = i64;
    i64_i16: i64 / i16 = i64;
    i64_u16: i64 / u16 = i64;
    i64_i32: i64 / i32 = i64;
    i64_u32: i64 / u32 = i64;
    u64_i8: u64 / i8 = u64;
    u64_u8: u64 / u8 = u64;
    u64_i16: u64 / i16 = u64;
    u64_u16: u64 / u16 = u64;
    u64_i32: u64 / i32 = u64;
    u64_u32: u64 / u32 = u64;
    i8_i64: i8 / i64 = i64;
    u8_i64: u8 / i64 = i64;
    i16_i64: i16 / i64 = i64;
    u16_i64: u16 / i64 = i64;
    i32_i64: i32 / i64 = i64;
    u32_i64: u32 / i64 = i64;
    i8_u64: i8 / u64 = u64;
    u8_u64: u8 / u64 = u64;
    i16_u64: i16 / u64 = u64;
    u16_u64: u16 / u64 = u64;
    i32_u64: i32 / u64 = u64;
    u32_u64: u32 / u64 = u64;
}

macro_rules! constants {
    ($($name:ident: $t:ident, $r:ident, [$($divisor:expr),*];)*) => {
        $(
            mod $name {
                use super::*;

                /// The sum of quotients by constants and the sum of remainders. Each sum is multiplied by 31
                /// before the next addition.
                #[kernel]
                pub(super) fn $name(input: &Surface2D, output: &mut Surface2D) {
                    let y = thread_origin_y() * 4;
                    let a = input.read::<$t, 2, 8>(0, y);
                    let mut quotients = Matrix::<$r, 2, 8>::splat(0);
                    let mut remainders = Matrix::<$r, 2, 8>::splat(0);
                    $(
                        quotients.assign(quotients * 31 + a / $divisor);
                        remainders.assign(remainders * 31 + a % $divisor);
                    )*
                    output.write(0, y, &quotients);
                    output.write(0, y + 2, &remainders);
                }
            }
        )*

        #[test]
        fn constants_divide_as_their_numbers_do() {
            let Some(emulator) = Emulator::newest_or_installed() else { return };
            $(
                use $name::$name;
                let input = operands((8, 8));
                let found =
                    outputs(&emulator, stringify!($name), &input, $name::spirv_for, $name::launch);
                for n in 0..pairs().len() {
                    let a = element(&input, n, 0, 8) as $t as $r;
                    let (mut quotients, mut remainders): ($r, $r) = (0, 0);
                    for b in [$($divisor as $r),*] {
                        let (quotient, remainder) =
                            if b == 0 { (!0, a) } else { (a.wrapping_div(b), a.wrapping_rem(b)) };
                        quotients = quotients.wrapping_mul(31).wrapping_add(quotient);
                        remainders = remainders.wrapping_mul(31).wrapping_add(remainder);
                    }
                    assert_eq!(element(&found, n, 0, 8) as $r, quotients, "{}: {a}", stringify!($name));
                    assert_eq!(element(&found, n, 2, 8) as $r, remainders, "{}: {a}", stringify!($name));
                }
            )*
        }
    };
}

constants! {
    signed: i64, i64, [
        0i64, 1i64, -1i64, 2i64, -2i64, 3i64, -7i64, 10i64, 1000i64, 0x8000_0000i64, 0x1_0000_0000i64,
        -0x100_0000_0000i64, 0x7fff_ffff_ffff_ffffi64, i64::MIN
    ];
    unsigned: u64, u64, [
        0u64, 1u64, 2u64, 3u64, 10u64, 1000u64, 0x8000_0000u64, 0x1_0000_0000u64, 0x8000_0000_0000_0000u64, u64::MAX
    ];
}

/// Divisions in loops and conditions, of single elements, and of more elements than are divided at a time.
#[kernel]
fn in_control_flow(input: &Surface2D, output: &mut Surface2D) {
    let y = thread_origin_y() * 4;
    let mut a = input.read::<u64, 2, 8>(0, y);
    let mut b = input.read::<u64, 2, 8>(0, y + 2);
    let first = a.get(0, 0);
    let mut all = Matrix::<i64, 4, 8>::splat(0);
    all.select_mut::<2, 1, 8, 1>(0, 0).assign(a);
    all.select_mut::<2, 1, 8, 1>(2, 0).assign(b);
    let mut other = Matrix::<i64, 4, 8>::splat(0);
    other.select_mut::<2, 1, 8, 1>(0, 0).assign(b);
    other.select_mut::<2, 1, 8, 1>(2, 0).assign(a);
    all.assign(all / other);
    // Greatest common divisors.
    let mut more = b != 0;
    while more.any() {
        let rest = a % b;
        a.merge(b, &more);
        b.merge(rest, &more);
        more = b != 0;
        if (a == 1).any() {
            // Divide at most what is left, so that the loop ends.
            let shorter = a.row(1) / 3;
            a.row_mut(1).assign(shorter);
            let alone = first / a.get(0, 1).convert::<u32>();
            all.get_mut(0, 0).assign(all.get(0, 0) / 2 + alone);
        }
    }
    a += all.select::<2, 2, 8, 1>(0, 0);
    output.write(0, y, &a);
    output.write(0, y + 2, &(all.select::<2, 2, 8, 1>(1, 0) % a));
}

#[test]
fn division_in_control_flow_gives_the_numbers_of_the_cpu() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    outputs(
        &emulator,
        "in_control_flow",
        &operands((8, 8)),
        in_control_flow::spirv_for,
        in_control_flow::launch,
    );
}
