//! Finds bytes that are computed from other bytes at an odd distance.
//!
//! If a region of a register is computed from another region of it, Intel's compiler computes in place, in
//! one instruction. It then splits an instruction that gives bytes into two, one for every second byte. If
//! the distance between the regions is odd, the first of these overwrites what the second one reads. So such
//! bytes become an opaque copy before they are inserted. They are inserted in zeros instead of an undefined
//! value, because for an undefined value the compiler would use the bytes that are computed with. Bytes that
//! are only moved are moved by one instruction. So the low bytes of longer numbers, which are not contiguous,
//! are moved before anything is computed from them (`Builder::settled`).
//!
//! If bytes are computed in longer numbers whose low bytes are then taken, the compiler computes only these
//! bytes. For low bytes of longer numbers it does so in place, unless the longer numbers are not in registers
//! because they are made of bytes and nothing else uses them. Parts of selected bytes are such low bytes if
//! something is then inserted among them, because bytes are selected in words. So all bits of such results must
//! be used (`Builder::uncut`).
//!
//! Numbers that are selected or limited are in longer registers too, bytes as words. What is computed from
//! their low bytes is computed in place only if the whole result is inserted in rows of registers, so it is
//! inserted in zeros. So are low bytes of longer numbers that are also compared or selected: these are words that
//! the compiler computes with again.
//!
//! For registers of 64 bytes, the compiler also computes bytes in place of words that do not start where those
//! start, if all it needs are their low bytes. So it does in place of dwords that are computed in parts of 32, if
//! the bytes take as many registers as a part.

use rustc_hash::FxHashSet;

use crate::dataflow::{Facts, Forward, forward};
use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Region, Type, Value};
use crate::limits::{DWORD, LANES};
use crate::ops::{AccessKind, Class, MapKind};

/// The bytes of a kernel that are computed from regions.
#[derive(Debug)]
pub(crate) struct MovedBytes(Facts<Moved>);

/// How bytes may have been made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Moved {
    /// Elements of a region.
    even: bool,
    /// Elements of a region, some of them at an odd distance from their positions in the value.
    odd: bool,
    /// Results of arithmetic that the compiler does in bytes.
    computed: bool,
    /// Low bits of 64-bit numbers, with the other bits in between.
    cut: bool,
    /// Bytes that were selected and are replaced in part.
    selected: bool,
    /// Longer numbers that are in registers.
    long: bool,
    /// Parts of such bytes, or low bytes of such numbers.
    apart: bool,
    /// Computed of such bytes.
    of_apart: bool,
    /// Numbers that were selected or limited. Masks are selected between 0 and 1.
    chosen: bool,
    /// Computed of such bytes.
    of_chosen: bool,
    /// Words of a region that starts elsewhere, or computed of them.
    shifted: bool,
    /// Dwords that are in registers, or computed of them.
    dwords: bool,
    /// Rows of an odd number of bytes that a message padded.
    padded: bool,
}

impl MovedBytes {
    /// The bytes of a kernel.
    pub(crate) fn of(function: &Function) -> Self {
        let mut regions = Regions::default();
        let mut used = FxHashSet::default();
        for inst in function.body.instructions() {
            if let Op::Insert(x, ..) = &inst.op {
                regions.replaced.insert(*x);
            }
            let operands: FxHashSet<Value> = inst.op.operands().into_iter().collect();
            regions.shared.extend(operands.into_iter().filter(|x| !used.insert(*x)));
            if let Op::Map { kind, operands, .. } = &inst.op
                && (chooses(kind.class()) || kind.class().is_comparison())
            {
                regions.compared.extend(operands.iter());
            }
        }
        Self(forward(&function.body, &regions))
    }

    /// Whether the compiler may compute these bytes wrongly if they are inserted in this region, or in rows
    /// of registers if there is no region.
    pub(crate) fn contains(&self, value: Value, region: Option<&Region>) -> bool {
        let moved = self.0.get(value).copied().unwrap_or_default();
        // Low bytes of longer numbers are where these are.
        let odd = moved.odd || region.is_some_and(|region| moved.padded || moved.even && is_odd(region));
        let bytes = self.0.ty(value).is_some_and(|ty| ty.count() > 1 && ty.bytes() == ty.count());
        bytes && (moved.computed && odd || region.is_none() && moved.of_chosen)
    }

    /// Whether the low bytes of these longer numbers may be computed from bytes that are not contiguous.
    pub(crate) fn computed_of_cut(&self, value: Value) -> bool {
        let moved = self.0.get(value).copied().unwrap_or_default();
        moved.computed && moved.cut || moved.of_apart
    }

    /// Whether they may be computed in place where registers have 64 bytes.
    pub(crate) fn computed_of_long_registers(&self, value: Value) -> bool {
        let moved = self.0.get(value).copied().unwrap_or_default();
        let in_parts = self.0.ty(value).is_some_and(|ty| ty.count() == LANES * DWORD);
        moved.computed && (moved.shifted || moved.dwords && in_parts)
    }
}

/// Whether some elements of a region may be at an odd distance from their positions in the value.
const fn is_odd(region: &Region) -> bool {
    region.dynamic.is_some()
        || !region.offset.is_multiple_of(2)
        || !region.row_stride.is_multiple_of(2)
        || region.column_stride != 1
}

/// Whether an operation is lowered to a selection.
const fn chooses(class: Class) -> bool {
    matches!(class, Class::Selection | Class::Between | Class::Limited | Class::Distance | Class::Quotient)
}

/// Whether an instruction gives dwords, or words that are made of them, of which the compiler does not compute only the low
/// bytes.
fn gives_dwords(inst: &Inst, facts: &Facts<Moved>) -> bool {
    let Some(elem) = inst.ty.elem().filter(|elem| !elem.is_float() && elem.bytes() > 1) else { return false };
    match &inst.op {
        Op::Map { kind, saturate, operands, .. } => {
            let of_floats = facts.elem(operands[0]).is_some_and(ElemType::is_float);
            let in_bytes = kind.class().is_cut_early() || kind.class() == Class::Conversion && !of_floats;
            let of_dwords = operands.iter().any(|x| facts.get(*x).is_some_and(|moved| moved.dwords));
            (*saturate || !in_bytes) && (elem.bytes() == DWORD || of_dwords)
        }
        Op::Region(..) | Op::Format(_) | Op::Access { .. } => elem.bytes() == DWORD,
        _ => false,
    }
}

#[derive(Default)]
struct Regions {
    /// What several instructions use.
    shared: FxHashSet<Value>,
    /// What regions are replaced in.
    replaced: FxHashSet<Value>,
    /// What is compared, selected or limited.
    compared: FxHashSet<Value>,
}

impl Forward for Regions {
    type Fact = Moved;

    fn unknown(&self, _: Type) -> Moved {
        // Values that are not made from regions are not computed in place.
        Moved::default()
    }

    fn join(&self, a: &Moved, b: &Moved) -> Moved {
        Moved {
            even: a.even || b.even,
            odd: a.odd || b.odd,
            computed: a.computed || b.computed,
            cut: a.cut || b.cut,
            selected: a.selected || b.selected,
            long: a.long || b.long,
            apart: a.apart || b.apart,
            of_apart: a.of_apart || b.of_apart,
            chosen: a.chosen || b.chosen,
            of_chosen: a.of_chosen || b.of_chosen,
            shifted: a.shifted || b.shifted,
            dwords: a.dwords || b.dwords,
            padded: a.padded || b.padded,
        }
    }

    fn widen(&self, joined: Moved, _: Type, _: usize) -> Moved {
        // There are few facts, and they are never removed.
        joined
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Moved>) -> Option<Moved> {
        let moved = self.moved(inst, facts);
        if !gives_dwords(inst, facts) {
            return moved;
        }
        let moved = moved.unwrap_or_default();
        // Averages end with a difference.
        let average = matches!(inst.op, Op::Map { kind: MapKind::Avg, .. });
        Some(Moved { dwords: true, computed: moved.computed || average, ..moved })
    }
}

impl Regions {
    /// How the result of an instruction was made, but for the dwords.
    fn moved(&self, inst: &Inst, facts: &Facts<Moved>) -> Option<Moved> {
        let fact = |x: &Value| facts.get(*x).copied().unwrap_or_default();
        match &inst.op {
            // The optimiser does not shorten what is stored where ways part.
            Op::Load(variable) => facts.variable(*variable).map(|moved| Moved {
                long: false,
                apart: false,
                of_apart: false,
                of_chosen: false,
                ..*moved
            }),
            Op::Access { kind: AccessKind::MediaRead, .. } if inst.ty.bytes() == inst.ty.count() => {
                let padded = inst.ty.rows > 1 && !inst.ty.columns.is_multiple_of(2);
                Some(Moved { padded, ..Moved::default() })
            }
            // In other rows, bytes are elsewhere.
            Op::Format(x) if inst.ty.bytes() == inst.ty.count() && fact(x).padded => {
                Some(Moved { odd: true, ..fact(x) })
            }
            Op::Region(x, region) if inst.ty.elem()?.bytes() == 1 => {
                let moved = fact(x);
                let odd = is_odd(region) || moved.padded;
                let apart = moved.apart || moved.selected;
                Some(Moved { even: !odd, odd, apart, of_chosen: false, ..moved })
            }
            Op::Region(x, region) if matches!(inst.ty.elem()?.bytes(), 2 | 4) => {
                let starts = region.dynamic.is_some() || region.offset > 0;
                Some(Moved { shifted: starts || fact(x).shifted, ..Moved::default() })
            }
            Op::Map { kind, common, operands, .. }
                if matches!(kind.class(), Class::Selection | Class::Between)
                    && !common.is_float()
                    && common.bytes() == 1 =>
            {
                let selected = inst.result.is_some_and(|result| self.replaced.contains(&result));
                let all = operands[1..].iter().map(fact).reduce(|a, b| self.join(&a, &b))?;
                let moved = if kind.class() == Class::Selection { all } else { Moved::default() };
                Some(Moved { selected, chosen: true, of_chosen: false, ..moved })
            }
            // Of longer numbers too: words or dwords whose low bytes may then be computed with.
            Op::Map { kind, common, .. }
                if chooses(kind.class()) && !common.is_float() || kind.class().is_comparison() =>
            {
                Some(Moved { chosen: true, ..Moved::default() })
            }
            Op::UnpackMask(_) => Some(Moved { chosen: true, ..Moved::default() }),
            Op::Map { kind, common, saturate: false, operands } if !common.is_float() => {
                let low = kind.class().is_cut_early();
                let conversion = kind.class() == Class::Conversion;
                let all = operands.iter().map(fact).reduce(|a, b| self.join(&a, &b))?;
                // The low bytes of longer numbers are not contiguous. Numbers that were already computed are
                // truncated afterwards.
                let longer = |x: &Value| facts.elem(*x).is_some_and(|elem| elem.bytes() > common.bytes());
                let cut = operands.iter().any(longer);
                let apart = cut && !(conversion && all.computed) || all.cut && low && common.bytes() == 1;
                let long = |x: &Value| facts.elem(*x).is_some_and(|elem| elem.bytes() == 8);
                let short = inst.ty.elem().is_some_and(|elem| elem.bytes() == 1);
                let compared = inst.result.is_some_and(|result| self.compared.contains(&result));
                let words = conversion && short && cut && compared;
                (low || conversion).then_some(Moved {
                    computed: all.computed || low,
                    odd: all.odd || apart,
                    cut: all.cut || cut && operands.iter().any(long),
                    long: !short
                        && (all.long || low && inst.result.is_some_and(|x| self.shared.contains(&x))),
                    apart: all.apart || cut && common.bytes() == 1 && all.long,
                    of_apart: all.of_apart || low && all.apart,
                    of_chosen: all.of_chosen || low && all.chosen,
                    chosen: all.chosen || words,
                    ..all
                })
            }
            // Numbers are limited by selections.
            Op::Map { kind, saturate: true, operands, .. } if kind.class() == Class::Conversion => {
                let from = facts.elem(*operands.first()?)?;
                Some(Moved { chosen: !from.is_float(), ..Moved::default() })
            }
            _ => None,
        }
    }
}
