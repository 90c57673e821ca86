//! The contiguous parts that values were made from, each by a separate instruction.

use std::ops::Range;

use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Val};

impl Builder {
    /// The contiguous parts that inserted elements were made from, where they are inserted.
    pub(crate) fn inserted_parts(&self, shape: FixedRegion, value: Val) -> Vec<Range<usize>> {
        let parts = self.made_of.get(&value.id).into_iter().flatten().filter(|part| !part.is_empty());
        let placed =
            parts.map(|part| (shape.position(part.start)..shape.position(part.end - 1) + 1, part.len()));
        placed.filter(|(place, length)| place.len() == *length).map(|(place, _)| place).collect()
    }

    /// Records the parts that contiguous elements of a value were made from.
    pub(crate) fn follow_made_of(&mut self, result: Val, x: Val, start: usize) {
        let end = start + result.ty.count;
        if let Some(parts) = self.made_of.get(&x.id) {
            let inside = parts.iter().filter(|part| part.start >= start && part.end <= end);
            let parts = inside.map(|part| part.start - start..part.end - start).collect();
            self.made_of.insert(result.id, parts);
        }
    }

    /// Whether the compiler drops a copy of elements with gaps, and writes their source, including the gaps,
    /// to the destination instead. It does so if several instructions together produce exactly the range that
    /// the copy covers. Vectors, each row of vectors that consist of rows, and inserted elements, contiguous
    /// or with gaps, are produced in parts of 16, 8, 4 elements and so on, and so is the copy. The fault occurs
    /// if a part of the copy starts where a part of the vector starts, and ends where one ends.
    pub(crate) fn is_filled_in_parts(&self, x: Val, count: usize, index: impl Fn(usize) -> usize) -> bool {
        let whole = 0..x.ty.count;
        let made_of = || self.made_of.get(&x.id).into_iter().flatten().chain([&whole]);
        let bounds = |at: usize| {
            made_of().any(|part| {
                let place = at.wrapping_sub(part.start);
                at == part.end
                    || place == 0
                    || part.contains(&at) && part.end - at < 1 << place.trailing_zeros()
            })
        };
        let sizes = std::iter::successors(Some(2), |size| Some(size * 2)).take_while(|size| *size <= count);
        sizes.flat_map(|size| (size..=count).step_by(size).map(move |end| (size, end - size))).any(
            |(size, part)| {
                let (start, end) = (index(part), index(part + size - 1) + 1);
                let made = end.saturating_sub(start);
                made > size && !made.is_power_of_two() && bounds(start) && bounds(end)
            },
        )
    }
}
