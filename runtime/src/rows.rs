//! Rows of bytes in host memory, and the layout of the rows of a picture.

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::format::Format;

/// Rows to copy from: `height` rows of `row` bytes.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    from: From<'a>,
    pub(crate) row: usize,
    height: usize,
}

/// The position of the rows.
#[derive(Clone, Copy)]
enum From<'a> {
    /// At a constant pitch.
    Pitched(&'a [u8], usize),
    /// By the number of the row.
    #[cfg(feature = "ndarray")]
    Each(&'a dyn Fn(usize) -> &'a [u8]),
}

impl<'a> Rows<'a> {
    /// Rows with a pitch.
    pub(crate) const fn pitched(bytes: &'a [u8], pitch: usize, row: usize, height: usize) -> Self {
        Self { from: From::Pitched(bytes, pitch), row, height }
    }

    /// Rows by their numbers.
    #[cfg(feature = "ndarray")]
    pub(crate) const fn each(rows: &'a dyn Fn(usize) -> &'a [u8], row: usize, height: usize) -> Self {
        Self { from: From::Each(rows), row, height }
    }

    /// All bytes, as one row.
    pub(crate) const fn one(bytes: &'a [u8]) -> Self {
        Self::pitched(bytes, bytes.len(), bytes.len(), 1)
    }

    /// The rows as one slice, if they have no padding.
    fn packed(&self) -> Option<&'a [u8]> {
        match self.from {
            From::Pitched(bytes, pitch) if pitch == self.row => Some(&bytes[..self.row * self.height]),
            _ => None,
        }
    }

    fn row(&self, n: usize) -> &'a [u8] {
        match self.from {
            From::Pitched(bytes, pitch) => &bytes[n * pitch..][..self.row],
            #[cfg(feature = "ndarray")]
            From::Each(rows) => rows(n),
        }
    }

    /// Copies the rows to rows with another pitch. Bytes between those do not change.
    pub(crate) fn copy_to(self, to: &mut [u8], pitch: usize) {
        if let Some(bytes) = self.packed().filter(|_| pitch == self.row) {
            to[..bytes.len()].copy_from_slice(bytes);
            return;
        }
        for (n, to) in to.chunks_mut(pitch).take(self.height).enumerate() {
            to[..self.row].copy_from_slice(self.row(n));
        }
    }

    /// Appends the rows, without padding.
    pub(crate) fn append_to(self, to: &mut Vec<u8>) {
        match self.packed() {
            Some(bytes) => to.extend_from_slice(bytes),
            None => (0..self.height).for_each(|n| to.extend_from_slice(self.row(n))),
        }
    }
}

/// Rows to copy to, with the layouts of [`Rows`].
pub(crate) struct RowsMut<'a> {
    to: To<'a>,
    pub(crate) row: usize,
    height: usize,
}

/// The destination of the rows.
enum To<'a> {
    /// At a constant pitch.
    Pitched(&'a mut [u8], usize),
    /// By the number of the row.
    #[cfg(feature = "ndarray")]
    Each(&'a mut dyn FnMut(usize, &[u8])),
}

impl<'a> RowsMut<'a> {
    /// Rows with a pitch.
    pub(crate) const fn pitched(bytes: &'a mut [u8], pitch: usize, row: usize, height: usize) -> Self {
        Self { to: To::Pitched(bytes, pitch), row, height }
    }

    /// Rows by their numbers.
    #[cfg(feature = "ndarray")]
    pub(crate) const fn each(rows: &'a mut dyn FnMut(usize, &[u8]), row: usize, height: usize) -> Self {
        Self { to: To::Each(rows), row, height }
    }

    /// All bytes, as one row.
    pub(crate) const fn one(bytes: &'a mut [u8]) -> Self {
        let row = bytes.len();
        Self::pitched(bytes, row, row, 1)
    }

    /// Copies rows with another pitch to these rows. Bytes between these rows do not change.
    pub(crate) fn copy_from(self, from: &[u8], pitch: usize) {
        let rows = Rows::pitched(from, pitch, self.row, self.height);
        match self.to {
            To::Pitched(bytes, own) => rows.copy_to(bytes, own),
            #[cfg(feature = "ndarray")]
            To::Each(put) => (0..self.height).for_each(|n| put(n, rows.row(n))),
        }
    }
}

/// The position of the rows of a plane in the bytes of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneRows {
    /// The first byte.
    start: usize,
    pitch: usize,
    row: usize,
    height: usize,
}

impl PlaneRows {
    /// The rows of the plane.
    pub(crate) fn of<'a>(&self, bytes: &'a [u8]) -> Rows<'a> {
        let Self { start, pitch, row, height } = *self;
        Rows::pitched(&bytes[start..], pitch, row, height)
    }

    /// The rows of the plane, for writing.
    pub(crate) fn of_mut<'a>(&self, bytes: &'a mut [u8]) -> RowsMut<'a> {
        let Self { start, pitch, row, height } = *self;
        RowsMut::pitched(&mut bytes[start..], pitch, row, height)
    }
}

/// The planes of a picture of a legal size.
pub(crate) type Planes = SmallVec<[PlaneRows; 3]>;

/// The layout of the planes of a picture without padding.
pub(crate) fn packed(format: Format, width: usize, height: usize) -> Planes {
    planes(format, width, height, width * format.texel_bytes())
}

/// The layout of the planes of a picture in `bytes` with a row pitch. The pitch of chroma rows is `row_pitch` if they
/// are as long as luma rows, and half of it if they are half as long.
///
/// # Errors
/// If the pitch does not fit these rows, or if the last row ends after the end of `bytes`.
pub(crate) fn pitched(
    format: Format,
    width: usize,
    height: usize,
    row_pitch: usize,
    bytes: usize,
) -> Result<Planes> {
    let row = width * format.texel_bytes();
    check_pitch(format, row, row_pitch)?;
    let short = |needed| Error::ShortRows { needed, found: bytes };
    // The chroma planes have at most as many bytes again.
    if row_pitch.checked_mul(height).and_then(|bytes| bytes.checked_mul(2)).is_none() {
        return Err(short(usize::MAX));
    }
    let planes = planes(format, width, height, row_pitch);
    // The last row needs no padding.
    let end = planes.last().map_or(0, |last| last.start + (last.height - 1) * last.pitch + last.row);
    if end > bytes { Err(short(end)) } else { Ok(planes) }
}

/// Bytes of this number of rows of `row` bytes; `None` if they are more than `most`.
pub(crate) fn bytes_of(row: usize, height: usize, most: usize) -> Option<usize> {
    row.checked_mul(height).filter(|&bytes| bytes <= most)
}

/// The largest pitch of rows, so that sums of a few pitches do not overflow.
const LONGEST_PITCH: usize = i32::MAX as usize;

/// Checks that the pitch fits rows of this size.
pub(crate) fn check_pitch(format: Format, row: usize, row_pitch: usize) -> Result<()> {
    // The pitch of planes of single chroma samples is half the pitch.
    let multiple = if format.chroma().len() > 1 { 2 } else { format.texel_bytes() };
    if row_pitch < row || row_pitch > LONGEST_PITCH || !row_pitch.is_multiple_of(multiple) {
        return Err(Error::RowPitch { row_pitch, row, multiple });
    }
    Ok(())
}

fn planes(format: Format, width: usize, height: usize, row_pitch: usize) -> Planes {
    let luma = width * format.texel_bytes();
    let mut planes: Planes =
        SmallVec::from_iter([PlaneRows { start: 0, pitch: row_pitch, row: luma, height }]);
    let mut start = row_pitch * height;
    for (_, chroma) in format.chroma() {
        let row = width / 2 * chroma.texel_bytes();
        let pitch = if row == luma { row_pitch } else { row_pitch / 2 };
        planes.push(PlaneRows { start, pitch, row, height: height / 2 });
        start += pitch * (height / 2);
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_follow_each_other() {
        let lie = |format, pitch| {
            let rows = planes(format, 4, 2, pitch);
            rows.iter().map(|plane| (plane.start, plane.pitch, plane.row, plane.height)).collect::<Vec<_>>()
        };
        assert_eq!(lie(Format::Rgba8, 20), [(0, 20, 16, 2)]);
        assert_eq!(lie(Format::Nv12, 6), [(0, 6, 4, 2), (12, 6, 4, 1)]);
        assert_eq!(lie(Format::I420, 6), [(0, 6, 4, 2), (12, 3, 2, 1), (15, 3, 2, 1)]);
        assert_eq!(lie(Format::P010, 8), [(0, 8, 8, 2), (16, 8, 8, 1)]);
    }

    #[test]
    fn copies_leave_the_bytes_between_rows() {
        let rows = Rows::pitched(&[1, 2, 0, 3, 4], 3, 2, 2);
        let mut to = [9; 7];
        rows.copy_to(&mut to, 4);
        assert_eq!(to, [1, 2, 9, 9, 3, 4, 9]);
        let mut tight = vec![];
        rows.append_to(&mut tight);
        assert_eq!(tight, [1, 2, 3, 4]);
    }

    /// A 3-D surface of the largest size, on a target of 32 bits and on this one.
    #[test]
    fn the_largest_surface_is_counted_in_the_address_space() {
        let (row, height) = (2048 * 4, 2048 * 2048);
        assert_eq!(bytes_of(row, height, i32::MAX as usize), None);
        assert_eq!(bytes_of(row, (1 << 18) - 1, i32::MAX as usize), Some((1 << 31) - 8192));
        assert_eq!(bytes_of(1 << (usize::BITS / 2), 1 << (usize::BITS / 2), usize::MAX), None);
        #[cfg(target_pointer_width = "32")]
        {
            let device = crate::Device::cpu().unwrap();
            let made = crate::Surface3D::new(&device, Format::R32, 2048, 2048, 2048);
            assert!(matches!(made, Err(Error::SurfaceTooLarge { width: 2048, height: 0x40_0000, .. })));
        }
    }

    /// Numbers for which sums and products overflow by one.
    #[test]
    fn ends_are_exact() {
        assert!(pitched(Format::I420, 4, 2, 6, 17).is_ok());
        assert!(matches!(
            pitched(Format::I420, 4, 2, 6, 16),
            Err(Error::ShortRows { needed: 17, found: 16 })
        ));
        let long = pitched(Format::R8, 1, 2, LONGEST_PITCH, 9);
        assert!(matches!(long, Err(Error::ShortRows { needed, found: 9 }) if needed == LONGEST_PITCH + 1));
        assert!(matches!(pitched(Format::R8, 1, 2, LONGEST_PITCH + 1, 9), Err(Error::RowPitch { .. })));
        assert!(matches!(pitched(Format::I420, 4, 2, 5, 99), Err(Error::RowPitch { multiple: 2, .. })));
    }
}
