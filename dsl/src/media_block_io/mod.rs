//! The built-ins of OpenCL's `cl_intel_media_block_io`, under their own names: they read and write regions of
//! a surface as the values of a sub-group.
//!
//! In OpenCL each work item of a sub-group has its own value; in cm one kernel thread has the values of all work
//! items. A sub-group of `SG` work items is a row of `SG` lanes: a `uchar` is a `Vector<u8, SG>`, and a
//! `uchar4` is a `Matrix<u8, 4, SG>` whose row `k` is component `k` of every work item. So you can port a
//! kernel line by line:
//!
//! | OpenCL C | cm |
//! |---|---|
//! | `intel_sub_group_media_block_read_uc4((int2)(x, y), 32, 2, image)` | `sub_group_media_block_read_uc4::<16, 32, 2>(x, y, image)` |
//! | `intel_sub_group_media_block_write_us2((int2)(x, y), 16, 2, texels, image)` | `sub_group_media_block_write_us2::<16, 16, 2>(x, y, texels, image)` |
//! | `texels.s1` of this work item | `texels.row(1)` of all work items |
//!
//! The constants are `SG`, the sub-group size, and the width and the height of the region, which are
//! constants in the extension too. The arguments have the order of the extension: offset, texels, image.
//!
//! # Regions
//!
//! `x` counts bytes and is a multiple of 4, `y` counts rows; both may be negative. `WIDTH` counts elements:
//! bytes in the `uc` built-ins, words in `us`, dwords in `ui`. `HEIGHT` counts rows.
//!
//! | Bytes of a row | Maximum rows |
//! |---|---|
//! | 4 | 64 |
//! | 8 | 32 |
//! | 12, 16 | 16 |
//! | 20, 24, 28, 32 | 8 |
//!
//! Component `k` of work item `n` is element `k * SG + n` of the region, counted row by row. If the region
//! has fewer elements than the sub-group, the missing elements are 0 after a read (the extension leaves them
//! undefined), and a write ignores them. If the region has more elements, the last ones are neither read nor written.
//!
//! Reads beyond the edge repeat the nearest texel of the surface's format, like
//! [`Surface::read`](crate::surface::Surface::read); out-of-bounds writes are dropped.
//!
//! # Limits
//!
//! `cargo check` refuses widths and heights that are not in the table, sub-group sizes other than 8, 16 and
//! 32, and literal columns that are not multiples of 4. Host numbers, and columns that depend only on the
//! thread's coordinates, are checked when the kernel is recorded. If another column is not a multiple of 4, a
//! read returns the bytes at that column, and the hardware does not define the effect of a write.
//!
//! The forms whose names end in `_any` have no bounds. Const-generic kernels and functions use them
//! automatically.
//!
//! ```
//! use cm::media_block_io::{sub_group_media_block_read_uc2, sub_group_media_block_write_uc2};
//! use cm::prelude::*;
//!
//! /// Copies 8 x 4 regions, 16 work items each: a work item has two bytes, from rows 0 or 1 and 2 or 3.
//! #[kernel]
//! fn copy(input: &Surface2D, output: &mut Surface2D) {
//!     let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
//!     let texels = sub_group_media_block_read_uc2::<16, 8, 4>(x, y, input);
//!     sub_group_media_block_write_uc2::<16, 8, 4>(x, y, texels, output);
//! }
//!
//! let device = Device::cpu()?;
//! let bytes: Vec<u8> = (0..64).collect();
//! let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &bytes)?;
//! let mut output = Surface2D::new(&device, Format::R8, 16, 4)?;
//! copy::launch(&device, ThreadSpace::new(2, 1)?, &input, &mut output)?;
//! assert_eq!(output.to_vec()?, bytes);
//! # Ok::<(), cm::Error>(())
//! ```
//!
//! # The examples of the extension
//!
//! The left edge of a macroblock, a region of 1 x 16 dwords, in 16 work items: work item `n` has row `n`, and
//! the texel to the left of the macroblock is the last byte of its dword.
//!
//! ```
//! use cm::media_block_io::{sub_group_media_block_read_ui, sub_group_media_block_read_us4};
//! use cm::prelude::*;
//!
//! #[kernel]
//! fn left_edge(luma: &Surface2D, edge: &mut Surface2D) {
//!     let x = thread_origin_x() * 16;
//!     let dwords = sub_group_media_block_read_ui::<16, 1, 16>(x - 4, 0, luma);
//!     let texels: Vector<u8, 16> = (dwords >> 24).convert();
//!     edge.write(x, 0, &texels);
//! }
//!
//! /// A region of 16 x 2 words in 8 work items: each one has 4 words, 8 words apart.
//! #[kernel]
//! fn words(input: &Surface2D, output: &mut Surface2D) {
//!     let texels = sub_group_media_block_read_us4::<8, 16, 2>(0, 0, input);
//!     output.write(0, 0, &texels);
//! }
//!
//! let device = Device::cpu()?;
//! let bytes: Vec<u8> = (0..=255).cycle().take(32 * 16).collect();
//! let luma = Surface2D::from_bytes(&device, Format::R8, 32, 16, &bytes)?;
//! let mut edge = Surface2D::new(&device, Format::R8, 32, 1)?;
//! left_edge::launch(&device, ThreadSpace::new(2, 1)?, &luma, &mut edge)?;
//! for (n, texel) in edge.to_vec()?.into_iter().enumerate() {
//!     // Left of the first macroblock is the edge of the surface.
//!     let column = if n < 16 { 0 } else { 15 };
//!     assert_eq!(texel, bytes[n % 16 * 32 + column]);
//! }
//!
//! let mut rows = Surface2D::new(&device, Format::R16, 8, 4)?;
//! words::launch(&device, ThreadSpace::new(1, 1)?, &luma, &mut rows)?;
//! assert_eq!(rows.to_vec()?, &bytes[..64]);
//! # Ok::<(), cm::Error>(())
//! ```

mod region;
mod texels;

pub use texels::Texels;

use cm_macros::op;

use crate::address::{Coordinate, DwordColumn};
use crate::backend::Backend;
use crate::limits::{Len, RegionHeight, RegionWidth, SubGroup};
use crate::registers::{Matrix, Offset, Vector};
use crate::surface::Surface;

/// The values of a sub-group with `$k` components.
macro_rules! values {
    (1, $t:ty) => { Vector<$t, SG, B> };
    ($k:tt, $t:ty) => { Matrix<$t, $k, SG, B> };
}

macro_rules! from_reg {
    (1, $reg:expr) => {
        Vector::from_reg($reg)
    };
    ($k:tt, $reg:expr) => {
        Matrix::from_reg($reg)
    };
}

macro_rules! built_ins {
    ($($k:tt $t:ident $unit:literal $c:literal $suffix:literal:
        $read:ident $read_any:ident $write:ident $write_any:ident;)*) => {$(
        #[doc = concat!(
            "Reads a region of `WIDTH` ", $unit, " x `HEIGHT` rows, ", $k, " of them per work item. \
                OpenCL: `", $c,
            " intel_sub_group_media_block_read_", $suffix, "(int2 src_byte_offset, int width, int height, \
                image2d_t image)`."
        )]
        ///
        /// `x` counts bytes and is a multiple of 4; `y` counts rows. Elements that the region does not have
        /// are 0. Reads beyond the edge repeat the nearest texel. The [module](self) has the limits and
        /// examples.
        #[op]
        pub fn $read<const SG: usize, const WIDTH: usize, const HEIGHT: usize, B: Backend>(
            x: impl Offset<DwordColumn, B>,
            y: impl Offset<Coordinate, B>,
            image: &Surface<B>,
        ) -> values!($k, $t)
        where
            Len<SG>: SubGroup,
            Len<WIDTH>: RegionWidth<$t>,
            Len<HEIGHT>: RegionHeight<$t, WIDTH>,
        {
            $read_any::<SG, WIDTH, HEIGHT, B>(x, y, image)
        }

        #[doc = concat!(
            "[`", stringify!($read), "`] without bounds. The sub-group size and the region are checked when \
                the kernel is recorded."
        )]
        #[op]
        pub fn $read_any<const SG: usize, const WIDTH: usize, const HEIGHT: usize, B: Backend>(
            x: impl Offset<DwordColumn, B>,
            y: impl Offset<Coordinate, B>,
            image: &Surface<B>,
        ) -> values!($k, $t) {
            from_reg!($k, region::read::<$t, $k, SG, WIDTH, HEIGHT, B>(x, y, image))
        }

        #[doc = concat!(
            "Writes a region of `WIDTH` ", $unit, " x `HEIGHT` rows, ", $k, " of them per work item. OpenCL: `void \
             intel_sub_group_media_block_write_", $suffix, "(int2 src_byte_offset, int width, int \
                 height, ", $c,
            " texels, image2d_t image)`."
        )]
        ///
        /// `x` counts bytes and is a multiple of 4; `y` counts rows. Elements that only the sub-group or only
        /// the region has are not written. Out-of-bounds writes are dropped. The [module](self) has the
        /// limits and examples.
        #[op]
        pub fn $write<const SG: usize, const WIDTH: usize, const HEIGHT: usize, B: Backend>(
            x: impl Offset<DwordColumn, B>,
            y: impl Offset<Coordinate, B>,
            texels: impl Texels<$t, $k, SG, B>,
            image: &mut Surface<B>,
        ) where
            Len<SG>: SubGroup,
            Len<WIDTH>: RegionWidth<$t>,
            Len<HEIGHT>: RegionHeight<$t, WIDTH>,
        {
            $write_any::<SG, WIDTH, HEIGHT, B>(x, y, texels, image);
        }

        #[doc = concat!(
            "[`", stringify!($write), "`] without bounds. The sub-group size and the region are checked when \
                the kernel is recorded."
        )]
        #[op]
        pub fn $write_any<const SG: usize, const WIDTH: usize, const HEIGHT: usize, B: Backend>(
            x: impl Offset<DwordColumn, B>,
            y: impl Offset<Coordinate, B>,
            texels: impl Texels<$t, $k, SG, B>,
            image: &mut Surface<B>,
        ) {
            region::write::<$t, $k, SG, WIDTH, HEIGHT, B>(x, y, texels, image);
        }
    )*};
}

built_ins! {
    1 u8 "bytes" "uchar" "uc":
        sub_group_media_block_read_uc sub_group_media_block_read_uc_any sub_group_media_block_write_uc sub_group_media_block_write_uc_any;
    2 u8 "bytes" "uchar2" "uc2":
        sub_group_media_block_read_uc2 sub_group_media_block_read_uc2_any sub_group_media_block_write_uc2 sub_group_media_block_write_uc2_any;
    4 u8 "bytes" "uchar4" "uc4":
        sub_group_media_block_read_uc4 sub_group_media_block_read_uc4_any sub_group_media_block_write_uc4 sub_group_media_block_write_uc4_any;
    8 u8 "bytes" "uchar8" "uc8":
        sub_group_media_block_read_uc8 sub_group_media_block_read_uc8_any sub_group_media_block_write_uc8 sub_group_media_block_write_uc8_any;
    16 u8 "bytes" "uchar16" "uc16":
        sub_group_media_block_read_uc16 sub_group_media_block_read_uc16_any sub_group_media_block_write_uc16 sub_group_media_block_write_uc16_any;
    1 u16 "words" "ushort" "us":
        sub_group_media_block_read_us sub_group_media_block_read_us_any sub_group_media_block_write_us sub_group_media_block_write_us_any;
    2 u16 "words" "ushort2" "us2":
        sub_group_media_block_read_us2 sub_group_media_block_read_us2_any sub_group_media_block_write_us2 sub_group_media_block_write_us2_any;
    4 u16 "words" "ushort4" "us4":
        sub_group_media_block_read_us4 sub_group_media_block_read_us4_any sub_group_media_block_write_us4 sub_group_media_block_write_us4_any;
    8 u16 "words" "ushort8" "us8":
        sub_group_media_block_read_us8 sub_group_media_block_read_us8_any sub_group_media_block_write_us8 sub_group_media_block_write_us8_any;
    16 u16 "words" "ushort16" "us16":
        sub_group_media_block_read_us16 sub_group_media_block_read_us16_any sub_group_media_block_write_us16 sub_group_media_block_write_us16_any;
    1 u32 "dwords" "uint" "ui":
        sub_group_media_block_read_ui sub_group_media_block_read_ui_any sub_group_media_block_write_ui sub_group_media_block_write_ui_any;
    2 u32 "dwords" "uint2" "ui2":
        sub_group_media_block_read_ui2 sub_group_media_block_read_ui2_any sub_group_media_block_write_ui2 sub_group_media_block_write_ui2_any;
    4 u32 "dwords" "uint4" "ui4":
        sub_group_media_block_read_ui4 sub_group_media_block_read_ui4_any sub_group_media_block_write_ui4 sub_group_media_block_write_ui4_any;
    8 u32 "dwords" "uint8" "ui8":
        sub_group_media_block_read_ui8 sub_group_media_block_read_ui8_any sub_group_media_block_write_ui8 sub_group_media_block_write_ui8_any;
}
