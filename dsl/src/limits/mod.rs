//! The limits of the hardware as trait bounds, so that a kernel that breaks one fails in `cargo check`.
//!
//! Each rule is a public trait of a shape (`Shape<8, 32>: Select<6, 1, 24, 1>`), which your generic helpers
//! may repeat as a `where` bound. For each checked method there is a form whose name ends in `_any`. It has
//! no bound and is checked when the kernel is recorded; const-generic kernels and functions use it
//! automatically.

mod barrier;
mod block_2d;
mod buffer;
mod channels;
mod count;
mod format;
mod group;
mod media;
mod media_block_io;
mod object;
mod replicate;
mod select;
mod simd;
mod subgroup;

pub use cm_compiler::limits::Violation;

pub use barrier::NamedBarrierCount;
pub use block_2d::{Form, Load2d, Pack, Plain, Store2d, Transpose};
pub use buffer::{
    AtomicElem, AtomicInt, DwordBlock, LitBytes, OwordRead, OwordWrite, Remainder, ScatteredLanes,
    VectorElem, VectorRows,
};
pub use channels::{
    CM_A, CM_AB, CM_ABG, CM_ABGR, CM_ABR, CM_AG, CM_AGR, CM_AR, CM_B, CM_BG, CM_BGR, CM_BR, CM_G, CM_GR,
    CM_R, ChannelRows, Channels, SampledElem, TexelNumber, TypedAtomicElem, TypedElem, UntypedElem,
};
#[doc(hidden)] // made of typenum's types
pub use count::{Count, ToLen, U};
pub use count::{Len, Shape};
pub use format::FormatMatrix;
pub use group::Groups;
pub use media::{MediaBlock, MediaRead, MediaWrite, TransposedElem, TransposedSide};
pub use media_block_io::{ColumnOfDwords, RegionHeight, RegionWidth};
pub use object::{Fits, FitsLen, IntegerMask, Reshapes, SameCount};
pub use replicate::Replicate;
pub use select::{Select, SelectElements};
pub use simd::SimdLanes;
pub use subgroup::{BlockColumn, SubGroup, SubGroupElem};

pub(crate) use buffer::{DwordAligned, OwordAligned};
pub(crate) use format::Bytes;
pub(crate) use replicate::Reach;
pub(crate) use select::{Extent, PositiveSize, Within};
