use cm::prelude::*;

fn main() {
    let x = Vector::<i32, 4>::splat(1);
    let _ = math::exp(x);
}
