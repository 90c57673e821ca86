//! Accesses to memory, each described once.

use super::AtomicKind;

/// What an access is to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// A surface.
    Surface,
    /// A buffer, of elements of the type that is read or written.
    Buffer,
}

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// It reads; the result is what it read.
    Read,
    /// It writes its last operand, and has no result.
    Write,
    /// It changes each element, and gives what the element was.
    Update,
}

impl Effect {
    /// Whether memory is read.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Update)
    }

    /// Whether memory is written.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Update)
    }

    /// Whether the access has a result.
    #[must_use]
    pub const fn has_result(self) -> bool {
        self.reads()
    }
}

/// How the first operands say where an access is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// Two operands: byte column and row, both `i32`.
    Block,
    /// One operand: a `u32` number of bytes, rounded down to a multiple of this one.
    Bytes {
        /// A power of two.
        alignment: usize,
    },
    /// One operand: for each element of the data, its `u32` number.
    Elements,
}

impl Address {
    /// How many operands it takes.
    #[must_use]
    pub const fn operands(self) -> usize {
        match self {
            Self::Block => 2,
            Self::Bytes { .. } | Self::Elements => 1,
        }
    }
}

/// What one message can carry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carries {
    /// A media block; one that is written has rows of whole dwords.
    MediaBlock,
    /// 16 to 128 bytes, or, where they are written, 1, 2, 4 or 8 owords.
    Owords,
    /// 1, 2, 4, 8, 16 or 32 elements of at most 4 bytes.
    Lanes,
    /// As many dword integers.
    DwordLanes,
}

/// The description of an access: everything that the printer, the parser, the verifier and the analyses need
/// to know of it.
///
/// Its operands are those of the address, then the data. Its type is that of the data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AccessSpec {
    /// The name in the text of kernels.
    pub name: &'static str,
    /// What it is to.
    pub memory: Memory,
    /// What it does.
    pub effect: Effect,
    /// How it is addressed.
    pub address: Address,
    /// Operands of the type of the access, behind the address: what is written, or the sources of a change.
    pub data: usize,
    /// What a message carries.
    pub carries: Carries,
}

impl AccessSpec {
    /// How many operands it has.
    #[must_use]
    pub const fn operands(&self) -> usize {
        self.address.operands() + self.data
    }
}

/// Block addresses of buffers.
const OWORD: Address = Address::Bytes { alignment: 16 };
const DWORD: Address = Address::Bytes { alignment: 4 };

/// The accesses, one row each: name in the text of kernels, memory, effect, address, operands of data, and
/// what a message carries. The rows of atomic operations are those of their own table.
macro_rules! accesses {
    ($($(#[$doc:meta])* $kind:ident $name:literal $memory:ident $effect:ident $address:expr, $data:literal, $carries:ident;)*) => {
        /// Which access to memory it is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum AccessKind {
            $($(#[$doc])* $kind,)*
            /// Elements of a buffer are changed.
            Atomic(AtomicKind),
        }

        impl AccessKind {
            /// All of them.
            pub fn all() -> impl Iterator<Item = Self> {
                let plain = [$(Self::$kind),*];
                plain.into_iter().chain(AtomicKind::ALL.iter().copied().map(Self::Atomic))
            }

            /// Its description. Inlined, because the CPU path asks for it where the kind is known.
            #[inline(always)]
            #[must_use]
            pub const fn spec(self) -> AccessSpec {
                match self {
                    $(Self::$kind => AccessSpec {
                        name: $name,
                        memory: Memory::$memory,
                        effect: Effect::$effect,
                        address: $address,
                        data: $data,
                        carries: Carries::$carries,
                    },)*
                    Self::Atomic(kind) => AccessSpec {
                        name: kind.name(),
                        memory: Memory::Buffer,
                        effect: Effect::Update,
                        address: Address::Elements,
                        data: kind.sources(),
                        carries: Carries::DwordLanes,
                    },
                }
            }
        }
    };
}

accesses! {
    /// A media block of a surface is read.
    MediaRead "read" Surface Read Address::Block, 0, MediaBlock;
    /// A media block of a surface is written.
    MediaWrite "write" Surface Write Address::Block, 1, MediaBlock;
    /// An oword block of a buffer is read.
    OwordRead "oword_read" Buffer Read OWORD, 0, Owords;
    /// An oword block of a buffer is read from any dword on.
    OwordReadDwaligned "oword_read_dwaligned" Buffer Read DWORD, 0, Owords;
    /// An oword block of a buffer is written.
    OwordWrite "oword_write" Buffer Write OWORD, 1, Owords;
    /// Elements of a buffer are read.
    Gather "gather" Buffer Read Address::Elements, 0, Lanes;
    /// Elements of a buffer are written.
    Scatter "scatter" Buffer Write Address::Elements, 1, Lanes;
}

impl AccessKind {
    /// The access of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.spec().name == name)
    }
}
