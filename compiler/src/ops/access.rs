//! Memory accesses, each described once.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{AtomicHints, AtomicKind, ChannelMask, Dims, LoadHints, PrefetchHints, StoreHints};
use crate::elem::ElemType;
use crate::limits::{self, BlockForm, Violation};

/// The kind of memory that is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryKind {
    /// A surface.
    Surface,
    /// A 3-D surface.
    Surface3d,
    /// A buffer. The access determines the element type.
    Buffer,
}

impl Dims {
    /// The memory with texels of so many coordinates.
    #[must_use]
    pub const fn memory(self) -> MemoryKind {
        match self {
            Self::Two => MemoryKind::Surface,
            Self::Three => MemoryKind::Surface3d,
        }
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// It reads. The result is the data.
    Read,
    /// It writes its last operand. It has no result.
    Write,
    /// It updates each element by this operation, and returns the old values.
    Update(AtomicKind),
    /// It brings bytes to a cache, without a visible effect.
    Prefetch,
}

impl Effect {
    /// Whether memory is read.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Update(_))
    }

    /// Whether memory is written.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Update(_))
    }

    /// Whether the access has a result.
    #[must_use]
    pub const fn has_result(self) -> bool {
        self.reads()
    }

    /// The number of data operands: the data to write, or the sources of an update.
    #[must_use]
    pub const fn data(self) -> usize {
        match self {
            Self::Read | Self::Prefetch => 0,
            Self::Write => 1,
            Self::Update(kind) => kind.sources(),
        }
    }
}

/// The alignment of a block of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Alignment {
    /// A dword.
    Dword,
    /// An oword.
    Oword,
}

impl Alignment {
    /// In bytes: a power of two.
    #[inline]
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Dword => limits::DWORD,
            Self::Oword => limits::OWORD,
        }
    }
}

/// The type of an operand of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessOperand {
    /// A single number.
    One(ElemType),
    /// One number for each element of the access.
    Each(ElemType),
    /// One number for each column of the access.
    Column(ElemType),
    /// The data of the access.
    Data,
}

/// How the first operands address an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// Two operands: byte column and row, both `i32`.
    Block,
    /// One operand: a `u32` byte offset, rounded down to a multiple of the alignment.
    Bytes {
        /// The alignment.
        alignment: Alignment,
    },
    /// One operand: the `u32` index of each element.
    Elements,
    /// One operand: the `u32` index of the first element of each column of the data. The rows are the elements that follow
    /// it; see [`vector_element`].
    Vectors,
    /// The `u32` coordinates of the texel for each column of the data: an operand for the columns, one for the rows,
    /// and on 3-D surfaces one for the slices.
    Texels(Dims),
    /// Five operands, all `i32`. The first three describe a picture that starts with the buffer: bytes of a
    /// row, rows, and bytes from row to row. The others are the column of the first element, rounded down to
    /// whole dwords, and its row.
    Pitched,
}

impl Address {
    /// The address operands.
    #[must_use]
    pub const fn operands(self) -> &'static [AccessOperand] {
        match self {
            Self::Block => &[AccessOperand::One(ElemType::I32), AccessOperand::One(ElemType::I32)],
            Self::Bytes { .. } => &[AccessOperand::One(ElemType::U32)],
            Self::Elements => &[AccessOperand::Each(ElemType::U32)],
            Self::Vectors => &[AccessOperand::Column(ElemType::U32)],
            Self::Texels(Dims::Two) => &[AccessOperand::Column(ElemType::U32); 2],
            Self::Texels(Dims::Three) => &[AccessOperand::Column(ElemType::U32); 3],
            Self::Pitched => &[AccessOperand::One(ElemType::I32); 5],
        }
    }
}

/// Element `row` of a vector of `rows` elements of `size` bytes that begins with element `first`.
///
/// The byte address of the first element wraps in 32 bits. The vector does not wrap: such a vector is moved to the end of
/// the address space, outside every buffer.
#[inline]
#[must_use]
pub const fn vector_element(first: u32, row: usize, rows: usize, size: usize) -> u32 {
    let (first, last) = (first & (u32::MAX / size as u32), last_vector(rows, size));
    (if first < last { first } else { last }) + row as u32
}

/// The last index at which a vector of `rows` elements of `size` bytes begins without wrapping.
#[inline]
#[must_use]
pub const fn last_vector(rows: usize, size: usize) -> u32 {
    u32::MAX / size as u32 - (rows - 1) as u32
}

/// What one message can carry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carries {
    /// A media block. If it is written, its rows have whole dwords.
    MediaBlock,
    /// 16 to 128 bytes; for writes, 1, 2, 4 or 8 owords.
    Owords,
    /// 1, 2, 4, 8, 16, 32 or 64 dwords.
    Dwords,
    /// 1, 2, 4, 8, 16 or 32 elements.
    Lanes,
    /// The same number of vectors: one row for each of their 2, 3, 4 or 8 elements.
    Vectors,
    /// The same number of elements of an atomic operation.
    AtomicLanes,
    /// These channels of the same number of texels: one row of dwords for each channel.
    Texels(ChannelMask),
    /// A 2-D block; in registers it has this form.
    Block2d(BlockForm),
}

/// The description of an access: everything that the printer, the parser, the verifier, the interpreter and
/// the analyses need.
///
/// The operands are the address, then the data. The type of the access is the type of the data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AccessSpec {
    /// The name in the text of kernels.
    pub name: &'static str,
    /// The kind of memory, which is the kind of the parameter.
    pub memory: MemoryKind,
    /// The effect on memory.
    pub effect: Effect,
    /// How it is addressed.
    pub address: Address,
    /// What one message carries.
    pub carries: Carries,
}

/// The operands of an access by their purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessParts<'a, T> {
    /// The address operands.
    pub address: &'a [T],
    /// The data to write, or the sources of an update.
    pub data: &'a [T],
}

impl AccessSpec {
    /// The number of operands.
    #[must_use]
    pub const fn operands(&self) -> usize {
        self.address.operands().len() + self.effect.data()
    }

    /// The types of the operands, in order.
    pub fn types(&self) -> impl Iterator<Item = AccessOperand> {
        let data = std::iter::repeat_n(AccessOperand::Data, self.effect.data());
        self.address.operands().iter().copied().chain(data)
    }

    /// The operands by their purpose; `None` if their number is wrong.
    #[must_use]
    pub fn parts<'a, T>(&self, operands: &'a [T]) -> Option<AccessParts<'a, T>> {
        let (address, data) = operands.split_at_checked(self.address.operands().len())?;
        (data.len() == self.effect.data()).then_some(AccessParts { address, data })
    }

    /// Whether the access takes elements of this type.
    #[must_use]
    pub const fn takes(&self, elem: ElemType) -> bool {
        match self.carries {
            Carries::MediaBlock | Carries::Owords | Carries::Dwords | Carries::Lanes => true,
            Carries::Vectors => limits::is_vector(elem),
            Carries::Block2d(form) => limits::is_loaded_2d(form, elem.bytes()),
            Carries::Texels(_) => match self.effect {
                Effect::Update(_) => limits::is_typed_atomic(elem),
                Effect::Read | Effect::Write | Effect::Prefetch => limits::is_typed(elem),
            },
            Carries::AtomicLanes => {
                let floats = match self.effect {
                    Effect::Update(kind) => kind.takes_floats(),
                    Effect::Read | Effect::Write | Effect::Prefetch => false,
                };
                limits::is_atomic(elem) && (floats || !elem.is_float())
            }
        }
    }

    /// Checks that a message can carry `rows` x `columns` elements of this type.
    ///
    /// # Errors
    /// If no message can.
    pub const fn fits(&self, elem: ElemType, rows: usize, columns: usize) -> Result<(), Violation> {
        if let Carries::Texels(mask) = self.carries {
            return limits::typed(mask.count(), rows, columns);
        }
        let width = columns * elem.bytes();
        match (self.carries, self.effect.writes()) {
            (Carries::MediaBlock, true) => limits::media_write(rows, width),
            (Carries::MediaBlock, false) => limits::media_block(rows, width),
            (Carries::Owords, true) => limits::oword_write(rows * width),
            (Carries::Owords, false) => limits::oword_read(rows * width),
            (Carries::Dwords, _) => limits::dword_block(elem.bytes(), rows * width),
            (Carries::Lanes | Carries::AtomicLanes | Carries::Texels(_), _) => {
                limits::scattered(rows * columns)
            }
            (Carries::Vectors, _) => limits::vectors(rows, columns),
            (Carries::Block2d(_), true) => limits::store_2d(elem.bytes(), rows, columns),
            (Carries::Block2d(form), false) => limits::load_2d(form, elem.bytes(), rows, columns),
        }
    }
}

/// An access to a media block.
#[inline(always)]
const fn media(name: &'static str, effect: Effect) -> AccessSpec {
    let (memory, address) = (MemoryKind::Surface, Address::Block);
    AccessSpec { name, memory, effect, address, carries: Carries::MediaBlock }
}

/// An access to a block of a buffer.
#[inline(always)]
const fn block(name: &'static str, effect: Effect, alignment: Alignment, carries: Carries) -> AccessSpec {
    AccessSpec { name, memory: MemoryKind::Buffer, effect, address: Address::Bytes { alignment }, carries }
}

/// An access to owords of a buffer.
#[inline(always)]
const fn owords(name: &'static str, effect: Effect, alignment: Alignment) -> AccessSpec {
    block(name, effect, alignment, Carries::Owords)
}

/// An access to consecutive dwords of a buffer.
#[inline(always)]
const fn dwords(name: &'static str, effect: Effect) -> AccessSpec {
    block(name, effect, Alignment::Dword, Carries::Dwords)
}

/// An access to elements of a buffer.
#[inline(always)]
const fn elements(name: &'static str, effect: Effect, carries: Carries) -> AccessSpec {
    AccessSpec { name, memory: MemoryKind::Buffer, effect, address: Address::Elements, carries }
}

/// An access to vectors of elements of a buffer.
#[inline(always)]
const fn vectors(name: &'static str, effect: Effect) -> AccessSpec {
    let address = Address::Vectors;
    AccessSpec { name, memory: MemoryKind::Buffer, effect, address, carries: Carries::Vectors }
}

/// An access to a 2-D block of a buffer.
#[inline(always)]
const fn block_2d(name: &'static str, effect: Effect, form: BlockForm) -> AccessSpec {
    AccessSpec {
        name,
        memory: MemoryKind::Buffer,
        effect,
        address: Address::Pitched,
        carries: Carries::Block2d(form),
    }
}

/// An access to texels of a surface.
#[inline(always)]
const fn typed(name: &'static str, effect: Effect, dims: Dims, channels: ChannelMask) -> AccessSpec {
    AccessSpec {
        name,
        memory: dims.memory(),
        effect,
        address: Address::Texels(dims),
        carries: Carries::Texels(channels),
    }
}

/// The accesses, one row each. Atomic operations, cache hints and channels have their own tables, which also have the names.
macro_rules! accesses {
    ($($(#[$doc:meta])* $kind:ident $(($($of:ident: $ty:ty),+))? => $spec:expr;)*) => {
        /// The kinds of access to memory.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum AccessKind {
            $($(#[$doc])* $kind $(($($ty),+))?,)*
        }

        impl AccessKind {
            /// All kinds.
            pub fn all() -> impl Iterator<Item = Self> {
                let mut all = vec![];
                $(accesses!(@each all, Self::$kind $(($($of),+))?, $($($of: $ty,)+)?);)*
                all.into_iter()
            }

            /// The description of the access. Inlined, because the CPU path calls it where the kind is a
            /// constant.
            #[inline(always)]
            #[must_use]
            pub const fn spec(self) -> AccessSpec {
                match self {
                    $(Self::$kind $(($($of),+))? => $spec,)*
                }
            }
        }
    };
    (@each $all:ident, $kind:expr,) => {
        $all.extend([$kind]);
    };
    (@each $all:ident, $kind:expr, $of:ident: $ty:ty, $($more:tt)*) => {
        for &$of in <$ty>::ALL.iter() {
            accesses!(@each $all, $kind, $($more)*);
        }
    };
}

accesses! {
    /// Reads a media block of a surface.
    MediaRead => media("read", Effect::Read);
    /// Writes a media block of a surface.
    MediaWrite => media("write", Effect::Write);
    /// Reads an oword block of a buffer.
    OwordRead => owords("oword_read", Effect::Read, Alignment::Oword);
    /// Reads an oword block of a buffer from any dword on.
    OwordReadDwaligned => owords("oword_read_dwaligned", Effect::Read, Alignment::Dword);
    /// Writes an oword block of a buffer.
    OwordWrite => owords("oword_write", Effect::Write, Alignment::Oword);
    /// Reads channels of texels of a surface.
    TypedRead(dims: Dims, channels: ChannelMask) => typed(channels.read_name(dims), Effect::Read, dims, channels);
    /// Writes channels of texels of a surface.
    TypedWrite(dims: Dims, channels: ChannelMask) => typed(channels.write_name(dims), Effect::Write, dims, channels);
    /// Updates texels of a surface atomically.
    TypedAtomic(dims: Dims, kind: AtomicKind) =>
        typed(kind.typed_name(dims), Effect::Update(kind), dims, ChannelMask::RED);
    /// Reads elements of a buffer.
    Gather(hints: LoadHints) => elements(hints.name_of_elements(), Effect::Read, Carries::Lanes);
    /// Writes elements of a buffer.
    Scatter(hints: StoreHints) => elements(hints.name_of_elements(), Effect::Write, Carries::Lanes);
    /// Reads vectors of elements of a buffer.
    GatherVectors(hints: LoadHints) => vectors(hints.name_of_vectors(), Effect::Read);
    /// Writes vectors of elements of a buffer.
    ScatterVectors(hints: StoreHints) => vectors(hints.name_of_vectors(), Effect::Write);
    /// Prefetches elements of a buffer.
    PrefetchElements(hints: PrefetchHints) => elements(hints.name_of_elements(), Effect::Prefetch, Carries::Lanes);
    /// Updates elements of a buffer atomically.
    Atomic(kind: AtomicKind, hints: AtomicHints) =>
        elements(kind.name(hints), Effect::Update(kind), Carries::AtomicLanes);
    /// Reads dwords of a buffer.
    Load(hints: LoadHints) => dwords(hints.name(), Effect::Read);
    /// Writes dwords of a buffer.
    Store(hints: StoreHints) => dwords(hints.name(), Effect::Write);
    /// Prefetches dwords of a buffer.
    Prefetch(hints: PrefetchHints) => dwords(hints.name(), Effect::Prefetch);
    /// Reads a 2-D block of a buffer.
    Load2d(hints: LoadHints, form: BlockForm) => block_2d(hints.name_2d(form), Effect::Read, form);
    /// Writes a 2-D block of a buffer.
    Store2d(hints: StoreHints) =>
        block_2d(hints.name_2d(BlockForm::Normal), Effect::Write, BlockForm::Normal);
    /// Prefetches a 2-D block of a buffer.
    Prefetch2d(hints: PrefetchHints) =>
        block_2d(hints.name_2d(BlockForm::Normal), Effect::Prefetch, BlockForm::Normal);
}

impl AccessKind {
    /// The access of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        static KINDS: LazyLock<FxHashMap<&str, AccessKind>> =
            LazyLock::new(|| AccessKind::all().map(|kind| (kind.spec().name, kind)).collect());
        KINDS.get(name).copied()
    }
}
