//! Kernels as text whose bytes are compared with those of the interpreter.

use cm::ir::Function;
use cm::text::parse;
use cm_random_kernels::difference::{Forms, Machine, Outcome};

/// The parameters of a kernel that reads one surface and writes another one.
pub(super) const SURFACES: &str = "input: read surface, output: write surface";

/// A kernel of these lines, which end with `;`. Regions have `|` for the `;` in them.
pub(super) fn kernel_of(params: &str, lines: &str) -> Function {
    let lines = lines.replace(';', " @0:1:1\n").replace('|', ";");
    let text = format!("file 0 \"k.rs\" kernel k({params}) {{ {lines} }}");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// All devices write the bytes of the interpreter.
pub(super) fn assert_same(kernels: &[Function]) {
    let Some(machine) = Machine::find() else { return };
    for (kernel, outcome) in kernels.iter().zip(machine.compare(kernels, Forms::All)) {
        assert!(matches!(outcome, Outcome::Same), "{outcome:?}\n{kernel}");
    }
}
