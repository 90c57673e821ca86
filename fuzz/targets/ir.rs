//! A text becomes a kernel or an error. A kernel can be parsed from its own text. A kernel that the verifier
//! accepts can be analysed, and is lowered for every target or rejected with an error. One that it refuses is an error of
//! every analysis that takes kernels from texts.
#![no_main]

use cm::Target;
use cm::text::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(function) = parse(text) else { return };
    let printed = function.to_string();
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, function, "{printed}");
    assert_eq!(cm::verify::verify(&again), cm::verify::verify(&function));
    let Ok(report) = cm::RegisterReport::new(&function) else {
        assert!(matches!(
            cm::spirv::lower(&function, Target::Gen9),
            Err(cm::spirv::LowerError::NotVerified(_))
        ));
        return;
    };
    let _ = report.to_string();
    let _ = cm::compiler::access::summary(&function);
    for &target in Target::ALL {
        let _ = cm::spirv::lower(&function, target);
    }
});
