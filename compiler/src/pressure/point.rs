//! One point of a kernel, and the registers of objects.

use crate::elem::ElemType;
use crate::ir::{Location, Op};
use crate::limits::REGISTER;
use crate::ops::MapKind;

/// The register usage at one point of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The instruction in a word: `read`, `add`, `store`.
    pub what: &'static str,
    /// Its position in the source.
    pub location: Location,
    /// Bytes that are live while it executes: its operands, its result, and values that are used later.
    pub bytes: usize,
    /// The number of registers for these bytes. An object that fills a register starts a new one.
    pub registers: usize,
}

/// A word for the instruction: its name in the source if the IR has another name.
pub(super) fn word(op: &Op) -> &'static str {
    match op {
        Op::Known(_) => "constant",
        Op::Map { kind: MapKind::Not, .. } => "not",
        Op::Map { kind, .. } if kind.class().is_comparison() => "compare",
        Op::Region(..) => "select",
        Op::UnpackMask(_) => "mask",
        Op::Declare(..) => "let",
        op => op.name(),
    }
}

/// Registers for objects of these sizes: objects that fill a register have their own registers, the others share.
pub(super) fn registers(sizes: impl Iterator<Item = usize>) -> (usize, usize) {
    let (mut bytes, mut whole, mut small) = (0, 0, 0);
    for size in sizes {
        bytes += size;
        if size >= REGISTER {
            whole += size.div_ceil(REGISTER);
        } else {
            small += size.max(ElemType::U32.bytes());
        }
    }
    (bytes, whole + small.div_ceil(REGISTER))
}
