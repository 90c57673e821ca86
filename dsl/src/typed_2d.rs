//! Typed accesses to 2-D surfaces.

use cm_macros::op;

use crate::atomic::Atomic;
use crate::backend::Backend;
use crate::limits::{
    ChannelRows, Channels, Len, ScatteredLanes, Shape, TexelNumber, TypedAtomicElem, TypedElem,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Vector};
use crate::scattered::masked;
use crate::surface::Surface;
use crate::typed::{read, typed_accesses, update, write};

typed_accesses! {
    Surface(u, v);

    /// Reads the channels of one texel for each pair of coordinates: row `c` has channel `c` of the mask. CM:
    /// `read_typed(surface, mask, m, u, v)`.
    ///
    /// - The constants are the mask, `CM_R` to `CM_ABGR` of [`channels`](../../cm/channels/index.html), the number
    ///   of rows, which is the number of channels of the mask, and the number of texels: 1, 2, 4, 8, 16 or 32.
    ///   Elements are `u32`, `i32` or `f32`. `cargo check` tests all of these.
    /// - `u` counts texels, `v` rows. They are integers of at most 32 bits; negative ones are outside. Texels outside
    ///   the surface read as 0 in all channels.
    /// - The format of the surface determines the conversion. `Format::R8`, `R16` and `R32` hold an unsigned
    ///   integer in red, `Format::Rgba8` an 8-bit integer in each channel, `Format::R32F` an `f32` in red. Channels
    ///   that a format lacks read as 0, and alpha as 1.
    /// - A kernel may use typed accesses or media blocks of a surface, not both, and no typed accesses to planes and
    ///   fields. Otherwise recording the kernel fails.
    /// - `launch` returns an error for other formats, for the wrong element type (it must be `f32` for
    ///   `Format::R32F`, and an integer type for all others), and for a surface whose rows are not whole dwords.
    ///
    /// ```
    /// use cm::channels::CM_GR;
    /// use cm::prelude::*;
    ///
    /// /// The sums of red and green on the diagonal.
    /// #[kernel]
    /// fn diagonal(input: &Surface2D, sums: &mut Buffer<u32>) {
    ///     let at = Vector::from_array([0, 1, 2, 3]);
    ///     let both = input.read_typed::<u32, CM_GR, 2, 4>(&at, &at);
    ///     sums.write(0, &(both.row(0) + both.row(1)));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let texels: Vec<u8> = (0..3 * 4 * 4).collect();
    /// let input = Surface2D::from_bytes(&device, Format::Rgba8, 4, 3, &texels)?;
    /// let mut sums = Buffer::<u32>::new(&device, 4)?;
    /// diagonal::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [1, 41, 81, 0]); // texel (3, 3) is outside
    /// # Ok::<(), cm::Error>(())
    /// ```
    read_typed;

    /// Like [`read_typed`](Self::read_typed), but only for the lanes of a mask; other lanes read as 0.
    ///
    /// The lane mask is a register of integers with one element for each texel, of which only the lowest bit
    /// counts, or an integer with one bit for each texel.
    ///
    /// ```
    /// use cm::channels::CM_A;
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(input: &Surface2D, output: &mut Buffer<u32>) {
    ///     let at = Vector::from_array([0, 1, 2, 3]);
    ///     output.write(0, &input.read_typed_masked::<u32, CM_A, 1, 4>(0b0110, &at, &at).row(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface2D::from_bytes(&device, Format::R8, 4, 4, &[7; 16])?;
    /// let mut output = Buffer::<u32>::new(&device, 4)?;
    /// k::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [0, 1, 1, 0]); // alpha of a format that has none
    /// # Ok::<(), cm::Error>(())
    /// ```
    read_typed_masked;

    /// Writes the channels of one texel for each pair of coordinates: row `c` goes to channel `c` of the mask. CM:
    /// `write_typed(surface, mask, m, u, v)`.
    ///
    /// - The limits and formats are those of [`read_typed`](Self::read_typed). The element type is that of `values`.
    /// - Out-of-bounds writes are dropped, and so are channels that the format lacks. Channels outside the mask
    ///   keep their values.
    /// - Integers are limited to the largest one that the channel can hold. They are read as unsigned, so negative
    ///   ones become the largest.
    /// - If several lanes write the same texel, the CPU keeps the last one; on GPUs any of them may win.
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    ///
    /// /// Draws points.
    /// #[kernel]
    /// fn points(output: &mut Surface2D) {
    ///     let (u, v) = (Vector::from_array([0, 3, -1, 1]), Vector::from_array([0, 1, 0, 0]));
    ///     output.write_typed::<CM_R, 1, 4>(&u, &v, &Matrix::<u32, 1, 4>::from_array([[5, 6, 7, 300]]));
    /// }
    ///
    /// let mut output = Surface2D::new(&Device::cpu()?, Format::R8, 4, 2)?;
    /// points::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 255, 0, 0, 0, 0, 0, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed;

    /// Like [`write_typed`](Self::write_typed), but only for the lanes of a mask.
    ///
    /// The lane mask has the form of [`read_typed_masked`](Self::read_typed_masked).
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Surface2D) {
    ///     let (u, v) = (Vector::from_array([0, 1, 2, 3]), Vector::<u32, 4>::splat(0));
    ///     output.write_typed_masked::<CM_R, 1, 4>(0b0101, &u, &v, &Matrix::<f32, 1, 4>::splat(0.5));
    /// }
    ///
    /// let mut output = Surface2D::new(&Device::cpu()?, Format::R32F, 4, 1)?;
    /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// let mut floats = [0f32; 4];
    /// output.read_into(&mut floats)?;
    /// assert_eq!(floats, [0.5, 0.0, 0.5, 0.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_masked;

    /// Updates one texel for each pair of coordinates atomically. CM: `write_typed_atomic<op>(surface, u, v, sources)`.
    ///
    /// - The module [`atomic`](crate::atomic) has the operations. The constants are the element type, `u32` or `i32`,
    ///   and the number of texels: 1, 2, 4, 8, 16 or 32. `cargo check` tests both.
    /// - `u` counts texels, `v` rows, as in [`read_typed`](Self::read_typed). Texels outside the surface are skipped.
    /// - If several lanes have the same texel, it is updated once for each of them. On a GPU the order of threads and
    ///   lanes is not defined.
    /// - The surface has `Format::R32`; `launch` returns an error for all others. The rules for other accesses to the
    ///   surface are those of [`read_typed`](Self::read_typed).
    /// - For Xe2 and later `k::spirv_for` returns an error, because Intel's compiler has no such messages for images.
    ///   Launches have surfaces in buffers there, and support them.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Counts the points that fall on each texel.
    /// #[kernel]
    /// fn vote(votes: &mut Surface2D) {
    ///     let (u, v) = (Vector::from_array([1, 3, 1, -1]), Vector::from_array([0, 1, 0, 0]));
    ///     votes.write_typed_atomic::<u32, 4>(atomic::Inc, &u, &v);
    /// }
    ///
    /// let mut votes = Surface2D::new(&Device::cpu()?, Format::R32, 4, 2)?;
    /// vote::launch(&Device::cpu()?, ThreadSpace::new(3, 1)?, &mut votes)?;
    /// let mut counts = [0u32; 8];
    /// votes.read_into(&mut counts)?;
    /// assert_eq!(counts, [0, 6, 0, 0, 0, 0, 0, 3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_atomic;

    /// Updates texels like [`write_typed_atomic`](Self::write_typed_atomic), but only for the lanes of a mask. CM:
    /// `write_typed_atomic<op>(mask, surface, u, v, sources)`.
    ///
    /// The lane mask has the form of [`read_typed_masked`](Self::read_typed_masked).
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Surface2D) {
    ///     let (u, v) = (Vector::from_array([0, 1, 2, 3]), Vector::<u32, 4>::splat(0));
    ///     let most = Vector::<i32, 4>::splat(-3);
    ///     output.write_typed_atomic_masked::<i32, 4>(0b1001, atomic::Min(&most), &u, &v);
    /// }
    ///
    /// let mut output = Surface2D::new(&Device::cpu()?, Format::R32, 4, 1)?;
    /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// let mut numbers = [0i32; 4];
    /// output.read_into(&mut numbers)?;
    /// assert_eq!(numbers, [-3, 0, 0, -3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_atomic_masked;

    /// Updates texels like [`write_typed_atomic`](Self::write_typed_atomic) and returns their old values; 0 outside the
    /// surface. CM: the form with a result, `write_typed_atomic<op>(surface, u, v, sources, old)`.
    ///
    /// On a GPU the order of threads and lanes is not defined. If several of them update one texel, it is not defined
    /// which old value each of them receives.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// The place of each point among those on its texel.
    /// #[kernel]
    /// fn places(counts: &mut Surface2D, places: &mut Buffer<u32>) {
    ///     let (u, v) = (Vector::from_array([2, 2, 0, 9]), Vector::<u32, 4>::splat(0));
    ///     places.write(0, &counts.fetch_typed_atomic::<u32, 4>(atomic::Add(&Vector::splat(1)), &u, &v));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut counts = Surface2D::from_slice(&device, Format::R32, 4, 1, &[5u32; 4])?;
    /// let mut found = Buffer::<u32>::new(&device, 4)?;
    /// places::launch(&device, ThreadSpace::new(1, 1)?, &mut counts, &mut found)?;
    /// assert_eq!(found.to_vec()?, [5, 6, 5, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    fetch_typed_atomic;

    /// Updates texels like [`write_typed_atomic_masked`](Self::write_typed_atomic_masked) and returns their old values;
    /// 0 outside the surface and where the mask is not set. CM:
    /// `write_typed_atomic<op>(mask, surface, u, v, sources, old)`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(cells: &mut Surface2D, old: &mut Buffer<u32>) {
    ///     let (u, v) = (Vector::from_array([0, 1, 2, 3]), Vector::<u32, 4>::splat(0));
    ///     old.write(0, &cells.fetch_typed_atomic_masked::<u32, 4>(0b0110, atomic::Dec, &u, &v));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut cells = Surface2D::from_slice(&device, Format::R32, 4, 1, &[5u32; 4])?;
    /// let mut old = Buffer::<u32>::new(&device, 4)?;
    /// k::launch(&device, ThreadSpace::new(1, 1)?, &mut cells, &mut old)?;
    /// assert_eq!(old.to_vec()?, [0, 5, 5, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    fetch_typed_atomic_masked;
}
