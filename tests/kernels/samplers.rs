//! Samples of surfaces, by every filter and address mode.

use cm::channels::{CM_A, CM_ABGR, CM_ABR, CM_AR, CM_BGR, CM_G, CM_GR, CM_R};
use cm::prelude::*;
use cm::sampler::{Border, Clamp, Linear, Mirror, MirrorOnce, Nearest, Wrap};

/// Samples at up to 32 coordinates, to rows of 32 elements, and then the channels of the texels at these coordinates.
/// `places` has 32 coordinates of each axis, then the indices of the lanes.
macro_rules! samples {
    ($surface:ident ($($axis:ident: $from:literal),+), $lanes_at:literal; $($rest:tt)*) => {
        samples!(@each $surface ($($axis: $from),+), $lanes_at; $($rest)*);
    };
    (
        @each $surface:ident $axes:tt, $lanes_at:literal;
        $($name:ident: $filter:ident, $mode:ident, $t:ident, $mask:ident, $rows:literal x $lanes:literal;)*
    ) => {$(
        samples!(@one $surface $axes, $lanes_at; $name: $filter, $mode, $t, $mask, $rows x $lanes);
    )*};
    (
        @one $surface:ident ($($axis:ident: $from:literal),+), $lanes_at:literal;
        $name:ident: $filter:ident, $mode:ident, $t:ident, $mask:ident, $rows:literal x $lanes:literal
    ) => {
        #[doc = concat!(stringify!($filter), " samples, `", stringify!($mode), "`.")]
        #[kernel]
        pub fn $name(
            input: &$surface,
            sampler: Sampler<$filter, $mode>,
            places: &Buffer<f32>,
            output: &mut Buffer<f32>,
        ) {
            $(let $axis = places.read::<32>($from).select::<$lanes, 1>(0);)+
            let lanes: Vector<u32, $lanes> = places.read::<32>($lanes_at).select::<$lanes, 1>(0).convert();
            let samples = input.sample::<$t, $mask, $rows, $lanes>(&sampler, $(&$axis),+);
            for row in 0..$rows {
                output.write_scattered(row * 32, &lanes, &samples.row(row));
            }
            $(let $axis: Vector<i32, $lanes> = $axis.convert();)+
            let texels = input.load_texels::<$t, $mask, $rows, $lanes>(&sampler, $(&$axis),+);
            for row in 0..$rows {
                output.write_scattered(128 + row * 32, &lanes, &texels.row(row));
            }
        }
    };
}

samples! {
    Surface2D (u: 0, v: 128), 256;
    nearest_clamp: Nearest, Clamp, u32, CM_ABGR, 4 x 16;
    nearest_wrap: Nearest, Wrap, u32, CM_AR, 2 x 32;
    nearest_mirror: Nearest, Mirror, u32, CM_R, 1 x 8;
    nearest_mirror_once: Nearest, MirrorOnce, u32, CM_A, 1 x 16;
    nearest_border: Nearest, Border, u32, CM_ABR, 3 x 4;
    linear_clamp: Linear, Clamp, u32, CM_ABGR, 4 x 16;
    linear_wrap: Linear, Wrap, u32, CM_BGR, 3 x 16;
    linear_mirror: Linear, Mirror, u32, CM_R, 1 x 32;
    linear_mirror_once: Linear, MirrorOnce, u32, CM_GR, 2 x 16;
    linear_border: Linear, Border, u32, CM_ABGR, 4 x 8;
    one_linear: Linear, Clamp, u32, CM_G, 1 x 1;
    nearest_float: Nearest, Wrap, f32, CM_ABGR, 4 x 8;
    linear_float: Linear, Clamp, f32, CM_R, 1 x 16;
    linear_float_border: Linear, Border, f32, CM_AR, 2 x 16;
}

samples! {
    Surface3D (u: 0, v: 128, r: 256), 384;
    nearest_in_slices: Nearest, Mirror, u32, CM_ABGR, 4 x 8;
    linear_in_slices: Linear, Clamp, u32, CM_ABGR, 4 x 8;
    linear_wrap_in_slices: Linear, Wrap, u32, CM_R, 1 x 16;
    linear_float_in_slices: Linear, Border, f32, CM_AR, 2 x 16;
}

/// Tiles of 8 x 2 texels of a scaled picture: 16 samples of three channels, as bytes. CM's tutorial `Sampler3D`.
#[kernel]
pub fn sampler_3d(
    input: &Surface2D,
    sampler: Sampler<Linear, Clamp>,
    output: &mut Surface2D,
    across: f32,
    down: f32,
) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let column = Vector::<f32, 16>::from_array([
        0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5,
    ]);
    let row = Vector::<f32, 16>::from_array([
        0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5,
    ]);
    let u: Vector<f32, 16> = (column + x * 8) * across;
    let v: Vector<f32, 16> = (row + y * 2) * down;
    let colours = input.sample::<u32, CM_BGR, 3, 16>(&sampler, &u, &v);
    let mut tile = Matrix::<u8, 2, 32>::splat(255);
    for channel in 0..3 {
        let bytes = math::rnde::<u8, _>(colours.row(channel) * 255.0f32);
        tile.select_mut::<2, 1, 8, 4>(0, channel).assign(bytes.format::<u8, 2, 8>());
    }
    output.write(x * 32, y * 2, &tile);
}
