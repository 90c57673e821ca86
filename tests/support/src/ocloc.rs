//! Runs Intel's offline compiler on a module and reads what it made of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use object::{Object, ObjectSymbol};

/// The devices that kernels are compiled for, with the targets that fit them.
pub const DEVICES: [(&str, cm::spirv::Target); 4] = [
    ("skl", cm::spirv::Target::Gen9),
    ("tgllp", cm::spirv::Target::XeLp),
    ("dg2-g10", cm::spirv::Target::XeHpg),
    ("pvc", cm::spirv::Target::XeHpc),
];

/// What the compiler made of a kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Instructions.
    pub instructions: usize,
    /// The machine code as text.
    pub assembly: String,
}

impl Compiled {
    /// How many instructions start with this, predicates aside.
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

/// Whether the compiler is there. Without it tests skip, saying so, unless `CM_REQUIRE_OCLOC` is 1.
pub fn present() -> bool {
    if Command::new("ocloc").arg("--help").output().is_ok() {
        return true;
    }
    assert!(
        std::env::var("CM_REQUIRE_OCLOC").as_deref() != Ok("1"),
        "CM_REQUIRE_OCLOC=1, but there is no `ocloc` (Debian: apt-get install intel-opencl-icd)"
    );
    println!("skipped: there is no `ocloc` (Debian: apt-get install intel-opencl-icd)");
    false
}

/// Compiles a module with one kernel.
///
/// Anything that a driver would trip over is an error: a failed build, a warning, no kernel, unresolved
/// functions, a spill.
pub fn compile(module: &[u32], kernel: &str, device: &str) -> Result<Compiled, String> {
    compile_with(module, kernel, device, "")
}

/// The same with a register file of `registers` registers.
pub fn fits(module: &[u32], kernel: &str, device: &str, registers: usize) -> bool {
    compile_with(module, kernel, device, &format!(" -Xfinalizer -TotalGRFNum -Xfinalizer {registers}"))
        .is_ok()
}

fn compile_with(module: &[u32], kernel: &str, device: &str, options: &str) -> Result<Compiled, String> {
    let options = format!("-vc-codegen -ze-enable-zebin{options}");
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
    let binary = object::File::parse(&*binary).map_err(|e| format!("the binary is not ELF: {e}"))?;
    let unresolved: Vec<&str> = binary
        .symbols()
        .filter(ObjectSymbol::is_undefined)
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| !name.is_empty() && !name.starts_with("__INTEL_PATCH"))
        .collect();
    if !unresolved.is_empty() {
        return Err(format!("unresolved: {unresolved:?}"));
    }
    let wanted = format!("//.kernel {kernel}");
    let assembly = texts(dir, ".asm")
        .into_iter()
        .find(|text| text.lines().any(|line| line.trim_end() == wanted))
        .ok_or("the compiler emitted no kernel")?;
    if let Some(spill) = header(&assembly, "//.spill size ") {
        return Err(format!("{spill} bytes are spilled"));
    }
    let instructions = header(&assembly, "//.instCount ").ok_or("no count of instructions")?;
    Ok(Compiled { instructions, assembly })
}

/// The number after a word in the comments of the machine code.
fn header(assembly: &str, word: &str) -> Option<usize> {
    assembly.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
}

/// The files of a directory whose names end like this.
fn texts(dir: &Path, end: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return vec![] };
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(end))
        .filter_map(|path| fs::read(path).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}
