//! Kernels run by the interpreter and as machine code, and how the two differ.

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use cm::interpret::InterpretError;
use cm::ir::Function;
use cm::spirv::{LowerError, lower_in_form, lower_with_linear_surfaces, validate};
use cm::text::parse;
use cm::verify::verify;
use cm::{RegisterFile, Target};
use cm_test_support::arguments::{Argument, Pattern, arguments, interpreted};
use cm_test_support::emulator::Emulator;
use cm_test_support::ocloc::compile_all;
use tempfile::TempDir;

/// What happened to a kernel.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every execution gave the bytes of the interpreter.
    Same,
    /// There was nothing to compare: the kernel does not fit the register file, or runs for too long, or
    /// the emulator executes its code in another way than the hardware.
    Rejected,
    /// Something is wrong.
    Different(Difference),
}

/// The modules that are made of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forms {
    /// The one for the oldest GPU that the compiler is taken for.
    Own,
    /// Also the one for larger registers, which Gen9 can execute too.
    Executed,
    /// Only the one for the device of this name.
    Device(&'static str),
    /// Those of all.
    All,
}

/// Which part of the way from a kernel to its bytes went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The verifier, the text or the interpreter refuses the kernel: the generator's fault or theirs.
    Kernel,
    /// There is no module, or not a valid one.
    Module,
    /// Intel's compiler refuses the module, crashes, or does not end.
    Compiler,
    /// The machine code faults, or does not end.
    Execution,
    /// It gives other bytes.
    Bytes,
}

/// How executions of a kernel differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What went wrong.
    pub kind: Kind,
    /// The form of the module.
    pub target: Target,
    /// Whether its surfaces are in buffers.
    pub linear: bool,
    /// The device that it was compiled for, as far as it came.
    pub device: Option<&'static str>,
    /// Words for the report.
    pub what: String,
}

impl Difference {
    /// Whether the other is one of the same cause, as far as that shows.
    pub fn is_like(&self, other: &Self) -> bool {
        let cause = |of: &Self| (of.kind, of.target, of.linear, of.device);
        cause(self) == cause(other)
    }

    /// The fewest modules that show it.
    pub fn forms(&self) -> Forms {
        match self.device {
            Some(device) if device != OLDEST => Forms::Device(device),
            _ => Forms::Executed,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, in the form for {}", self.kind, self.target)?;
        if self.linear {
            write!(f, " with surfaces in buffers")?;
        }
        if let Some(device) = self.device {
            write!(f, " on {device}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// The programs that compile and execute modules, and a folder for them.
#[derive(Debug)]
pub struct Machine {
    emulator: Emulator,
    folder: TempDir,
}

/// A module on its way, for the kernel of this number.
struct Job {
    kernel: usize,
    target: Target,
    /// Whether surfaces are in buffers.
    linear: bool,
    device: &'static str,
    module: Vec<u32>,
}

impl Machine {
    /// The programs; `None`, and words why, if one is missing.
    ///
    /// # Panics
    /// If there is no folder for temporary files.
    pub fn find() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        Emulator::newest_or_installed().map(|emulator| Self { emulator, folder })
    }

    /// Runs kernels in these forms: what happened to each.
    pub fn compare(&self, kernels: &[Function], forms: Forms) -> Vec<Outcome> {
        let mut outcomes = vec![];
        let mut expected = vec![];
        let mut jobs = vec![];
        for (kernel, function) in kernels.iter().enumerate() {
            match self.prepare(kernel, function, forms, &mut jobs) {
                Ok(Some(bytes)) => {
                    outcomes.push(Outcome::Same);
                    expected.push(bytes);
                }
                Ok(None) => {
                    outcomes.push(Outcome::Rejected);
                    expected.push(vec![]);
                }
                Err(difference) => {
                    outcomes.push(Outcome::Different(difference));
                    expected.push(vec![]);
                }
            }
        }
        let modules: Vec<(&[u32], &str)> = jobs.iter().map(|job| (&job.module[..], job.device)).collect();
        let binaries = compile_all(self.emulator.compiler(), &modules, self.folder.path());
        for (job, binary) in jobs.iter().zip(binaries) {
            if matches!(outcomes[job.kernel], Outcome::Different(_)) {
                continue;
            }
            let result = match binary {
                Err(error) => Err((Kind::Compiler, error)),
                Ok(binary) => self.execute(&binary, &kernels[job.kernel], job, &expected[job.kernel]),
            };
            match result {
                Ok(true) => {}
                // The others say enough.
                Ok(false) if forms == Forms::All && job.device != OLDEST => {}
                Ok(false) => outcomes[job.kernel] = Outcome::Rejected,
                Err((kind, what)) => {
                    let (target, linear, device) = (job.target, job.linear, Some(job.device));
                    let difference = Difference { kind, target, linear, device, what };
                    outcomes[job.kernel] = Outcome::Different(difference);
                }
            }
        }
        outcomes
    }

    /// The modules of a kernel, and what it does to the arguments of each pattern.
    fn prepare(
        &self,
        kernel: usize,
        function: &Function,
        forms: Forms,
        jobs: &mut Vec<Job>,
    ) -> Result<Option<Vec<Expected>>, Difference> {
        let wrong = |kind, (target, linear), what| Difference { kind, target, linear, device: None, what };
        let malformed = |what| wrong(Kind::Kernel, (Target::Gen9, false), what);
        verify(function).map_err(|error| malformed(error.to_string()))?;
        if parse(&function.to_string()).as_ref() != Ok(function) {
            return Err(malformed("its text is that of another kernel".into()));
        }
        let mut expected = vec![];
        for pattern in Pattern::ALL {
            let before = arguments(function, pattern);
            match interpreted(function, &before) {
                Ok(after) => expected.push(Expected { before, after }),
                Err(InterpretError::Budget { .. }) if pattern == Pattern::Noise => return Ok(None),
                // What these bytes ask for does not end.
                Err(InterpretError::Budget { .. }) => {}
                Err(error) => return Err(malformed(error.to_string())),
            }
        }
        let mut modules = vec![];
        let first = self.emulator.devices()[0].0;
        for &(device, target) in self.emulator.compiler().devices() {
            let is_wanted = match forms {
                Forms::Own | Forms::Executed => device == first,
                Forms::Device(wanted) => device == wanted,
                Forms::All => self.emulator.devices().iter().any(|(executed, _)| *executed == device),
            };
            if !is_wanted {
                continue;
            }
            modules.push((device, target, (target, false)));
            if !target.has_media_blocks() {
                // Launches use this form there.
                modules.push((device, target, (target, true)));
            }
            if device == OLDEST && matches!(forms, Forms::Executed | Forms::All) {
                modules.push((device, target, (Target::XeHpc, false)));
            }
        }
        let mut compiled = 0;
        // Modules for other registers have the instructions of the GPU that executes them.
        for (device, instructions, form) in modules {
            let (target, linear) = form;
            let module = catch_unwind(AssertUnwindSafe(|| match linear {
                true => lower_with_linear_surfaces(function, target, RegisterFile::Standard),
                false => lower_in_form(function, target, instructions),
            }));
            let module = match module {
                Ok(Ok(module)) => module,
                Ok(Err(LowerError::Registers { .. })) => continue,
                Ok(Err(LowerError::Unsupported { .. })) if device != OLDEST => continue,
                Ok(Err(error)) => return Err(wrong(Kind::Module, form, error.to_string())),
                Err(_) => return Err(wrong(Kind::Module, form, "the lowering panics".into())),
            };
            validate(&module).map_err(|error| wrong(Kind::Module, form, error.to_string()))?;
            compiled += 1;
            jobs.push(Job { kernel, target, linear, device, module });
        }
        Ok((compiled > 0).then_some(expected))
    }

    /// Whether there was something to compare.
    fn execute(
        &self,
        binary: &Path,
        function: &Function,
        job: &Job,
        expected: &[Expected],
    ) -> Result<bool, (Kind, String)> {
        // The form for other registers differs from the first one in few places.
        let patterns = if job.target == Target::Gen9 { expected } else { &expected[..1] };
        let binary = fs::read(binary).expect("a binary");
        let code = self.emulator.code(&binary).map_err(|error| (Kind::Execution, error))?;
        let binding = match job.linear {
            true => code.linear_binding(function, job.target),
            false => code.binding(function, job.target),
        };
        let binding = binding.map_err(|error| (Kind::Compiler, error))?;
        for Expected { before, after } in patterns {
            let found = catch_unwind(AssertUnwindSafe(|| match job.linear {
                true => code.execute_in_buffers((function, &binding), before),
                false => code.execute((function, &binding), before),
            }));
            let wrong = match found {
                Ok(Ok(found)) => first_difference(function, &found, after).map(|what| (Kind::Bytes, what)),
                Ok(Err(error)) => Some((Kind::Execution, error)),
                Err(_) => Some((Kind::Execution, "the simulator panics".into())),
            };
            if let Some(wrong) = wrong {
                return if code.is_ambiguous() { Ok(false) } else { Err(wrong) };
            }
        }
        Ok(true)
    }
}

/// The device whose machine code is executed in several forms.
const OLDEST: &str = "skl";

/// The arguments before and after a kernel.
struct Expected {
    before: Vec<Argument>,
    after: Vec<Argument>,
}

fn first_difference(function: &Function, found: &[Argument], expected: &[Argument]) -> Option<String> {
    for ((param, found), expected) in function.params.iter().zip(found).zip(expected) {
        let pairs = || found.bytes().iter().zip(expected.bytes());
        let Some(at) = pairs().position(|(found, expected)| found != expected) else { continue };
        let (count, name) = (pairs().filter(|(found, expected)| found != expected).count(), &param.name);
        let (found, expected) = (found.bytes()[at], expected.bytes()[at]);
        return Some(format!("{count} bytes of `{name}`: byte {at} is {found}, not {expected}"));
    }
    None
}
