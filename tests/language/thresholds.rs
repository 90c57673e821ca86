//! Comparisons of bytes with literals inside and outside of their range, which have names, against scalar code.

use cm::prelude::*;
use cm::{Format, Surface2D, ThreadSpace};
use cm_test_support::devices::devices;

/// Kernels that compare bytes with a literal and give the masks names, and their scalar code: the common type of both is `$common`.
macro_rules! thresholds {
    ($($name:ident: $elem:ident with [$($literal:tt)+] as $common:ident;)*) => {
        $(
            #[kernel]
            fn $name(input: &Surface2D, output: &mut Surface2D) {
                let (x, y) = (thread_origin_x() * 32, thread_origin_y() * 8);
                let m = input.read::<$elem, 8, 32>(x, y);
                let less = m < $($literal)+;
                let most = m <= $($literal)+;
                let more = m > $($literal)+;
                let least = m >= $($literal)+;
                let equal = m == $($literal)+;
                let other = m != $($literal)+;
                let mut out = Matrix::<u8, 8, 32>::splat(0);
                out.merge(1, less);
                out.merge(out + 2, most);
                out.merge(out + 4, more);
                out.merge(out + 8, least);
                out.merge(out + 16, equal);
                out.merge(out + 32, other);
                out.merge(out + 64, less);
                out.merge(out + 128, least);
                output.write(x, y, &out);
            }
        )*

        #[test]
        fn bytes_beside_literals_outside_of_bytes() -> cm::Result<()> {
            // All bytes, in another order in each row.
            let data: Vec<u8> = (0..64 * 16).map(|k| (k * 37 + k / 256) as u8).collect();
            for device in &devices(1) {
                let input = Surface2D::from_bytes(device, Format::R8, 64, 16, &data)?;
                $(
                    let mut output = Surface2D::new(device, Format::R8, 64, 16)?;
                    $name::launch(device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
                    let expected = data.iter().map(|byte| {
                        let (x, y) = (*byte as $elem as $common, $($literal)+ as $common);
                        let bits = [x < y, x <= y, x > y, x >= y, x == y, x != y, x < y, x >= y];
                        (0..).zip(bits).map(|(k, bit)| u8::from(bit) << k).sum()
                    });
                    let expected: Vec<u8> = expected.collect();
                    assert_eq!(output.to_vec()?, expected, "{} {}", stringify!($name), device.name());
                )*
            }
            Ok(())
        }
    };
}

thresholds! {
    bytes_with_300: u8 with [300] as i32;
    bytes_with_minus_1: u8 with [-1] as i32;
    bytes_with_200: u8 with [200u32] as u32;
    bytes_with_0: u8 with [0] as i32;
    bytes_with_255: u8 with [255] as i32;
    bytes_with_256: u8 with [256u32] as u32;
    signed_bytes_with_300: i8 with [300] as i32;
    signed_bytes_with_minus_1: i8 with [-1] as i32;
    signed_bytes_with_minus_128: i8 with [-128] as i32;
    signed_bytes_with_minus_129: i8 with [-129] as i32;
    signed_bytes_with_200: i8 with [200u32] as u32;
    signed_bytes_with_255: i8 with [255] as i32;
    signed_bytes_with_0: i8 with [0] as i32;
}
