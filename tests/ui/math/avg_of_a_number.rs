use cm::prelude::*;

fn main() {
    let _ = math::avg::<u8, _>(3, Vector::<u8, 4>::splat(1));
}
