//! Computes the last steps of several reductions at once.
//!
//! A reduction combines halves of a register until one element is left, so its last steps use only a few lanes of an
//! instruction. If a kernel reduces several registers in the same way (for example, the rows of a matrix), what is left of
//! them becomes the rows of one register, and each further step combines the halves of all rows. What is then done alike
//! with all numbers is done with the register of the numbers. The order in which elements are combined stays the same.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Operands, Region, Type, Value};
use crate::ops::MapKind;

use super::expand::{Expansion, fits, uses};
use super::target::Target;

/// The most reductions that are computed at once.
const ROWS: usize = 16;
/// Elements of an instruction.
const LANES: usize = 32;

/// The kernel with joint reductions; `None` if there are none, or if registers might become scarce.
pub(super) fn joined(function: &Function, form: Target, budget: usize) -> Option<Function> {
    let mut pass = Pass {
        form,
        insts: Expansion::of(function)?,
        types: FxHashMap::default(),
        sizes: FxHashSet::default(),
        constants: FxHashMap::default(),
        uses: uses(&function.body),
        changed: false,
    };
    for inst in function.body.instructions() {
        match (&inst.op, inst.result) {
            (Op::Constant(Bits::Splat(bits)), Some(result)) => {
                pass.constants.insert(result, (inst.ty, *bits));
            }
            (Op::Map { kind: MapKind::Abs, .. }, result) => pass.sizes.extend(result),
            (Op::Map { kind: MapKind::Convert, operands, .. }, Some(result))
                if pass.sizes.contains(&operands[0]) =>
            {
                pass.sizes.insert(result);
            }
            _ => {}
        }
        pass.types.extend(inst.result.map(|result| (result, inst.ty)));
    }
    let joined = Function { body: pass.block(&function.body), ..function.clone() };
    (pass.changed && fits(&joined, budget)).then_some(joined)
}

/// What reductions must have in common.
#[derive(Clone, Copy, PartialEq)]
struct Alike {
    kind: MapKind,
    common: ElemType,
    /// The type of the elements, and how many there are.
    elem: ElemType,
    count: usize,
}

/// Reductions of a block that can be computed at once.
struct Group {
    alike: Alike,
    /// Their places in the block.
    places: Vec<usize>,
    /// The instructions up to the last one that use their results.
    late: FxHashSet<usize>,
}

struct Pass {
    form: Target,
    /// The instructions of the joint reductions.
    insts: Expansion,
    types: FxHashMap<Value, Type>,
    /// The absolute values, which are operand modifiers where a reduction adds them.
    sizes: FxHashSet<Value>,
    /// The elements of constants.
    constants: FxHashMap<Value, (Type, u64)>,
    uses: FxHashMap<Value, usize>,
    changed: bool,
}

impl Pass {
    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        let mut n = 0;
        while n < insts.len() {
            match self.group(&insts, n) {
                Some(group) => {
                    insts = self.join(&insts, &group);
                    self.changed = true;
                }
                None => {
                    if let Some(made) = self.first_step(&insts[n]) {
                        insts.splice(n..=n, made);
                        self.changed = true;
                    }
                    n += 1;
                }
            }
        }
        Block { insts }
    }

    /// A reduction of elements that are shorter than the number, with its first step apart: this step extends them, so that
    /// they are not extended before.
    fn first_step(&mut self, inst: &Inst) -> Option<Vec<Inst>> {
        let alike = self.alike(inst)?;
        let Op::Reduce { kind, common, operand } = inst.op else { return None };
        if alike.elem.bytes() >= common.bytes() || alike.count < 2 * LANES {
            return None;
        }
        let (made, ()) = self.insts.at(&inst.location, |made| {
            let half = halved(made, alike, operand, alike.count / 2);
            made.push(Op::Reduce { kind, common, operand: half }, inst.result, inst.ty);
        });
        self.types.extend(made.iter().filter_map(|inst| Some((inst.result?, inst.ty))));
        Some(made)
    }

    fn alike(&self, inst: &Inst) -> Option<Alike> {
        let Op::Reduce { kind, common, operand } = inst.op else { return None };
        let ty = self.types.get(&operand)?;
        let (elem, count) = (ty.elem()?, ty.count());
        // Rows of bytes and of 64-bit elements would be moved one by one.
        let sizes = [2, 4].contains(&common.bytes()) && elem.bytes() <= 4;
        let apart = !self.sizes.contains(&operand);
        (sizes && apart && count > 1 && count.is_power_of_two()).then_some(Alike {
            kind,
            common,
            elem,
            count,
        })
    }

    /// The elements of an instruction whose operands are halves of rows: these are in two registers.
    fn lanes_of_rows(&self, elem: ElemType) -> usize {
        (self.form.register_bytes() / elem.bytes()).min(LANES)
    }

    /// The length of the rows from which on several are combined at once.
    fn width(&self, alike: Alike) -> usize {
        self.lanes_of_rows(alike.common).min(alike.count)
    }

    /// How many instructions `rows` joint reductions save.
    fn gain(&self, alike: Alike, rows: usize, copied: bool) -> i64 {
        let lanes = self.lanes_of_rows(alike.common);
        let steps =
            std::iter::successors(Some(self.width(alike) / 2), |n| Some(n / 2)).take_while(|n| *n > 0);
        let saved: usize = steps.map(|left| rows - (rows * left).div_ceil(lanes)).sum();
        saved as i64 - if copied { rows as i64 } else { 0 }
    }

    /// The reductions that can be computed together with this one.
    fn group(&self, insts: &[Inst], first: usize) -> Option<Group> {
        let alike = self.alike(&insts[first])?;
        let mut results: FxHashSet<Value> = insts[first].result.into_iter().collect();
        let (mut places, mut late, mut waiting) = (vec![first], FxHashSet::default(), vec![]);
        for (n, inst) in insts.iter().enumerate().skip(first + 1) {
            let uses = inst.op.operands().iter().any(|x| results.contains(x));
            if inst.op.blocks().next().is_some() || places.len() == ROWS {
                break;
            }
            if uses {
                if !is_movable(&inst.op) {
                    break;
                }
                waiting.push(n);
                results.extend(inst.result);
            } else if self.alike(inst) == Some(alike) {
                places.push(n);
                results.extend(inst.result);
                late.extend(waiting.drain(..));
            }
        }
        let rows = 1 << places.len().ilog2();
        if rows == 1 {
            return None;
        }
        places.truncate(rows);
        late.retain(|n| *n < places[rows - 1]);
        let copied = self.width(alike) == alike.count && self.regions(insts, &places, alike).is_none();
        (self.gain(alike, rows, copied) > 0).then_some(Group { alike, places, late })
    }

    /// The region of all operands, if they are evenly spaced parts of one register.
    fn regions(&self, insts: &[Inst], places: &[usize], alike: Alike) -> Option<(Value, Region)> {
        let defs: FxHashMap<Value, &Op> =
            insts.iter().filter_map(|inst| Some((inst.result?, &inst.op))).collect();
        let part = |place: &usize| match insts[*place].op {
            Op::Reduce { operand, .. } => match defs.get(&operand)? {
                Op::Region(x, region) => Some((*x, *region)),
                _ => None,
            },
            _ => None,
        };
        let parts: Vec<(Value, Region)> = places.iter().map(part).collect::<Option<_>>()?;
        let (x, first) = parts[0];
        let step = parts.get(1)?.1.offset.checked_sub(first.offset).filter(|step| *step >= alike.count)?;
        let evenly = |(n, (own, region)): (usize, &(Value, Region))| {
            *own == x
                && region.dynamic.is_none()
                && region.is_contiguous(alike.count)
                && region.offset == first.offset + n * step
        };
        let all = parts.iter().enumerate().all(evenly);
        all.then_some((x, Region { row_stride: step, ..Region::contiguous(first.offset, alike.count) }))
    }

    /// The block with these reductions computed at once.
    fn join(&mut self, insts: &[Inst], group: &Group) -> Vec<Inst> {
        let (alike, rows, width) = (group.alike, group.places.len(), self.width(group.alike));
        let whole = (width == alike.count).then(|| self.regions(insts, &group.places, alike)).flatten();
        let last = group.places[rows - 1];
        let (mut all, mut parts) = (vec![], vec![]);
        for (n, inst) in insts.iter().enumerate().take(last + 1) {
            match &inst.op {
                Op::Reduce { operand, .. } if group.places.contains(&n) => {
                    let (made, part) = self.insts.at(&inst.location, |made| match whole {
                        Some(_) => *operand,
                        None => halved(made, alike, *operand, width),
                    });
                    all.extend(made);
                    parts.push(part);
                }
                _ if group.late.contains(&n) => {}
                _ => all.push(inst.clone()),
            }
        }
        let elem = if width == alike.count { alike.elem } else { alike.common };
        let (made, numbers) = self.insts.at(&insts[last].location, |made| {
            let ty = Type::new(elem, rows, width);
            let joined = match whole {
                Some((x, region)) => made.emit(Op::Region(x, region), ty),
                None => parts.iter().enumerate().fold(made.undefined(ty), |joined, (row, part)| {
                    made.emit(Op::Insert(joined, Region::contiguous(row * width, width), *part), ty)
                }),
            };
            combined(made, alike, joined, (rows, width))
        });
        all.extend(made);
        let results: Vec<Value> = group.places.iter().filter_map(|n| insts[*n].result).collect();
        let mut rest: Vec<Inst> = insts[..last]
            .iter()
            .enumerate()
            .filter(|(n, _)| group.late.contains(n))
            .map(|(_, x)| x.clone())
            .collect();
        rest.extend_from_slice(&insts[last + 1..]);
        self.types.extend(all.iter().filter_map(|inst| Some((inst.result?, inst.ty))));
        let numbers = Numbers { register: numbers, elem: alike.common, each: results };
        self.use_numbers(all, rest, numbers)
    }

    /// Adds the instructions after joint reductions. As long as all numbers are used alike, the register of the numbers is
    /// used instead.
    fn use_numbers(&mut self, mut all: Vec<Inst>, mut rest: Vec<Inst>, mut numbers: Numbers) -> Vec<Inst> {
        while let Some((users, next)) = self.alike_users(&rest, &numbers) {
            let ty = Type::new(next, 1, numbers.each.len());
            let inst = rest[users[0]].clone();
            let Op::Map { kind, common, saturate, operands } = inst.op else { break };
            let (made, register) = self.insts.at(&inst.location, |made| {
                let own = |x: &Value| {
                    if *x == numbers.each[0] {
                        return numbers.register;
                    }
                    let repeated = |scalar: Type| Type { columns: ty.columns, ..scalar };
                    match self.constants.get(x) {
                        Some((scalar, bits)) => made.constant(*bits, repeated(*scalar)),
                        None => made.splat(*x, repeated(self.types[x])),
                    }
                };
                let operands: Vec<Value> = operands.iter().map(own).collect();
                made.emit(Op::Map { kind, common, saturate, operands: Operands::new(&operands) }, ty)
            });
            self.types.extend(made.iter().filter_map(|inst| Some((inst.result?, inst.ty))));
            all.extend(made);
            let each = users.iter().filter_map(|n| rest[*n].result).collect();
            let mut n = 0;
            rest.retain(|_| (!users.contains(&n), n += 1).0);
            numbers = Numbers { register, elem: next, each };
        }
        match self.inserted(&rest, &numbers) {
            Some((chain, base, region)) => {
                let last = chain[chain.len() - 1];
                let whole = Op::Insert(base, region, numbers.register);
                rest[last].op = whole;
                let mut n = 0;
                rest.retain(|_| (n == last || !chain.contains(&n), n += 1).0);
            }
            None => {
                let location = all.last().or(rest.first()).map(|inst| inst.location.clone());
                let scalar = Type::scalar(numbers.elem);
                if let Some(location) = location {
                    let (made, ()) = self.insts.at(&location, |made| {
                        for (row, number) in numbers.each.iter().enumerate() {
                            let region = Region::contiguous(row, 1);
                            made.push(Op::Region(numbers.register, region), Some(*number), scalar);
                        }
                    });
                    all.extend(made);
                }
            }
        }
        all.extend(rest);
        all
    }

    /// The places of the only instructions that use the numbers, and the type of their results, if they are the same
    /// operation with the same other operands.
    fn alike_users(&self, rest: &[Inst], numbers: &Numbers) -> Option<(Vec<usize>, ElemType)> {
        let later: FxHashSet<Value> = rest.iter().filter_map(|inst| inst.result).collect();
        let constant = |x: &Value| self.constants.get(x);
        let mut users = vec![];
        for number in &numbers.each {
            if self.uses.get(number) != Some(&1) {
                return None;
            }
            users.push(rest.iter().position(|inst| inst.op.operands().contains(number))?);
        }
        let user = |n: usize| match &rest[users[n]].op {
            Op::Map { kind, common, saturate, operands } => Some((*kind, *common, *saturate, *operands)),
            _ => None,
        };
        let first = user(0)?;
        if first.3.iter().filter(|x| numbers.each.contains(x)).count() != 1 {
            return None;
        }
        for n in 0..users.len() {
            let own = user(n)?;
            if (own.0, own.1, own.2, own.3.len()) != (first.0, first.1, first.2, first.3.len()) {
                return None;
            }
            for (x, y) in own.3.iter().zip(first.3.iter()) {
                let number = *x == numbers.each[n] && *y == numbers.each[0];
                let outer = x == y && !later.contains(x) && !numbers.each.contains(x);
                let known = constant(x).is_some() && constant(x) == constant(y);
                if !(number || outer || known) {
                    return None;
                }
            }
        }
        Some((users.clone(), rest[users[0]].ty.elem()?))
    }

    /// The places of the instructions that insert the numbers one after the other into a register, that register, and the
    /// region of all numbers.
    fn inserted(&self, rest: &[Inst], numbers: &Numbers) -> Option<(Vec<usize>, Value, Region)> {
        let (mut chain, mut base, mut before) = (vec![], None, None);
        let mut offsets = vec![];
        for number in &numbers.each {
            let place = rest.iter().position(|inst| inst.op.operands().contains(number))?;
            let Op::Insert(x, region, value) = rest[place].op else { return None };
            let next = before.is_none_or(|before| before == x && self.uses.get(&x) == Some(&1));
            if self.uses.get(number) != Some(&1) || value != *number || region.dynamic.is_some() || !next {
                return None;
            }
            base = base.or(Some(x));
            before = rest[place].result;
            chain.push(place);
            offsets.push(region.offset);
        }
        let step = offsets.get(1)?.checked_sub(offsets[0]).filter(|step| [1, 2, 4].contains(step))?;
        let evenly = offsets.windows(2).all(|pair| pair[0] + step == pair[1]);
        let count = offsets.len();
        let region =
            Region { row_stride: count * step, column_stride: step, ..Region::contiguous(offsets[0], count) };
        evenly.then_some((chain, base?, region))
    }
}

/// The results of joint reductions, or of what was done alike with all of them.
struct Numbers {
    /// The register of all.
    register: Value,
    elem: ElemType,
    /// The scalars that it replaces.
    each: Vec<Value>,
}

/// Whether an instruction may move down past others.
fn is_movable(op: &Op) -> bool {
    matches!(
        op,
        Op::Map { .. }
            | Op::Group { .. }
            | Op::Region(..)
            | Op::Insert(..)
            | Op::Splat(_)
            | Op::Format(_)
            | Op::Reduce { .. }
    )
}

/// What is left of a reduction when `width` elements are left.
fn halved(made: &mut Expansion, alike: Alike, operand: Value, width: usize) -> Value {
    let (mut x, mut elem, mut left) = (operand, alike.elem, alike.count);
    while left > width {
        left /= 2;
        let ty = Type::new(elem, 1, left);
        let halves = [0, left].map(|at| made.emit(Op::Region(x, Region::contiguous(at, left)), ty));
        elem = alike.common;
        x = made.map(alike.kind, elem, &halves, Type::new(elem, 1, left));
    }
    x
}

/// Combines the elements of each row of a register.
fn combined(made: &mut Expansion, alike: Alike, rows: Value, (count, width): (usize, usize)) -> Value {
    let (mut x, mut left) = (rows, width);
    let mut elem = if width == alike.count { alike.elem } else { alike.common };
    while left > 1 {
        let region = |at: usize| Region {
            offset: at,
            dynamic: None,
            row_stride: left,
            width: left / 2,
            column_stride: 1,
        };
        let ty = |elem| if left > 2 { Type::new(elem, count, left / 2) } else { Type::new(elem, 1, count) };
        let halves = [0, left / 2].map(|at| made.emit(Op::Region(x, region(at)), ty(elem)));
        elem = alike.common;
        x = made.map(alike.kind, elem, &halves, ty(elem));
        left /= 2;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::super::alike::{assert_alike, kernel};
    use super::*;
    use crate::spirv::RegisterFile;

    /// The kernel of these lines with joint reductions; `None` if it does not change. `%1` has bytes, `%2` words, and `%3`
    /// floats, of eight rows of 32.
    fn lines(lines: &str) -> Option<Function> {
        let function = kernel(&format!(
            "%0: i32 = constant 2; %1: u8<8x32> = read #0 %0, %0; %2: i16<8x32> = convert %1; %3: f32<8x32> = convert %1;
             %4: f32<1x8> = constant 3; %5: i32<1x8> = constant 5; {lines}\n"
        ));
        let budget = RegisterFile::Standard.registers() * Target::Gen9.register_bytes();
        let joined = joined(&function, Target::Gen9, budget)?;
        assert_alike(&function, &joined);
        Some(joined)
    }

    fn reductions(function: &Function) -> usize {
        function.body.instructions().filter(|inst| matches!(inst.op, Op::Reduce { .. })).count()
    }

    /// Reduces the first `count` of eight rows of `width` elements of `x`, applies `of` to each number `%r`, which gives `%o`,
    /// and inserts it into `whole` at `place`.
    fn rows(
        (x, elem, width): (&str, &str, usize),
        reduce: &str,
        of: &str,
        place: [usize; 2],
        count: usize,
    ) -> String {
        let common = reduce.split('.').next_back().unwrap();
        let mut whole = if common == "f32" { 4 } else { 5 };
        let mut text = String::new();
        for row in 0..count {
            let first = 10 * (row + 1);
            let of = of.replace("%r", &format!("%{}", first + 1)).replace("%o", &format!("%{}", first + 5));
            let of = (2..5).fold(of, |of, n| of.replace(&format!("%n{n}"), &format!("%{}", first + n)));
            let at = row * 32;
            text += &format!(
                "%{first}: {elem}<1x{width}> = region {x}[{at}| {width}, {width}, 1];
                 %{}: {common} = reduce {reduce} %{first}; {of}
                 %{}: {common}<1x8> = insert %{whole}[{}| 1, 1, 1], %{}; ",
                first + 1,
                first + 9,
                place[0] + row * place[1],
                first + 5,
            );
            whole = first + 9;
        }
        text + &format!("write #1 %0, %0, %{whole}: {common}<1x8>;")
    }

    const FLOATS: (&str, &str, usize) = ("%3", "f32", 32);

    #[test]
    fn rows_are_reduced_at_once() {
        let of = "%n2: f32 = constant 0.5; %o: f32 = mul.f32 %r, %n2;";
        let joined = lines(&rows(FLOATS, "add.f32", of, [0, 1], 8)).unwrap();
        assert_eq!(reductions(&joined), 0, "{joined}");
        let scalars = joined.body.instructions().filter(|inst| inst.ty == Type::scalar(ElemType::F32));
        assert!(scalars.count() <= 1 + 8, "what is done alike is done at once: {joined}");
        let whole = |inst: &&Inst| matches!(inst.op, Op::Insert(x, ..) if x == Value(4));
        assert_eq!(joined.body.instructions().filter(whole).count(), 1, "{joined}");
    }

    #[test]
    fn all_operations_and_lengths_give_the_same_numbers() {
        let of = "%o: COMMON = add.COMMON %r, %r;";
        for (x, reduce) in [
            (FLOATS, "max.f32"),
            (FLOATS, "mul.f32"),
            (("%3", "f32", 8), "add.f32"),
            (("%3", "f32", 16), "min.f32"),
            (("%2", "i16", 32), "add.i32"),
            (("%2", "i16", 8), "min.i32"),
            (("%1", "u8", 32), "add.i32"),
            (("%1", "u8", 16), "max.i32"),
        ] {
            let of = of.replace("COMMON", reduce.split('.').next_back().unwrap());
            for (place, count) in [([0, 1], 8), ([1, 2], 3), ([7, 0], 4), ([0, 1], 6)] {
                let joined = lines(&rows(x, reduce, &of, place, count));
                assert!(joined.is_some_and(|joined| reductions(&joined) < count), "{reduce} of {x:?}");
            }
        }
    }

    #[test]
    fn numbers_that_are_used_before_the_next_reduction_is_possible_stay() {
        let of = "%o: f32 = add.f32 %r, %r;";
        let chained = rows(FLOATS, "add.f32", of, [0, 1], 2).replace("region %3[32| 32, 32, 1]", "splat %15");
        assert_eq!(lines(&chained), None);
        let written = rows(FLOATS, "add.f32", &format!("{of} write #1 %0, %0, %o: f32;"), [0, 1], 2);
        assert_eq!(lines(&written), None);
        assert_eq!(lines(&rows(FLOATS, "add.f32", of, [0, 1], 1)), None);
    }

    #[test]
    fn numbers_that_are_used_in_different_ways_are_taken_apart() {
        let of = "%n2: f32 = constant 0.5; %o: f32 = mul.f32 %r, %n2;";
        let all = rows(FLOATS, "add.f32", of, [0, 1], 4);
        let other = all.replacen("mul.f32", "add.f32", 1);
        assert_eq!(reductions(&lines(&other).unwrap()), 0);
        let twice =
            all.replace("write #1", "%99: f32 = add.f32 %11, %21; write #1 %0, %5, %99: f32; write #1");
        let twice = twice.replace("%0, %5, %99", "%0, %0, %99");
        assert_eq!(reductions(&lines(&twice).unwrap()), 0);
    }

    #[test]
    fn numbers_that_are_combined_with_each_other_are_taken_apart() {
        let both = "%6: f32<1x32> = region %3[0| 32, 32, 1]; %7: f32 = reduce add.f32 %6; %8: f32<1x32> = region %3[64| 32, 32, 1];
            %9: f32 = reduce add.f32 %8; %10: f32 = add.f32 %7, %9; write #1 %0, %0, %10: f32;";
        assert_eq!(reductions(&lines(both).unwrap()), 0);
    }

    #[test]
    fn absolute_values_are_operand_modifiers_of_reductions() {
        let both = "%6: i16<1x32> = region %2[0| 32, 32, 1]; %7: u16<1x32> = OP.i16 %6; %8: i32 = reduce add.i32 %7;
            %9: i16<1x32> = region %2[64| 32, 32, 1]; %10: u16<1x32> = OP.i16 %9; %11: i32 = reduce add.i32 %10;
            %12: i32 = add.i32 %8, %11; write #1 %0, %0, %12: i32;";
        assert_eq!(lines(&both.replace("OP", "abs")), None);
        assert!(lines(&both.replace("OP.i16", "convert")).is_some());
    }

    #[test]
    fn one_sum_of_short_elements_extends_them_in_its_first_step() {
        let joined = lines(
            "%6: i16<1x256> = format %2; %7: i32 = reduce add.i32 %6; %8: i32<1x8> = splat %7; write #1 %0, %0, %8: i32<1x8>;",
        );
        let joined = joined.unwrap();
        assert!(joined.to_string().contains("i32<1x128> = add.i32"), "{joined}");
        let float = "%6: f32<1x256> = format %3; %7: f32 = reduce add.f32 %6; write #1 %0, %0, %7: f32;";
        assert_eq!(lines(float), None);
    }
}
