//! Surfaces from and to views of the crate ndarray. This is a feature: users who do not enable it neither build that
//! crate nor depend on its versions.

use ndarray::{Array2, ArrayView, ArrayView3, ArrayViewMut, ArrayViewMut3, Axis, Dimension, Ix2, Ix3};

use crate::device::Device;
use crate::error::Result;
use crate::format::Format;
use crate::host_memory::zeros;
use crate::rows::{Rows, RowsMut};
use crate::samples::{Sample, pixels};
use crate::surface::{Surface2D, checked_length};

/// The dimensions of arrays that are pictures: rows and columns, or rows, columns and the samples of a pixel.
pub trait PictureDimension: Dimension {
    /// The view with the samples of a pixel as the third dimension.
    #[doc(hidden)]
    fn pixels<T>(array: ArrayView<'_, T, Self>) -> ArrayView3<'_, T>;

    /// The same view, for writing.
    #[doc(hidden)]
    fn pixels_mut<T>(array: ArrayViewMut<'_, T, Self>) -> ArrayViewMut3<'_, T>;
}

impl PictureDimension for Ix2 {
    fn pixels<T>(array: ArrayView<'_, T, Self>) -> ArrayView3<'_, T> {
        array.insert_axis(Axis(2))
    }

    fn pixels_mut<T>(array: ArrayViewMut<'_, T, Self>) -> ArrayViewMut3<'_, T> {
        array.insert_axis(Axis(2))
    }
}

impl PictureDimension for Ix3 {
    fn pixels<T>(array: ArrayView<'_, T, Self>) -> ArrayView3<'_, T> {
        array
    }

    fn pixels_mut<T>(array: ArrayViewMut<'_, T, Self>) -> ArrayViewMut3<'_, T> {
        array
    }
}

/// The surface for an array of rows, columns and samples of a pixel: format, texels of a row, rows.
fn surface_of<T: Sample>((rows, columns, samples): (usize, usize, usize)) -> (Format, usize, usize) {
    let (format, texels) = pixels::<T>(samples);
    (format, columns.saturating_mul(texels), rows)
}

/// Passes the rows of an array to `act`. They are copied first only if the elements of a row are not contiguous.
fn with_rows<T: Sample, R>(array: ArrayView3<'_, T>, act: impl FnOnce(Rows<'_>) -> R) -> R {
    let (height, columns, samples) = array.dim();
    let row = columns * samples * size_of::<T>();
    if let Some(all) = array.as_slice() {
        return act(Rows::pitched(bytemuck::cast_slice(all), row, row, height));
    }
    let ordered;
    let view = if row_of(array, 0).is_some() {
        array
    } else {
        ordered = array.as_standard_layout();
        ordered.view()
    };
    // All rows have the strides of the first one.
    act(Rows::each(&|n| row_of(view, n).map(bytemuck::cast_slice).unwrap_or_default(), row, height))
}

/// The elements of a row, if they are contiguous.
fn row_of<T>(array: ArrayView3<'_, T>, n: usize) -> Option<&[T]> {
    array.index_axis_move(Axis(0), n).to_slice()
}

/// Arrays of the crate `ndarray`, with its feature.
impl Surface2D {
    /// Creates a surface from an array of rows and columns, or of rows, columns and the samples of a pixel. The surface
    /// has the size of the array and the format of its pixels; see [`Sample`].
    ///
    /// A view may be a part of an array and may have any strides. Its rows are copied once. If the elements of a row
    /// are not contiguous, they are first copied into order.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    ///
    /// ```
    /// use cm::prelude::*;
    /// use ndarray::{Array3, array, s};
    ///
    /// let device = Device::best()?;
    /// let heights = array![[0.5f32, 1.0, 1.5], [2.0, 2.5, 3.0]];
    /// let surface = Surface2D::from_array(&device, heights.slice(s![.., 1..]))?;
    /// assert_eq!((surface.format(), surface.width(), surface.height()), (Format::R32F, 2, 2));
    /// assert_eq!(surface.to_array::<f32>()?, array![[1.0, 1.5], [2.5, 3.0]]);
    ///
    /// let colours = Array3::<u8>::zeros((5, 7, 4));
    /// assert_eq!(Surface2D::from_array(&device, colours.view())?.format(), Format::Rgba8);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn from_array<T: Sample, D: PictureDimension>(
        device: &Device,
        array: ArrayView<'_, T, D>,
    ) -> Result<Self> {
        let array = D::pixels(array);
        let (format, width, height) = surface_of::<T>(array.dim());
        checked_length(format, width, height)?;
        with_rows(array, |rows| Self::of_one_plane(device, format, [width, height], None, Some(rows)))
    }

    /// Overwrites all texels with an array.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if its size or the format of its pixels is not that of the surface. The surface is then
    /// unchanged. [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use ndarray::array;
    /// let mut surface = Surface2D::new(&Device::best()?, Format::R8, 3, 2)?;
    /// surface.write_array(array![[1u8, 2], [3, 4], [5, 6]].t())?;
    /// assert_eq!(surface.to_vec()?, [1, 3, 5, 2, 4, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn write_array<T: Sample, D: PictureDimension>(&mut self, array: ArrayView<'_, T, D>) -> Result<()> {
        let array = D::pixels(array);
        let (format, width, height) = surface_of::<T>(array.dim());
        self.check_picture(format, width, height)?;
        with_rows(array, |rows| self.write_plane(self.whole(), rows, None))
    }

    /// Copies all texels to a new array of rows and columns.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if such elements have another format; otherwise the errors of [`to_vec`](Self::to_vec).
    ///
    /// ```
    /// use cm::prelude::*;
    /// use ndarray::array;
    /// let surface = Surface2D::from_slice(&Device::best()?, Format::R16, 2, 1, &[7u16, 8])?;
    /// assert_eq!(surface.to_array::<u16>()?, array![[7, 8]]);
    /// assert!(surface.to_array::<u8>().is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn to_array<T: Sample>(&self) -> Result<Array2<T>> {
        self.check_picture(T::FORMAT, self.width(), self.height())?;
        let mut elements = zeros::<T>(self.width() * self.height())?;
        self.read_into(&mut elements)?;
        let array = Array2::from_shape_vec((self.height(), self.width()), elements);
        Ok(array.unwrap_or_else(|_| unreachable!("as many elements as the surface has")))
    }

    /// Copies all texels to the caller's array, or to a part of it.
    ///
    /// # Errors
    /// [`Error::OtherPicture`] if its size or the format of its pixels is not that of the surface;
    /// [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use ndarray::{Array2, array, s};
    /// let surface = Surface2D::from_bytes(&Device::best()?, Format::R8, 2, 1, &[5, 6])?;
    /// let mut bytes = Array2::<u8>::zeros((2, 4));
    /// surface.read_array(bytes.slice_mut(s![1..2, 1..3]))?;
    /// assert_eq!(bytes, array![[0, 0, 0, 0], [0, 5, 6, 0]]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn read_array<T: Sample, D: PictureDimension>(&self, array: ArrayViewMut<'_, T, D>) -> Result<()> {
        let mut array = D::pixels_mut(array);
        let (format, width, height) = surface_of::<T>(array.dim());
        self.check_picture(format, width, height)?;
        if let Some(all) = array.as_slice_mut() {
            return self.read_into(all);
        }
        let mut put = |n: usize, bytes: &[u8]| {
            let mut row = array.index_axis_mut(Axis(0), n);
            if let Some(row) = row.as_slice_mut() {
                bytemuck::cast_slice_mut(row).copy_from_slice(bytes);
                return;
            }
            for (element, bytes) in row.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
                *element = bytemuck::pod_read_unaligned(bytes);
            }
        };
        self.read_plane(self.whole(), RowsMut::each(&mut put, self.row_bytes(), height))
    }
}
