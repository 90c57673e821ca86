//! Samplers: how the coordinates of a sample become texels, and what the texels mean.
//!
//! A sampler here is a value with defined arithmetic, not a unit of the hardware: samples have the same bits on every
//! device, and GPUs without samplers have them too.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use cm_compiler::ops::Texel;
use cm_macros::{inlined, op};

use crate::backend::{Backend, Region, Staged, Start, binary, number};
use crate::cpu::Cpu;
use crate::kernel::{ArgSource, Argument, ArgumentKind, ByValue};
use crate::ops::{Add, Max, Min, Mul, Rndd, Sub};
use crate::registers::Vector;
use crate::stage::{Declared, DeclaredIn, Enters};

/// How a surface is sampled: a filter and an address mode, which are types, and the size and the format of the surface.
/// CM: `SamplerIndex`, `CM_SAMPLER_STATE`.
///
/// [`Surface2D::sampler`] and [`Surface3D::sampler`] create samplers, and kernels take them by value. `sample` of a
/// surface in a kernel then takes a reference.
///
/// - Coordinates are `f32`. In each dimension, 0 is the start of the first texel and 1 the end of the last one
///   (normalised, as in CM). With [`in_texels`](Self::in_texels), texel `n` is from `n` to `n + 1`.
/// - A coordinate is multiplied by 256 times the size of the surface in its dimension (or by 256), limited to 2^21 texels
///   on both sides of 0, and rounded to a whole number, ties to even: weights have 8 bits, as in hardware. NaN counts as
///   2^21 texels.
/// - [`Nearest`] takes the texel of the coordinate. [`Linear`] combines the texels whose centres are around the
///   coordinate: `a + (b - a) * weight`, first along the rows, then the columns, then the slices. Every operation is
///   rounded to `f32`, so samples have the same bits on every device.
/// - [`Clamp`], [`Wrap`], [`Mirror`], [`MirrorOnce`] and [`Border`] say what is outside of the surface.
/// - Integers of `n` bits are multiplied by the `f32` next to 1 / (2^n - 1) after filtering, so they are from 0 to 1. The
///   channels of `Format::R32F` are as they are. Channels that the format lacks are 0, and alpha is 1.
///
/// A sampler belongs to surfaces of one format, number of dimensions and size. A launch with a surface of another format
/// or number of dimensions is an error, unless the kernel has the sampler in a variable (`let mut`). With another size,
/// texels outside are 0.
///
/// [`Surface2D::sampler`]: ../../cm/struct.Surface2D.html#method.sampler
/// [`Surface3D::sampler`]: ../../cm/struct.Surface3D.html#method.sampler
///
/// ```
/// use cm::channels::CM_R;
/// use cm::prelude::*;
/// use cm::sampler::{Clamp, Linear};
///
/// /// Four samples from the left edge to the right one.
/// #[kernel]
/// fn line(input: &Surface2D, sampler: Sampler<Linear, Clamp>, output: &mut Buffer<f32>) {
///     let (u, v) = (Vector::from_array([0.0f32, 0.25, 0.5, 1.0]), Vector::<f32, 4>::splat(0.5));
///     output.write(0, &input.sample::<u32, CM_R, 1, 4>(&sampler, &u, &v));
/// }
///
/// let device = Device::cpu()?;
/// let input = Surface2D::from_bytes(&device, Format::R8, 4, 1, &[0, 255, 255, 0])?;
/// let mut output = Buffer::<f32>::new(&device, 4)?;
/// line::launch(&device, ThreadSpace::new(1, 1)?, &input, input.sampler()?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0.0, 0.5, 1.0, 0.0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[must_use]
pub struct Sampler<F, A, B: Backend = Cpu> {
    /// For each dimension the factor of coordinates, the size and its inverse; then the units of the channels. The last
    /// value of a dimension is no part of the arithmetic: [`SURFACE`] says which surfaces it samples.
    values: Vector<f32, VALUES, B>,
    modes: PhantomData<(F, A)>,
}

const VALUES: usize = 16;
/// Values of a dimension.
const STEP: usize = 4;
/// The values that say which surfaces a sampler is for: the number of dimensions, and the kind of texels.
const SURFACE: [usize; 2] = [STEP - 1, 2 * STEP - 1];
/// The parts of a texel that a coordinate counts.
pub(crate) const PARTS: f32 = 256.0;

impl<F, A, B: Backend> Clone for Sampler<F, A, B> {
    #[op]
    fn clone(&self) -> Self {
        *self
    }
}
impl<F, A, B: Backend> Copy for Sampler<F, A, B> {}

impl<F: Filter, A: AddressMode> Debug for Sampler<F, A> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sampler").field(&F::default()).field(&A::default()).field(&self.values).finish()
    }
}

/// Which surfaces a sampler is for, as numbers.
fn surfaces(dimensions: usize, texel: Texel) -> [f32; 2] {
    [dimensions as f32, f32::from(texel as u8)]
}

/// Whether a sampler with these values, as they are passed to a kernel, is for surfaces with this number of dimensions and
/// such texels.
#[doc(hidden)]
#[must_use]
pub fn is_for(values: &[u8], dimensions: usize, texel: Texel) -> bool {
    let (values, _) = values.as_chunks();
    SURFACE
        .into_iter()
        .zip(surfaces(dimensions, texel))
        .all(|(at, expected)| values.get(at).is_some_and(|value| f32::from_ne_bytes(*value) == expected))
}

impl<F: Filter, A: AddressMode> Sampler<F, A> {
    /// A sampler of a surface of this size, in 2 or 3 dimensions, for normalised coordinates.
    #[doc(hidden)]
    pub fn of(size: &[usize], texel: Texel) -> Self {
        let mut values = [0.0; VALUES];
        for axis in 0..3 {
            let size = size.get(axis).copied().unwrap_or(1) as f32;
            values[axis * STEP..][..3].copy_from_slice(&[size * PARTS, size, 1.0 / size]);
        }
        let unit = match texel {
            Texel::Float => 1.0,
            _ => (1.0 / f64::from(texel.limited(u32::MAX))) as f32,
        };
        let alpha = if texel.start(Texel::ALPHA).is_some() { unit } else { 1.0 };
        values[3 * STEP..].copy_from_slice(&[unit, unit, unit, alpha]);
        for (at, value) in SURFACE.into_iter().zip(surfaces(size.len(), texel)) {
            values[at] = value;
        }
        Self::from_values(Vector::from_array(values))
    }

    /// The same sampler for coordinates in texels.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::sampler::{Nearest, Wrap};
    /// let surface = Surface2D::new(&Device::cpu()?, Format::R8, 4, 1)?;
    /// let sampler: Sampler<Nearest, Wrap> = surface.sampler()?.in_texels();
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn in_texels(self) -> Self {
        let mut values = self.values.to_array();
        for axis in 0..3 {
            values[axis * STEP] = PARTS;
        }
        Self::from_values(Vector::from_array(values))
    }
}

impl<F: Filter, A: AddressMode, B: Backend> Sampler<F, A, B> {
    #[inlined]
    fn from_values(values: Vector<f32, VALUES, B>) -> Self {
        Self { values, modes: PhantomData }
    }

    /// Its numbers, as they are passed to a kernel.
    #[doc(hidden)]
    #[inlined]
    pub fn values(self) -> Vector<f32, VALUES, B> {
        self.values
    }

    #[op]
    fn value(&self, n: usize) -> B::Reg<f32, 1, 1> {
        B::region::<f32, 1, VALUES, 1, 1>(&self.values.into_reg(), Region::row(Start::Host(n), 1))
    }

    /// What coordinates of a dimension are multiplied by.
    #[op]
    pub(crate) fn factor(&self, axis: usize) -> B::Reg<f32, 1, 1> {
        self.value(axis * STEP)
    }

    /// The numbers of texels of an axis by the address mode: whole numbers of -2^21 to 2^21, and the next one.
    #[op]
    pub(crate) fn addressed<const L: usize>(&self, axis: usize, n: B::Reg<f32, 1, L>) -> B::Reg<f32, 1, L> {
        let (size, inverse) = (self.value(axis * STEP + 1), self.value(axis * STEP + 2));
        match A::MODE {
            Mode::Clamp => limited::<B, L>(n, size),
            Mode::Wrap => remainder::<B, L>(n, size, inverse),
            Mode::Mirror => {
                let period = binary::<B, Add, f32, 1, 1>(size, size);
                let half = number::<B, f32, 1, 1>(0.5);
                let n = remainder::<B, L>(n, period, binary::<B, Mul, f32, 1, 1>(inverse, half));
                let last = binary::<B, Sub, f32, 1, 1>(period, number::<B, f32, 1, 1>(1.0));
                let back = binary::<B, Sub, f32, 1, L>(B::splat(last), n);
                binary::<B, Min, f32, 1, L>(n, back)
            }
            Mode::MirrorOnce => {
                let back = binary::<B, Sub, f32, 1, L>(number::<B, f32, 1, L>(-1.0), n);
                limited::<B, L>(binary::<B, Max, f32, 1, L>(n, back), size)
            }
            Mode::Border => n,
        }
    }

    /// What the channels are multiplied by: the last one is alpha, or not.
    #[op]
    pub(crate) fn units<const R: usize, const L: usize>(&self, alpha: bool) -> B::Reg<f32, R, L> {
        let first = VALUES - R - usize::from(!alpha);
        let rows = Region { offset: Start::Host(first), row_stride: 1, width: L, column_stride: 0 };
        B::region::<f32, 1, VALUES, R, L>(&self.values.into_reg(), rows)
    }
}

/// The nearest number of a texel.
#[op]
fn limited<B: Backend, const L: usize>(n: B::Reg<f32, 1, L>, size: B::Reg<f32, 1, 1>) -> B::Reg<f32, 1, L> {
    let last = binary::<B, Sub, f32, 1, 1>(size, number::<B, f32, 1, 1>(1.0));
    let n = binary::<B, Max, f32, 1, L>(n, number::<B, f32, 1, L>(0.0));
    binary::<B, Min, f32, 1, L>(n, B::splat(last))
}

/// The remainder of the division by a period, from 0 on. The quotient is exact: numbers in the middle between two whole
/// ones are further from a multiple of the period than the error of the product, as numbers have no more than 22 bits.
#[op]
fn remainder<B: Backend, const L: usize>(
    n: B::Reg<f32, 1, L>,
    period: B::Reg<f32, 1, 1>,
    inverse: B::Reg<f32, 1, 1>,
) -> B::Reg<f32, 1, L> {
    let middle = binary::<B, Add, f32, 1, L>(n, number::<B, f32, 1, L>(0.5));
    let quotient = binary::<B, Mul, f32, 1, L>(middle, B::splat(inverse));
    let quotient = B::map1::<Rndd, f32, f32, f32, false, 1, L>(quotient);
    binary::<B, Sub, f32, 1, L>(n, binary::<B, Mul, f32, 1, L>(quotient, B::splat(period)))
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// A filter: how texels are combined.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter of a sampler",
    label = "not a filter",
    note = "the filters are `sampler::Nearest` and `sampler::Linear`"
)]
pub trait Filter: Sealed + Debug + Default + Copy + Send + Sync + 'static {
    /// Whether it combines texels.
    #[doc(hidden)]
    const LINEAR: bool;
}

/// What is outside of a surface.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an address mode of a sampler",
    label = "not an address mode",
    note = "the address modes are `Clamp`, `Wrap`, `Mirror`, `MirrorOnce` and `Border` of `cm::sampler`, after the filter"
)]
pub trait AddressMode: Sealed + Debug + Default + Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const MODE: Mode;
}

#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Mode {
    Clamp,
    Wrap,
    Mirror,
    MirrorOnce,
    Border,
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident: $trait:ident { $item:ident: $ty:ty = $value:expr };)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl Sealed for $name {}
        impl $trait for $name {
            const $item: $ty = $value;
        }
    )*};
}

modes! {
    /// The texel at the coordinate. CM: `CM_TEXTURE_FILTER_TYPE_POINT`.
    Nearest: Filter { LINEAR: bool = false };
    /// The texels around the coordinate, by their distance: 2 in each dimension. CM: `CM_TEXTURE_FILTER_TYPE_LINEAR`.
    Linear: Filter { LINEAR: bool = true };
    /// Outside are the texels of the edge. CM: `CM_TEXTURE_ADDRESS_CLAMP`.
    Clamp: AddressMode { MODE: Mode = Mode::Clamp };
    /// The surface repeats. CM: `CM_TEXTURE_ADDRESS_WRAP`.
    Wrap: AddressMode { MODE: Mode = Mode::Wrap };
    /// The surface repeats, and every second one is mirrored. CM: `CM_TEXTURE_ADDRESS_MIRROR`.
    Mirror: AddressMode { MODE: Mode = Mode::Mirror };
    /// The surface is mirrored at 0; outside of both are the texels of the edges. CM: `CM_TEXTURE_ADDRESS_MIRRORONCE`.
    MirrorOnce: AddressMode { MODE: Mode = Mode::MirrorOnce };
    /// Outside all channels are 0. CM: `CM_TEXTURE_ADDRESS_BORDER` with a border of zeros.
    Border: AddressMode { MODE: Mode = Mode::Border };
}

#[doc(hidden)]
impl<F: Filter, A: AddressMode> Argument<ByValue> for Sampler<F, A> {
    type Host = Self;
    type Bound<B: Backend> = Sampler<F, A, B>;
    type Lent<'l, B: Backend> = Sampler<F, A, B>;
    const KIND: ArgumentKind = <Vector<f32, VALUES> as Argument<ByValue>>::KIND;
    #[inlined]
    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Sampler<F, A, B> {
        Sampler::from_values(<Vector<f32, VALUES> as Argument<ByValue>>::bind(source))
    }
    #[inlined]
    fn copy<B: Backend>(bound: &Sampler<F, A, B>) -> Sampler<F, A, B> {
        *bound
    }
    #[inlined]
    fn lend<B: Backend>(bound: &mut Sampler<F, A, B>) -> Sampler<F, A, B> {
        *bound
    }
}

#[doc(hidden)]
impl<F: Filter, A: AddressMode, B: Backend> Staged<B> for Sampler<F, A> {
    type Ty = Sampler<F, A, B>;
}

#[doc(hidden)]
impl<F: Filter, A: AddressMode, B: Backend, M> Enters<Sampler<F, A>, B, M> for Sampler<F, A, B> {
    #[inlined]
    fn enter(self) -> Self {
        self
    }
}

#[doc(hidden)]
impl<F: Filter, A: AddressMode, B: Backend> Declared<B> for Sampler<F, A> {
    type Ty = Sampler<F, A, B>;
}

#[doc(hidden)]
impl<F: Filter, A: AddressMode, B: Backend, const FILE: usize> DeclaredIn<B, FILE> for Sampler<F, A> {
    type Ty = Sampler<F, A, B>;
}
