//! Combines accesses to neighbouring rows of a surface into one block: each message has a fixed cost, whatever it
//! carries. Consecutive writes become one, and a later read moves up to an earlier one.

use crate::ir::{Block, Function, Inst, Location, Op, Region, Type, Value};
use crate::limits::{self, BLOCK_2D_LOADED_ROWS, BLOCK_2D_WIDTH};
use crate::ops::{AccessKind, Effect, MemoryKind};

use super::expand::{Expansion, fits};
use crate::spirv::facts::sums::Sums;

/// The blocks that may be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocks {
    /// Media blocks that are written.
    Media,
    /// Blocks of surfaces in buffers, which a few 2-D blocks move, with one test whether all that are read are inside of the
    /// surface.
    InBuffers,
}

impl Blocks {
    /// Whether a block of so many rows of so many bytes may be made.
    fn allow(self, writes: bool, rows: usize, bytes: usize) -> bool {
        match self {
            Self::Media => writes && limits::media_write(rows, bytes).is_ok(),
            Self::InBuffers => rows <= BLOCK_2D_LOADED_ROWS && bytes <= BLOCK_2D_WIDTH,
        }
    }
}

/// The kernel with larger blocks; `None` if there is nothing to combine, or if registers might become scarce.
pub(crate) fn joined(function: &Function, blocks: Blocks, budget: usize) -> Option<Function> {
    let mut pass =
        Pass { function, blocks, sums: Sums::of(function), insts: Expansion::of(function)?, changed: false };
    let joined = Function { body: pass.block(&function.body), ..function.clone() };
    (pass.changed && fits(&joined, budget)).then_some(joined)
}

struct Pass<'a> {
    function: &'a Function,
    blocks: Blocks,
    sums: Sums,
    /// The instructions of the larger blocks.
    insts: Expansion,
    changed: bool,
}

/// A block that is read or written.
#[derive(Clone, Copy)]
struct Accessed {
    param: usize,
    ty: Type,
    place: [Value; 2],
    /// The data of a write; the result of a read.
    data: Value,
    writes: bool,
}

impl Accessed {
    fn of(inst: &Inst) -> Option<Self> {
        let Op::Access { kind, param, operands } = &inst.op else { return None };
        let (x, y, data, writes) = match (kind, &operands[..], inst.result) {
            (AccessKind::MediaWrite, &[x, y, data], _) => (x, y, data, true),
            (AccessKind::MediaRead, &[x, y], Some(result)) => (x, y, result, false),
            _ => return None,
        };
        Some(Self { param: *param, ty: inst.ty, place: [x, y], data, writes })
    }
}

impl Pass<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        let mut n = 0;
        while n < insts.len() {
            match self.next(&insts, n) {
                Some((other, first, second)) if first.writes => {
                    let made = self.written((first, second), &insts[other].location);
                    insts.splice(other..=other, made);
                    insts.remove(n);
                    self.changed = true;
                }
                Some((other, first, second)) => {
                    let made = self.read((first, second), &insts[n].location);
                    insts.remove(other);
                    insts.splice(n..=n, made);
                    self.changed = true;
                }
                None => n += 1,
            }
        }
        Block { insts }
    }

    /// The later access that can be combined with this one, and both in the order of their rows.
    fn next(&self, insts: &[Inst], n: usize) -> Option<(usize, Accessed, Accessed)> {
        let own = Accessed::of(&insts[n])?;
        // The place of the read that moves must be known before.
        let mut defined = vec![];
        for (m, inst) in insts.iter().enumerate().skip(n + 1) {
            if let Some(other) = Accessed::of(inst)
                && let Some((first, second)) = self.in_order(own, other)
                && (own.writes || !first.place.iter().any(|x| defined.contains(x)))
            {
                return Some((m, first, second));
            }
            if self.ends(inst, own) {
                return None;
            }
            defined.extend(inst.result);
        }
        None
    }

    /// Both blocks in order, if the rows of one directly follow those of the other.
    fn in_order(&self, own: Accessed, other: Accessed) -> Option<(Accessed, Accessed)> {
        let (elem, rows) = (own.ty.elem()?, own.ty.rows + other.ty.rows);
        let alike = (own.param, own.writes) == (other.param, other.writes)
            && (own.ty.kind, own.ty.columns) == (other.ty.kind, other.ty.columns);
        if !alike || !self.blocks.allow(own.writes, rows, own.ty.columns * elem.bytes()) {
            return None;
        }
        let distance =
            |axis: usize| self.sums.get(own.place[axis])?.distance(self.sums.get(other.place[axis])?);
        // Of a read, a row after the largest number is the last row of the surface, and a sum that wraps is its first row.
        if distance(0)? != 0 || !own.writes && !self.sums.is_near_threads(own.place[1]) {
            return None;
        }
        // Of a write, both are outside of the surface.
        match distance(1)? {
            down if down as usize == own.ty.rows => Some((own, other)),
            down if down.wrapping_neg() as usize == other.ty.rows => Some((other, own)),
            _ => None,
        }
    }

    /// Whether an access must not be moved past an instruction.
    fn ends(&self, inst: &Inst, access: Accessed) -> bool {
        match &inst.op {
            // Planes and fields of one surface overlap.
            Op::Access { kind, param, .. } => {
                kind.spec().memory == MemoryKind::Surface
                    && self.function.shown(*param).of == self.function.shown(access.param).of
                    && (access.writes || kind.spec().effect != Effect::Read)
            }
            Op::Sync(..) | Op::Print { .. } | Op::Clock | Op::Break(_) => true,
            op => op.blocks().next().is_some(),
        }
    }

    fn written(&mut self, (first, second): (Accessed, Accessed), location: &Location) -> Vec<Inst> {
        let ty = Type { rows: first.ty.rows + second.ty.rows, ..first.ty };
        let (upper, lower) = (first.ty.count(), second.ty.count());
        let (made, ()) = self.insts.at(location, |insts| {
            let any = insts.undefined(ty);
            let half = insts.emit(Op::Insert(any, Region::contiguous(0, upper), first.data), ty);
            let whole = insts.emit(Op::Insert(half, Region::contiguous(upper, lower), second.data), ty);
            let operands = vec![first.place[0], first.place[1], whole];
            insts.push(Op::Access { kind: AccessKind::MediaWrite, param: first.param, operands }, None, ty);
        });
        made
    }

    fn read(&mut self, (first, second): (Accessed, Accessed), location: &Location) -> Vec<Inst> {
        let ty = Type { rows: first.ty.rows + second.ty.rows, ..first.ty };
        let (upper, lower) = (first.ty.count(), second.ty.count());
        let (made, ()) = self.insts.at(location, |insts| {
            let operands = first.place.to_vec();
            let read = Op::Access { kind: AccessKind::MediaRead, param: first.param, operands };
            let whole = insts.emit(read, ty);
            insts.push(Op::Region(whole, Region::contiguous(0, upper)), Some(first.data), first.ty);
            insts.push(Op::Region(whole, Region::contiguous(upper, lower)), Some(second.data), second.ty);
        });
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::spirv::{RegisterFile, Target};

    const START: &str = "%0: u32 = thread x; %1: i32 = convert %0; %2: u32 = thread y; %3: i32 = convert %2;
        %4: i32 = constant 2; %5: i32 = mul.i32 %3, %4; %6: i32 = constant 1; %7: i32 = add.i32 %5, %6;
        %8: i32 = add.i32 %7, %6; %9: u8<1x16> = read #0 %1, %3; %10: u8<1x16> = add.u8 %9, %9; ";

    /// The rows of each block that a kernel of these lines writes.
    fn written(lines: &str) -> Vec<usize> {
        let function = kernel(&format!("{START}{lines}"));
        let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
        let joined = joined(&function, Blocks::Media, budget).unwrap_or_else(|| function.clone());
        assert_alike(&function, &joined);
        joined
            .body
            .instructions()
            .filter_map(Accessed::of)
            .filter(|access| access.writes)
            .map(|access| access.ty.rows)
            .collect()
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

    /// The rows of each block that a kernel of these lines reads with surfaces in buffers; the first read is of the start.
    fn read(lines: &str) -> Vec<usize> {
        let function = kernel(&format!("{START}{lines}"));
        let budget = RegisterFile::Standard.registers() * Target::XeHpc.register_bytes();
        let joined = joined(&function, Blocks::InBuffers, budget).unwrap_or_else(|| function.clone());
        assert_alike(&function, &joined);
        let accesses = joined.body.instructions().filter_map(Accessed::of);
        accesses.filter(|access| !access.writes).skip(1).map(|access| access.ty.rows).collect()
    }

    #[test]
    fn rows_that_are_read_one_after_the_other_are_one_block() {
        let end = "%20: u8<2x16> = add.u8 %11, %12; write #1 %1, %3, %20: u8<2x16>;\n";
        let pair = |between: &str| {
            read(&format!("%11: u8<2x16> = read #0 %5, %8; {between} %12: u8<2x16> = read #0 %5, %5; {end}"))
        };
        assert_eq!(pair(""), [4]);
        // Another surface is written in between, or the same one is read.
        assert_eq!(pair("write #1 %1, %3, %9: u8<1x16>;"), [4]);
        assert_eq!(pair("%13: u8<1x16> = read #0 %1, %5;"), [4, 1]);
        // The place is computed in between.
        let later = "%14: i32 = add.i32 %5, %4; %11: u8<2x16> = read #0 %5, %5; %13: i32 = add.i32 %5, %4;
            %12: u8<2x16> = read #0 %5, %13;";
        assert_eq!(read(&format!("{later} {end}")), [4]);
        let earlier = later.replace("%13: i32 = add.i32 %5, %4;", "%13: i32 = sub.i32 %5, %4;");
        assert_eq!(read(&format!("{earlier} {end}")), [2, 2]);
    }

    /// A row that is an argument may be next to the largest number.
    #[test]
    fn rows_that_may_wrap_stay_apart() {
        let text = "file 0 \"k.rs\" kernel k(s: read surface, o: write surface, y: i32) {
            %0: i32 = argument #2 @0:1:1
            %1: i32 = constant 1 @0:1:1
            %2: i32 = add.i32 %0, %1 @0:1:1
            %3: u8<1x16> = read #0 %1, %0 @0:1:1
            %4: u8<1x16> = read #0 %1, %2 @0:1:1
            %5: u8<1x16> = add.u8 %3, %4 @0:1:1
            write #1 %1, %0, %5: u8<1x16> @0:1:1
        }";
        let function = crate::text::parse(text).unwrap();
        let budget = RegisterFile::Standard.registers() * Target::XeHpc.register_bytes();
        assert_eq!(joined(&function, Blocks::InBuffers, budget), None);
    }

    #[test]
    fn reads_of_what_is_written_stay_where_they_are() {
        let lines =
            "%11: u8<1x16> = read #1 %1, %5; write #1 %1, %7, %11: u8<1x16>; %12: u8<1x16> = read #1 %1, %7;
            write #1 %1, %3, %12: u8<1x16>;\n";
        assert_eq!(read(lines), [1, 1]);
    }

    #[test]
    fn a_read_block_has_at_most_32_rows() {
        let end = "write #1 %1, %3, %11: u8<20x8>; write #1 %1, %3, %12: u8<20x8>;\n";
        let lines = |shape: &str, rows| {
            let lines = format!(
                "%15: i32 = constant {rows}; %14: i32 = add.i32 %5, %15; %11: u8<20x8> = read #0 %1, %5;
                 %12: u8<20x8> = read #0 %1, %14; {end}"
            );
            lines.replace("20x8", shape)
        };
        assert_eq!(read(&lines("20x8", 20)), [20, 20]);
        assert_eq!(read(&lines("16x8", 16)), [32]);
        assert_eq!(read(&lines("2x64", 2)), [4]);
    }
}
