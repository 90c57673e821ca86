//! Reads neighbouring elements of scattered reads in one message: elements of 4 bytes of a buffer whose numbers are those of
//! an earlier read plus 1, 2 or 3.
//!
//! Without a load/store cache, messages test the dwords of a lane one by one at the end of a buffer. Of the messages of that
//! cache no document says so. There the vectors must begin at multiples of their size, at most 16 bytes: buffers have zeros
//! up to a multiple of 16 bytes, so no vector is partly outside. The buffer must be one of `cached_buffers`, because messages
//! of other kinds can overtake that cache.
//!
//! The later reads move up to the first one, unless an instruction in between might change the buffer. The number of the
//! first element is known not to wrap, as a multiple of the count or by its range.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, ParamKind, Region, Type, Value};
use crate::limits::DWORD;
use crate::ops::{AccessKind, LoadHints, MapKind};
use crate::simplify::Ranges;

use super::expand::{Expansion, fits};
use super::neighbours::ends;
use crate::spirv::facts::cached_params::cached_buffers;
use crate::spirv::facts::known_zeros::KnownZeros;
use crate::spirv::target::Target;

/// Elements of the longest vectors of a message.
const MOST: usize = 4;
/// The largest numbers that are added to those of elements: the bytes of an element at the sum of two do not wrap.
const LAST: usize = 1 << 28;

/// The kernel with vectors; `None` if there are none, or if registers might become scarce.
pub(crate) fn joined(function: &Function, target: Target, budget: usize) -> Option<Function> {
    let gathers = |inst: &&Inst| matches!(inst.op, Op::Access { kind: AccessKind::Gather(_), .. });
    function.body.instructions().filter(gathers).nth(1)?;
    let mut pass = Pass {
        function,
        insts: Expansion::of(function)?,
        zeros: KnownZeros::of(function),
        ranges: Ranges::of(function),
        defs: function.body.instructions().filter_map(|inst| Some((inst.result?, inst))).collect(),
        reads: FxHashMap::default(),
        cached: target.has_cache(),
        changed: false,
    };
    pass.find_reads(first_alike(function));
    let joined = Function { body: pass.block(&function.body), ..function.clone() };
    (pass.changed && fits(&joined, budget)).then_some(joined)
}

struct Pass<'a> {
    function: &'a Function,
    /// The instructions of the vectors.
    insts: Expansion,
    zeros: KnownZeros,
    ranges: Ranges,
    defs: FxHashMap<Value, &'a Inst>,
    /// The reads, by their results.
    reads: FxHashMap<Value, Read>,
    /// Whether the messages go through a load/store cache.
    cached: bool,
    changed: bool,
}

/// The first of the values that are computed in the same way from the same ones. Users write the same number of an element
/// several times. `Numbers` finds equal reads as well, between which another thread may write.
fn first_alike(function: &Function) -> FxHashMap<Value, Value> {
    let (mut known, mut first) = (FxHashMap::default(), FxHashMap::default());
    for inst in function.body.instructions() {
        let pure = matches!(inst.op, Op::Map { .. } | Op::Splat(_) | Op::Constant(Bits::Splat(_)));
        let Some(result) = inst.result.filter(|_| pure) else { continue };
        let mut op = inst.op.clone();
        for x in op.operands_mut() {
            *x = *first.get(x).unwrap_or(x);
        }
        let own = *known.entry(format!("{op:?} {:?}", inst.ty)).or_insert(result);
        first.insert(result, own);
    }
    first
}

/// A scattered read of elements of 4 bytes, whose numbers are those of a register plus a known number.
#[derive(Clone, Copy)]
struct Read {
    param: usize,
    ty: Type,
    numbers: Value,
    /// The first of the values that are computed in the same way as `numbers`.
    alike: Value,
    plus: u32,
}

/// The reads of a block that were not passed yet.
struct Places {
    /// Their places, by their buffers, their types, the numbers that their elements are made from, and what is added to these.
    of: FxHashMap<(usize, Type, Value, u32), VecDeque<usize>>,
    /// For each access, how often its buffer may have changed before.
    changes: Vec<usize>,
}

impl Pass<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        let mut later = self.places(&insts);
        let mut vectors = vec![];
        for place in 0..insts.len() {
            if let Some((first, places)) = self.vector(&insts, place, &mut later) {
                vectors.push((place, self.join(&mut insts, (place, first), &places)));
            }
        }
        let mut vectors = vectors.into_iter().peekable();
        let mut all = vec![];
        for (place, inst) in insts.into_iter().enumerate() {
            all.extend(vectors.next_if(|(first, _)| *first == place).into_iter().flat_map(|(_, made)| made));
            all.push(inst);
        }
        Block { insts: all }
    }

    /// The places of the reads of a block.
    fn places(&self, insts: &[Inst]) -> Places {
        let mut places = Places { of: FxHashMap::default(), changes: vec![0; insts.len()] };
        // How often each buffer may have changed, and all of them.
        let (mut changed, mut all) = (FxHashMap::<usize, usize>::default(), 0);
        for (place, inst) in insts.iter().enumerate() {
            all += usize::from(ends(inst));
            let Op::Access { kind, param, .. } = &inst.op else { continue };
            let effect = kind.spec().effect;
            let changes = changed.entry(*param).or_default();
            *changes += usize::from(effect.writes() || !effect.reads());
            let changes = all + *changes;
            places.changes[place] = changes;
            if let Some(read) = self.read(inst) {
                places.of.entry((read.param, read.ty, read.alike, read.plus)).or_default().push_back(place);
            }
        }
        places
    }

    /// Finds the reads of the kernel.
    fn find_reads(&mut self, first: FxHashMap<Value, Value>) {
        // The numbers that known ones were added to, and these.
        let mut sums = FxHashMap::<Value, (Value, u32)>::default();
        let cached = self.cached.then(|| cached_buffers(self.function));
        for inst in self.function.body.instructions() {
            let Some(result) = inst.result else { continue };
            match &inst.op {
                Op::Map { kind, common, saturate: false, operands } if is_dword(*common) => {
                    let sum = |x: Value| *sums.get(&x).unwrap_or(&(x, 0));
                    let dwords =
                        |x: &Value| self.defs.get(x).is_some_and(|x| x.ty.elem().is_some_and(is_dword));
                    let found = match (kind, &operands[..]) {
                        (MapKind::Convert, [x]) if dwords(x) => Some(sum(*x)),
                        (MapKind::Add, [a, b]) if dwords(a) => self.constant(*b).map(|known| {
                            let (numbers, plus) = sum(*a);
                            (numbers, plus.wrapping_add(known))
                        }),
                        _ => None,
                    };
                    sums.extend(found.map(|found| (result, found)));
                }
                Op::Access { kind: AccessKind::Gather(LoadHints::Default), param, operands } => {
                    let of_buffer = self
                        .function
                        .params
                        .get(*param)
                        .is_some_and(|param| matches!(param.kind, ParamKind::Buffer { .. }))
                        && cached.as_ref().is_none_or(|buffers| buffers.contains(param));
                    let dwords = inst.ty.elem().is_some_and(|elem| elem.bytes() == DWORD);
                    if let (true, true, Some(at)) = (of_buffer, dwords && inst.ty.rows == 1, operands.first())
                    {
                        let (numbers, plus) = *sums.get(at).unwrap_or(&(*at, 0));
                        let alike = *first.get(&numbers).unwrap_or(&numbers);
                        self.reads.insert(result, Read { param: *param, ty: inst.ty, numbers, alike, plus });
                    }
                }
                _ => {}
            }
        }
    }

    /// The read that an instruction is, if it was not replaced by another one.
    fn read(&self, inst: &Inst) -> Option<Read> {
        let gathers = matches!(inst.op, Op::Access { kind: AccessKind::Gather(_), .. });
        self.reads.get(&inst.result?).copied().filter(|_| gathers)
    }

    /// The number that all elements of a register of dwords are.
    fn constant(&self, x: Value) -> Option<u32> {
        let inst = self.defs.get(&x)?;
        match &inst.op {
            // The bits of shorter numbers have no sign.
            Op::Constant(Bits::Splat(bits)) if inst.ty.elem().is_some_and(is_dword) => Some(*bits as u32),
            Op::Splat(x) => self.constant(*x),
            _ => None,
        }
    }

    /// The first element of the vectors that begin with a read, and the places of the reads of each element.
    fn vector(&self, insts: &[Inst], first: usize, later: &mut Places) -> Option<(Read, Vec<usize>)> {
        let own = self.read(&insts[first])?;
        let changes = later.changes[first];
        let mut found = vec![(own.plus, first)];
        let distances = 1..MOST as u32;
        let neighbours = distances.flat_map(|n| [own.plus.checked_sub(n), own.plus.checked_add(n)]).flatten();
        for plus in neighbours {
            let Some(places) = later.of.get_mut(&(own.param, own.ty, own.alike, plus)) else { continue };
            let gone = |place: &usize| *place < first || self.read(&insts[*place]).is_none();
            while places.front().is_some_and(gone) {
                places.pop_front();
            }
            let next = places.front().filter(|place| later.changes[**place] == changes);
            found.extend(next.map(|place| (plus, *place)));
        }
        found.sort_unstable();
        let start = found.iter().position(|(plus, _)| *plus == own.plus)?;
        // The read is one of the elements, not always the first one.
        let starts = (start.saturating_sub(MOST - 1)..=start).rev();
        let vectors = starts.flat_map(|start| [4, 3, 2].map(|count| (start, count)));
        let next = |(start, count): &(usize, usize)| {
            let part = found.get(*start..start + count);
            part.is_some_and(|part| {
                let follows = |pair: &[(u32, usize)]| pair[0].0.checked_add(1) == Some(pair[1].0);
                part.windows(2).all(follows)
                    && part.iter().any(|(_, n)| *n == first)
                    && self.stays(Read { plus: part[0].0, ..own }, *count)
            })
        };
        let (start, count) = vectors.filter(next).max_by_key(|(_, count)| *count)?;
        let part = &found[start..start + count];
        Some((Read { plus: part[0].0, ..own }, part.iter().map(|(_, n)| *n).collect()))
    }

    /// Whether the numbers of the elements of vectors do not wrap, and no vector is partly outside of the buffer.
    fn stays(&self, first: Read, count: usize) -> bool {
        let multiple = count.next_power_of_two().trailing_zeros();
        let aligned =
            self.zeros.low_zeros(first.numbers) >= multiple && first.plus.trailing_zeros() >= multiple;
        aligned || !self.cached && self.ranges.is_at_most(first.numbers, LAST) && first.plus < LAST as u32
    }

    /// Replaces reads by parts of a read of vectors. Returns that read, which takes the place before the first one.
    fn join(&mut self, insts: &mut [Inst], (place, first): (usize, Read), places: &[usize]) -> Vec<Inst> {
        let (lanes, count) = (first.ty.columns, places.len());
        let numbers = Type::new(ElemType::U32, 1, lanes);
        let whole = Type { rows: count, ..first.ty };
        let (made, vectors) = self.insts.at(&insts[place].location, |made| {
            let plus = made.constant(u64::from(first.plus), numbers);
            let firsts = made.map(MapKind::Add, ElemType::U32, &[first.numbers, plus], numbers);
            let kind = AccessKind::GatherVectors(LoadHints::Default);
            made.emit(Op::Access { kind, param: first.param, operands: vec![firsts] }, whole)
        });
        for (row, place) in places.iter().enumerate() {
            insts[*place].op = Op::Region(vectors, Region::contiguous(row * lanes, lanes));
        }
        self.changed = true;
        made
    }
}

fn is_dword(elem: ElemType) -> bool {
    !elem.is_float() && elem.bytes() == DWORD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::verify::verify;

    /// The reads of a kernel of these lines, with vectors. `%3` has multiples of 4, `%4` bytes, and `%5` any numbers.
    fn reads(lines: &str) -> Vec<String> {
        reads_on(lines, Target::Gen9)
    }

    fn reads_on(lines: &str, target: Target) -> Vec<String> {
        let start = "%0: u32 = thread x; %1: u32<1x16> = splat %0; %2: u32<1x16> = constant 4;
            %3: u32<1x16> = mul.u32 %1, %2; %4: u32<1x16> = constant 200; %5: u32<1x16> = gather #0 %1;
            %6: u32<1x16> = constant 1; %7: u32<1x16> = constant 2; %8: u32<1x16> = constant 3;";
        let text = format!("{start} {lines}").replace(';', " @0:1:1\n").replace('|', ";");
        let params = "x: read buffer u32, y: write buffer f32";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {text} }}")).unwrap();
        verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
        let joined = joined(&function, target, 4096).unwrap_or(function);
        verify(&joined).unwrap_or_else(|error| panic!("{error}\n{joined}"));
        let text = joined.to_string();
        let found = text.lines().filter(|line| line.contains("#1 ") && !line.contains("scatter"));
        found.filter_map(|line| Some(line.split_once(": ")?.1.split_once(" #")?.0.to_owned())).collect()
    }

    /// Reads of the elements at `%n`, plus these registers of constants.
    fn elements(n: &str, plus: &[u32]) -> String {
        let one = |(k, plus): (usize, &u32)| {
            let (sum, read) = (20 + 2 * k, 21 + 2 * k);
            format!("%{sum}: u32<1x16> = add.u32 {n}, %{plus}; %{read}: f32<1x16> = gather #1 %{sum};")
        };
        plus.iter().enumerate().map(one).collect()
    }

    #[test]
    fn neighbours_are_read_at_once() {
        let first = "%9: f32<1x16> = gather #1 %3;";
        assert_eq!(reads(&format!("{first} {}", elements("%3", &[6, 7, 8]))), ["f32<4x16> = gather_vectors"]);
        assert_eq!(reads(&format!("{} {first}", elements("%3", &[6]))), ["f32<2x16> = gather_vectors"]);
        assert_eq!(reads(&elements("%4", &[8, 6, 7])), ["f32<3x16> = gather_vectors"], "by the range");
    }

    #[test]
    fn numbers_that_are_computed_alike_are_the_same() {
        let again = elements("%10", &[6]).replace("%20:", "%10: u32<1x16> = mul.u32 %1, %2; %20:");
        assert_eq!(reads(&format!("%9: f32<1x16> = gather #1 %3; {again}")), ["f32<2x16> = gather_vectors"]);
    }

    #[test]
    fn elements_that_may_wrap_or_are_apart_stay() {
        let one = "f32<1x16> = gather";
        assert_eq!(reads(&format!("%9: f32<1x16> = gather #1 %5; {}", elements("%5", &[6]))), [one; 2]);
        assert_eq!(reads(&elements("%3", &[7, 8])), ["f32<2x16> = gather_vectors"]);
        assert_eq!(reads(&elements("%3", &[6, 7])), [one; 2], "the first one is no multiple of 2");
        assert_eq!(reads(&elements("%4", &[6, 8])), [one; 2]);
    }

    #[test]
    fn through_the_cache_vectors_begin_at_multiples_of_their_size() {
        let on = |lines: &str| reads_on(lines, Target::XeHpg);
        let (one, first) = ("f32<1x16> = gather", "%9: f32<1x16> = gather #1 %3;");
        let all = format!("{first} {}", elements("%3", &[6, 7, 8]));
        assert_eq!(on(&all), ["f32<4x16> = gather_vectors"]);
        assert_eq!(on(&format!("{first} {}", elements("%3", &[6, 7]))), ["f32<3x16> = gather_vectors"]);
        assert_eq!(on(&elements("%3", &[7, 8])), ["f32<2x16> = gather_vectors"]);
        assert_eq!(on(&elements("%3", &[6, 7])), [one; 2], "the first one is no multiple of 2");
        assert_eq!(on(&elements("%4", &[6, 7])), [one; 2], "by the range only");
        assert_eq!(reads(&elements("%4", &[6, 7])), ["f32<2x16> = gather_vectors"]);
        let written = format!("{all} scatter #1 %5, %9: f32<1x16>;");
        assert_eq!(on(&written), [one; 4], "the kernel writes the buffer");
    }

    #[test]
    fn short_constants_are_converted() {
        let below = elements("%3", &[9, 10]);
        let lines = format!("%9: i16<1x16> = constant -2; %10: i16<1x16> = constant -1; {below}");
        assert_eq!(reads(&lines), ["f32<1x16> = gather"; 2]);
    }

    #[test]
    fn elements_at_the_end_of_memory_stay() {
        let numbers =
            |last: usize| format!("%9: u32<1x16> = constant {last}; %10: u32<1x16> = min.u32 %5, %9;");
        let next = |last: usize| {
            let constants =
                format!("%11: u32<1x16> = constant {}; %12: u32<1x16> = constant {last};", last - 1);
            format!("{} {constants} {}", numbers(last), elements("%10", &[11, 12]))
        };
        assert_eq!(reads(&next((1 << 28) + 1)), ["f32<1x16> = gather"; 2]);
        assert_eq!(reads(&next(1 << 28)), ["f32<2x16> = gather_vectors"]);
    }

    #[test]
    fn what_is_written_in_between_is_read() {
        let first = "%9: f32<1x16> = gather #1 %3; scatter #1 %5, %9: f32<1x16>;";
        assert_eq!(reads(&format!("{first} {}", elements("%3", &[6]))), ["f32<1x16> = gather"; 2]);
    }

    #[test]
    fn thousands_of_reads_are_looked_at_once() {
        // Of different numbers, which come in pairs.
        let pair = |n: usize| {
            let (numbers, first, second) = (20 + 4 * n, 21 + 4 * n, 22 + 4 * n);
            format!(
                "%{numbers}: u32<1x16> = mul.u32 %3, %{}; %{first}: f32<1x16> = gather #1 %{numbers};
                 %{second}: u32<1x16> = add.u32 %{numbers}, %6; %{}: f32<1x16> = gather #1 %{second};",
                if n == 0 { 3 } else { numbers - 4 },
                second + 1
            )
        };
        let all = reads(&(0..10_000).map(pair).collect::<String>());
        assert_eq!(all, vec!["f32<2x16> = gather_vectors"; 10_000]);
    }
}
