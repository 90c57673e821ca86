//! Surfaces on the device.
//!
//! Media blocks count the width of an image in dwords. Rows that are not whole dwords are padded, and the padding
//! repeats the last texel (see `padding`), so that reads beyond the edge are correct. Packed YUV is bound as dwords,
//! and reads that may leave it are refused. Each plane of a picture is an image.
//!
//! The image of a 3-D surface has three dimensions. It is only for typed accesses, so its rows have no padding. Outside
//! this file, its rows are those of all slices, one after the other.

use std::ptr;
use std::sync::Arc;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use super::outcome::{Done, Outcome};
use super::padding::{self, Padding};
use super::stream::{Stream, Used};
use super::transfer::Transfer;
use crate::error::LevelZeroError;
use crate::format::Format;
use crate::rect::Rect;
use crate::rows::Rows;

/// An image: a surface for kernels.
///
/// Media blocks count the width of an image in dwords. Rows that are not whole dwords are padded with the last texel,
/// so that reads beyond the edge repeat it.
pub(super) struct Image {
    handle: ze::ze_image_handle_t,
    format: Format,
    /// Bytes of a row, and of a row with padding.
    row: usize,
    padded: usize,
    height: usize,
    /// Slices of a 3-D surface, whose rows these are.
    slices: Option<usize>,
    /// Whether the padding repeats the last texel.
    mended: Done,
    context: Arc<Context>,
}

// SAFETY: the handle is this object's own, and Level Zero lets any thread use it; the commands that use it go
// through the device's one stream.
unsafe impl Send for Image {}
// SAFETY: as above; kernels and copies are ordered by the stream.
unsafe impl Sync for Image {}

impl Image {
    /// An image whose bytes are not yet set; `height` is the number of rows of all slices.
    pub(super) fn new(
        context: Arc<Context>,
        format: Format,
        [width, height]: [usize; 2],
        slices: Option<usize>,
    ) -> Result<Self, LevelZeroError> {
        let row = width * format.texel_bytes();
        let padded = if slices.is_some() { row } else { row.next_multiple_of(4) };
        let texels = padded / texel(format);
        let device = || context.properties.name.clone();
        let (depth, limit) = match slices {
            None => (1, context.properties.image_texels),
            Some(slices) => (slices, context.properties.slice_texels),
        };
        let rows = height / depth;
        if [texels, rows, depth].into_iter().any(|size| size > limit) {
            return Err(match slices {
                None => LevelZeroError::SurfaceTooLarge { width, height, format, device: device(), limit },
                Some(depth) => {
                    let (height, device) = (rows, device());
                    LevelZeroError::Surface3dTooLarge { width, height, depth, device, limit }
                }
            });
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut description = ze::ze_image_desc_t::new();
        description.flags = ze::ZE_IMAGE_FLAG_KERNEL_WRITE;
        description.type_ = if slices.is_some() { ze::ZE_IMAGE_TYPE_3D } else { ze::ZE_IMAGE_TYPE_2D };
        description.format = layout(format);
        description.width = texels as u64;
        description.height = number(rows);
        description.depth = number(depth);
        let mut handle = ptr::null_mut();
        let Context { api, device: on, handle: within, .. } = *context;
        // SAFETY: the context and its device live; the description is complete and within the device's
        // limits.
        let made = unsafe { call!(api, zeImageCreate(within, on, &description, &mut handle)) };
        if let Err(LevelZeroError::Call { code, .. }) = &made
            && [ze::ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, ze::ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION]
                .iter()
                .any(|refused| refused.0 == *code)
        {
            return Err(LevelZeroError::Format { device: device(), format });
        }
        made?;
        Ok(Self { handle, format, row, padded, height, slices, mended: Done::default(), context })
    }

    /// Whether it was created in this context.
    pub(super) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    pub(super) fn handle(&self) -> ze::ze_image_handle_t {
        self.handle
    }

    /// Records a copy of these rows to a part of the image; without rows, zeros. Returns the outcome of its batch.
    pub(super) fn write(
        self: &Arc<Self>,
        stream: &mut Stream,
        part: Rect,
        rows: Option<Rows<'_>>,
    ) -> Result<Outcome, LevelZeroError> {
        let row = part.width * self.format.texel_bytes();
        let mut staged = stream.staged(row * part.height)?;
        let bytes = staged.bytes_mut(row * part.height);
        match rows {
            None => bytes.fill(0),
            Some(rows) => rows.copy_to(bytes, row),
        }
        let staged = Arc::new(staged);
        let source = staged.address();
        let region = self.region(part);
        // SAFETY: the image and the staged memory, which holds the region, are kept.
        let outcome = unsafe {
            stream.append(&[Used::written(self), Used::read(&staged)], |api, list| {
                call!(
                    api,
                    zeCommandListAppendImageCopyFromMemory(
                        list,
                        self.handle,
                        source.cast(),
                        &region,
                        ptr::null_mut(),
                        0,
                        ptr::null_mut()
                    )
                )
            })
        }?;
        self.set_stale();
        Ok(outcome)
    }

    /// Records a copy of a part of the image to the host, tightly packed.
    pub(super) fn read(
        self: &Arc<Self>,
        stream: &mut Stream,
        part: Rect,
    ) -> Result<Transfer, LevelZeroError> {
        let bytes = part.width * part.height * self.format.texel_bytes();
        let staged = Arc::new(stream.staged(bytes)?);
        let (target, region) = (staged.address(), self.region(part));
        // SAFETY: the image and the staged memory, which holds the region, are kept.
        let outcome = unsafe {
            stream.append(&[Used::read(self), Used::written(&staged)], |api, list| {
                call!(
                    api,
                    zeCommandListAppendImageCopyToMemory(
                        list,
                        target.cast(),
                        self.handle,
                        &region,
                        ptr::null_mut(),
                        0,
                        ptr::null_mut()
                    )
                )
            })
        }?;
        Ok(Transfer::new(staged, bytes, outcome))
    }

    /// Whether the padding must be rewritten before a kernel reads the image.
    pub(super) fn is_stale(&self) -> bool {
        // Rows of whole dwords have no padding.
        self.row != self.padded && !self.mended.is_set()
    }

    /// Records that the image was written.
    pub(super) fn set_stale(&self) {
        self.mended.unset();
    }

    /// Records that the padding is rewritten by a command of this batch.
    pub(super) fn set_mended(&self, by: Outcome) {
        self.mended.set(by);
    }

    /// The padding to be written.
    pub(super) fn padding(&self) -> Padding {
        let columns = padding::columns(self.format, self.row);
        Padding { columns, x: self.padded - 4, height: self.height }
    }

    /// The format.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Bytes of a row, and rows; of a 3-D surface, those of a slice.
    pub(super) fn extent(&self) -> [usize; 2] {
        [self.row, self.height / self.slices.unwrap_or(1)]
    }

    /// Whether it has three dimensions.
    pub(super) fn is_3d(&self) -> bool {
        self.slices.is_some()
    }

    /// A part of the image in the units of the device: packed YUV in pairs of texels. Of a 3-D surface it is
    /// a part of a slice, or whole columns of slices.
    fn region(&self, part: Rect) -> ze::ze_image_region_t {
        let [_, rows] = self.extent();
        let (z, y, depth) = match self.slices {
            None => (0, part.y, 1),
            Some(_) => (part.y / rows, part.y % rows, part.height.div_ceil(rows)),
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let columns = |texels: usize| number(texels * self.format.texel_bytes() / texel(self.format));
        ze::ze_image_region_t {
            originX: columns(part.x),
            originY: number(y),
            originZ: number(z),
            width: columns(part.width),
            height: number(part.height / depth),
            depth: number(depth),
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the handle is this object's own, and the stream keeps the object while the device uses it.
        unsafe { destroy!(self.context.api, zeImageDestroy(self.handle)) }
    }
}

/// Bytes of a texel for the device. Packed YUV is bound as dwords, the pairs of texels that share chroma.
const fn texel(format: Format) -> usize {
    format.alignment()
}

/// The image format for the device. Kernels see bytes, so only the size of the texels matters.
fn layout(format: Format) -> ze::ze_image_format_t {
    let (layout, kind) = match format {
        Format::R8 | Format::Nv12 | Format::Yv12 | Format::I420 => {
            (ze::ZE_IMAGE_FORMAT_LAYOUT_8, ze::ZE_IMAGE_FORMAT_TYPE_UINT)
        }
        Format::R16 | Format::P010 => (ze::ZE_IMAGE_FORMAT_LAYOUT_16, ze::ZE_IMAGE_FORMAT_TYPE_UINT),
        Format::R32 | Format::Yuyv | Format::Uyvy => {
            (ze::ZE_IMAGE_FORMAT_LAYOUT_32, ze::ZE_IMAGE_FORMAT_TYPE_UINT)
        }
        Format::R32F => (ze::ZE_IMAGE_FORMAT_LAYOUT_32, ze::ZE_IMAGE_FORMAT_TYPE_FLOAT),
        Format::Rgba8 | Format::Bgra8 => (ze::ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ze::ZE_IMAGE_FORMAT_TYPE_UINT),
    };
    // Media blocks move unchanged bytes, so the order of channels does not matter here.
    let four = matches!(format, Format::Rgba8 | Format::Bgra8);
    ze::ze_image_format_t {
        layout,
        type_: kind,
        x: ze::ZE_IMAGE_FORMAT_SWIZZLE_R,
        y: if four { ze::ZE_IMAGE_FORMAT_SWIZZLE_G } else { ze::ZE_IMAGE_FORMAT_SWIZZLE_0 },
        z: if four { ze::ZE_IMAGE_FORMAT_SWIZZLE_B } else { ze::ZE_IMAGE_FORMAT_SWIZZLE_0 },
        w: if four { ze::ZE_IMAGE_FORMAT_SWIZZLE_A } else { ze::ZE_IMAGE_FORMAT_SWIZZLE_1 },
    }
}
