//! Parts of surfaces that kernels access as surfaces of their own.

use std::fmt;

/// A plane of a picture. CM: `GENX_SURFACE_Y_PLANE`, `GENX_SURFACE_U_PLANE`, `GENX_SURFACE_V_PLANE`,
/// `GENX_SURFACE_UV_PLANE`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(Plane::ALL.map(Plane::name), ["y", "u", "v", "uv"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Plane {
    /// Luma. Of a format without planes it is the whole surface.
    Y,
    /// The first chroma samples of `Yv12` and `I420`.
    U,
    /// The second chroma samples of `Yv12` and `I420`.
    V,
    /// The pairs of chroma samples of `Nv12` and `P010`.
    Uv,
}

impl Plane {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Y, Self::U, Self::V, Self::Uv];

    /// The name in the text of kernels.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Plane::Uv.name(), "uv");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::U => "u",
            Self::V => "v",
            Self::Uv => "uv",
        }
    }

    /// The plane of this name.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!((Plane::from_name("v"), Plane::from_name("a")), (Some(Plane::V), None));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|plane| plane.name() == name)
    }
}

impl fmt::Display for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// What a view shows of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// The parameter that is the surface.
    pub of: usize,
    /// The plane.
    pub plane: Plane,
}
