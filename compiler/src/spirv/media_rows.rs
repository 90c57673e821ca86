//! Combines consecutive writes of neighbouring rows of a surface into one block: each message has a fixed
//! cost, whatever it carries.

use crate::ir::{Block, Function, Inst, Location, Op, Region, Type, Value, Variable};
use crate::limits;
use crate::ops::{AccessKind, MemoryKind};
use crate::pressure::RegisterReport;

use super::sums::Sums;

/// The kernel with larger blocks; `None` if there is nothing to combine, or if registers might become scarce.
pub(super) fn joined(function: &Function, budget: usize) -> Option<Function> {
    let results = function.body.instructions().filter_map(|inst| inst.result);
    let variables = function.body.instructions().filter_map(|inst| match inst.op {
        Op::Declare(variable, _) => Some(variable.0 + 1),
        _ => None,
    });
    let mut pass = Pass {
        function,
        sums: Sums::of(function),
        next: results.map(|value| value.0 + 1).max().unwrap_or(0),
        variables: variables.max().unwrap_or(0),
        changed: false,
    };
    let joined = Function { body: pass.block(&function.body), ..function.clone() };
    let fits = || RegisterReport::new(&joined).peak().bytes <= budget / 4 * 3;
    (pass.changed && fits()).then_some(joined)
}

struct Pass<'a> {
    function: &'a Function,
    sums: Sums,
    next: u32,
    variables: u32,
    changed: bool,
}

/// A block that is written.
#[derive(Clone, Copy)]
struct Written {
    param: usize,
    ty: Type,
    place: [Value; 2],
    data: Value,
}

impl Written {
    fn of(inst: &Inst) -> Option<Self> {
        match &inst.op {
            Op::Access { kind: AccessKind::MediaWrite, param, operands } => {
                let [x, y, data] = operands[..] else { return None };
                Some(Self { param: *param, ty: inst.ty, place: [x, y], data })
            }
            _ => None,
        }
    }
}

impl Pass<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.insts.clone();
        for inst in &mut insts {
            for inner in inst.op.blocks_mut() {
                *inner = self.block(inner);
            }
        }
        let mut n = 0;
        while n < insts.len() {
            match self.next(&insts, n) {
                Some((other, first, second)) => {
                    let made = self.made((first, second), insts[other].location.clone());
                    insts.splice(other..=other, made);
                    insts.remove(n);
                    self.changed = true;
                }
                None => n += 1,
            }
        }
        Block { insts }
    }

    /// The later write that can be combined with this one, and both in the order of their rows.
    fn next(&self, insts: &[Inst], n: usize) -> Option<(usize, Written, Written)> {
        let own = Written::of(&insts[n])?;
        for (m, inst) in insts.iter().enumerate().skip(n + 1) {
            if let Some(other) = Written::of(inst)
                && let Some((first, second)) = self.in_order(own, other)
            {
                return Some((m, first, second));
            }
            if self.ends(inst, own) {
                return None;
            }
        }
        None
    }

    /// Both blocks in order, if the rows of one directly follow those of the other.
    fn in_order(&self, own: Written, other: Written) -> Option<(Written, Written)> {
        let (elem, rows) = (own.ty.elem()?, own.ty.rows + other.ty.rows);
        let alike =
            own.param == other.param && (own.ty.kind, own.ty.columns) == (other.ty.kind, other.ty.columns);
        if !alike || limits::media_write(rows, own.ty.columns * elem.bytes()).is_err() {
            return None;
        }
        let distance =
            |axis: usize| self.sums.get(own.place[axis])?.distance(self.sums.get(other.place[axis])?);
        if distance(0)? != 0 {
            return None;
        }
        // A sum that wraps is outside of the surface, and so are rows after the largest number.
        match distance(1)? {
            down if down as usize == own.ty.rows => Some((own, other)),
            down if down.wrapping_neg() as usize == other.ty.rows => Some((other, own)),
            _ => None,
        }
    }

    /// Whether a write must not be moved past an instruction.
    fn ends(&self, inst: &Inst, write: Written) -> bool {
        match &inst.op {
            // Planes and fields of one surface overlap.
            Op::Access { kind, param, .. } => {
                kind.spec().memory == MemoryKind::Surface
                    && self.function.shown(*param).of == self.function.shown(write.param).of
            }
            Op::Sync(..) | Op::Print { .. } | Op::Clock | Op::Break(_) => true,
            op => op.blocks().next().is_some(),
        }
    }

    fn made(&mut self, (first, second): (Written, Written), location: Location) -> Vec<Inst> {
        let ty = Type { rows: first.ty.rows + second.ty.rows, ..first.ty };
        let variable = Variable(self.variables);
        self.variables += 1;
        let mut insts = vec![];
        let mut push = |op, result, ty| insts.push(Inst { op, result, ty, location: location.clone() });
        let [any, half, whole] = [0, 1, 2].map(|n| Value(self.next + n));
        self.next += 3;
        push(Op::Declare(variable, None), None, ty);
        push(Op::Load(variable), Some(any), ty);
        let (upper, lower) = (first.ty.count(), second.ty.count());
        push(Op::Insert(any, Region::contiguous(0, upper), first.data), Some(half), ty);
        push(Op::Insert(half, Region::contiguous(upper, lower), second.data), Some(whole), ty);
        let operands = vec![first.place[0], first.place[1], whole];
        push(Op::Access { kind: AccessKind::MediaWrite, param: first.param, operands }, None, ty);
        insts
    }
}

#[cfg(test)]
mod tests {
    use super::super::alike::{assert_alike, kernel};
    use super::*;
    use crate::spirv::{RegisterFile, Target};

    const START: &str = "%0: u32 = thread x; %1: i32 = convert %0; %2: u32 = thread y; %3: i32 = convert %2;
        %4: i32 = constant 2; %5: i32 = mul.i32 %3, %4; %6: i32 = constant 1; %7: i32 = add.i32 %5, %6;
        %8: i32 = add.i32 %7, %6; %9: u8<1x16> = read #0 %1, %3; %10: u8<1x16> = add.u8 %9, %9; ";

    /// The rows of each block that a kernel of these lines writes.
    fn written(lines: &str) -> Vec<usize> {
        let function = kernel(&format!("{START}{lines}"));
        let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
        let joined = joined(&function, budget).unwrap_or_else(|| function.clone());
        assert_alike(&function, &joined);
        joined.body.instructions().filter_map(Written::of).map(|written| written.ty.rows).collect()
    }

    #[test]
    fn rows_that_are_written_one_after_the_other_are_one_block() {
        let rows = "write #1 %1, %7, %9: u8<1x16>; write #1 %1, %8, %10: u8<1x16>; write #1 %1, %5, %10: u8<1x16>;\n";
        assert_eq!(written(rows), [3]);
    }

    #[test]
    fn other_columns_and_rows_further_away_stay_apart() {
        assert_eq!(written("write #1 %1, %5, %9: u8<1x16>; write #1 %1, %8, %10: u8<1x16>;\n"), [1, 1]);
        assert_eq!(written("write #1 %1, %5, %9: u8<1x16>; write #1 %5, %7, %10: u8<1x16>;\n"), [1, 1]);
        let columns = "%11: u8<1x8> = region %9[0| 8, 8, 1]; write #1 %1, %5, %9: u8<1x16>; write #1 %1, %7, %11: u8<1x8>;\n";
        assert_eq!(written(columns), [1, 1]);
    }

    #[test]
    fn nothing_that_reads_or_writes_the_surface_is_passed() {
        let between = |line: &str| {
            written(&format!("write #1 %1, %5, %9: u8<1x16>; {line} write #1 %1, %7, %10: u8<1x16>;\n"))
        };
        assert_eq!(between("%11: u8<1x16> = read #0 %3, %1;"), [2]);
        assert_eq!(between("write #1 %1, %3, %9: u8<1x16>;"), [1, 1, 1]);
    }

    #[test]
    fn a_block_has_at_most_256_bytes() {
        let block = "%11: u8<8x32> = read #0 %1, %3; %12: i32 = constant 8; %13: i32 = add.i32 %3, %12;
            write #1 %1, %3, %11: u8<8x32>; write #1 %1, %13, %11: u8<8x32>;\n";
        assert_eq!(written(block), [8, 8]);
    }
}
