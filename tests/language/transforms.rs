//! Transposed, mirrored and rotated matrices, element by element, on every device and in the interpreter.

use cm::interpret::{InterpretArg, interpret};
use cm::prelude::*;
use cm_test_kernels::transforms as kernels;
use cm_test_support::devices::devices;
use cm_test_support::memory::Linear;
use cm_test_support::noise::stream;
use cm_test_support::numbers::elements;

/// The row and the column of the source, for each of the seven results in order, and whether its sides are swapped.
type Source = fn([usize; 2], [usize; 2]) -> [usize; 2];
const RESULTS: [(bool, Source); 7] = [
    (true, |[i, j], _| [j, i]),
    (true, |[i, j], [rows, columns]| [rows - 1 - j, columns - 1 - i]),
    (false, |[i, j], [rows, _]| [rows - 1 - i, j]),
    (false, |[i, j], [_, columns]| [i, columns - 1 - j]),
    (true, |[i, j], [rows, _]| [rows - 1 - j, i]),
    (false, |[i, j], [rows, columns]| [rows - 1 - i, columns - 1 - j]),
    (true, |[i, j], [_, columns]| [j, columns - 1 - i]),
];

fn expected(input: &[u8], [rows, columns]: [usize; 2], size: usize) -> Vec<u8> {
    let mut all = vec![];
    for matrix in input.chunks(rows * columns * size) {
        for (swapped, source) in RESULTS {
            let [own_rows, own_columns] = if swapped { [columns, rows] } else { [rows, columns] };
            for (i, j) in (0..own_rows).flat_map(|i| (0..own_columns).map(move |j| (i, j))) {
                let [row, column] = source([i, j], [rows, columns]);
                all.extend_from_slice(&matrix[(row * columns + column) * size..][..size]);
            }
        }
    }
    all
}

macro_rules! tests {
    ($($name:ident: $t:ident $rows:literal x $columns:literal;)*) => {$(
        #[test]
        fn $name() {
            const SIZE: usize = size_of::<$t>();
            let mut next = stream(3);
            let bytes: Vec<u8> = (0..5 * $rows * $columns * SIZE).map(|_| next() as u8).collect();
            let expected = expected(&bytes, [$rows, $columns], SIZE);
            let threads = ThreadSpace::new(5, 1).unwrap();
            for device in devices(2) {
                let elements: Vec<$t> = elements(&bytes);
                let input = Buffer::from_slice(&device, &elements).unwrap();
                let mut output = Buffer::<$t>::new(&device, 7 * elements.len()).unwrap();
                kernels::$name::launch(&device, threads, &input, &mut output).unwrap();
                let found = output.to_vec().unwrap();
                assert!(bytemuck::cast_slice::<$t, u8>(&found) == expected, "{}", device.name());
            }
            let (mut input, mut output) = (Linear::new(bytes), Linear::new(vec![0; expected.len()]));
            for x in 0..5 {
                let mut args = [InterpretArg::Buffer(&mut input), InterpretArg::Buffer(&mut output)];
                interpret(&kernels::$name::ir().unwrap(), &mut args, [x, 0]).unwrap();
            }
            assert!(output.into_bytes() == expected, "the interpreter");
        }
    )*};
}
cm_test_kernels::for_each_transform!(tests);
