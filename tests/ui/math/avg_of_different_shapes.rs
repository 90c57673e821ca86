use cm::prelude::*;

fn main() {
    let (a, b) = (Vector::<u8, 4>::splat(1), Vector::<u8, 8>::splat(1));
    let _ = math::avg::<u8, _>(a, b);
}
