//! Many seeds, one after the other or several at a time.

mod source;

pub use source::run_source;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cm::ir::Function;

use crate::difference::{Difference, Forms, Kind, Machine, Outcome};
use crate::reduce;

/// Kernels that are compiled by one start of the compiler.
const BATCH: u64 = 128;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seeds.
    pub seeds: Range<u64>,
    /// The kernel of a seed, if kernels are IR.
    pub kernel: fn(u64) -> Function,
    /// Kernels that run at the same time.
    pub jobs: usize,
    /// When to stop, if there are seeds left.
    pub limit: Option<Duration>,
    /// The forms of all kernels. Without them those of one batch in eight are in every form, and those of one in
    /// four in the forms of the oldest GPU.
    pub forms: Option<Forms>,
    /// A folder for small kernels that show the differences.
    pub reduce: Option<PathBuf>,
    /// How long one kernel is made smaller.
    pub patience: Duration,
}

/// What happened so far.
#[derive(Debug)]
struct Progress {
    next: u64,
    cases: u64,
    rejected: u64,
    different: BTreeMap<Kind, u64>,
    said: Duration,
}

/// Runs all seeds of a plan and says what it finds, line by line: how many differ, or `None` where programs
/// are missing.
///
/// # Panics
/// If the folder for small kernels is not writable.
pub fn run(plan: &Plan, say: &(dyn Fn(&str) + Sync)) -> Option<u64> {
    let start = Instant::now();
    let progress = Progress {
        next: plan.seeds.start,
        cases: 0,
        rejected: 0,
        different: BTreeMap::new(),
        said: Duration::ZERO,
    };
    let progress = Mutex::new(progress);
    let machines: Option<Vec<Machine>> = (0..plan.jobs).map(|_| Machine::find()).collect();
    let machines = machines?;
    std::thread::scope(|scope| {
        for machine in &machines {
            scope.spawn(|| work(plan, machine, &progress, start, say));
        }
    });
    let progress = progress.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    say(&progress.words(start.elapsed()));
    Some(progress.different.values().sum())
}

/// Takes batches as long as there are some.
fn work(
    plan: &Plan,
    machine: &Machine,
    progress: &Mutex<Progress>,
    start: Instant,
    say: &(dyn Fn(&str) + Sync),
) {
    let locked = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    loop {
        let batch = {
            let mut progress = locked();
            let from = progress.next;
            let late = plan.limit.is_some_and(|limit| start.elapsed() > limit);
            if from >= plan.seeds.end || late {
                return;
            }
            progress.next = (from + BATCH).min(plan.seeds.end);
            from..progress.next
        };
        let kernels: Vec<Function> = batch.clone().map(plan.kernel).collect();
        let forms = plan.forms.unwrap_or(match batch.start / BATCH {
            n if n.is_multiple_of(8) => Forms::All,
            n if n.is_multiple_of(4) => Forms::Executed,
            _ => Forms::Own,
        });
        let outcomes = machine.compare(&kernels, forms);
        for ((seed, kernel), outcome) in batch.zip(&kernels).zip(outcomes) {
            if let Outcome::Different(difference) = &outcome {
                say(&format!("seed {seed}: {difference}"));
                if let Some(folder) = &plan.reduce {
                    say(&reduced_to(
                        folder,
                        &format!("seed_{seed}"),
                        machine,
                        kernel,
                        difference,
                        plan.patience,
                    ));
                }
            }
            let mut progress = locked();
            progress.cases += 1;
            match outcome {
                Outcome::Same => {}
                Outcome::Rejected => progress.rejected += 1,
                Outcome::Different(difference) => {
                    *progress.different.entry(difference.kind).or_default() += 1;
                }
            }
        }
        let mut progress = locked();
        if start.elapsed() - progress.said > Duration::from_secs(10) {
            progress.said = start.elapsed();
            say(&progress.words(progress.said));
        }
    }
}

impl Progress {
    fn words(&self, time: Duration) -> String {
        let per_second = self.cases as f64 / time.as_secs_f64();
        let kinds: Vec<String> =
            self.different.iter().map(|(kind, count)| format!(", {kind:?} {count}")).collect();
        let different: u64 = self.different.values().sum();
        format!(
            "{} cases in {} s ({per_second:.1} per second), up to seed {}: {} without a comparison, {different} \
             different{}",
            self.cases,
            time.as_secs(),
            self.next,
            self.rejected,
            kinds.concat(),
        )
    }
}

/// Makes a kernel small for no longer than `patience`, writes it to a folder under this name, and says how it differs.
///
/// # Panics
/// If the folder is not writable.
pub fn reduced_to(
    folder: &Path,
    name: &str,
    machine: &Machine,
    kernel: &Function,
    difference: &Difference,
    patience: Duration,
) -> String {
    let (small, how) = reduce::reduced(machine, kernel, difference, patience);
    let file = folder.join(format!("{name}.ir"));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, small.to_string()))
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    format!("{}: {how}\n{small}", file.display())
}
