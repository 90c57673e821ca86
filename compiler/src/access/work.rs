//! The estimated work of a kernel thread, by which executors distribute threads.

use crate::elem::ElemType;
use crate::ir::{Block, Inst, Op};
use crate::limits::DPAS_DEPTH;
use crate::ops::Address;

/// The number of result bytes that count as one operation.
const VECTOR: usize = 64;

/// The cost of a memory access in operations: address and edges.
const ACCESS: u64 = 16;

/// The cost of a row of a block, or of an element with its own address.
const PLACE: u64 = 4;

/// The cost of waiting for other threads, and of a printed line.
const SLOW: u64 = 1000;

/// The assumed iterations of a loop whose number of iterations is not known.
const ROUNDS: u64 = 16;

/// The number of operations on vectors of 64 bytes in these instructions, if a thread executes all of them. `rounds`
/// returns how often the loop of an instruction runs, if that is known.
pub(super) fn work(block: &Block, rounds: &impl Fn(&Inst) -> Option<u64>) -> u64 {
    let of = |inst: &Inst| {
        let inner: u64 = inst.op.blocks().fold(0, |sum, inner| sum.saturating_add(work(inner, rounds)));
        let times = if matches!(inst.op, Op::Loop(..)) { rounds(inst).unwrap_or(ROUNDS) } else { 1 };
        own(inst).saturating_add(inner.saturating_mul(times))
    };
    block.insts.iter().fold(0, |sum, inst| sum.saturating_add(of(inst)))
}

/// The work of one instruction, without its blocks.
fn own(inst: &Inst) -> u64 {
    let vectors = inst.ty.bytes().div_ceil(VECTOR) as u64;
    match &inst.op {
        // Values that exist already, or only move.
        Op::Constant(_)
        | Op::Argument(_)
        | Op::Thread(_)
        | Op::Known(_)
        | Op::Declare(..)
        | Op::Load(_)
        | Op::Store(..)
        | Op::Format(_)
        | Op::Labelled(..) => 0,
        Op::Access { kind, .. } => {
            let places = match kind.spec().address {
                Address::Elements | Address::Vectors => inst.ty.count(),
                Address::Texels(_) => inst.ty.columns,
                Address::Block | Address::Bytes { .. } | Address::Pitched => inst.ty.rows,
            };
            ACCESS + PLACE * places as u64 + vectors
        }
        Op::Dpas { .. } => {
            let products = inst.ty.count() * DPAS_DEPTH * ElemType::U32.bytes();
            products.div_ceil(VECTOR) as u64
        }
        Op::Reduce { .. } => 1 + u64::from(inst.ty.count().ilog2()),
        Op::Sync(..) | Op::Print { .. } => SLOW,
        _ => vectors.max(1),
    }
}

#[cfg(test)]
mod tests {
    use crate::access::{summary, summary_in};
    use crate::ir::Grid;
    use crate::text::parse;

    /// The work of a thread for these instructions, in a launch with this argument if there is one.
    fn work(lines: &str, n: Option<u64>) -> u64 {
        let lines = lines.replace(';', " @0:1:1\n").replace("} while", "}\nwhile").replace("{ %", "{\n%");
        let text = format!(
            "file 0 \"k.rs\" kernel k(s: write surface, n: u32) {{ %90: u32 = argument #1 @0:1:1\n{lines} }}"
        );
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        match n {
            Some(n) => summary_in(&function, Grid::single([4, 4, 1]), &[(1, n)]).work(),
            None => summary(&function).work(),
        }
    }

    const SUM: &str = "%1: u32<8x16> = splat %90; %2: u32<8x16> = add.u32 %1, %1;";

    #[test]
    fn work_grows_with_the_bytes_that_are_made() {
        let (sum, half) = (work(SUM, None), work(&SUM.replace("8x16", "4x16"), None));
        assert_eq!((sum, half), (16, 8));
        assert_eq!(
            work(
                &SUM.replace("8x16", "1x1")
                    .replace("%1: u32<1x1> = splat %90;", "%1: u32 = mul.u32 %90, %90;"),
                None
            ),
            2
        );
    }

    #[test]
    fn loops_count_as_often_as_they_run() {
        let looped = format!(
            "%10: u32 = constant 0; %11: u32 = constant 1; var $0: u32 = %10;
             loop @0:1:1 {{ %12: u32 = load $0; %13: u16 = lt.u32 %12, %90; %14: condition = any %13; }}
             while %14 {{ {SUM} %15: u32 = add.u32 %12, %11; store $0, %15: u32; }}"
        );
        let (once, often) = (work(&looped, Some(1)), work(&looped, Some(1000)));
        assert!(once >= 16 && often >= 1000 * 16 && often <= 1000 * once, "{once}, {often}");
        let unknown = work(&looped, None);
        assert!(unknown > once && unknown < often, "{unknown}");
    }
}
