//! `cm-simulator exec`: runs the machine code of a kernel on files, without a driver.

mod error;
mod files;
mod info;
mod options;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use cm_simulator::binary::{self, Kernel, Lines};
use cm_simulator::eu::Program;
use cm_simulator::generation::{Generation, Machine};
use cm_simulator::launch::{Groups, Statistics};

use self::error::Error;
use self::files::Stored;
use self::options::{Argument, Buffer, Memory, Surface};
use super::{complain, say};

/// Executes a kernel on files, without a driver and without a device.
///
/// The kernel is a program binary (from `ocloc` or `zeModuleGetNativeBinary`), raw machine code, or text of Intel's
/// assembler. If the kernel changes a surface, a buffer or memory, its bytes are written to OUTPUT, or to FILE without
/// an OUTPUT.
#[derive(Debug, clap::Args)]
pub(crate) struct Exec {
    /// The file with the kernel.
    file: PathBuf,
    /// The name of a kernel in a program binary. The default is the first kernel.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The GPU generation of raw machine code and text: gen9, xe-lp, xe-hpg, xe-hpc, xe2 or xe3. A program binary
    /// states its own generation.
    #[arg(long, value_name = "NAME", value_parser = options::generation, default_value = "gen9")]
    generation: Generation,
    /// Prints the kernels of a program binary as JSON, with their arguments and binding tables, and exits.
    #[arg(long)]
    info: bool,
    /// Prints the instructions and exits.
    #[arg(long)]
    disasm: bool,
    /// The number of thread groups in each dimension.
    #[arg(long, num_args = 1..=3, value_name = "COUNT", value_parser = options::positive, default_value = "1")]
    grid: Vec<u32>,
    /// The number of work items per group in each dimension.
    #[arg(long, num_args = 1..=3, value_name = "COUNT", value_parser = options::positive, default_value = "1")]
    local: Vec<u32>,
    /// The number of work items per thread: 1 (vector compute), 8, 16 or 32.
    #[arg(long, value_name = "COUNT", value_parser = options::simd)]
    simd: Option<u32>,
    /// Passes local ids in the registers after r0. By default, the program binary decides.
    #[arg(long)]
    local_ids: bool,
    /// A 2-D surface: ENTRY=FILE,WIDTH,HEIGHT,PITCH,TEXEL[,OUTPUT]. WIDTH, PITCH and TEXEL are in bytes, HEIGHT in
    /// rows.
    ///
    /// If FILE is missing or `-`, all bytes are 0. `fmt=FORMAT` and `tile=x`, `y`, `4` or `64` may follow.
    #[arg(long, value_name = "SURFACE", value_parser = Surface::parse)]
    surface: Vec<Surface>,
    /// A buffer: ENTRY=FILE,BYTES[,OUTPUT].
    #[arg(long, value_name = "BUFFER", value_parser = Buffer::parse)]
    buffer: Vec<Buffer>,
    /// Memory at an address: ADDRESS=FILE,BYTES[,OUTPUT].
    #[arg(long, value_name = "MEMORY", value_parser = Memory::parse)]
    mem: Vec<Memory>,
    /// A buffer in memory that --mem defines: ENTRY=ADDRESS,BYTES.
    #[arg(long, value_name = "BUFFER", value_parser = options::Alias::parse)]
    alias: Vec<options::Alias>,
    /// An argument of the kernel: OFFSET=VALUE[:b|w|d|q|f|hf|df]. OFFSET is in bytes, at most 65536. Without a type, a VALUE with a
    /// decimal point is a float, and any other is a dword.
    #[arg(long, value_name = "ARGUMENT", value_parser = Argument::parse)]
    arg: Vec<Argument>,
    /// The size of the data of kernel arguments, in bytes. By default, it is as large as the arguments need.
    #[arg(long, value_name = "BYTES", value_parser = options::count)]
    curbe: Option<u32>,
    /// The shared local memory per group, in bytes.
    #[arg(long, value_name = "BYTES", value_parser = options::count)]
    slm: Option<u32>,
    /// The scratch space per thread, in bytes: at most 2 MiB.
    #[arg(long, value_name = "BYTES", value_parser = options::scratch, default_value = "0")]
    scratch: u32,
    /// Keeps denormals instead of flushing them to 0.
    #[arg(long)]
    denorm: bool,
    /// The number of host threads, at most 512. The default is one per core.
    #[arg(long, value_name = "COUNT", value_parser = options::threads)]
    threads: Option<usize>,
    /// The maximum number of instructions per thread; one more is a fault.
    #[arg(long, value_name = "COUNT", default_value_t = 1 << 32)]
    instructions: u64,
    /// Writes every instruction with its results to the standard error. Use this option with `--threads 1`.
    #[arg(long)]
    trace: bool,
    /// Prints the numbers of groups, threads and instructions.
    #[arg(long)]
    stats: bool,
}

impl Exec {
    /// Executes the kernel.
    pub(crate) fn run(self) -> ExitCode {
        match self.execute() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(error);
                ExitCode::FAILURE
            }
        }
    }

    fn execute(self) -> Result<(), Error> {
        let bytes = std::fs::read(&self.file).map_err(|why| Error::Read { path: self.file.clone(), why })?;
        let decode = |code: &[u8], machine| {
            Program::decode(code, machine).map_err(|why| Error::Decode { path: self.file.clone(), why })
        };
        let wrong = |why| Error::Binary { path: self.file.clone(), why };
        let mut lines = None;
        let (kernel, program) = if let Some(kernels) = binary::kernels(&bytes).map_err(wrong)? {
            if self.info {
                say(info::json(&kernels));
                return Ok(());
            }
            let wanted = self.kernel.as_deref();
            let kernel = kernels.into_iter().find(|kernel| wanted.is_none_or(|name| kernel.name == name));
            let kernel = kernel.ok_or_else(|| Error::NoKernel {
                path: self.file.clone(),
                name: wanted.unwrap_or("at all").to_owned(),
            })?;
            let program = decode(&kernel.code, kernel.machine)?;
            lines = binary::lines(&bytes, &kernel.name).map_err(wrong)?;
            (kernel, program)
        } else if self.info {
            return Err(Error::NoInfo { path: self.file });
        } else {
            let machine = Machine::of(self.generation);
            let program = match text(&bytes) {
                Some(text) => Program::assemble(text, machine)
                    .map_err(|why| Error::Decode { path: self.file.clone(), why })?,
                None => decode(&bytes, machine)?,
            };
            (Kernel::new(machine), program)
        };
        if self.disasm {
            for (at, text) in program.listing() {
                match lines.as_ref().and_then(|lines| lines.at(at.into())) {
                    Some(place) => say(format_args!("{at:6}: {text}  // {place}")),
                    None => say(format_args!("{at:6}: {text}")),
                }
            }
            return Ok(());
        }
        self.launch(&kernel, program, lines)
    }

    fn launch(self, kernel: &Kernel, program: Arc<Program>, lines: Option<Lines>) -> Result<(), Error> {
        let (grid, local) = (options::triple(&self.grid), options::triple(&self.local));
        let mut data = vec![0; self.curbe.unwrap_or(0).max(kernel.data) as usize];
        for argument in &self.arg {
            argument.put(&mut data);
        }
        kernel.implicit(&mut data, grid, local);
        let mut stored = Stored::new(self.surface, self.buffer, self.mem, &self.alias)?;
        stored.world.constants(kernel, &mut data);
        let mut groups = Groups::new(kernel, program, grid, data);
        groups.lines = lines;
        groups.local = local;
        groups.simd = self.simd.unwrap_or(groups.simd);
        groups.local_ids |= self.local_ids;
        groups.shared = self.slm.unwrap_or(groups.shared);
        groups.scratch = self.scratch.next_multiple_of(1024);
        groups.keep_denormals = self.denorm;
        groups.budget = self.instructions;
        groups.trace = self.trace;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let Statistics { groups, threads, instructions } =
            groups.run(&mut stored.world, self.threads.unwrap_or(cores))?;
        stored.save()?;
        if self.stats {
            complain(format_args!(
                "{groups} thread groups, {threads} threads each, {instructions} instructions"
            ));
        }
        Ok(())
    }
}

/// The text of a file; `None` if it is not text.
fn text(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(256)];
    let is_text = start.iter().all(|byte| *byte != 0 && byte.is_ascii());
    std::str::from_utf8(bytes).ok().filter(|_| is_text)
}
