//! Arguments that are compared with the parameters of a function, for the message about another type.

use std::marker::PhantomData;

use cm_macros::inlined;

/// The type of a parameter.
#[derive(Debug)]
pub struct Parameter<P>(PhantomData<fn(P)>);

/// An argument for a parameter of type `P`: one of this type. It is a trait so that the error names the remedy.
#[diagnostic::on_unimplemented(
    message = "the function takes `{P}`, not `{Self}`: write `.convert()` for other elements, `.select` for another shape",
    label = "not `{P}`",
    note = "results of operators have promoted types; `.convert()` is CM's assignment conversion, `.saturate()` its `SAT` form",
    note = "shapes must be equal: take a region with `.select` or `.row(i)`; `.format::<T>()` makes a vector of a column or matrix, \
            `.format::<T, R, C>()` a matrix of a vector"
)]
pub trait PassedAs<P> {
    /// The argument.
    fn argument(self) -> P;
}

#[diagnostic::do_not_recommend]
impl<P> PassedAs<P> for P {
    #[inlined]
    fn argument(self) -> P {
        self
    }
}

/// `x`, for this parameter.
#[inlined]
pub fn argument<P, V: PassedAs<P>>(_: Parameter<P>, x: V) -> P {
    x.argument()
}

/// The types of the parameters of a function, as a tuple.
pub trait Parameters {
    /// One for each of them.
    type Each;
    /// One for each of them.
    fn each() -> Self::Each;
}

/// A function that takes these parameters.
pub trait Takes<P> {}

/// The types of the parameters of a function. rustc knows them before the types of the arguments.
#[must_use]
#[inlined]
pub fn parameters<P: Parameters, F: Takes<P>>(_: &F) -> P::Each {
    P::each()
}

macro_rules! parameters {
    ($($($p:ident)*;)*) => {$(
        impl<$($p),*> Parameters for ($($p,)*) {
            type Each = ($(Parameter<$p>,)*);
            #[inlined]
            fn each() -> Self::Each {
                ($(Parameter::<$p>(PhantomData),)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F: FnOnce($($p),*) -> R, $($p,)* R> Takes<($($p,)*)> for F {}
    )*};
}

parameters! {
    P0;
    P0 P1;
    P0 P1 P2;
    P0 P1 P2 P3;
    P0 P1 P2 P3 P4;
    P0 P1 P2 P3 P4 P5;
    P0 P1 P2 P3 P4 P5 P6;
    P0 P1 P2 P3 P4 P5 P6 P7;
    P0 P1 P2 P3 P4 P5 P6 P7 P8;
    P0 P1 P2 P3 P4 P5 P6 P7 P8 P9;
    P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10;
    P0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11;
}
