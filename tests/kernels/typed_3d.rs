//! Typed accesses to 3-D surfaces, and atomic operations on their texels.

use cm::channels::{
    CM_A, CM_AB, CM_ABG, CM_ABGR, CM_ABR, CM_AG, CM_AGR, CM_AR, CM_B, CM_BG, CM_BGR, CM_BR, CM_G, CM_GR, CM_R,
};
use cm::prelude::*;

use crate::typed::moves;

moves! {
    Surface3D (u: 0 384, v: 128 512, r: 256 640), 768;
    slices_r: u32, CM_R, 1 x 8;
    slices_g: i32, CM_G, 1 x 8;
    slices_gr: u32, CM_GR, 2 x 8;
    slices_b: u32, CM_B, 1 x 8;
    slices_br: u32, CM_BR, 2 x 8;
    slices_bg: u32, CM_BG, 2 x 8;
    slices_bgr: u32, CM_BGR, 3 x 8;
    slices_a: u32, CM_A, 1 x 8;
    slices_ar: u32, CM_AR, 2 x 8;
    slices_ag: u32, CM_AG, 2 x 8;
    slices_agr: u32, CM_AGR, 3 x 8;
    slices_ab: u32, CM_AB, 2 x 8;
    slices_abr: u32, CM_ABR, 3 x 8;
    slices_abg: u32, CM_ABG, 3 x 8;
    slices_abgr: u32, CM_ABGR, 4 x 8;
    one_in_slices: u32, CM_AGR, 3 x 1;
    four_in_slices: i32, CM_ABGR, 4 x 4;
    sixteen_in_slices: i32, CM_ABGR, 4 x 16;
    slices_of_32: u32, CM_BG, 2 x 32;
    floats_in_slices: f32, CM_ABGR, 4 x 16;
    floats_r_in_slices: f32, CM_R, 1 x 32;
}

/// Masked accesses to texels, with lane masks and in SIMD control flow.
#[kernel]
pub fn masked_slices(
    input: &Surface3D,
    places: &Buffer<i32>,
    read: &mut Buffer<u32>,
    output: &mut Surface3D,
    bits: u32,
) {
    let (u, v, r) = (places.read::<16>(0), places.read::<16>(128), places.read::<16>(256));
    let texels = input.read_typed_masked::<u32, CM_GR, 2, 16>(bits, &u, &v, &r);
    read.write(0, &texels.row(0));
    read.write(64, &texels.row(1));
    let (u, v, r) = (places.read::<16>(384), places.read::<16>(512), places.read::<16>(640));
    output.write_typed_masked::<CM_GR, 2, 16>(bits >> 16, &u, &v, &r, &(texels + 3u32));
    let blue = Matrix::<u32, 1, 16>::splat(77);
    simd_if! {
        r & 1 => {
            output.write_typed::<CM_BG, 2, 16>(&u, &v, &r, &blue.replicate::<2>().format::<u32, 2, 16>());
        }
    }
}

macro_rules! atomics {
    ($($name:ident: $t:ident, $x:ident $y:ident, $($op:ident $(($($source:ident),*))?)*;)*) => {$(
        /// Every atomic operation on `L` texels. `places` has their columns, rows and slices. The old values go to a
        /// buffer.
        #[kernel]
        pub fn $name<const L: usize>(
            places: &Buffer<i32>,
            sources: &Buffer<$t>,
            cells: &mut Surface3D,
            old: &mut Buffer<$t>,
        ) {
            let $x = sources.read::<32>(0).select::<L, 1>(0);
            let $y = sources.read::<32>(128).select::<L, 1>(0);
            let u = places.read::<32>(0).select::<L, 1>(0);
            let v = places.read::<32>(128).select::<L, 1>(0);
            let r = places.read::<32>(256).select::<L, 1>(0);
            let lanes = places.read::<32>(768).select::<L, 1>(0);
            let mut next = 0u32;
            $(
                let before = cells.fetch_typed_atomic::<$t, L>(atomic::$op $(($(&$source),*))?, &u, &v, &r);
                old.write_scattered(next, &lanes, &before);
                next += L;
            )*
            $(cells.write_typed_atomic::<$t, L>(atomic::$op $(($(&$source),*))?, &u, &v, &r);)*
        }
    )*};
}

atomics! {
    slice_atomics_u32: u32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
    slice_atomics_i32: i32, x y, Add(x) Sub(y) Inc Dec Min(x) Max(y) CmpXchg(x, y) And(x) Or(y) Xor(x) Xchg(y) CmpXchg(x, y);
}

/// Atomic operations with lane masks and in SIMD control flow.
#[kernel]
pub fn masked_slice_atomics(places: &Buffer<i32>, cells: &mut Surface3D, old: &mut Buffer<u32>, bits: u32) {
    let (u, v, r) = (places.read::<16>(0), places.read::<16>(128), places.read::<16>(256));
    let x = (u * 5 + v + r * 7).convert::<u32>();
    old.write(0, &cells.fetch_typed_atomic_masked::<u32, 16>(bits, atomic::Add(&x), &u, &v, &r));
    cells.write_typed_atomic_masked::<u32, 16>(bits >> 16, atomic::Inc, &u, &v, &r);
    simd_if! {
        u & 1 => {
            cells.write_typed_atomic::<u32, 16>(atomic::Xor(&x), &u, &v, &r);
        }
    }
}

/// Sums of neighbours: each thread processes 8 texels of a row in every slice, and adds those in the slices before and
/// after.
#[kernel]
pub fn sums_of_slices(input: &Surface3D, output: &mut Surface3D, slices: u32) {
    let u = Vector::<i32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]) + thread_origin_x() * 8;
    let v = Vector::<i32, 8>::splat(0) + thread_origin_y();
    for z in 0..slices {
        let r = Vector::<u32, 8>::splat(0) + z;
        let here = input.read_typed::<u32, CM_R, 1, 8>(&u, &v, &r);
        let near = input.read_typed::<u32, CM_R, 1, 8>(&u, &v, &(r - 1u32))
            + input.read_typed::<u32, CM_R, 1, 8>(&u, &v, &(r + 1u32));
        output.write_typed::<CM_R, 1, 8>(&u, &v, &r, &(here + near));
    }
}
