//! Seeds of kernels in Rust.

use std::fs;
use std::time::{Duration, Instant};

use super::Plan;
use crate::rust::{self, Batch, Program};

/// Kernels of one crate: compiling `cm` with them takes a while.
const CRATE: u64 = 20;

/// Runs all seeds of a plan as Rust source, in crates one after the other, and says what it finds: how many
/// kernels differ.
///
/// # Panics
/// If the folder for small kernels is not writable.
pub fn run_source(plan: &Plan, say: &dyn Fn(&str)) -> u64 {
    let start = Instant::now();
    let batch = Batch::new();
    if !batch.has_level_zero() {
        say("without Level Zero: there is no device");
    }
    let (mut cases, mut different) = (0, 0);
    let mut next = plan.seeds.start;
    while next < plan.seeds.end && plan.limit.is_none_or(|limit| start.elapsed() < limit) {
        let end = (next + CRATE).min(plan.seeds.end);
        let programs: Vec<Program> = (next..end).map(rust::program).collect();
        for (program, given) in programs.iter().zip(batch.run(&programs)) {
            cases += 1;
            let Some(what) = rust::difference(&given) else { continue };
            different += 1;
            say(&format!("seed {}: {what}", program.seed));
            // What does not compile says its line.
            let Some(folder) = plan.reduce.as_ref().filter(|_| !given.contains_key("rustc")) else {
                continue;
            };
            let (small, given) = rust::reduced(&batch, program, &given);
            let source = small.source("random");
            say(&format!("{}\n{source}", rust::difference(&given).unwrap_or_default()));
            // The crate holds the last attempt; its first kernel is to be the small one.
            batch.run(std::slice::from_ref(&small));
            let name = format!("rust_seed_{}", program.seed);
            let files = [("rs", Some(source)), ("ir", batch.recording())];
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            for (kind, text) in files {
                let file = folder.join(format!("{name}.{kind}"));
                let text = text.unwrap_or_default();
                fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            }
        }
        next = end;
        let time = start.elapsed().max(Duration::from_millis(1));
        let per_second = f64::from(cases) / time.as_secs_f64();
        let seconds = time.as_secs();
        say(&format!(
            "{cases} cases in {seconds} s ({per_second:.2} per second), up to seed {next}: {different} different"
        ));
    }
    different
}
