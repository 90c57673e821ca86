//! Shared code of the programs: arguments, running on a device and on the CPU, comparing, and reporting in a
//! line.

pub mod picture;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use cm::prelude::*;
use picture::Picture;

/// The answer to `-h` and `--help`. [`reported`] prints it, and the program succeeds.
#[derive(Debug)]
struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The arguments of a program, `[SIZE]` or `[SIZE] [OUTPUT.png]`.
#[derive(Clone, Debug)]
pub struct Arguments {
    size: usize,
    output: Option<PathBuf>,
}

impl Arguments {
    /// `[SIZE]`, a number that `fits` accepts; `rule` describes the accepted numbers.
    ///
    /// # Errors
    /// If it is not such a number, or if there is another argument; also for `--help`.
    pub fn size(default: usize, rule: &str, fits: impl Fn(usize) -> bool) -> anyhow::Result<Self> {
        let arguments = Self::parsed("[SIZE]", default, rule, fits)?;
        ensure!(arguments.output.is_none(), "too many arguments: give only {rule}");
        Ok(arguments)
    }

    /// `[SIZE] [OUTPUT.png]`: the second argument is the file for the picture.
    ///
    /// # Errors
    /// If the first one is not a number that `fits` accepts, or if there is a third one; also for `--help`.
    pub fn size_and_picture(
        default: usize,
        rule: &str,
        fits: impl Fn(usize) -> bool,
    ) -> anyhow::Result<Self> {
        Self::parsed("[SIZE] [OUTPUT.png]", default, rule, fits)
    }

    /// The size.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.size
    }

    fn parsed(form: &str, default: usize, rule: &str, fits: impl Fn(usize) -> bool) -> anyhow::Result<Self> {
        let mut given = std::env::args_os();
        let program = given.next().map(PathBuf::from);
        let mut given = given.peekable();
        if given.peek().is_some_and(|text| text == "-h" || text == "--help") {
            let name = program.as_deref().and_then(Path::file_stem).unwrap_or_default().display();
            bail!(Usage(format!("usage: {name} {form}\nSIZE is {rule}, by default {default}.")));
        }
        let size = match given.next() {
            None => default,
            Some(text) => {
                let number = text.to_str().and_then(|text| text.parse().ok());
                number.with_context(|| format!("`{}` is not a size: give {rule}", text.display()))?
            }
        };
        ensure!(fits(size), "{size} is not a possible size: give {rule}");
        let output = given.next().map(PathBuf::from);
        ensure!(
            given.next().is_none(),
            "too many arguments: give {rule}, and the name of a picture to write"
        );
        Ok(Self { size, output })
    }
}

/// The result of a program, already compared with plain loops.
#[derive(Clone, Debug)]
pub struct Computed {
    what: String,
    bytes: Vec<u8>,
    kernels: Duration,
    loops: Duration,
    floats_within: Option<f32>,
    picture: Option<Picture>,
    table: String,
}

impl Computed {
    /// `what` describes the work as the start of a sentence; `bytes` are the results; the times are those of
    /// the kernels and of the plain loops.
    #[must_use]
    pub fn new(what: String, bytes: Vec<u8>, kernels: Duration, loops: Duration) -> Self {
        Self { what, bytes, kernels, loops, floats_within: None, picture: None, table: String::new() }
    }

    /// Adds a picture, which is written if the command line names a file.
    #[must_use]
    pub fn with_picture(self, picture: Picture) -> Self {
        Self { picture: Some(picture), ..self }
    }

    /// Adds lines to print before the summary.
    #[must_use]
    pub fn with_table(self, table: String) -> Self {
        Self { table, ..self }
    }

    /// Declares that the results are `f32` and may differ by at most `bound` between devices, because GPUs
    /// approximate some functions.
    #[must_use]
    pub fn with_floats_within(self, bound: f32) -> Self {
        Self { floats_within: Some(bound), ..self }
    }

    /// Compares with the results of the CPU. Returns a description of the outcome.
    fn compared(&self, on_cpu: &Self) -> anyhow::Result<String> {
        let Some(bound) = self.floats_within else {
            ensure!(self.bytes == on_cpu.bytes, "the GPU and the CPU differ");
            return Ok("the same bytes".to_owned());
        };
        let [here, there] = [self, on_cpu].map(|computed| floats(&computed.bytes));
        ensure_close(&here, &there, bound).context("the GPU and the CPU differ")?;
        Ok(format!("the same within {bound:e}"))
    }
}

/// Runs a program on [`Device::best`], which `CM_DEVICE` selects, and also on the CPU if that is a GPU. It is
/// an error if the results differ. Prints a summary and the speed.
pub fn on_devices(
    arguments: anyhow::Result<Arguments>,
    run: impl Fn(&Device, usize) -> anyhow::Result<Computed>,
) -> ExitCode {
    reported(|| {
        let Arguments { size, output } = arguments?;
        let run = |device: &Device| run(device, size).with_context(|| device.name().to_owned());
        let device = Device::best()?;
        let computed = run(&device)?;
        let Computed { what, kernels, loops, .. } = &computed;
        let [kernels, loops] = [*kernels, *loops].map(milliseconds);
        let mut line = format!("{}: {what} in {kernels}; plain loops take {loops}", device.name());
        if device.is_gpu() {
            let on_cpu = run(&Device::cpu()?)?;
            let same = computed.compared(&on_cpu)?;
            line += &format!("; the CPU gave {same} in {}", milliseconds(on_cpu.kernels));
        }
        if let (Some(path), Some(picture)) = (output, computed.picture) {
            picture.write(&path)?;
            line += &format!("; written to {}", path.display());
        }
        say(format_args!("{}{line}", computed.table));
        Ok(())
    })
}

/// Prints a line. It is lost if the standard output is closed, as by `| head -1`.
pub fn say(line: impl fmt::Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Runs a program, and prints its error or the answer to `--help`.
pub fn reported(run: impl FnOnce() -> anyhow::Result<()>) -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Usage>() => {
            say(error);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A value, and the time that its computation took.
pub fn timed<T>(compute: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = compute();
    (value, start.elapsed())
}

/// Pseudo-random numbers, the same in each run.
pub fn numbers(seed: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(seed ^ 0x9e37_79b9), |&n| {
        let n = n ^ (n << 13);
        let n = n ^ (n >> 17);
        Some(n ^ (n << 5))
    })
}

/// The bytes of numbers, by `to_le_bytes` of their type.
pub fn bytes<T: Copy, const N: usize>(values: &[T], to_bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| to_bytes(value)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Checks that floats differ by at most `bound`, relative to numbers above 1.
///
/// # Errors
/// If they differ by more; it names the first such number.
pub fn ensure_close(found: &[f32], expected: &[f32], bound: f32) -> anyhow::Result<()> {
    ensure!(found.len() == expected.len(), "{} numbers, not {}", found.len(), expected.len());
    for (n, (&a, &b)) in found.iter().zip(expected).enumerate() {
        // A NaN is not close to anything.
        let close = (a - b).abs() <= bound * b.abs().max(1.0);
        ensure!(close, "number {n} is {a}, not {b} within {bound:e}");
    }
    Ok(())
}
