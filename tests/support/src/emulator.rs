//! Modules compiled by `ocloc` and executed by `cm-simulator exec`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cm::Target;
use cm::ir::Function;
use cm::spirv::pointers;

use crate::arguments::{Argument, HEIGHT, WIDTH, grid};
use crate::ocloc::{Compiler, compile_all};
use crate::process;

/// The program that executes machine code, and the compiler that generates it.
#[derive(Debug)]
pub struct Emulator {
    program: PathBuf,
    compiler: Compiler,
    /// The compiled binaries, by device and module: many launches use the same kernel.
    compiled: Mutex<Binaries>,
}

/// Binaries by device and module.
type Binaries = HashMap<(String, Vec<u32>), Vec<u8>>;

/// One launch: the first surface of the kernel is the input, the second one the output, of the same size.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The module.
    pub module: &'a [u32],
    /// The device that the module is compiled for.
    pub device: &'a str,
    /// The name of its kernel.
    pub kernel: &'a str,
    /// The bytes of the input.
    pub input: &'a [u8],
    /// Bytes of a row.
    pub pitch: usize,
    /// Rows of each surface.
    pub rows: usize,
    /// Columns and rows of threads.
    pub grid: (usize, usize),
    /// The arguments by value, as `cm-simulator exec` takes them.
    pub arguments: &'a [String],
}

/// The time limit of an execution.
const LIMIT: Duration = Duration::from_secs(60);

/// More instructions per thread than any of these kernels needs, unless it does not end.
const INSTRUCTIONS: [&str; 2] = ["--instructions", "20000000"];

/// The locations of the arguments of a kernel in its binary.
#[derive(Clone, Debug)]
pub struct Binding {
    arguments: Vec<Bound>,
    /// The buffer parameters whose address the kernel also takes, and the location of the address.
    addresses: Vec<(usize, i64)>,
}

impl Binding {
    /// The address of a buffer and its location, if the kernel takes the address.
    fn address(&self, parameter: usize) -> Option<(u64, i64)> {
        let (_, offset) = self.addresses.iter().find(|(addressed, _)| *addressed == parameter)?;
        Some((0x6000_0000_0000 + ((parameter as u64) << 32), *offset))
    }
}

/// An argument, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Bound {
    parameter: usize,
    /// The index of a surface or buffer; -1 for other arguments, and for those that the kernel does not use.
    index: i64,
    /// The location of a part of a value, its size, and its offset in the value.
    offset: i64,
    size: i64,
    from: i64,
}

impl Emulator {
    /// Uses the installed compiler. Returns `None`, and prints the reason, if one of the programs is missing.
    #[must_use]
    pub fn find() -> Option<Self> {
        Self::with(Compiler::Installed)
    }

    /// Uses the newest compiler if `CM_NEWEST_OCLOC` names one, otherwise like [`find`](Self::find).
    #[must_use]
    pub fn newest_or_installed() -> Option<Self> {
        Self::with(Compiler::newest_or_installed())
    }

    fn with(compiler: Compiler) -> Option<Self> {
        if !matches!(compiler, Compiler::Newest(_)) && !crate::ocloc::present() {
            return None;
        }
        let found = std::env::var_os("CM_SIMULATOR_PROGRAM").map(PathBuf::from);
        if found.is_none() {
            println!(
                "skipped: CM_SIMULATOR_PROGRAM does not name `cm-simulator`, which executes machine code"
            );
        }
        found.map(|program| Self { program, compiler, compiled: Mutex::default() })
    }

    /// The compiler.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The devices whose code tests execute.
    #[must_use]
    pub fn devices(&self) -> &'static [(&'static str, Target)] {
        self.compiler.executed()
    }

    /// The command that executes machine code.
    fn exec(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("exec");
        if let Some(library) = self.compiler.disassembler() {
            command.env("CM_SIMULATOR_IGA", library);
        }
        command
    }

    /// Compiles a module to a binary in a folder. Returns its name.
    fn compile(&self, (module, device): (&[u32], &str), kernel: &str, folder: &Path) -> &'static str {
        let key = (device.to_owned(), module.to_vec());
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let binary = known().get(&key).cloned();
        let binary = binary.unwrap_or_else(|| {
            let made = compile_all(&self.compiler, &[(module, device)], folder).pop().expect("one result");
            let path = made.unwrap_or_else(|log| panic!("{kernel} on {device}: no binary: {log}"));
            let binary = fs::read(path).expect("a binary");
            known().insert(key, binary.clone());
            binary
        });
        fs::write(folder.join("kernel"), binary).expect("a binary on disk");
        "kernel"
    }

    /// The indices of the surfaces and buffers of a binary, and the locations of its arguments by value.
    fn arguments(&self, binary: &str, folder: &Path) -> (Vec<i64>, Vec<i64>) {
        let info = output(self.exec().args([binary, "--info"]), folder);
        let surfaces = numbers(&info, "\"bti\":").into_iter().filter(|&index| index >= 0).collect();
        // Arguments by value are in the order of the parameters. They are the arguments that have a size.
        let offsets =
            info.split("\"kind\":\"value\"").skip(1).map(|text| numbers(text, "\"offset\":")[0]).collect();
        (surfaces, offsets)
    }

    /// The buffers of a kernel after it has run. All parameters that are not numbers must be buffers.
    pub fn run_on_buffers(
        &self,
        (module, device): (&[u32], &str),
        kernel: &str,
        grid: (usize, usize),
        buffers: &[&[u8]],
        arguments: &[String],
    ) -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let binary = self.compile((module, device), kernel, folder);
        let (indices, offsets) = self.arguments(binary, folder);
        assert_eq!((indices.len(), offsets.len()), (buffers.len(), arguments.len()), "{kernel}");
        let mut command = self.exec();
        command.args([binary, "--grid", &grid.0.to_string(), &grid.1.to_string(), "1"]).args(INSTRUCTIONS);
        for (n, (index, bytes)) in indices.iter().zip(buffers).enumerate() {
            fs::write(folder.join(format!("buffer{n}")), bytes).unwrap();
            command.args(["--buffer", &format!("{index}=buffer{n},{}", bytes.len())]);
        }
        for (offset, argument) in offsets.iter().zip(arguments) {
            command.args(["--arg", &format!("{offset}={argument}")]);
        }
        output(&mut command, folder);
        (0..buffers.len()).map(|n| fs::read(folder.join(format!("buffer{n}"))).unwrap()).collect()
    }

    /// The locations of the arguments of a kernel in a binary for a target.
    ///
    /// # Errors
    /// If the binary is invalid, or has arguments that are not parameters.
    ///
    /// # Panics
    /// If the folder is not writable.
    pub fn binding(
        &self,
        binary: &Path,
        (function, target): (&Function, Target),
        folder: &Path,
    ) -> Result<Binding, String> {
        let info = process::run(self.exec().arg(binary).arg("--info"), folder, LIMIT);
        if !info.success {
            return Err(info.text);
        }
        let (mut arguments, mut addresses) = (vec![], vec![]);
        let addressed = pointers(function, target);
        for text in info.text.split("{\"n\":").skip(1) {
            let field = |name: &str| numbers(text, &format!("\"{name}\":")).first().copied().unwrap_or(-1);
            let parameter = text.split(',').next().and_then(|n| n.parse::<usize>().ok());
            // The addresses follow the parameters.
            let extra = parameter.and_then(|n| addressed.get(n.checked_sub(function.params.len())?));
            if let Some(buffer) = extra {
                addresses.push((*buffer, field("offset")));
                continue;
            }
            let Some(parameter) = parameter.filter(|n| *n < function.params.len()) else {
                return Err(format!("an argument without a parameter: {text}"));
            };
            let [index, offset, size, from] = ["bti", "offset", "size", "src_offset"].map(field);
            arguments.push(Bound { parameter, index, offset, size, from: from.max(0) });
        }
        Ok(Binding { arguments, addresses })
    }

    /// Executes the binary of a kernel on arguments, for each thread of [`grid`] in raster order. Returns the
    /// arguments afterwards.
    ///
    /// # Errors
    /// The reason why it stopped: a fault, or an instruction count so high that the program seems to run
    /// forever.
    ///
    /// # Panics
    /// If the folder is not writable.
    pub fn execute(
        &self,
        binary: &Path,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
        folder: &Path,
    ) -> Result<Vec<Argument>, String> {
        let (columns, rows) = grid(function);
        let mut command = self.exec();
        command.arg(binary).args(["--grid", &columns.to_string(), &rows.to_string(), "1"]);
        // Run threads in order: the winner of two writes to the same place is not a difference.
        command.args(["--scratch", "65536", "--threads", "1"]).args(INSTRUCTIONS);
        let mut after = arguments.to_vec();
        let mut files = vec![];
        for &Bound { parameter, index, offset, size, from } in &binding.arguments {
            let file = format!("argument{parameter}");
            match &arguments[parameter] {
                Argument::Surface(bytes) if index >= 0 => {
                    fs::write(folder.join(&file), bytes).expect("a surface on disk");
                    command.args(["--surface", &format!("{index}={file},{WIDTH},{HEIGHT},{WIDTH},1")]);
                    files.push((parameter, file));
                }
                Argument::Buffer(bytes) if index >= 0 || binding.address(parameter).is_some() => {
                    fs::write(folder.join(&file), bytes).expect("a buffer on disk");
                    let size = bytes.len();
                    match binding.address(parameter) {
                        None => _ = command.args(["--buffer", &format!("{index}={file},{size}")]),
                        Some((address, offset)) => {
                            command.args(["--mem", &format!("{address}={file},{size}")]);
                            command.args(["--arg", &format!("{offset}={address}:q")]);
                            if index >= 0 {
                                command.args(["--alias", &format!("{index}={address},{size}")]);
                            }
                        }
                    }
                    files.push((parameter, file));
                }
                Argument::Uniform(_, bytes) => {
                    for n in 0..size.max(0) {
                        let byte = bytes.get((from + n) as usize).copied().unwrap_or(0);
                        command.args(["--arg", &format!("{}={byte}:b", offset + n)]);
                    }
                }
                // Not used by the kernel.
                Argument::Surface(_) | Argument::Buffer(_) => {}
            }
        }
        let run = process::run(&mut command, folder, LIMIT);
        if !run.success {
            return Err(run.text);
        }
        for (parameter, file) in files {
            let bytes = fs::read(folder.join(file)).map_err(|error| error.to_string())?;
            match &mut after[parameter] {
                Argument::Surface(old) | Argument::Buffer(old) | Argument::Uniform(_, old) => *old = bytes,
            }
        }
        Ok(after)
    }

    /// Whether a binary tests a signed and an unsigned integer for equality. The simulator compares the
    /// numbers, Intel's compiler the bits; it is not known here what the hardware does.
    ///
    /// # Panics
    /// If the folder is not writable.
    pub fn misreads(&self, binary: &Path, folder: &Path) -> bool {
        let code = process::run(self.exec().arg(binary).arg("--disasm"), folder, LIMIT);
        code.text.lines().any(|line| {
            let types = line.split(">:").skip(2).filter_map(|rest| rest.split_whitespace().next());
            let (mut signed, mut unsigned) = (false, false);
            for ty in types {
                signed |= matches!(ty, "d" | "q");
                unsigned |= matches!(ty, "ud" | "uq");
            }
            let equality = line.contains("(ne)") || line.contains("(eq)");
            equality && signed && unsigned
        })
    }

    /// The bytes of the output surface; both surfaces have texels of one byte.
    pub fn run(&self, run: &Run<'_>) -> Vec<u8> {
        self.run_with(run, 1)
    }

    /// The same for a compiled module.
    ///
    /// # Panics
    /// If the folder for temporary files is not writable, and at a fault.
    pub fn run_binary(&self, binary: &[u8], run: &Run<'_>) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("kernel"), binary).unwrap();
        self.run_in(folder.path(), "kernel", run, 1)
    }

    /// The same for an input with texels of `texel` bytes.
    pub fn run_with(&self, run: &Run<'_>, texel: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let binary = self.compile((run.module, run.device), run.kernel, folder);
        self.run_in(folder, binary, run, texel)
    }

    fn run_in(&self, folder: &Path, binary: &str, run: &Run<'_>, texel: usize) -> Vec<u8> {
        fs::write(folder.join("input"), run.input).unwrap();
        let (surfaces, offsets) = self.arguments(binary, folder);
        let size = format!("{},{},{}", run.pitch, run.rows, run.pitch);
        let mut command = self.exec();
        command.args([binary, "--grid", &run.grid.0.to_string(), &run.grid.1.to_string(), "1"]);
        // Random programs may spill.
        command.args(["--scratch", "65536"]).args(INSTRUCTIONS);
        command.args(["--surface", &format!("{}=input,{size},{texel}", surfaces[0])]);
        command.args(["--surface", &format!("{}=-,{size},1,output", surfaces[1])]);
        for (offset, argument) in offsets.iter().zip(run.arguments) {
            command.args(["--arg", &format!("{offset}={argument}")]);
        }
        output(&mut command, folder);
        fs::read(folder.join("output")).unwrap_or_else(|_| vec![0; run.pitch * run.rows])
    }
}

/// The output of a program, which must succeed.
fn output(command: &mut Command, folder: &Path) -> String {
    let output = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// The numbers after every occurrence of a key.
fn numbers(text: &str, key: &str) -> Vec<i64> {
    text.split(key)
        .skip(1)
        .map(|rest| {
            let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse().unwrap()
        })
        .collect()
}
