//! Surfaces and buffers that are chosen by an `if` or `match`, which must be on host values.

use cm_compiler::limits;
use cm_macros::{inlined, op};

use super::parts::HasElements;
use crate::backend::Backend;
use crate::elem::HostInteger;

/// A condition that may choose a surface or buffer.
#[diagnostic::on_unimplemented(
    message = "a surface or buffer cannot be chosen when the kernel runs",
    label = "known only when the kernel runs",
    note = "an access names its argument when the kernel is recorded: access each one in its own arm, \
            `let m = if c {{ a.read::<..>(x, y) }} else {{ b.read::<..>(x, y) }};`",
    note = "conditions on host values can choose: constants, const parameters, numbers of unrolled loops"
)]
pub trait HostCondition {
    /// The condition.
    fn holds(self) -> bool;
}

impl HostCondition for bool {
    #[inlined]
    fn holds(self) -> bool {
        self
    }
}

/// A condition that chooses. Its type is not that of the result, so that rustc reports a staged one as no choice.
#[inlined]
pub fn host_condition<C: HostCondition>(condition: C) -> bool {
    condition.holds()
}

/// A value that may choose a surface or buffer: a number, or one of an `enum` with `#[registers]`.
#[diagnostic::on_unimplemented(
    message = "a surface or buffer cannot be chosen when the kernel runs",
    label = "known only when the kernel runs",
    note = "an access names its argument when the kernel is recorded: access each one in its own arm, \
            `let m = if n == 0 {{ a.read::<..>(x, y) }} else {{ b.read::<..>(x, y) }};`",
    note = "host numbers can choose: constants, const parameters, numbers of unrolled loops"
)]
pub trait HostChoice {}

/// A number that may index an array of surfaces or buffers.
#[diagnostic::on_unimplemented(
    message = "a surface or buffer cannot be chosen when the kernel runs",
    label = "known only when the kernel runs",
    note = "an access names its argument when the kernel is recorded: access each one in its own arm, \
            `let m = if n == 0 {{ a.read::<..>(x, y) }} else {{ b.read::<..>(x, y) }};`",
    note = "host numbers can choose: constants, const parameters, numbers of unrolled loops"
)]
pub trait HostIndex: HostChoice {
    /// The number.
    fn number(self) -> i128;
}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl HostChoice for $t {}

        impl HostIndex for $t {
            #[inlined]
            fn number(self) -> i128 {
                self.to_i128()
            }
        }
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize }

/// A value that chooses.
#[inlined]
pub fn host_choice<C: HostChoice>(choice: C) -> C {
    choice
}

/// The index `i` of a surface or buffer of `array`, if there is one.
#[op]
pub fn chosen<B: Backend, A: HasElements + ?Sized, I: HostIndex>(array: &A, i: I) -> usize {
    match limits::array_element(i.number(), A::count(array)) {
        Ok(index) => index,
        Err(broken) => {
            B::violation(broken);
            // The recording ends with the error, immediately if there is no element.
            0
        }
    }
}
