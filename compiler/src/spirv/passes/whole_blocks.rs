//! Operations on whole registers in place of those on their halves, for blocks that one message for lanes moves: see
//! [`long_blocks`](crate::spirv::emit::long_blocks).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Function, Inst, Op, Region, Type, Value, Variable};
use crate::spirv::emit::long_blocks::{LongBlocks, accessed, is_straight};
use crate::spirv::facts::scalars::repeats;
use crate::spirv::target::Target;

/// How many steps back the origins of two halves are compared.
const DEPTH: usize = 48;

/// A kernel in which blocks were joined, with operations on the whole registers; `None` if some block is not
/// moved by one message then.
pub(crate) fn whole(function: &Function, target: Target) -> Option<Function> {
    if !is_straight(function) {
        return None;
    }
    let mut halves = Halves {
        defs: FxHashMap::default(),
        next: function.body.next_value(),
        made: FxHashMap::default(),
        insts: vec![],
    };
    let mut rebuilt: FxHashMap<Value, Value> = FxHashMap::default();
    for inst in &function.body.insts {
        let mut inst = inst.clone();
        for x in inst.op.operands_mut() {
            *x = *rebuilt.get(x).unwrap_or(x);
        }
        if let Some((data, _, _)) = accessed(&inst).filter(|_| inst.result.is_none())
            && let Some(data) = halves.stored(data)
            && let Op::Access { operands, .. } = &mut inst.op
        {
            operands.pop();
            operands.push(data);
        }
        let result = inst.result;
        halves.defs.extend(result.map(|result| (result, inst.clone())));
        halves.insts.push(inst);
        rebuilt.extend(result.and_then(|result| Some((result, halves.rebuilt(result)?))));
    }
    let body = without_unused(Block { insts: halves.insts });
    let whole = Function { body, ..function.clone() };
    let blocks = LongBlocks::of(&whole, target);
    let moved = |inst: &Inst| accessed(inst).is_none_or(|(data, ..)| blocks.contains(data));
    whole.body.insts.iter().all(moved).then_some(whole)
}

/// Which half of a register of `2 * count` elements a region is.
fn half_of(region: Region, count: usize) -> Option<usize> {
    let half = region.dynamic.is_none() && region.is_contiguous(count) && region.offset.is_multiple_of(count);
    half.then_some(region.offset / count)
}

/// Operations on the halves of registers.
struct Halves {
    defs: FxHashMap<Value, Inst>,
    next: u32,
    /// The whole for each pair of halves.
    made: FxHashMap<(Value, Value), Value>,
    insts: Vec<Inst>,
}

impl Halves {
    /// The register with the same elements, if a register is made of its halves.
    fn rebuilt(&mut self, x: Value) -> Option<Value> {
        let whole = self.stored(x)?;
        (self.defs.get(&whole)?.ty == self.defs.get(&x)?.ty).then_some(whole)
    }

    /// The register that these halves of another one are made of.
    fn stored(&mut self, data: Value) -> Option<Value> {
        let Op::Insert(first, high, b) = self.defs.get(&data)?.op else { return None };
        let Op::Insert(_, low, a) = self.defs.get(&first)?.op else { return None };
        let half = self.defs.get(&data)?.ty.count() / 2;
        if self.defs.get(&a)?.ty.count() != half || self.defs.get(&b)?.ty.count() != half {
            return None;
        }
        match (half_of(low, half)?, half_of(high, half)?) {
            (0, 1) => self.whole(a, b, DEPTH),
            (1, 0) => self.whole(b, a, DEPTH),
            _ => None,
        }
    }

    /// A register with these halves, if both are made alike, in at most `depth` steps.
    fn whole(&mut self, a: Value, b: Value, depth: usize) -> Option<Value> {
        if let Some(made) = self.made.get(&(a, b)) {
            return Some(*made);
        }
        let (first, second) = (self.defs.get(&a)?.clone(), self.defs.get(&b)?.clone());
        let count = first.ty.count();
        // The bits of a constant are those of its type.
        if (first.ty.elem(), count) != (second.ty.elem(), second.ty.count()) {
            return None;
        }
        let op = match (&first.op, &second.op) {
            (Op::Region(x, low), Op::Region(y, high)) => {
                let halves = half_of(*low, count) == Some(0) && half_of(*high, count) == Some(1);
                let all = self.defs.get(x)?.ty.count() == 2 * count;
                return (x == y && all && halves).then_some(*x);
            }
            (own, other) if repeats(own) && own == other => first.op.clone(),
            (
                Op::Map { kind, common, saturate, operands },
                Op::Map { kind: kind2, common: common2, saturate: saturate2, operands: others },
            ) if (kind, common, saturate) == (kind2, common2, saturate2) => {
                let depth = depth.checked_sub(1)?;
                let mut all = *operands;
                for (own, other) in all.iter_mut().zip(others.iter()) {
                    *own = self.whole(*own, *other, depth)?;
                }
                Op::Map { kind: *kind, common: *common, saturate: *saturate, operands: all }
            }
            _ => return None,
        };
        let ty = Type { rows: 1, columns: 2 * count, ..first.ty };
        let result = Value(self.next);
        self.next += 1;
        let inst = Inst { op, result: Some(result), ty, location: first.location };
        self.defs.insert(result, inst.clone());
        self.insts.push(inst);
        self.made.insert((a, b), result);
        Some(result)
    }
}

/// Instructions without those whose results nobody uses. There are no branches.
fn without_unused(block: Block) -> Block {
    let mut used: FxHashSet<Value> = FxHashSet::default();
    let mut loaded: FxHashSet<Variable> = FxHashSet::default();
    let mut insts: Vec<Inst> = vec![];
    for inst in block.insts.into_iter().rev() {
        let effect = match inst.op {
            Op::Store(variable, _) => loaded.remove(&variable),
            _ => inst.result.is_none() || matches!(inst.op, Op::Access { .. } | Op::Clock),
        };
        if effect || inst.result.is_some_and(|result| used.contains(&result)) {
            if let Op::Load(variable) = inst.op {
                loaded.insert(variable);
            }
            used.extend(inst.op.operands());
            insts.push(inst);
        }
    }
    insts.reverse();
    Block { insts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::verify::verify;

    /// Whether the halves of a block, to each of which so many sums are added one after the other, are computed at once.
    fn is_whole(sums: usize) -> bool {
        let mut lines = String::from(
            "%0: u32 = thread x; %1: u32 = constant 256; %2: u32 = mul.u32 %0, %1; %3: f32<1x64> = block_load #0 %2;
             %4: f32<1x64> = constant 0; %5: f32<1x32> = region %3[0| 32, 32, 1]; %6: f32<1x32> = region %3[32| 32, 32, 1];",
        );
        let mut last = [5, 6];
        for _ in 0..sums {
            let next = last.map(|x| x + 2);
            for (x, sum) in last.into_iter().zip(next) {
                lines += &format!("%{sum}: f32<1x32> = add.f32 %{x}, %{x};");
            }
            last = next;
        }
        let [low, high] = last;
        let (first, both) = (high + 1, high + 2);
        lines += &format!(
            "%{first}: f32<1x64> = insert %4[0| 32, 32, 1], %{low}; %{both}: f32<1x64> = insert %{first}[32| 32, 32, 1], %{high};
             block_store #1 %2, %{both}: f32<1x64>;"
        );
        let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
        let params = "x: read buffer f32, y: write buffer f32";
        let function = parse(&format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}")).unwrap();
        verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));
        let whole = whole(&function, Target::Gen9);
        let of_halves = |inst: &Inst| matches!(inst.op, Op::Region(..) | Op::Insert(..));
        whole.is_some_and(|whole| !whole.body.instructions().any(of_halves))
    }

    #[test]
    fn halves_that_are_computed_alike_are_computed_at_once() {
        assert!(is_whole(1) && is_whole(40));
    }

    #[test]
    fn long_computations_are_not_compared() {
        assert!(!is_whole(20_000));
    }
}
