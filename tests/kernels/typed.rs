//! Typed accesses to surfaces, and atomic operations on texels.

use cm::channels::{
    CM_A, CM_AB, CM_ABG, CM_ABGR, CM_ABR, CM_AG, CM_AGR, CM_AR, CM_B, CM_BG, CM_BGR, CM_BR, CM_G, CM_GR, CM_R,
};
use cm::prelude::*;

/// Reads channels of the texels at up to 32 positions to rows of 32 elements, and writes elements of such
/// rows to channels of texels at other positions. `places` has the coordinates of the texels to read, then
/// of those to write, from these bytes on, then the indices of the lanes.
macro_rules! moves {
    (
        $surface:ident $coordinates:tt, $lanes_at:literal;
        $($name:ident: $t:ident, $mask:ident, $rows:literal x $lanes:literal;)*
    ) => {
        $(moves!(@one $surface $coordinates, $lanes_at; $name: $t, $mask, $rows x $lanes);)*
    };
    (
        @one $surface:ident ($($coordinate:ident: $from:literal $to:literal),+), $lanes_at:literal;
        $name:ident: $t:ident, $mask:ident, $rows:literal x $lanes:literal
    ) => {
        #[doc = concat!("Channels `", stringify!($mask), "` of ", $lanes, " texels.")]
        #[kernel]
        pub fn $name(
            input: &$surface,
            places: &Buffer<i32>,
            data: &Buffer<$t>,
            read: &mut Buffer<$t>,
            output: &mut $surface,
        ) {
            $(let $coordinate = places.read::<32>($from).select::<$lanes, 1>(0);)+
            let texels = input.read_typed::<$t, $mask, $rows, $lanes>($(&$coordinate),+);
            let lanes = places.read::<32>($lanes_at).select::<$lanes, 1>(0);
            for row in 0..$rows {
                read.write_scattered(row * 32, &lanes, &texels.row(row));
            }
            let mut values = Matrix::<$t, $rows, $lanes>::splat(0);
            for row in 0..$rows {
                values.row_mut(row).assign(data.read_scattered(row * 32, &lanes));
            }
            $(let $coordinate = places.read::<32>($to).select::<$lanes, 1>(0);)+
            output.write_typed::<$mask, $rows, $lanes>($(&$coordinate,)+ &values);
        }
    };
}
pub(crate) use moves;

moves! {
    Surface2D (u: 0 256, v: 128 384), 512;
    texels_r: u32, CM_R, 1 x 8;
    texels_g: u32, CM_G, 1 x 8;
    texels_gr: u32, CM_GR, 2 x 8;
    texels_b: u32, CM_B, 1 x 8;
    texels_br: u32, CM_BR, 2 x 8;
    texels_bg: u32, CM_BG, 2 x 8;
    texels_bgr: u32, CM_BGR, 3 x 8;
    texels_a: u32, CM_A, 1 x 8;
    texels_ar: u32, CM_AR, 2 x 8;
    texels_ag: u32, CM_AG, 2 x 8;
    texels_agr: u32, CM_AGR, 3 x 8;
    texels_ab: u32, CM_AB, 2 x 8;
    texels_abr: u32, CM_ABR, 3 x 8;
    texels_abg: u32, CM_ABG, 3 x 8;
    texels_abgr: u32, CM_ABGR, 4 x 8;
    one_texel: u32, CM_ABGR, 4 x 1;
    two_texels: i32, CM_AGR, 3 x 2;
    four_texels: u32, CM_R, 1 x 4;
    sixteen_texels: i32, CM_ABGR, 4 x 16;
    sixteen_reds: u32, CM_R, 1 x 16;
    texels_of_32: u32, CM_BG, 2 x 32;
    reds_of_32: i32, CM_R, 1 x 32;
    floats_abgr: f32, CM_ABGR, 4 x 16;
    floats_r: f32, CM_R, 1 x 32;
    floats_a: f32, CM_A, 1 x 8;
}

/// Masked accesses to texels, with lane masks and in SIMD control flow.
#[kernel]
pub fn masked_texels(
    input: &Surface2D,
    places: &Buffer<i32>,
    read: &mut Buffer<u32>,
    output: &mut Surface2D,
    bits: u32,
) {
    let (u, v) = (places.read::<16>(0), places.read::<16>(128));
    let texels = input.read_typed_masked::<u32, CM_GR, 2, 16>(bits, &u, &v);
    read.write(0, &texels.row(0));
    read.write(64, &texels.row(1));
    let (u, v) = (places.read::<16>(256), places.read::<16>(384));
    output.write_typed_masked::<CM_GR, 2, 16>(bits >> 16, &u, &v, &(texels + 3u32));
    let blue = Matrix::<u32, 1, 16>::splat(77);
    simd_if! {
        u & 1 => {
            output.write_typed::<CM_B, 1, 16>(&u, &v, &blue);
        }
    }
}

/// Neighbours in columns: each thread processes a row of 16 texels, and adds the texels above.
#[kernel]
pub fn sums_above(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y());
    let u = Vector::<i32, 16>::from_array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]) + x;
    let (v, above) = (Vector::<i32, 16>::splat(0) + y, Vector::<i32, 16>::splat(-1) + y);
    let sums =
        input.read_typed::<u32, CM_R, 1, 16>(&u, &v) + input.read_typed::<u32, CM_R, 1, 16>(&u, &above);
    output.write_typed::<CM_R, 1, 16>(&u, &v, &sums);
}

macro_rules! atomics {
    ($($name:ident: $t:ident, $x:ident $y:ident, $($op:ident $(($($source:ident),*))?)*;)*) => {$(
        /// Every atomic operation on `L` texels. `places` has their columns, their rows, and the indices of the
        /// lanes. The old values go to a buffer.
        #[kernel]
        pub fn $name<const L: usize>(
            places: &Buffer<i32>,
            sources: &Buffer<$t>,
            cells: &mut Surface2D,
            old: &mut Buffer<$t>,
        ) {
            let $x = sources.read::<32>(0).select::<L, 1>(0);
            let $y = sources.read::<32>(128).select::<L, 1>(0);
            let u = places.read::<32>(0).select::<L, 1>(0);
            let v = places.read::<32>(128).select::<L, 1>(0);
            let lanes = places.read::<32>(256).select::<L, 1>(0);
            let mut next = 0u32;
            $(
                let before = cells.fetch_typed_atomic::<$t, L>(atomic::$op $(($(&$source),*))?, &u, &v);
                old.write_scattered(next, &lanes, &before);
                next += L;
            )*
            $(cells.write_typed_atomic::<$t, L>(atomic::$op $(($(&$source),*))?, &u, &v);)*
        }
    )*};
}

atomics! {
    typed_atomics_u32: u32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    typed_atomics_i32: i32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
}

/// Atomic operations with lane masks and in SIMD control flow.
#[kernel]
pub fn masked_typed_atomics(places: &Buffer<i32>, cells: &mut Surface2D, old: &mut Buffer<u32>, bits: u32) {
    let (u, v) = (places.read::<16>(0), places.read::<16>(128));
    let x = (u * 5 + v).convert::<u32>();
    old.write(0, &cells.fetch_typed_atomic_masked::<u32, 16>(bits, atomic::Add(&x), &u, &v));
    cells.write_typed_atomic_masked::<u32, 16>(bits >> 16, atomic::Inc, &u, &v);
    simd_if! {
        u & 1 => {
            cells.write_typed_atomic::<u32, 16>(atomic::Xor(&x), &u, &v);
        }
    }
}

/// Votes: each thread counts 8 texels of a circle, as CM's example `HoughCircle` does.
#[kernel]
pub fn votes(counts: &mut Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let u = Vector::<i32, 8>::from_array([3, 2, 0, -2, -3, -2, 0, 2]) + x;
    let v = Vector::<i32, 8>::from_array([0, 2, 3, 2, 0, -2, -3, -2]) + y;
    counts.write_typed_atomic::<u32, 8>(atomic::Inc, &u, &v);
}
