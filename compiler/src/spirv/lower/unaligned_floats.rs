//! Regions of floats that do not start where registers do.
//!
//! From Xe-HPG on, an operand of an operation on floats starts at the same place of a register as the result, and has its
//! gaps. Other operands are moved first. But an operand that starts inside of a register also reaches into one register more
//! than an instruction can read, so Intel's compiler computes half as many elements at once, and moves the operand for
//! each use. So such regions are copied once, as integers, which have no such rule, and the operations stay whole. The same
//! holds for results that are inserted in such places.

use rustc_hash::FxHashSet;

use crate::elem::ElemType;
use crate::ir::{Function, Op, Region, Type, Value};
use crate::limits::DWORD;
use crate::ops::{Class, MapKind};

use crate::spirv::facts::defs::Defs;
use crate::spirv::passes::expand::{expanded, fits};
use crate::spirv::target::Target;

/// The floats of a kernel that are copied.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UnalignedFloats {
    /// Regions that are operands.
    taken: FxHashSet<Value>,
    /// Results that are inserted in other registers.
    placed: FxHashSet<Value>,
}

impl UnalignedFloats {
    /// Of this kernel; none, if registers might become scarce.
    pub(crate) fn of(function: &Function, target: Target, budget: usize) -> Self {
        if !target.at_least(Target::XeHpg) {
            return Self::default();
        }
        let found = Self::wanted(function, target);
        match found.copied(function) {
            Some(copied) if !fits(&copied, budget) => Self::default(),
            _ => found,
        }
    }

    /// The kernel with an operation in place of each copy, whose result the register report counts; `None` if there are none.
    fn copied(&self, function: &Function) -> Option<Function> {
        if self.taken.is_empty() && self.placed.is_empty() {
            return None;
        }
        let body = expanded(function, |inst, insts| {
            let copy = |x: Value| Op::map(MapKind::Abs, ElemType::F32, &[x]);
            match (&inst.op, inst.result) {
                (Op::Region(..), Some(result)) if self.taken.contains(&result) => {
                    let part = insts.emit(inst.op.clone(), inst.ty);
                    insts.push(copy(part), Some(result), inst.ty);
                    true
                }
                (Op::Insert(whole, to, part), result) if self.placed.contains(part) => {
                    let Some(ty) = insts.ty(*part) else { return false };
                    let part = insts.emit(copy(*part), ty);
                    insts.push(Op::Insert(*whole, *to, part), result, inst.ty);
                    true
                }
                _ => false,
            }
        })?;
        Some(Function { body, ..function.clone() })
    }

    /// The copies that save instructions.
    fn wanted(function: &Function, target: Target) -> Self {
        let mut found = Self::default();
        let defs = Defs::of(function);
        let lanes = target.register_bytes() / DWORD;
        let floats = |ty: Type| ty.elem() == Some(ElemType::F32) && ty.count() > lanes;
        for inst in function.body.instructions() {
            match (&inst.op, inst.result) {
                (Op::Region(_, region), Some(result)) if floats(inst.ty) => {
                    let users = defs.users(result);
                    let used = !users.is_empty() && users.iter().all(|user| computes(&user.op));
                    let wanted = used && !is_aligned(region, inst.ty.count(), lanes);
                    found.taken.extend(wanted.then_some(result));
                }
                (Op::Insert(_, region, value), _) => {
                    let made = defs.get(*value).filter(|inst| floats(inst.ty) && computes(&inst.op));
                    let wanted = made.is_some_and(|made| !is_aligned(region, made.ty.count(), lanes));
                    found.placed.extend((wanted && defs.user(*value).is_some()).then_some(*value));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether this region is copied before it is used.
    pub(crate) fn taken(&self, region: Value) -> bool {
        self.taken.contains(&region)
    }

    /// Whether this number is copied to where it is inserted.
    pub(crate) fn placed(&self, value: Value) -> bool {
        self.placed.contains(&value)
    }
}

/// Whether each part of a region that fills a register is a whole register, or one element that is repeated. The compiler does
/// not know where other regions start.
fn is_aligned(region: &Region, count: usize, lanes: usize) -> bool {
    let at = |n: usize| region.position(n);
    let aligned = |first: usize| {
        let part = || first..count.min(first + lanes);
        let whole = at(first).is_multiple_of(lanes) && part().all(|n| at(n) == at(first) + (n - first));
        whole || part().all(|n| at(n) == at(first))
    };
    region.dynamic.is_none() && (0..count).step_by(lanes).all(aligned)
}

/// Whether an operation on floats takes its operands from registers as they are.
fn computes(op: &Op) -> bool {
    match op {
        Op::Map { kind, common: ElemType::F32, saturate: false, .. } => {
            let class = kind.class();
            matches!(class, Class::Sum | Class::Product | Class::Between | Class::Order | Class::Equality)
                || *kind == MapKind::Fma
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// How many floats of this kernel, which starts with a block of them, are copied.
    fn copied(lines: &str, target: Target) -> usize {
        let start = "%0: i32 = constant 0; %1: f32<4x20> = constant 1; %2: f32<1x80> = format %1;";
        let lines = format!("{start} {lines};").replace(';', " @0:1:1\n").replace('|', ";");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(o: write surface) {{ {lines} }}")).unwrap();
        let found = UnalignedFloats::of(&function, target, 128 * target.register_bytes());
        assert_eq!(UnalignedFloats::of(&function, target, 64), UnalignedFloats::default(), "no room");
        found.taken.len() + found.placed.len()
    }

    #[test]
    fn operands_that_start_inside_of_registers() {
        let sum = |offset: usize| {
            format!("%3: f32<1x32> = region %2[{offset}| 32, 32, 1]; %4: f32<1x32> = add.f32 %3, %3")
        };
        for (target, whole) in [(Target::XeHpg, 8), (Target::XeHpc, 16)] {
            assert_eq!(copied(&sum(1), target), 1);
            assert_eq!([0, whole, 2 * whole].map(|offset| copied(&sum(offset), target)), [0; 3]);
        }
        assert_eq!(copied(&sum(1), Target::XeLp), 0);
        assert_eq!(copied(&sum(8), Target::XeHpc), 1);
    }

    #[test]
    fn regions_with_gaps_and_rows() {
        let sum = |region: &str| format!("%3: f32<2x16> = region {region}; %4: f32<2x16> = mul.f32 %3, %3");
        assert_eq!(copied(&sum("%2[0| 32, 16, 2]"), Target::XeHpg), 1);
        assert_eq!(copied(&sum("%1[0| 20, 16, 1]"), Target::XeHpg), 1, "the second row");
        assert_eq!(copied(&sum("%1[0| 40, 16, 1]"), Target::XeHpg), 0);
        assert_eq!(copied(&sum("%1[3| 0, 16, 0]"), Target::XeHpg), 0, "one element");
        let short = "%3: f32<1x8> = region %2[1| 8, 8, 1]; %4: f32<1x8> = mul.f32 %3, %3";
        assert_eq!(copied(short, Target::XeHpg), 0, "one register");
    }

    #[test]
    fn other_uses_take_regions_as_they_are() {
        let region = "%3: f32<2x16> = region %1[1| 20, 16, 1];";
        assert_eq!(copied(&format!("{region} %4: i32<2x16> = convert %3"), Target::XeHpg), 0);
        let both = "%4: f32<2x16> = add.f32 %3, %3; write #0 %0, %0, %3: f32<2x16>";
        assert_eq!(copied(&format!("{region} {both}"), Target::XeHpg), 0);
    }

    #[test]
    fn results_that_are_inserted_between_others() {
        let insert = |region: &str, other: &str| {
            format!(
                "%3: f32<2x16> = region %1[0| 40, 16, 1]; %4: f32<2x16> = add.f32 %3, %3; %5: f32<4x20> = insert %1[{region}], %4; {other}"
            )
        };
        assert_eq!(copied(&insert("0| 32, 16, 2", "%6: i32 = constant 1"), Target::XeHpg), 1);
        assert_eq!(copied(&insert("1| 20, 16, 1", "%6: i32 = constant 1"), Target::XeHpg), 1);
        assert_eq!(copied(&insert("0| 40, 16, 1", "%6: i32 = constant 1"), Target::XeHpg), 0);
        assert_eq!(copied(&insert("0| 32, 16, 2", "%6: f32<2x16> = mul.f32 %4, %4"), Target::XeHpg), 0);
    }
}
