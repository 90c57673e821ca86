//! The state of lowering a kernel: its values, variables and parameters.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Label, Location, Op, ThreadId, Type, Value, Variable};
use crate::limits::Violation;
use crate::ops::{Address, Class, MapKind, MemoryKind};

use super::message_order::MessageOrder;
use super::unaligned_floats::UnalignedFloats;
use crate::simplify::Ranges;
use crate::spirv::binary::Word;
use crate::spirv::emit::boolean::Boolean;
use crate::spirv::emit::control::End;
use crate::spirv::emit::long_blocks::LongBlocks;
use crate::spirv::emit::payloads::Payloads;
use crate::spirv::emit::recipe::{self, Missing};
use crate::spirv::error::LowerError;
use crate::spirv::facts::added_sizes::AddedSizes;
use crate::spirv::facts::cached_params::{cached_arrays, cached_buffers};
use crate::spirv::facts::cases::Cases;
use crate::spirv::facts::compare_uses::CompareUses;
use crate::spirv::facts::counts::Counts;
use crate::spirv::facts::element_offsets::offsets;
use crate::spirv::facts::far_masks::{FLAG_BITS, FarMasks};
use crate::spirv::facts::hazards::Hazards;
use crate::spirv::facts::kept_parts;
use crate::spirv::facts::known_zeros::KnownZeros;
use crate::spirv::facts::large_objects::LargeObjects;
use crate::spirv::facts::loop_flags::LoopFlags;
use crate::spirv::facts::masked_elements::masked;
use crate::spirv::facts::moved_bytes::MovedBytes;
use crate::spirv::facts::numbers::{Numbers, Same};
use crate::spirv::facts::odd_shapes;
use crate::spirv::facts::overwritten::Overwritten;
use crate::spirv::facts::own_masks::OwnMasks;
use crate::spirv::facts::padded_bytes::PaddedBytes;
use crate::spirv::facts::scalars::direct;
use crate::spirv::facts::sharing;
use crate::spirv::facts::spills;
use crate::spirv::facts::sums::Sums;
use crate::spirv::facts::swapped_bytes::SwappedBytes;
use crate::spirv::facts::zero_signs::ZeroSigns;
use crate::spirv::module::{Builder, Val};
use crate::spirv::passes::Setting;
use crate::spirv::target::{Instruction, Target};
use crate::spirv::types::Scalar;

/// The result of lowering.
pub(crate) type Result<T> = std::result::Result<T, LowerError>;

/// A value of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Def {
    pub(crate) val: Val,
    pub(crate) ty: Type,
    /// The bits of all elements, if they are known and equal.
    pub(crate) known: Option<u64>,
    /// A number that divides it.
    pub(crate) multiple: usize,
}

/// The conditions that are stored, or combined with others.
fn combined(function: &Function) -> FxHashSet<Value> {
    let branch = |op: &Op| matches!(op, Op::If(..) | Op::Loop(..));
    let all = function.body.instructions().filter(|inst| !branch(&inst.op));
    all.flat_map(|inst| inst.op.operands()).collect()
}

/// The conditions of several branches.
fn repeated(function: &Function) -> FxHashSet<Value> {
    let conditions = function.body.instructions().filter_map(|inst| match inst.op {
        Op::If(condition, ..) => Some(condition),
        _ => None,
    });
    let mut once = FxHashSet::default();
    conditions.filter(|condition| !once.insert(*condition)).collect()
}

/// The variables that branches store, and those that loops set to the same value in each round: the optimiser makes branches
/// of such loops.
fn branched(function: &Function) -> FxHashSet<Variable> {
    let mut found = FxHashSet::default();
    for inst in function.body.instructions() {
        match &inst.op {
            Op::If(..) | Op::Labelled(..) => found.extend(inst.op.blocks().flat_map(Block::stored)),
            Op::Loop(_, _, body) if body.breaks_out() => found.extend(body.stored()),
            Op::Loop(..) => found.extend(stored_alike(&inst.op)),
            _ => {}
        }
    }
    found
}

/// The variables to which the rounds of a loop, with the instructions of its condition, store values that do not depend on the
/// round.
fn stored_alike(round: &Op) -> Vec<Variable> {
    let stored: BTreeSet<Variable> = round.blocks().flat_map(Block::stored).collect();
    let (mut varying, mut alike) = (FxHashSet::<Value>::default(), vec![]);
    for inst in round.blocks().flat_map(Block::instructions) {
        let varies = match &inst.op {
            Op::Load(variable) => stored.contains(variable),
            Op::Access { .. } | Op::Sync(..) | Op::Clock => true,
            op => op.operands().iter().any(|x| varying.contains(x)),
        };
        match inst.op {
            Op::Store(variable, _) if !varies => alike.push(variable),
            _ if varies => varying.extend(inst.result),
            _ => {}
        }
    }
    alike
}

/// Whether a kernel divides integers.
fn divides(function: &Function) -> bool {
    let divides = |op: &Op| match op {
        Op::Map { kind, common, .. } => kind.class() == Class::Quotient && !common.is_float(),
        _ => false,
    };
    function.body.instructions().any(|inst| divides(&inst.op))
}

/// The masks that are also used as numbers, directly or as parts of other registers: by everything but tests, selections
/// by the mask, and bitwise operations whose results are not used in this way.
fn numbered(function: &Function) -> FxHashSet<Value> {
    let insts: Vec<&Inst> = function.body.instructions().collect();
    let (mut found, mut variables): (FxHashSet<Value>, FxHashSet<Variable>) = Default::default();
    loop {
        let before = found.len() + variables.len();
        for inst in insts.iter().rev() {
            let is_number = inst.result.is_some_and(|result| found.contains(&result));
            match &inst.op {
                Op::Any(_) | Op::All(_) | Op::PackMask(_) => {}
                Op::Load(variable) => variables.extend(is_number.then_some(*variable)),
                Op::Store(variable, x) | Op::Declare(variable, Some(x)) => {
                    found.extend(variables.contains(variable).then_some(*x));
                }
                Op::Region(..) | Op::Insert(..) | Op::Format(_) if !is_number => {}
                Op::Map { kind, .. } if kind.class() == Class::Bitwise && !is_number => {}
                Op::Map { kind, operands, .. } if kind.class() == Class::Selection => {
                    found.extend(operands.iter().skip(1));
                }
                op => found.extend(op.operands()),
            }
        }
        if found.len() + variables.len() == before {
            return found;
        }
    }
}

/// A kernel that is being lowered.
pub(crate) struct Lowering<'a> {
    pub(crate) builder: Builder,
    pub(crate) function: &'a Function,
    /// The target whose registers the module is made for.
    pub(crate) form: Target,
    /// The target whose instructions it uses.
    pub(crate) target: Target,
    pub(crate) hazards: Hazards,
    pub(crate) ranges: Ranges,
    /// The ranges of the numbers that select elements, or elements of arrays: no number may be beyond the end, even if nothing
    /// has set it.
    pub(crate) indices: Option<Ranges>,
    pub(crate) compare_uses: CompareUses,
    pub(crate) cases: Cases,
    pub(crate) counts: Counts,
    pub(crate) known_zeros: KnownZeros,
    pub(crate) moved_bytes: MovedBytes,
    pub(crate) padded_bytes: PaddedBytes,
    pub(crate) own_masks: OwnMasks,
    pub(crate) zero_signs: ZeroSigns,
    pub(crate) added_sizes: AddedSizes,
    pub(crate) swapped_bytes: SwappedBytes,
    far_masks: FarMasks,
    pub(crate) loop_flags: LoopFlags,
    /// Values of variables that are never stored.
    pub(crate) undefined: FxHashSet<Value>,
    /// Insertions whose part must be a copy.
    pub(crate) kept_parts: FxHashSet<Value>,
    pub(crate) overwritten: Overwritten,
    pub(crate) large_objects: LargeObjects,
    pub(crate) values: FxHashMap<Value, Def>,
    pub(crate) variables: FxHashMap<Variable, (Word, Type)>,
    /// The variables that may share registers with others.
    pub(crate) sharing: FxHashSet<Variable>,
    /// The ends of the enclosing labelled blocks.
    pub(crate) ends: FxHashMap<Label, End>,
    /// The elements of constants whose elements differ.
    pub(crate) constants: FxHashMap<Value, &'a [u64]>,
    /// Dot products of bytes that were made by an instruction.
    pub(crate) dots: FxHashMap<Word, (MapKind, [Val; 2])>,
    /// Bitwise functions of up to three values.
    pub(crate) booleans: FxHashMap<Word, Boolean>,
    pub(crate) arguments: Vec<Option<Val>>,
    /// The buffers, and the arrays of shared memory, that may be accessed through the load/store cache.
    pub(crate) cached_params: FxHashSet<usize>,
    /// The offsets of elements, by their numbers: see [`offsets`].
    pub(crate) element_offsets: FxHashMap<Value, (Value, u32)>,
    /// The element numbers that a mask replaces: see [`masked`].
    pub(crate) masked: FxHashMap<Value, Value>,
    /// The blocks of 256 bytes that are moved by one message for lanes.
    pub(crate) long_blocks: LongBlocks,
    /// Repeated scalars that instructions take as they are.
    pub(crate) direct: FxHashSet<Value>,
    pub(crate) unaligned_floats: UnalignedFloats,
    /// The addresses of buffers, by their parameters.
    pub(crate) pointers: FxHashMap<usize, Val>,
    pub(crate) order: MessageOrder,
    /// The payloads of messages of 2-D blocks.
    pub(crate) payloads: Payloads,
    /// The sums that these depend on.
    pub(crate) sums: Sums,
    /// Thread ids that are available in all blocks.
    pub(crate) threads: FxHashMap<ThreadId, Val>,
    /// The truth values that `u16` masks were made from, and their blocks.
    masks: FxHashMap<Word, (Val, Word)>,
    /// Conditions with other uses than branches.
    pub(crate) combined: FxHashSet<Value>,
    /// Conditions of several branches.
    pub(crate) repeated: FxHashSet<Value>,
    /// Variables that branches store, or rounds of loops in the same way: the compiler may select them by a single flag, see
    /// [`Builder::insert`].
    pub(crate) branched: FxHashSet<Variable>,
    /// Masks that are also used as numbers, if the compiler inverts them where a branch depends on them.
    pub(crate) numbered: FxHashSet<Value>,
    /// Whether threads exchange data in surfaces and buffers.
    pub(crate) exchanges: bool,
    /// Whether there is a staged `if`: the optimiser turns those of scalars into selections.
    pub(crate) branches: bool,
    pub(crate) at: Location,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(function: &'a Function, setting: &Setting) -> Self {
        let Setting { form, target, .. } = *setting;
        let numbers = Numbers::of(function, Same::Perhaps);
        let undefined = odd_shapes::undefined(function);
        let start = Location { file: "".into(), line: 0, column: 0 };
        let is_selected = |inst: &Inst| match &inst.op {
            Op::Iselect(..) => true,
            Op::Access { kind, .. } => kind.spec().address == Address::Vectors,
            _ => false,
        };
        let selects = function.shared().next().is_some() || function.body.instructions().any(is_selected);
        let mut builder = Builder::new();
        builder.long_registers = target.register_bytes() == 64;
        builder.computes_few = target.at_least(Target::XeHpg);
        builder.repeats_words = target != Target::Gen9;
        builder.picks_words = matches!(target, Target::XeHpg | Target::XeLpg);
        builder.calls = divides(function);
        let ends = builder.long_registers && odd_shapes::ends_in_long_registers(function);
        builder.odd_shapes = ends || odd_shapes::contains(function);
        builder.dwords_as_vectors = spills::dwords_as_vectors(function);
        builder.gathers_apart = target == Target::Gen9;
        builder.fused_in_fours = target == Target::Gen9;
        // The compilers with this fault do not support Gen9.
        builder.divided_in_powers = target != Target::Gen9;
        // Compilers that support Xe2 no longer have this fault. Others may, so Xe-LPG is among these.
        builder.divided_in_pairs = matches!(target, Target::XeHpg | Target::XeLpg | Target::XeHpc);
        let (counts, known_zeros) = (Counts::of(function), KnownZeros::of(function));
        Self {
            builder,
            function,
            form,
            target,
            hazards: Hazards::of(function),
            ranges: Ranges::of(function),
            indices: selects.then(|| Ranges::of_all_elements(function)),
            compare_uses: CompareUses::of(function),
            cases: Cases::of(function),
            added_sizes: AddedSizes::of(function, &counts),
            counts,
            element_offsets: offsets(function, &known_zeros),
            known_zeros,
            moved_bytes: MovedBytes::of(function),
            padded_bytes: PaddedBytes::of(function),
            own_masks: OwnMasks::of(function),
            zero_signs: ZeroSigns::of(function),
            swapped_bytes: SwappedBytes::of(function, &numbers, target.has(Instruction::Rotation)),
            far_masks: FarMasks::of(function),
            loop_flags: LoopFlags::of(function),
            kept_parts: kept_parts::found(function, &undefined, form.register_bytes()),
            undefined,
            overwritten: Overwritten::of(function, &numbers),
            large_objects: LargeObjects::of(function),
            values: FxHashMap::default(),
            ends: FxHashMap::default(),
            constants: FxHashMap::default(),
            variables: FxHashMap::default(),
            sharing: sharing::variables(function),
            dots: FxHashMap::default(),
            booleans: FxHashMap::default(),
            arguments: vec![],
            cached_params: &cached_buffers(function) | &cached_arrays(function, target),
            masked: masked(function),
            long_blocks: LongBlocks::of(function, target),
            direct: direct(function),
            unaligned_floats: UnalignedFloats::of(function, target, setting.budget()),
            pointers: FxHashMap::default(),
            order: MessageOrder::default(),
            payloads: Payloads::default(),
            sums: if target.has_2d_blocks() { Sums::of(function) } else { Sums::default() },
            threads: FxHashMap::default(),
            masks: FxHashMap::default(),
            combined: combined(function),
            repeated: repeated(function),
            branched: branched(function),
            numbered: if target.at_least(Target::Xe2) { numbered(function) } else { FxHashSet::default() },
            exchanges: function.exchanges_in_memory(),
            branches: function
                .body
                .instructions()
                .any(|inst| matches!(inst.op, Op::If(..) | Op::Labelled(..))),
            at: function.body.insts.first().map_or(start, |inst| inst.location.clone()),
        }
    }

    /// Whether numbers that select elements are surely from 0 to `last`.
    pub(crate) fn selects_up_to(&self, numbers: Value, last: usize) -> bool {
        self.indices.as_ref().is_some_and(|ranges| ranges.is_at_most(numbers, last))
    }

    /// Makes a mask from truth values. `mask` is the result that it becomes.
    pub(crate) fn mask(&mut self, truth: Val, scalar: Scalar, mask: Option<Value>) -> Val {
        let mut numbers = self.builder.numbers(truth, scalar);
        if mask.is_some_and(|mask| self.far_masks.contains(mask)) {
            // Prevent the optimiser from finding the truth values in another block.
            numbers = self.builder.apart(numbers);
        }
        self.masks.insert(numbers.id, (truth, self.builder.current()));
        numbers
    }

    /// The truth values that a mask was made from, if they can be used here.
    pub(crate) fn truth(&self, mask: Val) -> Option<Val> {
        let (truth, block) = *self.masks.get(&mask.id)?;
        (truth.ty.count <= FLAG_BITS || block == self.builder.current()).then_some(truth)
    }

    pub(crate) fn malformed(&self, what: impl Into<String>) -> LowerError {
        LowerError::Malformed { kernel: self.function.name.clone(), at: self.at.clone(), what: what.into() }
    }

    /// The error for a broken limit.
    pub(crate) fn broken(&self, violation: Violation) -> LowerError {
        LowerError::Limit { kernel: self.function.name.clone(), at: self.at.clone(), violation }
    }

    /// The error for a missing feature.
    pub(crate) fn missing(&self, missing: Missing) -> LowerError {
        let Missing { what, remedy } = missing;
        let (kernel, at) = (self.function.name.clone(), self.at.clone());
        LowerError::Unsupported { kernel, target: self.target, at, what, remedy }
    }

    /// Rejects element types that the target cannot compute with.
    pub(crate) fn legal(&self, elem: ElemType) -> Result<()> {
        recipe::missing(elem, self.target).map_or(Ok(()), |missing| Err(self.missing(missing)))
    }

    pub(crate) fn def(&self, value: Value) -> Result<Def> {
        self.values
            .get(&value)
            .copied()
            .ok_or_else(|| self.malformed(format!("%{} is used before it is defined", value.0)))
    }

    pub(crate) fn val(&self, value: Value) -> Result<Val> {
        Ok(self.def(value)?.val)
    }

    pub(crate) fn elem(&self, def: Def) -> Result<ElemType> {
        def.ty.elem().ok_or_else(|| self.malformed("a condition where numbers are expected"))
    }

    pub(crate) fn variable(&self, variable: Variable) -> Result<(Word, Type)> {
        self.variables
            .get(&variable)
            .copied()
            .ok_or_else(|| self.malformed(format!("variable {} is not declared", variable.0)))
    }

    /// The argument of a parameter of this kind of memory.
    pub(crate) fn memory(&self, index: usize, memory: MemoryKind) -> Result<Val> {
        let kind = self.function.params.get(index).and_then(|param| param.kind.memory());
        let argument = self.arguments.get(index).copied().flatten().filter(|_| kind == Some(memory));
        argument.ok_or_else(|| self.malformed("an access to a parameter that is not such memory"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    /// The variables that this loop stores in the same way in each round. `%1` and `%2` are numbers.
    fn of_loop(lines: &str) -> Vec<u32> {
        let function = kernel(&format!(
            "%0: i32 = constant 0; %1: u32 = read #0 %0, %0; %2: u32 = constant 4; var $0: u32 = %1; var $1: u32 = %2;
             {lines} write #1 %0, %0, %1: u32;\n"
        ));
        let mut found: Vec<u32> = branched(&function).into_iter().map(|variable| variable.0).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn rounds_that_store_the_same() {
        let condition = "%3: u32 = load $1; %4: condition = any %3;";
        let counted = "%5: u32 = sub.u32 %3, %1; store $1, %5: u32;";
        let in_body = format!("loop @0:1:1 {{ {condition} }} while %4 {{ {counted} store $0, %2: u32; }}");
        assert_eq!(of_loop(&in_body), [0]);
        let in_condition =
            format!("loop @0:1:1 {{ store $0, %2: u32; {condition} }} while %4 {{ {counted} }}");
        assert_eq!(of_loop(&in_condition), [0], "the condition belongs to the round");
        let changed = format!("loop @0:1:1 {{ {condition} }} while %4 {{ {counted} store $0, %5: u32; }}");
        assert_eq!(of_loop(&changed), [0; 0]);
    }
}
