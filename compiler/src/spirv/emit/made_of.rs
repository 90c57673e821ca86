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

#[cfg(test)]
mod tests {
    use crate::spirv::alike::kernel;
    use crate::spirv::{Target, lower};

    /// With the parts of each row twice, this would need more memory than there is.
    #[test]
    fn rows_that_are_replaced_again_and_again_have_their_parts_once() {
        let step = |n: usize| {
            let (whole, row) = (if n == 0 { 1 } else { 3 * n + 1 }, 3 * n + 2);
            format!(
                "%{row}: u32<1x8> = region %{whole}[8| 8, 8, 1]; %{}: u32<1x8> = mul.u32 %{row}, %{row};
                 %{}: u32<4x8> = insert %{whole}[8| 8, 8, 1], %{}; ",
                row + 1,
                row + 2,
                row + 1
            )
        };
        let steps: String = (0..60).map(step).collect();
        let read = "%0: i32 = constant 3; %1: u32<4x8> = read #0 %0, %0; ";
        let function = kernel(&format!("{read}{steps}write #1 %0, %0, %181: u32<4x8>;\n"));
        assert!(lower(&function, Target::Gen9).is_ok());
    }
}
