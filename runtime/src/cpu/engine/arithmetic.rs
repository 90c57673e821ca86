//! Element-wise operations: their operands in the type of the computation, row by row.

use cm_compiler::elem::ElemType;
use cm_compiler::ir::{Inst, Op, Value};
use cm_compiler::ops::{Computed, MapKind, Operand as Rule};

use super::across;
use super::elements::{self, Compute};
use super::prepare::{Making, NONE, elem, found, shape, whole};
use super::program::{Part, Run, Shape, Slot, Step};
use super::uses::{self, Name, View};

/// An operand of an element-wise operation.
#[derive(Clone, Copy)]
struct Operand {
    slot: Slot,
    size: usize,
    view: Option<View>,
}

/// Whether a conversion keeps the bits, as between integers of the same size.
fn same_bits(from: ElemType, to: ElemType) -> bool {
    from.unsigned() == to.unsigned()
}

/// Whether all numbers of an integer type are among those of another.
fn has_all(elem: ElemType, of: ElemType) -> bool {
    let within = |(least, most): (i128, i128), (low, high): (i128, i128)| least <= low && high <= most;
    elem.range().zip(of.range()).is_some_and(|(own, other)| within(own, other))
}

impl Making {
    /// Converts a contiguous operand to another type, and passes it to `then`.
    pub(super) fn converted(
        &mut self,
        (operand, to): (Value, ElemType),
        steps: &mut Vec<Step>,
        then: impl FnOnce(&mut Self, Slot, &mut Vec<Step>),
    ) {
        let mut own = vec![];
        let operand = self.operand((operand, to, false), &mut own, steps);
        then(self, operand.slot, steps);
        own.into_iter().for_each(|(slot, bytes)| self.slots.give(slot, bytes));
    }

    /// An operand in the type of the computation. Temporary registers are added to `own`.
    fn operand(
        &mut self,
        (value, to, saturate): (Value, ElemType, bool),
        own: &mut Vec<(Slot, usize)>,
        steps: &mut Vec<Step>,
    ) -> Operand {
        let (ty, operand) = (self.ty(value), self.operand_as_it_is(value));
        if same_bits(elem(ty), to) && !saturate {
            return operand;
        }
        let run = found(self.fastest.convert(elem(ty), to, saturate));
        // If parts of a register overlap, convert the whole register instead.
        let overlaps = |(of, _): &(Value, usize)| !saturate && self.uses.viewed(*of) > self.ty(*of).count();
        let base = self.rows.get(&value).copied().filter(overlaps);
        let (of, first) = base.unwrap_or((value, 0));
        let from = operand.slot.before(first * operand.size);
        // The elements to convert (as rows of `width` with a pitch), and the view of the operand in the
        // result.
        let (count, (width, pitch), view) = match (operand.view, base) {
            (view, Some(_)) => (self.ty(of).count(), (self.ty(of).count(), 0), view),
            (view @ Some(View::Splat { width }), None) => (width, (width, 0), view),
            (Some(View::Rows { width, pitch }), None) => (ty.count(), (width, pitch), None),
            (None, None) => (ty.count(), (ty.count(), 0), None),
        };
        let read = |slot: Slot| Operand { slot: slot.at(first * to.bytes()), size: to.bytes(), view };
        let known = self.conversions.iter().find(|(x, elem, _)| !saturate && (*x, *elem) == (of, to));
        if let Some(&(.., slot)) = known {
            return read(slot);
        }
        let bytes = count * to.bytes();
        let slot = if saturate {
            let slot = self.slots.take(bytes);
            own.push((slot, bytes));
            slot
        } else {
            // Attach it to the operand, because the register itself may have its last use earlier.
            let slot = self.slots.attach(Name::Value(value), bytes);
            self.conversions.push((of, to, slot));
            slot
        };
        let (pitches, rows) = ([width * to.bytes(), pitch * operand.size, 0, 0], count / width);
        let from = [from, NONE, NONE];
        steps.push(Step::Compute { run, to: slot, from, count: width, other: 0, rows, pitches });
        read(slot)
    }

    /// An element-wise operation, row by row.
    fn by_rows(
        &mut self,
        (run, other): (Compute, usize),
        (to, shape): (Slot, Shape),
        operands: &[Operand],
        own: &mut Vec<(Slot, usize)>,
        steps: &mut Vec<Step>,
    ) {
        let rows = operands.iter().find_map(|operand| match operand.view {
            Some(View::Rows { width, .. }) => Some(width),
            _ => None,
        });
        let splats = operands.iter().filter_map(|operand| match operand.view {
            Some(View::Splat { width }) => Some(width),
            _ => None,
        });
        let count = shape.count;
        let width = rows.unwrap_or_else(|| splats.min().map_or(count, |most| uses::divisor(count, most)));
        let (mut from, mut pitches) = ([NONE; 3], [width * shape.size, 0, 0, 0]);
        for ((from, pitch), operand) in from.iter_mut().zip(&mut pitches[1..]).zip(operands) {
            (*from, *pitch) = match operand.view {
                None => (operand.slot, width * operand.size),
                Some(View::Rows { width: own, pitch }) if own == width => {
                    (operand.slot, pitch * operand.size)
                }
                Some(View::Splat { .. }) => (operand.slot, 0),
                Some(View::Rows { width: other, pitch }) => {
                    let bytes = count * operand.size;
                    let whole = self.slots.take(bytes);
                    own.push((whole, bytes));
                    let runs = (0..count / other).map(|row| Run {
                        from: row * pitch,
                        to: row * other,
                        count: other,
                    });
                    let part = Part::Known(runs.collect());
                    steps.push(Step::Region { to: whole, from: operand.slot, part, size: operand.size });
                    (whole, width * operand.size)
                }
            };
        }
        steps.push(Step::Compute { run, to, from, count: width, other, rows: count / width, pitches });
    }

    /// An operation of the tables, or a reduction.
    pub(super) fn arithmetic(&mut self, inst: &Inst, steps: &mut Vec<Step>) {
        let Shape { count, size } = shape(inst.ty);
        if let Op::Reduce { kind, common, operand } = inst.op {
            let run = found(self.fastest.map(kind, common));
            self.converted((operand, common), steps, |making, from, steps| {
                let shape = Shape { count: making.ty(operand).count(), size };
                let spare = [making.slots.take(shape.bytes()), making.slots.take(shape.bytes())];
                steps.push(Step::Reduce { run, to: making.result(inst), from, spare, shape });
                spare.into_iter().for_each(|slot| making.slots.give(slot, shape.bytes()));
            });
            return;
        }
        let Some((kind, common, operands)) = inst.op.computed() else {
            unreachable!("an operation of the tables")
        };
        let common = self.compared(kind, &operands).filter(|elem| has_all(common, *elem)).unwrap_or(common);
        let mut own = vec![];
        if let (Computed::Map(MapKind::Convert, saturate), &[operand]) = (kind, &operands[..]) {
            let known = self.known.get(&operand).and_then(|known| common.integer(*known as u64));
            self.knows(inst, known.filter(|_| !saturate));
            let from = self.operand_as_it_is(operand);
            let ty = elem(self.ty(operand));
            let run = if same_bits(ty, common) && !saturate {
                if from.view.is_none() {
                    return self.share(inst, Name::Value(operand), 0);
                }
                // Copy rows unchanged.
                across::copied(size)
            } else {
                found(self.fastest.convert(ty, common, saturate))
            };
            let to = self.result(inst);
            return self.by_rows((run, 0), (to, shape(inst.ty)), &[from], &mut own, steps);
        }
        let rule = |(value, rule): (&Value, &Rule)| match rule {
            Rule::Source => (*value, common, matches!(kind, Computed::Map(_, true))),
            Rule::Own | Rule::Common => (*value, common, false),
            Rule::Mask => (*value, ElemType::U16, false),
        };
        let mut rules: Vec<_> = operands.iter().zip(kind.operands()).map(rule).collect();
        let mut run = (None, 0);
        if let (Computed::Map(kind, _), &[_, by]) = (kind, &operands[..])
            && let (Some(shift), Some(number)) = (self.fastest.shift(kind, common), self.known.get(&by))
        {
            // As the operation does, use only the low bits of the count.
            run = (Some(shift), *number as usize & (common.bytes() * 8 - 1));
            rules.truncate(1);
        }
        let by_one = run.0.is_some();
        let run = (
            found(match kind {
                _ if by_one => run.0,
                Computed::Map(kind, _) => self.fastest.map(kind, common),
                Computed::Group(kind) => elements::group(kind, common),
            }),
            run.1,
        );
        let operands: Vec<_> = rules.into_iter().map(|rule| self.operand(rule, &mut own, steps)).collect();
        let to = self.result(inst);
        self.by_rows(run, (to, Shape { count, size }), &operands, &mut own, steps);
        own.into_iter().for_each(|(slot, bytes)| self.slots.give(slot, bytes));
    }

    /// The type of both operands of a comparison, if they have the same one, or one is a known number that
    /// this type has.
    fn compared(&self, kind: Computed, operands: &[Value]) -> Option<ElemType> {
        let Computed::Map(kind, _) = kind else { return None };
        let has = |elem: ElemType, operand: &Value| {
            let known = self.known.get(operand);
            self.ty(*operand).elem() == Some(elem)
                || known.zip(elem.range()).is_some_and(|(x, (least, most))| (least..=most).contains(x))
        };
        let mut types = operands.iter().map(|operand| elem(self.ty(*operand)));
        types.find(|elem| kind.class().is_comparison() && operands.iter().all(|operand| has(*elem, operand)))
    }

    /// Whether any element of a register is nonzero; with `every`, whether all are.
    pub(super) fn test(&mut self, x: Value, every: bool, inst: &Inst, steps: &mut Vec<Step>) {
        let (ty, from) = (self.ty(x), [self.slot(x), NONE, NONE]);
        let (run, to) = (found(self.fastest.some(elem(ty))), self.result(inst));
        let shape = Shape { count: ty.count(), size: 1 };
        if shape.count == 1 {
            return steps.push(whole(run, to, from, 1, 0));
        }
        let [each, first, second] = std::array::from_fn(|_| self.slots.take(shape.bytes()));
        steps.push(whole(run, each, from, shape.count, 0));
        let run = found(self.fastest.map(if every { MapKind::And } else { MapKind::Or }, ElemType::U8));
        steps.push(Step::Reduce { run, to, from: each, spare: [first, second], shape });
        [each, first, second].into_iter().for_each(|slot| self.slots.give(slot, shape.bytes()));
    }

    fn operand_as_it_is(&self, value: Value) -> Operand {
        let (ty, view) = (self.ty(value), self.uses.view(value).map(|(_, view)| view));
        Operand { slot: self.slot(value), size: shape(ty).size, view }
    }
}
