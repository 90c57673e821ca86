//! Random programs of the language, executed twice: on arrays by the CPU backend, and as recorded IR by the
//! interpreter.
//!
//! A program is a list of steps over variables of five element types, with nested `if` and loops whose
//! conditions depend on the data. The code that runs it is generic over the backend, like the code that
//! `#[kernel]` generates. Its operations are those of the tables.

mod operations;
pub(crate) mod program;
pub(crate) mod random;
mod steps;

use std::collections::BTreeSet;

use cm::compiler::ops::{GroupKind, MapKind};
use cm::interpret::{InterpretArg, interpret};
use cm::ir::{Block, Function, Op};
use cm::text::parse;
use cm::verify::verify;
use program::{Step, programs};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use random::{BYTES, Memory, recorded};

/// Runs code that executes a program on a thread with a large stack: without optimisation, every operation
/// keeps its registers on the stack.
pub(crate) fn on_a_thread<R: Send + 'static>(run: impl FnOnce() -> R + Send + 'static) -> R {
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap()
}

fn check(program: Vec<Step>, bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let (function, expected) = recorded(program, &bytes);
    verify(&function).unwrap();
    let text = function.to_string();
    prop_assert_eq!(&parse(&text).unwrap().to_string(), &text);
    let (mut source, mut output) = (Memory(bytes), Memory(vec![0; BYTES]));
    let mut args = [InterpretArg::Surface(&mut source), InterpretArg::Surface(&mut output)];
    interpret(&function, &mut args, [1, 2]).unwrap();
    prop_assert_eq!(&output.0, &expected, "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_recording_means_what_the_program_does(
        program in programs(),
        bytes in prop::collection::vec(any::<u8>(), BYTES),
    ) {
        on_a_thread(move || check(program, bytes))?;
    }
}

/// The names of the operations and accesses of a kernel.
pub(crate) fn operations(function: &Function) -> BTreeSet<&'static str> {
    fn collect(block: &Block, found: &mut BTreeSet<&'static str>) {
        for inst in &block.insts {
            found.extend(match &inst.op {
                Op::Map { kind, .. } => Some(kind.name()),
                Op::Group { kind, .. } => Some(kind.name()),
                Op::Access { kind, .. } => Some(kind.spec().name),
                _ => None,
            });
            inst.op.blocks().for_each(|block| collect(block, found));
        }
    }
    let mut found = BTreeSet::new();
    collect(&function.body, &mut found);
    found
}

#[test]
fn programs_have_every_operation_of_the_tables() {
    let mut runner = TestRunner::deterministic();
    let mut found = BTreeSet::new();
    for _ in 0..200 {
        let program = programs().new_tree(&mut runner).unwrap().current();
        found.extend(operations(&on_a_thread(move || recorded(program, &[0; BYTES]).0)));
    }
    let mut all = MapKind::ALL
        .iter()
        .filter(|kind| kind.accuracy().is_exact() && (kind.arity() < 3 || **kind == MapKind::Merge))
        .map(|kind| kind.name())
        .chain(GroupKind::ALL.iter().map(|kind| kind.name()));
    assert_eq!(all.find(|name| !found.contains(name)), None);
}
