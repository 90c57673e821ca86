//! Factors of the kernels with a product of matrices.

use cm::compiler::ops::Precision;
use cm::ir::{Function, Op};

/// The types of the columns and of the rows.
pub fn precisions(kernel: &Function) -> [Precision; 2] {
    let found = kernel.body.instructions().find_map(|inst| match inst.op {
        Op::Dpas { b, a, .. } => Some([b, a]),
        _ => None,
    });
    found.expect("a product")
}

/// Bytes of factors: any integers, floats below 2.
pub fn factors(count: usize, factor: Precision, seed: u32) -> Vec<u8> {
    let dword = |n: usize| {
        let random = (n as u32 + seed).wrapping_mul(2_654_435_761).rotate_left(13).wrapping_mul(0x85eb_ca6b);
        match factor {
            Precision::Hf => random & 0xbfff_bfff,
            Precision::Bf => random & 0x83ff_83ff | 0x3c00_3c00,
            Precision::Tf32 => random & 0x83ff_e000 | 0x3c00_0000,
            _ => random,
        }
    };
    (0..count / 4).flat_map(|n| dword(n).to_le_bytes()).collect()
}
