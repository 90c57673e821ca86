//! A stack slot for the results of trees that have a name, and of which regions are used. They are written where they are read:
//! the compiler would keep them at one place, and copy them to another, because registers are values.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use cm_macros::inlined;

use super::arrays::{Aligned, Lanes};
use super::block::Blocks;
use super::in_place::InPlace;
use super::readable::Readable;
use super::window::Window;
use crate::elem::Elem;

/// A stack slot for registers.
#[derive(Debug)]
#[repr(transparent)]
pub struct StackSlot<T, const N: usize, const R: usize, const C: usize>(Aligned<Lanes<T, N, R, C>>);

/// The elements, to be written.
#[inlined]
pub(super) fn elements<T: Elem, const N: usize, const R: usize, const C: usize>(
    slot: &mut MaybeUninit<StackSlot<T, N, R, C>>,
) -> &mut MaybeUninit<Lanes<T, N, R, C>> {
    // SAFETY: a stack slot starts with its elements, because `StackSlot` is transparent and `Aligned` has the layout of C. They may be
    // uninitialised in both.
    unsafe { &mut *std::ptr::from_mut(slot).cast() }
}

/// The rows, as a block of memory; so many columns from a thread's row to that of the next one.
///
/// # Safety
/// `step` is at most `C`, and the first `(N - 1) * step + C` elements of each row of all threads have been written.
#[inlined]
pub(super) unsafe fn rows<T: Elem, const N: usize, const R: usize, const C: usize>(
    slot: &mut MaybeUninit<StackSlot<T, N, R, C>>,
    step: usize,
) -> InPlace<'_, (), N> {
    let (size, pitch) = (const { C * size_of::<T>() }, const { N * C * size_of::<T>() });
    // SAFETY: the rows are in the stack slot, which is borrowed as long as the window, and not written meanwhile.
    let window = unsafe { Window::from_raw(slot.as_ptr().cast(), pitch, size, R) };
    let step = (step * size_of::<T>()) as isize;
    InPlace::new((), Readable::checked(Blocks { window, step, rows: [0; N], bytes: [0; N] }))
}
