//! Atomic operations: one message if the target has one for these elements. Otherwise a loop compares and
//! exchanges the dword around the element until no other thread interferes.

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Op, ParamKind, Type, Value, Variable};
use crate::limits::DWORD;
use crate::ops::{AccessKind, AtomicHints, AtomicKind, LoadHints, MapKind};

use super::expand::{Expansion, expanded};
use crate::spirv::emit::recipe::Missing;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::target::Target;

/// How a target executes an atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// By a message for dwords. All targets have these.
    Dword(Intrinsic),
    /// By a message of the load/store cache with this operation number.
    Cache(u64),
    /// By a compare-and-exchange loop on the dword, or on the qword.
    Repeated,
    /// Not supported.
    Missing,
}

/// How the target executes an operation on elements of a buffer or of shared local memory.
pub(crate) fn form(kind: AtomicKind, elem: ElemType, shared: bool, target: Target) -> Form {
    // Messages to shared local memory are used for dword integers only. For other elements it is not
    // documented which generations have them. But from Xe2 on Intel's compiler for OpenCL uses the message that compares
    // and exchanges qwords. So does it on Ponte Vecchio, for which its vector compilers of 2022 refuse the message.
    let long = elem.bytes() == 8 && shared && target.at_least(Target::Xe2);
    let cached = target.has_cache() && !shared;
    match elem {
        ElemType::U32 | ElemType::I32 => Form::Dword(dword(kind, elem)),
        // Exchanges the bits unchanged.
        ElemType::F32 if kind == AtomicKind::Xchg => Form::Dword(dword(kind, ElemType::U32)),
        // If one of the two is NaN, the message gives the number; the language compares instead.
        ElemType::F32 if matches!(kind, AtomicKind::Min | AtomicKind::Max) => Form::Repeated,
        ElemType::U64 | ElemType::I64 if long => match kind {
            AtomicKind::CmpXchg => Form::Cache(cache(kind, elem)),
            _ => Form::Repeated,
        },
        ElemType::U64 | ElemType::I64 if !cached => Form::Missing,
        ElemType::U64 | ElemType::I64 | ElemType::U16 | ElemType::I16 | ElemType::F32 if cached => {
            Form::Cache(cache(kind, elem))
        }
        _ => Form::Repeated,
    }
}

/// The error for 64-bit elements of a buffer or of shared local memory.
pub(crate) fn missing(elem: ElemType, shared: bool) -> Missing {
    let (place, remedy) = match shared {
        true => (" in shared memory", "use elements of 32 bits, a GPU from Xe2 on, or the CPU"),
        false => ("", "use elements of 32 bits, a GPU from Xe-HPG on, or the CPU"),
    };
    Missing { what: format!("atomic operations on `{elem}`{place}"), remedy }
}

/// The message that executes an operation on texels; `None` if the target has none.
pub(crate) const fn typed(kind: AtomicKind, elem: ElemType, target: Target) -> Option<Intrinsic> {
    // Hardware from Xe2 on has a message of the load/store cache, which Intel's compiler cannot generate.
    if target.at_least(Target::Xe2) {
        return None;
    }
    Some(match (kind, elem.is_signed()) {
        (AtomicKind::Add, _) => Intrinsic::TypedAdd,
        (AtomicKind::Sub, _) => Intrinsic::TypedSub,
        (AtomicKind::Inc, _) => Intrinsic::TypedInc,
        (AtomicKind::Dec, _) => Intrinsic::TypedDec,
        (AtomicKind::Min, false) => Intrinsic::TypedMinUnsigned,
        (AtomicKind::Min, true) => Intrinsic::TypedMinSigned,
        (AtomicKind::Max, false) => Intrinsic::TypedMaxUnsigned,
        (AtomicKind::Max, true) => Intrinsic::TypedMaxSigned,
        (AtomicKind::And, _) => Intrinsic::TypedAnd,
        (AtomicKind::Or, _) => Intrinsic::TypedOr,
        (AtomicKind::Xor, _) => Intrinsic::TypedXor,
        (AtomicKind::Xchg, _) => Intrinsic::TypedExchange,
        (AtomicKind::CmpXchg, _) => Intrinsic::TypedCompareExchange,
    })
}

/// The error for targets without these messages.
pub(crate) fn missing_typed() -> Missing {
    let what = "atomic operations on texels".into();
    let remedy = "use a surface in a buffer (`Device::with_surfaces_in_buffers`), a buffer, or the CPU";
    Missing { what, remedy }
}

/// The dword message of an operation.
const fn dword(kind: AtomicKind, elem: ElemType) -> Intrinsic {
    match (kind, elem.is_signed()) {
        (AtomicKind::Add, _) => Intrinsic::AtomicAdd,
        (AtomicKind::Sub, _) => Intrinsic::AtomicSub,
        (AtomicKind::Inc, _) => Intrinsic::AtomicInc,
        (AtomicKind::Dec, _) => Intrinsic::AtomicDec,
        (AtomicKind::Min, false) => Intrinsic::AtomicMinUnsigned,
        (AtomicKind::Min, true) => Intrinsic::AtomicMinSigned,
        (AtomicKind::Max, false) => Intrinsic::AtomicMaxUnsigned,
        (AtomicKind::Max, true) => Intrinsic::AtomicMaxSigned,
        (AtomicKind::And, _) => Intrinsic::AtomicAnd,
        (AtomicKind::Or, _) => Intrinsic::AtomicOr,
        (AtomicKind::Xor, _) => Intrinsic::AtomicXor,
        (AtomicKind::Xchg, _) => Intrinsic::AtomicExchange,
        (AtomicKind::CmpXchg, _) => Intrinsic::AtomicCompareExchange,
    }
}

/// The number of an operation in the load/store cache.
pub(crate) const fn cache(kind: AtomicKind, elem: ElemType) -> u64 {
    match (kind, elem.is_float(), elem.is_signed()) {
        (AtomicKind::Inc, ..) => 0x08,
        (AtomicKind::Dec, ..) => 0x09,
        (AtomicKind::Xchg, ..) => 0x0b,
        (AtomicKind::Add, false, _) => 0x0c,
        (AtomicKind::Sub, false, _) => 0x0d,
        (AtomicKind::Min, _, true) => 0x0e,
        (AtomicKind::Max, _, true) => 0x0f,
        (AtomicKind::Min, _, false) => 0x10,
        (AtomicKind::Max, _, false) => 0x11,
        (AtomicKind::CmpXchg, false, _) => 0x12,
        (AtomicKind::Add, true, _) => 0x13,
        (AtomicKind::Sub, true, _) => 0x14,
        (AtomicKind::CmpXchg, true, _) => 0x17,
        (AtomicKind::And, ..) => 0x18,
        (AtomicKind::Or, ..) => 0x19,
        (AtomicKind::Xor, ..) => 0x1a,
    }
}

/// The kernel with loops in place of the operations that the target has no message for; `None` if it has all
/// of them.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
    let repeated = |inst: &Inst| {
        let Op::Access { kind: AccessKind::Atomic(kind, hints), param, .. } = inst.op else { return None };
        let elem = inst.ty.elem()?;
        let elements = match function.params.get(param)?.kind {
            ParamKind::Shared { elem: own, elements } => Some(elements * own.bytes() / elem.bytes()),
            _ => None,
        };
        (form(kind, elem, elements.is_some(), target) == Form::Repeated)
            .then_some((kind, Cells { param, elem, elements, hints }))
    };
    function.body.instructions().find_map(repeated)?;
    let mut next = function.body.next_variable();
    let body = expanded(function, |inst, insts| {
        let Some((kind, cells)) = repeated(inst) else { return false };
        let (Op::Access { operands, .. }, Some(result)) = (&inst.op, inst.result) else { return false };
        let Some((&elements, sources)) = operands.split_first() else { return false };
        let variables = [Variable(next), Variable(next + 1)];
        next += 2;
        Update { insts, ty: inst.ty, cells, variables }.write(kind, elements, sources, result);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// The memory that is updated.
#[derive(Clone, Copy)]
struct Cells {
    param: usize,
    elem: ElemType,
    /// The length, if it is an array of shared local memory: other arrays are next to it.
    elements: Option<usize>,
    /// The cache hints of the operation.
    hints: AtomicHints,
}

/// One operation, expanded.
struct Update<'a> {
    insts: &'a mut Expansion,
    /// The type of the elements.
    ty: Type,
    cells: Cells,
    /// The last known cells, and a mask of the lanes that are not finished.
    variables: [Variable; 2],
}

impl Update<'_> {
    fn dwords(&self) -> Type {
        self.ty.with_elem(ElemType::U32)
    }

    /// The elements that are compared and exchanged: the dwords around the elements, or qwords.
    const fn cell(&self) -> ElemType {
        if self.cells.elem.bytes() > DWORD { ElemType::U64 } else { ElemType::U32 }
    }

    fn cell_ty(&self) -> Type {
        self.ty.with_elem(self.cell())
    }

    fn mask(&self) -> Type {
        self.ty.with_elem(ElemType::U16)
    }

    /// An operation on dwords.
    fn dword(&mut self, kind: MapKind, operands: &[Value]) -> Value {
        self.insts.map(kind, ElemType::U32, operands, self.dwords())
    }

    fn compare(&mut self, kind: MapKind, elem: ElemType, operands: &[Value]) -> Value {
        self.insts.map(kind, elem, operands, self.mask())
    }

    fn write(mut self, kind: AtomicKind, elements: Value, sources: &[Value], result: Value) {
        let [held, left] = self.variables;
        let outside = self.insts.constant(u64::from(u32::MAX), self.dwords());
        // The cells, and the bit positions of the elements in them.
        let (cells, places) = if self.cells.elem.bytes() >= DWORD {
            (elements, None)
        } else {
            let one = self.insts.constant(1, self.dwords());
            let four = self.insts.constant(4, self.dwords());
            let half = self.dword(MapKind::And, &[elements, one]);
            let places = self.dword(MapKind::Shl, &[half, four]);
            let mut cells = self.dword(MapKind::Shr, &[elements, one]);
            if let Some(count) = self.cells.elements {
                let last = self.insts.constant(count as u64 - 1, self.dwords());
                let inside = self.compare(MapKind::Le, ElemType::U32, &[elements, last]);
                cells = self.dword(MapKind::Merge, &[inside, cells, outside]);
            }
            (cells, Some(places))
        };
        let param = self.cells.param;
        let gather =
            Op::Access { kind: AccessKind::Gather(LoadHints::Default), param, operands: vec![cells] };
        let first = self.insts.emit(gather, self.cell_ty());
        self.insts.push(Op::Declare(held, Some(first)), None, self.cell_ty());
        let all = self.insts.constant(1, self.mask());
        self.insts.push(Op::Declare(left, Some(all)), None, self.mask());
        let (test, some) = self.block(|update| {
            let now = update.insts.emit(Op::Load(left), update.mask());
            update.insts.emit(Op::Any(now), Type::CONDITION)
        });
        let (body, ()) = self.block(|update| {
            let (cell, ty) = (update.cell(), update.cell_ty());
            let old = update.insts.emit(Op::Load(held), ty);
            let now = update.insts.emit(Op::Load(left), update.mask());
            let bits = update.bits(old, places);
            let changed = update.changed(kind, bits, sources);
            let new = update.replaced(old, changed, places);
            let at = update.dword(MapKind::Merge, &[now, cells, outside]);
            let exchange = AccessKind::Atomic(AtomicKind::CmpXchg, update.cells.hints);
            let operands = vec![at, new, old];
            let seen = update.insts.emit(Op::Access { kind: exchange, param, operands }, ty);
            // Finished lanes take no part in the message, so they keep their cell.
            let kept = update.insts.map(MapKind::Merge, cell, &[now, seen, old], ty);
            let other = update.compare(MapKind::Ne, cell, &[kept, old]);
            update.insts.push(Op::Store(held, kept), None, ty);
            update.insts.push(Op::Store(left, other), None, update.mask());
        });
        self.insts.push(Op::Loop(test, some, body), None, Type::CONDITION);
        let old = self.insts.emit(Op::Load(held), self.cell_ty());
        let bits = self.bits(old, places);
        self.insts.push(Op::Format(bits), Some(result), self.ty);
    }

    fn block<T>(&mut self, write: impl FnOnce(&mut Update<'_>) -> T) -> (Block, T) {
        let (ty, cells, variables) = (self.ty, self.cells, self.variables);
        self.insts.nested(|insts| write(&mut Update { insts, ty, cells, variables }))
    }

    /// The bits of the elements in cells, as unsigned integers of the element size.
    fn bits(&mut self, cells: Value, places: Option<Value>) -> Value {
        let Some(places) = places else { return cells };
        let low = self.dword(MapKind::Shr, &[cells, places]);
        let ty = self.ty.with_elem(ElemType::U16);
        self.insts.emit(Op::convert(low, ElemType::U16), ty)
    }

    /// The dwords with the elements replaced.
    fn replaced(&mut self, dwords: Value, elements: Value, places: Option<Value>) -> Value {
        let Some(places) = places else { return self.insts.emit(Op::Format(elements), self.cell_ty()) };
        let bits = self.insts.emit(Op::Format(elements), self.ty.with_elem(ElemType::U16));
        let wide = self.insts.emit(Op::convert(bits, ElemType::U32), self.dwords());
        let own = self.dword(MapKind::Shl, &[wide, places]);
        let (low, high) =
            (self.insts.constant(0xffff, self.dwords()), self.insts.constant(0xffff_0000, self.dwords()));
        // The other half of each dword.
        let zero = self.insts.constant(0, self.dwords());
        let is_low = self.compare(MapKind::Eq, ElemType::U32, &[places, zero]);
        let others = self.dword(MapKind::Merge, &[is_low, high, low]);
        let kept = self.dword(MapKind::And, &[dwords, others]);
        self.dword(MapKind::Or, &[kept, own])
    }

    /// The new values of the elements.
    fn changed(&mut self, kind: AtomicKind, bits: Value, sources: &[Value]) -> Value {
        let (ty, elem) = (self.ty, self.cells.elem);
        let old = self.insts.emit(Op::Format(bits), ty);
        let mut map = |kind, operands: &[Value]| self.insts.map(kind, elem, operands, ty);
        match (kind, sources) {
            (AtomicKind::Add, [x]) => map(MapKind::Add, &[old, *x]),
            (AtomicKind::Sub, [x]) => map(MapKind::Sub, &[old, *x]),
            (AtomicKind::And, [x]) => map(MapKind::And, &[old, *x]),
            (AtomicKind::Or, [x]) => map(MapKind::Or, &[old, *x]),
            (AtomicKind::Xor, [x]) => map(MapKind::Xor, &[old, *x]),
            (AtomicKind::Xchg, [x]) => *x,
            (AtomicKind::Min, [x]) => self.chosen(MapKind::Lt, [*x, old], [*x, old]),
            (AtomicKind::Max, [x]) => self.chosen(MapKind::Gt, [*x, old], [*x, old]),
            (AtomicKind::CmpXchg, [x, compare]) => self.chosen(MapKind::Eq, [old, *compare], [*x, old]),
            (AtomicKind::Inc | AtomicKind::Dec, []) => {
                let one = self.insts.constant(1, ty);
                let kind = if kind == AtomicKind::Inc { MapKind::Add } else { MapKind::Sub };
                self.insts.map(kind, elem, &[old, one], ty)
            }
            // The verifier rejects other numbers of sources.
            _ => old,
        }
    }

    /// The first of two values where a comparison holds, else the second.
    fn chosen(&mut self, comparison: MapKind, compared: [Value; 2], of: [Value; 2]) -> Value {
        let elem = self.cells.elem;
        let mask = self.compare(comparison, elem, &compared);
        self.insts.emit(Op::map(MapKind::Merge, elem, &[mask, of[0], of[1]]), self.ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::bytes::Bytes;
    use crate::interpret::{BUDGET, InterpretArg, interpret_printing};
    use crate::spirv::{LowerError, lower};
    use crate::text::parse;
    use crate::verify::verify;

    /// Updates 7 elements, some of them the same element, and two that may be out of bounds. Shared arrays
    /// have whole dwords, because the interpreter treats a partial dword as out of bounds.
    fn kernel(kind: AtomicKind, elem: ElemType, shared: bool) -> Function {
        let (cells, x, y) = match elem.is_float() {
            true => (
                "1.5, -2.0, 0.0, 7.25, -0.0, nan, 3.0",
                "2.5, -2.0, 1.0, 7.25, 9.0, 0.0, 8.0, 4.0",
                "7.25, 1.5, 2.5, -2.0, 0.0, nan, 0.0, 0.0",
            ),
            false => (
                "1, 20000, 3, 30000, 5, 6, 31000",
                "7, 6, 32000, 4, 3, 2, 1, 8",
                "30000, 1, 7, 31000, 5, 6, 20000, 0",
            ),
        };
        // Kernel texts write NaNs as bits.
        let nan = if elem == ElemType::F16 { "0x7e00" } else { "0x7fc00000" };
        let (cells, y) = (cells.replace("nan", nan), y.replace("nan", nan));
        let param = if shared { format!("shared {elem} 8") } else { format!("write buffer {elem}") };
        let sources = [", %3", ", %4"][..kind.sources()].concat();
        let name = kind.name(AtomicHints::Default);
        let text = format!(
            "file 0 \"k.rs\" kernel k(cells: {param}) {{ %0: u32<1x7> = constant [0, 1, 2, 3, 4, 5, 6] @0:1:1; \
             %1: {elem}<1x7> = constant [{cells}] @0:1:1; %8: u32<1x4> = region %0 [0; 4, 4, 1] @0:1:1; \
             %9: {elem}<1x4> = region %1 [0; 4, 4, 1] @0:1:1; %10: u32<1x4> = region %0 [3; 4, 4, 1] @0:1:1; \
             %11: {elem}<1x4> = region %1 [3; 4, 4, 1] @0:1:1; scatter #0 %8, %9: {elem}<1x4> @0:1:1; \
             scatter #0 %10, %11: {elem}<1x4> @0:1:1; \
             %2: u32<1x8> = constant [3, 0, 0, 6, 4, 5, 9, 4294967295] @0:1:1; \
             %3: {elem}<1x8> = constant [{x}] @0:1:1; %4: {elem}<1x8> = constant [{y}] @0:1:1; \
             %5: {elem}<1x8> = {name} #0 %2{sources} @0:1:1; \
             %6: u32<1x8> = constant [0, 1, 2, 3, 4, 5, 6, 7] @0:1:1; %7: {elem}<1x8> = gather #0 %6 @0:1:1; \
             print \"{{row:?}} {{row:?}}\", %5, %7 @0:1:1; }}"
        )
        .replace("; %", "\n%")
        .replace("; scatter", "\nscatter")
        .replace("; print", "\nprint")
        .replace("; }", "\n}");
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&function).unwrap();
        function
    }

    fn printed(function: &Function, shared: bool) -> String {
        let (mut text, mut bytes) = (String::new(), Bytes(vec![0; 28]));
        let mut args = if shared { vec![] } else { vec![InterpretArg::Buffer(&mut bytes)] };
        interpret_printing(function, &mut args, [0, 0], BUDGET, &mut |line| text += &line).unwrap();
        text
    }

    /// The operations on elements of up to 32 bits, and on those of 64 bits of shared memory.
    fn all() -> impl Iterator<Item = (AtomicKind, ElemType, bool)> {
        let kinds = AtomicKind::ALL.iter().copied();
        let each = kinds.flat_map(|kind| {
            ElemType::ALL.iter().flat_map(move |elem| [false, true].map(|shared| (kind, *elem, shared)))
        });
        each.filter(|(kind, elem, shared)| {
            crate::limits::is_atomic(*elem)
                && (elem.bytes() <= DWORD || *shared)
                && (!elem.is_float() || kind.takes_floats())
        })
    }

    #[test]
    fn operations_are_spelt_out_with_the_same_bits() {
        let mut repeated = 0;
        for (kind, elem, shared) in all() {
            let function = kernel(kind, elem, shared);
            let expected = printed(&function, shared);
            for target in Target::ALL.iter().copied() {
                if form(kind, elem, shared, target) == Form::Missing {
                    let error = lower(&function, target).unwrap_err().to_string();
                    assert!(error.contains("in shared memory") && error.contains("Xe2"), "{target}: {error}");
                    assert!(elem.bytes() == 8 && !target.at_least(Target::Xe2), "{target}: {kind:?} {elem}");
                    continue;
                }
                let expanded = expand(&function, target);
                assert_eq!(expanded.is_some(), form(kind, elem, shared, target) == Form::Repeated);
                if let Some(expanded) = expanded {
                    repeated += 1;
                    assert_eq!(printed(&expanded, shared), expected, "{target}: {kind:?} {elem} {shared}");
                }
                lower(&function, target).unwrap();
            }
        }
        assert!(repeated > 100, "{repeated}");
    }

    #[test]
    fn elements_of_64_bits_need_a_load_and_store_cache() {
        let text = "file 0 \"k.rs\" kernel k(cells: write buffer u64) {\n%0: u32<1x8> = constant 1 @0:1:1\n\
                    %1: u64<1x8> = constant 2 @0:1:1\n%2: u64<1x8> = atomic_add #0 %0, %1 @0:2:3\n}";
        let function = parse(text).unwrap();
        verify(&function).unwrap();
        for target in Target::ALL.iter().copied() {
            match lower(&function, target) {
                Ok(_) => assert!(target.at_least(Target::XeHpg), "{target}"),
                Err(error) => {
                    assert!(matches!(target, Target::Gen9 | Target::XeLp), "{target}: {error}");
                    assert!(matches!(error, LowerError::Unsupported { .. }), "{error}");
                    assert!(error.to_string().contains("k.rs:2:3"), "{error}");
                }
            }
        }
    }
}
