//! Element operations: one function for each operation and element type. The function is selected once.
//!
//! Registers are stored element by element: element 0 of all kernel threads, then element 1. So an
//! element-wise operation is one loop, whatever the shape. The functions apply the same definitions as the
//! CPU backend. They use index loops, because iterators are function calls if this crate is not optimised.

use std::slice;

use cm_compiler::elem::ElemType;
use cm_compiler::ops::{AtomicKind, GroupKind, MapKind};
use cm_dsl::elem::{Elem, f16};
use cm_dsl::ops::{self, AtomicOp, BinaryOp, GroupOp, TernaryOp, UnaryOp};

/// The size of a [`Compute`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Elements of the result, for each thread.
    pub(super) count: usize,
    /// An additional number whose meaning depends on the operation: the length of an operand, or columns.
    pub(super) other: usize,
    /// The number of kernel threads.
    pub(super) threads: usize,
}

/// Computes a register from up to three others, for all threads of the extent.
///
/// # Safety
/// All registers have the elements that the operation and the extent require, aligned to their size. After
/// these, each has [`BEYOND`](super::rows::BEYOND) more bytes, unless the elements are a multiple of 32
/// bytes. The result does not overlap an operand. The CPU has the instruction set that the function was
/// chosen for.
pub(super) type Compute = unsafe fn(to: *mut u8, from: [*const u8; 3], extent: Extent);

/// The elements of a register.
///
/// # Safety
/// There are `count` elements that are not written while the slice exists; the address is a multiple of their
/// size.
pub(super) unsafe fn read<'a, T: Elem>(from: *const u8, count: usize) -> &'a [T] {
    // SAFETY: as the caller says; any bytes are an element.
    unsafe { slice::from_raw_parts(from.cast(), count) }
}

/// The elements of a register, for writing.
///
/// # Safety
/// There are `count` elements that are not otherwise accessed while the slice exists; the address is a
/// multiple of their size.
pub(super) unsafe fn write<'a, T: Elem>(to: *mut u8, count: usize) -> &'a mut [T] {
    // SAFETY: as the caller says; any bytes are an element.
    unsafe { slice::from_raw_parts_mut(to.cast(), count) }
}

/// # Safety
/// See [`Compute`].
unsafe fn unary<O: UnaryOp<P>, P: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<O::Output>(to, count), read::<P>(x, count)) };
    let mut i = 0;
    while i < count {
        to[i] = O::apply(x[i]);
        i += 1;
    }
}

/// # Safety
/// See [`Compute`].
unsafe fn binary<O: BinaryOp<P>, P: Elem>(to: *mut u8, [a, b, _]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, a, b) = unsafe { (write::<O::Output>(to, count), read::<P>(a, count), read::<P>(b, count)) };
    let mut i = 0;
    while i < count {
        to[i] = O::apply(a[i], b[i]);
        i += 1;
    }
}

/// # Safety
/// See [`Compute`].
unsafe fn ternary<O: TernaryOp<F, P>, F: Elem, P: Elem>(
    to: *mut u8,
    [a, b, c]: [*const u8; 3],
    extent: Extent,
) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, a, b, c) = unsafe {
        (write::<O::Output>(to, count), read::<F>(a, count), read::<P>(b, count), read::<P>(c, count))
    };
    let mut i = 0;
    while i < count {
        to[i] = O::apply(a[i], b[i], c[i]);
        i += 1;
    }
}

/// # Safety
/// See [`Compute`].
unsafe fn converted<T: Elem, U: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<U>(to, count), read::<T>(x, count)) };
    let mut i = 0;
    while i < count {
        to[i] = U::cast_from(x[i]);
        i += 1;
    }
}

/// # Safety
/// See [`Compute`].
unsafe fn saturated<T: Elem, U: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<U>(to, count), read::<T>(x, count)) };
    let mut i = 0;
    while i < count {
        to[i] = U::saturate_from(x[i]);
        i += 1;
    }
}

/// An operation on each group of `W` neighbours. `count` is the number of elements of an operand for each
/// thread.
///
/// # Safety
/// See [`Compute`].
unsafe fn grouped<O: GroupOp<P, W>, P: Elem, const W: usize>(
    to: *mut u8,
    [a, b, _]: [*const u8; 3],
    extent: Extent,
) {
    let Extent { count, threads, .. } = extent;
    let all = count * threads;
    // SAFETY: as the caller says.
    let (to, a, b) = unsafe { (write::<O::Output>(to, all), read::<P>(a, all), read::<P>(b, all)) };
    let (mut group, mut thread) = (0, 0);
    while group < count / W {
        let first = group * W * threads + thread;
        let (mut x, mut y) = ([P::default(); W], [P::default(); W]);
        let mut k = 0;
        while k < W {
            (x[k], y[k]) = (a[first + k * threads], b[first + k * threads]);
            k += 1;
        }
        let result = O::apply(x, y);
        k = 0;
        while k < W {
            to[first + k * threads] = result;
            k += 1;
        }
        thread += 1;
        if thread == threads {
            (group, thread) = (group + 1, 0);
        }
    }
}

/// Whether elements are not zero, as bytes that are 0 or 1.
///
/// # Safety
/// See [`Compute`].
unsafe fn is_some<P: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<u8>(to, count), read::<P>(x, count)) };
    let (mut i, zero) = (0, P::default());
    while i < count {
        // `!=` instead of a comparison of bits: -0.0 is zero, and NaN is not.
        to[i] = (x[i] != zero) as u8;
        i += 1;
    }
}

/// Updates an element by an atomic operation with its sources.
///
/// # Safety
/// All three are elements of the type of the operation, aligned to their size, or numbers of that size. The
/// first one is not otherwise accessed meanwhile.
pub(super) type Change = unsafe fn(element: *mut u8, x: *const u8, compare: *const u8);

/// # Safety
/// See [`Change`].
unsafe fn changed<O: AtomicOp<T>, T: Elem>(element: *mut u8, x: *const u8, compare: *const u8) {
    let element: *mut T = element.cast();
    // SAFETY: as the caller says; any bytes are an element.
    unsafe { *element = O::changed(*element, *x.cast(), *compare.cast()) };
}

/// Selects the function of a form for an element type of a domain: `among!(elem, Int, [binary ops::Add])`.
macro_rules! among {
    ($elem:ident, Elem, $form:tt) => { cm_compiler::element_table!(table among { @numeric $elem $form }) };
    ($elem:ident, Numeric, $form:tt) => { cm_compiler::element_table!(table among { @numeric $elem $form }) };
    ($elem:ident, Int, $form:tt) => { cm_compiler::element_table!(table among { @int $elem $form }) };
    ($elem:ident, Single, $form:tt) => { among!(@of $elem $form F16 f16 F32 f32) };
    ($elem:ident, Dword, $form:tt) => { among!(@of $elem $form U32 u32 I32 i32) };
    (@numeric $elem:ident $form:tt integers { $($i:tt)* } floats { $($f:tt)* }) => {
        among!(@of $elem $form $($i)* $($f)*)
    };
    (@int $elem:ident $form:tt integers { $($i:tt)* } floats { $($f:tt)* }) => {
        among!(@of $elem $form $($i)*)
    };
    (@of $elem:ident $form:tt $($kind:ident $t:ident)*) => {
        match $elem {
            $(ElemType::$kind => among!(@one $form $t),)*
            _ => return None,
        }
    };
    (@one [unary $op:ident] $t:ident) => { unary::<ops::$op, $t> as Compute };
    (@one [binary $op:ident] $t:ident) => { binary::<ops::$op, $t> as Compute };
    (@one [mask $op:ident] $t:ident) => { ternary::<ops::$op, u16, $t> as Compute };
    (@one [common $op:ident] $t:ident) => { ternary::<ops::$op, $t, $t> as Compute };
    (@one [grouped $op:ident $width:literal] $t:ident) => { grouped::<ops::$op, $t, $width> as Compute };
    (@one [atomic $op:ident] $t:ident) => { changed::<ops::atomic::$op, $t> as Change };
    (@one [some] $t:ident) => { is_some::<$t> as Compute };
    (@one [converted $from:ident] $t:ident) => { converted::<$from, $t> as Compute };
    (@one [saturated $from:ident] $t:ident) => { saturated::<$from, $t> as Compute };
    (@one [from] $t:ident) => { from::<$t> };
}

macro_rules! map_table {
    (
        unary { $($(#[$doc1:meta])* $k1:ident $t1:literal ($a1:ident: $d1:ident) -> $r1:ident, $c1:ident, [$($e1:tt)*], $m1:expr;)* }
        binary { $($(#[$doc2:meta])* $k2:ident $t2:literal ($a2:ident, $b2:ident: $d2:ident) -> $r2:ident, $c2:ident, [$($e2:tt)*], $m2:expr;)* }
        ternary { $($(#[$doc3:meta])* $k3:ident $t3:literal ($a3:ident, $b3:ident, $e3:ident: $d3:ident) -> $r3:ident, $c3:ident, [$($x3:tt)*], $m3:expr;)* }
    ) => {
        /// An element-wise operation. The operands are already converted to the type of the computation; a
        /// mask to `u16`. `None` if the operation is not defined for the type.
        pub(super) fn map(kind: MapKind, elem: ElemType) -> Option<Compute> {
            Some(match kind {
                $(MapKind::$k1 => among!(elem, $d1, [unary $k1]),)*
                $(MapKind::$k2 => among!(elem, $d2, [binary $k2]),)*
                $(MapKind::$k3 => among!(elem, $d3, [$a3 $k3]),)*
            })
        }
    };
}

cm_compiler::map_operations!(map_table);

macro_rules! group_table {
    (
        binary { $($(#[$doc:meta])* $kind:ident $name:literal $width:literal
            ($a:ident, $b:ident: $domain:ident) -> $outcome:ident, $class:ident, [$($accuracy:tt)*], $meaning:expr;)* }
    ) => {
        /// An operation on groups of neighbours. The operands are already converted to the type of the
        /// computation. `None` if the operation is not defined for the type.
        pub(super) fn group(kind: GroupKind, elem: ElemType) -> Option<Compute> {
            Some(match kind {
                $(GroupKind::$kind => among!(elem, $domain, [grouped $kind $width]),)*
            })
        }
    };
}

cm_compiler::group_operations!(group_table);

macro_rules! atomic_table {
    ($(
        $(#[$doc:meta])* $kind:ident $name:literal $elements:ident ($($source:ident),*), $meaning:expr;
    )*) => {
        /// The update of an element by an atomic operation. `None` if the operation is not defined for the
        /// type.
        pub(super) fn atomic(kind: AtomicKind, elem: ElemType) -> Option<Change> {
            Some(match kind {
                $(AtomicKind::$kind => atomic_table!(@$elements elem $kind),)*
            })
        }
    };
    (@integers $elem:ident $kind:ident) => { among!($elem, Int, [atomic $kind]) };
    (@numbers $elem:ident $kind:ident) => { among!($elem, Numeric, [atomic $kind]) };
}

cm_compiler::atomic_operations!(atomic_table);

/// A conversion: Rust's `as`, or CM's `SAT`.
pub(super) fn convert(source: ElemType, to: ElemType, saturate: bool) -> Option<Compute> {
    fn from<T: Elem>(to: ElemType, saturate: bool) -> Option<Compute> {
        Some(match saturate {
            false => among!(to, Elem, [converted T]),
            true => among!(to, Elem, [saturated T]),
        })
    }
    let from = among!(source, Elem, [from]);
    from(to, saturate)
}

/// Whether elements are not zero, as bytes that are 0 or 1.
pub(super) fn some(elem: ElemType) -> Option<Compute> {
    Some(among!(elem, Elem, [some]))
}

/// The negated condition of each thread.
///
/// # Safety
/// See [`Compute`].
pub(super) unsafe fn not(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let count = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<u8>(to, count), read::<u8>(x, count)) };
    for i in 0..count {
        to[i] = x[i] ^ 1;
    }
}
