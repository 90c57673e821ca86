use cm::prelude::*;

#[registers]
struct Direction {
    x: Vector<f32, 8>,
    y: Vector<f32, 8>,
}

#[kernel]
fn k(buffer: &mut Buffer<f32>) {
    let v = buffer.read::<8>(0);
    let d = Direction { x: v / v, y: 1.0 / v };
    buffer.write(0, &(d.x + d.y));
}

fn main() {}
