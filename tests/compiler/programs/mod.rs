//! Random programs of the language, executed twice: on arrays by the CPU backend, and as recorded IR by the
//! interpreter.
//!
//! A program is a list of steps over variables of five element types, with nested `if` and loops whose
//! conditions depend on the data. It is written once, generic over the backend, as what `#[kernel]` writes.

pub(crate) mod program;
pub(crate) mod random;
mod steps;

use cm::interpret::{InterpretArg, interpret};
use cm::text::parse;
use cm::verify::verify;
use program::{Step, programs};
use proptest::prelude::*;
use random::{BYTES, Memory, recorded};

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
        // Without optimisation every operation has its registers on the stack.
        let run = std::thread::Builder::new().stack_size(64 << 20).spawn(move || check(program, bytes)).unwrap();
        run.join().unwrap()?;
    }
}
