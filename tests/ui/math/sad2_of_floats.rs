use cm::prelude::*;

fn main() {
    let x = Vector::<f32, 16>::splat(1);
    let _ = math::sad2::<f32, _>(x, 2);
}
