//! Variables that a loop counts up or down, and their numbers in its iterations.
//!
//! A loop has a counter if each iteration requires a comparison with a bound. A number that is added to a variable once
//! per iteration (such as the counter's step) is then added a known number of times.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Block, Inst, Op, Value, Variable};
use crate::ops::MapKind;

/// A variable that is loaded in the iterations of a loop before the next number is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Its value in the first iteration.
    pub(super) start: Value,
    /// The number that is added in each iteration.
    pub(super) step: Step,
    /// The iterations of the loop.
    pub(super) rounds: Rounds,
}

impl Counted {
    /// Whether it has the numbers of the loop's counter.
    pub(super) fn is_counter(&self) -> bool {
        self.start == self.rounds.start && self.step == self.rounds.step
    }
}

/// The iterations of a loop: while the counter is below the bound, or above it if it counts down, or equal to it if the bound is
/// included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub(super) start: Value,
    pub(super) step: Step,
    /// The counter as it is compared: it may have been converted once.
    pub(super) counted: Value,
    pub(super) bound: Value,
    pub(super) inclusive: bool,
    /// The type of the comparison.
    pub(super) common: ElemType,
}

/// A number that is added to a variable in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) value: Value,
    /// The type of the sum.
    pub(super) common: ElemType,
    /// Whether it is subtracted.
    pub(super) down: bool,
}

/// The variables that loops count.
#[derive(Default)]
pub(super) struct Counters {
    /// The variables, by the loads in the iterations.
    pub(super) loads: FxHashMap<Value, Counted>,
    loops: FxHashMap<At, Rounds>,
}

impl Counters {
    /// The counted variables of a block and the blocks in it.
    pub(super) fn of(block: &Block) -> Self {
        let mut pass = Pass::default();
        pass.declared(block, None);
        pass.block(block, None);
        pass.found
    }

    /// The iterations of a counting loop.
    pub(super) fn rounds(&self, inst: &Inst) -> Option<&Rounds> {
        self.loops.get(&own(&inst.op)?)
    }
}

/// A loop, by the address of its first block.
type At = *const Block;

#[derive(Default)]
struct Pass<'a> {
    values: FxHashMap<Value, &'a Inst>,
    /// The initial values of variables, and the loop of the declaration.
    starts: FxHashMap<Variable, (Option<Value>, Option<At>)>,
    /// The number of stores to each variable.
    stores: FxHashMap<Variable, usize>,
    found: Counters,
}

impl<'a> Pass<'a> {
    /// Records the instructions of a block, inside or outside a loop.
    fn declared(&mut self, block: &'a Block, around: Option<At>) {
        for inst in &block.insts {
            self.values.extend(inst.result.map(|result| (result, inst)));
            match &inst.op {
                Op::Declare(variable, start) => _ = self.starts.insert(*variable, (*start, around)),
                Op::Store(variable, _) => *self.stores.entry(*variable).or_insert(0) += 1,
                op => op.blocks().for_each(|inner| self.declared(inner, own(op).or(around))),
            }
        }
    }

    fn block(&mut self, block: &'a Block, around: Option<At>) {
        for inst in &block.insts {
            self.count(inst, around);
            inst.op.blocks().for_each(|inner| self.block(inner, own(&inst.op).or(around)));
        }
    }

    /// Finds the counted variables of a loop, inside or outside another loop.
    fn count(&mut self, inst: &'a Inst, around: Option<At>) {
        let Op::Loop(head, condition, body) = &inst.op else { return };
        // The results of the condition are known only in the iterations: a number of it has to be used there.
        if head.instructions().any(|inst| matches!(inst.op, Op::Access { .. } | Op::Store(..))) {
            return;
        }
        let steps = body.insts.iter().enumerate();
        let steps: Vec<_> =
            steps.filter_map(|(at, inst)| Some((at, self.step(inst, (around, [head, body]))?))).collect();
        if steps.is_empty() {
            return;
        }
        let comparisons = self.comparisons(head, *condition);
        let found = steps.iter().find_map(|(_, counter)| {
            let rounds = comparisons.get(&(counter.variable, counter.step.down))?.rounds(counter);
            counter.end.is_none_or(|end| self.ends(&rounds, end)).then_some((counter.variable, rounds))
        });
        let Some((counter, rounds)) = found else { return };
        self.found.loops.insert(std::ptr::from_ref(head), rounds);
        for (at, Changed { variable, start, step, end }) in steps {
            if end.is_some() && variable != counter {
                continue;
            }
            let before = body.insts[..at]
                .iter()
                .flat_map(|inst| std::iter::once(inst).chain(inst.op.blocks().flat_map(Block::instructions)));
            for inst in head.instructions().chain(before) {
                if let (Op::Load(loaded), Some(result)) = (&inst.op, inst.result)
                    && *loaded == variable
                {
                    self.found.loads.insert(result, Counted { start, step, rounds });
                }
            }
        }
    }

    /// The number that this store adds to its variable in each iteration, if it is the only store, and if the variable
    /// is declared each time before the loop begins: not in the loop, but in all loops around it.
    fn step(&self, inst: &Inst, (around, blocks): (Option<At>, [&Block; 2])) -> Option<Changed> {
        let Op::Store(variable, stored) = inst.op else { return None };
        let (start, declared) = *self.starts.get(&variable)?;
        let start = start.filter(|_| declared == around && self.stores[&variable] == 1)?;
        // Sums wrap in the type of the variable, and may be computed in a longer one.
        let bytes = inst.ty.elem()?.bytes();
        let mut source = self.source(stored, bytes)?;
        let mut end = None;
        if let Op::Map { kind: MapKind::Merge, operands, .. } = &source.op
            && let &[_, sum, other] = &operands[..]
        {
            let same = self.values.get(&other)?.ty == inst.ty && source.ty == inst.ty;
            end = Some(other).filter(|_| same);
            end?;
            source = self.source(sum, bytes)?;
        }
        let Op::Map { kind, common, saturate: false, operands } = &source.op else { return None };
        if common.is_float() || common.bytes() < bytes {
            return None;
        }
        // A copy from before the loop is no number of this iteration.
        let loads = |x: Value| {
            self.source(x, bytes).is_some_and(|inst| {
                inst.op == Op::Load(variable) && blocks.iter().any(|block| has(block, inst))
            })
        };
        let (value, down) = match (kind, &operands[..]) {
            (MapKind::Add, &[a, b]) if loads(a) => (b, false),
            (MapKind::Add, &[a, b]) if loads(b) => (a, false),
            (MapKind::Sub, &[a, b]) if loads(a) => (b, true),
            _ => return None,
        };
        Some(Changed { variable, start, step: Step { value, common: *common, down }, end })
    }

    /// Whether a loop with these iterations ends where its counter has become this number. A loop goes on with elements of a vector
    /// that have become it, as long as others have not.
    fn ends(&self, rounds: &Rounds, end: Value) -> bool {
        let counter = self.values.get(&rounds.counted).filter(|inst| inst.ty.count() == 1);
        let direct = counter.is_some_and(|inst| matches!(inst.op, Op::Load(_)));
        direct && rounds.bound == end && !rounds.inclusive
    }

    /// The first comparison of each variable that the first block of a loop loads, in the order of a condition, for counting up
    /// and for counting down.
    fn comparisons(&self, head: &Block, condition: Value) -> FxHashMap<(Variable, bool), Comparison> {
        let own: FxHashSet<Value> = head.instructions().filter_map(|inst| inst.result).collect();
        let (mut found, mut seen, mut asked) = (FxHashMap::default(), FxHashSet::default(), vec![condition]);
        while let Some(value) = asked.pop() {
            let Some(inst) = self.values.get(&value).filter(|_| seen.insert(value)) else { continue };
            match &inst.op {
                Op::And(a, b) => asked.extend([*b, *a]),
                Op::Any(x) | Op::All(x) => {
                    for (counter, comparison) in self.comparison(*x, &own) {
                        found.entry(counter).or_insert(comparison);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The comparisons of variables that these values load: the smaller number counts up, the larger one down.
    fn comparison(&self, mask: Value, own: &FxHashSet<Value>) -> Vec<((Variable, bool), Comparison)> {
        let Some(Op::Map { kind, common, operands, .. }) = self.values.get(&mask).map(|inst| &inst.op) else {
            return vec![];
        };
        let &[a, b] = &operands[..] else { return vec![] };
        let (small, large, inclusive) = match kind {
            MapKind::Lt => (a, b, false),
            MapKind::Le => (a, b, true),
            MapKind::Gt => (b, a, false),
            MapKind::Ge => (b, a, true),
            _ => return vec![],
        };
        let counted = |counted: Value, bound: Value, down: bool| {
            let loaded = match &self.values.get(&counted)?.op {
                Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } => operands[0],
                _ => counted,
            };
            match self.values.get(&loaded)?.op {
                Op::Load(variable) if own.contains(&loaded) => {
                    Some(((variable, down), Comparison { counted, bound, inclusive, common: *common }))
                }
                _ => None,
            }
        };
        counted(small, large, false).into_iter().chain(counted(large, small, true)).collect()
    }

    /// The instruction from whose result a value is converted, by way of integers of at least this number of bytes.
    fn source(&self, value: Value, bytes: usize) -> Option<&'a Inst> {
        let mut inst = *self.values.get(&value)?;
        while let Op::Map { kind: MapKind::Convert, saturate: false, operands, .. } = &inst.op {
            let keeps = |elem: ElemType| !elem.is_float() && elem.bytes() >= bytes;
            inst.ty.elem().filter(|elem| keeps(*elem))?;
            inst = self.values.get(&operands[0])?;
        }
        Some(inst)
    }
}

/// A comparison of a variable with a bound.
struct Comparison {
    counted: Value,
    bound: Value,
    inclusive: bool,
    common: ElemType,
}

impl Comparison {
    /// The iterations that it allows for a counter.
    fn rounds(&self, counter: &Changed) -> Rounds {
        let Self { counted, bound, inclusive, common } = *self;
        let Changed { start, step, .. } = *counter;
        Rounds { start, step, counted, bound, inclusive, common }
    }
}

/// Whether an instruction is in a block or a block in it.
fn has(block: &Block, inst: &Inst) -> bool {
    block.instructions().any(|own| own.result.is_some() && own.result == inst.result)
}

/// The loop of this operation.
fn own(op: &Op) -> Option<At> {
    match op {
        Op::Loop(head, ..) => Some(std::ptr::from_ref(head)),
        _ => None,
    }
}

/// A variable to which a loop adds a number in each iteration.
struct Changed {
    variable: Variable,
    start: Value,
    step: Step,
    /// What is stored in place of the sum under a condition. It has to end the loop.
    end: Option<Value>,
}

#[cfg(test)]
mod tests {
    use super::super::analysis::summary_in;
    use crate::ir::{Function, Grid};
    use crate::text::parse;

    /// A kernel that writes a buffer, with the thread in `%90`, that times 256 in `%92`, and a number in `%93`.
    fn kernel(lines: &str) -> Function {
        let lines = lines.replace(';', " @0:1:1\n").replace("} while", "}\nwhile").replace("{ %", "{\n%");
        let text = format!(
            "file 0 \"k.rs\" kernel k(b: write buffer u32, n: u32) {{
                %90: u32 = thread x @0:1:1
                %91: u32 = constant 256 @0:1:1
                %92: u32 = mul.u32 %90, %91 @0:1:1
                %93: u32 = argument #1 @0:1:1
                %94: u32<1x16> = constant 0 @0:1:1
                %95: u32 = constant 64 @0:1:1
                %96: u32 = constant 1 @0:1:1
                {lines}
            }}"
        );
        parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Whether 4 threads are proven to write disjoint bytes of a buffer, 256 each, in a launch with this number.
    fn proven(lines: &str, n: u64) -> bool {
        let grid = Grid::single([4, 1, 1]);
        summary_in(&kernel(lines), grid, &[(1, n)]).segment(0, grid).is_some()
    }

    const HEAD: &str = "var $0: u32 = %92; %97: u32 = constant 0; var $1: u32 = %97;";
    const CONDITION: &str = "%1: u32 = load $1; %2: u16 = lt.u32 %1, %93; %3: condition = any %2;";
    const WRITE: &str = "%4: u32 = load $0; oword_write #0 %4, %94: u32<1x16>;";
    const ADD: &str = "%5: u32 = load $0; %6: u32 = add.u32 %5, %95; store $0, %6: u32;";
    const COUNT: &str = "%7: u32 = load $1; %8: u32 = add.u32 %7, %96; store $1, %8: u32;";

    fn looped(before: &str, body: &str) -> String {
        format!("{before} loop @0:1:1 {{ {CONDITION} }} while %3 {{ {body} }}")
    }

    #[test]
    fn copies_from_before_the_loop_are_no_counters() {
        let body = format!("{WRITE} {ADD} {COUNT}");
        let stale = "%1: u32 = load $1; %2: u16 = lt.u32 %1, %93; %3: condition = any %2;";
        let lines = format!("{HEAD} {stale} loop @0:1:1 {{ }} while %3 {{ {body} }}");
        assert!(!proven(&lines, 4), "the condition is the same in every round");
        let (copy, add) = ADD.split_at(ADD.find("%6").expect("a sum"));
        let lines = looped(&format!("{HEAD} {copy}"), &format!("{WRITE} {add} {COUNT}"));
        assert!(!proven(&lines, 4), "the sum is the same in every round");
    }

    #[test]
    fn rounds_are_counted() {
        let lines = looped(HEAD, &format!("{WRITE} {ADD} {COUNT}"));
        assert!(proven(&lines, 4) && proven(&lines, 1) && proven(&lines, 0));
        assert!(!proven(&lines, 5), "the fifth round writes what is the next thread's");
        // By the counter.
        let by_counter = "%9: u32 = mul.u32 %1, %95; %10: u32 = add.u32 %9, %92;
             oword_write #0 %10, %94: u32<1x16>;";
        let lines = looped(HEAD, &format!("{by_counter} {COUNT}"));
        assert!(proven(&lines, 4) && !proven(&lines, 5));
        assert!(!proven(&lines, 0xffff_ffff), "more rounds than there are numbers");
    }

    #[test]
    fn what_is_not_added_once_a_round_is_not_counted() {
        let twice = looped(HEAD, &format!("{WRITE} {ADD} {COUNT} store $0, %92: u32;"));
        assert!(!proven(&twice, 4));
        let behind = looped(HEAD, &format!("{ADD} {WRITE} {COUNT}"));
        assert!(proven(&behind, 4) && !proven(&behind, 5), "all begin with the second 64 bytes");
        let under_a_condition = format!("{WRITE} if %3 @0:1:1 {{ {ADD} }} {COUNT}");
        assert!(!proven(&looped(HEAD, &under_a_condition), 4));
    }

    /// A condition may have any number of parts, each of them any number of times, and a sum may be converted as often.
    #[test]
    fn long_conditions_and_conversions_are_followed() {
        let with = |conditions: &str, last: usize, count: &str| {
            let lines = looped(HEAD, &format!("{WRITE} {ADD} {count}"));
            lines
                .replace("any %2; }", &format!("any %2; {conditions} }}"))
                .replace("while %3", &format!("while %{last}"))
        };
        let parts = |count: usize, other: fn(usize) -> usize| -> String {
            (1000..1000 + count)
                .map(|n| {
                    format!("%{n}: condition = and %{}, %{};", if n == 1000 { 3 } else { n - 1 }, other(n))
                })
                .collect()
        };
        let twice = with(&parts(100, |n| if n == 1000 { 3 } else { n - 1 }), 1099, COUNT);
        assert!(proven(&twice, 4) && !proven(&twice, 5));
        let long = with(&parts(100_000, |_| 3), 100_999, COUNT);
        assert!(proven(&long, 4) && !proven(&long, 5));
        let (add, store) = COUNT.split_at(COUNT.find("store").expect("a store"));
        let conversions: String = (1000..101_000)
            .map(|n| format!("%{n}: u32 = convert %{};", if n == 1000 { 8 } else { n - 1 }))
            .collect();
        let converted = with("", 3, &format!("{add} {conversions} {}", store.replace("%8", "%100999")));
        assert!(proven(&converted, 4) && !proven(&converted, 5));
    }

    /// In nested loops only variables that are declared in each iteration of the outer loop count.
    #[test]
    fn rounds_of_several_loops_are_not_mixed_up() {
        let outer = |before: &str, inside: &str| {
            let inner = looped(inside, &format!("{WRITE} {ADD} {COUNT}"));
            format!(
                "{before} var $9: u32 = %96;
                 loop @0:1:1 {{ %50: u32 = load $9; %51: u16 = lt.u32 %50, %93; %52: condition = any %51; }}
                 while %52 {{ {inner} %53: u32 = load $9; %54: u32 = add.u32 %53, %96; store $9, %54: u32; }}"
            )
        };
        let (place, count) = ("var $0: u32 = %92;", "%97: u32 = constant 0; var $1: u32 = %97;");
        assert!(proven(&outer("", HEAD), 4));
        assert!(!proven(&outer(place, count), 4), "the place goes on from round to round");
        assert!(!proven(&outer(HEAD, ""), 4), "so does all of it");
    }

    /// A loop in which a thread begins with its own number times `first`, and goes on by `step` while it is below the
    /// argument. The body stores `next` in the variable, whose value it knows as `%61` and to which it adds `%62`.
    fn strided(first: i64, step: i64, elem: &str, next: &str) -> String {
        let (first, step) = (first as u32, step as u32);
        format!(
            "%50: u32 = constant {first}; %51: u32 = mul.u32 %90, %50; %52: {elem} = convert %51;
             var $0: {elem} = %52;
             loop @0:1:1 {{ %1: {elem} = load $0; %2: u16 = lt.u32 %1, %93; %3: condition = any %2; }} while %3 {{
             %4: u32 = convert %1; oword_write #0 %4, %94: u32<1x16>;
             %61: {elem} = load $0; %62: u32 = constant {step}; {next} }}"
        )
    }

    const NEXT: &str = "%63: u32 = add.u32 %61, %62; store $0, %63: u32;";

    /// Each of 4 threads writes every fourth block of 64 bytes.
    #[test]
    fn counters_may_start_at_the_thread() {
        let loops = |first, step| strided(first, step, "u32", NEXT);
        for n in [0, 1, 64, 255, 256, 257, 1000, 4096] {
            assert!(proven(&loops(64, 256), n), "{n}");
            assert!(proven(&loops(80, 320), n), "with gaps, {n}");
        }
        assert!(proven(&loops(64, 128), 64), "one round");
        for (first, step) in
            [(64, 252), (64, 64), (60, 256), (0, 256), (64, 16), (128, 256), (64, 0), (64, -256)]
        {
            assert!(!proven(&loops(first, step), 1024), "{first} {step}");
        }
    }

    /// The threads of a group write blocks of a row in turn, up to its end: not all write as many.
    #[test]
    fn counters_end_where_the_part_of_the_group_ends() {
        let loops = |end: i64, condition: &str| {
            format!(
                "%70: u32 = thread group_x; %71: u32 = constant 640; %72: u32 = mul.u32 %70, %71;
                 %73: u32 = thread local_x; %74: u32 = mul.u32 %73, %95; %75: u32 = add.u32 %72, %74;
                 %76: u32 = constant {}; %77: u32 = add.u32 %72, %76; %78: u32 = constant 256; var $0: u32 = %75;
                 loop @0:1:1 {{ %1: u32 = load $0; %2: u16 = {condition}.u32 %1, %77; %3: condition = any %2; }}
                 while %3 {{ %5: u32 = constant 0; %6: u32 = sub.u32 %1, %5;
                 oword_write #0 %6, %94: u32<1x16>;
                 %61: u32 = load $0; %63: u32 = add.u32 %61, %78; store $0, %63: u32; }}",
                end as u32
            )
        };
        let grid = Grid { groups: [3, 1, 1], local: [4, 1, 1] };
        let proven = |lines: &str| summary_in(&kernel(lines), grid, &[]).segment(0, grid).is_some();
        for end in [640, 577, 576, 400, 65, 64, 1, 0] {
            assert!(proven(&loops(end, "lt")), "{end}");
        }
        assert!(!proven(&loops(641, "lt")) && !proven(&loops(640, "le")));
        assert!(proven(&loops(639, "le")) && proven(&loops(576, "le")));
        // Half of the numbers, and twice the numbers.
        let half = |end| loops(end, "lt").replace("sub.u32 %1, %5", "div.u32 %1, %9");
        let with = |lines: String, n: u32| format!("%9: u32 = constant {n}; {lines}");
        assert!(!proven(&with(half(640), 2)), "blocks of 64 bytes, 32 apart");
        let twice = |end| loops(end, "lt").replace("sub.u32 %1, %5", "mul.u32 %1, %9");
        assert!(proven(&with(twice(640), 2)) && !proven(&with(twice(641), 2)));
    }

    /// A loop that counts down to a bound, which may be a condition that reads either way.
    #[test]
    fn counters_may_count_down() {
        let loops = |first: &str, by: i64, condition: &str| {
            format!(
                "%70: u32 = constant {}; %71: u32 = add.u32 {first}, %92; var $0: u32 = %71;
                 loop @0:1:1 {{ %1: u32 = load $0; %2: u16 = {condition}; %3: condition = any %2; }} while %3 {{
                 oword_write #0 %1, %94: u32<1x16>;
                 %61: u32 = load $0; %62: u32 = sub.u32 %61, %70; store $0, %62: u32; }}",
                by as u32
            )
        };
        // From the last block of the thread to its first one.
        let by_thread = |condition| loops("%93", 64, condition);
        for condition in ["gt.u32 %1, %92", "lt.u32 %92, %1", "gt.i32 %1, %92"] {
            let lines = by_thread(condition);
            assert!(proven(&lines, 192) && proven(&lines, 256) && !proven(&lines, 320), "{condition}");
        }
        assert!(proven(&by_thread("ge.i32 %1, %92"), 192) && !proven(&by_thread("ge.i32 %1, %92"), 256));
        assert!(!proven(&by_thread("ge.u32 %1, %92"), 192), "no unsigned number is below 0");
        assert!(!proven(&by_thread("lt.u32 %1, %92"), 192), "the loop ends below, not above");
        assert!(!proven(&loops("%93", -64, "gt.i32 %1, %92"), 192), "it counts up");
    }

    /// A condition may compare with the other end, too.
    #[test]
    fn conditions_may_have_two_ends() {
        let both = "%1: u32 = load $1; %12: u16 = le.i32 %97, %1; %13: condition = any %12; %2: u16 = lt.u32 %1, %93;
             %14: condition = any %2; %3: condition = and %13, %14;";
        let lines = looped(HEAD, &format!("{WRITE} {ADD} {COUNT}")).replace(CONDITION, both);
        assert!(proven(&lines, 4) && !proven(&lines, 5));
    }

    /// Some lanes of a counter that is a vector go on behind the bound, as long as others have not reached it.
    #[test]
    fn lanes_of_counters_may_pass_the_bound() {
        let lines = |end: u32, width: u32, any: &str| {
            format!(
                "%70: u32 = thread group_x; %71: u32 = constant {width}; %72: u32 = mul.u32 %70, %71;
                 %73: u32<1x4> = splat %72; %74: u32<1x4> = constant [0, 16, 32, 48]; %75: u32<1x4> = add.u32 %73, %74;
                 %76: u32<1x4> = constant {end}; %77: u32<1x4> = add.u32 %73, %76; %78: u32<1x4> = constant 64;
                 var $0: u32<1x4> = %75;
                 loop @0:1:1 {{ %1: u32<1x4> = load $0; %2: u16<1x4> = lt.u32 %1, %77; %3: condition = {any} %2; }}
                 while %3 {{ scatter #0 %1, %74: u32<1x4>;
                 %61: u32<1x4> = load $0; %63: u32<1x4> = add.u32 %61, %78; store $0, %63: u32<1x4>; }}"
            )
        };
        let grid = Grid::single([3, 1, 1]);
        let proven = |lines: &str| summary_in(&kernel(lines), grid, &[]).segment(0, grid).is_some();
        assert!(
            proven(&lines(100, 113, "any")) && !proven(&lines(100, 112, "any")),
            "element 112 is written"
        );
    }

    /// Without the argument, the rounds are not known.
    #[test]
    fn rounds_without_a_bound_are_not_counted() {
        let (function, grid) = (kernel(&strided(64, 256, "u32", NEXT)), Grid::single([4, 1, 1]));
        let with = |arguments: &[(usize, u64)]| summary_in(&function, grid, arguments).segment(0, grid);
        assert!(with(&[(1, 1024)]).is_some() && with(&[]).is_none());
    }

    /// A counter or an offset that wraps may come back to the blocks of another thread.
    #[test]
    fn counters_that_wrap_are_not_followed() {
        let loops = strided(64, 256, "u32", NEXT);
        assert!(proven(&loops, 0x7fff_0000) && !proven(&loops, 0x7fff_ff80) && !proven(&loops, 0xffff_ff00));
        // The offset is 32 bits of a product.
        let product = |factor: u32| {
            strided(64, 256, "u32", NEXT).replace(
                "oword_write #0 %4,",
                &format!("%5: u32 = constant {factor}; %6: u32 = mul.u32 %4, %5; oword_write #0 %6,"),
            )
        };
        assert!(proven(&product(4), 0x1fff_0000) && !proven(&product(4), 0x2000_0100));
        assert!(!proven(&product(0x0100_0000), 1024), "all blocks begin at 0");
        // A counter of 16 bits, and one that loses bits in each round or where it is compared.
        let short = |next: &str| strided(64, 256, "u16", next);
        let narrowed = "%63: u32 = add.u32 %61, %62; %64: u16 = convert %63; store $0, %64: u16;";
        assert!(proven(&short(narrowed), 0xfe00) && !proven(&short(narrowed), 0xffff));
        let cut = "%64: u16 = convert %61; %63: u32 = add.u32 %64, %62; store $0, %63: u32;";
        assert!(!proven(&strided(64, 256, "u32", cut), 1024), "a sum of 16 bits");
        let cut = "%63: u32 = add.u32 %61, %62; %64: u16 = convert %63; %65: u32 = convert %64;
             store $0, %65: u32;";
        assert!(!proven(&strided(64, 256, "u32", cut), 1024), "16 bits of the sum");
        let compared = loops.replace("lt.u32 %1, %93;", "lt.u32 %8, %93;");
        let compared = compared.replace("%2: u16", "%7: u8 = convert %1; %8: u32 = convert %7; %2: u16");
        assert!(!proven(&compared, 1024), "a comparison of 8 bits");
    }

    /// A counter that becomes the bound where it would wrap: then the loop ends.
    #[test]
    fn counters_may_become_the_bound() {
        let merged = |end: &str, condition: &str| {
            let next = format!(
                "%63: u32 = add.u32 %61, %62; %64: u16 = gt.u32 %63, %61; %65: u32 = merge %64, %63, {end};
                 store $0, %65: u32;"
            );
            strided(64, 256, "u32", &next).replace("lt.u32 %1, %93;", condition)
        };
        let by_bound = merged("%93", "lt.u32 %1, %93;");
        assert!(proven(&by_bound, 1024) && proven(&by_bound, 257));
        for end in ["%90", "%92", "%95"] {
            assert!(!proven(&merged(end, "lt.u32 %1, %93;"), 1024), "{end} may be in the range");
        }
        assert!(!proven(&merged("%93", "le.u32 %1, %93;"), 1024), "the bound is in the range");
        let other =
            "%63: u32 = add.u32 %61, %62; %64: u16 = gt.u32 %63, %61; %65: u32 = merge %64, %63, %93;";
        let counted = "%7: u32 = load $1; %8: u32 = add.u32 %7, %96; store $1, %8: u32;";
        let place = strided(64, 256, "u32", &format!("{other} store $0, %65: u32; {counted}"))
            .replace("var $0", "%97: u32 = constant 0; var $1: u32 = %97; var $0")
            .replace("lt.u32 %1, %93;", "lt.u32 %9, %93;")
            .replace("%2: u16", "%9: u32 = load $1; %2: u16");
        assert!(!proven(&place, 4), "the bound of another counter");
    }

    #[test]
    fn counters_that_change_in_other_ways_are_not_followed() {
        let loops = |next: &str| strided(64, 256, "u32", next);
        let twice = format!("{NEXT} %65: u32 = load $0; %66: u32 = add.u32 %65, %62; store $0, %66: u32;");
        assert!(!proven(&loops(&twice), 1024));
        let sometimes = format!("if %3 @0:1:1 {{ {NEXT} }}");
        assert!(!proven(&loops(&sometimes), 1024));
        let by_thread = "%63: u32 = add.u32 %61, %90; store $0, %63: u32;";
        assert!(!proven(&loops(by_thread), 1024), "the step of each thread");
        let by_itself = "%63: u32 = add.u32 %61, %61; store $0, %63: u32;";
        assert!(!proven(&loops(by_itself), 1024), "a growing step");
        let times = "%63: u32 = mul.u32 %61, %62; store $0, %63: u32;";
        assert!(!proven(&loops(times), 1024));
    }
}
