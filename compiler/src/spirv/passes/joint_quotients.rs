//! Quotients and square roots of single floats, computed at once.
//!
//! A division takes about 45 instructions, for one number as for a row of 16. A kernel that scales each of four rows by
//! `127.0 / most` divides four times, so what the later divisions need moves before the first one, and one instruction
//! divides all numbers. Only what does not depend on the order of accesses moves: computations, and reads of memory that the
//! kernel cannot write.

use rustc_hash::{FxHashMap, FxHashSet};

use super::expand::{Expansion, has_room};
use super::joint_reductions::is_movable;
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Op, Operands, ParamKind, Region, Type, Value, Variable};
use crate::limits::LANES;
use crate::ops::{Effect, MapKind};

/// The most numbers that are computed at once.
const MOST: usize = 16;
const _: () = assert!(MOST <= LANES);
/// The most instructions between numbers that are computed at once.
const FARTHEST: usize = 1024;

/// The kernel in which quotients and roots are computed at once; `None` if there are none, or if registers might become
/// scarce.
pub(crate) fn joined(function: &Function, budget: usize) -> Option<Function> {
    let costly = |inst: &&Inst| matches!(inst.op, Op::Map { kind: MapKind::Div | MapKind::SqrtIeee, .. });
    function.body.instructions().filter(costly).nth(1)?;
    let counts = std::iter::successors(Some(MOST), |most| Some(most / 2)).take_while(|most| *most > 1);
    for most in counts {
        let mut pass = Pass::new(function, most)?;
        let joined = Function { body: pass.block(&function.body), ..function.clone() };
        if !pass.changed {
            return None;
        }
        if has_room(function, &joined, budget) {
            return Some(joined);
        }
    }
    None
}

/// What numbers that are computed at once have in common.
#[derive(Clone, Copy, PartialEq)]
struct Alike {
    kind: MapKind,
    common: ElemType,
    /// The types of the operands.
    operands: [Option<Type>; 2],
}

struct Pass<'a> {
    function: &'a Function,
    most: usize,
    insts: Expansion,
    types: FxHashMap<Value, Type>,
    constants: FxHashMap<Value, u64>,
    /// The variables that are never stored: they are registers of any elements.
    undefined: FxHashSet<Variable>,
    changed: bool,
}

/// The instructions from the first number on.
#[derive(Default)]
struct Window {
    /// The places of results and of declarations.
    made: FxHashMap<Value, usize>,
    declared: FxHashMap<Variable, usize>,
    /// The places that cannot move before the first number.
    stays: FxHashSet<usize>,
}

impl Window {
    fn add(&mut self, inst: &Inst, place: usize) {
        self.made.extend(inst.result.map(|result| (result, place)));
        if let Op::Declare(variable, _) = &inst.op {
            self.declared.insert(*variable, place);
        }
    }

    /// The places that an instruction needs.
    fn needs(&self, inst: &Inst) -> impl Iterator<Item = usize> {
        let variable = match &inst.op {
            Op::Load(variable) => self.declared.get(variable).copied(),
            _ => None,
        };
        inst.op.operands().into_iter().filter_map(|x| self.made.get(&x).copied()).chain(variable)
    }
}

/// Numbers that are computed at once.
struct Group {
    alike: Alike,
    /// Their places in the block.
    places: Vec<usize>,
    /// The places of the instructions that move before the first one.
    early: FxHashSet<usize>,
}

impl<'a> Pass<'a> {
    fn new(function: &'a Function, most: usize) -> Option<Self> {
        let mut pass = Self {
            function,
            most,
            insts: Expansion::of(function)?,
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            undefined: FxHashSet::default(),
            changed: false,
        };
        let mut stored = FxHashSet::default();
        for inst in function.body.instructions() {
            match (&inst.op, inst.result) {
                (Op::Declare(variable, None), _) => _ = pass.undefined.insert(*variable),
                (Op::Store(variable, _), _) => _ = stored.insert(*variable),
                (Op::Constant(Bits::Splat(bits)), Some(result)) => _ = pass.constants.insert(result, *bits),
                _ => {}
            }
            pass.types.extend(inst.result.map(|result| (result, inst.ty)));
        }
        pass.undefined.retain(|variable| !stored.contains(variable));
        Some(pass)
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut insts = block.with_blocks(|inner| self.block(inner));
        let mut n = 0;
        while n < insts.len() {
            if let Some(group) = self.group(&insts, n) {
                insts = self.join(&insts, &group);
                self.changed = true;
            }
            n += 1;
        }
        Block { insts }
    }

    /// What a quotient or a root of single floats has in common with those that it can be computed with.
    fn alike(&self, inst: &Inst) -> Option<Alike> {
        let Op::Map { kind, common, saturate: false, operands } = &inst.op else { return None };
        let costly = match (kind, &operands[..]) {
            // A constant divisor may be a power of two.
            (MapKind::Div, [_, divisor]) => !self.constants.contains_key(divisor),
            (MapKind::SqrtIeee, _) => true,
            _ => false,
        };
        let single = inst.ty == Type::scalar(*common) && matches!(common, ElemType::F16 | ElemType::F32);
        let ty = |n: usize| operands.get(n).and_then(|x| self.types.get(x)).copied();
        (costly && single).then(|| Alike { kind: *kind, common: *common, operands: [ty(0), ty(1)] })
    }

    /// The numbers that can be computed together with this one.
    fn group(&self, insts: &[Inst], first: usize) -> Option<Group> {
        let alike = self.alike(&insts[first])?;
        let mut window = Window::default();
        let mut places = vec![first];
        for (n, inst) in insts.iter().enumerate().skip(first).take(FARTHEST) {
            if inst.op.blocks().next().is_some() || places.len() == self.most {
                break;
            }
            // What needs a number that stays, stays: one walk over the instructions finds all of them.
            let waits = window.needs(inst).any(|n| window.stays.contains(&n));
            if n > first && !waits && self.alike(inst) == Some(alike) {
                places.push(n);
            }
            if waits || !self.moves(inst) {
                window.stays.insert(n);
            }
            window.add(inst, n);
        }
        let count = 1 << places.len().ilog2();
        places.truncate(count);
        let (mut early, mut left) = (FxHashSet::default(), places[1..].to_vec());
        while let Some(n) = left.pop() {
            // A number that another one needs is not among them: it cannot move.
            left.extend(window.needs(&insts[n]).filter(|n| early.insert(*n)));
        }
        (count > 1).then_some(Group { alike, places, early })
    }

    /// Whether an instruction may move before others. Quotients and roots stay, so that none is computed twice.
    fn moves(&self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Map { .. } => self.alike(inst).is_none(),
            Op::Constant(_) => true,
            Op::Declare(variable, None) | Op::Load(variable) => self.undefined.contains(variable),
            Op::Access { kind, param, .. } => {
                let memory = self.function.params.get(*param).map(|param| param.kind);
                let constant = matches!(
                    memory,
                    Some(ParamKind::Surface { writable: false } | ParamKind::Buffer { writable: false, .. })
                );
                kind.spec().effect == Effect::Read && constant
            }
            op => is_movable(op),
        }
    }

    /// The block with these numbers computed at once.
    fn join(&mut self, insts: &[Inst], group: &Group) -> Vec<Inst> {
        let Group { alike, places, early } = group;
        let first = places[0];
        let of_all = |n: usize| -> Vec<Value> {
            places.iter().filter_map(|place| insts[*place].op.operands().get(n).copied()).collect()
        };
        let results: Vec<Value> = places.iter().filter_map(|place| insts[*place].result).collect();
        let arity = alike.operands.iter().flatten().count();
        let (constants, ty) = (&self.constants, Type::new(alike.common, 1, places.len()));
        let (made, ()) = self.insts.at(&insts[first].location, |made| {
            let row = |made: &mut Expansion, n: usize| {
                let (all, own) = (of_all(n), alike.operands[n].unwrap_or(ty));
                let own = Type { columns: places.len(), ..own };
                let known = all.first().and_then(|x| constants.get(x));
                match all.first() {
                    Some(x) if all.iter().all(|y| y == x) => made.splat(*x, own),
                    _ if known.is_some() && all.iter().all(|x| constants.get(x) == known) => {
                        made.constant(known.copied().unwrap_or(0), own)
                    }
                    _ => {
                        let any = made.undefined(own);
                        all.iter().enumerate().fold(any, |row, (at, x)| {
                            made.emit(Op::Insert(row, Region::contiguous(at, 1), *x), own)
                        })
                    }
                }
            };
            let operands: Vec<Value> = (0..arity).map(|n| row(made, n)).collect();
            let op = Op::Map {
                kind: alike.kind,
                common: alike.common,
                saturate: false,
                operands: Operands::new(&operands),
            };
            let all = made.emit(op, ty);
            for (at, result) in results.iter().enumerate() {
                made.push(
                    Op::Region(all, Region::contiguous(at, 1)),
                    Some(*result),
                    Type::scalar(alike.common),
                );
            }
        });
        let moved = (first..insts.len()).filter(|n| early.contains(n)).map(|n| insts[n].clone());
        let rest = (first..insts.len()).filter(|n| !early.contains(n) && !places.contains(n));
        let rest: Vec<Inst> = rest.map(|n| insts[n].clone()).collect();
        insts[..first].iter().cloned().chain(moved).chain(made).chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::{assert_alike, kernel};

    /// The lengths of the quotients and roots of the joint kernel, which scales four rows. The lines make the number `%q`
    /// of the row `%r` from the number `%m`; `%a` and `%b` are other results, and `%last` is the number before.
    fn lengths(budget: usize, lines: &str) -> Option<Vec<usize>> {
        lengths_of((ElemType::F32, budget), lines)
    }

    fn lengths_of((elem, budget): (ElemType, usize), lines: &str) -> Option<Vec<usize>> {
        let mut text =
            String::from("%0: i32 = constant 4; %1: f32 = constant 127.0; %2: f32 = constant 3.0; ");
        text += "%3: u8<1x4> = read #0 %0, %0; %4: u8 = region %3[1| 1, 1, 1]; %5: f32 = convert %4; ";
        for row in 0..4 {
            let first = 10 * (row + 1);
            let names = ["%r", "%m", "%q", "%a", "%b"];
            let lines = names.iter().enumerate().fold(lines.to_owned(), |lines, (n, name)| {
                lines.replace(name, &format!("%{}", first + 3 + n))
            });
            let last = if row == 0 { String::from("%1") } else { format!("%{}", first - 5) };
            text += &format!(
                "%{first}: i32 = constant {row}; %{}: u8<1x16> = read #0 %0, %{first}; %{}: f32<1x16> = convert %{};
                 %{}: f32 = reduce max.f32 %{}; {} ",
                first + 1, first + 3, first + 1, first + 4, first + 3,
                lines.replace("%last", &last)
            );
            text +=
                &format!(
                "%{}: f32<1x16> = splat %{}; %{}: f32<1x16> = mul.f32 %{}, %{}; %{}: u8<1x64> = format %{};
                 write #1 %0, %{first}, %{}: u8<1x64>; ",
                first + 8, first + 5, first + 9, first + 3, first + 8, first + 2, first + 9, first + 2
            );
        }
        let bytes = format!("u8<1x{}>", 16 * elem.bytes());
        let text = text.replace("f32", &elem.to_string()).replace("u8<1x64>", &bytes);
        let function = kernel(&format!("{}\n", text.trim_end()));
        let joined = joined(&function, budget)?;
        assert_alike(&function, &joined);
        let costly = joined
            .body
            .instructions()
            .filter(|inst| matches!(inst.op, Op::Map { kind: MapKind::Div | MapKind::SqrtIeee, .. }));
        Some(costly.map(|inst| inst.ty.count()).collect())
    }

    #[test]
    fn quotients_of_rows_are_computed_at_once() {
        assert_eq!(lengths(4096, "%q: f32 = div.f32 %1, %m;"), Some(vec![4]));
        assert_eq!(lengths(4096, "%q: f32 = sqrt_ieee %m;"), Some(vec![4]));
        let both = "%a: f32 = div.f32 %1, %m; %b: f32 = add.f32 %a, %2; %q: f32 = div.f32 %b, %m;";
        assert_eq!(lengths(4096, both), Some(vec![4, 4]), "one after the other");
    }

    #[test]
    fn quotients_of_halves_are_computed_at_once() {
        let halves = |lines| lengths_of((ElemType::F16, 4096), lines);
        assert_eq!(halves("%q: f32 = div.f32 %1, %m;"), Some(vec![4]));
        assert_eq!(halves("%q: f32 = sqrt_ieee %m;"), Some(vec![4]));
    }

    #[test]
    fn equal_operands_are_one_number() {
        assert_eq!(lengths(4096, "%q: f32 = div.f32 %m, %5;"), Some(vec![4]), "a divisor");
        assert_eq!(lengths(4096, "%q: f32 = div.f32 %5, %m;"), Some(vec![4]), "a dividend");
        let constants = "%a: f32 = constant 9.0; %q: f32 = div.f32 %a, %m;";
        assert_eq!(lengths(4096, constants), Some(vec![4]), "a constant for each");
    }

    #[test]
    fn fewer_are_computed_at_once_if_registers_are_scarce() {
        assert_eq!(lengths(256, "%q: f32 = div.f32 %1, %m;"), Some(vec![2, 2]));
    }

    #[test]
    fn what_needs_a_number_that_stays_stays() {
        // `%a` needs the quotient before by way of sums.
        let chain = "%a: f32 = add.f32 %last, %2; %b: f32 = add.f32 %a, %m; %q: f32 = div.f32 %1, %b;";
        assert_eq!(lengths(4096, chain), None);
    }

    #[test]
    fn others_stay() {
        assert_eq!(lengths(4096, "%q: f32 = div.f32 %m, %2;"), None, "a constant divisor");
        assert_eq!(lengths(4096, "%q: f32 = mul.f32 %m, %2;"), None, "another operation");
        assert_eq!(lengths(4096, "%q: f32 = div.f32 %m, %last;"), None, "quotients of each other");
        assert_eq!(lengths(64, "%q: f32 = div.f32 %1, %m;"), None, "no room for all rows");
        let read = "%a: u8<1x4> = read #1 %0, %0; %b: f32 = format %a; %q: f32 = div.f32 %m, %b;";
        assert_eq!(lengths(4096, read), None, "memory that is written in between");
    }
}
