//! Kernels with functions of neighbouring elements.

use cm::prelude::*;

/// The distance of each pair of texels from the pair one column further.
#[kernel]
pub fn distances(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    let a = input.read::<u8, 8, 16>(x, y);
    let b = input.read::<u8, 8, 16>(x + 1, y);
    output.write(x, y, &math::sad2::<u16, _>(a, b).select::<8, 1, 8, 2>(0, 0));
}

/// RGBA texels with the red channel of sepia.
#[kernel]
pub fn sepia_red(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 4);
    let texels = input.read::<u8, 4, 32>(x, y);
    let mut out = texels;
    let weights: Vector<f32, 4> = Vector::<f32, 4>::from_array([0.272, 0.534, 0.131, 0.0]);
    let rows = weights.replicate::<8>();
    for i in 0..4 {
        let channel: Vector<u8, 32> = math::dp4::<u8, _>(texels.row(i), rows);
        out.row_mut(i).select_mut::<8, 4>(0).assign(channel.select::<8, 4>(0));
    }
    output.write(x, y, &out);
}

/// Numbers of all sizes, extended numbers as unsigned ones, and float products with sums.
#[kernel]
pub fn groups_of_all_sizes(input: &Surface2D, output: &mut Surface2D) {
    let a = input.read::<i8, 4, 16>(0, 0);
    let b = input.read::<i8, 4, 16>(16, 0);
    output.write(0, 0, &math::sad2::<u32, _>(a.convert::<u32>(), b));
    output.write(64, 0, &math::sad2::<i16, _>(a, b));
    output.write(0, 4, &math::sad2_sat::<i8, _>(a, b.convert::<i16>()));
    output.write(16, 4, &math::sad2::<u16, _>(a.convert::<u16>(), b));
    output.write(48, 4, &math::sad2_sat::<u8, _>(input.read::<u8, 4, 16>(3, 7), a));
    output.write(64, 4, &math::sad2::<i16, _>(a.convert::<i32>().convert::<u32>(), 100));
    output.write(0, 8, &math::dp4::<i32, _>(a, b));
    output.write(64, 8, &math::dp4::<i16, _>(a.convert::<u16>(), b.convert::<i64>()));
    output.write(0, 12, &math::dp4::<f32, _>(a, 0.111f32));
    output.write(64, 12, &math::dp4::<f16, _>(a.convert::<f16>(), b));
    let product = a * 0.3f32;
    output.write(0, 16, &(math::dp4::<f32, _>(product, b) * 1.7f32 + product));
    output.write(64, 16, &math::dp4::<u16, _>(product, product));
    let (a, b) = (a.select::<2, 1, 8, 1>(0, 0), b.select::<2, 1, 8, 1>(1, 3));
    output.write(0, 20, &math::sad2::<i64, _>(a.convert::<i64>(), b));
    output.write(0, 22, &math::sad2::<u64, _>(a.convert::<u64>(), b));
}
