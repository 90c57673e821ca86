//! Moves elements between registers and memory. In memory, the elements of a thread are contiguous; in
//! registers, an element of all threads is. So a move is a transposition.
//!
//! Matrices are moved in squares: 8 bytes by as many rows as 8 bytes have elements. Both sides have space for
//! whole squares.

/// A matrix of elements: the words that it starts with, and the bytes from one row to the next, a multiple of
/// 8.
#[derive(Debug)]
pub(super) struct Rows<T> {
    pub(super) words: T,
    pub(super) pitch: usize,
}

impl<T: AsRef<[u64]>> Rows<T> {
    /// Whether the words have space for this many rows of this many bytes.
    fn have(&self, rows: usize, bytes: usize) -> bool {
        let all = size_of_val(self.words.as_ref());
        rows == 0 || self.pitch.is_multiple_of(8) && (rows - 1) * self.pitch + bytes <= all
    }
}

/// Writes the transpose of a matrix of `rows` x `columns` elements of `size` bytes.
///
/// # Panics
/// If one side has no space for whole squares.
pub(super) fn transpose(
    source: &Rows<&[u64]>,
    target: &mut Rows<&mut [u64]>,
    [rows, columns]: [usize; 2],
    size: usize,
) {
    let side = 8 / size;
    let (down, across) = (rows.div_ceil(side), columns.div_ceil(side));
    let fits = source.have(down * side, across * 8)
        && Rows { words: &*target.words, pitch: target.pitch }.have(across * side, down * 8);
    assert!(fits, "there is room for whole squares");
    let (mut from, mut to) = (source.words.as_ptr(), target.words.as_mut_ptr());
    for _ in 0..down {
        // SAFETY: by the assertion, both sides have this many squares; they do not overlap.
        unsafe { squares(from, source.pitch, to, target.pitch, across, size) };
        (from, to) = (from.wrapping_byte_add(side * source.pitch), to.wrapping_add(1));
    }
}

/// Transposes `count` squares: they are side by side in the source, and one below the other in the result.
///
/// # Safety
/// Both sides have this many squares, and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn squares(from: *const u64, pitch: usize, to: *mut u64, to_pitch: usize, count: usize, size: usize) {
    let side = 8 / size;
    for square in 0..count {
        for n in 0..side * side {
            let (row, column) = (n / side, n % side);
            // SAFETY: this is an element of the square, on both sides.
            unsafe {
                let from = from.byte_add(square * 8 + row * pitch + column * size).cast::<u8>();
                let to = to.byte_add((square * side + column) * to_pitch + row * size).cast::<u8>();
                from.copy_to_nonoverlapping(to, size);
            }
        }
    }
}

/// Transposes `count` squares: they are side by side in the source, and one below the other in the result.
/// This is assembly for the reason given in `vectors`.
///
/// # Safety
/// Both sides have this many squares, and do not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn squares(from: *const u64, pitch: usize, to: *mut u64, to_pitch: usize, count: usize, size: usize) {
    use std::arch::asm;

    if count == 0 {
        return;
    }
    /// A loop over squares. `from4` and `to4` point to the fifth rows; `pitch3` and `to_pitch3` are three
    /// times the pitches.
    macro_rules! each_square {
        ($($line:literal)*) => {
            asm!(
                "2:",
                $($line,)*
                "add {from}, 8",
                "add {from4}, 8",
                "dec {count}",
                "jnz 2b",
                "/* {pitch} {pitch3} {to4} {to_pitch3} */",
                from = inout(reg) from => _,
                from4 = inout(reg) from.wrapping_byte_add(4 * pitch) => _,
                pitch = in(reg) pitch,
                pitch3 = in(reg) 3 * pitch,
                to = inout(reg) to => _,
                to4 = inout(reg) to.wrapping_byte_add(4 * to_pitch) => _,
                to_pitch = in(reg) to_pitch,
                to_pitch3 = in(reg) 3 * to_pitch,
                count = inout(reg) count => _,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                options(nostack),
            )
        };
    }
    // SAFETY: each iteration loads 8 bytes from each row of a square, and stores 8 bytes to as many rows.
    unsafe {
        match size {
            1 => each_square! {
                "movq xmm0, [{from}]" "movq xmm1, [{from} + {pitch}]"
                "movq xmm2, [{from} + 2 * {pitch}]" "movq xmm3, [{from} + {pitch3}]"
                "movq xmm4, [{from4}]" "movq xmm5, [{from4} + {pitch}]"
                "movq xmm6, [{from4} + 2 * {pitch}]" "movq xmm7, [{from4} + {pitch3}]"
                "punpcklbw xmm0, xmm1" "punpcklbw xmm2, xmm3" "punpcklbw xmm4, xmm5" "punpcklbw xmm6, xmm7"
                "movdqa xmm1, xmm0" "punpcklwd xmm0, xmm2" "punpckhwd xmm1, xmm2"
                "movdqa xmm5, xmm4" "punpcklwd xmm4, xmm6" "punpckhwd xmm5, xmm6"
                "movdqa xmm2, xmm0" "punpckldq xmm0, xmm4" "punpckhdq xmm2, xmm4"
                "movdqa xmm3, xmm1" "punpckldq xmm1, xmm5" "punpckhdq xmm3, xmm5"
                "movq [{to}], xmm0" "movhps [{to} + {to_pitch}], xmm0"
                "movq [{to} + 2 * {to_pitch}], xmm2" "movhps [{to} + {to_pitch3}], xmm2"
                "movq [{to4}], xmm1" "movhps [{to4} + {to_pitch}], xmm1"
                "movq [{to4} + 2 * {to_pitch}], xmm3" "movhps [{to4} + {to_pitch3}], xmm3"
                "lea {to}, [{to} + 8 * {to_pitch}]" "lea {to4}, [{to4} + 8 * {to_pitch}]"
            },
            2 => each_square! {
                "movq xmm0, [{from}]" "movq xmm1, [{from} + {pitch}]"
                "movq xmm2, [{from} + 2 * {pitch}]" "movq xmm3, [{from} + {pitch3}]"
                "punpcklwd xmm0, xmm1" "punpcklwd xmm2, xmm3"
                "movdqa xmm1, xmm0" "punpckldq xmm0, xmm2" "punpckhdq xmm1, xmm2"
                "movq [{to}], xmm0" "movhps [{to} + {to_pitch}], xmm0"
                "movq [{to} + 2 * {to_pitch}], xmm1" "movhps [{to} + {to_pitch3}], xmm1"
                "lea {to}, [{to} + 4 * {to_pitch}]"
            },
            4 => each_square! {
                "movq xmm0, [{from}]" "movq xmm1, [{from} + {pitch}]" "punpckldq xmm0, xmm1"
                "movq [{to}], xmm0" "movhps [{to} + {to_pitch}], xmm0"
                "lea {to}, [{to} + 2 * {to_pitch}]"
            },
            _ => each_square! {
                "movq xmm0, [{from}]" "movq [{to}], xmm0" "add {to}, {to_pitch}"
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rows, transpose};

    #[test]
    fn every_element_comes_to_its_place() {
        for size in [1, 2, 4, 8] {
            for (rows, columns) in [(8, 1), (8, 8), (16, 5), (3, 8), (64, 33), (17, 64)] {
                // Space for whole squares of 8 x 8.
                let [down, across] = [rows, columns].map(|n: usize| n.next_multiple_of(8) * size);
                let bytes: Vec<u8> = (0..across * down / size).map(|n| (n * 31 + n / 251) as u8).collect();
                let source: Vec<u64> = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
                let mut target = vec![0_u64; across * down / size / 8];
                let from = Rows { words: &source[..], pitch: across };
                transpose(&from, &mut Rows { words: &mut target[..], pitch: down }, [rows, columns], size);
                let found: &[u8] = bytemuck::cast_slice(&target);
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let (from, to) = (row * across + column * size, column * down + row * size);
                    let (expected, found) = (&bytes[from..from + size], &found[to..to + size]);
                    assert_eq!(found, expected, "{size} bytes, {rows} x {columns}: ({row}, {column})");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "room for whole squares")]
    fn room_is_checked() {
        let (source, mut target) = ([0; 8], [0; 7]);
        let from = Rows { words: &source[..], pitch: 8 };
        transpose(&from, &mut Rows { words: &mut target[..], pitch: 8 }, [8, 8], 1);
    }
}
