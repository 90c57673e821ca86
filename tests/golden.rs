//! The modules of the tutorial kernels and of one of buffers, word for word, as text. `CM_BLESS=1` writes the texts anew; then read the
//! difference.

#[path = "buffers/kernels.rs"]
mod buffers;
#[path = "../examples/linear/kernels.rs"]
mod kernels;

use cm::Target;
use rspirv::binary::{Disassemble, parse_words};
use rspirv::dr::Loader;

fn check(name: &str, module: cm::Result<Vec<u32>>) {
    let words = module.unwrap();
    let mut loader = Loader::new();
    parse_words(&words, &mut loader).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = loader.module().disassemble() + "\n";
    let path = format!("{}/tests/golden/{name}.spvasm", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = text.lines().zip(golden.lines()).find(|(found, committed)| found != committed);
    assert!(text == golden, "{path}: {differs:?}; CM_BLESS=1 accepts the new text");
}

#[test]
fn modules_are_the_committed_ones() {
    check("histogram.gen9", buffers::histogram::spirv());
    check("reverse.gen9", buffers::reverse::spirv());
    check("linear.gen9", kernels::linear::spirv());
    check("linear1d2.gen9", kernels::linear1d2::spirv());
    check("linear1d2.xe-hpc", kernels::linear1d2::spirv_for(Target::XeHpc));
    check("linearslide.gen9", kernels::linearslide::spirv());
    check("linearslide2.gen9", kernels::linearslide2::spirv());
}

#[test]
fn the_same_kernel_gives_the_same_module() {
    assert_eq!(kernels::linearslide::spirv().unwrap(), kernels::linearslide::spirv().unwrap());
}
