//! Runs Intel's offline compiler on a module, and reads its output.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use cm::RegisterFile;
use cm::ir::Function;
use cm::spirv::{LowerError, Target, lower, lower_with_linear_surfaces};
use object::{Object, ObjectSection, ObjectSymbol};
use rayon::prelude::*;

use crate::process::is_required;

/// The devices of the installed compiler that kernels are compiled for, with the matching targets.
pub const DEVICES: [(&str, Target); 4] =
    [("skl", Target::Gen9), ("tgllp", Target::XeLp), ("dg2-g10", Target::XeHpg), ("pvc", Target::XeHpc)];

/// The devices that [newer](Compiler::Newest) compilers support, some of them also the installed one, with
/// the matching targets.
pub const DEVICES_OF_NEWEST: [(&str, Target); 8] = [
    ("tgllp", Target::XeLp),
    ("dg2-g10", Target::XeHpg),
    ("mtl-h", Target::XeLpg),
    ("pvc", Target::XeHpc),
    ("bmg", Target::Xe2),
    ("lnl-m", Target::Xe2),
    ("ptl-h", Target::Xe3),
    ("nvl-p", Target::Xe3p),
];

/// The devices that only newer compilers support and whose code is executed: one of each generation.
pub const EXECUTED_OF_NEWEST: [(&str, Target); 2] = [("bmg", Target::Xe2), ("ptl-h", Target::Xe3)];

/// Whether all kernels are compiled for all devices, which takes long: with `CM_EVERY_DEVICE=1`.
pub fn every_device() -> bool {
    std::env::var("CM_EVERY_DEVICE").as_deref() == Ok("1")
}

/// The module that launches on this target use: with surfaces in buffers if the GPUs lack media blocks.
///
/// # Errors
/// As [`lower`].
pub fn lower_as_launched(kernel: &Function, target: Target) -> Result<Vec<u32>, LowerError> {
    if target.has_media_blocks() {
        lower(kernel, target)
    } else {
        lower_with_linear_surfaces(kernel, target, RegisterFile::Standard)
    }
}

/// The compiler output for a kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The number of instructions.
    pub instructions: usize,
    /// The machine code as text.
    pub assembly: String,
    /// The binary.
    pub binary: Vec<u8>,
}

impl Compiled {
    /// The number of instructions that start with this mnemonic, ignoring predicates.
    pub fn count(&self, mnemonic: &str) -> usize {
        self.assembly
            .lines()
            .filter(|line| !line.starts_with("//"))
            .filter(|line| {
                line.trim_start()
                    .trim_start_matches(|c| c != ')')
                    .trim_start_matches(") ")
                    .starts_with(mnemonic)
                    || line.trim_start().starts_with(mnemonic)
            })
            .count()
    }
}

/// Whether the compiler is installed. If not, tests report that they are skipped, unless
/// [`CM_REQUIRE_OCLOC`](is_required) is set.
pub fn present() -> bool {
    if Command::new("ocloc").arg("--help").output().is_ok() {
        return true;
    }
    skipped("there is no `ocloc` (Debian: apt-get install intel-opencl-icd)")
}

/// Reports that tests are skipped, or fails if they must not be.
fn skipped(why: &str) -> bool {
    assert!(!is_required("CM_REQUIRE_OCLOC"), "CM_REQUIRE_OCLOC is set, but {why}");
    println!("skipped: {why}");
    false
}

/// The driver that comes with the compiler whose counts of instructions are committed.
const COUNTED: &str = "22.43.24595";

/// Whether the committed counts of instructions are those of the installed compiler. If not, tests report that they are
/// skipped.
///
/// # Panics
/// As [`present`], and for another compiler if `CM_REQUIRE_OCLOC` is set.
pub fn is_counted() -> bool {
    if !present() {
        return false;
    }
    let found = driver_version().unwrap_or_default();
    if found == COUNTED {
        return true;
    }
    skipped(&format!(
        "the counts are those of IGC 1.0.12504 of Debian 12, whose driver is {COUNTED}, not {found}"
    ))
}

/// The version of the driver that the compiler belongs to. The compiler writes it to a file in its folder.
fn driver_version() -> Option<String> {
    let dir = tempfile::tempdir().ok()?;
    let mut ocloc = Command::new("ocloc");
    ocloc.args(["query", "OCL_DRIVER_VERSION"]).current_dir(dir.path()).output().ok()?;
    let version = fs::read_to_string(dir.path().join("OCL_DRIVER_VERSION")).ok()?;
    // It ends with a zero.
    Some(version.trim_end_matches('\0').trim().to_owned())
}

/// Compiles a module with one kernel.
///
/// Everything that would fail in a driver is an error: a failed build, a warning, no kernel, unresolved
/// functions, a spill.
pub fn compile(module: &[u32], kernel: &str, device: &str) -> Result<Compiled, String> {
    compile_with(module, kernel, device, "")
}

/// Whether a module compiles without spills with a register file of `registers` registers.
pub fn fits(module: &[u32], kernel: &str, device: &str, registers: usize) -> bool {
    compile_with(module, kernel, device, &format!(" -Xfinalizer -TotalGRFNum -Xfinalizer {registers}"))
        .is_ok()
}

fn compile_with(module: &[u32], kernel: &str, device: &str, options: &str) -> Result<Compiled, String> {
    let options = format!("{} -ze-enable-zebin{options}", RegisterFile::Standard.build_options());
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let dir = dir.path();
    let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(dir.join("module.spv"), bytes).map_err(|e| e.to_string())?;
    let output = Command::new("ocloc")
        .args(["compile", "-spirv_input", "-file", "module.spv", "-device", device])
        .args(["-options", &options, "-output", "kernel", "-output_no_suffix"])
        .env("IGC_ShaderDumpEnable", "1")
        .env("IGC_DumpToCustomDir", dir)
        .current_dir(dir)
        .output()
        .map_err(|e| format!("ocloc does not start: {e}"))?;
    let log = [output.stdout, output.stderr].concat();
    let log = String::from_utf8_lossy(&log);
    if !output.status.success() {
        let reasons = texts(dir, "errors.txt").join("\n");
        return Err(format!("the build failed: {log}\n{reasons}"));
    }
    if log.to_lowercase().contains("warning") {
        return Err(format!("the compiler warns: {log}"));
    }
    let binary = fs::read(dir.join("kernel")).map_err(|e| format!("no binary: {e}"))?;
    check(&binary, kernel)?;
    let wanted = format!("//.kernel {kernel}");
    let assembly = texts(dir, ".asm")
        .into_iter()
        .find(|text| text.lines().any(|line| line.trim_end() == wanted))
        .ok_or("the compiler emitted no kernel")?;
    // The binary does not report spills if options reduce the register file.
    if let Some(spill) = header(&assembly, "//.spill size ") {
        return Err(format!("{spill} bytes are spilled"));
    }
    let instructions = header(&assembly, "//.instCount ").ok_or("no count of instructions")?;
    Ok(Compiled { instructions, assembly, binary })
}

/// A kernel of OpenCL C. The compiler puts several work items in a thread.
#[derive(Clone, Debug)]
pub struct Simt {
    /// Its name.
    pub kernel: String,
    /// The number of work items of a thread.
    pub lanes: usize,
    /// The number of instructions of a thread.
    pub instructions: usize,
}

/// Compiles a program in OpenCL C.
///
/// # Errors
/// The message of the compiler.
pub fn compile_opencl(source: &Path, device: &str) -> Result<Vec<Simt>, String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let dir = dir.path();
    let output = Command::new("ocloc")
        .args(["compile", "-device", device, "-output", "kernels", "-output_no_suffix", "-file"])
        .arg(source)
        .env("IGC_ShaderDumpEnable", "1")
        .env("IGC_DumpToCustomDir", dir)
        .current_dir(dir)
        .output()
        .map_err(|e| format!("ocloc does not start: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned());
    }
    let kernels = files(dir, ".asm").into_iter().map(|(path, assembly)| {
        // Only the file names contain the width: `.._simd32_entry_0001.asm`.
        let lanes = path.to_string_lossy().rsplit_once("_simd")?.1.split('_').next()?.parse().ok()?;
        let kernel = assembly.lines().find_map(|line| line.strip_prefix("//.kernel "))?.trim().to_owned();
        Some(Simt { kernel, lanes, instructions: header(&assembly, "//.instCount ")? })
    });
    kernels.collect::<Option<_>>().ok_or_else(|| "a kernel without its width or count of instructions".into())
}

/// Checks that a driver can run a binary: it has the kernel, all symbols are resolved, and it does not spill.
///
/// # Errors
/// The reason why it cannot.
pub fn check(binary: &[u8], kernel: &str) -> Result<(), String> {
    let binary = object::File::parse(binary).map_err(|e| format!("the binary is not ELF: {e}"))?;
    if binary.section_by_name(&format!(".text.{kernel}")).is_none() {
        return Err("the compiler emitted no kernel".into());
    }
    // Symbols that drivers fill in.
    let patched = |name: &str| name.starts_with("__INTEL_PATCH") || name == "__INTEL_PER_THREAD_OFF";
    let unresolved: Vec<&str> = binary
        .symbols()
        .filter(ObjectSymbol::is_undefined)
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| !name.is_empty() && !patched(name))
        .collect();
    if !unresolved.is_empty() {
        return Err(format!("unresolved: {unresolved:?}"));
    }
    let info = binary.section_by_name(".ze_info").and_then(|section| section.data().ok());
    let info = String::from_utf8_lossy(info.ok_or("the binary does not describe its kernels")?).into_owned();
    if let Some(spilled) = info.split_once("spill_size:") {
        let bytes = spilled.1.lines().next().unwrap_or_default();
        return Err(format!("{} bytes are spilled", bytes.trim()));
    }
    Ok(())
}

/// A compiler that compiles many modules in one run.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: Program,
    registers: RegisterFile,
}

#[derive(Clone, Debug)]
enum Program {
    /// The installed one.
    Installed,
    /// The installed one, with options so that the binaries of every device [show what they lack](check).
    Checked,
    /// A newer one.
    Newest(PathBuf),
}

impl Compiler {
    /// The installed compiler.
    #[must_use]
    pub fn installed() -> Self {
        Self { program: Program::Installed, registers: RegisterFile::Standard }
    }

    /// The same for a register file of this size.
    #[must_use]
    pub fn with_registers(self, registers: RegisterFile) -> Self {
        Self { registers, ..self }
    }

    /// Whether it is not the installed one.
    #[must_use]
    pub fn is_newest(&self) -> bool {
        matches!(self.program, Program::Newest(_))
    }

    /// The compiler that `CM_NEWEST_OCLOC` names. Without the variable, it prints that a test is skipped.
    pub fn newest() -> Option<Self> {
        let newest = Self::named_newest();
        if newest.is_none() {
            println!("skipped: CM_NEWEST_OCLOC does not name a newer `ocloc` (sh tests/newest_compiler.sh)");
        }
        newest
    }

    /// The compiler that `CM_NEWEST_OCLOC` names; without the variable, the installed one.
    #[must_use]
    pub fn newest_or_installed() -> Self {
        Self::named_newest().unwrap_or_else(Self::installed)
    }

    fn named_newest() -> Option<Self> {
        let program = Program::Newest(std::env::var_os("CM_NEWEST_OCLOC")?.into());
        Some(Self { program, ..Self::installed() })
    }

    /// The devices that it compiles for.
    #[must_use]
    pub fn devices(&self) -> &'static [(&'static str, Target)] {
        match &self.program {
            Program::Installed | Program::Checked => &DEVICES,
            Program::Newest(_) => &DEVICES_OF_NEWEST,
        }
    }

    /// The devices whose code tests execute; for the newest compiler, those that only it supports.
    #[must_use]
    pub fn executed(&self) -> &'static [(&'static str, Target)] {
        match &self.program {
            Program::Installed | Program::Checked => &DEVICES,
            Program::Newest(_) => &EXECUTED_OF_NEWEST,
        }
    }

    /// The disassembler for its output, if that is not the installed one: the library beside the program.
    #[must_use]
    pub fn disassembler(&self) -> Option<PathBuf> {
        match &self.program {
            Program::Installed | Program::Checked => None,
            Program::Newest(program) => {
                Some(program.with_file_name("libiga64.so.2")).filter(|library| library.exists())
            }
        }
    }

    fn program(&self) -> &Path {
        match &self.program {
            Program::Installed | Program::Checked => Path::new("ocloc"),
            Program::Newest(program) => program,
        }
    }

    /// Drivers of Gen9 need another kind of binary; newer compilers generate only this kind.
    fn options(&self, device: &str) -> String {
        let options = self.registers.build_options();
        let zebin = match self.program {
            Program::Installed if device == "skl" => "",
            Program::Installed | Program::Checked => " -ze-enable-zebin",
            Program::Newest(_) => "",
        };
        format!("\"{options}{zebin}\"")
    }

    /// The output option that names a binary `N.bin`: newer compilers append the extension themselves.
    fn output(&self, n: usize) -> String {
        match &self.program {
            Program::Installed | Program::Checked => format!("{n}.bin"),
            Program::Newest(_) => n.to_string(),
        }
    }
}

/// Compiles many modules with few runs of the compiler, on all cores, and none that this process has compiled before.
/// Returns for each the file of its binary in `folder`, or the error. A crash affects only the module that caused it.
///
/// # Panics
/// If the folder is not writable, or the compiler does not start.
pub fn compile_all(
    compiler: &Compiler,
    modules: &[(&[u32], &str)],
    folder: &Path,
) -> Vec<Result<PathBuf, String>> {
    let key = |&(module, device): &(&[u32], &str)| Key {
        program: compiler.program().to_owned(),
        device: device.to_owned(),
        options: compiler.options(device),
        module: module.to_vec(),
    };
    let known = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all: Vec<_> = modules.iter().map(|module| known().get(&key(module)).cloned().map(Ok)).collect();
    let unknown: Vec<_> =
        modules.iter().zip(&all).filter(|(_, known)| known.is_none()).map(|(module, _)| *module).collect();
    let part = unknown.len().div_ceil(rayon::current_num_threads()).max(LEAST_MODULES_OF_A_RUN);
    let parts = unknown.par_chunks(part).enumerate().map(|(n, modules)| {
        let folder = folder.join(format!("part{n}"));
        fs::create_dir_all(&folder).expect("a folder for a part of the modules");
        compile_unknown(compiler, modules, &folder)
    });
    let mut compiled = parts.collect::<Vec<_>>().into_iter().flatten();
    for (module, result) in modules.iter().zip(&mut all).filter(|(_, result)| result.is_none()) {
        let binary = compiled.next().expect("a result for each module");
        // An error may be a lack of time.
        if let Ok(binary) = &binary {
            let mut known = known();
            if known.len() == MOST_COMPILED {
                known.clear();
            }
            known.insert(key(module), binary.clone());
        }
        *result = Some(binary);
    }
    let files = all.into_iter().flatten().enumerate().map(|(n, binary)| match binary? {
        Binary { warning: Some(warning), .. } if matches!(compiler.program, Program::Checked) => Err(warning),
        Binary { bytes, .. } => {
            let path = folder.join(format!("{n}.bin"));
            fs::write(&path, bytes).expect("a binary on disk");
            Ok(path)
        }
    });
    files.collect()
}

/// What a binary is compiled from, and how.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    program: PathBuf,
    device: String,
    options: String,
    module: Vec<u32>,
}

#[derive(Clone)]
struct Binary {
    bytes: Arc<[u8]>,
    /// What the compiler printed, if that is a warning.
    warning: Option<String>,
}

/// Shorter lists are not divided: the start of the compiler takes as long as some modules.
const LEAST_MODULES_OF_A_RUN: usize = 16;

/// So many binaries are kept: some hundred megabytes.
const MOST_COMPILED: usize = 4096;

/// The binaries that this process has compiled last.
static COMPILED: LazyLock<Mutex<HashMap<Key, Binary>>> = LazyLock::new(Mutex::default);

/// The binaries that this process has not compiled yet. Files in `folder` are overwritten.
fn compile_unknown(
    compiler: &Compiler,
    modules: &[(&[u32], &str)],
    folder: &Path,
) -> Vec<Result<Binary, String>> {
    let lines: Vec<String> = modules
        .iter()
        .enumerate()
        .map(|(n, (module, device))| {
            let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(folder.join(format!("{n}.spv")), bytes).expect("a module on disk");
            // Remove old binaries, which are not from these modules.
            drop(fs::remove_file(folder.join(format!("list/{n}.bin"))));
            let (options, output) = (compiler.options(device), compiler.output(n));
            format!("-spirv_input -file {n}.spv -device {device} -options {options} -output {output} -output_no_suffix")
        })
        .collect();
    let mut results: Vec<Result<Binary, String>> = vec![];
    while results.len() < modules.len() {
        let rest = &lines[results.len()..];
        fs::write(folder.join("list.txt"), rest.join("\n")).expect("a list on disk");
        let limit = Duration::from_secs(60 + 2 * rest.len() as u64);
        let ended =
            crate::process::run(Command::new(compiler.program()).args(["multi", "list.txt"]), folder, limit);
        let before = results.len();
        let printed: Vec<&str> = ended.text.split("Command number").skip(1).collect();
        let warning = |n: usize| {
            printed
                .get(n)
                .filter(|text| text.to_lowercase().contains("warning"))
                .map(|text| text.trim().to_owned())
        };
        // The compiler stops at the first module that it cannot compile.
        while let Some(binary) = (results.len() < modules.len())
            .then(|| folder.join(format!("list/{}.bin", results.len())))
            .filter(|binary| binary.exists())
        {
            let n = results.len() - before;
            let bytes = fs::read(binary).expect("a binary").into();
            results.push(Ok(Binary { bytes, warning: warning(n) }));
        }
        if results.len() < modules.len() {
            // It may have run out of time only because of the other modules.
            let done = results.len() - before;
            if !(ended.text.contains("still running") && done > 0) {
                results.push(Err(printed.last().map_or(ended.text.trim(), |text| text.trim()).to_owned()));
            }
        }
    }
    results
}

/// Compiles kernels with the installed compiler for a register file. Returns those that would fail in a driver, with their
/// devices and the reason: a failed build, a warning, no kernel, unresolved functions, a spill.
///
/// # Panics
/// As [`compile_all`].
pub fn refused(kernels: &[(Vec<u32>, &str, &str)], registers: RegisterFile) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let modules: Vec<(&[u32], &str)> =
        kernels.iter().map(|(module, _, device)| (&module[..], *device)).collect();
    let checked = Compiler { program: Program::Checked, registers };
    let binaries = compile_all(&checked, &modules, folder.path());
    let checked = binaries.into_iter().zip(kernels).map(|(binary, (_, kernel, device))| {
        let binary = binary.and_then(|path| fs::read(path).map_err(|error| error.to_string()));
        let error = binary.and_then(|binary| check(&binary, kernel)).err()?;
        Some(format!("{kernel} on {device}: {error}"))
    });
    checked.flatten().collect()
}

/// The number after a keyword in the comments of the machine code.
fn header(assembly: &str, word: &str) -> Option<usize> {
    assembly.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
}

/// The texts of the files in a directory whose names end with `end`.
fn texts(dir: &Path, end: &str) -> Vec<String> {
    files(dir, end).into_iter().map(|(_, text)| text).collect()
}

/// The files in a directory whose names end with `end`.
fn files(dir: &Path, end: &str) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(dir) else { return vec![] };
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(end))
        .filter_map(|path| fs::read(&path).ok().map(|bytes| (path, bytes)))
        .map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
}
