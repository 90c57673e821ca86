//! The facts that the framework provides for analyses without rules, and its traversal of blocks.

use std::collections::BTreeSet;

use super::{Backward, Facts, Forward, Origin, Points, backward, forward, loads, origin, points};
use crate::elem::ElemType;
use crate::interpret::cases::{Case, RandomNumbers};
use crate::ir::{Function, Inst, Op, Type, Value, Variable};
use crate::ops::AccessKind;
use crate::text::parse;

/// A kernel of two surfaces and a buffer; `;` ends a line.
fn kernel(body: &str) -> Function {
    let body = body.replace(';', " @0:1:1\n").replace('|', ";").replace('{', "@0:2:2 {");
    let text = format!(
        "file 0 \"k.rs\" kernel k(a: read surface, b: write surface, c: write buffer u32) {{ {body} }}"
    )
    .replace("while %99 @0:2:2", "while %99")
    .replace("else @0:2:2", "else");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Knows only constants.
struct Silent;

/// The constants that a value may be; `None` if it may be anything.
type Set = Option<BTreeSet<u64>>;

impl Forward for Silent {
    type Fact = Set;

    fn unknown(&self, _: Type) -> Set {
        None
    }

    fn unstored(&self, _: Type) -> Set {
        Some(BTreeSet::new())
    }

    fn join(&self, a: &Set, b: &Set) -> Set {
        Some(a.as_ref()?.union(b.as_ref()?).copied().collect())
    }

    fn transfer(&self, inst: &Inst, facts: &Facts<Set>) -> Option<Set> {
        match &inst.op {
            Op::Constant(crate::ir::Bits::Splat(bits)) => Some(Some(BTreeSet::from([*bits]))),
            // Counts, so that a loop would never end.
            Op::Map { operands, common: ElemType::U64, .. } => {
                Some(facts.get(operands[0])?.as_ref().map(|all| all.iter().map(|x| x + 1).collect()))
            }
            _ => None,
        }
    }
}

fn known(facts: &Facts<Set>, value: u32) -> Option<Vec<u64>> {
    facts.get(Value(value)).unwrap().as_ref().map(|all| all.iter().copied().collect())
}

#[test]
fn what_an_analysis_does_not_know_may_be_anything() {
    for case in Case::all() {
        let operands = case.splats(1);
        if case.common == ElemType::U64 {
            continue;
        }
        let mut block = case.block(&operands);
        // Splats are known, so elements that only move are known.
        for inst in &mut block.insts {
            if let Op::Constant(bits) = &mut inst.op {
                *bits = crate::ir::Bits::Splat(1);
            }
        }
        let facts = forward(&block, &Silent);
        let moves = matches!(origin(&block.insts.last().unwrap().op), Origin::Elements(_));
        let result = known(&facts, operands.len() as u32);
        assert_eq!(result, moves.then(|| vec![1]), "{case:?}");
    }
    for kind in AccessKind::all() {
        let op = Op::Access { kind, param: 0, operands: vec![] };
        assert!(matches!(origin(&op), Origin::Outside), "{kind:?}");
    }
}

/// An operation that is declared to move elements returns unchanged elements.
#[test]
fn what_moves_is_not_changed() {
    let mut numbers = RandomNumbers::new();
    for case in Case::all() {
        let operands = numbers.operands(&case, 4);
        let values: Vec<Value> = (0..operands.len() as u32).map(Value).collect();
        let Origin::Elements(sources) = origin(&case.op(&values)) else { continue };
        for bits in case.samples(&operands) {
            let result = case.evaluate(&bits);
            assert!(sources.iter().any(|source| bits[source.0 as usize] == result), "{case:?} {bits:?}");
        }
    }
}

#[test]
fn moved_elements_and_variables_are_joined() {
    let facts = forward(
        &kernel(
            "%0: u32<1x4> = constant 3; %1: u32<1x2> = constant 5; %2: u32<1x4> = insert %0[0| 2, 2, 1], %1;
            %3: u32<1x2> = region %2[1| 2, 2, 1]; %4: u8<1x8> = format %3; var $0: u32<1x2> = %3;
            var $1: u32; %5: u32 = load $1; %6: condition = any %3; if %6 { store $0, %1: u32<1x2>; } else { }
            %7: u32<1x2> = load $0; %8: u32<1x2> = iselect %2, %7;",
        )
        .body,
        &Silent,
    );
    assert_eq!(known(&facts, 2), Some(vec![3, 5]));
    assert_eq!(known(&facts, 3), Some(vec![3, 5]));
    assert_eq!(known(&facts, 4), None, "other elements of the same bytes");
    assert_eq!(known(&facts, 5), Some(vec![]), "nothing was stored");
    assert_eq!(known(&facts, 7), Some(vec![3, 5]));
    assert_eq!(known(&facts, 8), Some(vec![3, 5]));
    assert_eq!(facts.ty(Value(4)), Some(Type::new(ElemType::U8, 1, 8)));
}

#[test]
fn what_goes_on_changing_may_be_anything() {
    let facts = forward(
        &kernel(
            "%0: u64 = constant 3; var $0: u64 = %0; loop { %1: u64 = load $0; %99: condition = any %1; }
            while %99 { %2: u64 = add.u64 %1, %0; store $0, %2: u64; }",
        )
        .body,
        &Silent,
    );
    assert_eq!((known(&facts, 1), known(&facts, 2)), (None, None));
    assert_eq!(facts.variable(Variable(0)), Some(&None));
}

/// Demands only what the framework demands.
struct Asks;

impl Backward for Asks {
    type Fact = usize;

    fn everything(&self, ty: Type) -> usize {
        ty.bytes()
    }

    fn join(&self, a: &usize, b: &usize) -> usize {
        *a.max(b)
    }

    fn ask(&self, inst: &Inst, _: Type, own: Option<&usize>) -> Option<usize> {
        match inst.op {
            Op::Store(..) | Op::Declare(..) => Some(own.copied().unwrap_or(0)),
            _ => None,
        }
    }
}

#[test]
fn everything_is_asked_of_operands() {
    for case in Case::all() {
        let operands = case.splats(1);
        let facts = backward(&case.block(&operands), &Asks);
        for (n, elem) in case.elems.iter().enumerate() {
            assert_eq!(facts.get(Value(n as u32)), Some(&(case.kind.width() * elem.bytes())), "{case:?}");
        }
        assert_eq!(facts.get(Value(operands.len() as u32)), None, "nobody uses the result");
    }
}

#[test]
fn what_is_asked_of_loads_is_asked_of_stores() {
    // The value stored in the loop is loaded in the next iteration, before the store.
    let facts = backward(
        &kernel(
            "%0: u32 = constant 3; %1: u32 = constant 4; var $0: u32 = %0; var $1: u32 = %0; loop {
            %2: u32 = load $0; %99: condition = any %2; } while %99 { store $0, %1: u32; store $1, %1: u32; }",
        )
        .body,
        &Asks,
    );
    assert_eq!(facts.get(Value(2)), Some(&4));
    assert_eq!(facts.get(Value(1)), Some(&4));
    assert_eq!((facts.variable(Variable(0)), facts.variable(Variable(1))), (Some(&4), None));
}

/// Values that are used later, by position.
#[derive(Default)]
struct Used(Vec<(&'static str, usize)>);

impl Points for Used {
    type State = BTreeSet<Value>;

    fn join(&self, a: BTreeSet<Value>, b: BTreeSet<Value>) -> BTreeSet<Value> {
        &a | &b
    }

    fn before(&self, inst: &Inst, mut after: BTreeSet<Value>) -> BTreeSet<Value> {
        inst.result.map(|result| after.remove(&result));
        after.extend(inst.op.operands());
        after
    }

    fn decided(&self, condition: Value, mut after: BTreeSet<Value>) -> BTreeSet<Value> {
        after.insert(condition);
        after
    }

    fn point(&mut self, inst: &Inst, after: &BTreeSet<Value>, _: &BTreeSet<Value>) {
        self.0.push((inst.op.name(), after.len()));
    }
}

#[test]
fn points_are_gone_through_once_with_what_holds_in_the_end() {
    let function = kernel(
        "%0: u32 = constant 3; %1: u32 = constant 4; loop { %99: condition = any %0; } while %99 {
        %2: u32 = neg %1; %3: u32 = neg %2; } %4: u32 = neg %0;",
    );
    let mut used = Used::default();
    let before = points(&function.body, &mut used, BTreeSet::new());
    assert!(before.is_empty(), "values are defined before they are used");
    // From the end; in the body, the loop continues with the values that the next iteration needs.
    assert_eq!(
        used.0,
        [("neg", 0), ("neg", 2), ("neg", 3), ("any", 3), ("loop", 1), ("constant", 2), ("constant", 1)]
    );
}

/// Counts the instructions that are gone through.
struct Counted(std::cell::Cell<usize>);

impl Points for Counted {
    type State = BTreeSet<Value>;

    fn join(&self, a: BTreeSet<Value>, b: BTreeSet<Value>) -> BTreeSet<Value> {
        &a | &b
    }

    fn before(&self, inst: &Inst, after: BTreeSet<Value>) -> BTreeSet<Value> {
        self.0.set(self.0.get() + 1);
        Used::default().before(inst, after)
    }

    fn decided(&self, condition: Value, after: BTreeSet<Value>) -> BTreeSet<Value> {
        Used::default().decided(condition, after)
    }

    fn point(&mut self, _: &Inst, _: &BTreeSet<Value>, _: &BTreeSet<Value>) {}
}

/// Not once for each round of each loop around it.
#[test]
fn loops_in_loops_are_gone_through_a_few_times() {
    const DEPTH: usize = 60;
    let body = (0..DEPTH).fold(String::from("%1: u32 = neg %0 @0:1:1\n"), |body, n| {
        let condition = n + 2;
        format!(
            "loop @0:1:1 {{ %{condition}: condition = any %0 @0:1:1\n }} while %{condition} {{ {body} }}\n"
        )
    });
    let text = format!("%0: u32 = constant 1 @0:1:1\n {body} %99: u32 = neg %0 @0:1:1\n");
    let function = parse(&format!("file 0 \"k.rs\" kernel k() {{ {text} }}")).unwrap();
    let mut counted = Counted(std::cell::Cell::new(0));
    points(&function.body, &mut counted, BTreeSet::new());
    let most = DEPTH * DEPTH * 4;
    assert!((DEPTH..most).contains(&counted.0.get()), "{}", counted.0.get());
}

#[test]
fn behind_a_break_there_is_what_follows_the_block() {
    let function = kernel(
        "%0: u32 = constant 3; %1: u32 = constant 4; %99: condition = any %0;
        labelled ^0 { labelled ^1 { if %99 { break ^0; } else { break ^1; } } %2: u32 = neg %1; }
        %3: u32 = neg %0;",
    );
    let mut used = Used::default();
    points(&function.body, &mut used, BTreeSet::new());
    // From the end: `%1` is used only on the path of `break ^1`.
    assert_eq!(
        used.0,
        [
            ("neg", 0),
            ("neg", 1),
            ("break", 2),
            ("break", 1),
            ("if", 3),
            ("labelled", 2),
            ("labelled", 1),
            ("any", 3),
            ("constant", 2),
            ("constant", 1)
        ]
    );
}

#[test]
fn stores_are_followed_into_labelled_blocks() {
    let function = kernel(
        "%0: u32 = constant 3; %1: u32 = constant 4; %99: condition = any %0; var $0: u32 = %0; var $1: u32 = %0;
        labelled ^0 { if %99 { break ^0; } else { } store $0, %1: u32; %2: u32 = load $0; }
        %3: u32 = load $0;
        labelled ^1 { store $1, %1: u32; %4: u32 = load $1; %6: u32 = constant 5; store $1, %6: u32; }
        %5: u32 = load $1;",
    );
    let loads = loads(&function.body);
    let of = |value: u32| loads.get(&Value(value)).map(|value| value.0);
    assert_eq!([of(2), of(3), of(4), of(5)], [Some(1), None, Some(1), None], "values stay in their block");
}

#[test]
fn the_last_store_is_known_where_no_ways_join() {
    let function = kernel(
        "%0: u32 = constant 3; %1: u32 = constant 4; var $0: u32 = %0; var $1: u32 = %0; var $2: u32;
        %2: u32 = load $0; store $0, %1: u32; %3: u32 = load $0; store $2, %3: u32; %4: u32 = load $2;
        %5: u32 = load $1; %6: condition = any %5;
        if %6 { store $1, %1: u32; %7: u32 = load $0; %9: u32 = load $1; } else { %10: u32 = load $1; }
        %11: u32 = load $1; var $3: u32; %8: u32 = load $3;",
    );
    let loads = loads(&function.body);
    let of = |value: u32| loads.get(&Value(value)).map(|value| value.0);
    assert_eq!([of(2), of(3), of(4), of(7)], [Some(0), Some(1), Some(1), Some(1)]);
    assert_eq!([of(5), of(9), of(10)], [Some(0), Some(1), Some(0)]);
    assert_eq!([of(8), of(11)], [None, None]);
}

#[test]
fn rounds_do_not_know_what_others_store() {
    let function = kernel(
        "%0: u32 = constant 3; var $0: u32 = %0; var $1: u32 = %0;
        loop { %1: u32 = load $0; %2: u32 = load $1; %99: condition = any %1; }
        while %99 { %4: u32 = load $0; store $0, %2: u32; %5: u32 = load $0; }
        %6: u32 = load $0;",
    );
    let loads = loads(&function.body);
    let of = |value: u32| loads.get(&Value(value)).map(|value| value.0);
    assert_eq!([of(1), of(2), of(4), of(5), of(6)], [None, Some(0), None, Some(0), None]);
}
