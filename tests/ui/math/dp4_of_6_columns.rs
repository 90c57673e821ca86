use cm::prelude::*;

fn main() {
    let pixels = Matrix::<u8, 3, 6>::splat(1);
    let _ = math::dp4::<f32, _>(pixels, 0.5f32);
}
