use cm::prelude::*;

#[function]
fn bits(v: Vector<u32, 8>) -> Vector<u32, 8> {
    (v << 1).convert()
}

#[kernel]
fn k(buffer: &mut Buffer<u32>) {
    let v = buffer.read::<8>(0);
    let mut alive = v > 1;
    alive = alive & bits(v);
    buffer.write(0, &(v + alive));
}

fn main() {}
