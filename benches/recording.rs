//! What a program pays once for every kernel, before its first launch: recording, and lowering to SPIR-V.

#[path = "../examples/linear/kernels.rs"]
pub mod kernels;

use cm::spirv::lower;
use cm::{Result, Target};
use divan::{Bencher, black_box, main as run};

fn main() {
    run();
}

type Ir = fn() -> Result<cm::ir::Function>;

const KERNELS: [(&str, Ir); 4] = [
    ("linear", kernels::linear::ir),
    ("linear1d2", kernels::linear1d2::ir),
    ("linearslide", kernels::linearslide::ir),
    ("linearslide2", kernels::linearslide2::ir),
];

#[divan::bench(args = 0..KERNELS.len())]
fn record(bencher: Bencher<'_, '_>, kernel: usize) {
    bencher.bench(|| black_box(KERNELS[kernel].1()));
}

#[divan::bench(args = 0..KERNELS.len())]
fn record_and_lower(bencher: Bencher<'_, '_>, kernel: usize) {
    bencher.bench(|| {
        let function = KERNELS[kernel].1().expect("tutorial kernels are legal");
        black_box(lower(&function, Target::Gen9))
    });
}
