//! Surfaces from and to the buffers of the crate image and the views of the crate ndarray, on every device.

use cm::Error;
use cm::prelude::*;
use cm_runtime::Sample;
use cm_test_support::devices::surface_devices;
use cm_test_support::noise;
use image::{
    DynamicImage, GenericImage, GenericImageView, GrayImage, ImageBuffer, Luma, LumaA, Pixel, Rgb, RgbImage,
    Rgba, SubImage,
};
use ndarray::{Array2, Array3, ArrayView2, ArrayView3, s};

/// Elements that differ from their neighbours.
fn elements<T: Sample>(count: usize, make: impl Fn(u32) -> T) -> Vec<T> {
    (0..count).map(|n| make(noise::number(n))).collect()
}

fn bytes<T: Sample>(elements: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(elements).to_vec()
}

/// Images of this pixel and parts of them, in and out.
fn images<P>(device: &Device, format: Format, texels: usize, make: impl Fn(u32) -> P::Subpixel + Copy)
where
    P: Pixel<Subpixel: Sample> + PartialEq + std::fmt::Debug,
{
    let (width, height, samples) = (7, 5, usize::from(P::CHANNEL_COUNT));
    let image = |first: u32| {
        let elements = elements(width * height * samples, |n| make(n + first));
        ImageBuffer::<P, Vec<_>>::from_raw(width as u32, height as u32, elements).unwrap()
    };
    let whole = image(0);
    let mut surface = Surface2D::from_image(device, &whole).unwrap();
    let what = format!("{format} of {samples} samples on {}", device.name());
    let shape = (surface.format(), surface.width(), surface.height());
    assert_eq!(shape, (format, width * texels, height), "{what}");
    assert_eq!(surface.to_vec().unwrap(), bytes(whole.as_raw()), "{what}");
    assert!(surface.to_image::<P>().unwrap() == whole, "{what}");

    for (x, y, columns, rows) in [(0, 0, 7, 5), (1, 2, 3, 2), (6, 4, 1, 1), (0, 3, 7, 1), (3, 0, 2, 5)] {
        let view = whole.view(x, y, columns, rows);
        let part = Surface2D::from_image(device, &view).unwrap();
        // The crate's own copy goes from pixel to pixel.
        let expected =
            ImageBuffer::<P, Vec<_>>::from_fn(columns, rows, |i, j| *whole.get_pixel(x + i, y + j));
        assert_eq!(part.to_vec().unwrap(), bytes(expected.as_raw()), "{what}: {columns} x {rows}");
        // Into the same part of another image, whose other pixels stay.
        let before = image(1);
        let mut after = before.clone();
        part.read_image(&mut after.sub_image(x, y, columns, rows)).unwrap();
        let inside = |i: u32, j: u32| (x..x + columns).contains(&i) && (y..y + rows).contains(&j);
        for (i, j, pixel) in after.enumerate_pixels() {
            let expected = if inside(i, j) { &whole } else { &before };
            assert_eq!(pixel, expected.get_pixel(i, j), "{what}: ({i}, {j})");
        }
        let mut overwritten = Surface2D::from_image(device, &before.view(x, y, columns, rows)).unwrap();
        overwritten.write_image(&view).unwrap();
        assert_eq!(overwritten.to_vec().unwrap(), part.to_vec().unwrap(), "{what}");
    }

    // What does not fit changes nothing.
    for (columns, rows) in [(6, 5), (7, 4)] {
        let other = whole.view(0, 0, columns, rows);
        let error = surface.write_image(&other).unwrap_err();
        assert!(matches!(error, Error::OtherPicture { .. }), "{what}: {error}");
        let mut target = whole.clone();
        let error = surface.read_image(&mut target.sub_image(0, 0, columns, rows)).unwrap_err();
        let surface_named = format!("a surface of {} x 5 texels of {format}", 7 * texels);
        assert!(error.to_string().contains(&surface_named), "{error}");
    }
    for (x, y, columns, rows) in [(1, 0, 7, 5), (0, 1, 7, 5), (8, 0, 0, 1), (u32::MAX, 0, 1, 1)] {
        let view = SubImage::new(&whole, x, y, columns, rows);
        let error = Surface2D::from_image(device, &view).unwrap_err();
        assert!(matches!(error, Error::PicturePart { picture_width: 7, picture_height: 5, .. }), "{error}");
    }
    for (x, y, columns, rows) in [(7, 5, 0, 0), (7, 0, 0, 5), (0, 5, 7, 0)] {
        let error = Surface2D::from_image(device, &SubImage::new(&whole, x, y, columns, rows)).unwrap_err();
        assert!(matches!(error, Error::EmptySurface { .. }), "{error}");
    }
    assert_eq!(surface.to_vec().unwrap(), bytes(whole.as_raw()), "{what}");
}

#[test]
fn images_of_every_pixel() {
    for device in &surface_devices(2) {
        let (byte, word, float) = (|n| n as u8, |n| n as u16, |n| n as f32 / 7.0);
        images::<Luma<u8>>(device, Format::R8, 1, byte);
        images::<LumaA<u8>>(device, Format::R16, 1, byte);
        images::<Rgb<u8>>(device, Format::R8, 3, byte);
        images::<Rgba<u8>>(device, Format::Rgba8, 1, byte);
        images::<Luma<u16>>(device, Format::R16, 1, word);
        images::<LumaA<u16>>(device, Format::R32, 1, word);
        images::<Rgb<u16>>(device, Format::R16, 3, word);
        images::<Rgba<u16>>(device, Format::R16, 4, word);
        images::<Luma<f32>>(device, Format::R32F, 1, float);
        images::<Rgb<f32>>(device, Format::R32F, 3, float);
        images::<Rgba<f32>>(device, Format::R32F, 4, float);
        images::<Luma<u32>>(device, Format::R32, 1, |n| n);
    }
}

#[test]
fn images_of_a_type_known_at_run_time() {
    let device = Device::cpu_with_threads(1).unwrap();
    let rgb = RgbImage::from_fn(4, 3, |x, y| Rgb([x as u8 * 9, y as u8 * 50, 7]));
    let any = DynamicImage::ImageRgb8(rgb);
    let every: [(DynamicImage, Format, usize); 10] = [
        (any.to_luma8().into(), Format::R8, 4),
        (any.to_luma_alpha8().into(), Format::R16, 4),
        (any.to_rgb8().into(), Format::R8, 12),
        (any.to_rgba8().into(), Format::Rgba8, 4),
        (any.to_luma16().into(), Format::R16, 4),
        (any.to_luma_alpha16().into(), Format::R32, 4),
        (any.to_rgb16().into(), Format::R16, 12),
        (any.to_rgba16().into(), Format::R16, 16),
        (any.to_rgb32f().into(), Format::R32F, 12),
        (any.to_rgba32f().into(), Format::R32F, 16),
    ];
    for (image, format, width) in &every {
        let surface = Surface2D::from_image(&device, image).unwrap();
        assert_eq!((surface.format(), surface.width(), surface.height()), (*format, *width, 3));
        assert_eq!(surface.to_vec().unwrap(), image.as_bytes());
    }
}

#[test]
fn images_of_another_type_are_refused() {
    for device in &surface_devices(1) {
        let surface = Surface2D::new(device, Format::R8, 8, 2).unwrap();
        assert_eq!(surface.to_image::<Luma<u8>>().unwrap(), GrayImage::new(8, 2));
        // 8 bytes are no whole pixels of 3, and words no bytes.
        for error in [
            surface.to_image::<Rgb<u8>>().unwrap_err(),
            surface.to_image::<Luma<u16>>().unwrap_err(),
            surface.to_image::<Rgba<u8>>().unwrap_err(),
            surface.read_image(&mut GrayImage::new(8, 3)).unwrap_err(),
            surface.to_array::<f32>().unwrap_err(),
            surface.read_array(Array2::<u8>::zeros((8, 2)).view_mut()).unwrap_err(),
            surface.read_array(Array3::<u8>::zeros((2, 4, 2)).view_mut()).unwrap_err(),
        ] {
            assert!(
                matches!(error, Error::OtherPicture { surface_width: 8, surface_height: 2, .. }),
                "{error}"
            );
        }
        let planes = Surface2D::new(device, Format::Nv12, 8, 2).unwrap();
        assert!(matches!(planes.to_image::<Luma<u8>>(), Err(Error::OtherPicture { .. })));
        assert!(matches!(planes.to_array::<u8>(), Err(Error::OtherPicture { .. })));
    }
}

/// A view in and out: the elements in the order of rows.
fn view2<T: Sample>(device: &Device, view: ArrayView2<'_, T>, what: &str) {
    let expected: Vec<T> = view.iter().copied().collect();
    let mut surface = Surface2D::from_array(device, view).unwrap();
    let what = format!("{what} of {} on {}", T::NAME, device.name());
    assert_eq!(
        (surface.format(), surface.height(), surface.width()),
        (T::FORMAT, view.nrows(), view.ncols())
    );
    assert_eq!(surface.to_vec().unwrap(), bytes(&expected), "{what}");
    assert_eq!(surface.to_array::<T>().unwrap(), view, "{what}");
    surface.write_slice(&vec![T::default(); expected.len()]).unwrap();
    surface.write_array(view).unwrap();
    assert_eq!(surface.to_vec().unwrap(), bytes(&expected), "{what}");
}

fn views<T: Sample>(device: &Device, make: impl Fn(u32) -> T) {
    let whole = Array2::from_shape_vec((6, 9), elements(54, make)).unwrap();
    view2(device, whole.view(), "all");
    view2(device, whole.slice(s![1..4, 2..7]), "a part");
    view2(device, whole.slice(s![.., 8..]), "a column");
    view2(device, whole.slice(s![..;-1, ..]), "rows from below");
    view2(device, whole.slice(s![..;2, ..]), "every second row");
    view2(device, whole.slice(s![.., ..;-1]), "columns from the right");
    view2(device, whole.slice(s![.., 1..;3]), "every third column");
    view2(device, whole.t(), "columns as rows");
    view2(device, whole.row(2).broadcast((4, 9)).unwrap(), "a row again and again");

    // Out into views of every kind; what is beside them stays.
    let mut target = whole.mapv(|_| T::default());
    let source = Surface2D::from_array(device, whole.slice(s![1..4, 2..5])).unwrap();
    source.read_array(target.slice_mut(s![1..4, 2..5])).unwrap();
    source.read_array(target.slice_mut(s![..3, 6..])).unwrap();
    let mut expected = whole.mapv(|_| T::default());
    expected.slice_mut(s![1..4, 2..5]).assign(&whole.slice(s![1..4, 2..5]));
    expected.slice_mut(s![..3, 6..]).assign(&whole.slice(s![1..4, 2..5]));
    assert_eq!(target, expected);
    source.read_array(target.slice_mut(s![..3, 4..7;-1])).unwrap();
    expected.slice_mut(s![..3, 4..7;-1]).assign(&whole.slice(s![1..4, 2..5]));
    source.read_array(target.slice_mut(s![3..6;-1, ..3]).reversed_axes()).unwrap();
    expected.slice_mut(s![3..6;-1, ..3]).reversed_axes().assign(&whole.slice(s![1..4, 2..5]));
    assert_eq!(target, expected);
}

#[test]
fn arrays_of_every_element_and_stride() {
    for device in &surface_devices(2) {
        views(device, |n| n as u8);
        views(device, |n| n as i8);
        views(device, |n| n as u16);
        views(device, |n| n as i16);
        views(device, |n| f16::from_f32((n % 1000) as f32));
        views(device, |n| bf16::from_f32((n % 100) as f32));
        views(device, |n| n);
        views(device, |n| n as i32);
        views(device, |n| n as f32 / 3.0);
    }
}

/// Pixels in the third dimension.
fn view3<T: Sample>(device: &Device, view: ArrayView3<'_, T>, format: Format, texels: usize) {
    let expected: Vec<T> = view.iter().copied().collect();
    let surface = Surface2D::from_array(device, view).unwrap();
    let (rows, columns, _) = view.dim();
    assert_eq!((surface.format(), surface.height(), surface.width()), (format, rows, columns * texels));
    assert_eq!(surface.to_vec().unwrap(), bytes(&expected), "{format} on {}", device.name());
    let mut target = Array3::from_elem(view.dim(), T::default());
    surface.read_array(target.view_mut()).unwrap();
    assert_eq!(target, view);
}

#[test]
fn arrays_of_pixels() {
    for device in &surface_devices(2) {
        for (samples, format, texels) in [
            (1, Format::R8, 1),
            (2, Format::R16, 1),
            (3, Format::R8, 3),
            (4, Format::Rgba8, 1),
            (5, Format::R8, 5),
        ] {
            let whole = Array3::from_shape_vec((4, 6, samples), elements(24 * samples, |n| n as u8)).unwrap();
            view3(device, whole.view(), format, texels);
            view3(device, whole.slice(s![1..3, 2..5, ..]), format, texels);
            view3(device, whole.slice(s![..;-1, ..;-1, ..]), format, texels);
            // Samples in planes, as some libraries have them.
            let planes = whole.view().permuted_axes([2, 0, 1]).as_standard_layout().into_owned();
            view3(device, planes.view().permuted_axes([1, 2, 0]), format, texels);
        }
        let words = Array3::from_shape_vec((2, 3, 2), elements(12, |n| n as u16)).unwrap();
        view3(device, words.view(), Format::R32, 1);
        let floats = Array3::from_shape_vec((2, 3, 2), elements(12, |n| n as f32)).unwrap();
        view3(device, floats.view(), Format::R32F, 2);
    }
}

#[test]
fn arrays_without_elements() {
    let device = Device::cpu_with_threads(1).unwrap();
    for (rows, columns, samples) in [(0, 3, 1), (3, 0, 1), (3, 3, 0), (0, 0, 4)] {
        let array = Array3::<u8>::zeros((rows, columns, samples));
        let error = Surface2D::from_array(&device, array.view()).unwrap_err();
        assert!(matches!(error, Error::EmptySurface { .. }), "{error}");
    }
}
