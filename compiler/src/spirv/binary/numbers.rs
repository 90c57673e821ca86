//! The SPIR-V numbers that modules of this dialect contain, and the operands of each instruction.

use super::Word;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $number:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub(in crate::spirv) enum $name { $($variant = $number),* }

        impl $name {
            /// The meaning of a word; `None` if modules of this dialect do not contain it.
            pub(in crate::spirv) const fn from_word(word: Word) -> Option<Self> {
                match word {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

numbers! {
    /// A capability that a consumer of the module must support. They are in numeric order.
    Capability {
        Addresses = 4,
        Linkage = 5,
        Kernel = 6,
        Vector16 = 7,
        Float16 = 9,
        Float64 = 10,
        Int64 = 11,
        ImageBasic = 13,
        Int16 = 22,
        Int8 = 39,
        DenormPreserve = 4464,
        AsmINTEL = 5606,
        VectorComputeINTEL = 5617,
        VectorAnyINTEL = 5619,
    }

    /// A property of a value or function.
    Decoration {
        LinkageAttributes = 41,
        SideEffectsINTEL = 5608,
        VectorComputeFunctionINTEL = 5626,
        MediaBlockIOINTEL = 6140,
    }

    /// How a kernel runs.
    ExecutionMode {
        ContractionOff = 31,
        DenormPreserve = 4459,
        SharedLocalMemorySizeINTEL = 5618,
        NamedBarrierCountINTEL = 6417,
    }

    /// The kind of memory that a pointer points to.
    StorageClass {
        CrossWorkgroup = 5,
        Function = 7,
    }

    /// An instruction of the extended set [`DEBUG_INFO`].
    // The `Debug` prefix is part of the names in the specification.
    #[allow(clippy::enum_variant_names)]
    DebugInstruction {
        DebugCompilationUnit = 1,
        DebugTypeFunction = 8,
        DebugFunction = 20,
        DebugLexicalBlock = 21,
        DebugScope = 23,
        DebugSource = 35,
    }

    /// How a kernel accesses an image or buffer.
    AccessQualifier {
        ReadOnly = 0,
        WriteOnly = 1,
        ReadWrite = 2,
    }
}

/// 64-bit addresses.
pub(in crate::spirv) const PHYSICAL_64: Word = 2;
/// The memory model of OpenCL.
pub(in crate::spirv) const OPENCL: Word = 2;
/// An entry point that is a kernel.
pub(in crate::spirv) const KERNEL: Word = 6;
/// An image of rows and columns.
pub(in crate::spirv) const DIM_2D: Word = 1;
/// An image of rows, columns and slices.
pub(in crate::spirv) const DIM_3D: Word = 2;
/// No flags: for functions, and for the flags and the format of an image.
pub(in crate::spirv) const NONE: Word = 0;
/// Loop control: do not unroll.
pub(in crate::spirv) const DONT_UNROLL: Word = 2;
/// The extension for inline assembly.
pub(in crate::spirv) const ASSEMBLY: &str = "SPV_INTEL_inline_assembly";
/// The extended instruction set for source locations.
pub(in crate::spirv) const DEBUG_INFO: &str = "OpenCL.DebugInfo.100";
/// Linkage of a function that is defined elsewhere.
pub(in crate::spirv) const IMPORT: Word = 1;

/// The kind of operand at one position of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A result of another instruction.
    Id,
    /// Zero or more results.
    Ids,
    /// A literal.
    Literal,
    /// Zero or more literals.
    Literals,
    /// The bits of a constant: one word, or two for 64 bits.
    Bits,
    /// A string.
    Text,
    /// A number with only one value in this dialect.
    Only(Word),
    /// A [`Capability`].
    Capability,
    /// A [`Decoration`] and its operands.
    Decoration,
    /// An [`ExecutionMode`] and its operands.
    Mode,
    /// A [`DebugInstruction`] and its operands.
    Debug,
    /// An [`AccessQualifier`].
    Access,
    /// A [`StorageClass`].
    Storage,
}

impl Decoration {
    /// The operands of the decoration.
    pub(super) const fn slots(self) -> &'static [Slot] {
        match self {
            Self::LinkageAttributes => &[Slot::Text, Slot::Only(IMPORT)],
            Self::SideEffectsINTEL | Self::VectorComputeFunctionINTEL | Self::MediaBlockIOINTEL => &[],
        }
    }
}

impl ExecutionMode {
    /// The operands of the mode.
    pub(super) const fn slots(self) -> &'static [Slot] {
        match self {
            Self::ContractionOff => &[],
            Self::DenormPreserve | Self::SharedLocalMemorySizeINTEL | Self::NamedBarrierCountINTEL => {
                &[Slot::Literal]
            }
        }
    }
}

impl DebugInstruction {
    /// The operands of the extended instruction.
    pub(super) const fn slots(self) -> &'static [Slot] {
        use Slot::{Id, Literal};
        match self {
            // Versions of the instruction set and of DWARF, source, language.
            Self::DebugCompilationUnit => &[Literal, Literal, Id, Literal],
            // Flags, type of the result.
            Self::DebugTypeFunction => &[Literal, Id],
            // Name, type, source, line, column, parent, linkage name, flags, line of the body, function.
            Self::DebugFunction => &[Id, Id, Id, Literal, Literal, Id, Id, Literal, Literal, Id],
            // Source, line, column, parent.
            Self::DebugLexicalBlock => &[Id, Literal, Literal, Id],
            Self::DebugScope => &[Id],
            // File name, file contents.
            Self::DebugSource => &[Id, Id],
        }
    }
}

/// Whether an instruction has a result, and whether the result has a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// No result.
    Effect,
    /// A result without a type.
    Untyped,
    /// A result and its type.
    Value,
}

macro_rules! operations {
    ($($form:ident { $($name:ident = $number:literal [$($slot:expr),*],)* })*) => {
        numbers! {
            /// An instruction of SPIR-V.
            Op { $($($name = $number,)*)* }
        }

        impl Op {
            /// Whether the instruction has a result.
            pub(super) const fn form(self) -> Form {
                match self { $($(Self::$name)|* => Form::$form,)* }
            }

            /// The operands after the result.
            pub(super) const fn slots(self) -> &'static [Slot] {
                use Slot::{Access, Bits, Debug, Id, Ids, Literal, Literals, Mode, Only, Storage, Text};
                match self { $($(Self::$name => &[$($slot),*],)*)* }
            }
        }
    };
}

operations! {
    Effect {
        Line = 8 [Id, Literal, Literal],
        Extension = 10 [Text],
        MemoryModel = 14 [Only(PHYSICAL_64), Only(OPENCL)],
        EntryPoint = 15 [Only(KERNEL), Id, Text],
        ExecutionMode = 16 [Id, Mode],
        Capability = 17 [Slot::Capability],
        FunctionEnd = 56 [],
        Store = 62 [Id, Id],
        Decorate = 71 [Id, Slot::Decoration],
        LoopMerge = 246 [Id, Id, Only(DONT_UNROLL)],
        Branch = 249 [Id],
        BranchConditional = 250 [Id, Id, Id],
        Return = 253 [],
    }
    Untyped {
        String = 7 [Text],
        ExtInstImport = 11 [Text],
        TypeVoid = 19 [],
        TypeBool = 20 [],
        TypeInt = 21 [Literal, Literal],
        TypeFloat = 22 [Literal],
        TypeVector = 23 [Id, Literal],
        TypeImage = 25 [Id, Literal, Only(NONE), Literal, Only(NONE), Only(NONE), Only(NONE), Access],
        TypePointer = 32 [Storage, Id],
        TypeFunction = 33 [Id, Ids],
        AsmTargetINTEL = 5609 [Text],
        TypeBufferSurfaceINTEL = 6086 [Access],
        Label = 248 [],
    }
    Value {
        Undef = 1 [],
        ExtInst = 12 [Id, Debug],
        ConstantTrue = 41 [],
        ConstantFalse = 42 [],
        Constant = 43 [Bits],
        ConstantComposite = 44 [Ids],
        Function = 54 [Only(NONE), Id],
        FunctionParameter = 55 [],
        FunctionCall = 57 [Id, Ids],
        Variable = 59 [Only(StorageClass::Function as Word)],
        Load = 61 [Id],
        VectorExtractDynamic = 77 [Id, Id],
        VectorInsertDynamic = 78 [Id, Id, Id],
        VectorShuffle = 79 [Id, Id, Literals],
        CompositeExtract = 81 [Id, Literal],
        CompositeInsert = 82 [Id, Id, Literal],
        ConvertFToU = 109 [Id],
        ConvertFToS = 110 [Id],
        ConvertSToF = 111 [Id],
        ConvertUToF = 112 [Id],
        UConvert = 113 [Id],
        SConvert = 114 [Id],
        FConvert = 115 [Id],
        ConvertPtrToU = 117 [Id],
        Bitcast = 124 [Id],
        SNegate = 126 [Id],
        FNegate = 127 [Id],
        IAdd = 128 [Id, Id],
        FAdd = 129 [Id, Id],
        ISub = 130 [Id, Id],
        FSub = 131 [Id, Id],
        IMul = 132 [Id, Id],
        FMul = 133 [Id, Id],
        UDiv = 134 [Id, Id],
        SDiv = 135 [Id, Id],
        FDiv = 136 [Id, Id],
        UMod = 137 [Id, Id],
        SRem = 138 [Id, Id],
        LogicalOr = 166 [Id, Id],
        LogicalAnd = 167 [Id, Id],
        LogicalNot = 168 [Id],
        Select = 169 [Id, Id, Id],
        IEqual = 170 [Id, Id],
        INotEqual = 171 [Id, Id],
        UGreaterThan = 172 [Id, Id],
        SGreaterThan = 173 [Id, Id],
        UGreaterThanEqual = 174 [Id, Id],
        SGreaterThanEqual = 175 [Id, Id],
        ULessThan = 176 [Id, Id],
        SLessThan = 177 [Id, Id],
        ULessThanEqual = 178 [Id, Id],
        SLessThanEqual = 179 [Id, Id],
        FOrdEqual = 180 [Id, Id],
        FUnordNotEqual = 183 [Id, Id],
        FOrdLessThan = 184 [Id, Id],
        FOrdGreaterThan = 186 [Id, Id],
        FOrdLessThanEqual = 188 [Id, Id],
        FOrdGreaterThanEqual = 190 [Id, Id],
        ShiftRightLogical = 194 [Id, Id],
        ShiftRightArithmetic = 195 [Id, Id],
        ShiftLeftLogical = 196 [Id, Id],
        BitwiseOr = 197 [Id, Id],
        BitwiseXor = 198 [Id, Id],
        BitwiseAnd = 199 [Id, Id],
        Not = 200 [Id],
        AsmINTEL = 5610 [Id, Id, Text, Text],
        AsmCallINTEL = 5611 [Id, Ids],
    }
}
