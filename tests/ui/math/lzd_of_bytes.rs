use cm::prelude::*;

fn main() {
    let x = Vector::<u8, 4>::splat(1);
    let _ = math::lzd(x);
}
