//! Sizes of memory, which kernels do not know, with an error message that names the alternative.

use crate::backend::Backend;
use crate::buffer::LinearBuffer;
use crate::elem::Elem;
use crate::registers::Unsatisfied;
use crate::slm::Slm;
use crate::surface::Surface;
use crate::surface_3d::Surface3d;

/// Memory whose size is known in kernels.
#[diagnostic::on_unimplemented(
    message = "kernels do not know the sizes of surfaces and buffers: pass the size as a number, such as `len: u32`",
    label = "not a method in kernels",
    note = "the size of `slm::<f32, 64>()` is a constant: name it `const N: usize = 64;`"
)]
pub trait KnowsItsSize: Unsatisfied {}

macro_rules! sizes {
    ($([$($params:tt)*] $ty:ty: $($method:ident -> $result:ty),*;)*) => {$(
        impl<$($params)* B: Backend> $ty {$(
            #[doc(hidden)]
            pub fn $method(&self) -> $result
            where
                Self: KnowsItsSize,
            {
                match Self::NEVER {}
            }
        )*}
    )*};
}

sizes! {
    [T: Elem,] LinearBuffer<T, B>: len -> usize, is_empty -> bool;
    [T: Elem, const N: usize,] Slm<T, N, B>: len -> usize, is_empty -> bool;
    [] Surface<B>: width -> usize, height -> usize;
    [] Surface3d<B>: width -> usize, height -> usize, depth -> usize;
}
