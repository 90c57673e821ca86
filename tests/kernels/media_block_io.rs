//! For each built-in, a kernel that reads with it, and one that writes with it. The values of a sub-group are
//! stored in a surface row by row, one row for each component; plain media blocks read and write this
//! surface.

use cm::media_block_io::*;
use cm::prelude::*;

macro_rules! kernels {
    ($($t:ident $size:literal: $($k:literal $read:ident $write:ident $reads:ident $writes:ident)*;)*) => {$($(
        /// Writes the data that the work items read to the output.
        #[kernel]
        pub fn $reads<const SG: usize, const WIDTH: usize, const HEIGHT: usize>(
            input: &Surface2D,
            output: &mut Surface2D,
            x: i32,
            y: i32,
        ) {
            let texels = $read::<SG, WIDTH, HEIGHT>(x, y, input);
            for k in 0..$k {
                for n in 0..SG / 8 {
                    output.write(n * 8 * $size, k, &texels.select::<1, 1, 8, 1>(k, n * 8));
                }
            }
        }

        /// Writes the data of the input with the built-in.
        #[kernel]
        pub fn $writes<const SG: usize, const WIDTH: usize, const HEIGHT: usize>(
            input: &Surface2D,
            output: &mut Surface2D,
            x: i32,
            y: i32,
        ) {
            let mut texels = Matrix::<$t, $k, SG>::splat(0);
            for k in 0..$k {
                for n in 0..SG / 8 {
                    texels.select_mut::<1, 1, 8, 1>(k, n * 8).assign(input.read::<$t, 1, 8>(n * 8 * $size, k));
                }
            }
            $write::<SG, WIDTH, HEIGHT>(x, y, texels, output);
        }
    )*)*};
}

kernels! {
    u8 1:
        2 sub_group_media_block_read_uc2 sub_group_media_block_write_uc2 reads_uc2 writes_uc2
        4 sub_group_media_block_read_uc4 sub_group_media_block_write_uc4 reads_uc4 writes_uc4
        8 sub_group_media_block_read_uc8 sub_group_media_block_write_uc8 reads_uc8 writes_uc8
        16 sub_group_media_block_read_uc16 sub_group_media_block_write_uc16 reads_uc16 writes_uc16;
    u16 2:
        2 sub_group_media_block_read_us2 sub_group_media_block_write_us2 reads_us2 writes_us2
        4 sub_group_media_block_read_us4 sub_group_media_block_write_us4 reads_us4 writes_us4
        8 sub_group_media_block_read_us8 sub_group_media_block_write_us8 reads_us8 writes_us8
        16 sub_group_media_block_read_us16 sub_group_media_block_write_us16 reads_us16 writes_us16;
    u32 4:
        2 sub_group_media_block_read_ui2 sub_group_media_block_write_ui2 reads_ui2 writes_ui2
        4 sub_group_media_block_read_ui4 sub_group_media_block_write_ui4 reads_ui4 writes_ui4
        8 sub_group_media_block_read_ui8 sub_group_media_block_write_ui8 reads_ui8 writes_ui8;
}

/// The same for built-ins with one element for each work item, as vectors.
macro_rules! single {
    ($($t:ident $size:literal $read:ident $write:ident $reads:ident $writes:ident;)*) => {$(
        /// Writes the data that the work items read to the output.
        #[kernel]
        pub fn $reads<const SG: usize, const WIDTH: usize, const HEIGHT: usize>(
            input: &Surface2D,
            output: &mut Surface2D,
            x: i32,
            y: i32,
        ) {
            let texels: Vector<$t, SG> = $read::<SG, WIDTH, HEIGHT>(x, y, input);
            for n in 0..SG / 8 {
                output.write(n * 8 * $size, 0, &texels.select::<8, 1>(n * 8));
            }
        }

        /// Writes the data of the input with the built-in.
        #[kernel]
        pub fn $writes<const SG: usize, const WIDTH: usize, const HEIGHT: usize>(
            input: &Surface2D,
            output: &mut Surface2D,
            x: i32,
            y: i32,
        ) {
            let mut texels = Vector::<$t, SG>::splat(0);
            for n in 0..SG / 8 {
                texels.select_mut::<8, 1>(n * 8).assign(input.read::<$t, 1, 8>(n * 8 * $size, 0));
            }
            $write::<SG, WIDTH, HEIGHT>(x, y, texels, output);
        }
    )*};
}

single! {
    u8 1 sub_group_media_block_read_uc sub_group_media_block_write_uc reads_uc1 writes_uc1;
    u16 2 sub_group_media_block_read_us sub_group_media_block_write_us reads_us1 writes_us1;
    u32 4 sub_group_media_block_read_ui sub_group_media_block_write_ui reads_ui1 writes_ui1;
}

/// The first example of the extension: the left edge of a macroblock in 16 work items.
#[kernel]
pub fn left_edge(luma: &Surface2D, edge: &mut Surface2D) {
    let x = thread_origin_x() * 16;
    let y = thread_origin_y() * 16;
    let dwords = sub_group_media_block_read_ui::<16, 1, 16>(x - 4, y, luma);
    let texels: Vector<u8, 16> = (dwords >> 24).convert();
    edge.write(x, thread_origin_y(), &texels);
}

/// The second example of the extension: 16 x 2 words in 8 work items.
#[kernel]
pub fn words(input: &Surface2D, output: &mut Surface2D) {
    let texels: Matrix<u16, 4, 8> = sub_group_media_block_read_us4::<8, 16, 2>(8, 1, input);
    output.write(0, 0, &texels);
}
