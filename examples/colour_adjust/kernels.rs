//! The kernel of CM's example `ColorAdjustSIMDCF`.

use cm::prelude::*;

/// The full circle of hues.
pub const CIRCLE: i32 = 1 << 19;
/// The hue of green; the hue of red is 0.
pub const GREEN: i32 = 174_762;
/// The hue of blue.
pub const BLUE: i32 = 349_525;
const SIXTH: i32 = 87_381;
const HALF: i32 = 262_144;

/// A sixth of the circle divided by numbers up to 255.
pub const SCALE: [i32; 256] = {
    let mut table = [0; 256];
    let mut n = 1;
    while n < 256 {
        table[n] = SIXTH / n as i32;
        n += 1;
    }
    table
};

/// Rotates the hues of pixels by a part of [`CIRCLE`], and multiplies their saturation by a number of 128ths:
/// 16 pixels of 8 rows for each thread. The lightness does not change.
#[kernel]
pub fn adjust_hue_and_saturation(input: &Surface2D, output: &mut Surface2D, turn: i32, saturation: i32) {
    let (x, y) = (thread_origin_x() * 64, thread_origin_y() * 8);
    let scale = Vector::from_array(SCALE);
    let mut row = 0u32;
    while row < 8 {
        let mut pixels: Vector<u8, 64> = input.read::<u8, 1, 64>(x, y + row).row(0);
        let b: Vector<i32, 16> = pixels.select::<16, 4>(0).convert();
        let g: Vector<i32, 16> = pixels.select::<16, 4>(1).convert();
        let r: Vector<i32, 16> = pixels.select::<16, 4>(2).convert();
        let most = math::max::<i32, _>(math::max::<i32, _>(r, g), b);
        let least = math::min::<i32, _>(math::min::<i32, _>(r, g), b);
        let (light, chroma) = (most + least, most - least);
        // A grey pixel has no hue.
        let part = scale.iselect(chroma);
        let mut hue = Vector::<i32, 16>::splat(0);
        let mut adjusted = Vector::<i32, 16>::splat(0);
        simd_if! { chroma > 0 => {
            simd_if! { r == most => {
                hue = (g - b) * part;
            } else (g == most) => {
                hue = (b - r) * part + GREEN;
            } else {
                hue = (r - g) * part + BLUE;
            } }
            adjusted = math::min::<i32, _>((chroma * saturation) >> 7, math::min::<i32, _>(light, 510 - light));
        } }
        hue += turn;
        let darkest = (light - adjusted) >> 1;
        pixels.select_mut::<16, 4>(0).assign(channel(hue - BLUE, adjusted) + darkest);
        pixels.select_mut::<16, 4>(1).assign(channel(hue - GREEN, adjusted) + darkest);
        pixels.select_mut::<16, 4>(2).assign(channel(hue, adjusted) + darkest);
        output.write(x, y + row, &pixels);
        row += 1;
    }
}

/// How much a channel exceeds the darkest one, if its own hue is at this distance.
#[function]
fn channel(hue: Vector<i32, 16>, chroma: Vector<i32, 16>) -> Vector<i32, 16> {
    // The shorter distance on the circle: at most a half.
    let mut away = hue & (CIRCLE - 1);
    simd_if! { away > HALF => {
        away = CIRCLE - away;
    } }
    let mut more = chroma;
    simd_if! { away >= GREEN => {
        more = Vector::<i32, 16>::splat(0);
    } else (away > SIXTH) => {
        more = (chroma * (GREEN - away) * 6 + HALF) >> 19;
    } }
    more
}
