//! Parts of surfaces that kernels access as surfaces.

use std::fmt;

/// A plane of a picture. CM: `GENX_SURFACE_Y_PLANE`, `GENX_SURFACE_U_PLANE`, `GENX_SURFACE_V_PLANE`,
/// `GENX_SURFACE_UV_PLANE`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(Plane::ALL.map(Plane::name), ["y", "u", "v", "uv"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Plane {
    /// Luma. For a format without planes it is the whole surface.
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

    /// The plane with this name.
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

/// Every second row of a plane: a field of an interlaced picture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// The rows 0, 2, 4 and so on. CM: `GENX_TOP_FIELD`.
    Top,
    /// The rows 1, 3, 5 and so on. CM: `GENX_BOTTOM_FIELD`.
    Bottom,
}

impl Field {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Top, Self::Bottom];

    /// The name in the text of kernels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }

    /// The field with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Its first row in the plane.
    #[must_use]
    pub const fn first(self) -> usize {
        match self {
            Self::Top => 0,
            Self::Bottom => 1,
        }
    }

    /// The number of its rows, for a plane with this number of rows.
    #[must_use]
    pub const fn rows(self, plane: usize) -> usize {
        (plane + 1 - self.first()) / 2
    }
}

/// Part of a surface that a kernel uses as a surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A plane.
    Plane(Plane),
    /// A field.
    Field(Field),
}

/// The part of a surface that a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// The parameter that is the surface.
    pub of: usize,
    /// The plane.
    pub plane: Plane,
    /// All of its rows, or those of a field.
    pub field: Option<Field>,
}

impl View {
    /// A whole surface: all rows of its first plane.
    #[must_use]
    pub const fn whole(of: usize) -> Self {
        Self { of, plane: Plane::Y, field: None }
    }

    /// A part of the view; `None` for a plane of another plane and a field of a field.
    #[must_use]
    pub fn part(self, part: Part) -> Option<Self> {
        match part {
            Part::Plane(Plane::Y) => Some(self),
            Part::Plane(plane) => (self.plane == Plane::Y).then_some(Self { plane, ..self }),
            Part::Field(field) => self.field.is_none().then_some(Self { field: Some(field), ..self }),
        }
    }
}
