//! Stacks registers that a kernel processes in the same way, so that one instruction processes both. For
//! example, `for row in 0..2` over rows of 16 words uses only half of the lanes of an instruction if
//! registers have 64 bytes.
//!
//! The search starts at two registers that are inserted next to each other into a larger one. If both were
//! made by the same operations, these are done for both at once, back to the loads or to the first
//! difference. This is done only if it reduces the number of instructions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Operands, Region, Type, Value};
use crate::limits::LANES;

use super::expand::{Expansion, fits, uses};
use crate::spirv::region_instructions::lanes;
use crate::spirv::target::Target;

/// How many steps back the origins of two registers are compared.
const DEPTH: usize = 48;
/// The kernel with stacked registers; `None` if there are none, or if registers might become scarce.
pub(crate) fn stacked(function: &Function, form: Target, budget: usize) -> Option<Function> {
    let mut pass = Pass { form, insts: Expansion::of(function)?, uses: FxHashMap::default(), changed: false };
    let mut body = function.body.clone();
    // Stacked registers may form pairs again.
    for _ in 0..LANES.ilog2() {
        pass.uses = uses(&body);
        let before = std::mem::take(&mut pass.changed);
        body = pass.block(&body);
        let again = pass.changed;
        pass.changed |= before;
        if !again {
            break;
        }
    }
    let stacked = Function { body, ..function.clone() };
    (pass.changed && fits(&stacked, budget)).then_some(stacked)
}

struct Pass {
    form: Target,
    /// The stacked instructions.
    insts: Expansion,
    uses: FxHashMap<Value, usize>,
    changed: bool,
}

/// The instructions of a block up to the present one.
#[derive(Default)]
struct Done {
    /// `None` is one that was replaced.
    insts: Vec<Option<Inst>>,
    /// The places of results.
    places: FxHashMap<Value, usize>,
}

impl Done {
    fn push(&mut self, inst: Inst) {
        self.places.extend(inst.result.map(|result| (result, self.insts.len())));
        self.insts.push(Some(inst));
    }

    fn remove(&mut self, result: Value) {
        if let Some(place) = self.places.remove(&result) {
            self.insts[place] = None;
        }
    }

    /// The instruction that makes a value, if it is in this block.
    fn get(&self, x: Value) -> Option<&Inst> {
        self.insts[*self.places.get(&x)?].as_ref()
    }
}

/// How to stack two registers of the same type.
#[derive(Clone, Debug)]
enum Plan {
    /// By one operation on these pairs of operands; the operation contains the other operands.
    Made(Op, Vec<(Value, Value)>),
    /// By copying one after the other.
    Copied,
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut done = Done::default();
        for inst in block.with_blocks(|inner| self.block(inner)) {
            match self.pair(&inst, &done) {
                None => done.push(inst),
                Some((whole, made)) => {
                    self.changed = true;
                    done.remove(whole);
                    made.into_iter().for_each(|inst| done.push(inst));
                }
            }
        }
        Block { insts: done.insts.into_iter().flatten().collect() }
    }

    /// If an instruction inserts a register right after another one was inserted next to it: the result of the earlier
    /// insertion, and the instructions that replace both.
    fn pair(&mut self, result: &Inst, defs: &Done) -> Option<(Value, Vec<Inst>)> {
        let Op::Insert(whole, region, b) = result.op else { return None };
        if self.uses.get(&whole) != Some(&1) {
            return None;
        }
        let Op::Insert(base, first, a) = defs.get(whole)?.op else { return None };
        let ty = defs.get(a)?.ty;
        if defs.get(b)?.ty != ty || ty.count() < 2 {
            return None;
        }
        // What the second one replaces of the first one is not inserted twice.
        let together = next(first, region, ty.count()).filter(|both| !both.overlaps(2 * ty.count()))?;
        let mut plans = Plans { pass: &*self, defs, all: FxHashMap::default() };
        plans.plan((a, b), DEPTH);
        // Without equal steps between rows, the result is not written directly to its place but moved there.
        let steps = together.row_stride == together.width * together.column_stride;
        let moves =
            if steps { 0 } else { 2 * self.instructions(ty.count(), ty.elem().map_or(1, ElemType::bytes)) };
        if plans.gain((a, b)) <= moves {
            return None;
        }
        let all = plans.all;
        let (made, stacked) = self.insts.at(&result.location, |insts| {
            let mut stacking = Stacking { insts, all: &all, defs, values: FxHashMap::default() };
            let pair = stacking.pair((a, b))?;
            insts.push(Op::Insert(base, together, pair), result.result, result.ty);
            Some(())
        });
        stacked?;
        Some((whole, made))
    }

    /// The hardware instructions for an operation on `count` elements of this size.
    fn instructions(&self, count: usize, bytes: usize) -> i64 {
        count.div_ceil(lanes(bytes, self.form.register_bytes())) as i64
    }
}

/// The region of two registers of `count` elements, from the region of each; `None` if there is no such
/// region.
fn next(a: Region, b: Region, count: usize) -> Option<Region> {
    let like = Region { offset: b.offset, ..a };
    let step = b.offset.checked_sub(a.offset).filter(|step| *step > 0)?;
    if a.dynamic.is_some() || like != b {
        return None;
    }
    if count <= a.width {
        return Some(Region { width: count, row_stride: step, ..a });
    }
    (count / a.width * a.row_stride == step).then_some(a)
}

/// The plans for pairs of registers.
struct Plans<'a> {
    pass: &'a Pass,
    defs: &'a Done,
    all: FxHashMap<(Value, Value), Plan>,
}

impl Plans<'_> {
    fn plan(&mut self, pair: (Value, Value), depth: usize) {
        if self.all.contains_key(&pair) {
            return;
        }
        let plan = if depth == 0 { None } else { self.made(pair) };
        let plan = plan.unwrap_or(Plan::Copied);
        let operands = if let Plan::Made(_, operands) = &plan { operands.clone() } else { vec![] };
        self.all.insert(pair, plan);
        for operand in operands {
            self.plan(operand, depth - 1);
        }
    }

    fn made(&self, (a, b): (Value, Value)) -> Option<Plan> {
        let (first, second) = (self.defs.get(a)?, self.defs.get(b)?);
        let count = first.ty.count();
        if first.ty != second.ty || count < 2 {
            return None;
        }
        let (op, pairs) = match (&first.op, &second.op) {
            (Op::Constant(Bits::Splat(x)), Op::Constant(Bits::Splat(y))) if x == y => {
                (first.op.clone(), vec![])
            }
            (Op::Splat(x), Op::Splat(y)) if self.same(*x, *y) => (first.op.clone(), vec![]),
            (Op::Splat(x), Op::Splat(y)) => (self.numbers(*x, *y, count)?, vec![]),
            (
                Op::Map { kind, common, saturate, operands },
                Op::Map { kind: other, common: own, saturate: limited, operands: others },
            ) if (kind, common, saturate) == (other, own, limited) => {
                let pairs: Vec<_> = operands.iter().copied().zip(others.iter().copied()).collect();
                let ty = |x| self.defs.get(x).map(|inst| inst.ty);
                let alike = |(x, y): &(Value, Value)| {
                    ty(*x).is_some_and(|own| own.count() == count && ty(*y) == Some(own))
                };
                if !pairs.iter().all(alike) {
                    return None;
                }
                (first.op.clone(), pairs)
            }
            (Op::Region(x, own), Op::Region(y, other)) if x == y => {
                let repeated = (own == other && own.dynamic.is_none() && count <= own.width)
                    .then_some(Region { width: count, row_stride: 0, ..*own });
                (Op::Region(*x, repeated.or_else(|| next(*own, *other, count))?), vec![])
            }
            (Op::Insert(x, own, value), Op::Insert(y, other, part)) if own == other => {
                let inner = self.defs.get(*value)?.ty;
                if self.defs.get(*part)?.ty != inner {
                    return None;
                }
                let moved = Region { offset: own.offset + count, ..*own };
                let region = next(*own, moved, inner.count())?;
                if region.overlaps(2 * inner.count()) {
                    return None;
                }
                (Op::Insert(*x, region, *value), vec![(*x, *y), (*value, *part)])
            }
            _ => return None,
        };
        Some(Plan::Made(op, pairs))
    }

    /// Each of two numbers of a register, repeated so many times.
    fn numbers(&self, a: Value, b: Value, count: usize) -> Option<Op> {
        let number = |x| match &self.defs.get(x)?.op {
            Op::Region(of, region) if region.dynamic.is_none() => Some((*of, region.offset)),
            _ => None,
        };
        let ((x, first), (y, second)) = (number(a)?, number(b)?);
        let step = second.checked_sub(first).filter(|_| x == y)?;
        let region =
            Region { offset: first, dynamic: None, row_stride: step, width: count, column_stride: 0 };
        Some(Op::Region(x, region))
    }

    /// Whether two numbers are equal.
    fn same(&self, a: Value, b: Value) -> bool {
        let constant = |x| match self.defs.get(x)?.op {
            Op::Constant(Bits::Splat(bits)) => Some(bits),
            _ => None,
        };
        a == b || constant(a).is_some_and(|bits| constant(b) == Some(bits))
    }

    /// The values of the pairs that are still computed one by one: those with other uses, those that are copied, and what
    /// these are made of.
    fn left(&self, root: (Value, Value)) -> FxHashSet<Value> {
        let made = self.all.iter().filter(|(_, plan)| matches!(plan, Plan::Made(..)));
        let made: FxHashSet<Value> = made.flat_map(|((a, b), _)| [*a, *b]).collect();
        let operands = |x: Value| self.defs.get(x).map(|inst| inst.op.operands()).into_iter().flatten();
        // A value whose uses are all stacked does not need to be computed separately.
        let mut inside: FxHashMap<Value, usize> = FxHashMap::from_iter([(root.0, 1)]);
        *inside.entry(root.1).or_default() += 1;
        made.iter().flat_map(|x| operands(*x)).for_each(|x| *inside.entry(x).or_default() += 1);
        let has_other_uses =
            |x: &Value| self.pass.uses.get(x).is_none_or(|uses| inside.get(x).is_none_or(|own| own < uses));
        let copied = self.all.iter().filter(|(_, plan)| matches!(plan, Plan::Copied));
        let copied = copied.flat_map(|((a, b), _)| [*a, *b]);
        let mut next: Vec<Value> = made.iter().copied().filter(has_other_uses).chain(copied).collect();
        let mut left = FxHashSet::default();
        while let Some(x) = next.pop() {
            if left.insert(x) {
                next.extend(operands(x).filter(|x| made.contains(x)));
            }
        }
        left
    }

    /// How many instructions are saved by stacking a pair.
    fn gain(&self, root: (Value, Value)) -> i64 {
        let left = self.left(root);
        let mut gain = 0;
        // A row that is computed from the row before it belongs to two pairs.
        let mut dropped = FxHashSet::<Value>::default();
        for ((a, b), plan) in &self.all {
            let Some(inst) = self.defs.get(*a) else { continue };
            let bytes = |ty: Type| ty.elem().map_or(1, ElemType::bytes);
            let (size, count) = match (plan, &inst.op) {
                (Plan::Made(_, pairs), Op::Map { .. }) => {
                    let operands = pairs.iter().filter_map(|(x, _)| Some(bytes(self.defs.get(*x)?.ty)));
                    (operands.max().unwrap_or(1).max(bytes(inst.ty)), inst.ty.count())
                }
                (Plan::Made(..), Op::Insert(_, _, value)) => {
                    let ty = self.defs.get(*value).map_or(inst.ty, |value| value.ty);
                    (bytes(ty), ty.count())
                }
                // Repeating elements takes additional instructions.
                (Plan::Made(Op::Region(_, region), _), op)
                    if region.row_stride == 0 || matches!(op, Op::Splat(_)) =>
                {
                    gain -= self.pass.instructions(2 * inst.ty.count(), bytes(inst.ty));
                    continue;
                }
                (Plan::Made(..), _) => continue,
                (Plan::Copied, _) => {
                    let whole = (*a, *b) == root;
                    gain -=
                        if whole { 0 } else { 2 * self.pass.instructions(inst.ty.count(), bytes(inst.ty)) };
                    continue;
                }
            };
            let own = self.pass.instructions(count, size);
            let before = [*a, *b].into_iter().filter(|x| !left.contains(x) && dropped.insert(*x)).count();
            gain += own * before as i64 - self.pass.instructions(2 * count, size);
        }
        gain
    }
}

/// Writes the stacked instructions.
struct Stacking<'a> {
    insts: &'a mut Expansion,
    all: &'a FxHashMap<(Value, Value), Plan>,
    defs: &'a Done,
    values: FxHashMap<(Value, Value), Value>,
}

impl Stacking<'_> {
    fn pair(&mut self, pair: (Value, Value)) -> Option<Value> {
        if let Some(&value) = self.values.get(&pair) {
            return Some(value);
        }
        let own = self.defs.get(pair.0)?.ty;
        let ty = Type { rows: 2 * own.rows, ..own };
        let value = match self.all.get(&pair)? {
            Plan::Made(op, pairs) => {
                let made: Vec<Value> = pairs.iter().map(|pair| self.pair(*pair)).collect::<Option<_>>()?;
                let op = match op.clone() {
                    Op::Map { kind, common, saturate, .. } => {
                        Op::Map { kind, common, saturate, operands: Operands::new(&made) }
                    }
                    Op::Insert(_, region, _) => Op::Insert(*made.first()?, region, *made.get(1)?),
                    op => op,
                };
                self.insts.emit(op, ty)
            }
            Plan::Copied => {
                let count = own.count();
                if pair.0 == pair.1 {
                    let region = Region { row_stride: 0, ..Region::contiguous(0, count) };
                    self.insts.emit(Op::Region(pair.0, region), ty)
                } else {
                    let any = self.insts.undefined(ty);
                    let half = self.insts.emit(Op::Insert(any, Region::contiguous(0, count), pair.0), ty);
                    self.insts.emit(Op::Insert(half, Region::contiguous(count, count), pair.1), ty)
                }
            }
        };
        self.values.insert(pair, value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::RegisterFile;
    use crate::spirv::alike::{assert_alike, kernel};
    use crate::spirv::facts::defs::Defs;
    use crate::spirv::passes::unused::without_unused;

    /// The kernel of these lines after stacking for registers of 64 bytes; `None` if it does not change.
    fn lines(lines: &str) -> Option<Function> {
        let function = kernel(lines);
        let budget = RegisterFile::Standard.registers() * Target::XeHpc.register_bytes();
        let stacked = stacked(&function, Target::XeHpc, budget)?;
        assert_alike(&function, &stacked);
        Some(stacked)
    }

    /// The types of the sums of a kernel.
    fn sums(function: &Function) -> Vec<(usize, usize)> {
        let sums = function.body.instructions().filter(|inst| matches!(inst.op, Op::Map { .. }));
        sums.map(|inst| (inst.ty.rows, inst.ty.columns)).collect()
    }

    /// Applies these lines to each of four rows of 16 numbers. The lines use a row `%r` and a number `%n`,
    /// and give `%o`.
    fn rows(of: &str) -> String {
        let mut text = String::from(
            "%0: i32 = constant 2; %1: u8<4x16> = read #0 %0, %0; %2: i32 = constant 9; %3: i32<1x16> = splat %2;
             %4: i32<4x16> = constant 5; ",
        );
        let mut whole = 4;
        for row in 0..4 {
            let first = 10 * (row + 1);
            let of = of.replace("%r", &format!("%{first}")).replace("%o", &format!("%{}", first + 8));
            let of = (1..8).fold(of, |of, n| of.replace(&format!("%n{n}"), &format!("%{}", first + n)));
            text += &format!("%{first}: u8<1x16> = region %1[{}| 16, 16, 1]; {of} ", row * 16);
            let next = first + 9;
            text +=
                &format!("%{next}: i32<4x16> = insert %{whole}[{}| 16, 16, 1], %{};", row * 16, first + 8);
            text += " ";
            whole = next;
        }
        text + &format!("%60: u8<4x64> = format %{whole}; write #1 %0, %0, %60: u8<4x64>;\n")
    }

    #[test]
    fn parts_that_replace_each_other_stay_apart() {
        let part = |first: u32, from: usize, to: usize| {
            let n: Vec<String> = (0..6).map(|n| format!("%{}", first + n)).collect();
            let [a, b, c, d, e, f] = &n[..] else { unreachable!("six names") };
            let before = if first == 10 { "%2" } else { "%15" };
            format!(
                "{a}: u16<1x16> = region %1[{from}| 16, 16, 1]; {b}: u16<1x16> = mul.u16 {a}, {a}; {c}: u16<1x16> = xor.u16 {b}, {a};
                 {d}: u16<1x16> = mul.u16 {c}, {b}; {e}: u16<1x16> = xor.u16 {d}, {c}; {f}: u16<1x48> = insert {before}[{to}| 16, 16, 1], {e}; "
            )
        };
        let both = |second: usize| {
            format!(
                "%0: i32 = constant 3; %1: u16<2x16> = read #0 %0, %0; %2: u16<1x48> = constant 5; {}{}
                 %30: u16<3x16> = format %25; write #1 %0, %0, %30: u16<3x16>;\n",
                part(10, 0, 0),
                part(20, 16, second)
            )
        };
        assert!(lines(&both(16)).is_some());
        assert_eq!(lines(&both(8)), None, "the end of the first one");
    }

    #[test]
    fn rows_that_are_treated_alike_are_treated_at_once() {
        let stacked =
            lines(&rows("%n1: i32<1x16> = mul.i32 %r, %3; %o: i32<1x16> = add.i32 %n1, %3;")).unwrap();
        // Pairs of rows fill the lanes of an instruction. The compiler removes unused rows.
        assert!(sums(&stacked).iter().filter(|ty| **ty == (2, 16)).count() >= 4, "{stacked}");
    }

    #[test]
    fn rows_that_follow_from_each_other_stay_apart() {
        let alike = "%n1: i32<1x16> = mul.i32 %r, %3; %n2: i32<1x16> = add.i32 %n1, %r; %o: i32<1x16> = xor.i32 %n2, %3;";
        assert!(lines(&rows(alike)).is_some());
        // Each row is made from the row before it.
        let recursive: String = (0..4).fold(rows(&alike.replace("%n1, %r", "%n1, %last")), |text, row| {
            let last = if row == 0 { String::from("%3") } else { format!("%{}", 10 * row + 8) };
            text.replacen("%last", &last, 1)
        });
        let function = kernel(&recursive);
        let defs = Defs::of(&function);
        let operations = |function: &Function| {
            let body = without_unused(function.body.clone(), &defs);
            sums(&Function { body, ..function.clone() })
                .iter()
                .map(|(rows, _)| rows.div_ceil(2))
                .sum::<usize>()
        };
        let before = operations(&function);
        let after = lines(&recursive).map_or(before, |stacked| operations(&stacked));
        assert!(after <= before, "{after} instead of {before}");
    }

    #[test]
    fn one_register_for_both_is_repeated() {
        let one = "%n1: u8<1x16> = region %1[3| 16, 16, 1]; %n2: i32<1x16> = add.i32 %n1, %3;
            %o: i32<1x16> = sub.i32 %r, %n2;";
        assert!(lines(&rows(one)).is_some());
    }

    #[test]
    fn numbers_of_one_register_are_repeated() {
        let scaled = |factors: [usize; 4]| {
            let one = "%n1: u8 = region %1[place| 1, 1, 1]; %n2: u8<1x16> = splat %n1; %n3: i32<1x16> = mul.i32 %r, %n2;
                %n4: i32<1x16> = xor.i32 %n3, %3; %o: i32<1x16> = add.i32 %n4, %r;";
            let text = factors.iter().fold(rows(one), |text, at| text.replacen("place", &at.to_string(), 1));
            lines(&text).map(|stacked| sums(&stacked))
        };
        assert!(scaled([3, 4, 5, 6]).is_some_and(|sums| sums.contains(&(2, 16))));
        assert!(scaled([3, 7, 9, 13]).is_some_and(|sums| sums.contains(&(2, 16))));
    }

    #[test]
    fn what_differs_or_fills_the_lanes_is_left() {
        let full = "%0: i32 = constant 2; %1: f32<2x32> = constant 3; %2: i32 = constant 0; %3: f32<4x16> = read #0 %0, %2;
            %4: f32<1x32> = region %3[0| 32, 32, 1]; %5: f32<1x32> = add.f32 %4, %4;
            %6: f32<1x32> = region %3[32| 32, 32, 1]; %7: f32<1x32> = add.f32 %6, %6;
            %8: f32<2x32> = insert %1[0| 32, 32, 1], %5; %9: f32<2x32> = insert %8[32| 32, 32, 1], %7;
            %10: f32<4x16> = region %9[0| 16, 16, 1]; write #1 %0, %0, %10: f32<4x16>;\n";
        assert_eq!(lines(full), None);
        let other = "%0: i32 = constant 2; %1: u8<2x16> = read #0 %0, %0; %2: i32<2x16> = constant 1;
            %3: u8<1x16> = region %1[0| 16, 16, 1]; %4: i32<1x16> = mul.i32 %3, %3;
            %5: u8<1x16> = region %1[16| 16, 16, 1]; %6: i32<1x16> = add.i32 %5, %5;
            %7: i32<2x16> = insert %2[0| 16, 16, 1], %4; %8: i32<2x16> = insert %7[16| 16, 16, 1], %6;
            write #1 %0, %0, %8: i32<2x16>;\n";
        assert_eq!(lines(other), None);
    }

    #[test]
    fn long_chains_of_insertions() {
        let mut text = String::from(
            "%0: i32 = constant 2; %1: u8<4x16> = read #0 %0, %0; %2: u8<1x8> = region %1[3| 8, 8, 1]; %9: u8<4x16> = constant 4; ",
        );
        let count = 20_000;
        for n in 10..count {
            text += &format!("%{n}: u8<4x16> = insert %{}[{}| 8, 8, 1], %2; ", n - 1, n * 11 % 53);
        }
        let function = kernel(&format!("{text} write #1 %0, %0, %{}: u8<4x16>;\n", count - 1));
        assert!(stacked(&function, Target::XeHpc, 8192).is_none());
    }
}
