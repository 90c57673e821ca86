//! Blocks that are read from surfaces and buffers.
//!
//! Those of threads side by side mostly lie in the same rows, one step to the right of the other, and often
//! over each other. They are looked for once, together, as one window and a step, which is the same in a
//! copy; what is read of them is then often one run of bytes for all threads. Others, which lie apart, are
//! looked for one by one.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::inlined;

use super::arrays::{Lanes, each, flat};
use super::checked_buffer::{BufferAccess, CheckedBytes, CheckedRanges};
use super::checked_surface::{BlockRows, CheckedBlocks, SurfaceAccess};
use super::environment::Environment;
use super::readable::Readable;
use super::window::{self, MOST_SIDE_BY_SIDE, Scratch, Window};
use crate::elem::Elem;

/// The blocks of `N` threads, where they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks<'a, const N: usize> {
    /// The rows of the first.
    pub(super) window: Window<'a>,
    /// Bytes from the block of a thread to that of the next one, wherever they lie.
    pub(super) step: isize,
    /// The first row of each thread's part of its block.
    pub(super) rows: [usize; N],
    /// The first byte of the rows of each thread's part.
    pub(super) bytes: [usize; N],
}

impl<'a, const N: usize> Blocks<'a, N> {
    #[inlined]
    fn new(window: Window<'a>, step: isize) -> Self {
        Self { window, step, rows: [0; N], bytes: [0; N] }
    }

    /// The same rows from byte `start` of each block on.
    #[inlined]
    pub(super) fn at_byte(&self, start: usize) -> Self {
        Self { bytes: [start; N], ..*self }
    }

    /// Whether the blocks have the first `size` bytes of these parts in `count` rows, `rows` rows apart.
    #[inlined]
    pub(super) fn contain(&self, count: usize, rows: usize, size: usize) -> bool {
        let [width, height] = self.window.size();
        let last = count.saturating_sub(1).checked_mul(rows);
        let mut inside = true;
        each!(n < N => {
            inside &= last.and_then(|last| last.checked_add(self.rows[n])).is_some_and(|last| last < height);
            inside &= self.bytes[n].checked_add(size).is_some_and(|end| end <= width);
        });
        inside
    }
}

/// The positions of the blocks of the threads.
#[inlined]
pub(super) fn positions<const N: usize>([x]: Lanes<i32, N, 1, 1>, [y]: Lanes<i32, N, 1, 1>) -> [[i32; 2]; N] {
    let mut positions = [[0; 2]; N];
    each!(n < N => {
        positions[n] = [x[n][0], y[n][0]];
    });
    positions
}

/// A block for each thread, where they are or, if one of them is not inside of the surface, in `scratch`. So are blocks that
/// are kept, if somebody may write the surface before they are read.
#[inlined]
pub(super) fn find<
    'a,
    E: Environment,
    T: Elem,
    const KEPT: bool,
    const N: usize,
    const R: usize,
    const C: usize,
>(
    surface: &'a E::Surface,
    x: Lanes<i32, N, 1, 1>,
    y: Lanes<i32, N, 1, 1>,
    scratch: &'a mut Scratch,
) -> Readable<Blocks<'a, N>> {
    // `scratch` has room for the blocks of so many threads.
    const { assert!(N <= MOST_SIDE_BY_SIDE) };
    let width = C * size_of::<T>();
    let blocks = CheckedBlocks::to_read(surface, positions(x, y), width, R);
    let found = if let Some((all, step)) = blocks.joined() {
        // Blocks are as far apart in `scratch`, so that what follows is the same code.
        Blocks::new(all.window::<KEPT>(scratch).part(width, R), step as isize)
    } else if let Some(found) = inside::<KEPT, _, N>(&blocks, width) {
        found
    } else {
        Blocks::new(blocks.copied(scratch).part(width, R), width as isize)
    };
    Readable::checked(found)
}

/// A block of `width` bytes for each thread, from these bytes of a buffer on, where they are or, if one of them is not
/// inside of the buffer, or somebody may write it, in `scratch`. It is read by messages of `message` bytes, and the rest
/// by those of half as many, and so on: each starts where the one before ends, even where 32 bits end.
#[inlined]
pub(super) fn find_linear<'a, M: BufferAccess + Copy, const N: usize>(
    memory: &'a M,
    starts: [u32; N],
    width: usize,
    message: usize,
    scratch: &'a mut Scratch,
) -> Readable<Blocks<'a, N>> {
    const { assert!(N <= MOST_SIDE_BY_SIDE) };
    let mut ends = true;
    each!(n < N => {
        ends &= u64::from(starts[n]) + width as u64 <= u64::from(u32::MAX);
    });
    // Of the offsets, because the compiler often knows their difference; of addresses it does not.
    let step = if N > 1 { starts[1].wrapping_sub(starts[0]) as i32 as isize } else { width as isize };
    let there = ends && memory.is_constant();
    let found = if there { CheckedRanges::to_read(memory, starts, width).inside() } else { None };
    Readable::checked(match found.and_then(|windows| spaced(windows, step)) {
        Some(found) => found,
        None => Blocks::new(copy(*memory, starts, [width, message], scratch).part(width, 1), width as isize),
    })
}

/// Copies of blocks of a buffer, one beside the other. The buffer is passed by value, as in `checked_surface`.
#[cold]
#[inline(never)]
fn copy<M: BufferAccess, const N: usize>(
    memory: M,
    starts: [u32; N],
    [width, message]: [usize; 2],
    scratch: &mut Scratch,
) -> Window<'_> {
    let bytes = window::zeroed(scratch, N * width);
    for n in 0..N {
        let (mut at, mut size) = (0, message);
        while at < width {
            while size > width - at {
                size /= 2;
            }
            let piece = CheckedBytes::to_read(&memory, n, starts[n].wrapping_add(at as u32), size);
            M::read_any(&piece, &mut bytes[n * width + at..][..size]);
            at += size;
        }
    }
    Window::new(bytes, N * width, 1)
}

/// The blocks where they are, if all are inside of the surface, and each as far from the one before.
#[inlined]
fn inside<'a, const KEPT: bool, S: SurfaceAccess, const N: usize>(
    blocks: &CheckedBlocks<&'a S, N>,
    width: usize,
) -> Option<Blocks<'a, N>> {
    let windows = blocks.inside::<KEPT>()?;
    spaced(windows, if N > 1 { windows[0].bytes_to(&windows[1]) } else { width as isize })
}

/// The blocks, if each is `step` bytes from the one before. A thread alone has no neighbour; with its own width as the step
/// its rows are taken in one run.
#[inlined]
fn spaced<const N: usize>(windows: [Window<'_>; N], step: isize) -> Option<Blocks<'_, N>> {
    let first = windows[0];
    let mut even = true;
    each!(n < N => {
        even &= first.bytes_to(&windows[n]) == n as isize * step;
    });
    even.then(|| Blocks::new(first, step))
}

/// Writes the block of each thread.
#[inlined]
pub(super) fn write<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    surface: &mut E::Surface,
    x: Lanes<i32, N, 1, 1>,
    y: Lanes<i32, N, 1, 1>,
    block: &Lanes<T, N, R, C>,
) {
    let width = C * size_of::<T>();
    let mut blocks = CheckedBlocks::to_write(surface, positions(x, y), width, R);
    let from = |n: usize| BlockRows {
        block: bytemuck::cast_slice(flat(block)),
        offset: n * width,
        pitch: N * width,
    };
    if N > 1
        && let Some(mut all) = blocks.adjacent_mut()
    {
        E::Surface::write_block(&mut all, from(0));
        return;
    }
    // The first thread apart, so that a loop over two is none: offsets are constants.
    E::Surface::write_block(&mut blocks.block_mut(0), from(0));
    for n in 1..N {
        E::Surface::write_block(&mut blocks.block_mut(n), from(n));
    }
}

#[cfg(test)]
mod tests {
    use super::super::concat;
    use super::super::environment::Detached;
    use super::super::readable::Memory;
    use super::*;

    /// The bytes 0, 1, 2, .., 255, and 0 outside.
    #[derive(Clone, Copy, Debug)]
    struct Counting {
        constant: bool,
    }

    static BYTES: [u8; 256] = {
        let mut bytes = [0; 256];
        let mut k = 0;
        while k < 256 {
            bytes[k] = k as u8;
            k += 1;
        }
        bytes
    };

    impl Memory for Counting {
        type Kept = ();

        fn kept(&self) {}

        fn is_constant(&self) -> bool {
            self.constant
        }
    }

    impl BufferAccess for Counting {
        fn check<const N: usize>(&self, _: usize, _: [u32; N], _: usize, _: bool) {}

        fn check_elements<S: Iterator<Item = (usize, u32)>>(&self, _: impl FnOnce() -> S, _: usize, _: bool) {
        }

        fn inside<'a>(from: &CheckedBytes<&'a Self>) -> Option<Window<'a>> {
            let start = from.offset() as usize;
            let bytes = BYTES.get(start..start + from.len())?;
            Some(Window::new(bytes, from.len(), 1))
        }

        fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
            for (at, byte) in (u64::from(from.offset())..).zip(bytes) {
                *byte = usize::try_from(at).ok().and_then(|at| BYTES.get(at)).copied().unwrap_or(0);
            }
        }

        fn write(_: &mut CheckedBytes<&mut Self>, _: &[u8]) {
            unreachable!("it is only read")
        }
    }

    /// The bytes of the block of each thread, and whether they are where they were.
    fn found<const N: usize>(constant: bool, starts: [u32; N], message: usize) -> (Vec<[u8; 48]>, bool) {
        let (memory, mut scratch) = (Counting { constant }, Scratch::uninit());
        let blocks = find_linear(&memory, starts, 48, message, &mut scratch);
        let in_place = BYTES.as_ptr_range().contains(&blocks.get().window.row(0));
        let [threads] = concat::windowed::<Detached, u8, N, 1, 48>(blocks, 1);
        (threads.to_vec(), in_place)
    }

    #[test]
    fn blocks_of_buffers_side_by_side() {
        let before = |bytes: u32| 0_u32.wrapping_sub(bytes);
        for (starts, there) in [
            ([0, 48, 96, 144], true),
            ([16, 32, 48, 64], true),
            ([208, 144, 80, 16], true),
            ([32; 4], true),
            // Unevenly spaced, across the end, outside, and before the start.
            ([0, 48, 112, 144], false),
            ([64, 128, 192, 256], false),
            ([1 << 20, 1 << 21, 1 << 31, 64], false),
            ([before(16), 0, 16, 32], false),
            ([before(32), before(16), 0, before(64)], false),
        ] {
            for messages in [&[48][..], &[32, 16], &[16, 16, 16]] {
                let block = |start: u32| -> [u8; 48] {
                    let (mut bytes, mut at) = ([0; 48], 0);
                    for &message in messages {
                        // 32 bits may end between two messages.
                        let first = u64::from(start.wrapping_add(at as u32));
                        for k in 0..message {
                            bytes[at + k] = u8::try_from(first + k as u64).unwrap_or(0);
                        }
                        at += message;
                    }
                    bytes
                };
                let expected = starts.map(block).to_vec();
                let case = format!("{starts:?} by {messages:?}");
                assert_eq!(found(true, starts, messages[0]), (expected.clone(), there), "{case}");
                assert_eq!(found(false, starts, messages[0]), (expected.clone(), false), "{case}");
                let (pair, _) = found(true, [starts[0], starts[1]], messages[0]);
                assert_eq!(pair, expected[..2], "{case}");
            }
        }
    }
}
