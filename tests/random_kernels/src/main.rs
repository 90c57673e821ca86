//! Runs random kernels by every execution, reports the differences and makes their kernels small.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use cm::ir::Function;
use cm::spirv::{LowerError, lower, lower_for, lower_with_linear_surfaces};
use cm::{RegisterFile, Target};
use cm_random_kernels::difference::{Forms, Machine, Outcome};
use cm_random_kernels::run::{Plan, reduced_to, run, run_source};
use cm_random_kernels::{ir, rust};
use cm_test_support::ocloc::Compiler;

/// Runs random kernels by every execution of cm and compares.
///
/// A seed determines a kernel, on every machine. Kernels as IR need `ocloc`; where
/// `CM_NEWEST_OCLOC` names a newer compiler, they are compiled by that one for the newest devices. Each line
/// of progress says up to which seed all is done, so that a run can be stopped at any time and go on from there.
#[derive(Debug, Parser)]
struct Options {
    /// The first seed, and the one after the last.
    #[arg(long, value_name = "FROM..TO", value_parser = seeds, default_value = "0..1000000")]
    seeds: Range<u64>,
    /// What the kernels are.
    #[arg(long, value_enum, default_value = "ir")]
    form: Form,
    /// Makes the kernel of each difference small, and writes its text to this folder.
    #[arg(long, value_name = "FOLDER")]
    reduce: Option<PathBuf>,
    /// How many minutes one kernel is made small.
    #[arg(long, value_name = "MINUTES", default_value_t = 5)]
    patience: u64,
    /// Cases that run at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Stops after so many minutes.
    #[arg(long)]
    minutes: Option<u64>,
    /// Runs every kernel as IR in every form: of each newer GPU, and the one for larger registers. Otherwise only
    /// some are.
    #[arg(long)]
    devices: bool,
    /// Runs kernels as IR on this device alone.
    #[arg(long, value_parser = device, conflicts_with = "devices")]
    device: Option<&'static str>,
    /// Prints the kernels instead.
    #[arg(long)]
    print: bool,
    /// With texts: writes their modules, `NAME.Gen9.spv` and so on, to this folder as well; those with surfaces in
    /// buffers as `NAME.Xe-HPC.linear.spv`.
    #[arg(long, value_name = "FOLDER")]
    modules: Option<PathBuf>,
    /// Runs the kernels of these texts instead.
    files: Vec<PathBuf>,
}

impl Options {
    /// The forms of every kernel, if all have the same.
    fn forms(&self) -> Option<Forms> {
        self.device.map(Forms::Device).or_else(|| self.devices.then_some(Forms::All))
    }
}

/// What kernels are.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// IR, run by the interpreter and as machine code.
    Ir,
    /// As `ir`, but blocks of 3 to 64 columns, most of them odd, with the operations of ordinary kernels only.
    Odd,
    /// Rust source, run on the CPU with every instruction set and 1 and 2 threads, by the interpreter, and on
    /// Level Zero if there is a device.
    Rust,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parts = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let Some((from, to)) = parts else { return Err("expected two numbers, as in `0..1000`".into()) };
    if from < to { Ok(from..to) } else { Err("there is no seed between these".into()) }
}

fn device(text: &str) -> Result<&'static str, String> {
    let compiler = Compiler::newest_or_installed();
    let known: Vec<_> = compiler.devices().iter().map(|(device, _)| *device).collect();
    let found = known.iter().find(|device| **device == text);
    found.copied().ok_or_else(|| format!("the devices are {}", known.join(", ")))
}

fn main() -> ExitCode {
    let options = Options::parse();
    if options.print {
        options.seeds.for_each(|seed| match options.form {
            Form::Ir => println!("{}", ir::function(seed)),
            Form::Odd => println!("{}", ir::odd(seed)),
            Form::Rust => println!("{}", rust::program(seed).source("random")),
        });
        return ExitCode::SUCCESS;
    }
    if !options.files.is_empty() {
        return texts(&options);
    }
    let minutes = options.minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let plan = Plan {
        forms: options.forms(),
        seeds: options.seeds,
        kernel: if matches!(options.form, Form::Odd) { ir::odd } else { ir::function },
        jobs: options.jobs.max(1),
        limit: minutes,
        reduce: options.reduce,
        patience: Duration::from_secs(60 * options.patience),
    };
    let say = |line: &str| println!("{line}");
    let different = match options.form {
        Form::Ir | Form::Odd => run(&plan, &say),
        Form::Rust => Some(run_source(&plan, &say)),
    };
    if different == Some(0) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the kernels of files.
fn texts(options: &Options) -> ExitCode {
    let Some(machine) = Machine::find() else { return ExitCode::FAILURE };
    let (mut different, patience) = (0, Duration::from_secs(60 * options.patience));
    for file in &options.files {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        };
        let function = match cm::text::parse(&text) {
            Ok(function) => function,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        };
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(folder) = &options.modules
            && let Err(error) = modules(&function, folder, &name)
        {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
        match machine.compare(std::slice::from_ref(&function), options.forms().unwrap_or(Forms::All)).pop() {
            Some(Outcome::Different(difference)) => {
                different += 1;
                println!("{}: {difference}", file.display());
                if let Some(folder) = &options.reduce {
                    println!("{}", reduced_to(folder, &name, &machine, &function, &difference, patience));
                }
            }
            Some(Outcome::Rejected) => println!("{}: nothing to compare", file.display()),
            _ => println!("{}: the same", file.display()),
        }
    }
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the modules of a kernel for the targets that have one.
fn modules(function: &Function, folder: &Path, name: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for target in Target::ALL {
        let write = |module: Result<Vec<u32>, LowerError>, name: String| match module {
            Ok(module) => {
                let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
                fs::write(folder.join(name), bytes)
            }
            Err(_) => Ok(()),
        };
        // Kernels for larger register files may have no module for the standard one.
        let large = |_| lower_for(function, *target, RegisterFile::Large);
        write(lower(function, *target).or_else(large), format!("{name}.{target}.spv"))?;
        if !target.has_media_blocks() {
            let linear = |registers| lower_with_linear_surfaces(function, *target, registers);
            let module = linear(RegisterFile::Standard).or_else(|_| linear(RegisterFile::Large));
            write(module, format!("{name}.{target}.linear.spv"))?;
        }
    }
    Ok(())
}
