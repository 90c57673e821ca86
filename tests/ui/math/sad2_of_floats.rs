use cm::math::sad2;
use cm::prelude::*;

fn main() {
    let x = Vector::<f32, 16>::splat(1);
    let _ = sad2::<f32, _>(x, 2);
}
