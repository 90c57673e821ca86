//! Finds kernels that compute rows of odd lengths, in which every result becomes an opaque copy.
//!
//! Intel's compiler makes regions of regions, computes bytes in place, and computes parts of registers only. For rows
//! that are no multiple of 8 elements, and for odd numbers of rows of bytes, it has many faults in this: it
//! joins regions that do not fit together, and overwrites bytes before it reads them. They need two steps
//! that the compiler considers together. In these kernels it cannot, because a copy that it does not see
//! through is between all steps. Kernels that are written for speed have other shapes, and would become longer.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Inst, Op, Type, Value, Variable};
use crate::limits::{DWORD, REGISTER};
use crate::ops::Class;

/// The columns that the hardware computes at once.
pub(crate) const COLUMNS: usize = 8;

/// Whether a kernel computes rows of odd lengths.
pub(crate) fn contains(function: &Function) -> bool {
    function.body.instructions().any(is_odd)
}

fn is_odd(inst: &Inst) -> bool {
    let ty = inst.ty;
    let bytes = ty.elem().is_some_and(|elem| elem.bytes() == 1);
    let rows = ty.rows > 1 && !ty.rows.is_multiple_of(2) && bytes && matches!(inst.op, Op::Map { .. });
    // Longer elements fill whole registers: their faults come from regions, and from what is extended to them.
    let made = match inst.op {
        Op::Map { kind, .. } => {
            kind.class() == Class::Conversion || ty.elem().is_some_and(|elem| elem.bytes() < DWORD)
        }
        Op::Region(..) => true,
        _ => false,
    };
    made && (is_row(ty) || rows && !ty.count().is_power_of_two())
}

/// Whether a kernel computes bytes that end inside of a register of 64 bytes, and are no power of two. Such bytes are confused
/// as rows of odd lengths are.
pub(crate) fn ends_in_long_registers(function: &Function) -> bool {
    function.body.instructions().any(|inst| {
        let (ty, bytes) = (inst.ty, inst.ty.elem().is_some_and(|elem| elem.bytes() == 1));
        let arithmetic = matches!(inst.op, Op::Map { kind, .. } if kind.class() != Class::Conversion);
        let computed = arithmetic && bytes && ty.rows > 1;
        computed && !ty.count().is_power_of_two() && !ty.bytes().is_multiple_of(2 * REGISTER)
    })
}

/// Whether a register has rows of an odd length.
pub(crate) fn is_row(ty: Type) -> bool {
    !ty.count().is_power_of_two() && !ty.columns.is_multiple_of(COLUMNS)
}

/// The values of variables that are never stored.
pub(crate) fn undefined(function: &Function) -> FxHashSet<Value> {
    let insts = || function.body.instructions();
    let stored: FxHashSet<Variable> = insts()
        .filter_map(|inst| match inst.op {
            Op::Store(variable, _) | Op::Declare(variable, Some(_)) => Some(variable),
            _ => None,
        })
        .collect();
    let loaded = insts().filter(|inst| matches!(inst.op, Op::Load(variable) if !stored.contains(&variable)));
    loaded.filter_map(|inst| inst.result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    /// Whether these lines, which take the bytes `%1` and the words `%2`, are of odd lengths.
    fn is_odd(lines: &str) -> bool {
        contains(&kernel(&format!(
            "%0: i32 = constant 3; %1: u8<3x30> = read #0 %0, %0; %2: i16<3x32> = read #0 %0, %0; {lines}
             write #1 %0, %0, %2: i16<3x32>;\n"
        )))
    }

    #[test]
    fn kernels_that_only_move_blocks_are_not_odd() {
        assert!(!is_odd(""));
    }

    #[test]
    fn rows_of_whole_eights_are_not_odd() {
        assert!(!is_odd("%3: i16<3x32> = add.i16 %2, %2; %4: i16<3x24> = region %2[0| 32, 24, 1];"));
        assert!(!is_odd("%3: u8<2x24> = region %1[0| 30, 24, 1]; %4: u8<2x24> = add.u8 %3, %3;"));
    }

    #[test]
    fn other_rows_are_odd() {
        assert!(is_odd("%3: u8<3x30> = add.u8 %1, %1;"));
        assert!(is_odd("%3: i16<3x7> = region %2[0| 32, 7, 4];"));
        assert!(is_odd("%3: u8<6x1> = region %1[27| 1, 1, 1];"));
        assert!(!is_odd("%3: i16<2x2> = region %2[0| 32, 2, 1];"), "a power of two");
    }

    #[test]
    fn arithmetic_on_dwords_is_not_odd() {
        assert!(!is_odd("%3: f32<3x10> = read #0 %0, %0; %4: f32<3x10> = mul.f32 %3, %3;"));
        assert!(is_odd("%3: f32<3x10> = read #0 %0, %0; %4: f32<3x6> = region %3[0| 10, 6, 1];"));
        assert!(is_odd("%3: f32<3x30> = convert %1;"));
    }

    #[test]
    fn bytes_end_inside_of_long_registers() {
        let ends = |ty: &str, other: &str| {
            let lines = format!("%3: {ty} = add.{} %{other}, %{other};", &ty[..2]);
            ends_in_long_registers(&kernel(&format!(
                "%0: i32 = constant 3; %1: u8<6x16> = read #0 %0, %0; %2: u8<4x16> = read #0 %0, %0; %4: u16<6x16> = convert %1; {lines}
                 write #1 %0, %0, %2: u8<4x16>;\n"
            )))
        };
        assert_eq!([ends("u8<6x16>", "1"), ends("u8<4x16>", "2")], [true, false]);
    }

    #[test]
    fn odd_numbers_of_rows_of_bytes_are_odd_if_they_are_computed() {
        assert!(is_odd("%3: u8<3x32> = convert %2;"));
        assert!(!is_odd("%3: u8<3x24> = region %1[0| 30, 24, 1];"));
    }
}
