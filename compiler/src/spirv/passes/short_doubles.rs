//! Operations on `f32` and constants of `f64` are made in `f32` where this gives the same bits.
//!
//! A literal without a type is an `f64`, as in CM, so that `x < 0.5` of `f32` compares in `f64`, which some GPUs lack and
//! others compute slowly. A comparison of an `f32` with any constant is one with the next `f32` on the right side of it. A sum,
//! difference or product of two `f32` in `f64`, rounded to `f32`, is the one in `f32`: 53 bits are more than twice 24, so that it
//! is not rounded twice. The smaller or larger of two `f32` is one of them.

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Value};
use crate::ops::MapKind;

use super::expand::expanded;
use super::unused::without_unused;
use crate::spirv::facts::defs::Defs;

/// The kernel with fewer operations in `f64`; `None` if there are none to change.
pub(crate) fn shortened(function: &Function) -> Option<Function> {
    if !function.body.instructions().any(|inst| in_doubles(inst).is_some()) {
        return None;
    }
    let defs = Defs::of(function);
    let body = expanded(function, |inst, insts| {
        let Some((kind, operands)) = in_doubles(inst) else { return false };
        let Some(short) = short(inst, kind, operands, &defs) else { return false };
        let operands = operands.iter().zip(short).map(|(x, number)| match number {
            Some(number) => {
                let ty = defs.get(*x).map_or(inst.ty, |def| def.ty).with_elem(ElemType::F32);
                insts.constant(u64::from(number.to_bits()), ty)
            }
            None => *x,
        });
        let op = Op::map(kind, ElemType::F32, &operands.collect::<Vec<_>>());
        insts.push(op, inst.result, inst.ty.with_elem(kind.outcome().elem(ElemType::F32)));
        true
    })?;
    // What is left of the constants would still be an `f64`.
    Some(Function { body: without_unused(body, &defs), ..function.clone() })
}

/// The kind and the operands of an operation in `f64` that may give the same bits in `f32`.
fn in_doubles(inst: &Inst) -> Option<(MapKind, &[Value])> {
    let Op::Map { kind, common: ElemType::F64, saturate: false, operands } = &inst.op else { return None };
    let arithmetic = matches!(kind, MapKind::Add | MapKind::Sub | MapKind::Mul | MapKind::Min | MapKind::Max);
    (kind.class().is_comparison() || arithmetic).then_some((*kind, operands))
}

/// The operation in `f32`: its operands that are constants.
fn short(inst: &Inst, kind: MapKind, operands: &[Value], defs: &Defs<'_>) -> Option<[Option<f32>; 2]> {
    let &[left, right] = operands else { return None };
    let rounding = |side| match kind {
        MapKind::Lt | MapKind::Ge if side == 1 => Rounding::Up,
        MapKind::Gt | MapKind::Le if side == 0 => Rounding::Up,
        MapKind::Lt | MapKind::Ge | MapKind::Gt | MapKind::Le => Rounding::Down,
        _ => Rounding::Exact,
    };
    let numbers = match (number(left, defs), number(right, defs)) {
        (None, None) => [None; 2],
        (None, Some(x)) => [None, Some(rounding(1).of(x)?)],
        (Some(x), None) => [Some(rounding(0).of(x)?), None],
        // They are folded.
        (Some(_), Some(_)) => return None,
    };
    let fits = |(x, number): (&Value, &Option<f32>)| number.is_some() || fits(*x, defs);
    let rounded = |user: &&Inst| {
        matches!(&user.op, Op::Map { kind: MapKind::Convert, common: ElemType::F32, saturate: false, .. })
    };
    let users = inst.result.map_or(&[][..], |result| defs.users(result));
    let same = kind.class().is_comparison() || !users.is_empty() && users.iter().all(rounded);
    (same && operands.iter().zip(&numbers).all(fits)).then_some(numbers)
}

/// Whether `f32` has all numbers of a value.
fn fits(x: Value, defs: &Defs<'_>) -> bool {
    defs.get(x).and_then(|def| def.ty.elem()).is_some_and(|elem| match elem {
        ElemType::F32 | ElemType::F16 => true,
        elem => !elem.is_float() && elem.bytes() <= 2,
    })
}

/// The `f64` that all elements are.
fn number(x: Value, defs: &Defs<'_>) -> Option<f64> {
    let inst = defs.get(x)?;
    match &inst.op {
        Op::Constant(Bits::Splat(bits)) if inst.ty.elem() == Some(ElemType::F64) => {
            Some(f64::from_bits(*bits))
        }
        Op::Splat(x) => number(*x, defs),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Rounding {
    Up,
    Down,
    Exact,
}

impl Rounding {
    /// The `f32`; `None` if it would be another number where it must not be, or one so small that GPUs may take it for 0.
    fn of(self, x: f64) -> Option<f32> {
        let nearest = x as f32;
        let rounded = match self {
            Self::Up if f64::from(nearest) < x => nearest.next_up(),
            Self::Down if f64::from(nearest) > x => nearest.next_down(),
            _ => nearest,
        };
        let exact = f64::from(rounded) == x || x.is_nan();
        (exact || !matches!(self, Self::Exact) && !rounded.is_subnormal()).then_some(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// The lines after a register of `f32` and one of `f64`, shortened.
    fn lines(lines: &str) -> String {
        let start = "%0: f32<1x4> = constant [1, 2, 3, 4]; %1: f64<1x4> = constant [1, 2, 3, 4];";
        let lines = format!("{start} {lines}").replace(';', " @0:1:1\n");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(o: write surface) {{ {lines} }}")).unwrap();
        shortened(&function).unwrap_or(function).to_string().replace(" @0:1:1", "")
    }

    #[test]
    fn comparisons_with_constants() {
        for x in [0.5, 0.1, -0.1, 1e300, -1e300, 1e-50, -1e-50, f64::INFINITY, f64::NAN, 16_777_217.0] {
            let near =
                [(x as f32).next_down(), x as f32, (x as f32).next_up(), 0.0, -0.0, f32::MAX, f32::INFINITY];
            for kind in [MapKind::Lt, MapKind::Le, MapKind::Gt, MapKind::Ge, MapKind::Eq, MapKind::Ne] {
                let order = |a: f64, b: f64| match kind {
                    MapKind::Lt => a < b,
                    MapKind::Le => a <= b,
                    MapKind::Gt => a > b,
                    MapKind::Ge => a >= b,
                    MapKind::Eq => a == b,
                    _ => a != b,
                };
                for side in 0..2 {
                    let rounding = match (kind, side) {
                        (MapKind::Lt | MapKind::Ge, 1) | (MapKind::Gt | MapKind::Le, 0) => Rounding::Up,
                        (MapKind::Eq | MapKind::Ne, _) => Rounding::Exact,
                        _ => Rounding::Down,
                    };
                    let Some(short) = rounding.of(x) else { continue };
                    for v in near.into_iter().chain([f32::NAN, f32::NEG_INFINITY]).map(f64::from) {
                        let both = |c: f64| if side == 0 { order(c, v) } else { order(v, c) };
                        assert_eq!(both(x), both(f64::from(short)), "{kind:?} {v} {x} {side}");
                    }
                }
            }
        }
        let text = lines("%2: f64 = constant 0.1; %3: f64<1x4> = splat %2; %4: u16<1x4> = lt.f64 %0, %3;");
        assert!(text.contains("lt.f32 %0") && !text.contains("splat %2"), "{text}");
        let text = lines("%2: f64<1x4> = constant 0.1; %4: u16<1x4> = eq.f64 %0, %2;");
        assert!(text.contains("eq.f64"), "{text}");
        let text = lines("%2: f64<1x4> = constant 0.5; %4: u16<1x4> = lt.f64 %1, %2;");
        assert!(text.contains("lt.f64"), "{text}");
    }

    #[test]
    fn products_that_are_rounded() {
        let product = |number: &str, user: &str| {
            lines(&format!("%2: f64<1x4> = constant {number}; %3: f64<1x4> = mul.f64 %0, %2; {user}"))
        };
        let rounded = "%4: f32<1x4> = convert %3;";
        assert!(product("0.5", rounded).contains("mul.f32"), "{}", product("0.5", rounded));
        assert!(product("0.1", rounded).contains("mul.f64"), "the constant is no f32");
        let others = "%4: f32<1x4> = convert %3; %5: i32<1x4> = convert %3;";
        assert!(product("0.5", others).contains("mul.f64"), "another user needs all bits");
    }

    #[test]
    fn the_smaller_and_the_larger() {
        let limited = |number: &str| {
            lines(&format!(
                "%2: f64<1x4> = constant {number}; %3: f64<1x4> = max.f64 %0, %2; %4: f32<1x4> = convert %3;"
            ))
        };
        assert!(limited("0").contains("max.f32"), "{}", limited("0"));
        assert!(limited("0.1").contains("max.f64"), "the constant is no f32");
    }
}
