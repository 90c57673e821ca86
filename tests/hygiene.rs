//! Kernels that a `macro_rules!` writes: names keep their meaning.

use cm::prelude::*;

macro_rules! scaled {
    ($name:ident, $factor:literal, $input:ident, $output:ident, |$block:ident| $result:expr) => {
        #[kernel]
        fn $name($input: &Surface2D, $output: &mut Surface2D, bias: i32) {
            let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
            let mut $block = $input.read::<u8, 4, 16>(x, y);
            $block += bias;
            let mut total = $block * $factor;
            if ($block > 100).any() {
                total = ($result).convert();
            }
            $output.write(x, y, &total.convert::<u8>());
        }
    };
}

scaled!(doubled, 2, input, output, |m| m * 2 + 1);
scaled!(tripled, 3, source, target, |x| x * 3 - 1);

#[test]
fn names_of_a_macro_keep_their_meaning() {
    let device = Device::cpu().unwrap();
    let launched = |dark: u8| {
        let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[dark; 64]).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
        let space = ThreadSpace::new(1, 1).unwrap();
        doubled::launch(&device, space, &input, &mut output, 1).unwrap();
        let first = output.to_vec().unwrap()[5];
        tripled::launch(&device, space, &input, &mut output, 1).unwrap();
        (first, output.to_vec().unwrap()[63])
    };
    assert_eq!(launched(9), (20, 30));
    assert_eq!(launched(119), (241, 103));
}
