//! Matrix products: one instruction if the target has a matrix engine of the right width, otherwise products
//! and sums of rows.

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Operands, Region, Type, Value};
use crate::limits::DPAS_DEPTH;
use crate::ops::{MapKind, Precision};

use super::expand::{Expansion, expanded};
use crate::spirv::target::Target;

/// Whether the target has the instruction. Intel's compiler also accepts other numbers of lanes, but its code
/// then uses the wrong registers.
fn is_native(target: Target, lanes: usize, factor: Precision) -> bool {
    target.dpas_lanes() == Some(lanes) && (factor != Precision::Tf32 || target != Target::XeHpg)
}

/// The kernel without the matrix products that the target lacks; `None` if it has all of them.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
    let missing = |inst: &Inst| match inst.op {
        Op::Dpas { b, a, operands } if !is_native(target, inst.ty.columns, b) => Some((b, a, operands)),
        _ => None,
    };
    function.body.instructions().find_map(missing)?;
    let body = expanded(function, |inst, insts| {
        let Some((b, a, operands)) = missing(inst) else { return false };
        let Some(result) = inst.result else { return false };
        Product { insts, ty: inst.ty }.write(b, a, operands, result);
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// One matrix product, expanded.
struct Product<'a> {
    insts: &'a mut Expansion,
    /// The type of the sums.
    ty: Type,
}

impl Product<'_> {
    fn write(&mut self, b: Precision, a: Precision, operands: Operands, result: Value) {
        let [mut sum, columns, rows] = [operands[0], operands[1], operands[2]];
        let Type { rows: count, columns: lanes, .. } = self.ty;
        let elem = b.accumulator();
        let places: Vec<usize> = (0..b.per_dword()).collect();
        // Integer sums do not depend on the order, so add the factors at one place of all dwords at a time,
        // which needs fewer registers. Floats are added in order.
        let at_once = if elem.is_float() { places.len() } else { 1 };
        let mut left = places.len() * DPAS_DEPTH;
        for places in places.chunks(at_once) {
            let mut factors = Vec::with_capacity(places.len());
            for place in places {
                factors.push([
                    self.factors(b, columns, DPAS_DEPTH * lanes, *place),
                    self.factors(a, rows, count * DPAS_DEPTH, *place),
                ]);
            }
            for step in 0..DPAS_DEPTH {
                for [b, a] in &factors {
                    // The row of factors as a column, next to the column of factors as rows.
                    let b = self.region(*b, step * lanes, 0, 1);
                    let a = self.region(*a, step, DPAS_DEPTH, 0);
                    let product = self.insts.emit(Op::map(MapKind::Mul, elem, &[a, b]), self.ty);
                    let add = Op::map(MapKind::Add, elem, &[sum, product]);
                    left -= 1;
                    if left == 0 {
                        self.insts.push(add, Some(result), self.ty);
                    } else {
                        sum = self.insts.emit(add, self.ty);
                    }
                }
            }
        }
    }

    /// A region with as many elements as there are sums.
    fn region(&mut self, x: Value, offset: usize, row_stride: usize, column_stride: usize) -> Value {
        let region = Region { offset, dynamic: None, row_stride, width: self.ty.columns, column_stride };
        self.insts.emit(Op::Region(x, region), self.ty)
    }

    /// The factors at one place of each of `count` dwords, as elements of the type of the sums.
    fn factors(&mut self, factor: Precision, dwords: Value, count: usize, place: usize) -> Value {
        let row = |elem| Type::new(elem, 1, count);
        // The elements that contain the factors, and the index of the element in its dword.
        let (elem, held) = match factor {
            Precision::U4 | Precision::U8 => (ElemType::U8, place * factor.bits() / 8),
            Precision::S4 | Precision::S8 => (ElemType::I8, place * factor.bits() / 8),
            Precision::Bf => (ElemType::U16, place),
            Precision::Hf => (ElemType::F16, place),
            Precision::Tf32 => (ElemType::U32, place),
        };
        let parts = 4 / elem.bytes();
        let all = self.insts.emit(Op::Format(dwords), Type::new(elem, 1, count * parts));
        let region =
            Region { offset: held, dynamic: None, row_stride: 0, width: count, column_stride: parts };
        let mut x = self.insts.emit(Op::Region(all, region), row(elem));
        let sums = factor.accumulator();
        match factor {
            Precision::U8 | Precision::S8 | Precision::Hf => self.insts.emit(Op::convert(x, sums), row(sums)),
            Precision::Tf32 => {
                x = self.bits(MapKind::And, x, u64::from(TF32), row(ElemType::U32));
                self.insts.emit(Op::Format(x), row(sums))
            }
            Precision::Bf => {
                x = self.insts.emit(Op::convert(x, ElemType::U32), row(ElemType::U32));
                x = self.bits(MapKind::Shl, x, 16, row(ElemType::U32));
                self.insts.emit(Op::Format(x), row(sums))
            }
            Precision::U4 | Precision::S4 => {
                x = self.insts.emit(Op::convert(x, sums), row(sums));
                // Shift to the top and back down, with or without sign.
                let high = if place.is_multiple_of(2) { 28 } else { 24 };
                x = self.bits(MapKind::Shl, x, high, row(sums));
                match factor.is_signed() {
                    true => self.bits(MapKind::Shr, x, 28, row(sums)),
                    false => {
                        let bits = self.insts.emit(Op::Format(x), row(ElemType::U32));
                        let low = self.bits(MapKind::Shr, bits, 28, row(ElemType::U32));
                        self.insts.emit(Op::Format(low), row(sums))
                    }
                }
            }
        }
    }

    /// An operation with a constant operand.
    fn bits(&mut self, kind: MapKind, x: Value, constant: u64, ty: Type) -> Value {
        let constant = self.insts.emit(Op::Constant(Bits::Splat(constant)), ty);
        let elem = ty.elem().unwrap_or(ElemType::U32);
        self.insts.emit(Op::map(kind, elem, &[x, constant]), ty)
    }
}

/// A mask of the `f32` bits that a `tf32` has.
const TF32: u32 = !0x1fff;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::{BUDGET, interpret_printing};
    use crate::spirv::lower;
    use crate::text::parse;
    use crate::verify::verify;

    /// Dwords with numbers of every kind; floats are small so that not all sums are infinite.
    fn dwords(count: usize, factor: Precision, seed: u32) -> String {
        let dword = |n: usize| {
            let random =
                (n as u32 + seed).wrapping_mul(2_654_435_761).rotate_left(11).wrapping_mul(0x85eb_ca6b);
            match factor {
                Precision::Bf => random & 0x83ff_83ff | 0x3c00_3c00,
                Precision::Hf => random & 0xbfff_bfff,
                Precision::Tf32 => random & 0x83ff_ffff | 0x3c00_0000,
                _ => random,
            }
        };
        (0..count).map(|n| dword(n).to_string()).collect::<Vec<_>>().join(", ")
    }

    fn kernel(b: Precision, a: Precision, rows: usize, lanes: usize) -> Function {
        let sums = b.accumulator();
        let start = if sums.is_float() { "0.5" } else { "-7" };
        let (columns, own) = (dwords(8 * lanes, b, 1), dwords(rows * 8, a, 1000));
        let text = format!(
            "file 0 \"k.rs\" kernel k() {{ %0: {sums}<{rows}x{lanes}> = constant {start} @0:1:1; \
             %1: u32<8x{lanes}> = constant [{columns}] @0:1:1; %2: u32<{rows}x8> = constant [{own}] @0:1:1; \
             %3: {sums}<{rows}x{lanes}> = dpas {}.{} %0, %1, %2 @0:1:1; \
             %4: u32<1x{count}> = format %3 @0:1:1; print \"{{row:?}}\", %4 @0:1:1; }}",
            b.name(),
            a.name(),
            count = rows * lanes,
        )
        .replace("; ", "\n");
        let function = parse(&text).unwrap();
        assert_eq!(parse(&function.to_string()).unwrap(), function);
        verify(&function).unwrap();
        function
    }

    fn printed(function: &Function) -> String {
        let mut text = String::new();
        interpret_printing(function, &mut [], [0, 0], BUDGET, &mut |line| text += &line).unwrap();
        text
    }

    /// Both for targets with the instruction and for those without.
    #[test]
    fn products_are_spelt_out_with_the_same_bits() {
        let mut different = std::collections::BTreeSet::new();
        for b in Precision::ALL.iter().copied() {
            for a in Precision::ALL.iter().copied().filter(|a| b.goes_with(*a)) {
                for (rows, lanes) in [(1, 8), (8, 8), (3, 16), (8, 16)] {
                    let function = kernel(b, a, rows, lanes);
                    let expected = printed(&function);
                    different.insert(expected.clone());
                    for target in Target::ALL.iter().copied() {
                        let native = is_native(target, lanes, b);
                        let expanded = expand(&function, target);
                        assert_eq!(expanded.is_none(), native, "{target}: {b:?} {a:?}");
                        if let Some(expanded) = expanded {
                            verify(&expanded).unwrap();
                            assert_eq!(
                                printed(&expanded),
                                expected,
                                "{target}: {b:?} {a:?} {rows} x {lanes}"
                            );
                        }
                        lower(&function, target).unwrap();
                    }
                }
            }
        }
        // There are 11 pairs of factor types.
        assert_eq!(different.len(), 11 * 4);
    }
}
