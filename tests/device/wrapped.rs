//! Coordinates that wrap in large launches of groups: the edge rule applies to what they wrap to.

use cm::prelude::*;
use cm_test_support::devices::surface_devices;

const WIDTH: usize = 64;

/// Each thread writes 12 columns of the second row. In 16 bits, thread 5461 is 4 columns left of the surface.
#[kernel]
fn in_16_bits(out: &mut Surface2D) {
    let x = (group_id(0) * 12).convert::<i16>();
    out.write(x, 1, &Matrix::<u8, 1, 12>::splat(7));
}

#[test]
fn what_is_left_of_a_row_is_not_the_row_before() {
    let mut expected = vec![0; 3 * WIDTH];
    expected[WIDTH..2 * WIDTH].fill(7);
    for device in surface_devices(2) {
        let mut out = Surface2D::new(&device, Format::R8, WIDTH, 3).unwrap();
        in_16_bits::launch(&device, ThreadGroups::new([5462, 1, 1], [1, 1, 1]).unwrap(), &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected, "{}", device.name());
    }
}
