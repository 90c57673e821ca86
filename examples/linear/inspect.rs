//! Other forms of a kernel: IR, SPIR-V, machine code, and its register usage.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use cm::ir::Function;
use cm::spirv::{lower, lower_with_linear_surfaces};
use cm::{RegisterFile, RegisterReport, Target};

use crate::files;
use crate::kernels::{linear, linear1d2, linearslide, linearslide2};
use crate::options::{Form, Generation, Kernel, Options};
use crate::report;

/// Writes the requested forms. Returns whether there was a request.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if let Some(Some(chart)) = &options.registers {
        files::check_file(chart)?;
    }
    let form = match options.emit.as_deref() {
        Some([form, file]) => {
            files::check_file(Path::new(file))?;
            Some((Form::named(form)?, file))
        }
        _ => None,
    };
    if let Some(chart) = &options.registers {
        let report = RegisterReport::new(&recorded(options.kernel)?)?;
        report::say(&report)?;
        if let Some(file) = chart {
            write(file, report.to_svg().as_bytes())?;
        }
    }
    if let Some((form, file)) = form {
        write(Path::new(file), &emitted(options, form)?)?;
    }
    Ok(options.registers.is_some() || options.emit.is_some())
}

/// The files that [`run`] writes, with their options.
pub(crate) fn targets(options: &Options) -> Vec<(&'static str, &Path)> {
    let chart = options.registers.iter().flatten().map(|chart| ("--registers", chart.as_path()));
    let emitted = match options.emit.as_deref() {
        Some([_, file]) => Some(("--emit", Path::new(file))),
        _ => None,
    };
    chart.chain(emitted).collect()
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    files::write_whole(file, bytes)?;
    report::say(format_args!("{}: {} bytes", file.display(), bytes.len()))
}

fn recorded(kernel: Kernel) -> cm::Result<Function> {
    match kernel {
        Kernel::Linear => linear::ir(),
        Kernel::Linear1d2 => linear1d2::ir(),
        Kernel::LinearSlide => linearslide::ir(),
        Kernel::LinearSlide2 => linearslide2::ir(),
    }
}

fn emitted(options: &Options, form: Form) -> Result<Vec<u8>> {
    Ok(match form {
        Form::Ir => recorded(options.kernel)?.to_string().into_bytes(),
        Form::Spirv => spirv(options.kernel, options.target.into())?,
        Form::Isa => isa(options.kernel, options.target)?,
    })
}

fn spirv(kernel: Kernel, target: Target) -> cm::Result<Vec<u8>> {
    let kernel = recorded(kernel)?;
    // As launches: where surfaces are in buffers, the module has no images.
    let words = if target.has_media_blocks() {
        lower(&kernel, target)?
    } else {
        lower_with_linear_surfaces(&kernel, target, RegisterFile::Standard)?
    };
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// The assembly that Intel's offline compiler generates from the module.
fn isa(kernel: Kernel, generation: Generation) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir().context("cannot make a folder for the compiler")?;
    let module = folder.path().join("kernel.spv");
    fs::write(&module, spirv(kernel, generation.into())?)?;
    let compiled = Command::new("ocloc")
        .args([
            "compile",
            "-spirv_input",
            "-options",
            RegisterFile::Standard.build_options(),
            "-device",
            generation.device(),
        ])
        .arg("-file")
        .arg(&module)
        .arg("-out_dir")
        .arg(folder.path())
        .env("IGC_ShaderDumpEnable", "1")
        .env("IGC_DumpToCustomDir", folder.path())
        .output()
        .context("cannot run `ocloc`, Intel's offline compiler: install the package intel-opencl-icd")?;
    if !compiled.status.success() {
        bail!("ocloc: {}", String::from_utf8_lossy(&compiled.stdout).trim());
    }
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "asm") {
            return Ok(fs::read(path)?);
        }
    }
    bail!("ocloc made no assembly: this version does not write it")
}
