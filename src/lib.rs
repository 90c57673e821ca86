//! tmp
pub use cm_dsl as dsl;
pub use cm_runtime::{Device, Error, Event, Format, Result, Surface2D, ThreadSpace};

/// What a kernel's source needs.
pub mod prelude {
    pub use cm_dsl::builtins::{thread_origin_x, thread_origin_y};
    pub use cm_dsl::elem::{Elem, Int, f16};
    pub use cm_dsl::registers::{Matrix, Scalar, Vector};
    pub use cm_macros::{function, kernel};
    pub use cm_runtime::{Device, Event, Format, Surface2D, ThreadSpace};
}

/// What the macros' output names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use cm_dsl::backend::Backend;
    pub use cm_dsl::kernel::{ArgSource, Argument, ByReference, ByValue, Kernel, Param};
    pub use cm_dsl::limits::Lit;
    pub use cm_dsl::ops;
    pub use cm_dsl::ops::compare;
    pub use cm_dsl::stage::{
        Declared, Slot, Staged, and, branch, cast, enter, load, mark, or, range, range_inclusive, stage,
        store, touch, variable, while_loop,
    };
    pub use cm_runtime::{LaunchArg, launch};
}
