//! Places of the CPU backend: the bytes of an object, and where among them the elements lie.
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::inlined;

use crate::backend::{Region, Start};
use crate::elem::Elem;

use super::arrays::{Lanes, copy, each, flat, flat_mut, opaque, rows, zeroed};
use super::environment::{Cpu, Environment};
use super::regions;
use super::strided;
#[cfg(target_arch = "x86_64")]
use super::x86::deinterleave3;

/// A function of `strided` on words of this size, which is larger than that of `T`.
macro_rules! by_words {
    ($function:ident::<[$($e:ty)?], $t:ty>, $word:expr, $words:expr, $shift:expr, $elements:expr) => {
        if const { size_of::<$t>() < size_of::<u16>() } && $word == 2 {
            strided::$function::<$($e,)? u16, $t>($words, $shift, $elements);
        } else if const { size_of::<$t>() < size_of::<u32>() } && $word == 4 {
            strided::$function::<$($e,)? u32, $t>($words, $shift, $elements);
        } else {
            // `one_of_each_word` finds words of 2, 4 and 8 bytes only.
            strided::$function::<$($e,)? u64, $t>($words, $shift, $elements);
        }
    };
}

/// Elements inside the bytes of a register object. Offsets and strides are in bytes of one thread's object;
/// of `N` threads side by side each row of the object stands `N` times.
#[derive(Debug)]
pub struct Place<'a, const N: usize = 1> {
    bytes: &'a mut [u8],
    /// Bytes of a row of the whole object.
    row: usize,
    offset: [usize; N],
    row_stride: usize,
    column_stride: usize,
}

impl<'a, const N: usize> Place<'a, N> {
    #[inlined]
    pub(super) fn whole<T: Elem, const R: usize, const C: usize>(lanes: &'a mut Lanes<T, N, R, C>) -> Self {
        let size = T::TYPE.bytes();
        let bytes = bytemuck::cast_slice_mut(flat_mut(lanes));
        Self { bytes, row: C * size, offset: [0; N], row_stride: C * size, column_stride: size }
    }

    /// The same, for a shorter time.
    #[inlined]
    pub(super) fn again(&mut self) -> Place<'_, N> {
        Place { bytes: self.bytes, ..*self }
    }

    /// The positions where a region of the place starts, in its elements `T`.
    ///
    /// The compiler does not know where a single element is that the kernel chooses. Otherwise it computes the positions of many
    /// accesses as vectors, and takes them from these, so that addresses come late. Processors guess whether an access is to the
    /// element of the one before, and seem to guess wrong then: counters in registers took ten times as long on one of them.
    #[inlined]
    pub(super) fn positions<E: Environment, T: Elem>(&self, region: Region<Cpu<E, N>>) -> [usize; N] {
        let element = region.width == 1 && region.row_stride == 1;
        let chosen = element && matches!(region.offset, Start::Staged(_));
        let mut at = regions::positions(region.offset);
        if chosen {
            // They are inside.
            let inside = (self.bytes.len() / (N * size_of::<T>())).next_power_of_two() - 1;
            each!(n < N => {
                at[n] = opaque(at[n]) & inside;
            });
        }
        at
    }

    /// From linear positions `at` of rows of `columns` elements, with these strides of linear positions.
    #[inlined]
    pub(super) fn narrow(
        self,
        columns: usize,
        at: [usize; N],
        row_stride: usize,
        column_stride: usize,
    ) -> Self {
        let step = |n: usize| {
            let row = rows(n, columns);
            row * self.row_stride + (n - row * columns) * self.column_stride
        };
        let mut offset = self.offset;
        each!(n < N => {
            offset[n] += step(at[n]);
        });
        let rows = step(row_stride);
        Self { offset, row_stride: rows, column_stride: column_stride * self.column_stride, ..self }
    }

    /// The same bytes from the start of the place on, as rows of `columns` elements `T` without gaps.
    #[inlined]
    pub(super) fn format<T: Elem>(self, columns: usize) -> Self {
        let size = T::TYPE.bytes();
        Self { row_stride: columns * size, column_stride: size, ..self }
    }

    #[inlined]
    pub(super) fn load<E: Environment, T: Elem, const R: usize, const C: usize>(&self) -> Lanes<T, N, R, C> {
        let mut lanes: Lanes<T, N, R, C> = zeroed();
        // As in `store`.
        if const { R > 1 }
            && self.row_stride == self.row
            && self.load_deinterleaved::<E, T>(0, C, flat_mut(&mut lanes))
        {
            return lanes;
        }
        each!(r < R => {
            self.load_row::<E, T, C>(r, &mut lanes[r]);
        });
        lanes
    }

    /// Row `r` of the place, of all threads.
    #[inlined]
    fn load_row<E: Environment, T: Elem, const C: usize>(&self, r: usize, row: &mut [[T; C]; N]) {
        if let Some(start) = self.whole_rows::<T>(r, C) {
            let row = bytemuck::cast_slice_mut(flat_mut(std::array::from_mut(row)));
            copy(&self.bytes[start..start + N * self.row], row);
            return;
        }
        if self.load_deinterleaved::<E, T>(r, C, flat_mut(std::array::from_mut(row))) {
            return;
        }
        each!(n < N => {
            let row = &mut row[n];
            if let Some(start) = self.whole_run::<T>(r, n, C) {
                copy(&self.bytes[start..start + C * size_of::<T>()], bytemuck::cast_slice_mut(row));
            } else {
                for (c, x) in row.iter_mut().enumerate() {
                    let (at, x) = (c * self.column_stride, bytemuck::bytes_of_mut(x));
                    if self.divides_rows::<T>() {
                        let at = self.byte(n, r, at);
                        copy(&self.bytes[at..at + size_of::<T>()], x);
                    } else {
                        // The element goes on in the next row, and between the two are the rows of other
                        // threads.
                        for k in 0..size_of::<T>() {
                            x[k] = self.bytes[self.byte(n, r, at + k)];
                        }
                    }
                }
            }
        });
    }

    #[inlined]
    pub(super) fn store<E: Environment, T: Elem, const R: usize, const C: usize>(
        &mut self,
        lanes: &Lanes<T, N, R, C>,
    ) {
        // Neighbouring rows in one loop, which stays one until the compiler looks at loops.
        if const { R > 1 } && self.row_stride == self.row && self.store_interleaved::<E, T>(0, C, flat(lanes))
        {
            return;
        }
        each!(r < R => {
            self.store_row::<E, T, C>(r, &lanes[r]);
        });
    }

    /// Elements, as parts of one word each from byte `start` of all threads on.
    #[inlined]
    fn store_strided<T: Elem>(&mut self, start: usize, shift: usize, elements: &[T]) {
        let word = self.column_stride;
        let words = &mut self.bytes[start..start + elements.len() * word];
        by_words!(put::<[], T>, word, words, shift, elements);
    }

    /// Elements that are parts of one word each from byte `start` of all threads on.
    #[inlined]
    fn load_strided<E: Environment, T: Elem>(&self, start: usize, shift: usize, elements: &mut [T]) {
        let word = self.column_stride;
        let words = &self.bytes[start..start + elements.len() * word];
        by_words!(get::<[E], T>, word, words, shift, elements);
    }

    /// Loads elements from row `r` of the place on, `columns` in a row, of all threads, if they are one of each word of
    /// the object, or every third one and the CPU has shuffles for that.
    #[inlined]
    fn load_deinterleaved<E: Environment, T: Elem>(
        &self,
        r: usize,
        columns: usize,
        elements: &mut [T],
    ) -> bool {
        if const { size_of::<T>() < size_of::<u64>() }
            && let Some((start, shift)) = self.one_of_each_word::<T>(r, columns)
        {
            self.load_strided::<E, T>(start, shift, elements);
            return true;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = E::AVX2
            && deinterleave3::suit(elements.len(), size_of::<T>())
            && let Some((start, first)) = self.every_third::<T>(r, columns)
        {
            let threes = &self.bytes[start..start + 3 * size_of_val(elements)];
            deinterleave3::take(threes, first, elements, avx2);
            return true;
        }
        false
    }

    /// Stores elements from row `r` of the place on, `columns` in a row, of all threads, if they are one of
    /// each word of the object, or every third one and the CPU has shuffles for that.
    #[inlined]
    fn store_interleaved<E: Environment, T: Elem>(
        &mut self,
        r: usize,
        columns: usize,
        elements: &[T],
    ) -> bool {
        if const { size_of::<T>() < size_of::<u64>() }
            && let Some((start, shift)) = self.one_of_each_word::<T>(r, columns)
        {
            self.store_strided(start, shift, elements);
            return true;
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = E::AVX2
            && deinterleave3::suit(elements.len(), size_of::<T>())
            && let Some((start, first)) = self.every_third::<T>(r, columns)
        {
            let threes = &mut self.bytes[start..start + 3 * size_of_val(elements)];
            deinterleave3::put(threes, first, elements, avx2);
            return true;
        }
        false
    }

    /// Row `r` of the place, of all threads.
    #[inlined]
    fn store_row<E: Environment, T: Elem, const C: usize>(&mut self, r: usize, row: &[[T; C]; N]) {
        if let Some(start) = self.whole_rows::<T>(r, C) {
            let row = bytemuck::cast_slice(flat(std::array::from_ref(row)));
            copy(row, &mut self.bytes[start..start + N * self.row]);
            return;
        }
        if self.store_interleaved::<E, T>(r, C, flat(std::array::from_ref(row))) {
            return;
        }
        each!(n < N => {
            let row = &row[n];
            if let Some(start) = self.whole_run::<T>(r, n, C) {
                copy(bytemuck::cast_slice(row), &mut self.bytes[start..start + C * size_of::<T>()]);
            } else {
                for (c, x) in row.iter().enumerate() {
                    let (at, x) = (c * self.column_stride, bytemuck::bytes_of(x));
                    if self.divides_rows::<T>() {
                        let at = self.byte(n, r, at);
                        copy(x, &mut self.bytes[at..at + size_of::<T>()]);
                    } else {
                        for k in 0..size_of::<T>() {
                            let at = self.byte(n, r, at + k);
                            self.bytes[at] = x[k];
                        }
                    }
                }
            }
        });
    }

    /// Where byte `at` of row `r` of the place is, for thread `n`.
    #[inlined]
    fn byte(&self, n: usize, r: usize, at: usize) -> usize {
        let before = r * self.row_stride;
        let at = self.offset[n] + before % self.row + at;
        let row = rows(at, self.row);
        ((before / self.row + row) * N + n) * self.row + (at - row * self.row)
    }

    /// Whether every element is inside of a row of the object: else `format` has put some where one row ends
    /// and the next begins, and between these are the rows of other threads.
    #[inlined]
    fn divides_rows<T: Elem>(&self) -> bool {
        let aligned = |bytes: usize| bytes.is_multiple_of(size_of::<T>());
        let mut divides = aligned(self.row);
        each!(n < N => {
            divides &= aligned(self.offset[n]);
        });
        N == 1 || divides
    }

    /// Where row `r` of the place starts in the objects of all threads, if that is the same.
    #[inlined]
    fn shared(&self, r: usize) -> Option<usize> {
        let first = self.offset[0];
        let mut same = true;
        each!(n < N => {
            same &= self.offset[n] == first;
        });
        same.then(|| first + r * self.row_stride)
    }

    /// Where row `r` of the place starts, if for every thread it is a row of the object.
    #[inlined]
    fn whole_rows<T: Elem>(&self, r: usize, columns: usize) -> Option<usize> {
        let start = self.shared(r)?;
        let whole = self.column_stride == size_of::<T>() && columns * size_of::<T>() == self.row;
        (whole && start.is_multiple_of(self.row)).then(|| start * N)
    }

    /// Where the words start of which row `r` of the place is one element each, and the bytes before it in
    /// them, if for every thread they are a row of the object.
    #[inlined]
    fn one_of_each_word<T: Elem>(&self, r: usize, columns: usize) -> Option<(usize, usize)> {
        let (start, word) = (self.shared(r)?, self.column_stride);
        let shift = start % self.row;
        let whole = matches!(word, 2 | 4 | 8)
            && word > size_of::<T>()
            && columns * word == self.row
            && shift + size_of::<T>() <= word
            && shift.is_multiple_of(size_of::<T>());
        whole.then(|| ((start - shift) * N, shift))
    }

    /// Where the row of the object starts of which row `r` of the place is every third element, and which of
    /// three, if that is so for every thread.
    #[cfg(target_arch = "x86_64")]
    #[inlined]
    fn every_third<T: Elem>(&self, r: usize, columns: usize) -> Option<(usize, usize)> {
        let (start, size) = (self.shared(r)?, size_of::<T>());
        let shift = start % self.row;
        let whole = self.column_stride == 3 * size
            && columns * 3 * size == self.row
            && shift < 3 * size
            && shift.is_multiple_of(size);
        whole.then(|| ((start - shift) * N, shift / size))
    }

    /// Where row `r` of the place starts for thread `n`, if it is inside of a row of the object and has no
    /// gaps.
    #[inlined]
    fn whole_run<T: Elem>(&self, r: usize, n: usize, columns: usize) -> Option<usize> {
        let start = self.offset[n] + r * self.row_stride;
        let inside = N == 1 || start % self.row + columns * size_of::<T>() <= self.row;
        (inside && self.column_stride == size_of::<T>()).then(|| self.byte(n, r, 0))
    }
}
