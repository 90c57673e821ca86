//! Samples of surfaces: typed reads of the texels around coordinates, and ordinary arithmetic on them.

use cm_compiler::ops::{ChannelMask, Texel};
use cm_macros::op;

use crate::backend::{Backend, Region, Start, binary, convert, number};
use crate::elem::ElemType;
use crate::limits::{ChannelRows, Channels, SampledElem, ScatteredLanes, Shape, TexelNumber};
use crate::ops::{Add, Max, Min, Mul, Rndd, Rnde, Sub};
use crate::registers::{Matrix, Vector};
use crate::sampler::{AddressMode, Filter, PARTS, Sampler};
use crate::surface::Surface;
use crate::surface_3d::Surface3d;
use crate::typed::read;

/// Where samples are on an axis.
#[derive(Clone, Copy)]
struct Along<B: Backend, const L: usize> {
    /// The numbers of their texels.
    texels: B::Reg<u32, 1, L>,
    /// Of a linear filter, the numbers of the next texels and their weights.
    next: Option<(B::Reg<u32, 1, L>, B::Reg<f32, 1, L>)>,
}

/// The furthest texel from 0 that a coordinate reaches.
const FURTHEST: f32 = (1 << 21) as f32;

/// Finds the texels of coordinates on an axis.
#[op]
fn along<B: Backend, F: Filter, A: AddressMode, const L: usize>(
    sampler: &Sampler<F, A, B>,
    axis: usize,
    coordinates: &Vector<f32, L, B>,
) -> Along<B, L> {
    let number = number::<B, f32, 1, L>;
    let parts = binary::<B, Mul, f32, 1, L>(coordinates.into_reg(), B::splat(sampler.factor(axis)));
    let parts = binary::<B, Min, f32, 1, L>(parts, number(FURTHEST * PARTS));
    let mut parts = binary::<B, Max, f32, 1, L>(parts, number(-FURTHEST * PARTS));
    if F::LINEAR {
        // From centre to centre.
        parts = binary::<B, Sub, f32, 1, L>(parts, number(0.5 * PARTS));
    }
    // All of these numbers are exact.
    let parts = B::map1::<Rnde, f32, f32, f32, false, 1, L>(parts);
    let place = binary::<B, Mul, f32, 1, L>(parts, number(1.0 / PARTS));
    let first = B::map1::<Rndd, f32, f32, f32, false, 1, L>(place);
    let texels = texels::<B, F, A, L>(sampler, axis, first);
    let next = F::LINEAR.then(|| {
        let second = binary::<B, Add, f32, 1, L>(first, number(1.0));
        let weight = binary::<B, Sub, f32, 1, L>(place, first);
        (self::texels::<B, F, A, L>(sampler, axis, second), weight)
    });
    Along { texels, next }
}

/// The coordinates of texels in a surface.
#[op]
fn texels<B: Backend, F: Filter, A: AddressMode, const L: usize>(
    sampler: &Sampler<F, A, B>,
    axis: usize,
    n: B::Reg<f32, 1, L>,
) -> B::Reg<u32, 1, L> {
    let n = sampler.addressed::<L>(axis, n);
    // Negative numbers are outside.
    convert::<B, i32, u32, 1, L>(convert::<B, f32, i32, 1, L>(n))
}

const fn is_float<T: SampledElem>() -> bool {
    matches!(T::TYPE, ElemType::F32)
}

/// The channels of texels as floats.
#[op]
fn floats<B: Backend, T: SampledElem, const R: usize, const L: usize>(
    texels: Matrix<T, R, L, B>,
) -> B::Reg<f32, R, L> {
    let texels = texels.into_reg();
    if is_float::<T>() {
        B::format::<T, f32, R, L, R, L>(&texels)
    } else {
        convert::<B, T, f32, R, L>(texels)
    }
}

/// Floats between two others by weights, which are the same in every row.
#[op]
fn between<B: Backend, const R: usize, const L: usize>(
    a: B::Reg<f32, R, L>,
    b: B::Reg<f32, R, L>,
    weight: B::Reg<f32, 1, L>,
) -> B::Reg<f32, R, L> {
    let rows = Region { offset: Start::Host(0), row_stride: 0, width: L, column_stride: 1 };
    let weight = B::region::<f32, 1, L, R, L>(&weight, rows);
    let difference = binary::<B, Sub, f32, R, L>(b, a);
    binary::<B, Add, f32, R, L>(a, binary::<B, Mul, f32, R, L>(difference, weight))
}

/// Channels with the meaning that the format gives them.
#[op]
fn scaled<
    B: Backend,
    T: SampledElem,
    F: Filter,
    A: AddressMode,
    const MASK: usize,
    const R: usize,
    const L: usize,
>(
    sampler: &Sampler<F, A, B>,
    channels: B::Reg<f32, R, L>,
) -> Matrix<f32, R, L, B> {
    if is_float::<T>() {
        return Matrix::from_reg(channels);
    }
    let alpha = ChannelMask::new(MASK).is_some_and(|mask| mask.bits() >> Texel::ALPHA & 1 != 0);
    let units = sampler.units::<R, L>(alpha);
    Matrix::from_reg(binary::<B, Mul, f32, R, L>(channels, units))
}

/// A sample of the texels that the axes say, from the last axis to the first.
macro_rules! filtered {
    // The texels of these numbers. A closure would hide the line of the kernel.
    (@ $surface:ident [] $($number:expr),*) => { floats(read::<B, T, MASK, R, L, _>($surface, [$($number),*])) };
    (@ $surface:ident [$axis:ident $($axes:ident)*] $($number:expr),*) => {{
        let first = filtered!(@ $surface [$($axes)*] $axis.texels $(, $number)*);
        match $axis.next {
            None => first,
            Some((next, weight)) => {
                let second = filtered!(@ $surface [$($axes)*] next $(, $number)*);
                between::<B, R, L>(first, second, weight)
            }
        }
    }};
}

/// Implements samples of a surface, whose axes are these, from the first to the last and from the last to the first.
macro_rules! samples {
    (
        $surface:ident ($($axis:ident)+) ($($back:ident)+);
        $(#[$sample:meta])* sample;
        $(#[$load:meta])* load_texels;
    ) => {
        /// Samples: texels as floats, filtered by a sampler.
        impl<B: Backend> $surface<B> {
            $(#[$sample])*
            #[op]
            pub fn sample<T: SampledElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                sampler: &Sampler<impl Filter, impl AddressMode, B>,
                $($axis: &Vector<f32, L, B>,)+
            ) -> Matrix<f32, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.sample_any::<T, MASK, R, L>(sampler, $($axis),+)
            }

            $(#[$load])*
            #[op]
            pub fn load_texels<T: SampledElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                sampler: &Sampler<impl Filter, impl AddressMode, B>,
                $($axis: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<f32, R, L, B>
            where
                Channels<MASK>: ChannelRows<R>,
                Shape<1, L>: ScatteredLanes,
            {
                self.load_texels_any::<T, MASK, R, L>(sampler, $($axis),+)
            }

            /// [`sample`](Self::sample) without a bound. The number of samples is checked when the kernel is recorded.
            #[op]
            pub fn sample_any<T: SampledElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                sampler: &Sampler<impl Filter, impl AddressMode, B>,
                $($axis: &Vector<f32, L, B>,)+
            ) -> Matrix<f32, R, L, B> {
                B::samples(self.handle(), sampler.values().into_reg());
                let mut axis = 0..;
                $(let $axis = along(sampler, axis.next().unwrap_or_default(), $axis);)+
                let surface = self.handle();
                scaled::<B, T, _, _, MASK, R, L>(sampler, filtered!(@ surface [$($back)+]))
            }

            /// [`load_texels`](Self::load_texels) without a bound. The number of texels is checked when the kernel is
            /// recorded.
            #[op]
            pub fn load_texels_any<T: SampledElem, const MASK: usize, const R: usize, const L: usize>(
                &self,
                sampler: &Sampler<impl Filter, impl AddressMode, B>,
                $($axis: &Vector<impl TexelNumber, L, B>,)+
            ) -> Matrix<f32, R, L, B> {
                B::samples(self.handle(), sampler.values().into_reg());
                let place = [$($axis.convert::<u32>().into_reg()),+];
                let texels = read::<B, T, MASK, R, L, _>(self.handle(), place);
                scaled::<B, T, _, _, MASK, R, L>(sampler, floats(texels))
            }
        }
    };
}

samples! {
    Surface (u v) (v u);

    /// Samples the surface at each pair of coordinates: row `c` has channel `c` of the mask, as floats. CM:
    /// `sample16(m, mask, surface, sampler, u, v)`.
    ///
    /// - The constants are the elements of the texels, the mask, `CM_R` to `CM_ABGR` of
    ///   [`channels`](../../cm/channels/index.html), the number of its channels, and the number of samples: 1, 2, 4, 8, 16
    ///   or 32. Elements are `u32` for formats of integers, and `f32` for `Format::R32F`. `cargo check` tests all of these.
    /// - [`Sampler`] describes coordinates, filters, edges and the range of channels.
    /// - The formats, and the errors of `launch`, are those of [`read_typed`](Self::read_typed). A linear filter reads 4
    ///   texels for each sample.
    ///
    /// ```
    /// use cm::channels::CM_BGR;
    /// use cm::prelude::*;
    /// use cm::sampler::{Linear, Wrap};
    ///
    /// /// The middle between two texels, and the middle between the last and the first column.
    /// #[kernel]
    /// fn middle(input: &Surface2D, sampler: Sampler<Linear, Wrap>, output: &mut Buffer<f32>) {
    ///     let (u, v) = (Vector::from_array([1.0f32, 0.0]), Vector::from_array([0.5f32, 0.5]));
    ///     let colours = input.sample::<u32, CM_BGR, 3, 2>(&sampler, &u, &v);
    ///     output.write(0, &colours.select::<2, 1, 2, 1>(0, 0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let texels = [[0, 255, 0, 9], [255, 0, 0, 9], [255, 255, 0, 9]].concat();
    /// let input = Surface2D::from_bytes(&device, Format::Rgba8, 3, 1, &texels)?;
    /// let mut output = Buffer::<f32>::new(&device, 4)?;
    /// let sampler = input.sampler()?.in_texels();
    /// middle::launch(&device, ThreadSpace::new(1, 1)?, &input, sampler, &mut output)?;
    /// assert_eq!(output.to_vec()?, [0.5, 0.5, 0.5, 1.0]); // two reds, two greens
    /// # Ok::<(), cm::Error>(())
    /// ```
    sample;

    /// Reads the channels of one texel for each pair of coordinates, as floats. CM: `load16(m, mask, surface, u, v)`.
    ///
    /// - The constants are those of [`sample`](Self::sample). `u` counts texels, `v` rows; they are integers of at most
    ///   32 bits.
    /// - Of the sampler only the range of the channels counts. Texels outside the surface read as 0 in all channels.
    /// - The formats, and the errors of `launch`, are those of [`read_typed`](Self::read_typed).
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    /// use cm::sampler::{Clamp, Nearest};
    ///
    /// #[kernel]
    /// fn first(input: &Surface2D, sampler: Sampler<Nearest, Clamp>, output: &mut Buffer<f32>) {
    ///     let (u, v) = (Vector::from_array([0, 1, 2, 3]), Vector::<i32, 4>::splat(0));
    ///     output.write(0, &input.load_texels::<u32, CM_R, 1, 4>(&sampler, &u, &v));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface2D::from_bytes(&device, Format::R16, 2, 1, &[0, 0, 255, 255])?;
    /// let mut output = Buffer::<f32>::new(&device, 4)?;
    /// first::launch(&device, ThreadSpace::new(1, 1)?, &input, input.sampler()?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [0.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    load_texels;
}

samples! {
    Surface3d (u v r) (r v u);

    /// Samples the surface at each triple of coordinates: row `c` has channel `c` of the mask, as floats. CM:
    /// `sample16(m, mask, surface, sampler, u, v, r)`.
    ///
    /// - The constants are those of [`Surface::sample`](crate::surface::Surface::sample); `r` counts slices.
    /// - [`Sampler`] describes coordinates, filters, edges and the range of channels.
    /// - The formats, and the errors of `launch`, are those of [`read_typed`](Self::read_typed). A linear filter reads 8
    ///   texels for each sample.
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    /// use cm::sampler::{Clamp, Linear};
    ///
    /// /// The centre of a cube, and a corner.
    /// #[kernel]
    /// fn centre(cube: &Surface3D, sampler: Sampler<Linear, Clamp>, output: &mut Buffer<f32>) {
    ///     let at = Vector::from_array([0.5f32, 1.0, 1.0, 1.0]);
    ///     output.write(0, &cube.sample::<f32, CM_R, 1, 4>(&sampler, &at, &at, &at));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let cube = Surface3D::from_slice(&device, Format::R32F, 2, 2, 2, &[0.0f32, 0., 0., 0., 0., 0., 0., 8.])?;
    /// let mut output = Buffer::<f32>::new(&device, 4)?;
    /// centre::launch(&device, ThreadSpace::new(1, 1)?, &cube, cube.sampler()?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [1.0, 8.0, 8.0, 8.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    sample;

    /// Reads the channels of one texel for each triple of coordinates, as floats. CM: `load16(m, mask, surface, u, v, r)`.
    ///
    /// - The constants are those of [`sample`](Self::sample). `u` counts texels, `v` rows, `r` slices; they are integers
    ///   of at most 32 bits.
    /// - Of the sampler only the range of the channels counts. Texels outside the surface read as 0 in all channels.
    ///
    /// ```
    /// use cm::channels::CM_R;
    /// use cm::prelude::*;
    /// use cm::sampler::{Clamp, Nearest};
    ///
    /// #[kernel]
    /// fn first(input: &Surface3D, sampler: Sampler<Nearest, Clamp>, output: &mut Buffer<f32>) {
    ///     let (u, r) = (Vector::<i32, 4>::splat(0), Vector::from_array([0, 1, 2, 3]));
    ///     output.write(0, &input.load_texels::<u32, CM_R, 1, 4>(&sampler, &u, &u, &r));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface3D::from_bytes(&device, Format::R8, 1, 1, 2, &[0, 255])?;
    /// let mut output = Buffer::<f32>::new(&device, 4)?;
    /// first::launch(&device, ThreadSpace::new(1, 1)?, &input, input.sampler()?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [0.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    load_texels;
}
