//! A SPIR-V module under construction. Types, constants, intrinsics and blocks are each created once.

mod assembly;
mod debug;
mod declarations;
mod instructions;
mod sources;

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::binary::{
    Block, Capability, Decoration, ExecutionMode, Function, Instruction, Op, Operand, StorageClass, Word,
};
use super::intrinsics::{Intrinsic, Param};
use super::types::{ImageKind, ParameterAccess, Ty};
use debug::Debug;

/// A value: its number and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Val {
    /// The number.
    pub(super) id: Word,
    /// The type.
    pub(super) ty: Ty,
}

/// The elements of a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Elements {
    Undefined,
    Splat(u64),
    Each(Vec<u64>),
}

impl Elements {
    /// Whether the compiler may treat these dwords as extended words with bytes that depend on the
    /// signedness.
    fn are_short(&self) -> bool {
        let bits = match self {
            Self::Undefined => return false,
            Self::Splat(bits) => std::slice::from_ref(bits),
            Self::Each(each) => each,
        };
        let short = |bits: u32| bits <= u32::from(u16::MAX) || i16::try_from(bits as i32).is_ok();
        let signed = |part: &[u64]| {
            part.iter().all(|&bits| short(bits as u32))
                && part.iter().any(|&bits| bits as u32 & 0x8080_8080 != 0)
        };
        // The compiler splits vectors into powers of two.
        let (mut rest, mut found) = (bits, signed(bits));
        while !rest.is_empty() && !found {
            let (part, others) = rest.split_at(1 << rest.len().ilog2().min(4));
            (found, rest) = (signed(part), others);
        }
        found
    }
}

/// A type that is not the type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Other {
    Void,
    Image(ImageKind, ParameterAccess),
    Buffer(ParameterAccess),
    Pointer(StorageClass, Ty),
    Function(Word, Vec<Word>),
}

/// The module, and the kernel in it.
#[derive(Debug)]
pub(super) struct Builder {
    bound: Word,
    // These sets are ordered so that a kernel always gives the same words.
    capabilities: BTreeSet<Capability>,
    extensions: BTreeSet<&'static str>,
    modes: Vec<(ExecutionMode, Option<u32>)>,
    annotations: Vec<Instruction>,
    globals: Vec<Instruction>,
    imports: Vec<Function>,
    tys: FxHashMap<Ty, Word>,
    others: FxHashMap<Other, Word>,
    constants: FxHashMap<(Ty, Elements), Word>,
    intrinsics: FxHashMap<String, Word>,
    /// The empty inline assembly.
    assembly: Option<Word>,
    /// The debug information, if the module has any.
    debug: Option<Debug>,
    parameters: Vec<Instruction>,
    variables: Vec<Instruction>,
    blocks: Vec<Block>,
    block: Block,
    /// Regions of neighbours that may start at any offset, see [`Builder::format`], and the variables that
    /// they are stored in.
    pub(super) skewed: FxHashSet<Word>,
    /// Regions whose elements are not contiguous, see [`Builder::region`].
    pub(super) rows: FxHashMap<Word, Rows>,
    /// Regions whose elements are not contiguous, with some elements replaced, and these regions before, see
    /// [`Builder::region`].
    pub(super) patched: FxHashMap<Word, Word>,
    /// The parts that values were made from, see [`Builder::is_filled_in_parts`].
    pub(super) made_of: FxHashMap<Word, Vec<Range<usize>>>,
    /// The start and the distance of the elements of 64 bits that were inserted last, with gaps.
    pub(super) gapped_longs: FxHashMap<Word, (usize, usize)>,
    /// Dwords that were extended from words or bytes, see [`Builder::byte_dot`].
    pub(super) extended: FxHashSet<Word>,
    /// Elements that were picked by indices, see [`Builder::insert`].
    pub(super) picked: FxHashSet<Word>,
    /// The register in which regions were replaced to make a value, or the first value that was computed in the
    /// same way, see [`Builder::origin`].
    pub(super) origins: FxHashMap<Word, Word>,
    /// The first result of each computation.
    computed: FxHashMap<(Op, Ty, Vec<Word>), Word>,
    /// Vectors of one repeated byte, see [`Lowering::reduce`](crate::spirv::lower::lowering::Lowering).
    pub(super) repeated: FxHashSet<Word>,
    /// Vectors of one repeated element, see [`Builder::format`].
    pub(super) splats: FxHashSet<Word>,
    /// Their elements, as scalars.
    pub(super) scalars: FxHashMap<Word, Val>,
    /// The low bits of longer integers, which the compiler treats as a region.
    pub(super) cut: FxHashSet<Word>,
    /// The low bytes of longer integers, and regions of them, see [`Builder::apart_from_longer`].
    pub(super) low_bytes: FxHashSet<Word>,
    /// Results of messages.
    pub(super) read: FxHashSet<Word>,
    /// Constants with a region replaced.
    pub(super) placed: FxHashSet<Word>,
    /// Bytes that were picked by addresses, as words.
    pub(super) words: FxHashMap<Word, Val>,
    /// Registers with bytes that others will be inserted between.
    pub(super) between: FxHashMap<Word, Between>,
    /// Elements of a register of longer elements, and how many bytes those have, see [`Builder::insert`]; and the
    /// variables that they are stored in.
    pub(super) parts: FxHashMap<Word, usize>,
    /// Truth values, and values made from them element by element: how many bytes belong to one of them; of truth values 0.
    pub(super) chosen: FxHashMap<Word, usize>,
    /// What is left of elements of `chosen` in registers in which others were inserted.
    pub(super) left: FxHashMap<Word, Left>,
    /// Results that are computed one by one of numbers with gaps, see [`Builder::contiguous`].
    pub(super) spread: FxHashSet<Word>,
    /// Constants and results of float operations of `f16`, see [`Builder::fused`].
    pub(super) halves: FxHashSet<Word>,
    /// Vectors that a branch may store, with the compiler for Gen9, see [`Builder::insert`].
    pub(super) branched: FxHashSet<Word>,
    /// The number of zeros that the compiler treats as different, see [`Builder::other_zeros`].
    pub(super) zeros: u64,
    /// Whether the kernel uses groups, so there may be several planes of them.
    pub(super) groups: bool,
    /// Whether the compiler calls functions: those that divide integers.
    pub(super) calls: bool,
    /// Whether the kernel computes rows of odd lengths, see [`Builder::separate`].
    pub(super) odd_shapes: bool,
    /// Whether the registers may not suffice, so that single dwords are written as vectors.
    pub(super) dwords_as_vectors: bool,
    /// Whether registers have 64 bytes, see [`Builder::region`].
    pub(super) long_registers: bool,
    /// Whether a compiler may compute only a few of the elements that were selected, see [`Builder::loses_flags`].
    pub(super) computes_few: bool,
    /// Whether the compiler computes with bytes in two halves, and takes the elements of the second one from the first rows
    /// where bytes of rows are repeated.
    pub(super) repeats_words: bool,
    /// Whether the compiler picks words instead of bytes if it then converts them to floats.
    pub(super) picks_words: bool,
    /// Whether gathers do not return elements to the registers of their addresses. Gen9 cannot do so: the
    /// compiler would copy the result.
    pub(super) gathers_apart: bool,
    /// Whether the element count of 64-bit divisions is padded to a power of two. The newest compiler crashes
    /// on the loops of other counts.
    pub(super) divided_in_powers: bool,
    /// Whether the element count of 32-bit divisions is made even, see [`Builder::divided`].
    pub(super) divided_in_pairs: bool,
    /// Whether the element count of [`Builder::fused`] leaves no remainder of two or three. Gen9 has no instruction for
    /// two elements.
    pub(super) fused_in_fours: bool,
}

/// Regions with the same rows that were inserted into a register one after the other.
#[derive(Clone, Debug)]
pub(super) struct Between {
    /// The register before these insertions.
    pub(super) base: Val,
    /// Elements from row to row, elements of a row, and elements from column to column.
    pub(super) rows: [usize; 3],
    /// The start and the data of each region.
    pub(super) parts: Vec<(usize, Val)>,
}

/// Elements that were not replaced.
#[derive(Clone, Debug)]
pub(super) struct Left {
    /// The register that they were computed in.
    pub(super) chosen: Val,
    /// For each of its elements, whether it is one of them.
    pub(super) places: Vec<bool>,
}

/// A region whose elements are not contiguous.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The register that it is a region of; `None` if its offset is known only at run time.
    pub(super) whole: Option<Val>,
    /// Elements of a row.
    pub(super) width: usize,
    /// The position of each element in the whole.
    pub(super) positions: Vec<usize>,
    /// Whether the rows are parts of the elements of a region with gaps.
    pub(super) split: bool,
}

fn refs(ids: &[Word]) -> Vec<Operand> {
    ids.iter().map(|&id| Operand::Id(id)).collect()
}

impl Builder {
    pub(super) fn new() -> Self {
        let mut builder = Self {
            // 0 is not a valid number in SPIR-V.
            bound: 1,
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::from(["SPV_INTEL_vector_compute"]),
            modes: vec![],
            annotations: vec![],
            globals: vec![],
            imports: vec![],
            tys: FxHashMap::default(),
            others: FxHashMap::default(),
            constants: FxHashMap::default(),
            intrinsics: FxHashMap::default(),
            assembly: None,
            debug: None,
            parameters: vec![],
            variables: vec![],
            blocks: vec![],
            block: Block::default(),
            skewed: FxHashSet::default(),
            rows: FxHashMap::default(),
            patched: FxHashMap::default(),
            made_of: FxHashMap::default(),
            gapped_longs: FxHashMap::default(),
            extended: FxHashSet::default(),
            picked: FxHashSet::default(),
            origins: FxHashMap::default(),
            computed: FxHashMap::default(),
            repeated: FxHashSet::default(),
            splats: FxHashSet::default(),
            scalars: FxHashMap::default(),
            cut: FxHashSet::default(),
            low_bytes: FxHashSet::default(),
            read: FxHashSet::default(),
            placed: FxHashSet::default(),
            words: FxHashMap::default(),
            between: FxHashMap::default(),
            parts: FxHashMap::default(),
            chosen: FxHashMap::default(),
            left: FxHashMap::default(),
            spread: FxHashSet::default(),
            halves: FxHashSet::default(),
            branched: FxHashSet::default(),
            zeros: 0,
            groups: false,
            calls: false,
            odd_shapes: false,
            dwords_as_vectors: false,
            long_registers: false,
            computes_few: false,
            repeats_words: false,
            picks_words: false,
            divided_in_powers: false,
            divided_in_pairs: false,
            fused_in_fours: false,
            gathers_apart: false,
        };
        for capability in
            [Capability::Addresses, Capability::Linkage, Capability::Kernel, Capability::VectorComputeINTEL]
        {
            builder.capability(capability);
        }
        builder.begin();
        builder
    }

    pub(super) fn fresh(&mut self) -> Word {
        self.bound += 1;
        self.bound - 1
    }

    pub(super) fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability);
    }

    pub(super) fn extension(&mut self, extension: &'static str) {
        self.extensions.insert(extension);
    }

    pub(super) fn mode(&mut self, mode: ExecutionMode, operand: Option<u32>) {
        self.modes.push((mode, operand));
    }

    /// The block that is being written.
    pub(super) fn current(&self) -> Word {
        self.block.label
    }

    fn decorate(&mut self, id: Word, decoration: Decoration) {
        let operands = vec![Operand::Id(id), Operand::from(decoration)];
        self.annotations.push(Instruction::effect(Op::Decorate, operands));
    }

    /// Declares the next parameter, a value.
    pub(super) fn parameter(&mut self, ty: Ty) -> Val {
        let type_id = self.ty(ty);
        let id = self.argument(type_id);
        Val { id, ty }
    }

    /// Declares the next parameter, an image. Returns its surface index, if it is used.
    pub(super) fn image(&mut self, kind: ImageKind, access: ParameterAccess, used: bool) -> Option<Val> {
        let type_id = self.other(Other::Image(kind, access));
        let id = self.argument(type_id);
        if kind == ImageKind::Blocks {
            self.decorate(id, Decoration::MediaBlockIOINTEL);
        }
        let index = Intrinsic::ImageIndex.name(Some(Ty::I32), &[Param::Image(kind, access)]);
        self.index(type_id, id, &index, used)
    }

    /// Declares the next parameter, a buffer. Returns its surface index, if it is used.
    pub(super) fn buffer(&mut self, access: ParameterAccess, used: bool) -> Option<Val> {
        let type_id = self.other(Other::Buffer(access));
        let id = self.argument(type_id);
        let index = Intrinsic::BufferIndex.name(Some(Ty::I32), &[Param::Buffer(access)]);
        self.index(type_id, id, &index, used)
    }

    /// Declares the next parameter, a pointer to device memory. Returns the address.
    pub(super) fn pointer(&mut self) -> Val {
        let pointer = self.unused_pointer();
        self.op_with(Op::ConvertPtrToU, Ty::I64, vec![Operand::Id(pointer)])
    }

    /// Declares the next parameter, a pointer that nothing uses.
    pub(super) fn unused_pointer(&mut self) -> Word {
        let type_id = self.other(Other::Pointer(StorageClass::CrossWorkgroup, Ty::I8));
        self.argument(type_id)
    }

    fn argument(&mut self, type_id: Word) -> Word {
        let id = self.fresh();
        self.parameters.push(Instruction::value(Op::FunctionParameter, type_id, id, vec![]));
        id
    }

    /// The surface index of a parameter, if it is used.
    fn index(&mut self, type_id: Word, id: Word, name: &str, used: bool) -> Option<Val> {
        // The conversion must be the only use of the parameter.
        used.then(|| self.call_raw(name, Some(Ty::I32), &[type_id], &[id])).flatten()
    }

    /// Declares a variable of the kernel.
    pub(super) fn variable(&mut self, ty: Ty) -> Word {
        let pointer = self.other(Other::Pointer(StorageClass::Function, ty));
        let id = self.fresh();
        let class = vec![Operand::from(StorageClass::Function)];
        self.variables.push(Instruction::value(Op::Variable, pointer, id, class));
        id
    }

    fn begin(&mut self) -> Word {
        let id = self.fresh();
        self.begin_block(id);
        id
    }

    /// Whether the current block is the first one.
    pub(super) fn in_entry(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Starts a block with a number that was allocated before. The previous block must have ended.
    pub(super) fn begin_block(&mut self, id: Word) {
        self.block.label = id;
    }

    /// Ends the block.
    pub(super) fn end_block(&mut self, op: Op, targets: &[Word]) {
        self.effect(op, refs(targets));
        self.blocks.push(std::mem::take(&mut self.block));
        if let Some(debug) = &mut self.debug {
            debug.end_block();
        }
    }
}
