//! Kernels that Intel's compiler once compiled incorrectly: `tests/regressions` has one for each fault. On
//! every device, the machine code of each kernel must give the bytes of the interpreter; on Gen9 also in the
//! form for larger registers. If a random kernel shows a difference, it becomes a file there.

use cm::ir::Function;
use cm_random_kernels::difference::{Forms, Machine, Outcome};

use crate::regressions::kernels;

#[test]
fn faults_of_the_compiler_do_not_come_back() {
    let Some(machine) = Machine::find() else { return };
    let kernels = kernels();
    let outcomes = machine.compare(&kernels, Forms::All);
    let wrong: Vec<String> = kernels
        .iter()
        .zip(outcomes)
        .filter_map(|(Function { name, .. }, outcome)| match outcome {
            Outcome::Same => None,
            Outcome::Rejected => Some(format!("{name}: nothing is compared")),
            Outcome::Different(difference) => Some(format!("{name}: {difference}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
