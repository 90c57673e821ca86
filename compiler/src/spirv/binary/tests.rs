//! Modules are read back as they were written, and rspirv agrees.

use rspirv::grammar::OperandKind;

use super::numbers::Form;
use super::*;

/// An upper limit for all numbers of this dialect.
const NUMBERS: std::ops::Range<Word> = 0..7000;

#[test]
fn numbers_are_those_of_spir_v() {
    macro_rules! same {
        ($($name:ident)*) => {$(
            let ours = |n| $name::from_word(n).map(|x| format!("{x:?}"));
            let theirs = |n| rspirv::spirv::$name::from_u32(n).map(|x| format!("{x:?}"));
            let known: Vec<Word> = NUMBERS.filter(|&n| ours(n).is_some()).collect();
            assert!(!known.is_empty());
            for n in known {
                assert_eq!(ours(n), theirs(n), "{n}");
            }
        )*};
    }
    same!(AccessQualifier Capability Decoration ExecutionMode Op);
}

#[test]
fn extended_instructions_are_those_of_the_set() {
    let theirs = |n| rspirv::spirv::OpenclDebuginfo100Op::from_u32(n).map(|x| format!("{x:?}"));
    let known = NUMBERS.filter_map(|n| DebugInstruction::from_word(n).map(|x| (n, format!("{x:?}"))));
    for (n, ours) in known {
        assert_eq!(Some(ours), theirs(n), "{n}");
    }
}

#[test]
fn instructions_have_the_results_of_spir_v() {
    for op in NUMBERS.filter_map(Op::from_word) {
        let theirs = rspirv::spirv::Op::from_u32(op as Word).unwrap();
        let theirs = rspirv::dr::Instruction::new(theirs, None, None, vec![]);
        let has = |kind| theirs.class.operands.iter().any(|operand| operand.kind == kind);
        let form = match (has(OperandKind::IdResultType), has(OperandKind::IdResult)) {
            (true, true) => Form::Value,
            (false, true) => Form::Untyped,
            _ => Form::Effect,
        };
        assert_eq!(op.form(), form, "{op:?}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let texts = (0..10).map(|length| Instruction::effect(Op::Extension, vec![(&*"x".repeat(length)).into()]));
    let wide = Operand::Wide(0x0123_4567_89ab_cdef);
    let others = [
        Instruction::effect(Op::FunctionEnd, vec![]),
        Instruction::untyped(Op::TypeFunction, 3, vec![Operand::Id(1), Operand::Id(2)]),
        Instruction::value(Op::Constant, 1, 4, vec![wide]),
        Instruction::value(Op::Constant, 1, 4, vec![Operand::Number(0)]),
        Instruction::value(Op::VectorShuffle, 1, 5, [2, 3].map(Operand::Id).into()),
        Instruction::effect(
            Op::Decorate,
            vec![Operand::Id(1), Decoration::LinkageAttributes.into(), "f".into(), Operand::Number(IMPORT)],
        ),
    ];
    for instruction in texts.chain(others) {
        let mut words = vec![];
        instruction.encode(&mut words);
        words.push(7);
        assert_eq!(Instruction::decode(&words, 0), Ok((instruction.clone(), &[7][..])));
        // With one word less, it is a length error or another instruction.
        words.truncate(words.len() - 2);
        assert_ne!(Instruction::decode(&words, 0).map(|(read, _)| read), Ok(instruction));
    }
}

#[test]
fn what_is_out_of_place_is_named() {
    let module = |preamble: &[Op], globals: &[Op]| {
        let effect = |&op: &Op| match op {
            Op::Capability => Instruction::effect(op, vec![Capability::Kernel.into()]),
            Op::Extension => Instruction::effect(op, vec!["e".into()]),
            _ => Instruction::untyped(op, 1, vec![]),
        };
        let preamble = preamble.iter().map(effect).collect();
        let globals = globals.iter().map(effect).collect();
        Module { bound: 2, preamble, globals, functions: vec![] }
    };
    let right = module(&[Op::Capability, Op::Extension], &[Op::TypeVoid]);
    assert_eq!(Module::decode(&right.encode()), Ok(right));
    let wrong = module(&[Op::Extension, Op::Capability], &[]);
    assert_eq!(Module::decode(&wrong.encode()), Err(DecodeError::Place { op: Op::Capability }));
    let wrong = module(&[], &[Op::TypeVoid, Op::Extension]);
    assert_eq!(Module::decode(&wrong.encode()), Err(DecodeError::Place { op: Op::Extension }));
    let wrong = module(&[], &[Op::TypeVoid, Op::Label]);
    assert_eq!(Module::decode(&wrong.encode()), Err(DecodeError::Place { op: Op::Label }));
    assert_eq!(Module::decode(&[]), Err(DecodeError::Header));
}
