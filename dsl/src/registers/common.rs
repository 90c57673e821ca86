//! The common methods of matrices and vectors, written once.

use cm_compiler::limits;
use cm_macros::op;

use super::scalar::Scalar;
use crate::backend::{Backend, Start, require};

/// Constructors of an object with `$r` rows of `$c` elements, and their number.
macro_rules! constructors {
    ($r:tt, $c:tt) => {
        /// Number of elements. CM: `n_elems()`.
        pub const ELEMENTS: usize = $r * $c;

        /// Creates an object whose elements are all `x`, converted to `T`. CM: initialisation by a scalar.
        ///
        /// # Panics
        /// In plain Rust, if `x` is a `usize` or `isize` that does not fit in `i32`, as numbers of kernels do.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::<u8, 3>::splat(7).to_array(), [7, 7, 7]);
        /// ```
        #[op]
        pub fn splat<V: IntoScalar<B>>(x: V) -> Self
        where
            Shape<$r, $c>: Fits<T>,
        {
            Self::splat_any(x)
        }

        /// [`splat`](Self::splat) in a kernel with a register file of `FILE` bytes.
        #[doc(hidden)]
        #[op]
        pub fn splat_in<const FILE: usize, V: IntoScalar<B>>(x: V) -> Self
        where
            Shape<$r, $c>: Fits<T, FILE>,
        {
            Self::splat_any(x)
        }
    };
}

/// The unbounded form of `splat`.
macro_rules! splat_any {
    ($r:tt, $c:tt) => {
        /// [`splat`](Self::splat) without a bound. The size is checked when the kernel is recorded.
        ///
        /// # Panics
        /// In plain Rust, if the object is larger than the largest register file, or if `x` is a `usize` or `isize` that does not fit in `i32`.
        #[op]
        pub fn splat_any<V: IntoScalar<B>>(x: V) -> Self {
            require_object::<B>(const { $r * $c * T::TYPE.bytes() });
            Self::from_reg(B::splat(x.into_scalar().convert::<T>().into_reg()))
        }
    };
}

/// Conversions and conditions of an object.
macro_rules! conversions {
    ($reg:ident, $r:tt, $c:tt) => {
        /// Converts every element to `V`, as Rust's `as` does. CM: the conversion of an assignment.
        ///
        /// Integers wrap. Floats are truncated towards zero and clamped to the range of an integer type; NaN
        /// becomes 0. Integers become the nearest float (ties to even).
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([255.9f32, 300.0, -1.0]).convert::<u8>().to_array(), [255, 255, 0]);
        /// assert_eq!(Vector::from_array([275i32, -1]).convert::<u8>().to_array(), [19, 255]);
        /// ```
        #[op]
        pub fn convert<V: Elem>(self) -> with_elem!($reg, V, $r, $c) {
            $reg::from_reg($crate::backend::convert::<B, T, V, $r, $c>(self.reg))
        }

        /// Converts every element to `V` and clamps it: integer results to the range of `V`, float results to
        /// 0..=1. CM: `SAT`.
        ///
        /// Floats are truncated towards zero when they become integers. NaN becomes 0.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([275i32, -1, 155]).saturate::<u8>().to_array(), [255, 0, 155]);
        /// ```
        #[op]
        pub fn saturate<V: Elem>(self) -> with_elem!($reg, V, $r, $c) {
            $reg::from_reg(B::map1::<$crate::ops::Convert, T, T, V, true, $r, $c>(self.reg))
        }

        /// Whether at least one element is not zero: a staged condition in a kernel, `bool` in plain Rust.
        /// CM: `any()`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert!(Vector::from_array([0u16, 1]).any());
        /// ```
        #[op]
        pub fn any(&self) -> B::Cond {
            B::any(self.reg)
        }

        /// Whether no element is zero: a staged condition in a kernel, `bool` in plain Rust. CM: `all()`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert!(!Vector::from_array([0u16, 1]).all());
        /// ```
        #[op]
        pub fn all(&self) -> B::Cond {
            B::all(self.reg)
        }
    };
}

/// The same bytes as a vector of other elements.
macro_rules! formats {
    ($r:tt, $c:tt) => {
        /// Reads the same bytes as a vector of as many `V` as fit. CM: `x.format<V>()`.
        ///
        /// The first element is in the lowest bytes (little endian).
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([1u8, 2, 3, 4, 5]).format::<u16>().to_array(), [0x0201, 0x0403]);
        /// ```
        #[op]
        pub fn format<V: Elem>(&self) -> VectorOf<<Shape<$r, $c> as FormatVector<T, V>>::Len, V, B>
        where
            Shape<$r, $c>: FormatVector<T, V>,
        {
            <<Shape<$r, $c> as FormatVector<T, V>>::Len as VectorLen>::format::<T, V, $r, $c, B>(&self.reg)
        }

        /// The whole object as a place of as many `V` as fit, for writing. CM: `x.format<V>()`.
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
        ) -> VectorRefOf<'_, <Shape<$r, $c> as FormatVector<T, V>>::Len, V, B>
        where
            Shape<$r, $c>: FormatVector<T, V>,
        {
            self.select_all_mut().format_mut()
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
    ($r:tt, $c:tt; $($arg:ident: $limit:ident $n:ident),*) => {
        replicates_in!($r, $c; $($arg: $limit $n),*);

        /// Repeats all elements `REP` times. CM: `x.replicate<REP>()`.
        ///
        /// ```
        /// use cm::prelude::*;
        /// assert_eq!(Vector::from_array([1u8, 2]).replicate::<2>().to_array(), [1, 2, 1, 2]);
        /// ```
        #[op]
        pub fn replicate<const REP: usize>(&self) -> VectorOf<<Shape<$r, $c> as Repeated<REP>>::Len, T, B>
        where
            Shape<$r, $c>: Repeated<REP, Len: FitsLen<T>>,
        {
            let offset = Start::Host(0);
            let region = Region { offset, row_stride: 0, width: $r * $c, column_stride: 1 };
            <<Shape<$r, $c> as Repeated<REP>>::Len as VectorLen>::region::<T, $r, $c, B>(
                &self.reg, region)
        }

        /// Repeats `W` elements from the offset `REP` times. CM: `x.replicate<REP, W>(i)`; kernels may also
        /// write `replicate`.
        ///
        /// # Panics
        /// In plain Rust, if a computed offset reaches outside.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_w::<2, 4>(2).to_array(), [2, 3, 4, 5, 2, 3, 4, 5]);
        /// ```
        #[op]
        pub fn replicate_w<const REP: usize, const W: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, 0, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, 0, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, 0, W, 1>($($arg),*)
        }

        /// Reads `REP` rows of `W` elements; the rows start `VS` elements apart. CM:
        /// `x.replicate<REP, VS, W>(i)`; kernels may also write `replicate`.
        ///
        /// # Panics
        /// In plain Rust, if a computed offset reaches outside.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_vs_w::<2, 3, 4>(0).to_array(), [0, 1, 2, 3, 3, 4, 5, 6]);
        /// ```
        #[op]
        pub fn replicate_vs_w<const REP: usize, const VS: usize, const W: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, VS, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, VS, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, 1>($($arg),*)
        }

        /// Reads `REP` rows of `W` elements; the rows start `VS` elements apart, the elements of a row are
        /// `HS` apart. CM: `x.replicate<REP, VS, W, HS>(i)`; kernels may also write `replicate`.
        ///
        /// # Panics
        /// In plain Rust, if a computed offset reaches outside.
        ///
        /// ```
        /// use cm::prelude::*;
        /// let v = Vector::from_array([0u8, 1, 2, 3, 4, 5, 6, 7]);
        /// assert_eq!(v.replicate_vs_w_hs::<4, 1, 2, 0>(2).to_array(), [2, 2, 3, 3, 4, 4, 5, 5]);
        /// ```
        #[op]
        pub fn replicate_vs_w_hs<const REP: usize, const VS: usize, const W: usize, const HS: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, VS, W, HS), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T>>,
            Shape<$r, $c>: Replicate<REP, VS, W, HS>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, HS>($($arg),*)
        }
    };
}

/// The same forms, in a kernel with a register file of `FILE` bytes.
macro_rules! replicates_in {
    ($r:tt, $c:tt; $($arg:ident: $limit:ident $n:ident),*) => {
        #[doc(hidden)]
        #[op]
        pub fn replicate_in<const FILE: usize, const REP: usize>(
            &self,
        ) -> VectorOf<<Shape<$r, $c> as Repeated<REP>>::Len, T, B>
        where
            Shape<$r, $c>: Repeated<REP, Len: FitsLen<T, FILE>>,
        {
            let region =
                Region { offset: Start::Host(0), row_stride: 0, width: $r * $c, column_stride: 1 };
            <<Shape<$r, $c> as Repeated<REP>>::Len as VectorLen>::region::<T, $r, $c, B>(
                &self.reg, region)
        }

        #[doc(hidden)]
        #[op]
        pub fn replicate_w_in<const FILE: usize, const REP: usize, const W: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, 0, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T, FILE>>,
            Shape<$r, $c>: Replicate<REP, 0, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, 0, W, 1>($($arg),*)
        }

        #[doc(hidden)]
        #[op]
        pub fn replicate_vs_w_in<const FILE: usize, const REP: usize, const VS: usize, const W: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, VS, W, 1), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T, FILE>>,
            Shape<$r, $c>: Replicate<REP, VS, W, 1>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, 1>($($arg),*)
        }

        #[doc(hidden)]
        #[op]
        pub fn replicate_vs_w_hs_in<
            const FILE: usize,
            const REP: usize,
            const VS: usize,
            const W: usize,
            const HS: usize,
        >(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, VS, W, HS), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W, Len: FitsLen<T, FILE>>,
            Shape<$r, $c>: Replicate<REP, VS, W, HS>,
        {
            self.replicate_vs_w_hs_any::<REP, VS, W, HS>($($arg),*)
        }
    };
}

/// The unbounded form of `replicate`, which the others call.
macro_rules! replicates_any {
    ($r:tt, $c:tt; $($arg:ident: $limit:ident $n:ident),*; $($position:ident)*) => {
        /// [`replicate_vs_w_hs`](Self::replicate_vs_w_hs) without a bound. The range is checked when the
        /// kernel is recorded. A staged offset is clamped so that no element outside is read.
        ///
        /// # Panics
        /// In plain Rust, if the range reaches outside.
        #[op]
        pub fn replicate_vs_w_hs_any<const REP: usize, const VS: usize, const W: usize, const HS: usize>(
            &self,
            $($arg: impl Offset<start!($limit, $n; REP, VS, W, HS), B>,)*
        ) -> VectorOf<<Len<REP> as Times<W>>::Len, T, B>
        where
            Len<REP>: Times<W>,
        {
            require_object::<B>(const { REP * W * T::TYPE.bytes() });
            let offset = offset!($c; $($position)*);
            let offset = check_replicate::<B>(offset, cm_compiler::limits::reach(REP, VS, W, HS), $r * $c);
            // A stride that nothing moves by may be any number.
            let strides = const { (if REP > 1 { VS } else { W }, if W > 1 { HS } else { 1 }) };
            let region = Region { offset, row_stride: strides.0, width: W, column_stride: strides.1 };
            <<Len<REP> as Times<W>>::Len as VectorLen>::region::<T, $r, $c, B>(&self.reg, region)
        }
    };
}

/// The range of the offsets of a `replicate`. In a matrix the row and the column must exist.
macro_rules! start {
    (ReplicateElement, $n:ident; $rep:tt, $vs:tt, $w:tt, $hs:tt) => {
        ReplicateElement<$n, $rep, $vs, $w, $hs>
    };
    ($limit:ident, $n:ident; $($constant:tt),*) => {
        $limit<$n>
    };
}

/// The linear offset of one or two positions.
macro_rules! offset {
    ($c:tt; $i:ident) => {
        locate($i.value())
    };
    ($c:tt; $i:ident $j:ident) => {
        row_major($i, $j, $c)
    };
}

/// Keeps a `replicate` inside: checks a host offset, and clamps a staged one.
#[op]
pub(super) fn check_replicate<B: Backend>(offset: Start<B>, reach: usize, elements: usize) -> Start<B> {
    // As a region of two elements: the first and the last element that are read.
    let Some(last) = limits::last_start(elements, 2, reach) else {
        require::<B>(limits::replicate(0, reach, elements));
        return Start::Host(0);
    };
    match offset {
        Start::Host(at) => {
            require::<B>(limits::replicate(at as i128, reach, elements));
            Start::Host(at.min(last))
        }
        Start::Staged(at) => {
            let limited = Scalar::<u32, B>::from_reg(at).limited_to(last as u32);
            Start::Staged(limited.into_reg())
        }
    }
}

pub(crate) use with_elem;
pub(super) use {
    constructors, conversions, formats, offset, replicates, replicates_any, replicates_in, splat_any, start,
};
