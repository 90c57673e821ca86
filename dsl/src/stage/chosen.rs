//! Surfaces and buffers that are chosen by an `if` or `match`, which must be on host values.

use cm_macros::inlined;

/// A condition or number that may choose a surface or buffer.
#[diagnostic::on_unimplemented(
    message = "a surface or buffer cannot be chosen when the kernel runs",
    label = "known only when the kernel runs",
    note = "an access names its argument when the kernel is recorded: access each one in its own arm, \
            `let m = if c {{ a.read::<..>(x, y) }} else {{ b.read::<..>(x, y) }};`",
    note = "host values can choose: a constant, a const parameter, a number of an unrolled loop"
)]
pub trait HostChoice {}

impl HostChoice for bool {}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl HostChoice for $t {}
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize }

/// What chooses.
#[inlined]
pub fn host_choice<C: HostChoice>(choice: C) -> C {
    choice
}
