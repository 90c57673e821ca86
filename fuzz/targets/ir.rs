//! A text is a kernel or an error. A kernel comes back from its own text, and what the verifier accepts can be
//! analysed and lowered for every target, or is refused with an error.
#![no_main]

use cm::Target;
use cm::text::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(function) = parse(text) else { return };
    let printed = function.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, function, "{printed}");
    if cm::verify::verify(&function).is_err() {
        return;
    }
    assert_eq!(cm::verify::verify(&again), Ok(()));
    let _ = cm::RegisterReport::new(&function).to_string();
    let _ = cm::compiler::access::summary(&function);
    for target in [Target::Gen9, Target::XeLp, Target::XeHpg, Target::XeHpc] {
        let _ = cm::spirv::lower(&function, target);
    }
});
