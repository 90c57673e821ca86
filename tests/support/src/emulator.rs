//! Modules compiled by `ocloc`, whose machine code the execution units of the simulator execute.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use cm::ir::{Function, Grid};
use cm::spirv::{LinearShape, lower_with_linear_surfaces};
use cm::{RegisterFile, Target};
use cm_simulator::binary;
pub use cm_simulator::dispatch::{Prefetch, Shape};
use cm_simulator::eu::Program;
use cm_simulator::launch::World;

use crate::arguments::Argument;
pub use crate::binding::Binding;
use crate::binding::shape_argument;
pub use crate::code::Code;
use crate::code::single;
use crate::ocloc::{Compiler, compile_all};

/// The compiler, and the execution of its machine code.
#[derive(Debug)]
pub struct Emulator {
    compiler: Compiler,
    /// The compiled modules, by device and module: many launches use the same kernel.
    compiled: Mutex<Compiled>,
}

/// Kernels by device and module.
type Compiled = HashMap<(String, Vec<u32>), Arc<Code>>;

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
    /// The bytes of the arguments by value.
    pub arguments: &'a [Vec<u8>],
}

impl Emulator {
    /// Uses the installed compiler. Returns `None`, and prints the reason, if it is missing.
    #[must_use]
    pub fn find() -> Option<Self> {
        Self::with(Compiler::installed())
    }

    /// Uses the newest compiler if `CM_NEWEST_OCLOC` names one, otherwise like [`find`](Self::find).
    #[must_use]
    pub fn newest_or_installed() -> Option<Self> {
        Self::with(Compiler::newest_or_installed())
    }

    fn with(compiler: Compiler) -> Option<Self> {
        let present = compiler.is_newest() || crate::ocloc::present();
        present.then(|| Self { compiler, compiled: Mutex::default() })
    }

    /// The same for a register file of this size.
    #[must_use]
    pub fn with_registers(self, registers: RegisterFile) -> Self {
        Self { compiler: self.compiler.with_registers(registers), compiled: Mutex::default() }
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

    /// The devices, and Panther Lake once more with the form of 2-D block messages for Nova Lake, which is not simulated.
    pub fn devices_and_forms(&self) -> impl Iterator<Item = (&'static str, Target)> {
        let forms = self.compiler.is_newest().then_some(("ptl-h", Target::Xe3p));
        self.devices().iter().copied().chain(forms)
    }

    /// The first kernel of a binary.
    ///
    /// # Errors
    /// If the binary is invalid, or if it has instructions that the simulator does not know.
    pub fn code(&self, binary: &[u8]) -> Result<Code, String> {
        let kernels = binary::kernels(binary)?.unwrap_or_default();
        let kernel = kernels.into_iter().next().ok_or("the binary has no kernel")?;
        let disassembler = self.compiler.disassembler();
        let program = Program::decode_with(&kernel.code, kernel.machine, disassembler.as_deref());
        let program = program.map_err(|error| error.to_string())?;
        Ok(Code { kernel, program })
    }

    /// Compiles a module.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn compile(&self, (module, device): (&[u32], &str), kernel: &str) -> Arc<Code> {
        let key = (device.to_owned(), module.to_vec());
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = known().get(&key).cloned();
        compiled.unwrap_or_else(|| {
            let folder = tempfile::tempdir().unwrap();
            let made = compile_all(&self.compiler, &[(module, device)], folder.path()).pop();
            let path = made.expect("one result").unwrap_or_else(|log| panic!("{kernel} on {device}: {log}"));
            let code = self.code(&fs::read(path).expect("a binary"));
            let code = Arc::new(code.unwrap_or_else(|error| panic!("{kernel} on {device}: {error}")));
            known().insert(key, Arc::clone(&code));
            code
        })
    }

    /// The buffers of a kernel after it has run in groups of one thread. All parameters that are not numbers must be
    /// buffers.
    pub fn run_on_buffers(
        &self,
        module: (&[u32], &str),
        kernel: &str,
        grid: (usize, usize),
        buffers: &[&[u8]],
        arguments: &[Vec<u8>],
    ) -> Vec<Vec<u8>> {
        self.run_groups(module, kernel, single(grid), buffers, arguments)
    }

    /// The same for any groups.
    ///
    /// # Panics
    /// If the module does not compile, and at a fault.
    pub fn run_groups(
        &self,
        module: (&[u32], &str),
        kernel: &str,
        grid: Grid,
        buffers: &[&[u8]],
        arguments: &[Vec<u8>],
    ) -> Vec<Vec<u8>> {
        let shaped: Vec<_> =
            buffers.iter().map(|bytes| (Shape::buffer(bytes.len() as u32), *bytes)).collect();
        self.run_on_shapes(module, kernel, grid, &shaped, arguments)
    }

    /// The same for surfaces and buffers of these shapes.
    ///
    /// # Panics
    /// If the module does not compile, and at a fault.
    pub fn run_on_shapes(
        &self,
        (module, device): (&[u32], &str),
        kernel: &str,
        grid: Grid,
        memories: &[(Shape, &[u8])],
        arguments: &[Vec<u8>],
    ) -> Vec<Vec<u8>> {
        let code = self.compile((module, device), kernel);
        let (indices, offsets) = code.places();
        assert_eq!((indices.len(), offsets.len()), (memories.len(), arguments.len()), "{kernel}");
        let mut world = World::default();
        for (index, (shape, bytes)) in indices.iter().zip(memories) {
            world.bind(*index, *shape, bytes);
        }
        let values: Vec<_> = offsets.into_iter().zip(arguments.iter().map(Vec::as_slice)).collect();
        let ended = code.launch(grid, &values, &mut world);
        ended.unwrap_or_else(|error| panic!("{kernel} on {device}: {error}"));
        indices.iter().map(|index| world.bound(*index).expect("a surface or a buffer")).collect()
    }

    /// The surfaces in buffers after a kernel has run in groups of one thread, and the number of instructions. Its
    /// parameters are surfaces, then `others`.
    ///
    /// # Panics
    /// If the module does not compile, and at a fault.
    pub fn run_on_rows(
        &self,
        (function, target, device): (&Function, Target, &str),
        grid: (usize, usize),
        surfaces: &[(LinearShape, &[u8])],
        others: &[Argument],
    ) -> (Vec<Vec<u8>>, u64) {
        let kernel = &function.name;
        let module = lower_with_linear_surfaces(function, target, RegisterFile::Standard).expect("a module");
        let code = self.compile((&module, device), kernel);
        let binding = code.linear_binding(function, target);
        let mut arguments: Vec<Argument> =
            surfaces.iter().map(|(_, bytes)| Argument::Buffer(bytes.to_vec())).collect();
        arguments.extend_from_slice(others);
        arguments.extend(surfaces.iter().map(|(shape, _)| shape_argument(*shape)));
        let run = |binding| code.run_in(&mut World::default(), (single(grid), &binding), &arguments);
        let (after, count) =
            binding.and_then(run).unwrap_or_else(|error| panic!("{kernel} on {device}: {error}"));
        (after[..surfaces.len()].iter().map(|surface| surface.bytes().to_vec()).collect(), count)
    }

    /// The bytes of the output surface; both surfaces have texels of one byte.
    pub fn run(&self, run: &Run<'_>) -> Vec<u8> {
        self.run_with(run, 1)
    }

    /// The same for a compiled module.
    ///
    /// # Panics
    /// If the binary is invalid, and at a fault.
    pub fn run_binary(&self, binary: &[u8], run: &Run<'_>) -> Vec<u8> {
        let code = self.code(binary);
        Self::run_code(
            &code.unwrap_or_else(|error| panic!("{} on {}: {error}", run.kernel, run.device)),
            run,
            1,
        )
    }

    /// The same for an input with texels of `texel` bytes.
    pub fn run_with(&self, run: &Run<'_>, texel: usize) -> Vec<u8> {
        Self::run_code(&self.compile((run.module, run.device), run.kernel), run, texel)
    }

    fn run_code(code: &Code, run: &Run<'_>, texel: usize) -> Vec<u8> {
        let (surfaces, offsets) = code.places();
        let mut world = World::default();
        let (pitch, rows) = (run.pitch as u32, run.rows as u32);
        world.bind(surfaces[0], Shape::rows(pitch, rows, pitch, texel as u32), run.input);
        world.bind(surfaces[1], Shape::rows(pitch, rows, pitch, 1), &vec![0; run.pitch * run.rows]);
        let values: Vec<_> = offsets.into_iter().zip(run.arguments.iter().map(Vec::as_slice)).collect();
        let ended = code.launch(single(run.grid), &values, &mut world);
        ended.unwrap_or_else(|error| panic!("{} on {}: {error}", run.kernel, run.device));
        world.bound(surfaces[1]).expect("a surface")
    }
}
