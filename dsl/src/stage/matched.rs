//! `match` on integers: host integers choose an arm immediately, staged integers when the kernel runs.

use cm_compiler::ir::Plane;
use cm_compiler::limits;
use cm_macros::{inlined, op};

use crate::backend::{Backend, Condition, binary, require};
use crate::elem::{HostInteger, Int, Numeric};
use crate::ops::{BinaryOp, Eq, Ge, Le, Lt};
use crate::registers::Scalar;

/// A value for a `match` with numbers as patterns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be matched with numbers",
    label = "not an integer",
    note = "`match` in a kernel takes host integers and staged integers: compare floats with `if`, and merge \
            registers by masks",
    note = "an `enum` with variants in capitals needs `#[registers]`"
)]
pub trait Matched<B: Backend> {
    /// The value that is compared with the patterns.
    type Case: Copy;
    /// The value that is compared with the patterns.
    fn case(self) -> Self::Case;
}

/// An integer that is compared with patterns.
pub trait Case<B: Backend>: Copy {
    /// The smallest and the largest number of its type.
    const RANGE: (i128, i128);
    /// The condition that a pattern matches.
    type Fits: Condition<B>;
    /// The pattern `number`.
    #[track_caller]
    fn is(self, number: i128) -> Self::Fits;
    /// The pattern `number..`.
    #[track_caller]
    fn is_from(self, number: i128) -> Self::Fits;
    /// The pattern `..=number`.
    #[track_caller]
    fn is_to(self, number: i128) -> Self::Fits;
    /// The pattern `..number`.
    #[track_caller]
    fn is_below(self, number: i128) -> Self::Fits;
}

/// A value that is compared with the pattern of a number or of an `enum`.
pub trait Compared<N, B: Backend>: Copy {
    /// The condition that the pattern matches.
    type Matches: Condition<B>;
    /// Whether it does.
    #[track_caller]
    fn matches(self, pattern: N) -> Self::Matches;
}

impl<X: Case<B>, N: HostInteger, B: Backend> Compared<N, B> for X {
    type Matches = X::Fits;
    #[op]
    fn matches(self, number: N) -> X::Fits {
        self.is(pattern::<B, X>(number.to_i128()))
    }
}

/// A value that Rust's own `match` takes: `match` decides at once.
#[diagnostic::on_unimplemented(
    message = "a `match` on a staged value needs a last arm `_`",
    label = "not known when the kernel is recorded",
    note = "Rust's own `match`, which finds out whether the arms are all there are, takes host values"
)]
pub trait Listed<Host> {
    /// The value.
    fn listed(self) -> Host;
}

/// `x` in `match x` with integers or conditions as patterns, if the last arm does not match everything else.
#[inlined]
pub fn listed<Host, T: Listed<Host>>(x: T) -> Host {
    x.listed()
}

/// A host value beside patterns that only Rust's own `match` has, or a guard of these.
#[diagnostic::on_unimplemented(
    message = "a `match` with patterns such as `Some(n)` cannot decide on a staged value",
    label = "known only when the kernel runs",
    note = "such patterns are for host values: decide on the staged value by a `match` of its own, with numbers, `true`, \
            `false`, names and tuples of these, or by an `if` inside the arm"
)]
pub trait HostMatched<Host> {
    /// The value.
    fn host(self) -> Host;
}

/// A number or condition in a `match` that stays Rust's.
#[inlined]
pub fn host_matched<Host, X: HostMatched<Host>>(x: X) -> Host {
    x.host()
}

/// `x` in `match x` with `true` and `false` as patterns.
#[inlined]
pub fn decided<B: Backend, C: Condition<B>>(x: C) -> C {
    x
}

/// `x` in `match x` with integers as patterns.
#[inlined]
pub fn matched<B: Backend, X: Matched<B>>(x: X) -> X::Case {
    x.case()
}

macro_rules! host_values {
    ($($t:ident)*) => {$(
        impl Listed<$t> for $t {
            #[inlined]
            fn listed(self) -> $t {
                self
            }
        }

        impl HostMatched<$t> for $t {
            #[inlined]
            fn host(self) -> $t {
                self
            }
        }
    )*};
}

cm_compiler::for_each_integer!(host_values);
host_values! { usize isize bool Plane }

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl<B: Backend> Matched<B> for $t {
            type Case = $t;
            #[inlined]
            fn case(self) -> $t {
                self
            }
        }

        impl<B: Backend> Case<B> for $t {
            const RANGE: (i128, i128) = ($t::MIN as i128, $t::MAX as i128);
            type Fits = bool;
            #[inlined]
            fn is(self, number: i128) -> bool {
                self.to_i128() == number
            }
            #[inlined]
            fn is_from(self, number: i128) -> bool {
                self.to_i128() >= number
            }
            #[inlined]
            fn is_to(self, number: i128) -> bool {
                self.to_i128() <= number
            }
            #[inlined]
            fn is_below(self, number: i128) -> bool {
                self.to_i128() < number
            }
        }
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize }

#[op]
fn fits<O: BinaryOp<T>, T: Numeric, B: Backend>(x: Scalar<T, B>, number: i128) -> B::Cond {
    let number = match i64::try_from(number) {
        Ok(number) => T::cast_from(number),
        Err(_) => T::cast_from(number as u64),
    };
    B::any(binary::<B, O, T, 1, 1>(x.into_reg(), B::constant([[number]])))
}

#[doc(hidden)]
impl<T: Int, B: Backend> Matched<B> for Scalar<T, B> {
    type Case = Self;
    #[inlined]
    fn case(self) -> Self {
        self
    }
}

#[doc(hidden)]
// For all numbers: `Matched` already reports non-integers; a bound here would report them again.
impl<T: Numeric, B: Backend> Case<B> for Scalar<T, B> {
    const RANGE: (i128, i128) = (T::RANGE.0, T::RANGE.1);
    type Fits = B::Cond;
    #[op]
    fn is(self, number: i128) -> B::Cond {
        fits::<Eq, T, B>(self, number)
    }
    #[op]
    fn is_from(self, number: i128) -> B::Cond {
        fits::<Ge, T, B>(self, number)
    }
    #[op]
    fn is_to(self, number: i128) -> B::Cond {
        fits::<Le, T, B>(self, number)
    }
    #[op]
    fn is_below(self, number: i128) -> B::Cond {
        fits::<Lt, T, B>(self, number)
    }
}

/// The number of a pattern, which must be one of the type that is matched. Not as a number of that type: it would decide about
/// the type of literals in the matched expression, such as that of `n & 3`, before the operators do.
#[op]
fn pattern<B: Backend, X: Case<B>>(number: i128) -> i128 {
    require::<B>(limits::pattern(number, X::RANGE));
    number
}

/// The pattern `value`: a number, or a variant of an `enum`.
#[op]
pub fn is<B: Backend, X: Compared<N, B>, N>(x: X, value: N) -> X::Matches {
    x.matches(value)
}

/// The pattern `number..`.
#[op]
pub fn is_from<B: Backend, X: Case<B>, N: HostInteger>(x: X, number: N) -> X::Fits {
    x.is_from(pattern::<B, X>(number.to_i128()))
}

/// The pattern `..=number`.
#[op]
pub fn is_to<B: Backend, X: Case<B>, N: HostInteger>(x: X, number: N) -> X::Fits {
    x.is_to(pattern::<B, X>(number.to_i128()))
}

/// The pattern `..number`.
#[op]
pub fn is_below<B: Backend, X: Case<B>, N: HostInteger>(x: X, number: N) -> X::Fits {
    x.is_below(pattern::<B, X>(number.to_i128()))
}
