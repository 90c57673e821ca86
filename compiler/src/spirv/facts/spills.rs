//! Finds kernels that write single dwords while the registers may not suffice.
//!
//! If Intel's compiler has to spill registers, it moves single numbers that a message takes to other registers. A
//! message writes a dword as four bytes, of which it then moves only the first. It does not move vectors.

use crate::ir::{Function, Inst, Op};
use crate::limits::{DWORD, REGISTER_FILE};
use crate::ops::{AccessKind, Class};
use crate::pressure::RegisterReport;

/// The bytes of a quotient from which on the compiler may spill registers: the numbers that it is computed from are
/// about ten times as large.
const QUOTIENT: usize = REGISTER_FILE / 16;

/// Whether single dwords are written as vectors.
pub(crate) fn dwords_as_vectors(function: &Function) -> bool {
    function.body.instructions().any(writes_a_dword) && may_spill(function)
}

/// Whether a media block is a single dword.
fn writes_a_dword(inst: &Inst) -> bool {
    matches!(inst.op, Op::Access { kind: AccessKind::MediaWrite, .. })
        && inst.ty.count() == 1
        && inst.ty.bytes() == DWORD
}

/// Whether the compiler may have to spill registers.
fn may_spill(function: &Function) -> bool {
    let long = |inst: &Inst| match inst.op {
        Op::Map { kind, common, .. } => {
            let divides = matches!(kind.class(), Class::Quotient | Class::Function);
            divides && inst.ty.count() * common.bytes() >= QUOTIENT
        }
        _ => false,
    };
    function.body.instructions().any(long)
        || RegisterReport::of_verified(function).peak().bytes > REGISTER_FILE / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    /// Whether these lines, which take the floats `%1`, write the dword `%2` as a vector.
    fn writes_a_vector(lines: &str) -> bool {
        dwords_as_vectors(&kernel(&format!(
            "%0: i32 = constant 0; %1: f32<4x16> = read #0 %0, %0; %2: i32 = read #0 %0, %0; {lines}
             write #1 %0, %0, %1: f32<4x16>;\n"
        )))
    }

    #[test]
    fn dwords_beside_long_quotients_are_vectors() {
        let write = "write #1 %0, %0, %2: i32";
        assert!(!writes_a_vector(&format!("{write};")));
        assert!(writes_a_vector(&format!("%3: f32<4x16> = div.f32 %1, %1; {write};")));
        assert!(!writes_a_vector(&format!("%3: f32<4x16> = mul.f32 %1, %1; {write};")));
        assert!(!writes_a_vector("%3: f32<4x16> = div.f32 %1, %1;"), "no dword");
        assert!(!writes_a_vector(&format!("%4: f32 = div.f32 %2, %2; {write};")), "a single quotient");
    }

    #[test]
    fn dwords_beside_many_registers_are_vectors() {
        let reads: String = (3..12)
            .map(|n| format!("%{n}: f32<4x16> = read #0 %{}, %0; ", if n % 2 == 0 { 0 } else { 2 }))
            .collect();
        let writes: String = (3..12).map(|n| format!("write #1 %0, %0, %{n}: f32<4x16>; ")).collect();
        assert!(writes_a_vector(&format!("{reads}{writes} write #1 %0, %0, %2: i32;")));
    }
}
