//! Regions that are used after the last use of their register.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_support::numbers::elements;

/// Regions outlive their registers; some overlap, and one is converted twice.
#[kernel]
fn late_regions(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let m: Matrix<u8, 4, 16> = input.read(x, y);
    let (a, b, c) =
        (m.select::<4, 1, 8, 1>(0, 0), m.select::<4, 1, 8, 1>(0, 3), m.select::<4, 1, 8, 1>(0, 8));
    let m: Matrix<u8, 4, 16> = input.read(x + 16, y);
    let d = m.select::<4, 1, 8, 1>(0, 5);
    let sum = a * 1000 + b * 2000 - c * 3000;
    output.write(x * 4, y, &(sum + d * 4000 - d * 5));
}

#[test]
fn regions_outlive_registers() {
    let (width, height) = (64, 12);
    let data: Vec<u8> = (0..width * height).map(|n| (n * n / 5 + n * 37) as u8).collect();
    for &engine in CpuEngine::ALL {
        let device = Device::cpu_with_threads(1).unwrap().with_cpu_engine(engine);
        let input = Surface2D::from_bytes(&device, Format::R8, width, height, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R32, 32, height).unwrap();
        late_regions::launch(&device, ThreadSpace::new(4, 3).unwrap(), &input, &mut output).unwrap();
        let found: Vec<i32> = elements(&output.to_vec().unwrap());
        for (x, y) in (0..32).flat_map(|x| (0..height).map(move |y| (x, y))) {
            let byte = |c: usize| i32::from(data[y * width + x + c]);
            let expected = byte(0) * 1000 + byte(3) * 2000 - byte(8) * 3000 + byte(21) * 3995;
            assert_eq!(found[y * 32 + x], expected, "{engine:?} {x} {y}");
        }
    }
}
