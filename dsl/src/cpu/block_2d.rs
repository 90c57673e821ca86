//! 2-D blocks of buffers: row by row, as far as they are inside.

use std::ops::Range;

use cm_compiler::limits::{BlockForm, DWORD};
use cm_compiler::ops::{AccessKind, Carries};
use cm_macros::inlined;

use super::Cpu;
use super::arrays::Lanes;
use super::checked_buffer::{BufferAccess, CheckedBytes};
use super::environment::Environment;
use crate::backend::Pitched;
use crate::elem::Elem;

/// Bytes of the largest block.
const BLOCK: usize = 2048;

/// The rows that the block of one thread is part of, and the byte column and row of its first element.
#[derive(Clone, Copy)]
struct Place {
    width: i64,
    height: i64,
    pitch: i64,
    x: i64,
    y: i64,
}

impl Place {
    #[inlined]
    fn new<E: Environment, const N: usize>(block: Pitched<Cpu<E, N>>, n: usize, size: usize) -> Self {
        let number = |[numbers]: Lanes<i32, N, 1, 1>| i64::from(numbers[n][0]);
        // Rounded down to whole dwords.
        let x = (number(block.x) * size as i64) & !(DWORD as i64 - 1);
        Self {
            width: number(block.width),
            height: number(block.height),
            pitch: number(block.pitch),
            x,
            y: number(block.y),
        }
    }

    /// Which of the `bytes` bytes of row `r` of the block are inside, and the first of them in the buffer.
    #[inlined]
    fn inside(self, r: usize, bytes: usize) -> Option<(u32, Range<usize>)> {
        let y = self.y + r as i64;
        let (from, to) = (self.x.max(0), (self.x + bytes as i64).min(self.width));
        if y < 0 || y >= self.height || from >= to {
            return None;
        }
        let first = u32::try_from(y.checked_mul(self.pitch)? + from).ok()?;
        Some((first, (from - self.x) as usize..(to - self.x) as usize))
    }
}

#[inlined]
#[track_caller]
pub(super) fn read<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &E::Buffer,
    kind: AccessKind,
    block: Pitched<Cpu<E, N>>,
) -> Lanes<T, N, R, C> {
    let form = match kind.spec().carries {
        Carries::Block2d(form) => form,
        _ => BlockForm::Normal,
    };
    let size = T::TYPE.bytes();
    let [rows, columns] = form.in_memory(R, C, size);
    let mut elements = [[[T::default(); C]; N]; R];
    for n in 0..N {
        let place = Place::new(block, n, size);
        let mut bytes = [0; BLOCK];
        for r in 0..rows {
            let row = &mut bytes[r * columns * size..][..columns * size];
            if let Some((first, inside)) = place.inside(r, row.len()) {
                let row = &mut row[inside];
                BufferAccess::read(&CheckedBytes::to_read(memory, n, first, row.len()), row);
            }
        }
        for (r, own) in elements.iter_mut().enumerate() {
            for (c, element) in own[n].iter_mut().enumerate() {
                let [row, column] = form.place([R, C], size, [r, c]);
                *element = bytemuck::pod_read_unaligned(&bytes[(row * columns + column) * size..][..size]);
            }
        }
    }
    elements
}

#[inlined]
#[track_caller]
pub(super) fn write<E: Environment, T: Elem, const N: usize, const R: usize, const C: usize>(
    memory: &mut E::Buffer,
    block: Pitched<Cpu<E, N>>,
    data: Lanes<T, N, R, C>,
) {
    for n in 0..N {
        let place = Place::new(block, n, T::TYPE.bytes());
        for (r, own) in data.iter().enumerate() {
            let row: &[u8] = bytemuck::cast_slice(&own[n]);
            if let Some((first, inside)) = place.inside(r, row.len()) {
                let row = &row[inside];
                BufferAccess::write(&mut CheckedBytes::to_write(memory, n, first, row.len()), row);
            }
        }
    }
}
