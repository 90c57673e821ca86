//! Structures with constants in paths, `Lines::<8>::zero()`: the macros do not see which of them are structures of registers.

use cm_macros::inlined;

use crate::backend::{Backend, Staged};

/// What the path of a structure means on backend `B`. rustc finds `K`: [`OfRegisters`] or [`OfHost`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no functions for kernels",
    label = "neither a structure of registers nor one of the host",
    note = "a structure of the host must be `Unpin` here"
)]
pub trait Named<B: Backend, K> {
    /// The structure.
    type Ty;
}

/// The kind of structures with `#[registers]`.
#[derive(Debug)]
pub struct OfRegisters;

/// The kind of structures of the host.
#[derive(Debug)]
pub struct OfHost;

/// A structure with `#[registers]`, as the user names it.
pub trait OnBackends {}

/// The bound under which structures with `#[registers]` are `Unpin`. No backend implements it, so that they are never structures
/// of the host.
pub trait NoBackend {}

impl<X: OnBackends + Staged<B>, B: Backend> Named<B, OfRegisters> for X {
    type Ty = <X as Staged<B>>::Ty;
}

impl<X: Unpin, B: Backend> Named<B, OfHost> for X {
    type Ty = X;
}

/// A value of the structure that `X` names.
#[inlined]
pub fn named<X: Named<B, K>, B: Backend, K>(value: X::Ty) -> X::Ty {
    value
}
