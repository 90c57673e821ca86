//! Parts of surfaces.

/// A part of a surface, in texels and rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rect {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}
