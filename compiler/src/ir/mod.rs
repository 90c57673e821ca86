//! Recorded kernels: `k::ir()` returns one as a [`Function`].
//!
//! `{}` prints it like this. Every instruction has a type (elements, rows and columns) and its position in the source.
//!
//! ```text
//! file 0 "src/main.rs"
//! kernel k(input: read surface, output: write surface, table: read buffer u16, gain: f32) {
//!   %0: u32 = thread x @0:12:17
//!   ...
//! }
//! ```
//!
//! Values are defined once and are live until the end of their block, also in the blocks inside it. Variables are
//! loaded and stored. A `break` leaves a labelled block around it. A scalar is 1 x 1, and a vector is one row. This
//! module knows nothing of Rust's generics, devices or GPUs.

mod barrier;
mod dependency;
mod exchange;
mod function;
mod inst;
mod named_barrier;
mod thread;
mod ty;
mod view;
mod visit;
mod waves;

pub use barrier::{BarrierFault, Member, meet};
pub use dependency::{DependencyError, DependencyPattern};
pub use function::{Function, Param, ParamKind, SharedArray};
pub use inst::{Bits, Block, Inst, Location, Op, Operands, Region};
pub use named_barrier::{NamedBarrierFault, NamedBarriers};
pub use thread::{Axis, Grid, RowIds, ThreadId};
pub use ty::{Kind, Label, Type, Value, Variable};
pub use view::{Field, Part, Plane, View};
pub use waves::{Line, Waves};
