//! The cost of each kernel before its first launch: recording, and lowering to SPIR-V.

#[path = "../examples/linear/kernels.rs"]
pub mod kernels;

use cm::Target;
use cm::dsl::recorder::{RecordError, Recorded, record as recorded};
use cm::spirv::lower;
use divan::{Bencher, black_box, main as run};

fn main() {
    run();
}

/// Not `k::ir()`, which records a kernel only once.
type Record = fn() -> Result<Recorded, RecordError>;

const KERNELS: [(&str, Record); 4] = [
    ("linear", recorded::<kernels::linear>),
    ("linear1d2", recorded::<kernels::linear1d2>),
    ("linearslide", recorded::<kernels::linearslide>),
    ("linearslide2", recorded::<kernels::linearslide2>),
];

#[divan::bench(args = 0..KERNELS.len())]
fn record(bencher: Bencher<'_, '_>, kernel: usize) {
    bencher.bench(|| black_box(KERNELS[kernel].1()));
}

#[divan::bench(args = 0..KERNELS.len())]
fn record_and_lower(bencher: Bencher<'_, '_>, kernel: usize) {
    bencher.bench(|| {
        let recorded = KERNELS[kernel].1().expect("tutorial kernels are legal");
        black_box(lower(&recorded.function, Target::Gen9))
    });
}
