//! Samplers of surfaces.

use cm_dsl::sampler::{AddressMode, Filter, Sampler};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::surface::Surface2D;
use crate::surface_3d::Surface3D;

fn sampler<F: Filter, A: AddressMode>(format: Format, size: &[usize]) -> Result<Sampler<F, A>> {
    if format.is_typed() { Ok(Sampler::of(size, format.texel())) } else { Err(Error::Sampler { format }) }
}

/// Samplers.
impl Surface2D {
    /// Returns a sampler of the surface, for normalised coordinates. CM: `CreateSampler`, `GetSamplerIndex`.
    ///
    /// The filter and the address mode follow from the kernel's parameter, or are written as constants:
    /// `surface.sampler::<Linear, Clamp>()`. The sampler holds the size and the format of the surface, but does not
    /// borrow it.
    ///
    /// # Errors
    /// [`Error::Sampler`] if the format is not `R8`, `R16`, `R32`, `R32F` or `Rgba8`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::sampler::{Clamp, Linear};
    /// let device = Device::cpu()?;
    /// let surface = Surface2D::new(&device, Format::R8, 4, 1)?;
    /// let sampler = surface.sampler::<Linear, Clamp>()?;
    /// assert!(Surface2D::new(&device, Format::Nv12, 4, 2)?.sampler::<Linear, Clamp>().is_err());
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn sampler<F: Filter, A: AddressMode>(&self) -> Result<Sampler<F, A>> {
        sampler(self.format(), &[self.width(), self.height()])
    }
}

/// Samplers.
impl Surface3D {
    /// Returns a sampler of the surface, for normalised coordinates. CM: `CreateSampler`, `GetSamplerIndex`.
    ///
    /// The rules are those of [`Surface2D::sampler`]. It returns a `Result` like that function, but every format of 3-D
    /// surfaces can be sampled.
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::sampler::{Mirror, Nearest};
    /// let surface = Surface3D::new(&Device::cpu()?, Format::R8, 4, 4, 2)?;
    /// let sampler = surface.sampler::<Nearest, Mirror>()?.in_texels();
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn sampler<F: Filter, A: AddressMode>(&self) -> Result<Sampler<F, A>> {
        sampler(self.format(), &[self.width(), self.height(), self.depth()])
    }
}
