//! GPU generations, and the differences of their execution units.

/// A generation of execution units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// Skylake to Coffee Lake.
    #[default]
    Gen9,
    /// Tiger Lake to Alder Lake.
    XeLp,
    /// Arc Alchemist, Meteor Lake, Arrow Lake.
    XeHpg,
    /// Ponte Vecchio.
    XeHpc,
    /// Lunar Lake, Battlemage.
    Xe2,
    /// Panther Lake.
    Xe3,
}

impl Generation {
    /// All of them, oldest first.
    pub const ALL: [Self; 6] = [Self::Gen9, Self::XeLp, Self::XeHpg, Self::XeHpc, Self::Xe2, Self::Xe3];

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen9 => "gen9",
            Self::XeLp => "xe-lp",
            Self::XeHpg => "xe-hpg",
            Self::XeHpc => "xe-hpc",
            Self::Xe2 => "xe2",
            Self::Xe3 => "xe3",
        }
    }

    /// The generation with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| generation.name() == name)
    }

    /// The generation for a `GFXCORE_FAMILY`, which program binaries contain (`igfxfmid.h` of Intel's
    /// compiler).
    #[must_use]
    pub const fn of_core(family: u32) -> Option<Self> {
        match family {
            0x00c => Some(Self::Gen9),
            0x012 => Some(Self::XeLp),
            0xc07 => Some(Self::XeHpg),
            0xc08 => Some(Self::XeHpc),
            0xc09 => Some(Self::Xe2),
            0x1e00 => Some(Self::Xe3),
            _ => None,
        }
    }

    /// Bytes of a register.
    #[must_use]
    pub const fn register_bytes(self) -> usize {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeHpg => 32,
            Self::XeHpc | Self::Xe2 | Self::Xe3 => 64,
        }
    }

    /// The maximum number of registers of a thread.
    #[must_use]
    pub const fn most_registers(self) -> usize {
        match self {
            Self::Gen9 | Self::XeLp => 128,
            _ => 256,
        }
    }

    /// The number of flag registers, each of 32 bits.
    pub(crate) const fn flag_registers(self) -> u16 {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeHpg => 2,
            Self::XeHpc | Self::Xe2 | Self::Xe3 => 4,
        }
    }

    /// Whether instructions themselves declare what they wait for.
    #[must_use]
    pub fn has_scoreboard(self) -> bool {
        self >= Self::XeLp
    }
}

/// The execution unit that a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// Its generation.
    pub generation: Generation,
    /// Registers of a thread.
    pub registers: usize,
}

impl Machine {
    /// The standard configuration of a generation: threads have 128 registers.
    #[must_use]
    pub const fn of(generation: Generation) -> Self {
        Self { generation, registers: 128 }
    }

    /// Bytes of a register.
    #[must_use]
    pub const fn register_bytes(self) -> usize {
        self.generation.register_bytes()
    }

    /// Bytes of a thread's registers.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.registers * self.register_bytes()
    }
}
