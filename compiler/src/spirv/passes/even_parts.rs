//! Parts of registers that are replaced, as parts that end where hardware registers do.
//!
//! In kernels that compute rows of odd lengths every result becomes an opaque copy, see
//! [`odd_shapes`](crate::spirv::facts::odd_shapes). A step of a prefix sum is such a row only because the first elements have
//! no neighbours to add. As parts whose lengths are powers of two or multiples of a register, its sums have the shapes that
//! Intel's compiler makes of them anyway, and no instruction writes across the end of a register.
//!
//! A constant mask that is set for neighbours only selects such a part, too: the other elements need not be computed.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Bits, Block, Function, Inst, Op, Region, Type, Value};
use crate::limits::DWORD;
use crate::ops::Class;

use super::expand::{Expansion, expanded, has_room};
use super::unused::without_unused;
use crate::spirv::facts::defs::Defs;
use crate::spirv::facts::odd_shapes;
use crate::spirv::target::Target;

/// The fewest elements that end a part if more follow: rows of a multiple of these are not odd.
const COLUMNS: usize = 8;

/// The most hardware registers of a part. What is computed for a part is in registers at the same time: longer parts would
/// need more of them.
const REGISTERS: usize = 4;

/// The most operations that are computed in parts instead of once, with a part of the result.
const OPERATIONS: usize = 2;

/// How many instructions back the origin of elements is looked for.
const STEPS: usize = 256;

/// The kernel in which such elements are computed and replaced part by part. `None` if there are none, if rows of odd lengths
/// would be left, or if registers might become scarce.
pub(crate) fn divided(function: &Function, form: Target, budget: usize) -> Option<Function> {
    let defs = Defs::of(function);
    let mut found = FxHashMap::default();
    find(&function.body, &defs, &mut found);
    if found.is_empty() {
        return None;
    }
    let body = expanded(function, |inst, insts| {
        let Some((result, placed)) = inst.result.and_then(|result| Some((result, found.get(&result)?)))
        else {
            return false;
        };
        let lanes = form.register_bytes() / DWORD;
        Parts { defs: &defs, placed, lanes }.insert(inst.ty, result, insts);
        true
    })?;
    let body = without_unused(body, &defs);
    let divided = Function { body, ..function.clone() };
    (!odd_shapes::contains(&divided) && has_room(function, &divided, budget)).then_some(divided)
}

/// Elements of a register that are replaced.
struct Placed {
    /// The register before.
    base: Value,
    /// The places of these elements.
    start: usize,
    end: usize,
    /// The register that they come from, and the place of the first one there.
    part: Value,
    first: usize,
    /// The operations that make them, which nothing else uses.
    maps: FxHashSet<Value>,
    /// The operands that these do not make.
    leaves: FxHashSet<Value>,
}

/// Finds the elements that are divided, by the results of the instructions that replace them.
fn find(block: &Block, defs: &Defs<'_>, found: &mut FxHashMap<Value, Placed>) {
    let own: FxHashSet<Value> = block.insts.iter().filter_map(|inst| inst.result).collect();
    for inst in &block.insts {
        inst.op.blocks().for_each(|inner| find(inner, defs, found));
        if let Some(result) = inst.result.filter(|_| is_dwords(inst))
            && let Some(placed) = inserted(inst, defs).or_else(|| selected(inst, defs))
            && let Some(placed) = with_operations(placed, &own, inst, defs)
        {
            found.insert(result, placed);
        }
    }
}

/// Whether the elements of a result are dwords: the compiler has more faults in parts of elements of other sizes.
fn is_dwords(inst: &Inst) -> bool {
    inst.ty.elem().is_some_and(|elem| elem.bytes() == DWORD)
}

/// The elements of an insertion of an odd length that an operation makes.
fn inserted(inst: &Inst, defs: &Defs<'_>) -> Option<Placed> {
    let Op::Insert(base, to, part) = inst.op else { return None };
    let made = defs.get(part).filter(|made| matches!(made.op, Op::Map { .. }))?;
    let count = made.ty.count();
    if to.dynamic.is_some() || !to.is_contiguous(count) || !is_odd(count) {
        return None;
    }
    Some(Placed::new(base, (to.offset, to.offset + count), part, 0))
}

/// Whether so many elements are an odd length.
const fn is_odd(count: usize) -> bool {
    !count.is_power_of_two() && !count.is_multiple_of(COLUMNS)
}

/// The elements that a constant mask selects, if they are neighbours.
fn selected(inst: &Inst, defs: &Defs<'_>) -> Option<Placed> {
    let (mask, a, b) = match &inst.op {
        Op::Map { kind, operands, .. } if kind.class() == Class::Selection => match operands[..] {
            [mask, a, b] => (mask, a, b),
            _ => return None,
        },
        _ => return None,
    };
    let Op::Constant(Bits::Each(each)) = &defs.get(mask)?.op else { return None };
    let is_set = |bits: &u64| bits & 1 == 1;
    let start = each.iter().position(is_set)?;
    let end = start + each[start..].iter().take_while(|bits| is_set(bits)).count();
    let alone = end - start < each.len() && !each[end..].iter().any(is_set);
    alone.then(|| Placed::new(b, (start, end), a, start))
}

/// With the operations in the block of an instruction that only make its elements.
fn with_operations(
    mut placed: Placed,
    own: &FxHashSet<Value>,
    inst: &Inst,
    defs: &Defs<'_>,
) -> Option<Placed> {
    let root = placed.part;
    let count = defs.get(root)?.ty.count();
    let maps = operations(root, own, defs);
    if !matches!(inst.op, Op::Map { .. }) || maps.len() <= OPERATIONS {
        placed.maps = maps;
    }
    let operands = placed.maps.iter().filter_map(|x| defs.get(*x)).flat_map(|made| made.op.operands());
    placed.leaves = operands.chain([root]).filter(|x| !placed.maps.contains(x)).collect();
    placed.leaves.iter().all(|x| defs.get(*x).is_some_and(|leaf| leaf.ty.count() == count)).then_some(placed)
}

/// The operations of a block that make a value and that nothing else uses. All their operands are dwords, as their results
/// are.
fn operations(root: Value, own: &FxHashSet<Value>, defs: &Defs<'_>) -> FxHashSet<Value> {
    let (mut found, mut uses) = (FxHashSet::default(), FxHashMap::<Value, usize>::default());
    let mut left = vec![root];
    while let Some(x) = left.pop() {
        let inside = uses.entry(x).or_default();
        *inside += 1;
        let only = *inside == defs.users(x).len() && own.contains(&x);
        if let Some(Inst { op: Op::Map { operands, .. }, .. }) = defs.get(x).filter(|_| only)
            && operands.iter().chain([&x]).all(|x| defs.get(*x).is_some_and(is_dwords))
        {
            found.insert(x);
            left.extend(operands.iter());
        }
    }
    found
}

/// The parts of the elements from `start` to `end` of a register, of which `lanes` fill a hardware register: the start and
/// the length of each.
fn cuts((start, end): (usize, usize), lanes: usize) -> Vec<(usize, usize)> {
    let (mut at, mut found) = (start, vec![]);
    while at < end {
        let left = end - at;
        let aligned = at.is_multiple_of(lanes);
        let length = match left {
            _ if aligned && left >= lanes => (left / lanes).min(REGISTERS) * lanes,
            _ if aligned => 1 << left.ilog2(),
            _ => 1 << left.ilog2().min(at.trailing_zeros()),
        };
        found.push((at, length));
        at += length;
    }
    found
}

impl Placed {
    fn new(base: Value, (start, end): (usize, usize), part: Value, first: usize) -> Self {
        let (maps, leaves) = (FxHashSet::default(), FxHashSet::default());
        Self { base, start, end, part, first, maps, leaves }
    }
}

/// Makes the parts of replaced elements.
struct Parts<'a> {
    defs: &'a Defs<'a>,
    placed: &'a Placed,
    /// The elements of a hardware register.
    lanes: usize,
}

impl Parts<'_> {
    /// The register with the elements, part by part.
    fn insert(&self, ty: Type, result: Value, insts: &mut Expansion) {
        let &Placed { base, start, end, part, first, .. } = self.placed;
        let mut whole = base;
        // If the parts are made of the register that they are inserted in, it remains unchanged until the last one is made.
        // So the elements that are not replaced are copied, not all of them.
        if self.is_made_of_base() {
            whole = insts.undefined(ty);
            let others = [(0, start), (end, ty.count())];
            for (at, length) in others.into_iter().flat_map(|range| cuts(range, self.lanes)) {
                let place = Region::contiguous(at, length);
                let kept = insts.emit(Op::Region(base, place), Type { rows: 1, columns: length, ..ty });
                whole = insts.emit(Op::Insert(whole, place, kept), ty);
            }
        }
        let cuts = cuts((start, end), self.lanes);
        for (n, (at, length)) in cuts.iter().enumerate() {
            let made = self.part(part, (first + at - start, *length), insts);
            let op = Op::Insert(whole, Region::contiguous(*at, *length), made);
            match n + 1 == cuts.len() {
                true => insts.push(op, Some(result), ty),
                false => whole = insts.emit(op, ty),
            }
        }
    }

    /// Whether an operand is the register before, or has elements of it. If that is far back, they count as such.
    fn is_made_of_base(&self) -> bool {
        let Placed { base, leaves, .. } = self.placed;
        let mut seen = leaves.clone();
        let mut left: Vec<Value> = leaves.iter().copied().collect();
        while let Some(x) = left.pop() {
            if x == *base || seen.len() > leaves.len() + STEPS {
                return true;
            }
            let of = match self.defs.get(x).map(|inst| &inst.op) {
                Some(Op::Region(of, _)) => [*of, *of],
                Some(Op::Insert(base, _, part)) => [*base, *part],
                _ => continue,
            };
            left.extend(of.into_iter().filter(|x| seen.insert(*x)));
        }
        false
    }

    /// `count` elements of a value from element `start` on.
    fn part(&self, x: Value, (start, count): (usize, usize), insts: &mut Expansion) -> Value {
        let mut made: FxHashMap<Value, Value> = FxHashMap::default();
        let mut left = vec![x];
        // The operands are made first.
        while let Some(&x) = left.last() {
            let map = self.defs.get(x).filter(|_| self.placed.maps.contains(&x));
            let missing = map.and_then(|map| map.op.operands().into_iter().find(|x| !made.contains_key(x)));
            if let Some(operand) = missing {
                left.push(operand);
                continue;
            }
            left.pop();
            let part = match map {
                Some(map) => {
                    let mut op = map.op.clone();
                    op.operands_mut().into_iter().for_each(|operand| *operand = made[operand]);
                    insts.emit(op, Type { rows: 1, columns: count, ..map.ty })
                }
                None => self.neighbours(x, (start, count), insts),
            };
            made.insert(x, part);
        }
        made[&x]
    }

    /// `count` elements, from element `start` on, of a value that is not divided.
    fn neighbours(&self, x: Value, (start, count): (usize, usize), insts: &mut Expansion) -> Value {
        let Some(inst) = self.defs.get(x) else { return x };
        let ty = Type { rows: 1, columns: count, ..inst.ty };
        match &inst.op {
            Op::Splat(of) => insts.splat(*of, ty),
            Op::Constant(Bits::Splat(bits)) => insts.constant(*bits, ty),
            _ => {
                let (of, at) = self.origin(x, start, count);
                let all = self.defs.get(of).is_some_and(|inst| inst.ty == ty);
                if all { of } else { insts.emit(Op::Region(of, Region::contiguous(at, count)), ty) }
            }
        }
    }

    /// The register that `count` neighbours of a value were taken from, and the place of the first one there.
    fn origin(&self, mut x: Value, mut at: usize, count: usize) -> (Value, usize) {
        // What was inserted in a larger register is taken from there: it would need registers besides those of this one.
        let most = 2 * REGISTERS * self.lanes;
        for _ in 0..STEPS {
            let Some(inst) = self.defs.get(x) else { break };
            match &inst.op {
                Op::Region(of, region)
                    if region.dynamic.is_none() && region.is_contiguous(inst.ty.count()) =>
                {
                    (x, at) = (*of, region.offset + at);
                }
                Op::Insert(base, to, part) if to.dynamic.is_none() && inst.ty.count() <= most => {
                    let length = self.defs.get(*part).map_or(0, |part| part.ty.count());
                    let (start, end) = (to.offset, to.offset + length);
                    // An odd length is itself divided.
                    if !to.is_contiguous(length) || is_odd(length) {
                        break;
                    } else if start <= at && at + count <= end {
                        (x, at) = (*part, at - start);
                    } else if at + count <= start || end <= at {
                        x = *base;
                    } else {
                        break;
                    }
                }
                _ => break,
            }
        }
        (x, at)
    }
}

#[cfg(test)]
mod tests;
