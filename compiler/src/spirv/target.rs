//! The GPU generations that modules are made for.

use std::fmt;

/// A generation of Intel GPUs, as far as the form of the code depends on it. Any form runs on any generation
/// that has the operations; the right one is the fastest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Target {
    /// Skylake to Coffee Lake. Also the form that is right everywhere.
    #[default]
    Gen9,
    /// Tiger Lake to Alder Lake.
    XeLp,
    /// Arc Alchemist.
    XeHpg,
    /// Ponte Vecchio.
    XeHpc,
    /// Lunar Lake and Battlemage.
    Xe2,
    /// Panther Lake.
    Xe3,
}

impl Target {
    /// Every target.
    pub const ALL: &[Self] = &[Self::Gen9, Self::XeLp, Self::XeHpg, Self::XeHpc, Self::Xe2, Self::Xe3];

    /// Bytes of a register.
    #[must_use]
    pub const fn register_bytes(self) -> usize {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeHpg => 32,
            Self::XeHpc | Self::Xe2 | Self::Xe3 => 64,
        }
    }

    /// Whether it computes in `f64`. Where it does not, Intel's compiler ends the process.
    #[must_use]
    pub const fn has_f64(self) -> bool {
        !matches!(self, Self::XeLp | Self::XeHpg)
    }

    /// The name of the generation.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen9 => "Gen9",
            Self::XeLp => "Xe-LP",
            Self::XeHpg => "Xe-HPG",
            Self::XeHpc => "Xe-HPC",
            Self::Xe2 => "Xe2",
            Self::Xe3 => "Xe3",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
