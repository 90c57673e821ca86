//! The GPU generations that modules are made for.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::limits::{OWORD, PICTURE_START};

/// A generation of Intel GPUs that SPIR-V modules are made for.
///
/// A module for one target also runs on later ones that have its operations; it is fastest on its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Target {
    /// Skylake to Coffee Lake. Modules for it also run on later GPUs that have their operations: not those with `f64` on
    /// Xe-LP, nor those with surfaces on Ponte Vecchio.
    #[default]
    Gen9,
    /// Tiger Lake to Alder Lake.
    XeLp,
    /// Arc Alchemist, Arrow Lake H.
    XeHpg,
    /// Meteor Lake, Arrow Lake U and S: Xe-HPG without a matrix engine.
    XeLpg,
    /// Ponte Vecchio.
    XeHpc,
    /// Lunar Lake and Battlemage.
    Xe2,
    /// Panther Lake, Nova Lake S.
    Xe3,
    /// Nova Lake P and later.
    Xe3p,
}

impl Target {
    /// Every target.
    pub const ALL: &[Self] =
        &[Self::Gen9, Self::XeLp, Self::XeHpg, Self::XeLpg, Self::XeHpc, Self::Xe2, Self::Xe3, Self::Xe3p];

    /// The number of bytes of a register.
    ///
    /// ```
    /// use cm::Target;
    /// assert_eq!((Target::Gen9.register_bytes(), Target::Xe2.register_bytes()), (32, 64));
    /// ```
    #[must_use]
    pub const fn register_bytes(self) -> usize {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeHpg | Self::XeLpg => 32,
            Self::XeHpc | Self::Xe2 | Self::Xe3 | Self::Xe3p => 64,
        }
    }

    /// Whether the GPUs compute in `f64`.
    ///
    /// ```
    /// use cm::Target;
    /// assert!(Target::Gen9.has_f64() && !Target::XeLp.has_f64());
    /// ```
    #[must_use]
    pub const fn has_f64(self) -> bool {
        !matches!(self, Self::XeLp | Self::XeHpg | Self::XeLpg)
    }

    /// The number of sums in a row of a `dpas`, the instruction of the matrix engine; `None` if the GPUs have
    /// no matrix engine.
    ///
    /// ```
    /// use cm::Target;
    /// assert_eq!(Target::XeHpg.dpas_lanes(), Some(8));
    /// assert_eq!(Target::Xe2.dpas_lanes(), Some(16));
    /// assert_eq!(Target::Gen9.dpas_lanes(), None);
    /// ```
    #[must_use]
    pub const fn dpas_lanes(self) -> Option<usize> {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeLpg => None,
            Self::XeHpg => Some(8),
            Self::XeHpc | Self::Xe2 | Self::Xe3 | Self::Xe3p => Some(16),
        }
    }

    /// Whether the GPUs move 2-D blocks of buffers by one message.
    ///
    /// ```
    /// use cm::Target;
    /// assert!(Target::XeHpc.has_2d_blocks() && !Target::XeHpg.has_2d_blocks());
    /// ```
    #[must_use]
    pub const fn has_2d_blocks(self) -> bool {
        self.at_least(Self::XeHpc)
    }

    /// Whether launches use media blocks of images, which repeat the texels at the edges. On other GPUs surfaces are in
    /// buffers. Ponte Vecchio has no images. Xe2 and later have images, but no document says what their messages for blocks
    /// return beyond an edge.
    ///
    /// ```
    /// use cm::Target;
    /// let with: Vec<_> = Target::ALL.iter().copied().filter(|target| target.has_media_blocks()).collect();
    /// assert_eq!(with, [Target::Gen9, Target::XeLp, Target::XeHpg, Target::XeLpg]);
    /// ```
    #[must_use]
    pub const fn has_media_blocks(self) -> bool {
        match self {
            Self::Gen9 | Self::XeLp | Self::XeHpg | Self::XeLpg => true,
            Self::XeHpc | Self::Xe2 | Self::Xe3 | Self::Xe3p => false,
        }
    }

    /// Whether the GPUs have named barriers.
    ///
    /// ```
    /// use cm::Target;
    /// assert!(Target::Xe2.has_named_barriers() && !Target::XeHpg.has_named_barriers());
    /// ```
    #[must_use]
    pub const fn has_named_barriers(self) -> bool {
        self.at_least(Self::XeHpc)
    }

    /// The alignment of buffers in bytes: 16, or 64 if messages move [2-D blocks](Self::has_2d_blocks).
    ///
    /// ```
    /// use cm::Target;
    /// assert_eq!((Target::Gen9.buffer_start(), Target::XeHpc.buffer_start()), (16, 64));
    /// ```
    #[must_use]
    pub const fn buffer_start(self) -> usize {
        if self.has_2d_blocks() { PICTURE_START } else { OWORD }
    }

    /// Whether the GPUs have the large register file, [`RegisterFile::Large`](super::RegisterFile::Large).
    ///
    /// ```
    /// use cm::Target;
    /// assert!(Target::XeHpg.has_large_register_file() && !Target::XeLp.has_large_register_file());
    /// ```
    #[must_use]
    pub const fn has_large_register_file(self) -> bool {
        !matches!(self, Self::Gen9 | Self::XeLp)
    }

    /// Whether execution units work in pairs, so that groups of one thread leave every second one idle.
    ///
    /// ```
    /// use cm::Target;
    /// assert!(Target::XeLp.has_paired_units() && !Target::Gen9.has_paired_units());
    /// ```
    #[must_use]
    pub const fn has_paired_units(self) -> bool {
        matches!(self, Self::XeLp | Self::XeHpg | Self::XeLpg)
    }

    /// The name of the generation.
    ///
    /// ```
    /// use cm::Target;
    /// assert_eq!(Target::XeHpg.name(), "Xe-HPG");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen9 => "Gen9",
            Self::XeLp => "Xe-LP",
            Self::XeHpg => "Xe-HPG",
            Self::XeLpg => "Xe-LPG",
            Self::XeHpc => "Xe-HPC",
            Self::Xe2 => "Xe2",
            Self::Xe3 => "Xe3",
            Self::Xe3p => "Xe3P",
        }
    }
}

impl Target {
    /// Whether it is this generation or a later one.
    pub(super) const fn at_least(self, first: Self) -> bool {
        self as u8 >= first as u8
    }

    /// Whether accesses to memory go through a load/store cache, by its messages.
    pub(super) const fn has_cache(self) -> bool {
        self.at_least(Self::XeHpg)
    }

    /// Whether minima and maxima of bytes take two instructions, and those of words one.
    pub(super) const fn orders_words(self) -> bool {
        !matches!(self, Self::Gen9)
    }

    /// Whether threads load the arguments of the kernel themselves.
    pub(super) const fn loads_arguments(self) -> bool {
        !matches!(self, Self::Gen9 | Self::XeLp)
    }

    /// Whether the compiler accepts messages with the payload and the descriptor of the hardware. Those of Xe3P have
    /// another form.
    pub(super) const fn takes_raw_messages(self) -> bool {
        !self.at_least(Self::Xe3p)
    }

    /// Whether the compiler accepts surfaces and buffers as parameters that the kernel does not use. For Xe3P, IGC 2.40
    /// crashes: "Unknown log alignment".
    pub(super) const fn takes_unused_surfaces(self) -> bool {
        !self.at_least(Self::Xe3p)
    }

    /// Whether the compiler accepts inline assembly in a kernel. For Xe2, it then cannot read its own output
    /// for surface blocks.
    pub(super) const fn takes_assembly(self) -> bool {
        !self.at_least(Self::Xe2)
    }

    /// Whether the GPUs have an instruction.
    ///
    /// ```
    /// use cm::Target;
    /// use cm::spirv::Instruction;
    /// assert!(!Target::Gen9.has(Instruction::ByteDot) && Target::XeLp.has(Instruction::ByteDot));
    /// ```
    #[must_use]
    pub const fn has(self, instruction: Instruction) -> bool {
        self.at_least(instruction.since())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident: [$($function:literal),*] of [$($bytes:literal),*], from $since:ident;)*) => {
        /// An instruction that some generations lack. For those, [`lower`](crate::spirv::lower()) emits several
        /// other instructions with the same result, bit for bit.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Instruction {
            $($(#[$doc])* $name,)*
        }

        impl Instruction {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The names of the functions of `cm::math` that it implements.
            #[must_use]
            pub const fn functions(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($function),*],)*
                }
            }

            /// The element sizes that it supports, in bytes. Elements of other sizes take other instructions.
            #[must_use]
            pub const fn bytes(self) -> &'static [usize] {
                match self {
                    $(Self::$name => &[$($bytes),*],)*
                }
            }

            /// The first generation that has it. All later ones have it too.
            #[must_use]
            pub const fn since(self) -> Target {
                match self {
                    $(Self::$name => Target::$since,)*
                }
            }
        }
    };
}

instructions! {
    /// Dot products of bytes: `dp4a`.
    ByteDot: ["dp4a"] of [4], from XeLp;
    /// Rotations of words and dwords: `rol`, `ror`.
    Rotation: ["rol", "ror"] of [2, 4], from XeLp;
    /// Rotations of 64 bits.
    LongRotation: ["rol", "ror"] of [8], from XeHpc;
    /// Any function of the bits of three words or dwords: `bfn`.
    Boolean: ["bfn"] of [2, 4], from XeHpg;
}

/// A name that no [`Target`] has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{name}` is not a generation of GPUs: expected {}", Target::ALL.iter().map(|target| target.name()).collect::<Vec<_>>().join(", "))]
#[non_exhaustive]
pub struct UnknownTarget {
    /// The name.
    pub name: String,
}

/// The generation with this [name](Target::name), in upper or lower case, with or without its hyphen.
///
/// ```
/// use cm::Target;
/// for &target in Target::ALL {
///     assert_eq!(target.name().parse(), Ok(target));
/// }
/// assert_eq!("xe-hpg".parse(), Ok(Target::XeHpg));
/// assert_eq!("XeHpg".parse(), Ok(Target::XeHpg));
/// assert!("Gen8".parse::<Target>().unwrap_err().to_string().contains("expected Gen9, Xe-LP"));
/// ```
impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        let plain = |name: &str| name.replace('-', "").to_ascii_lowercase();
        let found = Self::ALL.iter().find(|target| plain(target.name()) == plain(name));
        found.copied().ok_or_else(|| UnknownTarget { name: name.to_owned() })
    }
}
