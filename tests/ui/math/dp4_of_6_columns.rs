use cm::math::dp4;
use cm::prelude::*;

fn main() {
    let pixels = Matrix::<u8, 3, 6>::splat(1);
    let _ = dp4::<f32, _>(pixels, 0.5f32);
}
