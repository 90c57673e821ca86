//! What matrices and vectors have in common, written once.

use cm_macros::op;

use crate::backend::Backend;
use crate::elem::Elem;
use crate::limits::Violation;

/// Size and stride of a region, where they are not bounds.
#[op]
pub(super) fn check_region<B: Backend>(size: usize, stride: usize) {
    if size == 0 {
        B::violation(Violation::ZeroSize);
    } else if stride == 0 || (size == 1 && stride != 1) {
        B::violation(Violation::Stride { size, stride });
    }
}

/// The byte sizes of a `format`, where they are not bounds.
#[op]
pub(super) fn check_format<
    B: Backend,
    T: Elem,
    V: Elem,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>() {
    let (bytes, wanted) = (R * C * T::TYPE.bytes(), R2 * C2 * V::TYPE.bytes());
    if bytes != wanted {
        B::violation(Violation::Format { bytes, wanted });
    }
}

/// That an object fits the register file, where that is not a bound.
#[op]
pub(super) fn check_object<B: Backend, T: Elem>(elements: usize) {
    let bytes = elements * T::TYPE.bytes();
    if bytes == 0 {
        B::violation(Violation::ZeroSize);
    } else if bytes >= 4096 {
        B::violation(Violation::Object { bytes });
    }
}

/// Methods of an object with `$r` rows of `$c` elements.
macro_rules! methods {
    ($reg:ident, $r:tt, $c:tt, $kind:ty) => {
        /// Number of elements. CM: `n_elems()`.
        pub const ELEMENTS: usize = $r * $c;

        /// Every element `x`, converted to `T`. CM: initialisation by a scalar.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::<u8, 3>::splat(7).to_array(), [7, 7, 7]);
        /// ```
        #[op]
        pub fn splat<V: $crate::ops::IntoScalar<B>>(x: V) -> Self
        where
            Shape<$r, $c>: $crate::limits::Fits<T>,
        {
            Self::splat_any(x)
        }

        /// [`splat`](Self::splat) without a bound: the size is checked when the kernel is recorded.
        #[op]
        pub fn splat_any<V: $crate::ops::IntoScalar<B>>(x: V) -> Self {
            super::common::check_object::<B, T>($r * $c);
            Self::from_reg(B::splat(x.into_scalar().convert::<T>().into_reg()))
        }

        /// CM's assignment conversion of every element: Rust's `as`. Integers wrap, floats truncate towards zero and
        /// saturate, NaN becomes 0, integers become the nearest float (ties to even).
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([255.9f32, 300.0, -1.0]).convert::<u8>().to_array(), [255, 255, 0]);
        /// assert_eq!(Vector::from_array([275i32, -1]).convert::<u8>().to_array(), [19, 255]);
        /// ```
        #[op]
        pub fn convert<V: Elem>(self) -> $crate::registers::common::with_elem!($reg, V, $r, $c) {
            $reg::from_reg($crate::backend::convert::<B, T, V, $r, $c>(self.reg))
        }

        /// CM's `SAT` conversion of every element: integers are limited to the range of `V`, a float result to 0..=1,
        /// floats truncate towards zero before; NaN becomes 0.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([275i32, -1, 155]).saturate::<u8>().to_array(), [255, 0, 155]);
        /// ```
        #[op]
        pub fn saturate<V: Elem>(self) -> $crate::registers::common::with_elem!($reg, V, $r, $c) {
            $reg::from_reg(B::map1::<$crate::ops::Convert, T, T, V, true, $r, $c>(self.reg))
        }

        /// Whether an element is not zero: a staged condition in a kernel, `bool` in plain Rust. CM: `any()`.
        #[op]
        pub fn any(&self) -> B::Cond {
            B::any(self.reg)
        }

        /// Whether no element is zero: a staged condition in a kernel, `bool` in plain Rust. CM: `all()`.
        #[op]
        pub fn all(&self) -> B::Cond {
            B::all(self.reg)
        }

        /// Gives the object the elements of `x`, converted, row by row; a number goes to every element.
        /// CM: assignment.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut v = Vector::<u8, 2>::splat(0);
        /// v.assign(Vector::from_array([1.9f32, 300.0]));
        /// assert_eq!(v.to_array(), [1, 255]);
        /// ```
        #[op]
        pub fn assign<X: MergeSource<T, $r, $c, B, $kind>>(&mut self, x: X) {
            B::store(&mut self.reg, x.into_source());
        }

        /// Gives the elements whose mask is set those of `x`; the others stay. CM: `dst.merge(x, mask)`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut v = Vector::from_array([1u8, 2, 3, 4]);
        /// v.merge(0, 0b0110);
        /// assert_eq!(v.to_array(), [1, 0, 0, 4]);
        /// ```
        #[op]
        pub fn merge<X: MergeSource<T, $r, $c, B, $kind>, M: Mask<$r, $c, B, $kind>>(
            &mut self,
            x: X,
            mask: M,
        ) {
            let merged = $crate::backend::merge::<B, _, _, $r, $c>(
                mask.into_mask(),
                x.into_source(),
                B::load(&self.reg),
            );
            B::store(&mut self.reg, merged);
        }

        /// Gives the elements whose mask is set those of `x`, the others those of `y`. CM: `dst.merge(x, y, mask)`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let a = Vector::from_array([1i32, 20, 3]);
        /// let mut high = Vector::<i32, 3>::splat(0);
        /// high.merge_else(a, 10, &a.simd_gt(10));
        /// assert_eq!(high.to_array(), [10, 20, 10]);
        /// ```
        #[op]
        pub fn merge_else<X, Y, M>(&mut self, x: X, y: Y, mask: M)
        where
            X: MergeSource<T, $r, $c, B, $kind>,
            Y: MergeSource<T, $r, $c, B, $kind>,
            M: Mask<$r, $c, B, $kind>,
        {
            let merged =
                $crate::backend::merge::<B, _, _, $r, $c>(mask.into_mask(), x.into_source(), y.into_source());
            B::store(&mut self.reg, merged);
        }

        /// The same bytes as a vector of `V`, as many as fit. CM: `x.format<V>()`.
        ///
        /// The first element is in the lowest bytes (little endian).
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([1u8, 2, 3, 4, 5]).format::<u16>().to_array(), [0x0201, 0x0403]);
        /// ```
        #[op]
        pub fn format<V: Elem>(&self) -> VectorOf<<Shape<$r, $c> as $crate::limits::Format<T, V>>::Len, V, B>
        where
            Shape<$r, $c>: $crate::limits::Format<T, V>,
        {
            <<Shape<$r, $c> as $crate::limits::Format<T, V>>::Len as VectorLen>::format::<T, V, $r, $c, B>(
                &self.reg,
            )
        }

        /// The whole object as a place: a vector of `V`, as many as fit.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let mut v = Vector::<u8, 4>::splat(0);
        /// v.format_mut::<u16>().assign(Vector::from_array([0x0201u16, 0x0403]));
        /// assert_eq!(v.to_array(), [1, 2, 3, 4]);
        /// ```
        #[op]
        pub fn format_mut<V: Elem>(
            &mut self,
        ) -> $crate::registers::place::VectorRefOf<
            '_,
            <Shape<$r, $c> as $crate::limits::Format<T, V>>::Len,
            V,
            B,
        >
        where
            Shape<$r, $c>: $crate::limits::Format<T, V>,
        {
            self.as_mut().format_mut()
        }

        #[doc(hidden)]
        #[inline(always)]
        pub fn from_reg(reg: B::Reg<T, $r, $c>) -> Self {
            Self::from_storage(reg)
        }

        #[doc(hidden)]
        #[inline(always)]
        #[must_use]
        pub fn into_reg(self) -> B::Reg<T, $r, $c> {
            self.reg
        }

        #[inline(always)]
        pub(crate) fn reg_mut(&mut self) -> &mut B::Reg<T, $r, $c> {
            &mut self.reg
        }
    };
}

macro_rules! with_elem {
    (Matrix, $t:ty, $r:tt, $c:tt) => { Matrix<$t, $r, $c, B> };
    (Vector, $t:ty, $r:tt, $c:tt) => { Vector<$t, $c, B> };
}

/// The four forms of `replicate`: with `off` the linear offset, element `r * W + k` of the result is element
/// `off + r * VS + k * HS`.
macro_rules! replicates {
    ($r:tt, $c:tt; $($arg:ident: $limit:ident $n:ident),*; $($position:ident)*) => {
        /// All elements, `REP` times over. CM: `x.replicate<REP>()`; in kernels `replicate` too.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([1u8, 2]).replicate::<2>().to_array(), [1, 2, 1, 2]);
        /// ```
        #[op]
        pub fn replicate<const REP: usize>(&self) -> VectorOf<<Shape<$r, $c> as $crate::limits::Repeated<REP>>::Len, T, B>
        where
            Shape<$r, $c>: $crate::limits::Repeated<REP, Len: $crate::limits::FitsLen<T>>,
        {
            let offset = LinearOffset::Host(0);
            let region = Region { offset, row_stride: 0, width: $r * $c, column_stride: 1 };
            <<Shape<$r, $c> as $crate::limits::Repeated<REP>>::Len as VectorLen>::region::<T, $r, $c, B>(
                &self.reg, region)
        }

        /// `W` elements from the offset, `REP` times over. CM: `x.replicate<REP, W>(i)`; in kernels `replicate` too.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_w::<2, 4>(2).to_array(), [2, 3, 4, 5, 2, 3, 4, 5]);
        /// ```
        #[op]
        pub fn replicate_w<const REP: usize, const W: usize>(
            &self,
            $($arg: impl Offset<$crate::registers::common::start!($limit, $n; REP, 0, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: $crate::limits::FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, 0, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, 0, W, 1>($($arg),*)
        }

        /// `REP` rows of `W` elements, `VS` apart. CM: `x.replicate<REP, VS, W>(i)`; in kernels `replicate` too.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_vs_w::<2, 3, 4>(0).to_array(), [0, 1, 2, 3, 3, 4, 5, 6]);
        /// ```
        #[op]
        pub fn replicate_vs_w<const REP: usize, const VS: usize, const W: usize>(
            &self,
            $($arg: impl Offset<$crate::registers::common::start!($limit, $n; REP, VS, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: $crate::limits::FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, VS, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, 1>($($arg),*)
        }

        /// `REP` rows, `VS` apart, of `W` elements, `HS` apart. CM: `x.replicate<REP, VS, W, HS>(i)`; in kernels
        /// `replicate` too.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_vs_w_hs::<4, 1, 2, 0>(2).to_array(), [2, 2, 3, 3, 4, 4, 5, 5]);
        /// ```
        #[op]
        pub fn replicate_vs_w_hs<const REP: usize, const VS: usize, const W: usize, const HS: usize>(
            &self,
            $($arg: impl Offset<$crate::registers::common::start!($limit, $n; REP, VS, W, HS), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: $crate::limits::FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, VS, W, HS>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, HS>($($arg),*)
        }

        /// [`replicate_vs_w_hs`](Self::replicate_vs_w_hs) without the bound: what is read is checked when the kernel
        /// is recorded. A staged offset is limited so that the last element read is one of the object's.
        ///
        /// # Panics
        /// In plain Rust, if an element outside would be read.
        #[op]
        pub fn replicate_vs_w_hs_any<const REP: usize, const VS: usize, const W: usize, const HS: usize>(
            &self,
            $($arg: impl Offset<$crate::registers::common::start!($limit, $n; REP, VS, W, HS), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W>,
        {
            super::common::check_object::<B, T>(REP * W);
            let offset = super::common::offset!($c; $($position)*);
            let offset = super::common::check_replicate::<B>(offset, $crate::limits::reach(REP, VS, W, HS), $r * $c);
            let region = Region { offset, row_stride: VS, width: W, column_stride: HS };
            <<Len<REP> as Times<W>>::Len as VectorLen>::region::<T, $r, $c, B>(&self.reg, region)
        }
    };
}

/// What the offsets of a `replicate` must respect: in a matrix that the row and the column exist.
macro_rules! start {
    (ReplicateElement, $n:ident; $rep:tt, $vs:tt, $w:tt, $hs:tt) => {
        $crate::limits::ReplicateElement<$n, $rep, $vs, $w, $hs>
    };
    ($limit:ident, $n:ident; $($constant:tt),*) => {
        $crate::limits::$limit<$n>
    };
}

/// The linear offset of one or two positions.
macro_rules! offset {
    ($c:tt; $i:ident) => {
        locate($i.position())
    };
    ($c:tt; $i:ident $j:ident) => {
        linear($i.position(), $j.position(), $c)
    };
}

/// Keeps a `replicate` inside: a host offset must be, a staged one is limited.
#[op]
pub(super) fn check_replicate<B: Backend>(
    offset: crate::backend::Offset<B>,
    reach: usize,
    elements: usize,
) -> crate::backend::Offset<B> {
    use crate::backend::Offset;
    let Some(last) = elements.checked_sub(reach + 1) else {
        B::violation(Violation::Replicate { offset: 0, reach, elements });
        return Offset::Host(0);
    };
    match offset {
        Offset::Host(at) if at > last => {
            B::violation(Violation::Replicate { offset: at as i128, reach, elements });
            Offset::Host(last)
        }
        Offset::Host(at) => Offset::Host(at),
        Offset::Staged(at) => {
            let limited = super::Scalar::<u32, B>::from_reg(at).limited_to(last as u32);
            Offset::Staged(limited.into_reg())
        }
    }
}

pub(crate) use with_elem;
pub(super) use {methods, offset, replicates, start};
