//! Buffers: host operations, every kernel operation lane by lane, out-of-bounds accesses, and every error.

mod atomics;
mod blocks_2d;
mod bytes;
mod errors;
mod operations;
mod regions;
mod slices;
mod uses;
mod vectors;
mod views;

use cm::prelude::*;
use cm_test_support::devices::devices;

#[test]
fn elements_go_in_and_out() -> cm::Result<()> {
    for device in &devices(2) {
        macro_rules! types {
            ($($t:ident)*) => {$({
                let mut buffer = Buffer::<$t>::new(device, 5)?;
                assert_eq!(buffer.to_vec()?, [$t::default(); 5]);
                let elements: Vec<$t> = [1u8, 0, 255, 7, 128].map($t::from).to_vec();
                buffer.write_slice(&elements)?;
                assert_eq!(buffer.to_vec()?, elements);
                assert_eq!(Buffer::from_slice(device, &elements[1..])?.to_vec()?, elements[1..]);
                assert_eq!(buffer.len(), 5);
            })*};
        }
        types! { u8 u16 i16 u32 i32 u64 i64 f16 f32 f64 }
    }
    Ok(())
}
