//! The operations as values.

mod access;
mod atomic;
mod cache;
mod computed;
mod dpas;
mod group;
mod map;
mod sync;
mod table;
mod texel;

pub use access::{
    AccessKind, AccessOperand, AccessParts, AccessSpec, Address, Alignment, Carries, Effect, MemoryKind,
    last_vector, vector_element,
};
pub use atomic::AtomicKind;
pub use cache::{AtomicHints, Caching, LoadHints, PrefetchHints, StoreHints};
pub use computed::Computed;
pub use dpas::Precision;
pub use group::GroupKind;
pub use map::{Accuracy, Class, Domain, MapKind, Operand, Outcome};
pub use sync::{BarrierRole, SyncKind, SyncNumbers, SyncOperand};
pub use texel::{ChannelMask, Dims, Texel};
