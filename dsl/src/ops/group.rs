//! The operations on groups of neighbouring elements as types.

pub use cm_compiler::ops::GroupKind;

use cm_macros::inlined;

use crate::elem::{Elem, Int, Numeric};

/// An operation on two groups of `W` elements of type `P`. Every element of the group holds the result.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait GroupOp<P: Elem, const W: usize>: Copy + 'static {
    /// The kind of operation.
    const KIND: GroupKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(a: [P; W], b: [P; W]) -> Self::Output;
}

/// The marker type of every row of the table, and its meaning on one group.
macro_rules! markers {
    (
        binary { $($(#[$doc:meta])* $kind:ident $name:literal $width:literal
            ($a:ident, $b:ident: $domain:ident) -> $outcome:ident, $class:ident, [$($accuracy:tt)*], $meaning:expr;)* }
    ) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $kind;

            impl<P: $domain> GroupOp<P, $width> for $kind {
                const KIND: GroupKind = GroupKind::$kind;
                type Output = markers!(@outcome $outcome);
                #[inlined]
                fn apply(a: [P; $width], b: [P; $width]) -> Self::Output {
                    ($meaning)(a, b)
                }
            }
        )*
    };
    (@outcome same) => { P };
    (@outcome mask) => { u16 };
    (@outcome unsigned) => { P::Unsigned };
}

cm_compiler::group_operations!(markers);
