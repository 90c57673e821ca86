//! Operands: the location of their elements in the registers of a thread.

use crate::generation::Machine;

/// Types of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Ub,
    B,
    Uw,
    W,
    Ud,
    D,
    Uq,
    Q,
    Hf,
    F,
    Df,
    /// The upper half of a float.
    Bf,
    /// A 19-bit float in a dword; only matrix instructions use it, and the types below.
    Tf32,
    /// 8-bit floats: a 5-bit exponent and a 2-bit mantissa, or 4 and 3 bits.
    Bf8,
    Hf8,
    /// Integers of two and four bits.
    U2,
    S2,
    U4,
    S4,
    /// A vector of eight signed 4-bit integers.
    V,
    /// A vector of eight unsigned 4-bit integers.
    Uv,
    /// A vector of four 8-bit floats.
    Vf,
}

impl Type {
    pub(crate) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "ub" => Self::Ub,
            "b" => Self::B,
            "uw" => Self::Uw,
            "w" => Self::W,
            "ud" => Self::Ud,
            "d" => Self::D,
            "uq" => Self::Uq,
            "q" => Self::Q,
            "hf" => Self::Hf,
            "f" => Self::F,
            "df" => Self::Df,
            "bf" => Self::Bf,
            "tf32" => Self::Tf32,
            "bf8" => Self::Bf8,
            "hf8" => Self::Hf8,
            "u2" => Self::U2,
            "s2" => Self::S2,
            "u4" => Self::U4,
            "s4" => Self::S4,
            "v" => Self::V,
            "uv" => Self::Uv,
            "vf" => Self::Vf,
            _ => return None,
        })
    }

    /// Whether only matrix instructions use it.
    pub(crate) fn is_systolic(self) -> bool {
        matches!(self, Self::Tf32 | Self::Bf8 | Self::Hf8 | Self::U2 | Self::S2 | Self::U4 | Self::S4)
    }

    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Ub | Self::B | Self::Bf8 | Self::Hf8 | Self::U2 | Self::S2 | Self::U4 | Self::S4 => 1,
            Self::Uw | Self::W | Self::Hf | Self::Bf | Self::V | Self::Uv => 2,
            Self::Ud | Self::D | Self::F | Self::Tf32 | Self::Vf => 4,
            Self::Uq | Self::Q | Self::Df => 8,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(
            self,
            Self::Hf | Self::F | Self::Df | Self::Bf | Self::Tf32 | Self::Bf8 | Self::Hf8 | Self::Vf
        )
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::B | Self::W | Self::D | Self::Q | Self::S2 | Self::S4 | Self::V)
    }

    /// The minimum and maximum of an integer type.
    pub(crate) fn range(self) -> (i128, i128) {
        let bits = self.size() * 8;
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

macro_rules! files {
    ($($name:ident $text:literal $bytes:literal,)*) => {
        /// Register files. Operands use the first matching name, so longer names come first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum File { $($name,)* }

        const FILES: &[(File, &str, usize)] = &[$((File::$name, $text, $bytes),)*];
    };
}

files! {
    Accumulator "acc" 1024,
    Dependency "tdr" 16,
    ChannelEnable "ce" 4,
    Stack "sp" 16,
    State "sr" 16,
    Control "cr" 16,
    Instruction "ip" 4,
    Timestamp "tm" 32,
    Notification "n" 16,
    Address "a" 32,
    Flag "f" 16,
    Scalar "s" 64,
    General "r" 16384,
}

/// The size of all files in bytes.
pub(crate) const FILE_BYTES: usize = {
    let (mut sum, mut n) = (0, 0);
    while n < FILES.len() {
        sum += FILES[n].2.next_multiple_of(8);
        n += 1;
    }
    sum
};

impl File {
    /// The file whose name a text begins with, and the rest of the text.
    pub(crate) fn of(text: &str) -> Option<(Self, &str)> {
        FILES.iter().find_map(|&(file, name, _)| {
            let rest = text.strip_prefix(name)?;
            (!rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some((file, rest))
        })
    }

    /// Its bytes.
    pub(crate) const fn bytes(self) -> usize {
        FILES[self as usize].2
    }

    /// The offset of its first byte among all files; general registers come first.
    pub(crate) const fn start(self) -> usize {
        let (mut sum, mut n) = (0, FILES.len() - 1);
        while n > self as usize {
            sum += FILES[n].2.next_multiple_of(8);
            n -= 1;
        }
        sum
    }
}

/// The kind of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// There is no operand.
    Absent,
    /// Reads give 0, writes are dropped.
    Null,
    /// Registers: `offsets` are relative to the first byte of all files.
    Direct(File),
    /// General registers at an address: `offsets` are relative to it.
    Indirect {
        /// The subregister of a0.
        subregister: u8,
        /// Added to the address.
        plus: i16,
        /// The number of elements that share an address, if not all do.
        row: Option<u8>,
    },
    /// The bits of a number.
    Immediate(u64),
    /// A label in the text, later the index of an instruction.
    Target(String),
}

/// The arrangement of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All elements are the same one.
    Scalar,
    /// One after the other.
    Packed,
    /// Any other arrangement.
    Strided,
}

/// The region of an operand, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Not written in the text.
    Implied,
    /// The stride of a destination, or of a source in an instruction with three sources.
    Step(u16),
    /// Vertical stride, width, horizontal stride.
    Rows(u16, u16, u16),
    /// One address for each row of this many elements, and their stride.
    Addresses(u16, u16),
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) place: Place,
    pub(crate) ty: Type,
    pub(crate) negate: bool,
    pub(crate) absolute: bool,
    pub(crate) invert: bool,
    pub(crate) saturate: bool,
    pub(crate) shape: Shape,
    /// The offsets of the elements.
    pub(crate) offsets: [u16; 32],
    /// The register of a math macro; 8 means none.
    pub(crate) extension: Option<u8>,
    /// The register, and the element in it, at which the operand begins.
    pub(crate) start: (u16, u16),
    pub(crate) region: Region,
}

impl Operand {
    /// Whether both read the same elements.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
            && (self.ty, self.offsets) == (other.ty, other.offsets)
            && (self.negate, self.absolute) == (other.negate, other.absolute)
    }

    /// None.
    pub(crate) fn absent() -> Self {
        Self {
            place: Place::Absent,
            ty: Type::Ud,
            negate: false,
            absolute: false,
            invert: false,
            saturate: false,
            shape: Shape::Scalar,
            offsets: [0; 32],
            extension: None,
            start: (0, 0),
            region: Region::Implied,
        }
    }

    /// Whether its elements are used without modifiers.
    pub(crate) fn is_plain(&self) -> bool {
        !(self.negate || self.absolute || self.invert)
    }

    /// Whether writes to it are dropped.
    pub(crate) fn is_null(&self) -> bool {
        self.place == Place::Null
    }

    /// The file that it names directly.
    pub(crate) fn file(&self) -> Option<File> {
        match self.place {
            Place::Direct(file) => Some(file),
            _ => None,
        }
    }

    /// Computes the offsets of its elements. Fails if they are not inside of the file.
    pub(crate) fn lay_out(
        &mut self,
        width: u8,
        is_destination: bool,
        machine: Machine,
    ) -> Result<(), String> {
        let (width, size) = (usize::from(width), self.ty.size());
        let (register, element) = (usize::from(self.start.0), usize::from(self.start.1));
        if matches!(self.place, Place::Direct(File::General)) && register >= machine.registers {
            return Err(format!("r{register}: there is no such register"));
        }
        let base = match self.place {
            Place::Direct(file @ (File::General | File::Accumulator)) => {
                file.start() + register * machine.register_bytes() + element * size
            }
            Place::Direct(File::Flag) => File::Flag.start() + register * 4 + element * size,
            Place::Direct(file) => file.start() + element * size,
            _ => 0,
        };
        let at = |lane: usize| match (self.region, is_destination) {
            (Region::Implied, true) => lane,
            (Region::Implied, false) => {
                if width == 1 {
                    0
                } else {
                    lane
                }
            }
            (Region::Step(step), _) => lane * usize::from(step),
            (Region::Rows(_, _, step), true) => lane * usize::from(step),
            (Region::Rows(rows, row, step), false) => {
                let row = usize::from(row);
                lane / row * usize::from(rows) + lane % row * usize::from(step)
            }
            (Region::Addresses(row, step), _) => lane % usize::from(row) * usize::from(step),
        };
        if matches!(self.region, Region::Rows(_, 0, _) | Region::Addresses(0, _)) {
            return Err("a region of rows without elements".into());
        }
        if let Place::Direct(file) = self.place {
            let last = (0..width).map(at).max().unwrap_or(0);
            let bytes = if file == File::General { machine.bytes() } else { file.bytes() };
            if base + (last + 1) * size > file.start() + bytes {
                return Err("a region that runs past the last register".into());
            }
        }
        let mut offsets = [0; 32];
        for (lane, offset) in offsets.iter_mut().enumerate() {
            let lane = if lane < width { lane } else { 0 };
            *offset = u16::try_from(base + at(lane) * size).map_err(|_| "a region that is too large")?;
        }
        let step =
            |by: usize| (0..width).all(|n| usize::from(offsets[n]) == usize::from(offsets[0]) + n * by);
        self.shape = if step(size) {
            Shape::Packed
        } else if step(0) {
            Shape::Scalar
        } else {
            Shape::Strided
        };
        self.offsets = offsets;
        Ok(())
    }
}
