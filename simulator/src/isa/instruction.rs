//! Instructions as data: opcodes, types of elements, conditions, predicates.

use super::annotation::Annotation;
use super::operand::Operand;

/// The operands of an instruction in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// No operands.
    Bare,
    /// A destination and one to three sources.
    Computed,
    /// One target.
    OneTarget,
    /// Two targets, or one that is used for both.
    TwoTargets,
    /// A destination and a target.
    Call,
    /// A source.
    Source,
    /// A destination, one payload, two descriptors.
    Send,
    /// A destination, two payloads, two descriptors.
    SplitSend,
}

/// The unit that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Control flow, and instructions without effect.
    Control,
    /// Arithmetic, depending on the types of the operands.
    Arithmetic,
    /// `math`.
    Math,
    /// `madm`.
    Macro,
    /// `dpas`.
    Systolic,
    /// Messages.
    Send,
}

macro_rules! opcodes {
    ($($name:ident $text:literal $form:ident $unit:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Opcode { $($name,)* }

        impl Opcode {
            pub(crate) fn of(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$name),)*
                    "sendc" => Some(Self::Send),
                    "sendsc" => Some(Self::Sends),
                    _ => None,
                }
            }

            pub(crate) fn form(self) -> Form {
                match self { $(Self::$name => Form::$form,)* }
            }

            pub(crate) fn unit(self) -> Unit {
                match self { $(Self::$name => Unit::$unit,)* }
            }
        }
    };
}

opcodes! {
    Illegal "illegal" Bare Control,
    Nop "nop" Bare Control,
    If "if" TwoTargets Control,
    Else "else" TwoTargets Control,
    Endif "endif" OneTarget Control,
    While "while" OneTarget Control,
    Break "break" TwoTargets Control,
    Cont "cont" TwoTargets Control,
    Halt "halt" TwoTargets Control,
    Goto "goto" TwoTargets Control,
    Join "join" OneTarget Control,
    Jmpi "jmpi" OneTarget Control,
    Brd "brd" OneTarget Control,
    Brc "brc" TwoTargets Control,
    Call "call" Call Control,
    Calla "calla" Call Control,
    Ret "ret" Source Control,
    Wait "wait" Source Control,
    Sync "sync" Source Control,
    Send "send" Send Send,
    Sends "sends" SplitSend Send,
    Math "math" Computed Math,
    Madm "madm" Computed Macro,
    Mov "mov" Computed Arithmetic,
    Movi "movi" Computed Arithmetic,
    Sel "sel" Computed Arithmetic,
    Csel "csel" Computed Arithmetic,
    Not "not" Computed Arithmetic,
    And "and" Computed Arithmetic,
    Or "or" Computed Arithmetic,
    Xor "xor" Computed Arithmetic,
    Shr "shr" Computed Arithmetic,
    Shl "shl" Computed Arithmetic,
    Asr "asr" Computed Arithmetic,
    Smov "smov" Computed Arithmetic,
    Ror "ror" Computed Arithmetic,
    Rol "rol" Computed Arithmetic,
    Bfn "bfn" Computed Arithmetic,
    Add3 "add3" Computed Arithmetic,
    Macl "macl" Computed Arithmetic,
    Dp4a "dp4a" Computed Arithmetic,
    Srnd "srnd" Computed Arithmetic,
    Dpas "dpas" Computed Systolic,
    Dpasw "dpasw" Computed Systolic,
    Cmp "cmp" Computed Arithmetic,
    Cmpn "cmpn" Computed Arithmetic,
    Bfrev "bfrev" Computed Arithmetic,
    Bfe "bfe" Computed Arithmetic,
    Bfi1 "bfi1" Computed Arithmetic,
    Bfi2 "bfi2" Computed Arithmetic,
    Add "add" Computed Arithmetic,
    Mul "mul" Computed Arithmetic,
    Avg "avg" Computed Arithmetic,
    Frc "frc" Computed Arithmetic,
    Rndu "rndu" Computed Arithmetic,
    Rndd "rndd" Computed Arithmetic,
    Rnde "rnde" Computed Arithmetic,
    Rndz "rndz" Computed Arithmetic,
    Mac "mac" Computed Arithmetic,
    Mach "mach" Computed Arithmetic,
    Lzd "lzd" Computed Arithmetic,
    Fbh "fbh" Computed Arithmetic,
    Fbl "fbl" Computed Arithmetic,
    Cbit "cbit" Computed Arithmetic,
    Addc "addc" Computed Arithmetic,
    Subb "subb" Computed Arithmetic,
    Sad2 "sad2" Computed Arithmetic,
    Sada2 "sada2" Computed Arithmetic,
    Dp4 "dp4" Computed Arithmetic,
    Dph "dph" Computed Arithmetic,
    Dp3 "dp3" Computed Arithmetic,
    Dp2 "dp2" Computed Arithmetic,
    Line "line" Computed Arithmetic,
    Pln "pln" Computed Arithmetic,
    Mad "mad" Computed Arithmetic,
    Lrp "lrp" Computed Arithmetic,
}

impl Opcode {
    /// Whether its operands may be in Align16 mode: those of instructions with three sources and of `math`
    /// may.
    pub(crate) fn may_align16(self) -> bool {
        matches!(self, Self::Mad | Self::Madm | Self::Math | Self::Lrp | Self::Bfe | Self::Bfi2 | Self::Csel)
    }
}

/// The function of `math`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Inv,
    Log,
    Exp,
    Sqt,
    Rsqt,
    Sin,
    Cos,
    Fdiv,
    Pow,
    Idiv,
    Iqot,
    Irem,
    Invm,
    Rsqtm,
}

impl Function {
    pub(crate) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "inv" => Self::Inv,
            "log" => Self::Log,
            "exp" => Self::Exp,
            "sqt" => Self::Sqt,
            "rsqt" => Self::Rsqt,
            "sin" => Self::Sin,
            "cos" => Self::Cos,
            "fdiv" => Self::Fdiv,
            "pow" => Self::Pow,
            "idiv" => Self::Idiv,
            "iqot" => Self::Iqot,
            "irem" => Self::Irem,
            "invm" => Self::Invm,
            "rsqtm" => Self::Rsqtm,
            _ => return None,
        })
    }
}

/// The part of an opcode after a dot, except for functions of `math`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    None,
    /// The table of `bfn`: one result bit for each of the eight bit triples.
    Table(u8),
    /// The depth of `dpas`, and its repeat count: rows of the result.
    Systolic {
        depth: u8,
        repeats: u8,
    },
    /// The number of the shared function that receives a message.
    Receiver(u8),
    /// The condition that `sync` waits for.
    Wait(Wait),
}

/// The condition that `sync` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Only the one in its annotation.
    Nothing,
    /// Tokens, until sources are read: those in the bits of its operand, or all.
    Sources,
    /// The same, until destinations are written.
    Destinations,
    /// A notification of the barrier.
    Barrier,
}

/// The condition that a condition modifier tests on a result, or on two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Overflow,
    Unordered,
    EarlyOut,
}

impl Condition {
    pub(crate) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "eq" | "ze" | "z" => Self::Equal,
            "ne" | "nz" => Self::NotEqual,
            "gt" | "g" => Self::Greater,
            "ge" => Self::GreaterEqual,
            "lt" | "l" => Self::Less,
            "le" => Self::LessEqual,
            "ov" | "o" => Self::Overflow,
            "un" | "u" => Self::Unordered,
            "eo" => Self::EarlyOut,
            _ => return None,
        })
    }
}

/// How flags are combined to the predicate of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// The flag of the channel.
    Sequential,
    /// The flags of the channel in f0 and f1.
    AnyVertical,
    AllVertical,
    /// The flags of this many neighbours.
    AnyOf(u8),
    AllOf(u8),
}

/// A predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    pub(crate) combine: Combine,
    pub(crate) invert: bool,
    /// The first of the flags: 0 is f0.0, 16 is f0.1, 32 is f1.0.
    pub(crate) flag: u8,
}

/// A descriptor of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Descriptor {
    Immediate(u32),
    /// A dword of a0 (`decodeSendExDesc` in `Decoder.cpp` of Intel's assembler).
    Address(u8),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) opcode: Opcode,
    pub(crate) function: Option<Function>,
    pub(crate) detail: Detail,
    pub(crate) backward: bool,
    /// The number of channels.
    pub(crate) width: u8,
    /// The first channel.
    pub(crate) first: u8,
    pub(crate) no_mask: bool,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) condition: Option<Condition>,
    /// The first flag that the condition writes.
    pub(crate) flag: u8,
    pub(crate) destination: Operand,
    pub(crate) sources: [Operand; 3],
    pub(crate) count: u8,
    /// Indices of instructions.
    pub(crate) target: Option<u32>,
    pub(crate) join: Option<u32>,
    pub(crate) writes_accumulator: bool,
    pub(crate) end_of_thread: bool,
    /// Whether it waits until the thread has no dependencies: `sendc` and `sendsc`.
    pub(crate) conditional: bool,
    pub(crate) align16: bool,
    pub(crate) compacted: bool,
    /// Its byte offset in the kernel.
    pub(crate) at: u32,
    pub(crate) extended: Descriptor,
    /// An offset that is added to the addresses of a message, if the extended descriptor is a register.
    pub(crate) address_offset: i32,
    pub(crate) descriptor: Descriptor,
    /// The length of the second payload, if it is given in the text and not in the extended descriptor.
    pub(crate) second_length: Option<u8>,
    pub(crate) annotation: Annotation,
    /// How it is executed. Set after its operands are parsed.
    pub(crate) domain: Domain,
    /// Whether a source is a register that the machine writes: ip, ce, tm.
    pub(crate) reads_state: bool,
}

/// The numbers that an arithmetic instruction computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Bits are copied.
    Copy,
    /// 32 bits represent every intermediate result, or only its low 32 bits matter.
    Narrow,
    /// 64 bits.
    Integer,
    /// 128 bits, because there are 64-bit operands.
    Wide,
    Float,
    Double,
}

impl Instruction {
    /// Its sources.
    pub(crate) fn sources(&self) -> &[Operand] {
        &self.sources[..usize::from(self.count)]
    }

    /// The number of channels as an array length.
    pub(crate) fn lanes(&self) -> usize {
        usize::from(self.width)
    }

    /// A mask with a bit for each of its channels.
    pub(crate) fn all(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.width))
    }

    /// Whether it reads the accumulator without naming it.
    pub(crate) fn reads_accumulator(&self) -> bool {
        matches!(self.opcode, Opcode::Mac | Opcode::Mach | Opcode::Macl | Opcode::Sada2)
    }

    /// The byte offset of the next instruction.
    pub(crate) fn end(&self) -> u32 {
        self.at + if self.compacted { 8 } else { 16 }
    }
}
