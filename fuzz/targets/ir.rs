//! A text becomes a kernel or an error. A kernel can be parsed from its own text. A kernel that the verifier
//! accepts can be analysed, and is lowered for every target or rejected with an error.
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
    for &target in Target::ALL {
        let _ = cm::spirv::lower(&function, target);
    }
});
