use cm::prelude::*;

fn main() {
    let x = Vector::<f32, 4>::splat(1.0);
    let _ = math::avg::<f32, _>(x, 2);
}
