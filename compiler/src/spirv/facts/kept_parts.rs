//! Finds parts of registers that are inserted in an undefined register at the places that they had.
//!
//! The optimiser takes the whole register that a part is from, because the other elements may be anything. If that register is
//! used again, the compiler copies all of it, and then replaces the other elements. So such a part is an opaque copy, unless
//! that takes as many instructions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Function, Inst, Op, Type, Value};
use crate::spirv::region_instructions::lanes;

/// The results of these insertions. `undefined`: the values that are undefined registers. `register`: the bytes of a hardware
/// register.
pub(crate) fn found(function: &Function, undefined: &FxHashSet<Value>, register: usize) -> FxHashSet<Value> {
    let copies = |ty: Type| {
        let bytes = ty.elem().map_or(1, ElemType::bytes);
        ty.count().div_ceil(lanes(bytes, register))
    };
    let mut insts: FxHashMap<Value, &Inst> = FxHashMap::default();
    let (mut last, mut parts) = (FxHashMap::<Value, usize>::default(), vec![]);
    for (n, inst) in function.body.instructions().enumerate() {
        last.extend(inst.op.operands().into_iter().map(|x| (x, n)));
        insts.extend(inst.result.map(|result| (result, inst)));
        if let Op::Insert(whole, to, part) = &inst.op
            && let Some(Inst { op: Op::Region(of, from), ty, .. }) = insts.get(part)
            && let Some(result) = inst.result
        {
            let same = from == to && from.dynamic.is_none() && ty.count() > 1;
            let like = insts.get(of).is_some_and(|of| of.ty.count() == inst.ty.count());
            let like = like && copies(*ty) < copies(inst.ty);
            parts.extend((undefined.contains(whole) && same && like).then_some((result, *of, n)));
        }
    }
    let again = parts.into_iter().filter(|(_, of, n)| last.get(of) > Some(n));
    again.map(|(result, ..)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;
    use crate::spirv::facts::odd_shapes::undefined;

    /// Whether the elements of `%2`, inserted in an undefined register by these lines, count as kept.
    fn is_kept(lines: &str) -> bool {
        let function = kernel(&format!(
            "%0: i32 = constant 3; %1: u8<4x32> = read #0 %0, %0; %2: u32<1x32> = format %1; var $0: u32<1x32>;
             %3: u32<1x32> = load $0; {lines} %8: u8<4x32> = format %9; write #1 %0, %0, %8: u8<4x32>;\n"
        ));
        !found(&function, &undefined(&function), 32).is_empty()
    }

    #[test]
    fn parts_at_their_places() {
        let part = |count: usize, [from, to]: [&str; 2]| {
            format!("%4: u32<1x{count}> = region %2[{from}]; %5: u32<1x32> = insert %3[{to}], %4; ")
        };
        let used = "%6: u32<1x32> = add.u32 %2, %2; %9: u32<1x32> = add.u32 %5, %6;";
        let same = part(4, ["0| 4, 4, 1"; 2]);
        assert!(is_kept(&format!("{same}{used}")));
        assert!(is_kept(&(part(4, ["4| 4, 2, 2"; 2]) + used)));
        assert!(!is_kept(&(part(4, ["0| 4, 4, 1", "4| 4, 4, 1"]) + used)));
        assert!(!is_kept(&(part(17, ["0| 17, 17, 1"; 2]) + used)), "two copies");
        assert!(!is_kept(&format!("{same}%9: u32<1x32> = add.u32 %5, %5;")), "the last use");
        assert!(!is_kept(&(same.replace("insert %3", "insert %2") + used)), "a defined register");
        let longer = "%4: u8<1x4> = region %1[0| 4, 4, 1]; var $1: u8<1x96>; %5: u8<1x96> = load $1;
            %6: u8<1x96> = insert %5[0| 4, 4, 1], %4; %7: u32<1x24> = format %6; %9: u32<1x32> = insert %2[0| 24, 24, 1], %7;
            %10: u8<4x32> = add.u8 %1, %1; write #1 %0, %0, %10: u8<4x32>;";
        assert!(!is_kept(longer), "of a longer register");
    }
}
