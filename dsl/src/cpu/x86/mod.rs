//! Instructions of x86-64 beyond what the compiler finds by itself. Every function has a plain form elsewhere, and writes the same
//! bytes.

pub(super) mod deinterleave3;
pub(super) mod dpas;
pub(super) mod float_sums;
pub(super) mod halves;
pub(super) mod integer_sums;
pub(super) mod interleave;
pub(super) mod lookup_shuffled;
pub(super) mod masked_runs;
pub(super) mod narrow;
pub(super) mod pairs;
pub(super) mod quarters;
pub(super) mod shifted;
pub(super) mod transposed;
mod wide;
