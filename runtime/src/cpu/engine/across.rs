//! Operations that move elements between positions of a register.

use cm_compiler::limits::{DPAS_DEPTH, MASK_BITS};
use cm_compiler::ops::Precision;
use cm_dsl::elem::{Arith, Elem, bf16, f16, tf32};
use cm_dsl::ops::{Factor, S4, U4};

use super::elements::{Compute, Extent, read, write};

/// Every element of the result is the first element of the operand.
///
/// # Safety
/// See [`Compute`].
unsafe fn splat<T: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let Extent { count, threads, .. } = extent;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<T>(to, count * threads), read::<T>(x, threads)) };
    if threads == 1 {
        to.fill(x[0]);
    } else {
        to.chunks_exact_mut(threads).for_each(|row| row.copy_from_slice(x));
    }
}

/// Copies the elements.
///
/// # Safety
/// See [`Compute`].
unsafe fn copy<T: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let all = extent.count * extent.threads;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<T>(to, all), read::<T>(x, all)) };
    to.copy_from_slice(x);
}

/// Stores the elements of the second operand where the byte in the first operand is not 0; the other elements
/// keep their values.
///
/// # Safety
/// See [`Compute`].
unsafe fn store<T: Elem>(to: *mut u8, [mask, x, _]: [*const u8; 3], extent: Extent) {
    let Extent { count, threads, .. } = extent;
    let all = count * threads;
    // SAFETY: as the caller says.
    let (to, mask, x) = unsafe { (write::<T>(to, all), read::<u8>(mask, all), read::<T>(x, all)) };
    let mut i = 0;
    while i < all {
        if mask[i] != 0 {
            to[i] = x[i];
        }
        i += 1;
    }
}

/// For each index in the second operand, the element of the first operand with this index. Indices are
/// limited to the last element. `other` is the length of the first operand.
///
/// # Safety
/// See [`Compute`].
unsafe fn select<T: Elem>(to: *mut u8, [x, index, _]: [*const u8; 3], extent: Extent) {
    let Extent { count, other, threads } = extent;
    let all = count * threads;
    // SAFETY: as the caller says.
    let (to, x, index) =
        unsafe { (write::<T>(to, all), read::<T>(x, other * threads), read::<u32>(index, all)) };
    let last = other as u32 - 1;
    for k in 0..count {
        for thread in 0..threads {
            let at = k * threads + thread;
            to[at] = x[index[at].min(last) as usize * threads + thread];
        }
    }
}

/// The bytes of elements, as shorter elements.
///
/// # Safety
/// See [`Compute`].
unsafe fn split<T: Elem, U: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let Extent { count, threads, .. } = extent;
    let parts = size_of::<T>() / size_of::<U>();
    // SAFETY: as the caller says; the operand has the bytes of the result.
    let (to, x) = unsafe { (write::<U>(to, count * threads), read::<T>(x, count.div_ceil(parts) * threads)) };
    for k in 0..count {
        for thread in 0..threads {
            let from: &[U] = bytemuck::cast_slice(std::slice::from_ref(&x[k / parts * threads + thread]));
            to[k * threads + thread] = from[k % parts];
        }
    }
}

/// The bytes of elements, as longer elements.
///
/// # Safety
/// See [`Compute`].
unsafe fn join<T: Elem, U: Elem>(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let Extent { count, threads, .. } = extent;
    let parts = size_of::<U>() / size_of::<T>();
    // SAFETY: as the caller says; the operand has the bytes of the result.
    let (to, x) = unsafe { (write::<U>(to, count * threads), read::<T>(x, count * parts * threads)) };
    for k in 0..count {
        for thread in 0..threads {
            let to = std::slice::from_mut(&mut to[k * threads + thread]);
            for (part, to) in bytemuck::cast_slice_mut::<U, T>(to).iter_mut().enumerate() {
                *to = x[(k * parts + part) * threads + thread];
            }
        }
    }
}

/// Packs the lowest bits of the first elements into a `u32`. The elements are bytes. `other` is the length of
/// the operand.
///
/// # Safety
/// See [`Compute`].
pub(super) unsafe fn pack_mask(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let Extent { other, threads, .. } = extent;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<u32>(to, threads), read::<u8>(x, other * threads)) };
    to.fill(0);
    for (k, row) in x.chunks_exact(threads).take(MASK_BITS).enumerate() {
        for (to, x) in to.iter_mut().zip(row) {
            *to |= u32::from(x & 1) << k;
        }
    }
}

/// Unpacks the bits of a `u32` to words; 0 from element 32 on.
///
/// # Safety
/// See [`Compute`].
pub(super) unsafe fn unpack_mask(to: *mut u8, [x, ..]: [*const u8; 3], extent: Extent) {
    let Extent { count, threads, .. } = extent;
    // SAFETY: as the caller says.
    let (to, x) = unsafe { (write::<u16>(to, count * threads), read::<u32>(x, threads)) };
    for (k, row) in to.chunks_exact_mut(threads).enumerate() {
        for (to, x) in row.iter_mut().zip(x) {
            *to = if k < MASK_BITS { (x >> k & 1) as u16 } else { 0 };
        }
    }
}

/// Adds the products of rows and columns to sums, in the order of the factors. `other` is the number of
/// columns of the result.
///
/// # Safety
/// See [`Compute`].
unsafe fn dpas<P, Q>(to: *mut u8, [sums, columns, rows]: [*const u8; 3], extent: Extent)
where
    P: Factor,
    Q: Factor<Sum = P::Sum>,
{
    let Extent { count, other: width, threads } = extent;
    let all = count * threads;
    // SAFETY: as the caller says; the operands have the shapes that the operation asks for.
    let (to, sums, columns, rows) = unsafe {
        (
            write::<P::Sum>(to, all),
            read::<P::Sum>(sums, all),
            read::<u32>(columns, DPAS_DEPTH * width * threads),
            read::<u32>(rows, count / width * DPAS_DEPTH * threads),
        )
    };
    for n in 0..count {
        for thread in 0..threads {
            let mut sum = sums[n * threads + thread];
            for step in 0..DPAS_DEPTH {
                let column = columns[(step * width + n % width) * threads + thread];
                let row = rows[(n / width * DPAS_DEPTH + step) * threads + thread];
                for place in 0..P::PRECISION.per_dword() {
                    sum = Arith::add(sum, Arith::mul(Q::of(row, place), P::of(column, place)));
                }
            }
            to[n * threads + thread] = sum;
        }
    }
}

/// Selects the function for unsigned integers of a size. These represent all elements that are only moved.
macro_rules! by_size {
    ($size:expr, $function:ident $(, $first:ty)?) => {
        match $size {
            1 => $function::<$($first,)? u8> as Compute,
            2 => $function::<$($first,)? u16> as Compute,
            4 => $function::<$($first,)? u32> as Compute,
            _ => $function::<$($first,)? u64> as Compute,
        }
    };
}

/// [`splat`] of elements of this size in bytes.
pub(super) fn splatted(size: usize) -> Compute {
    by_size!(size, splat)
}

/// [`copy`] of elements of this size in bytes.
pub(super) fn copied(size: usize) -> Compute {
    by_size!(size, copy)
}

/// [`store`] of elements of this size in bytes.
pub(super) fn stored(size: usize) -> Compute {
    by_size!(size, store)
}

/// [`select`] of elements of this size in bytes.
pub(super) fn selected(size: usize) -> Compute {
    by_size!(size, select)
}

/// Reads elements of `from` bytes as elements of `to` bytes. `None` if both sizes are equal.
pub(super) fn formatted(from: usize, to: usize) -> Option<Compute> {
    Some(match (from, to) {
        (2, 1) => split::<u16, u8> as Compute,
        (4, 1 | 2) => by_size!(to, split, u32),
        (8, 1 | 2 | 4) => by_size!(to, split, u64),
        (1, 2 | 4 | 8) => by_size!(to, join, u8),
        (2, 4 | 8) => by_size!(to, join, u16),
        (4, 8) => join::<u32, u64> as Compute,
        _ => return None,
    })
}

/// The matrix product for these factor types, columns first. `None` if they cannot be combined.
pub(super) fn product(columns: Precision, rows: Precision) -> Option<Compute> {
    macro_rules! pairs {
        ($($kind:ident $factor:ty: $($with:ident $other:ty),*;)*) => {
            match (columns, rows) {
                $($((Precision::$kind, Precision::$with) => dpas::<$factor, $other> as Compute,)*)*
                _ => return None,
            }
        };
    }
    Some(pairs! {
        U4 U4: U4 U4, S4 S4;
        S4 S4: U4 U4, S4 S4;
        U8 u8: U8 u8, S8 i8;
        S8 i8: U8 u8, S8 i8;
        Bf bf16: Bf bf16;
        Hf f16: Hf f16;
        Tf32 tf32: Tf32 tf32;
    })
}
