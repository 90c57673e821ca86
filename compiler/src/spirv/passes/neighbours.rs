//! Combines neighbouring blocks of a buffer into one block, up to the largest that a message carries: each
//! message has a fixed cost, whatever it carries. Without a load/store cache these are blocks of owords, and pairs of the
//! largest ones are combined if `long_blocks` moves all of them (`whole_blocks`).
//!
//! A later read moves up to an earlier one, and an earlier write down to a later one, unless an instruction
//! in between might access the same bytes. The start of the larger block must have a known remainder by the
//! block size or a multiple of it. This ensures that the larger block does not wrap around the end of the
//! address space where the smaller ones would not.

use rustc_hash::FxHashSet;

use crate::elem::ElemType;
use crate::ir::{Block, Function, Inst, Op, Region, Type, Value};
use crate::limits;
use crate::ops::{AccessKind, LoadHints, MapKind, StoreHints};

use super::expand::{Expansion, fits};
use super::whole_blocks::whole;
use crate::spirv::facts::cached_params::cached_buffers;
use crate::spirv::facts::sums::Sums;
use crate::spirv::target::Target;

/// How many instructions after a block its neighbour may be. All pairs of blocks would take quadratic time.
const REACH: usize = 512;

const OFFSET: Type = Type::new(ElemType::U32, 1, 1);

/// The kernel with larger blocks; `None` if there is nothing to combine, or if registers might become scarce.
pub(crate) fn joined(function: &Function, target: Target, budget: usize) -> Option<Function> {
    if target.has_cache() {
        return combined(function, Size { least: limits::DWORD, most: limits::DWORD_BLOCK }, budget);
    }
    let owords = combined(function, Size { least: limits::OWORD, most: limits::OWORD_BLOCK }, budget);
    let long = Size { least: limits::OWORD_BLOCK, most: limits::DWORD_BLOCK };
    let pairs = combined(owords.as_ref().unwrap_or(function), long, budget);
    pairs.and_then(|pairs| whole(&pairs, target)).or(owords)
}

/// The sizes of the smallest blocks that are combined, and of the largest that are made of them.
#[derive(Clone, Copy)]
struct Size {
    least: usize,
    most: usize,
}

/// The kernel with larger blocks.
fn combined(function: &Function, size: Size, budget: usize) -> Option<Function> {
    let mut pass = Pass {
        size,
        sums: Sums::of(function),
        buffers: cached_buffers(function),
        insts: Expansion::of(function)?,
        changed: false,
    };
    let joined = Function { body: pass.block(&function.body), ..function.clone() };
    (pass.changed && fits(&joined, budget)).then_some(joined)
}

struct Pass {
    size: Size,
    sums: Sums,
    /// The buffers that are accessed by only one kind of message.
    buffers: FxHashSet<usize>,
    /// The instructions of the larger blocks.
    insts: Expansion,
    changed: bool,
}

/// A block of a buffer.
#[derive(Clone, Copy, Debug)]
struct Accessed {
    param: usize,
    writes: bool,
    /// Whether the message takes an offset in owords.
    owords: bool,
    elem: ElemType,
    bytes: usize,
    offset: Value,
    /// The written data; for a read, its offset.
    data: Value,
}

/// Two blocks that can be combined.
struct Pair {
    own: Accessed,
    other: Accessed,
    /// Whether the second block comes first in the buffer.
    backward: bool,
}

impl Accessed {
    /// Accepts only plain accesses: others have cache hints.
    fn of(inst: &Inst) -> Option<Self> {
        let Op::Access { kind, param, operands } = &inst.op else { return None };
        let writes = match kind {
            AccessKind::OwordRead | AccessKind::OwordReadDwaligned | AccessKind::Load(LoadHints::Default) => {
                false
            }
            AccessKind::OwordWrite | AccessKind::Store(StoreHints::Default) => true,
            _ => return None,
        };
        let owords = matches!(kind, AccessKind::OwordRead | AccessKind::OwordWrite);
        let (offset, data) = (*operands.first()?, *operands.last()?);
        Some(Self {
            param: *param,
            writes,
            owords,
            elem: inst.ty.elem()?,
            bytes: inst.ty.bytes(),
            offset,
            data,
        })
    }
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        // A combined block may be part of another pair.
        let mut n = 0;
        while n < insts.len() {
            match self.pair(&insts, n) {
                Some((other, pair)) => {
                    self.join(&mut insts, (n, other), pair);
                    self.changed = true;
                    // An earlier block may form a pair with the larger one.
                    n = n.saturating_sub(REACH);
                }
                None => n += 1,
            }
        }
        Block { insts }
    }

    /// The later block that a block can be combined with, and the index of its instruction.
    fn pair(&self, insts: &[Inst], first: usize) -> Option<(usize, Pair)> {
        let own = Accessed::of(&insts[first])?;
        let size = own.bytes.is_power_of_two() && 2 * own.bytes <= self.size.most;
        if !size || own.bytes < self.size.least || !self.takes(own) || !self.buffers.contains(&own.param) {
            return None;
        }
        for (n, inst) in insts.iter().enumerate().skip(first + 1).take(REACH) {
            if let Some(other) = Accessed::of(inst)
                && (other.param, other.writes, other.elem, other.bytes)
                    == (own.param, own.writes, own.elem, own.bytes)
                && self.takes(other)
                && let Some(backward) = self.next_to(own, other)
                && (own.writes || insts[first + 1..n].iter().all(|between| self.keeps(between, other)))
            {
                return Some((n, Pair { own, other, backward }));
            }
            if own.writes && !self.keeps(inst, own) || ends(inst) {
                return None;
            }
        }
        None
    }

    /// Whether blocks of owords are made of owords, which have messages of their own.
    fn takes(&self, access: Accessed) -> bool {
        self.size.most > limits::OWORD_BLOCK || access.owords
    }

    /// Whether the second block directly precedes the first one (`true`) or directly follows it (`false`).
    /// `None` if they cannot be combined.
    fn next_to(&self, own: Accessed, other: Accessed) -> Option<bool> {
        let (own_sum, other_sum) = (self.sums.get(own.offset)?, self.sums.get(other.offset)?);
        let (bytes, distance) = (own.bytes as u32, own_sum.distance(other_sum)?);
        let backward = distance == bytes.wrapping_neg();
        if !backward && distance != bytes {
            return None;
        }
        let start = if backward { other_sum } else { own_sum };
        // An unaligned offset would be rounded down.
        let aligned = start.remainder(limits::OWORD as u32)? == 0;
        let sizes = (0..u32::BITS - 1).map(|n| 1 << n).skip_while(|size| *size < 2 * bytes);
        let mut inside = sizes.map(|size| start.remainder(size).is_some_and(|at| at <= size - 2 * bytes));
        (aligned && inside.any(|inside| inside)).then_some(backward)
    }

    /// Whether an instruction can be swapped with an access. At least one of the two writes.
    fn keeps(&self, inst: &Inst, access: Accessed) -> bool {
        let Op::Access { kind, param, .. } = &inst.op else { return !ends(inst) };
        let effect = kind.spec().effect;
        if *param != access.param || !effect.reads() && !effect.writes() || !access.writes && !effect.writes()
        {
            return true;
        }
        Accessed::of(inst).and_then(|other| self.are_apart(access, other)).unwrap_or(false)
    }

    /// Whether two blocks do not overlap.
    fn are_apart(&self, a: Accessed, b: Accessed) -> Option<bool> {
        let (first, second) = (self.sums.get(a.offset)?, self.sums.get(b.offset)?);
        let aligned = [first, second].map(|sum| sum.remainder(limits::OWORD as u32) == Some(0));
        let (after, before) = (first.distance(second)?, second.distance(first)?);
        Some(aligned == [true; 2] && after as usize >= a.bytes && before as usize >= b.bytes)
    }

    /// Combines two blocks.
    fn join(&mut self, insts: &mut Vec<Inst>, (first, second): (usize, usize), pair: Pair) {
        let Pair { own, other, backward } = pair;
        let count = insts[first].ty.count();
        let ty = Type::new(own.elem, 1, 2 * count);
        let owords = self.size.most <= limits::OWORD_BLOCK;
        let halves = [usize::from(backward), usize::from(!backward)].map(|half| half * count);
        if own.writes {
            let offset = if backward { other.offset } else { own.offset };
            let (made, ()) = self.insts.at(&insts[second].location, |made| {
                let mut whole = made.undefined(ty);
                for (access, half) in [own, other].into_iter().zip(halves) {
                    let part = Region::contiguous(half, count);
                    whole = made.emit(Op::Insert(whole, part, access.data), ty);
                }
                let kind =
                    if owords { AccessKind::OwordWrite } else { AccessKind::Store(StoreHints::Default) };
                made.push(Op::Access { kind, param: own.param, operands: vec![offset, whole] }, None, ty);
            });
            insts.splice(second..=second, made);
            insts.remove(first);
        } else {
            let (made, whole) = self.insts.at(&insts[first].location, |made| {
                let mut offset = own.offset;
                if backward {
                    let step = made.constant(u64::from((own.bytes as u32).wrapping_neg()), OFFSET);
                    offset = made.map(MapKind::Add, ElemType::U32, &[offset, step], OFFSET);
                    self.sums.name(offset, other.offset);
                }
                let kind = if owords { AccessKind::OwordRead } else { AccessKind::Load(LoadHints::Default) };
                made.emit(Op::Access { kind, param: own.param, operands: vec![offset] }, ty)
            });
            for (inst, half) in [first, second].into_iter().zip(halves) {
                insts[inst].op = Op::Region(whole, Region::contiguous(half, count));
            }
            insts.splice(first..first, made);
        }
    }
}

/// Whether no access may move past an instruction.
pub(crate) fn ends(inst: &Inst) -> bool {
    matches!(inst.op, Op::Sync(..) | Op::Print { .. } | Op::Clock | Op::Break(_))
        || inst.op.blocks().next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// The lines with larger blocks. Some offsets of blocks of 64 bytes are defined before them.
    fn lines(lines: &str) -> String {
        let start =
            "%0: u32 = thread x; %1: i32 = constant 256; %2: u32 = mul.u32 %0, %1; %3: u32 = constant 64;
            %4: u32 = add.u32 %2, %3; %5: u32 = add.u32 %4, %3; %6: u32 = add.u32 %5, %3; %7: u32 = thread y;
            %8: u32 = mul.u32 %7, %1; %9: u32 = add.u32 %8, %3;";
        let text = format!("{start} {lines}").replace(';', " @0:1:1\n").replace('|', ";");
        let params = "x: read buffer f32, y: write buffer f32, z: write buffer f32, s: shared f32 64";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {text} }}")).unwrap();
        let budget = 128 * Target::XeHpg.register_bytes();
        let text = joined(&function, Target::XeHpg, budget).unwrap_or(function).to_string();
        text.replace(" @0:1:1", "")
    }

    /// The accesses in a kernel text, in order.
    fn accesses(text: &str) -> Vec<&str> {
        let names = ["oword_read", "oword_write", "block_load", "block_store"];
        text.lines().map(str::trim).filter(|line| names.iter().any(|name| line.contains(name))).collect()
    }

    #[test]
    fn neighbours_are_one_block() {
        let text = lines(
            "%10: f32<1x16> = oword_read #0 %4; oword_write #1 %4, %10: f32<1x16>;
             %11: f32<1x16> = oword_read #0 %2; oword_write #1 %2, %11: f32<1x16>;
             %12: f32<1x16> = oword_read #0 %5; oword_write #1 %5, %12: f32<1x16>;
             %13: f32<1x16> = oword_read #0 %6; oword_write #1 %6, %13: f32<1x16>;",
        );
        let accesses = accesses(&text);
        assert_eq!(accesses.len(), 2, "{text}");
        assert!(accesses[0].contains("f32<1x64> = block_load #0"), "{text}");
        assert!(accesses[1].starts_with("block_store #1 %2,"), "{text}");
        assert!(text.contains("= 4294967232") || text.contains("constant 4294967232"), "{text}");
    }

    #[test]
    fn blocks_that_might_wrap_stay_apart() {
        // The first pair is at 64 and 128 bytes after a multiple of 256, so it is inside of 256 bytes; the
        // next ones are not.
        let text = lines("%10: f32<1x16> = oword_read #0 %4; %11: f32<1x16> = oword_read #0 %5;");
        assert_eq!(accesses(&text).len(), 1, "{text}");
        let text = lines(
            "%10: u32 = add.u32 %6, %3; %11: f32<1x16> = oword_read #0 %6; %12: f32<1x16> = oword_read #0 %10;",
        );
        assert_eq!(accesses(&text).len(), 2, "{text}");
    }

    #[test]
    fn what_is_written_in_between_is_read() {
        let pair = |between: &str| {
            lines(&format!("%10: f32<1x16> = oword_read #1 %2; {between} %11: f32<1x16> = oword_read #1 %4;"))
        };
        assert_eq!(accesses(&pair("oword_write #1 %5, %10: f32<1x16>;")).len(), 2);
        assert_eq!(accesses(&pair("oword_write #2 %4, %10: f32<1x16>;")).len(), 2);
        for between in ["%4", "%9"] {
            let between = format!("oword_write #1 {between}, %10: f32<1x16>;");
            assert_eq!(accesses(&pair(&between)).len(), 3, "{between}");
        }
        assert_eq!(accesses(&pair("barrier;")).len(), 2);
    }

    #[test]
    fn writes_stay_in_order() {
        let pair = |between: &str| {
            lines(&format!(
                "%10: f32<1x16> = oword_read #0 %9; oword_write #1 %2, %10: f32<1x16>; {between}
                 oword_write #1 %4, %10: f32<1x16>;"
            ))
        };
        assert_eq!(accesses(&pair("")).len(), 2);
        assert_eq!(accesses(&pair("oword_write #1 %5, %10: f32<1x16>;")).len(), 3, "one pair of three");
        assert_eq!(accesses(&pair("oword_write #1 %9, %10: f32<1x16>;")).len(), 4);
        assert_eq!(accesses(&pair("%11: f32<1x16> = oword_read #1 %2;")).len(), 4);
        assert_eq!(accesses(&pair("%11: f32<1x16> = oword_read #1 %6;")).len(), 3);
    }

    #[test]
    fn buffers_with_scattered_accesses_are_left() {
        let pair = "%10: f32<1x16> = oword_read #1 %2; %11: f32<1x16> = oword_read #1 %4;";
        let scattered = "%12: u32<1x16> = splat %0; scatter #1 %12, %11: f32<1x16>;";
        assert_eq!(accesses(&lines(pair)).len(), 1);
        assert_eq!(accesses(&lines(&format!("{pair} {scattered}"))).len(), 2);
        let shared = "%10: f32<1x16> = oword_read #3 %2; %11: f32<1x16> = oword_read #3 %4;";
        assert_eq!(accesses(&lines(shared)).len(), 2);
    }

    /// The accesses of a kernel for a target without a load/store cache; `None` if it does not change.
    fn long_blocks(lines: &str) -> Option<Vec<String>> {
        let start = "%0: u32 = thread x; %1: i32 = constant 512; %2: u32 = mul.u32 %0, %1; %3: u32 = constant 128;
            %4: u32 = add.u32 %2, %3; %5: f32<1x32> = constant 3.0; %6: u32 = constant 64; %7: u32 = add.u32 %4, %6;";
        let text = format!("{start} {lines}").replace(';', " @0:1:1\n").replace('|', ";");
        let params = "x: read buffer f32, y: write buffer f32";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {text} }}")).unwrap();
        let joined = joined(&function, Target::XeLp, 128 * Target::XeLp.register_bytes())?;
        crate::verify::verify(&joined).unwrap_or_else(|error| panic!("{error}\n{joined}"));
        Some(accesses(&joined.to_string()).into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn neighbours_are_blocks_of_owords_without_a_load_store_cache() {
        let small = |lines: &str| {
            let start =
                "%0: u32 = thread x; %1: i32 = constant 256; %2: u32 = mul.u32 %0, %1; %3: u32 = constant 32;
                %4: u32 = add.u32 %2, %3; %5: u32 = add.u32 %4, %3; %6: u32 = add.u32 %5, %3;
                %7: u32 = mul.u32 %0, %3; %8: u32 = add.u32 %7, %3;";
            let text = format!("{start} {lines}").replace(';', " @0:1:1\n").replace('|', ";");
            let params = "x: read buffer f32, y: write buffer f32";
            let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {text} }}")).unwrap();
            let joined = joined(&function, Target::XeLp, 4096).unwrap_or(function);
            crate::verify::verify(&joined).unwrap_or_else(|error| panic!("{error}\n{joined}"));
            accesses(&joined.to_string()).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let copy = |places: &[usize]| {
            let each = places.iter().enumerate().map(|(k, at)| {
                let n = 10 + k;
                format!("%{n}: f32<1x8> = oword_read #0 %{at}; oword_write #1 %{at}, %{n}: f32<1x8>;")
            });
            small(&each.collect::<String>())
        };
        let all = copy(&[4, 2, 6, 5]);
        assert!(all.len() == 2 && all[0].contains("f32<1x32> = oword_read"), "{all:?}");
        assert!(all[1].starts_with("oword_write") && all[1].contains("f32<1x32>"), "{all:?}");
        assert_eq!(copy(&[2, 5]).len(), 4, "apart");
        assert_eq!(copy(&[4, 5]).len(), 2);
        assert_eq!(copy(&[7, 8]).len(), 4, "the second one may begin at 0");
        let unaligned = small(
            "%10: f32<1x8> = oword_read_dwaligned #0 %2; %11: f32<1x8> = oword_read_dwaligned #0 %4;
                oword_write #1 %2, %10: f32<1x8>; oword_write #1 %5, %11: f32<1x8>;",
        );
        assert_eq!(unaligned.len(), 4, "blocks of dwords: {unaligned:?}");
    }

    #[test]
    fn thousands_of_blocks_take_linear_time() {
        let mut text = String::from("%0: u32 = thread x; %1: i32 = constant 64; %2: u32 = mul.u32 %0, %1; ");
        // Blocks that are next to each other, then others of which nothing is known.
        for n in 0..10_000 {
            let (at, block, numbers) = (3 + 3 * n, 4 + 3 * n, 5 + 3 * n);
            let place =
                if n < 5000 { format!("constant {}", 64 * n) } else { format!("mul.u32 %{}, %2", at - 3) };
            text += &format!(
                "%{at}: u32 = {place}; %{block}: f32<1x16> = oword_read #0 %{at}; %{numbers}: u32 = constant 0; "
            );
        }
        let text = text.replace(';', " @0:1:1\n");
        let function = parse(&format!("file 0 \"k.rs\" kernel k(x: read buffer f32) {{ {text} }}")).unwrap();
        let joined = combined(&function, Size { least: 16, most: 128 }, usize::MAX).unwrap();
        assert_eq!(accesses(&joined.to_string()).len(), 7500);
    }

    const READ: &str = "%10: f32<1x32> = oword_read #0 %2; %11: f32<1x32> = oword_read #0 %4;
        %12: f32<1x32> = mul.f32 %10, %5; %13: f32<1x32> = mul.f32 %11, %5;";

    #[test]
    fn pairs_of_the_largest_blocks_are_long_blocks() {
        let found = long_blocks(&format!(
            "{READ} oword_write #1 %2, %12: f32<1x32>; oword_write #1 %4, %13: f32<1x32>;"
        ));
        let found = found.unwrap();
        assert!(found.len() == 2 && found.iter().all(|access| access.contains("f32<1x64>")), "{found:?}");
    }

    #[test]
    fn other_blocks_are_left_without_a_load_store_cache() {
        let wrapping = READ.replace("%2;", "%7;");
        let write = "oword_write #1 %2, %12: f32<1x32>; oword_write #1 %4, %13: f32<1x32>;";
        assert_eq!(long_blocks(&format!("{wrapping} {write}")), None, "one pair may wrap around");
        let turned = "oword_write #1 %2, %13: f32<1x32>; oword_write #1 %4, %12: f32<1x32>;";
        assert_eq!(long_blocks(&format!("{READ} {turned}")), None, "the halves change places");
        let used = format!(
            "{READ} {write} %14: f32<1x16> = region %12[0| 16, 16, 1]; oword_write #1 %2, %14: f32<1x16>;"
        );
        assert_eq!(long_blocks(&used), None, "a part is used");
        let other = format!("{} {write}", READ.replace("mul.f32 %11, %5", "add.f32 %11, %5"));
        assert_eq!(long_blocks(&other), None, "the halves are computed in different ways");
        assert_eq!(long_blocks(READ), None, "one block is not worth the addresses");
    }

    #[test]
    fn only_blocks_of_dwords_are_long_blocks() {
        for (elem, count, blocks) in
            [("f16", 64, 0), ("u8", 128, 0), ("f32", 32, 2), ("i64", 16, 0), ("f64", 16, 0)]
        {
            let copy =
                "%10: f32<1x32> = oword_read #0 %2; %11: f32<1x32> = oword_read #0 %4; oword_write #1 %2, %10: f32<1x32>;
                 oword_write #1 %4, %11: f32<1x32>;";
            let found = long_blocks(&copy.replace("f32<1x32>", &format!("{elem}<1x{count}>")));
            assert_eq!(found.map_or(0, |found| found.len()), blocks, "{elem}");
        }
    }

    #[test]
    fn a_register_of_two_blocks_is_a_long_block() {
        let halves = "var $0: f32<1x64>; %10: f32<1x32> = oword_read #0 %2; %11: f32<1x64> = load $0;
            %12: f32<1x64> = insert %11[0| 64, 32, 1], %10; %13: f32<1x32> = oword_read #0 %4;
            %14: f32<1x64> = insert %12[32| 64, 32, 1], %13; store $0, %14: f32<1x64>; %15: f32<1x64> = add.f32 %14, %14;
            %16: f32<1x32> = region %15[0| 64, 32, 1]; oword_write #1 %2, %16: f32<1x32>;
            %17: f32<1x32> = region %15[32| 64, 32, 1]; oword_write #1 %4, %17: f32<1x32>;";
        assert_eq!(long_blocks(halves).map(|found| found.len()), Some(2));
        let used = format!(
            "{halves} %18: f32<1x64> = load $0; %19: f32<1x32> = region %18[7| 32, 32, 1]; oword_write #1 %2, %19: f32<1x32>;"
        );
        assert_eq!(long_blocks(&used), None, "the order of the elements matters");
    }

    #[test]
    fn blocks_in_loops_are_left_without_a_load_store_cache() {
        let write = "oword_write #1 %2, %12: f32<1x32>; oword_write #1 %4, %13: f32<1x32>;";
        let rounds = |inside: &str| {
            format!(
                "loop @0:1:1 {{ %20: i32 = constant 1; %21: condition = any %20; }} while %21 {{ {inside} }}"
            )
        };
        assert_eq!(long_blocks(&rounds(&format!("{READ} {write}"))), None);
    }
}
