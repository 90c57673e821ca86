//! Elements that are one of several in a word, as the channels of pixels are: a whole word is loaded and cut
//! off, or put together and stored.
#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what is one loop over numbers is seen as such by the compiler"
)]

use cm_macros::{__rows, inlined};

use super::arrays::{Lanes, copy, each, flat, flat_mut, rounds, zeroed};
use super::block::Blocks;
use super::concat::{self, BLOCK};
use super::environment::Environment;
use super::readable::Readable;
#[cfg(target_arch = "x86_64")]
use super::x86::{pairs, quarters};
use crate::elem::Elem;

/// Where the elements of a region are that are one of several in words of the object.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// The first row, and rows from one to the next.
    pub(super) row: usize,
    pub(super) rows: usize,
    /// Elements of a row before the first word.
    pub(super) first: usize,
    /// Which element of a word it is.
    pub(super) part: usize,
}

/// Whether `count` words that are larger than an element can be in a row of `columns` elements.
pub(super) const fn fit<W: Word, T: Elem>(count: usize, columns: usize) -> bool {
    size_of::<W>() > size_of::<T>() && count * size_of::<W>() <= columns * size_of::<T>()
}

/// Element `part` of each word from `words` on. The elements are a parameter, so that the compiler knows that
/// no word is among them. A `ROW` is a loop in any case: straight code becomes vectors with `opt-level = 3` only.
///
/// # Safety
/// There are as many words as `elements`.
#[inlined]
unsafe fn parts<E: Environment, W: Word, T: Elem, const ROW: bool>(
    words: *const T,
    part: usize,
    elements: &mut [T],
) {
    // With AVX-512 there are instructions that the compiler finds.
    #[cfg(target_arch = "x86_64")]
    if const { E::AVX2.is_some() && E::AVX512.is_none() && ROW }
        && quarters::suit_wide(elements.len(), size_of::<W>(), size_of::<T>())
        && let Some(avx2) = E::AVX2
    {
        // SAFETY: as the caller says.
        return unsafe { quarters::take_wide(words.cast(), size_of::<W>(), part, elements, avx2) };
    }
    #[cfg(target_arch = "x86_64")]
    if const { pairs::suit::<E>(size_of::<W>(), size_of::<T>()) }
        && pairs::fill(elements.len())
        && let Some(avx2) = E::AVX2
    {
        // SAFETY: as the caller says.
        return unsafe { pairs::take(words.cast(), size_of::<W>(), part, elements, avx2) };
    }
    #[cfg(target_arch = "x86_64")]
    if quarters::suit(elements.len(), size_of::<W>(), size_of::<T>()) {
        // SAFETY: as the caller says.
        return unsafe { quarters::take(words.cast(), size_of::<W>(), part, elements) };
    }
    let words = words.cast::<W>();
    for k in 0..if ROW { rounds(elements.len()) } else { elements.len() } {
        // SAFETY: as the caller says; words are plain numbers of any alignment.
        let word = unsafe { words.add(k).read_unaligned() };
        elements[k] = word.part(part);
    }
}

/// One element of each of `C2` words in a row: whole words are loaded and cut off.
#[inlined]
pub(super) fn take<
    E: Environment,
    W: Word,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    steps: Steps,
) -> Lanes<T, N, R2, C2> {
    let Steps { row, rows, first, part } = steps;
    let size = size_of::<T>();
    assert!(
        row + (R2 - 1) * rows < R && first * size + C2 * size_of::<W>() <= C * size,
        "inside of its object"
    );
    let mut lanes: Lanes<T, N, R2, C2> = zeroed();
    if rows == 1 && C2 * size_of::<W>() == C * size {
        // All words of these rows, in one loop.
        let start = flat(x)[row * N * C..].as_ptr();
        // SAFETY: the rows are the words, and `R2` of them are there by the assertion.
        unsafe { parts::<E, W, T, false>(start, part, flat_mut(&mut lanes)) };
        return lanes;
    }
    if const { C2 * size_of::<W>() == C * size_of::<T>() } {
        // All words of each row.
        for r in 0..R2 {
            let start = flat(x)[(row + r * rows) * N * C..].as_ptr();
            // SAFETY: the row is the words, by the assertion.
            unsafe { parts::<E, W, T, false>(start, part, flat_mut(std::array::from_mut(&mut lanes[r]))) };
        }
        return lanes;
    }
    for r in 0..R2 {
        for n in 0..N {
            let start = x[row + r * rows][n][first..].as_ptr();
            // SAFETY: `C2` words are in the row from its element `first` on, by the assertion.
            unsafe { parts::<E, W, T, false>(start, part, &mut lanes[r][n]) };
        }
    }
    lanes
}

/// The same of the block of each thread where it lies: of `R2` rows, `rows` rows apart, from the first byte on. `None`
/// if there is not a word for each element.
#[inlined]
pub(super) fn windowed<E: Environment, W: Word, T: Elem, const N: usize, const R2: usize, const C2: usize>(
    blocks: &Readable<Blocks<'_, N>>,
    rows: usize,
) -> Option<Lanes<T, N, R2, C2>> {
    let readable = blocks;
    let blocks = blocks.get();
    let ([width, height], size) = (blocks.window.size(), C2 * size_of::<W>());
    let (row, byte) = (blocks.rows[0], blocks.bytes[0]);
    let mut even = row + (R2 - 1) * rows < height;
    each!(n < N => {
        even &= blocks.rows[n] == row && blocks.bytes[n] == byte;
    });
    // The last word may reach beyond the end of the row: then they begin further left.
    let over = (byte + size).saturating_sub(width);
    if !even || over > byte || over >= size_of::<W>() || !over.is_multiple_of(size_of::<T>()) {
        return None;
    }
    let (start, part) = (byte - over, over / size_of::<T>());
    let mut lanes: Lanes<T, N, R2, C2> = zeroed();
    // Long rows fill vectors, wherever those of the next thread are.
    if const { (C2 * size_of::<W>()).is_multiple_of(BLOCK) } {
        __rows!(r < R2 => {
            each!(n < N => {
                let first = blocks.window.row(row + r * rows).wrapping_add(start);
                let first = first.wrapping_offset(n as isize * blocks.step);
                // SAFETY: the words of each thread are inside of a row of its block.
                unsafe { parts::<E, W, T, true>(first.cast(), part, &mut lanes[r][n]) };
            });
        });
    } else if blocks.step == size as isize {
        __rows!(r < R2 => {
            let first = blocks.window.row(row + r * rows).wrapping_add(start);
            // SAFETY: the words of each thread are inside of a row of its block, and those of the next thread follow.
            unsafe { parts::<E, W, T, true>(first.cast(), part, flat_mut(std::array::from_mut(&mut lanes[r]))) };
        });
    } else {
        // Words put together first are one loop. Of rows for themselves the compiler would load every word alone.
        let words: Lanes<W, N, R2, C2> =
            concat::windowed::<E, W, N, R2, C2>(readable.part(blocks.at_byte(start)), rows);
        // SAFETY: there are as many words as elements.
        unsafe { parts::<E, W, T, false>(flat(&words).as_ptr().cast(), part, flat_mut(&mut lanes)) };
    }
    Some(lanes)
}

/// Any elements of the block of each thread where it lies, `step` elements apart in rows that are `rows` rows apart.
///
/// # Panics
/// If they are not inside of their blocks.
#[inlined]
pub(super) fn picked<T: Elem, const N: usize, const R2: usize, const C2: usize>(
    blocks: &Readable<Blocks<'_, N>>,
    rows: usize,
    step: usize,
) -> Lanes<T, N, R2, C2> {
    let blocks = blocks.get();
    let [width, height] = blocks.window.size();
    let mut lanes: Lanes<T, N, R2, C2> = zeroed();
    for n in 0..N {
        let (row, byte) = (blocks.rows[n], blocks.bytes[n]);
        let last = byte + ((C2 - 1) * step + 1) * size_of::<T>();
        assert!(row + (R2 - 1) * rows < height && last <= width, "a region lies inside of its block");
        for r in 0..R2 {
            let first = blocks.window.row(row + r * rows).wrapping_add(byte);
            let first = first.wrapping_offset(n as isize * blocks.step).cast::<T>();
            for c in 0..C2 {
                // SAFETY: the last element of the last row is inside of the block, by the assertion; any bytes are an
                // element.
                lanes[r][n][c] = unsafe { first.wrapping_add(c * step).read_unaligned() };
            }
        }
    }
    lanes
}

/// Neighbouring elements of each thread from its element `at` on, each as often as they fit in a word.
///
/// # Panics
/// If they are not in one row.
#[inlined]
pub(super) fn repeat<
    W: Word,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    at: usize,
) -> Lanes<T, N, R2, C2> {
    let count = C2 * size_of::<T>() / size_of::<W>();
    let mut lanes: Lanes<T, N, R2, C2> = zeroed();
    let words = flat_mut(&mut lanes).as_mut_ptr().cast::<W>();
    for n in 0..N {
        let source = &x[at / C][n][at % C..at % C + count];
        for k in 0..count {
            // SAFETY: `N` rows of `C2` elements are `N * count` words, of plain numbers of any alignment.
            unsafe { words.add(n * count + k).write_unaligned(W::of_all(source[k])) };
        }
    }
    lanes
}

/// Words of elements, all elements of each the one with the number `part`.
#[inlined]
fn fill<W: Word, T: Elem>(elements: &[T], part: usize, all: &mut [T]) {
    assert!(elements.len() == all.len(), "as many elements");
    let (words, all) = (elements.as_ptr().cast::<W>(), all.as_mut_ptr().cast::<W>());
    for k in 0..size_of_val(elements) / size_of::<W>() {
        // SAFETY: there are so many words here and there, of plain numbers of any alignment.
        unsafe { all.add(k).write_unaligned(W::of_all(words.add(k).read_unaligned().part::<T>(part))) };
    }
}

/// Whether a row of `count` elements is a part of a row of words of an object with `columns` columns, or some of its rows.
pub(super) const fn are_rows_of_words<W, T>(count: usize, columns: usize) -> bool {
    let each = size_of::<W>() / size_of::<T>();
    each > 1
        && count.is_multiple_of(each)
        && columns.is_multiple_of(each)
        && (count <= columns || count.is_multiple_of(columns))
}

/// The words of each thread from element `at` on, of which `at` is one, all elements of each the one that `at` is of the first.
/// `None` if they are not a part of a row or whole rows.
#[inlined]
pub(super) fn filled<
    W: Word,
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    at: usize,
) -> Option<Lanes<T, N, R2, C2>> {
    const { assert!(R2 == 1 && are_rows_of_words::<W, T>(C2, C)) };
    let each = const { size_of::<W>() / size_of::<T>() };
    let (part, row, column) = (at % each, at / C, at % C / each * each);
    let (rows, columns) = if C2 <= C { (1, C2) } else { (C2 / C, C) };
    if column + columns > C || row + rows > R {
        return None;
    }
    let mut lanes: Lanes<T, N, R2, C2> = zeroed();
    if rows == 1 {
        for n in 0..N {
            fill::<W, T>(&x[row][n][column..column + columns], part, &mut lanes[0][n]);
        }
        return Some(lanes);
    }
    // All rows of all threads in one loop: of rows by rows the compiler would gather words with the same place in all rows.
    let mut filled: Lanes<T, N, R2, C2> = zeroed();
    fill::<W, T>(&flat(x)[row * N * C..][..rows * N * C], part, flat_mut(&mut filled));
    if N == 1 {
        return Some(filled);
    }
    let size = const { C * size_of::<T>() };
    let (from, to) = (bytemuck::cast_slice(flat(&filled)), bytemuck::cast_slice_mut(flat_mut(&mut lanes)));
    for r in 0..rows {
        for n in 0..N {
            copy(&from[(r * N + n) * size..][..size], &mut to[(n * rows + r) * size..][..size]);
        }
    }
    Some(lanes)
}

/// One element of each word of `words`, from byte `shift` of it on; `elements` has as many.
///
/// # Panics
/// If there are not as many words as elements.
#[inlined]
pub(super) fn get<E: Environment, W: Word, T: Elem>(words: &[u8], shift: usize, elements: &mut [T]) {
    assert!(words.len() == elements.len() * size_of::<W>(), "a word for each element");
    // SAFETY: there are as many words as elements, by the assertion, and they have any alignment.
    unsafe { parts::<E, W, T, false>(words.as_ptr().cast(), shift / size_of::<T>(), elements) };
}

/// Changes one element of each word of `words`, byte `shift` of it; `elements` has as many.
///
/// # Panics
/// If there are not as many words as elements.
#[inlined]
pub(super) fn put<W: Word, T: Elem>(words: &mut [u8], shift: usize, elements: &[T]) {
    assert!(words.len() == elements.len() * size_of::<W>(), "a word for each element");
    let words = words.as_mut_ptr().cast::<W>();
    for k in 0..elements.len() {
        // SAFETY: word `k` is there by the assertion, for plain numbers of any alignment.
        unsafe {
            let word = words.add(k);
            word.write_unaligned(word.read_unaligned().with_part(shift, elements[k]));
        }
    }
}

/// Puts rows of `from` bytes into rows of `to`, those of two threads side by side in turn, and says whether
/// it has: where the rows of a pair are the halves of a word, before or after.
#[inlined]
pub(super) fn turn(source: &[u8], from: usize, target: &mut [u8], to: usize) -> bool {
    if source.len() != target.len() {
        return false;
    }
    match (from, to) {
        (1, _) => untwine::<u16, u8>(source, target, to),
        (2, _) if to.is_multiple_of(2) => untwine::<u32, u16>(source, target, to),
        (4, _) if to.is_multiple_of(4) => untwine::<u64, u32>(source, target, to),
        (_, 1) => twine::<u16, u8>(source, target, from),
        (_, 2) if from.is_multiple_of(2) => twine::<u32, u16>(source, target, from),
        (_, 4) if from.is_multiple_of(4) => twine::<u64, u32>(source, target, from),
        _ => return false,
    }
    true
}

/// Rows of `row` bytes, of two threads in turn, of the halves of words.
#[inlined]
fn untwine<W: Word, H: Elem>(words: &[u8], rows: &mut [u8], row: usize) {
    let halves = row / size_of::<H>();
    // Not by iterators over both: the compiler does not inline what makes these.
    for pair in 0..rows.len() / (2 * row) {
        let (words, rows) = (&words[pair * 2 * row..][..2 * row], &mut rows[pair * 2 * row..][..2 * row]);
        for half in 0..2 {
            for k in 0..halves {
                let word: W = bytemuck::pod_read_unaligned(&words[k * size_of::<W>()..][..size_of::<W>()]);
                let at = half * row + k * size_of::<H>();
                copy(bytemuck::bytes_of(&word.part::<H>(half)), &mut rows[at..at + size_of::<H>()]);
            }
        }
    }
}

/// The halves of words, of rows of `row` bytes of two threads in turn.
#[inlined]
fn twine<W: Word, H: Elem>(rows: &[u8], words: &mut [u8], row: usize) {
    let halves = row / size_of::<H>();
    for pair in 0..rows.len() / (2 * row) {
        let (rows, words) = (&rows[pair * 2 * row..][..2 * row], &mut words[pair * 2 * row..][..2 * row]);
        for k in 0..halves {
            let half = |at: usize| -> H { bytemuck::pod_read_unaligned(&rows[at..at + size_of::<H>()]) };
            let word = W::from_part(half(k * size_of::<H>()))
                .with_part(size_of::<H>(), half(row + k * size_of::<H>()));
            copy(bytemuck::bytes_of(&word), &mut words[k * size_of::<W>()..][..size_of::<W>()]);
        }
    }
}

/// Several elements as one number.
pub(super) trait Word: Elem {
    /// Element `part`.
    fn part<T: Elem>(self, part: usize) -> T;
    /// With an element from byte `shift` on.
    fn with_part<T: Elem>(self, shift: usize, element: T) -> Self;
    /// An element, and zeros.
    fn from_part<T: Elem>(element: T) -> Self;
    /// An element, as often as it fits.
    fn of_all<T: Elem>(element: T) -> Self;
}

macro_rules! words {
    ($($word:ident)*) => {$(
        impl Word for $word {
            #[inlined]
            fn part<T: Elem>(self, part: usize) -> T {
                // In the order of memory, whatever that of the machine's numbers is.
                let shifted = self.to_le() >> (8 * size_of::<T>() * part);
                bytemuck::pod_read_unaligned(&shifted.to_le_bytes()[..size_of::<T>()])
            }

            #[inlined]
            fn with_part<T: Elem>(self, shift: usize, element: T) -> Self {
                let mask = ($word::MAX >> (8 * (size_of::<Self>() - size_of::<T>()))) << (8 * shift);
                let part = Self::from_part(element).to_le() << (8 * shift);
                $word::from_le(self.to_le() & !mask | part)
            }

            #[inlined]
            fn from_part<T: Elem>(element: T) -> Self {
                let mut bytes = [0; size_of::<$word>()];
                bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&element));
                $word::from_ne_bytes(bytes)
            }

            #[inlined]
            fn of_all<T: Elem>(element: T) -> Self {
                // The quotient has the lowest bit of each element.
                let ones = $word::MAX / ($word::MAX >> (8 * (size_of::<Self>() - size_of::<T>())));
                $word::from_le(Self::from_part(element).to_le().wrapping_mul(ones))
            }
        }
    )*};
}

words! { u16 u32 u64 }

#[cfg(test)]
mod tests {
    use super::*;

    /// Element `k` of thread `n`.
    fn element(n: usize, k: usize) -> u8 {
        (n * 101 + k * 7) as u8
    }

    /// `C2` elements from `at` on of 4 rows of 16 columns, in words of two threads.
    fn check<W: Word, const C2: usize>(at: usize) {
        let mut x = [[[0_u8; 16]; 2]; 4];
        for (k, place) in (0..2).flat_map(|n| (0..64).map(move |k| (k, n))) {
            x[k / 16][place][k % 16] = element(place, k);
        }
        let each = size_of::<W>();
        let inside = at % 16 / each * each + C2.min(16) <= 16 && at / 16 + C2.div_ceil(16) <= 4;
        let found = filled::<W, u8, 2, 4, 16, 1, C2>(&x, at);
        assert_eq!(found.is_some(), inside, "{C2} from {at}");
        let expected = |n: usize, k: usize| element(n, at + k / each * each);
        for (n, row) in found.iter().flat_map(|found| found[0].iter().enumerate()) {
            let expected: Vec<u8> = (0..C2).map(|k| expected(n, k)).collect();
            assert_eq!(row[..], expected[..], "{C2} of thread {n} from {at}");
        }
    }

    #[test]
    fn words_are_filled_with_one_of_their_elements() {
        for at in 0..64 {
            check::<u16, 8>(at);
            check::<u32, 8>(at);
            check::<u64, 16>(at);
            check::<u32, 32>(at);
            check::<u64, 64>(at);
            check::<u32, 64>(at);
        }
    }
}
