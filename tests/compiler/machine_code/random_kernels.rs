//! Random kernels as IR: the machine code for Gen9 gives the bytes of the interpreter, in two forms; one
//! batch is run on every device. `cargo run --profile bench -p cm-random-kernels` runs more kernels, and minimises
//! those that differ.

use cm_random_kernels::difference::{Forms, Machine, Outcome};
use cm_random_kernels::ir;

/// The number of kernels that are compiled at once.
const BATCH: usize = 40;

#[test]
fn two_hundred_kernels_give_the_bytes_of_the_interpreter() {
    let Some(machine) = Machine::find() else { return };
    let seeds: Vec<u64> = (0..200).collect();
    let (mut same, mut wrong) = (0, vec![]);
    for (n, batch) in seeds.chunks(BATCH).enumerate() {
        let kernels: Vec<_> = batch.iter().map(|seed| ir::function(*seed)).collect();
        for (seed, outcome) in
            batch.iter().zip(machine.compare(&kernels, if n == 0 { Forms::All } else { Forms::Executed }))
        {
            match outcome {
                Outcome::Same => same += 1,
                Outcome::Rejected => {}
                Outcome::Different(difference) => wrong.push(format!("seed {seed}: {difference}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    // A few kernels are too large, or need instructions that the emulator executes differently from the
    // hardware.
    assert!(same >= 185, "only {same} were compared");
}
