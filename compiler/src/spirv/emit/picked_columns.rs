//! Bytes and words at distances of three, five or six, like the channels of packed RGB. The hardware has no regions
//! with such columns, and the compiler would move the elements one by one.
//!
//! They are picked by addresses in registers, 16 at a time. All rows and channels share the same addresses,
//! plus a known number. Elements that are inserted between others are also picked, as soon as all of the
//! interleaved elements are known. Registers of 64 bytes have no such addressing of bytes, so words are picked
//! there.

use crate::limits::DWORD;

use crate::spirv::binary::Op;
use crate::spirv::fixed_region::{FixedRegion, is_picked_step};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Between, Builder, Val};
use crate::spirv::types::{Scalar, Ty};

/// Addresses of an instruction.
const ADDRESSES: usize = 16;
/// The fewest columns that are picked. The compiler processes this many at once.
const COLUMNS: usize = 8;

/// Whether the elements of a region are picked: bytes and words.
fn is_picked(ty: Ty, shape: FixedRegion, count: usize) -> bool {
    let columns = shape.width.min(count);
    let short = ty.scalar != Scalar::Bool && ty.elem_bytes() < DWORD;
    let whole = columns.is_multiple_of(COLUMNS) && count.is_multiple_of(columns);
    short && is_picked_step(shape.column_stride) && whole
}

/// The positions of the elements that are picked at once, and the number of the first one. Those of the same columns come
/// one after the other: all rows share their addresses.
fn parts(places: &[usize], row: usize) -> impl Iterator<Item = (usize, &[usize])> {
    (0..row).step_by(ADDRESSES).flat_map(move |column| {
        let lanes = ADDRESSES.min(row - column);
        (column..places.len()).step_by(row).map(move |first| (first, &places[first..first + lanes]))
    })
}

impl Builder {
    /// A region of `count` elements, if it needs picking.
    pub(crate) fn picked_columns(&mut self, x: Val, shape: FixedRegion, count: usize) -> Option<Val> {
        if !is_picked(x.ty, shape, count) {
            return None;
        }
        let own: Vec<usize> = (0..count).map(|n| shape.position(n)).collect();
        let columns = shape.width.min(count);
        // Rows that a message left further apart do not need to be joined first.
        let apart = self.rows.get(&x.id).and_then(|rows| {
            let places: Vec<usize> = own.iter().map(|at| rows.positions[*at]).collect();
            let alike = |row: &[usize]| row.windows(2).all(|two| two[0] + shape.column_stride == two[1]);
            rows.whole.filter(|_| places.chunks(columns).all(alike)).map(|whole| (whole, places))
        });
        let (x, places) = apart.unwrap_or((x, own));
        Some(self.picked_rows(x, &places, columns))
    }

    /// A register in which a region was replaced. It is built by picking if that is shorter.
    pub(crate) fn between_columns(&mut self, x: Val, result: Val, shape: FixedRegion, value: Val) -> Val {
        let count = value.ty.count;
        if !is_picked(x.ty, shape, count) {
            return result;
        }
        let rows = [shape.row_stride, shape.width, shape.column_stride];
        let alike = |between: &&Between| {
            between.rows == rows && between.parts.iter().all(|(_, part)| part.ty == value.ty)
        };
        let new = Between { base: x, rows, parts: vec![] };
        let mut between = self.between.get(&x.id).filter(alike).cloned().unwrap_or(new);
        between.parts.retain(|(offset, _)| *offset != shape.offset);
        between.parts.push((shape.offset, value));
        between.parts.sort_by_key(|(offset, _)| *offset);
        self.between.insert(result.id, between.clone());
        let first = between.parts[0].0;
        let next = between.parts.iter().enumerate().all(|(n, (offset, _))| *offset == first + n);
        let (columns, step) = (shape.width.min(count), shape.column_stride);
        let rows_cross = count > columns && shape.row_stride < columns * step;
        if between.parts.len() != step || !next || rows_cross {
            return result;
        }
        let mut all = self.undefined(value.ty.times(count * step));
        for (n, (_, part)) in between.parts.iter().enumerate() {
            all = self.insert(all, FixedRegion::row(n * count, count), *part, None);
        }
        let row = columns * step;
        let places: Vec<usize> =
            (0..count * step).map(|n| n % row % step * count + n / row * columns + n % row / step).collect();
        // The distances are the same again after so many elements.
        let picked = self.picked_rows(all, &places, COLUMNS * step);
        let whole = FixedRegion { offset: first, row_stride: shape.row_stride, width: row, column_stride: 1 };
        self.insert(between.base, whole, picked, None)
    }

    /// Pairs of neighbouring bytes at these positions, picked as words, if 16 of them are always at the same distances.
    pub(crate) fn picked_words(&mut self, x: Val, places: &[usize]) -> Option<Val> {
        let apart = self.rows.get(&x.id).and_then(|rows| {
            let places: Vec<usize> = places.iter().map(|at| rows.positions[*at]).collect();
            rows.whole.map(|whole| (whole, places))
        });
        let (x, places) = apart.unwrap_or((x, places.to_vec()));
        let pairs = places.chunks(2).all(|pair| pair[0] % 2 == 0 && pair.get(1) == Some(&(pair[0] + 1)));
        if x.ty.elem_bytes() != 1 || !x.ty.count.is_multiple_of(2) || !pairs {
            return None;
        }
        let words: Vec<usize> = places.iter().step_by(2).map(|at| at / 2).collect();
        let steps =
            |part: &[usize]| -> Vec<usize> { part.iter().map(|at| at.wrapping_sub(part[0])).collect() };
        let alike =
            words.chunks(ADDRESSES).all(|part| steps(part) == steps(&words[..ADDRESSES.min(words.len())]));
        if !words.len().is_multiple_of(ADDRESSES) || !alike {
            return None;
        }
        let all = self.format(x, x.ty.int(16).times(x.ty.count / 2));
        let mut picked = self.undefined(all.ty.times(words.len()));
        let steps = self.steps(&words[..ADDRESSES], 2);
        for (n, part) in words.chunks(ADDRESSES).enumerate() {
            let part = self.picked_part(all, steps, part);
            picked = self.insert(picked, FixedRegion::row(n * ADDRESSES, ADDRESSES), part, None);
        }
        Some(self.format(picked, x.ty.times(places.len())))
    }

    /// The distances of elements of this size from the first one, in bytes.
    fn steps(&mut self, places: &[usize], size: usize) -> Val {
        let least = places.iter().min().copied().unwrap_or_default();
        let steps: Vec<u64> = places.iter().map(|at| ((at - least) * size) as u64).collect();
        let steps = self.constants(Ty::I16.times(places.len()), &steps);
        // Otherwise the optimiser would fold the known number into each address.
        self.apart(steps)
    }

    /// The elements at these positions, whose distances are known.
    fn picked_part(&mut self, x: Val, steps: Val, places: &[usize]) -> Val {
        let least = places.iter().min().copied().unwrap_or_default();
        let least = self.constant(steps.ty, (least * x.ty.elem_bytes()) as u64);
        let at = self.op(Op::IAdd, steps.ty, &[steps, least]);
        let ty = x.ty.times(places.len());
        let (zero, one, within) = (self.i32(0), self.i32(1), self.undefined(Ty::I32));
        let part = self.value(Intrinsic::read_region(ty), ty, &[x, zero, one, zero, at, within]);
        self.picked.insert(part.id);
        part
    }

    /// The elements at these positions, row by row.
    fn picked_rows(&mut self, x: Val, places: &[usize], row: usize) -> Val {
        let count = places.len();
        if x.ty.elem_bytes() > 1 {
            // No instruction picks floats.
            let bits = self.format(x, x.ty.int(x.ty.bits()));
            let mut picked = self.undefined(bits.ty.times(count));
            for (first, own) in parts(places, row) {
                let steps = self.steps(own, bits.ty.elem_bytes());
                let part = self.picked_part(bits, steps, own);
                picked = self.insert(picked, FixedRegion::row(first, own.len()), part, None);
            }
            return self.format(picked, x.ty.times(count));
        }
        let wide = if self.long_registers { self.op(Op::UConvert, x.ty.int(16), &[x]) } else { x };
        let mut picked = self.undefined(wide.ty.times(count));
        let mut words = self.undefined(Ty::I16.times(count));
        for (first, own) in parts(places, row) {
            let steps = self.steps(own, wide.ty.elem_bytes());
            let part = self.picked_part(wide, steps, own);
            picked = self.insert(picked, FixedRegion::row(first, own.len()), part, None);
            if !self.long_registers {
                let part = self.op(Op::UConvert, Ty::I16.times(own.len()), &[part]);
                words = self.insert(words, FixedRegion::row(first, own.len()), part, None);
            }
        }
        if self.long_registers {
            words = picked;
            picked = self.op(Op::UConvert, x.ty.times(count), &[words]);
        }
        self.words.insert(picked.id, words);
        picked
    }
}
