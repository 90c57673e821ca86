//! Parts of surfaces.

/// A part of a surface, in texels and rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rect {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Whether `extent` texels or rows from `start` on are among `size`.
pub(crate) fn is_inside(start: usize, extent: usize, size: usize) -> bool {
    start.checked_add(extent).is_some_and(|end| end <= size)
}

impl Rect {
    /// The same part of a plane with half as many columns and rows.
    pub(crate) const fn halved(self) -> Self {
        let Self { x, y, width, height } = self;
        Self { x: x / 2, y: y / 2, width: width / 2, height: height / 2 }
    }
}
