//! Division of floats, which is rounded to nearest on every device: edge values, denormal numbers and quotients, quotients
//! halfway between two numbers, random bits.

use cm::Target;
use cm::prelude::*;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::noise::long_stream;

/// Bytes of a row of 16 numbers, and the number of rows: two rows of dividends, and two of divisors, for each thread.
const PITCH: usize = 64;
const ROWS: usize = 1024;

const EDGES: [u32; 18] = [
    0,
    1,
    3,
    0x003f_ffff,
    0x0040_0001,
    0x007f_ffff,
    0x0080_0000,
    0x00ff_ffff,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4b7f_fff7,
    0x7e80_0000,
    0x7eff_ffff,
    0x7f00_0001,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

/// All pairs of edge values, with both signs, then others.
fn pairs() -> Vec<[u32; 2]> {
    let mut random = long_stream();
    let edges = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| [a, b ^ (a & 1) << 31]));
    let count = PITCH / 4 * ROWS / 2 - EDGES.len() * EDGES.len();
    let others = (0..count).map(|n| {
        let [a, b] = [random() as u32, random() as u32];
        // The exponent of a divisor for which the quotient is denormal.
        let exponent = ((a >> 23 & 0xff) + 120 + (b >> 24 & 31)).min(254) << 23;
        match n % 6 {
            0 => [a, b],
            1 => [a & 0x807f_ffff, b],
            2 => [a, b & 0x807f_ffff],
            3 => [a, b & 0x807f_ffff | exponent],
            // Quotients of a few bits.
            4 => [a & 0xffff_f000, b & 0x8070_0000 | exponent],
            _ => [(a & 0xffff) as f32 as u32, (b & 0xffff) as f32 as u32].map(|x| (x as f32).to_bits()),
        }
    });
    edges.chain(others).collect()
}

/// Where the dividend `n` is, and the divisor with `below` of 2.
const fn place(n: usize, below: usize) -> usize {
    (n / 32 * 4 + below + n % 32 / 16) * PITCH + n % 16 * 4
}

#[kernel]
fn singles(input: &Surface2D, output: &mut Surface2D) {
    let y = thread_origin_y() * 4;
    let a = input.read::<f32, 2, 16>(0, y);
    let b = input.read::<f32, 2, 16>(0, y + 2);
    output.write(0, y, &(a / b));
}

/// The high halves of the numbers.
#[kernel]
fn halves(input: &Surface2D, output: &mut Surface2D) {
    let y = thread_origin_y() * 4;
    let a = input.read::<f16, 2, 32>(0, y);
    let b = input.read::<f16, 2, 32>(0, y + 2);
    let mut out = a;
    out.select_mut::<2, 1, 16, 2>(0, 1).assign(a.select::<2, 1, 16, 2>(0, 1) / b.select::<2, 1, 16, 2>(0, 1));
    output.write(0, y, &out);
}

#[test]
fn quotients_are_rounded_to_nearest() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let pairs = pairs();
    let mut input = vec![0; PITCH * ROWS];
    for (n, pair) in pairs.iter().enumerate() {
        for (x, below) in pair.iter().zip([0, 2]) {
            let at = place(n, below);
            input[at..at + 4].copy_from_slice(&x.to_le_bytes());
        }
    }
    let modules = [
        ("singles", singles::spirv_for as fn(Target) -> cm::Result<Vec<u32>>),
        ("halves", halves::spirv_for),
    ];
    for ((kernel, module), &(device, target)) in
        modules.iter().flat_map(|module| emulator.devices().iter().map(move |device| (module, device)))
    {
        let (module, grid) = (&module(target).unwrap()[..], (1, ROWS / 4));
        let run =
            Run { module, device, kernel, input: &input, pitch: PITCH, rows: ROWS, grid, arguments: &[] };
        let found = emulator.run(&run);
        for (n, &[a, b]) in pairs.iter().enumerate() {
            let at = place(n, 0);
            let found = u32::from_le_bytes([0, 1, 2, 3].map(|n| found[at + n]));
            let (found, wanted) = if *kernel == "singles" {
                (f32::from_bits(found), f32::from_bits(a) / f32::from_bits(b))
            } else {
                let half = |bits: u32| f16::from_bits((bits >> 16) as u16).to_f32();
                (half(found), f16::from_f32(half(a) / half(b)).to_f32())
            };
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(same, "{kernel} on {device}: {a:#x} / {b:#x} gives {found:e}, not {wanted:e}");
        }
    }
}
