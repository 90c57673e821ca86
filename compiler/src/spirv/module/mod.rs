//! A SPIR-V module under construction. Types, constants, intrinsics and blocks are each created once.

mod assembly;
mod debug;
mod sources;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::binary::{
    ASSEMBLY, Block, Capability, Decoration, ExecutionMode, Function, IMPORT, Instruction, NONE, Op, Operand,
    StorageClass, Word,
};
use super::intrinsics::{Intrinsic, Param};
use super::types::{ImageKind, ParameterAccess, Scalar, Ty};
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
        bits.iter().all(|&bits| short(bits as u32)) && bits.iter().any(|&bits| bits as u32 & 0x8080_8080 != 0)
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
    tys: HashMap<Ty, Word>,
    others: HashMap<Other, Word>,
    constants: HashMap<(Ty, Elements), Word>,
    intrinsics: HashMap<String, Word>,
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
    pub(super) skewed: HashSet<Word>,
    /// Regions whose elements are not contiguous, see [`Builder::region`].
    pub(super) rows: HashMap<Word, Rows>,
    /// Regions whose elements are not contiguous, with some elements replaced, and these regions before, see
    /// [`Builder::region`].
    pub(super) patched: HashMap<Word, Word>,
    /// The parts that values were made from, see [`Builder::is_filled_in_parts`].
    pub(super) made_of: HashMap<Word, Vec<Range<usize>>>,
    /// Dwords that were extended from words or bytes, see [`Builder::byte_dot`].
    pub(super) extended: HashSet<Word>,
    /// Elements that were picked by indices, see [`Builder::insert`].
    pub(super) picked: HashSet<Word>,
    /// The register in which regions were replaced to make a value, or the first value that was computed in the
    /// same way, see [`Builder::origin`].
    pub(super) origins: HashMap<Word, Word>,
    /// The first result of each computation.
    computed: HashMap<(Op, Ty, Vec<Word>), Word>,
    /// Vectors of one repeated byte, see [`Lowering::reduce`](super::lowering::Lowering).
    pub(super) repeated: HashSet<Word>,
    /// Vectors of one repeated element, see [`Builder::format`].
    pub(super) splats: HashSet<Word>,
    /// The low bits of longer integers, which the compiler treats as a region.
    pub(super) cut: HashSet<Word>,
    /// The low bytes of longer integers, and regions of them, see [`Builder::apart_from_longer`].
    pub(super) low_bytes: HashSet<Word>,
    /// Results of messages.
    pub(super) read: HashSet<Word>,
    /// Constants with a region replaced.
    pub(super) placed: HashSet<Word>,
    /// Bytes that were picked by addresses, as words.
    pub(super) words: HashMap<Word, Val>,
    /// Registers with bytes that others will be inserted between.
    pub(super) between: HashMap<Word, Between>,
    /// Elements of a register of longer elements, and how many bytes those have, see [`Builder::insert`]; and the
    /// variables that they are stored in.
    pub(super) parts: HashMap<Word, usize>,
    /// Truth values, and values made from them element by element.
    pub(super) chosen: HashSet<Word>,
    /// The number of zeros that the compiler treats as different, see [`Builder::other_zeros`].
    pub(super) zeros: u64,
    /// Whether the kernel uses groups, so there may be several planes of them.
    pub(super) groups: bool,
    /// Whether the kernel computes rows of odd lengths, see [`Builder::separate`].
    pub(super) odd_shapes: bool,
    /// Whether the registers may not suffice, so that single dwords are written as vectors.
    pub(super) dwords_as_vectors: bool,
    /// Whether registers have 64 bytes, see [`Builder::region`].
    pub(super) long_registers: bool,
    /// Whether the compiler picks words instead of bytes if it then converts them to floats.
    pub(super) picks_words: bool,
    /// Whether gathers do not return elements to the registers of their addresses. Gen9 cannot do so: the compiler would
    /// copy the result.
    pub(super) gathers_apart: bool,
    /// Whether the element count of 64-bit divisions is padded to a power of two. The newest compiler crashes
    /// on the loops of other counts.
    pub(super) divided_in_powers: bool,
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
            tys: HashMap::new(),
            others: HashMap::new(),
            constants: HashMap::new(),
            intrinsics: HashMap::new(),
            assembly: None,
            debug: None,
            parameters: vec![],
            variables: vec![],
            blocks: vec![],
            block: Block::default(),
            skewed: HashSet::new(),
            rows: HashMap::new(),
            patched: HashMap::new(),
            made_of: HashMap::new(),
            extended: HashSet::new(),
            picked: HashSet::new(),
            origins: HashMap::new(),
            computed: HashMap::new(),
            repeated: HashSet::new(),
            splats: HashSet::new(),
            cut: HashSet::new(),
            low_bytes: HashSet::new(),
            read: HashSet::new(),
            placed: HashSet::new(),
            words: HashMap::new(),
            between: HashMap::new(),
            parts: HashMap::new(),
            chosen: HashSet::new(),
            zeros: 0,
            groups: false,
            odd_shapes: false,
            dwords_as_vectors: false,
            long_registers: false,
            picks_words: false,
            divided_in_powers: false,
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

    // Types.

    fn declare(&mut self, op: Op, operands: Vec<Operand>) -> Word {
        let id = self.fresh();
        self.globals.push(Instruction::untyped(op, id, operands));
        id
    }

    fn define(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.fresh();
        self.globals.push(Instruction::value(op, ty, id, operands));
        id
    }

    pub(super) fn ty(&mut self, ty: Ty) -> Word {
        if let Some(&id) = self.tys.get(&ty) {
            return id;
        }
        let id = if ty.count > 1 {
            match ty.count {
                // Lengths of SPIR-V itself. Other lengths than these and the next two need Intel's extension.
                2..=4 => {}
                8 | 16 => self.capability(Capability::Vector16),
                _ => self.capability(Capability::VectorAnyINTEL),
            }
            let one = self.ty(ty.one());
            self.declare(Op::TypeVector, vec![Operand::Id(one), Operand::Number(ty.count as u32)])
        } else {
            match ty.scalar {
                Scalar::Bool => self.declare(Op::TypeBool, vec![]),
                Scalar::Int(bits) => {
                    match bits {
                        8 => self.capability(Capability::Int8),
                        16 => self.capability(Capability::Int16),
                        64 => self.capability(Capability::Int64),
                        _ => {}
                    }
                    self.declare(Op::TypeInt, vec![Operand::Number(bits), Operand::Number(0)])
                }
                Scalar::Float(bits) => {
                    match bits {
                        16 => self.capability(Capability::Float16),
                        64 => self.capability(Capability::Float64),
                        _ => {}
                    }
                    self.declare(Op::TypeFloat, vec![Operand::Number(bits)])
                }
            }
        };
        self.tys.insert(ty, id);
        id
    }

    fn other(&mut self, other: Other) -> Word {
        if let Some(&id) = self.others.get(&other) {
            return id;
        }
        let id = match &other {
            Other::Void => self.declare(Op::TypeVoid, vec![]),
            Other::Image(kind, access) => {
                self.capability(Capability::ImageBasic);
                let void = self.other(Other::Void);
                let none = Operand::Number(NONE);
                let [dim, array] = kind.dimensions().map(Operand::Number);
                // No depth, not multisampled, unknown whether sampled, no format.
                let mut operands = vec![Operand::Id(void), dim, Operand::Number(NONE), array];
                operands.resize(7, none);
                operands.push(access.qualifier().into());
                self.declare(Op::TypeImage, operands)
            }
            Other::Buffer(access) => {
                self.declare(Op::TypeBufferSurfaceINTEL, vec![access.qualifier().into()])
            }
            Other::Pointer(class, ty) => {
                let ty = self.ty(*ty);
                self.declare(Op::TypePointer, vec![Operand::from(*class), Operand::Id(ty)])
            }
            Other::Function(result, parameters) => {
                let ids: Vec<Word> = [*result].into_iter().chain(parameters.iter().copied()).collect();
                self.declare(Op::TypeFunction, refs(&ids))
            }
        };
        self.others.insert(other, id);
        id
    }

    // Constants.

    fn make_constant(&mut self, ty: Ty, elements: Elements) -> Val {
        let key = (ty, elements);
        if let Some(&id) = self.constants.get(&key) {
            return Val { id, ty };
        }
        let type_id = self.ty(ty);
        let id = match &key.1 {
            Elements::Undefined => self.define(Op::Undef, type_id, vec![]),
            Elements::Splat(bits) if ty.count == 1 => match ty.scalar {
                Scalar::Bool if *bits == 0 => self.define(Op::ConstantFalse, type_id, vec![]),
                Scalar::Bool => self.define(Op::ConstantTrue, type_id, vec![]),
                _ => {
                    let literal = match ty.bits() {
                        64 => Operand::Wide(*bits),
                        32 => Operand::Number(*bits as u32),
                        // The bits above a narrow literal of an unsigned type are 0.
                        narrow => Operand::Number(*bits as u32 & ((1 << narrow) - 1)),
                    };
                    self.define(Op::Constant, type_id, vec![literal])
                }
            },
            Elements::Splat(bits) => {
                let one = self.make_constant(ty.one(), Elements::Splat(*bits)).id;
                self.define(Op::ConstantComposite, type_id, refs(&vec![one; ty.count]))
            }
            Elements::Each(each) => {
                let ids: Vec<Word> =
                    each.iter().map(|&bits| self.make_constant(ty.one(), Elements::Splat(bits)).id).collect();
                self.define(Op::ConstantComposite, type_id, refs(&ids))
            }
        };
        if ty.scalar == Scalar::Int(32) && key.1.are_short() {
            self.extended.insert(id);
        }
        self.constants.insert(key, id);
        Val { id, ty }
    }

    /// A constant with all elements equal to these bits.
    pub(super) fn constant(&mut self, ty: Ty, bits: u64) -> Val {
        // Clear the bits above the type, so that equal constants are shared.
        let bits = if ty.bits() == 64 { bits } else { bits & ((1 << ty.bits()) - 1) };
        self.make_constant(ty, Elements::Splat(bits))
    }

    /// A constant with the bits of each element.
    pub(super) fn constants(&mut self, ty: Ty, bits: &[u64]) -> Val {
        match bits {
            [one] => self.constant(ty, *one),
            each => self.make_constant(ty, Elements::Each(each.to_vec())),
        }
    }

    /// A float constant of any float type.
    pub(super) fn float(&mut self, ty: Ty, x: f64) -> Val {
        let bits = match ty.bits() {
            16 => u64::from(half::f16::from_f64(x).to_bits()),
            32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        };
        self.constant(ty, bits)
    }

    /// An `i32` constant.
    pub(super) fn i32(&mut self, x: usize) -> Val {
        self.constant(Ty::I32, x as u64)
    }

    /// An undefined value.
    pub(super) fn undefined(&mut self, ty: Ty) -> Val {
        self.make_constant(ty, Elements::Undefined)
    }

    // Assembly.

    /// An empty inline assembly that counts as a side effect.
    fn assembly(&mut self) -> Word {
        if let Some(id) = self.assembly {
            return id;
        }
        self.capability(Capability::AsmINTEL);
        self.extension(ASSEMBLY);
        let void = self.other(Other::Void);
        let function = self.other(Other::Function(void, vec![]));
        let target = self.declare(Op::AsmTargetINTEL, vec!["genx".into()]);
        let operands = vec![Operand::Id(function), Operand::Id(target), "".into(), "".into()];
        let id = self.define(Op::AsmINTEL, void, operands);
        self.decorate(id, Decoration::SideEffectsINTEL);
        self.assembly = Some(id);
        id
    }

    // Instructions.

    /// An instruction without a result.
    pub(super) fn effect(&mut self, op: Op, operands: Vec<Operand>) {
        self.block.instructions.push(Instruction::effect(op, operands));
    }

    /// An instruction with a result and literal operands.
    pub(super) fn op_with(&mut self, op: Op, ty: Ty, operands: Vec<Operand>) -> Val {
        let type_id = self.ty(ty);
        let id = self.fresh();
        self.block.instructions.push(Instruction::value(op, type_id, id, operands));
        Val { id, ty }
    }

    /// An instruction with a result.
    pub(super) fn op(&mut self, op: Op, ty: Ty, operands: &[Val]) -> Val {
        if op == Op::Select && self.selects_words(ty) {
            return self.selected_words(ty, operands);
        }
        let contiguous = if op == Op::Select { self.contiguous(ty, operands) } else { vec![] };
        let operands = if contiguous.is_empty() { operands } else { &contiguous };
        let ids: Vec<Word> = operands.iter().map(|x| x.id).collect();
        let result = self.op_with(op, ty, refs(&ids));
        let first = *self.computed.entry((op, ty, ids)).or_insert(result.id);
        if first != result.id {
            self.origins.insert(result.id, first);
        }
        if matches!(op, Op::UConvert | Op::SConvert)
            && ty.bits() >= 32
            && (operands[0].ty.bits() < 32 || self.extended.contains(&operands[0].id))
        {
            self.extended.insert(result.id);
        }
        let mut alike = operands.iter().filter(|x| x.ty.count == ty.count);
        if let Some(parts) = alike.find_map(|x| self.made_of.get(&x.id).cloned()) {
            self.made_of.insert(result.id, parts);
        }
        self.follow_chosen(result, operands);
        result
    }

    /// An empty instruction that the optimiser treats as a side effect of this block.
    pub(super) fn effect_of_nothing(&mut self) {
        let (assembly, void) = (self.assembly(), self.other(Other::Void));
        let id = self.fresh();
        self.block.instructions.push(Instruction::value(Op::AsmCallINTEL, void, id, refs(&[assembly])));
    }

    /// Tracks results that are made from truth values element by element.
    fn follow_chosen(&mut self, result: Val, operands: &[Val]) {
        let made = |x: &Val| x.ty.count > 1 && self.chosen.contains(&x.id);
        if result.ty.scalar == Scalar::Bool || operands.iter().any(made) {
            self.chosen.insert(result.id);
        }
    }

    /// Calls an intrinsic. Returns its result, if it has one.
    pub(super) fn call(
        &mut self,
        intrinsic: Intrinsic,
        result: Option<Ty>,
        arguments: &[Val],
    ) -> Option<Val> {
        let parameters: Vec<Param> = arguments.iter().map(|x| Param::Value(x.ty)).collect();
        let types: Vec<Word> = arguments.iter().map(|x| self.ty(x.ty)).collect();
        let ids: Vec<Word> = arguments.iter().map(|x| x.id).collect();
        self.call_raw(&intrinsic.name(result, &parameters), result, &types, &ids)
    }

    fn call_raw(&mut self, name: &str, result: Option<Ty>, types: &[Word], ids: &[Word]) -> Option<Val> {
        let type_id = match result {
            Some(ty) => self.ty(ty),
            None => self.other(Other::Void),
        };
        let function = match self.intrinsics.get(name) {
            Some(&id) => id,
            None => self.import(name, type_id, types),
        };
        let operands = [function].into_iter().chain(ids.iter().copied()).collect::<Vec<_>>();
        let id = self.fresh();
        // In SPIR-V, even calls without a result have a number.
        let call = Instruction::value(Op::FunctionCall, type_id, id, refs(&operands));
        self.block.instructions.push(call);
        result.map(|ty| Val { id, ty })
    }

    /// Calls an intrinsic that has a result.
    pub(super) fn value(&mut self, intrinsic: Intrinsic, ty: Ty, arguments: &[Val]) -> Val {
        match self.call(intrinsic, Some(ty), arguments) {
            Some(value) => {
                self.follow_chosen(value, arguments);
                value
            }
            None => self.undefined(ty),
        }
    }

    /// Declares an intrinsic: an imported function without a body. The compiler identifies it by its linkage
    /// name.
    fn import(&mut self, name: &str, result: Word, types: &[Word]) -> Word {
        let function_type = self.other(Other::Function(result, types.to_vec()));
        let id = self.fresh();
        let parameters = types
            .iter()
            .map(|&ty| {
                let parameter = self.fresh();
                Instruction::value(Op::FunctionParameter, ty, parameter, vec![])
            })
            .collect();
        let head = vec![Operand::Number(NONE), Operand::Id(function_type)];
        let def = Instruction::value(Op::Function, result, id, head);
        self.imports.push(Function { def, parameters, blocks: vec![] });
        let linkage = Operand::from(Decoration::LinkageAttributes);
        let operands = vec![Operand::Id(id), linkage, Operand::from(name), Operand::Number(IMPORT)];
        self.annotations.push(Instruction::effect(Op::Decorate, operands));
        self.intrinsics.insert(name.to_owned(), id);
        id
    }

    // The kernel.

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
        let type_id = self.other(Other::Pointer(StorageClass::CrossWorkgroup, Ty::I8));
        let pointer = self.argument(type_id);
        self.op_with(Op::ConvertPtrToU, Ty::I64, vec![Operand::Id(pointer)])
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
