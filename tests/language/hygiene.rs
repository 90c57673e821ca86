//! Kernels that a `macro_rules!` generates: names keep their meaning.

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

/// Parameters with the names that `launch` uses itself, and a constant with the name of the backend
/// parameter.
#[kernel]
fn clashing<const B: usize>(device: &Surface2D, space: &mut Surface2D, args: i32, source: Vector<u8, 4>) {
    let block = device.read::<u8, 4, 16>(0, 0);
    let mut sum: Matrix<u8, 4, 16> = (block + args).convert();
    sum.row_mut(B).select_mut::<4, 1>(0).assign(source);
    space.write(0, 0, &sum);
}

#[test]
fn parameters_may_have_any_name() {
    let cpu = Device::cpu().unwrap();
    let input = Surface2D::from_bytes(&cpu, Format::R8, 16, 4, &[1; 64]).unwrap();
    let mut output = Surface2D::new(&cpu, Format::R8, 16, 4).unwrap();
    let source = Vector::from_array([5u8, 6, 7, 8]);
    clashing::<1>::launch(&cpu, ThreadSpace::new(1, 1).unwrap(), &input, &mut output, 3, source).unwrap();
    let bytes = output.to_vec().unwrap();
    assert_eq!((bytes[0], &bytes[16..21]), (4, &[5, 6, 7, 8, 4][..]));
}

/// CM's `CM_STATIC_ERROR`, with constants and const parameters.
#[kernel]
fn checked<const N: usize>(output: &mut Surface2D) {
    const ROWS: usize = 2;
    const _: () = assert!(ROWS.is_power_of_two(), "rows come in powers of two");
    const { assert!(N.is_multiple_of(4), "rows are whole dwords") };
    output.write(0, 0, &Matrix::<u8, ROWS, N>::splat(7));
}

#[test]
fn constants_are_checked_where_they_stand() {
    let cpu = Device::cpu().unwrap();
    let mut output = Surface2D::new(&cpu, Format::R8, 8, 2).unwrap();
    checked::<8>::launch(&cpu, ThreadSpace::new(1, 1).unwrap(), &mut output).unwrap();
    assert_eq!(output.to_vec().unwrap(), [7; 16]);
}
