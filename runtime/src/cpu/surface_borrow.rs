//! Surfaces that are borrowed for a launch, and what each kernel thread may access of them.

use std::marker::PhantomData;
use std::num::NonZero;

use cm_compiler::access::{Footprint, Footprint3d, Neighbourhood};
use cm_compiler::ir::{Field, View};
use cm_macros::inlined;
use smallvec::SmallVec;

use super::copy;
use crate::format::Format;
use crate::parts::Shared;

/// The layout of the bytes of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    /// Bytes of a row.
    pub(crate) width: usize,
    /// Bytes from one row to the next, at least the width.
    pub(crate) pitch: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Of a 3-D surface: the slices whose rows these are, one after the other. Small, because every kernel
    /// thread gets a copy of the layout.
    pub(crate) slices: Option<NonZero<u16>>,
}

/// A surface, borrowed for a launch.
#[derive(Debug)]
pub(crate) struct SurfaceBorrow<'a> {
    /// The planes of its format, then the fields that the kernel uses.
    pub(super) parts: SmallVec<[Bytes; 1]>,
    /// The part of them that each thread may access while others run, where it is large.
    apart: SmallVec<[Box<Apart>; 1]>,
    borrow: PhantomData<&'a mut [u8]>,
}

/// The bytes of a plane of a surface or of a field, and the access rights of kernel threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub(super) start: *mut u8,
    pub(super) layout: Layout,
    pub(super) right: Right,
    pub(super) shows: View,
    /// The bytes to what is prefetched, if each thread goes down a narrow column of many rows; otherwise 0.
    pub(super) ahead: usize,
}

/// The access rights of a kernel thread to a surface.
#[derive(Clone, Copy, Debug)]
pub(super) enum Right {
    /// Read it: the surface is also borrowed by others.
    Read,
    /// Read and write all of it: kernel threads run one after the other.
    Alone,
    /// Read and write its own part: kernel threads run at the same time.
    Footprint(Footprint),
    /// Read and write this part: these threads run at the same time. This is a pointer into the borrow,
    /// because the part is large.
    Apart(*const Apart),
    /// Nothing: kernel threads run at the same time, and the recording does not access it.
    Nothing,
}

/// The part of a surface that a thread may access while others run.
#[derive(Debug)]
pub(super) enum Apart {
    /// What no other thread of its wave writes. On 3-D surfaces it is the same in all slices, which have so many rows.
    InWave(Neighbourhood, Option<usize>),
    /// Its own part of a 3-D surface, and the rows of a slice.
    Slices(Footprint3d, usize),
}

// SAFETY: the pointer is to plain bytes that outlive the launch. Which threads may use it at a time is the
// contract of `SurfaceMemory`: concurrent reads of a shared borrow, or accesses of an exclusive borrow to
// different bytes.
unsafe impl Sync for Bytes {}
// SAFETY: as above; it contains no thread-local data.
unsafe impl Send for Bytes {}

impl Right {
    /// Whether every thread may access everything in this way.
    #[inlined]
    pub(super) fn is_free(&self, writes: bool) -> bool {
        matches!(self, Self::Alone) || !writes && matches!(self, Self::Read)
    }
}

impl Layout {
    /// Rows of a slice of a 3-D surface.
    fn slice_rows(&self) -> Option<usize> {
        self.slices.map(|slices| self.height / usize::from(slices.get()))
    }

    /// Whether all rows are inside this number of bytes.
    fn fits(&self, bytes: usize) -> bool {
        let last = self.height.checked_sub(1).and_then(|rows| rows.checked_mul(self.pitch));
        let end = last.and_then(|last| last.checked_add(self.width));
        self.pitch >= self.width && end.is_some_and(|end| end <= bytes)
    }
}

impl<'a> SurfaceBorrow<'a> {
    /// A read-only surface, given by its planes; the first row of each is at the start of its bytes. `None` if one is
    /// missing. The kernel uses these views of it.
    pub(crate) fn shared(
        planes: impl Iterator<Item = Option<(&'a [u8], Layout)>>,
        views: impl Iterator<Item = View>,
    ) -> Option<Self> {
        let plane = |(bytes, layout): (&[u8], Layout)| (bytes.as_ptr().cast_mut(), bytes.len(), layout);
        Self::new(planes.map(|bytes| bytes.map(plane)), views, Right::Read)
    }

    /// A surface for reading and writing.
    pub(crate) fn exclusive(
        planes: impl Iterator<Item = Option<(&'a mut [u8], Layout)>>,
        views: impl Iterator<Item = View>,
    ) -> Option<Self> {
        let plane = |(bytes, layout): (&mut [u8], Layout)| (bytes.as_mut_ptr(), bytes.len(), layout);
        Self::new(planes.map(|bytes| bytes.map(plane)), views, Right::Alone)
    }

    fn new(
        planes: impl Iterator<Item = Option<(*mut u8, usize, Layout)>>,
        views: impl Iterator<Item = View>,
        right: Right,
    ) -> Option<Self> {
        let mut parts: SmallVec<[Bytes; 1]> = SmallVec::new();
        for plane in planes {
            let (start, len, layout) = plane?;
            assert!(layout.fits(len), "a surface has all of its rows");
            parts.push(Bytes { start, layout, right, shows: View::whole(0), ahead: 0 });
        }
        let format = parts.first()?.layout.format;
        assert!(parts.len() == format.planes().count(), "a surface has all of its planes");
        for (part, plane) in parts.iter_mut().zip(format.planes()) {
            part.shows.plane = plane;
        }
        for View { plane, field, .. } in views {
            if let (Some(field), Some((index, _))) = (field, format.plane(plane)) {
                parts.push(parts[index].field(field));
            }
        }
        Some(Self::of(parts))
    }

    fn of(parts: SmallVec<[Bytes; 1]>) -> Self {
        Self { parts, apart: SmallVec::new(), borrow: PhantomData }
    }

    /// The same surface with the same rights; valid until this one is freed.
    pub(super) fn again(&self) -> SurfaceBorrow<'_> {
        SurfaceBorrow::of(self.parts.clone())
    }

    /// Notes how many threads share the surface.
    pub(super) fn shared_by(&mut self, [columns, rows, slices]: [usize; 3]) {
        for part in &mut self.parts {
            let Layout { width, pitch, height, .. } = part.layout;
            let narrow = matches!(width.checked_div(columns), Some(copy::NARROWEST_DOWN..=copy::WIDEST_DOWN));
            let deep = height.checked_div(rows * slices).is_some_and(|rows| rows >= 2 * copy::ROWS_DOWN);
            part.ahead = if narrow && deep { copy::ROWS_DOWN * pitch } else { 0 };
        }
    }

    /// The parts, and how threads may conflict there.
    pub(super) fn sharing(&self) -> impl Iterator<Item = (View, Shared)> {
        self.parts.iter().map(|part| {
            let Layout { width, height, format, .. } = part.layout;
            let shared = match (part.right, part.layout.slice_rows()) {
                (Right::Read, _) => Shared::Constant,
                (_, None) => Shared::Surface(width, height, format.alignment()),
                (_, Some(rows)) => Shared::Surface3d(width, rows, format.texel_bytes()),
            };
            (part.shows, shared)
        })
    }

    /// Limits each thread to its share of a written part; to nothing if the kernel does not access the part.
    pub(super) fn divide(&mut self, part: usize, footprint: Option<Footprint>) {
        let part = &mut self.parts[part];
        if let Right::Alone = part.right {
            part.right = footprint.map_or(Right::Nothing, Right::Footprint);
        }
    }

    /// Limits each thread to the part that no other thread of its wave writes.
    pub(super) fn divide_in_waves(&mut self, part: usize, neighbourhood: Neighbourhood) {
        let slice = self.parts[part].layout.slice_rows();
        self.limit(part, Apart::InWave(neighbourhood, slice));
    }

    /// Limits each thread to its share of a written 3-D surface.
    pub(super) fn divide_slices(&mut self, part: usize, footprint: Footprint3d) {
        let layout = self.parts[part].layout;
        self.limit(part, Apart::Slices(footprint, layout.slice_rows().unwrap_or(layout.height)));
    }

    fn limit(&mut self, part: usize, apart: Apart) {
        let part = &mut self.parts[part];
        if let Right::Alone = part.right {
            let apart = Box::new(apart);
            part.right = Right::Apart(&raw const *apart);
            self.apart.push(apart);
        }
    }
}

impl Bytes {
    /// A field of a plane, which has rows of this field.
    fn field(&self, field: Field) -> Self {
        let Layout { pitch, height, .. } = self.layout;
        let rows = field.rows(height);
        assert!(rows > 0, "a field has rows");
        Self {
            // Inside: its first row is a row of the plane.
            start: self.start.wrapping_add(field.first() * pitch),
            layout: Layout { pitch: pitch * 2, height: rows, ..self.layout },
            shows: View { field: Some(field), ..self.shows },
            ..*self
        }
    }

    /// Whether a block is inside.
    #[inlined]
    pub(super) fn contains(&self, [x, y]: [i32; 2], width: usize, rows: usize) -> bool {
        x >= 0 && y >= 0 && x as usize + width <= self.layout.width && y as usize + rows <= self.layout.height
    }

    /// The row that replaces row `y`, which may be outside.
    #[inlined]
    pub(super) fn nearest_row(&self, y: i32) -> usize {
        // Surfaces have fewer rows than `i32` can count; see `checked_length`.
        y.clamp(0, self.layout.height as i32 - 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether so many rows of a pitch and a width are inside this number of bytes.
    fn fits([height, pitch, width]: [usize; 3], bytes: usize) -> bool {
        Layout { format: Format::R8, width, pitch, height, slices: None }.fits(bytes)
    }

    #[test]
    fn threads_that_go_down_a_surface_are_seen() {
        let layout = Layout { format: Format::R8, width: 1920, pitch: 1920, height: 1080, slices: None };
        let plane = (vec![0; 1920 * 1080], layout);
        let mut surface =
            SurfaceBorrow::shared([Some((&plane.0[..], plane.1))].into_iter(), std::iter::empty()).unwrap();
        for (threads, down) in [
            ([60, 1, 1], true),
            ([120, 2, 1], true),
            // Blocks of 8 and 32 rows, whole rows, and threads that are numbered from 0 to the last.
            ([60, 135, 1], false),
            ([60, 34, 1], false),
            ([1, 135, 1], false),
            ([60 * 135, 1, 1], false),
        ] {
            surface.shared_by(threads);
            assert_eq!(surface.parts[0].ahead > 0, down, "{threads:?}");
        }
    }

    #[test]
    fn rows_that_cannot_be_counted_do_not_fit() {
        const HALF: usize = 1 << (usize::BITS / 2);
        const MOST: usize = usize::MAX;
        assert!(fits([1, MOST, MOST], MOST) && fits([2, MOST - 3, 3], MOST) && fits([MOST, 1, 1], MOST));
        // Without wrapping: 2 to the power of the bits, and one more than the largest number.
        for numbers in
            [[HALF + 1, HALF, 1], [2, MOST, MOST], [2, MOST - 3, 4], [MOST, 2, 1], [3, MOST / 2 + 1, 0]]
        {
            assert!(!fits(numbers, 0) && !fits(numbers, 16) && !fits(numbers, MOST), "{numbers:?}");
        }
        assert!(
            !fits([0, 1, 1], MOST) && !fits([1, 1, 2], MOST) && !fits([2, 8, 4], 11) && fits([2, 8, 4], 12)
        );
    }
}
