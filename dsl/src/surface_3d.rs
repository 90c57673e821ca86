//! 3-D surfaces in kernels, which only have typed accesses.

use cm_macros::op;

use crate::access::surface_handle;
use crate::atomic::Atomic;
use crate::backend::Backend;
use crate::limits::{
    ChannelRows, Channels, Len, ScatteredLanes, Shape, TexelNumber, TypedAtomicElem, TypedElem,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Vector};
use crate::scattered::masked;
use crate::typed::{read, typed_accesses, update, write};

/// A three-dimensional surface in a kernel. CM: `SurfaceIndex` of a `CmSurface3D`.
///
/// In the signature of a kernel or function, write `&Surface3D` (read) or `&mut Surface3D` (read and write).
/// In the body the parameter has these methods. [`Surface3D`](../../cm/struct.Surface3D.html) describes how a
/// program creates and fills 3-D surfaces.
pub struct Surface3d<B: Backend> {
    handle: B::Surface,
}

surface_handle!(Surface3d);

typed_accesses! {
    Surface3d(u, v, r);

    /// Reads the channels of one texel for each triple of coordinates: row `c` has channel `c` of the mask. CM:
    /// `read_typed(surface, mask, m, u, v, r)`.
    ///
    /// - The constants are those of [`Surface::read_typed`](crate::surface::Surface::read_typed): the channel mask, the
    ///   number of its channels, and the number of texels: 1, 2, 4, 8, 16 or 32. Elements are `u32`, `i32` or `f32`.
    ///   `cargo check` tests all of these.
    /// - `u` counts texels, `v` rows, `r` slices. They are integers of at most 32 bits; negative ones are outside. Texels
    ///   outside the surface read as 0 in all channels.
    /// - The format of the surface determines the conversion, as on 2-D surfaces. Channels that a format lacks read as
    ///   0, and alpha as 1.
    /// - `launch` returns an error for the wrong element type: it must be `f32` for `Format::R32F`, and an integer type
    ///   for all other formats.
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    ///
    /// /// The diagonal of a cube.
    /// #[kernel]
    /// fn diagonal(cube: &Surface3D, output: &mut Buffer<u32>) {
    ///     let at = Vector::from_array([0, 1, 2, 3]);
    ///     output.write(0, &cube.read_typed::<u32, CM_R, 1, 4>(&at, &at, &at).row(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let texels: Vec<u8> = (1..=27).collect();
    /// let cube = Surface3D::from_bytes(&device, Format::R8, 3, 3, 3, &texels)?;
    /// let mut output = Buffer::<u32>::new(&device, 4)?;
    /// diagonal::launch(&device, ThreadSpace::new(1, 1)?, &cube, &mut output)?;
    /// assert_eq!(output.to_vec()?, [1, 14, 27, 0]); // texel (3, 3, 3) is outside
    /// # Ok::<(), cm::Error>(())
    /// ```
    read_typed;

    /// Like [`read_typed`](Self::read_typed), but only for the lanes of a mask; other lanes read as 0.
    ///
    /// The lane mask is a register of integers with one element for each texel, of which only the lowest bit
    /// counts, or an integer with one bit for each texel.
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(input: &Surface3D, output: &mut Buffer<u32>) {
    ///     let (u, r) = (Vector::<u32, 4>::splat(0), Vector::from_array([0, 1, 2, 3]));
    ///     output.write(0, &input.read_typed_masked::<u32, CM_R, 1, 4>(0b1010, &u, &u, &r).row(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface3D::from_bytes(&device, Format::R8, 1, 1, 4, &[5, 6, 7, 8])?;
    /// let mut output = Buffer::<u32>::new(&device, 4)?;
    /// k::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [0, 6, 0, 8]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    read_typed_masked;

    /// Writes the channels of one texel for each triple of coordinates: row `c` goes to channel `c` of the mask. CM:
    /// `write_typed(surface, mask, m, u, v, r)`.
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
    /// fn points(output: &mut Surface3D) {
    ///     let u = Vector::from_array([0, 1, -1, 1]);
    ///     let (v, r) = (Vector::from_array([0, 1, 0, 0]), Vector::from_array([0, 1, 0, 2]));
    ///     output.write_typed::<CM_R, 1, 4>(&u, &v, &r, &Matrix::<u32, 1, 4>::from_array([[5, 300, 7, 8]]));
    /// }
    ///
    /// let mut output = Surface3D::new(&Device::cpu()?, Format::R8, 2, 2, 2)?;
    /// points::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 0, 0, 0, 0, 0, 0, 255]);
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
    /// fn k(output: &mut Surface3D) {
    ///     let (u, r) = (Vector::<u32, 4>::splat(0), Vector::from_array([0, 1, 2, 3]));
    ///     output.write_typed_masked::<CM_R, 1, 4>(0b0101, &u, &u, &r, &Matrix::<f32, 1, 4>::splat(0.5));
    /// }
    ///
    /// let mut output = Surface3D::new(&Device::cpu()?, Format::R32F, 1, 1, 4)?;
    /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// let mut floats = [0f32; 4];
    /// output.read_into(&mut floats)?;
    /// assert_eq!(floats, [0.5, 0.0, 0.5, 0.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_masked;

    /// Updates one texel for each triple of coordinates atomically. CM: `write_typed_atomic<op>(surface, u, v, r,
    /// sources)`.
    ///
    /// - The module [`atomic`](crate::atomic) has the operations. The constants are the element type, `u32` or `i32`,
    ///   and the number of texels: 1, 2, 4, 8, 16 or 32. `cargo check` tests both.
    /// - Texels outside the surface are skipped.
    /// - If several lanes have the same texel, it is updated once for each of them. On a GPU the order of threads and
    ///   lanes is not defined.
    /// - The surface has `Format::R32`; `launch` returns an error for all others.
    /// - For Xe2 and later `k::spirv_for` returns an error, because Intel's compiler has no such messages for images.
    ///   Launches have surfaces in buffers there, and support them.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Counts colours: one texel for each red, green and blue.
    /// #[kernel]
    /// fn count(colours: &mut Surface3D) {
    ///     let (red, green) = (Vector::from_array([1, 0, 1, 9]), Vector::from_array([0, 1, 0, 0]));
    ///     let blue = Vector::from_array([1, 0, 1, 0]);
    ///     colours.write_typed_atomic::<u32, 4>(atomic::Inc, &red, &green, &blue);
    /// }
    ///
    /// let mut colours = Surface3D::new(&Device::cpu()?, Format::R32, 2, 2, 2)?;
    /// count::launch(&Device::cpu()?, ThreadSpace::new(3, 1)?, &mut colours)?;
    /// let mut counts = [0u32; 8];
    /// colours.read_into(&mut counts)?;
    /// assert_eq!(counts, [0, 0, 3, 0, 0, 6, 0, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_atomic;

    /// Updates texels like [`write_typed_atomic`](Self::write_typed_atomic), but only for the lanes of a mask. CM:
    /// `write_typed_atomic<op>(mask, surface, u, v, r, sources)`.
    ///
    /// The lane mask has the form of [`read_typed_masked`](Self::read_typed_masked).
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Surface3D) {
    ///     let (u, r) = (Vector::<u32, 4>::splat(0), Vector::from_array([0, 1, 2, 3]));
    ///     let most = Vector::<i32, 4>::splat(-3);
    ///     output.write_typed_atomic_masked::<i32, 4>(0b1001, atomic::Min(&most), &u, &u, &r);
    /// }
    ///
    /// let mut output = Surface3D::new(&Device::cpu()?, Format::R32, 1, 1, 4)?;
    /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
    /// let mut numbers = [0i32; 4];
    /// output.read_into(&mut numbers)?;
    /// assert_eq!(numbers, [-3, 0, 0, -3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    write_typed_atomic_masked;

    /// Updates texels like [`write_typed_atomic`](Self::write_typed_atomic) and returns their old values; 0 outside the
    /// surface. CM: the form with a result, `write_typed_atomic<op>(surface, u, v, r, sources, old)`.
    ///
    /// On a GPU the order of threads and lanes is not defined. If several of them update one texel, it is not defined
    /// which old value each of them receives.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(counts: &mut Surface3D, old: &mut Buffer<u32>) {
    ///     let (u, r) = (Vector::<u32, 4>::splat(0), Vector::from_array([1, 1, 0, 2]));
    ///     old.write(0, &counts.fetch_typed_atomic::<u32, 4>(atomic::Add(&Vector::splat(1)), &u, &u, &r));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut counts = Surface3D::from_slice(&device, Format::R32, 1, 1, 2, &[5u32; 2])?;
    /// let mut old = Buffer::<u32>::new(&device, 4)?;
    /// k::launch(&device, ThreadSpace::new(1, 1)?, &mut counts, &mut old)?;
    /// assert_eq!(old.to_vec()?, [5, 6, 5, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    fetch_typed_atomic;

    /// Updates texels like [`write_typed_atomic_masked`](Self::write_typed_atomic_masked) and returns their old values;
    /// 0 outside the surface and where the mask is not set. CM:
    /// `write_typed_atomic<op>(mask, surface, u, v, r, sources, old)`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(cells: &mut Surface3D, old: &mut Buffer<u32>) {
    ///     let (u, r) = (Vector::<u32, 4>::splat(0), Vector::from_array([0, 1, 2, 3]));
    ///     old.write(0, &cells.fetch_typed_atomic_masked::<u32, 4>(0b0110, atomic::Dec, &u, &u, &r));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut cells = Surface3D::from_slice(&device, Format::R32, 1, 1, 4, &[5u32; 4])?;
    /// let mut old = Buffer::<u32>::new(&device, 4)?;
    /// k::launch(&device, ThreadSpace::new(1, 1)?, &mut cells, &mut old)?;
    /// assert_eq!(old.to_vec()?, [0, 5, 5, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    fetch_typed_atomic_masked;
}
