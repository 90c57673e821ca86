//! The code that `#[kernel]` and `#[function]` generate instead of syntax that Rust would evaluate at once.
//!
//! The macros see only syntax; the types decide. A host condition or range runs while the kernel is recorded (so loops
//! are unrolled), a staged one goes to the backend. A `let mut` is a variable of the kernel: a read is a
//! [`Stored::load`](crate::backend::Stored::load) and a write a [`store`], so that a copy of a register is never a
//! second name for it.

mod called;
mod cast;
mod chosen;
mod condition;
mod exit;
mod lent;
mod matched;
mod named;
mod parts;
mod range;
mod simd;
mod staged;
mod tables;
mod variable;

pub use called::{Called, ItsBackend, Nothing, On, Same, ShowsBackend, called, shows_backend};
pub use cast::{CastTo, HostCast, cast, cast_host};
pub use chosen::{HostChoice, HostCondition, HostIndex, chosen, host_choice, host_condition};
pub use condition::{While, and, branch, or, while_loop};
pub use exit::{Scope, end_scope, endless, leave, scope, unreached};
pub use lent::{Lent, give_back, lend};
pub use matched::{
    Case, Compared, HostMatched, Listed, Matched, decided, host_matched, is, is_below, is_from, is_to,
    listed, matched,
};
pub use named::{Named, NoBackend, OfHost, OfRegisters, OnBackends, named};
pub use parts::{
    ElementIndex, ElementValue, FieldValue, HasElements, OfConditions, OfMemory, OfNumbers, OfSame,
    OfVariables, Part, TakesResult, element, element_value, field, field_result, literal_operand, part,
};
pub use range::{
    Bound, IntoBound, RangeStart, Steps, Unrolled, bound_from, bound_like, range, range_back, range_back_by,
    range_by, range_inclusive, unrolled,
};
pub use simd::{
    ChangedIn, ChangedOnlyByAStatement, LaneCondition, LaneConditionIn, LaneMask, LanesOf, Neutral, OfAll,
    OfLanes, PlaceIn, ReducedIn, SimdWhile, simd_all, simd_any, simd_either, simd_held, simd_keep,
    simd_keep_place, simd_lanes, simd_lanes_any, simd_lanes_in, simd_largest, simd_least, simd_loop,
    simd_none, simd_others, simd_read, simd_some, simd_summed, simd_without,
};
pub use staged::{Declared, DeclaredIn, Enters, Masks, Open, Passes, SameElement, Settled, enter, passed};
pub use tables::{Table, TableIndex, of_table};
pub use variable::{
    FromNumber, PassedOn, Slot, Untouched, changes, combined, fold, load, mark, number_of_others,
    own_function, stage, store, touch, variable,
};
