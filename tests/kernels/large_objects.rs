//! Objects that fit only the larger register files: their regions, elements, masks, formats and reductions.

use cm::prelude::*;

/// Kernels that read an object, change it by operations of every kind, and write it. The rows and columns of regions are
/// `i` and `j`; `indices` are the numbers of elements.
#[macro_export]
macro_rules! for_each_large_object {
    ($then:ident) => {
        $then! {
            bytes_6144: 8192, u8 48 x 128;
            words_6144: 8192, i16 24 x 128;
            floats_6144: 8192, f32 24 x 64;
            bytes_12288: 16384, u8 96 x 128;
            halves_8192: 16384, f16 32 x 128;
            dwords_8192: 16384, u32 16 x 128;
            floats_8192: 16384, f32 16 x 128;
            floats_12288: 16384, f32 24 x 128;
            qwords_12288: 16384, i64 24 x 64;
        }
    };
}

macro_rules! kernels {
    ($($name:ident: $file:literal, $t:ident $r:literal x $c:literal;)*) => {$(
        /// An object of this number of bytes, in a register file of that number.
        #[kernel(register_file = $file)]
        pub fn $name(
            input: &Buffer<$t>,
            indices: &Buffer<u16>,
            output: &mut Buffer<$t>,
            sums: &mut Buffer<$t>,
            i: i32,
            j: i32,
        ) {
            let mut m: Matrix<$t, $r, $c> = input.read_linear::<{ $r * $c }>(0).format::<$t, $r, $c>();
            // Regions, at offsets that are clamped.
            let region = m.select::<4, 2, 16, 2>(i, j);
            m.select_mut::<4, 1, 16, 1>(j, i).assign(region);
            let row = m.row(i + 1);
            m.row_mut(j).assign(row);
            let column = m.column(j);
            m.column_mut(i).assign(column);
            let last = m.select::<2, 1, $c, 1>($r - 2, 0);
            m.select_mut::<2, 1, $c, 1>(i, 0).assign(last);
            let element = m.get(i, j);
            m.get_mut($r - 1, $c - 1).assign(element);
            // Elements by their numbers.
            let chosen = m.format::<$t>().iselect(indices.read::<32>(0));
            m.row_mut(2).select_mut::<32, 2>(1).assign(chosen);
            // Masks.
            let (a, b) = (m.row($r - 1), m.row(0));
            m.row_mut($r - 2).merge(a, &(a > b));
            let mask = m.select::<4, 1, 16, 1>(i, j) > m.select::<4, 1, 16, 1>(j, i);
            m.select_mut::<4, 1, 16, 1>($r - 4, $c - 16).merge_else(a.get(1), b.get(2), &mask);
            // Sums of the last rows, and of all elements.
            let rows = m.select::<{ $r / 4 }, 1, $c, 1>($r - $r / 4, 0);
            sums.write(0, &Vector::<$t, 16>::splat(math::sum::<$t, _>(rows)));
            sums.write(16 * size_of::<$t>(), &Vector::<$t, 16>::splat(math::sum::<$t, _>(m)));
            // Other elements in the same bytes.
            let bytes = m.format::<u8>().select::<32, 3>(i * 100);
            m.format_mut::<u8>().select_mut::<32, 1>(j * 50).assign(bytes);
            m.format_mut::<u8, { 2 * $r }, { size_of::<$t>() * $c / 2 }>().row_mut(2 * $r - 1).assign(7);
            output.write_linear(0, &m.format::<$t>());
        }
    )*};
}

for_each_large_object!(kernels);
