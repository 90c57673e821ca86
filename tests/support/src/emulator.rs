//! Modules compiled by `ocloc`, whose machine code the execution units of the simulator execute.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use cm::compiler::elem::ElemType;
use cm::compiler::ops::Texel;
use cm::ir::{Function, Grid, ParamKind, Type};
use cm::spirv::{LinearShape, lower_with_linear_surfaces, pointers, pointers_with_linear_surfaces};
use cm::{RegisterFile, Target};
use cm_simulator::binary::{self, ArgumentKind, Kernel};
pub use cm_simulator::dispatch::{Prefetch, Shape};
use cm_simulator::eu::Program;
use cm_simulator::launch::{Groups, World};

use crate::arguments::{Argument, HEIGHT, WIDTH, grid};
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

/// A kernel in machine code.
#[derive(Debug)]
pub struct Code {
    kernel: Kernel,
    program: Arc<Program>,
}

impl Code {
    /// Whether it tests a signed and an unsigned integer for equality. The simulator compares the numbers,
    /// Intel's compiler the bits; it is not known here what the hardware does.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.program.listing().any(|(_, line)| {
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

    /// The rounds of its loops: the instructions from the target of a branch backwards to the branch.
    #[must_use]
    pub fn rounds(&self) -> Vec<Vec<&str>> {
        let all: Vec<(u32, &str)> = self.program.listing().collect();
        let round = |&(at, line): &(u32, &str)| {
            let is_label = |word: &&str| word.strip_prefix('L').is_some_and(|n| n.parse::<u32>().is_ok());
            let mut targets =
                line.split_whitespace().filter(is_label).filter_map(|label| label[1..].parse().ok());
            let start = targets.find(|start| *start <= at)?;
            Some(all.iter().filter(|(n, _)| (start..=at).contains(n)).map(|(_, line)| *line).collect())
        };
        all.iter().filter_map(round).collect()
    }

    /// Its instructions as text.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.program.listing().map(|(_, line)| line)
    }

    /// The indices of its surfaces and buffers, and the locations of its arguments by value in the order of
    /// the parameters.
    fn places(&self) -> (Vec<u32>, Vec<usize>) {
        let arguments = &self.kernel.arguments;
        let surfaces = arguments.iter().filter_map(|argument| u32::try_from(argument.surface).ok());
        let values = arguments.iter().filter(|argument| argument.kind == ArgumentKind::Value);
        (surfaces.collect(), values.map(|argument| argument.offset as usize).collect())
    }

    /// Runs the groups of a grid, with `data` at the locations of arguments.
    ///
    /// Threads run in order: the winner of two writes to the same place is not a difference. Returns the number of
    /// instructions.
    fn launch(&self, grid: Grid, values: &[(usize, &[u8])], world: &mut World) -> Result<u64, String> {
        let mut data = vec![0; self.kernel.data as usize];
        for (offset, bytes) in values {
            let end = offset + bytes.len();
            data.resize(data.len().max(end), 0);
            data[*offset..end].copy_from_slice(bytes);
        }
        self.kernel.implicit(&mut data, grid.groups, grid.local);
        world.constants(&self.kernel, &mut data);
        let mut groups = Groups::new(&self.kernel, Arc::clone(&self.program), grid.groups, data);
        groups.local = grid.local;
        // Random programs may spill.
        groups.scratch = SCRATCH;
        groups.budget = INSTRUCTIONS;
        groups.run(world, 1).map_err(|error| error.to_string()).map(|ended| ended.instructions)
    }
}

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

/// Bytes of scratch space of a thread.
const SCRATCH: u32 = 65536;

/// More instructions per thread than any of these kernels needs, unless it does not end.
const INSTRUCTIONS: u64 = 20_000_000;

/// The locations of the arguments of a kernel in its binary.
#[derive(Clone, Debug)]
pub struct Binding {
    arguments: Vec<Bound>,
    /// The buffer parameters whose address the kernel also takes, and the location of the address.
    addresses: Vec<(usize, usize)>,
}

impl Binding {
    /// The address of a buffer and its location, if the kernel takes the address.
    fn address(&self, parameter: usize) -> Option<(u64, usize)> {
        let (_, offset) = self.addresses.iter().find(|(addressed, _)| *addressed == parameter)?;
        Some((0x6000_0000_0000 + ((parameter as u64) << 32), *offset))
    }
}

/// An argument, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Bound {
    parameter: usize,
    /// The index of a surface or buffer, unless the kernel does not use it.
    index: Option<u32>,
    /// The location of a part of a value, its size, and its offset in the value.
    offset: usize,
    size: usize,
    from: usize,
}

/// Columns and rows of groups of one thread.
fn single((columns, rows): (usize, usize)) -> Grid {
    Grid::single([columns as u32, rows as u32, 1])
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

impl Code {
    /// The entry of the binding table of a parameter that is a surface or buffer, if the kernel uses it.
    #[must_use]
    pub fn entry(&self, parameter: usize) -> Option<u32> {
        let mut arguments = self.kernel.arguments.iter();
        let found = arguments.find(|argument| argument.number as usize == parameter)?;
        u32::try_from(found.surface).ok()
    }

    /// The locations of the arguments of its function, if it was compiled for this target.
    ///
    /// # Errors
    /// If it has arguments that are not parameters.
    pub fn binding(&self, function: &Function, target: Target) -> Result<Binding, String> {
        self.bound(function.params.len(), &pointers(function, target))
    }

    /// The same if it was compiled with surfaces in buffers.
    ///
    /// # Errors
    /// As [`binding`](Self::binding).
    pub fn linear_binding(&self, function: &Function, target: Target) -> Result<Binding, String> {
        // The shapes of surfaces follow the parameters.
        let is_surface = |kind| {
            matches!(kind, ParamKind::Surface { .. } | ParamKind::Surface3d { .. } | ParamKind::View { .. })
        };
        let surfaces = function.params.iter().filter(|param| is_surface(param.kind)).count();
        self.bound(function.params.len() + surfaces, &pointers_with_linear_surfaces(function, target))
    }

    /// The locations of `count` parameters and of the addresses of some of them, which follow.
    fn bound(&self, count: usize, addressed: &[usize]) -> Result<Binding, String> {
        let (mut arguments, mut addresses) = (vec![], vec![]);
        for argument in &self.kernel.arguments {
            let (parameter, offset) = (argument.number as usize, argument.offset as usize);
            if let Some(buffer) = parameter.checked_sub(count).and_then(|n| addressed.get(n)) {
                addresses.push((*buffer, offset));
                continue;
            }
            if parameter >= count {
                return Err(format!("an argument without a parameter: {argument:?}"));
            }
            let (size, from) = (argument.size as usize, argument.source as usize);
            arguments.push(Bound {
                parameter,
                index: u32::try_from(argument.surface).ok(),
                offset,
                size,
                from,
            });
        }
        Ok(Binding { arguments, addresses })
    }

    /// Executes it on the arguments of its function, for each thread of [`grid`] in raster order. Returns the
    /// arguments afterwards.
    ///
    /// # Errors
    /// The reason why it stopped: a fault, or an instruction count so high that the program seems to run
    /// forever.
    pub fn execute(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        self.execute_on(grid(function), binding, arguments)
    }

    /// The same if it was compiled with surfaces in buffers: `binding` is the [linear one](Self::linear_binding).
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_in_buffers(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        let shape = LinearShape {
            pitch: WIDTH,
            width: WIDTH,
            height: HEIGHT,
            slices: None,
            period: 1,
            replaced: None,
            texel: Texel::Byte,
        };
        let is_surface = |argument: &Argument| matches!(argument, Argument::Surface(_));
        let in_buffer = |argument: &Argument| match argument {
            Argument::Surface(bytes) => Argument::Buffer(bytes.clone()),
            other => other.clone(),
        };
        let mut all: Vec<Argument> = arguments.iter().map(in_buffer).collect();
        all.extend(arguments.iter().filter(|argument| is_surface(argument)).map(|_| shape_argument(shape)));
        let after = self.execute((function, binding), &all)?;
        let as_before = |(before, after): (&Argument, Argument)| match after {
            Argument::Buffer(bytes) if is_surface(before) => Argument::Surface(bytes),
            other => other,
        };
        Ok(arguments.iter().zip(after).map(as_before).collect())
    }

    /// The same for `columns` times `rows` threads.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_on(
        &self,
        threads: (usize, usize),
        binding: &Binding,
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        let run = (single(threads), binding);
        self.run_in(&mut World::default(), run, arguments).map(|(after, _)| after)
    }

    /// The bytes that an execution brings to caches: the parameter, its first byte, and the number of bytes.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn prefetched(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<(usize, u64, usize)>, String> {
        let mut world = World::default();
        world.record_prefetches();
        self.run_in(&mut world, (single(grid(function)), binding), arguments)?;
        let place = |Prefetch { surface, address, bytes }| {
            let of = |bound: &&Bound| bound.index.is_some() && bound.index == surface;
            if let Some(bound) = binding.arguments.iter().find(of) {
                return Ok((bound.parameter, address, bytes));
            }
            let found = binding.addresses.iter().find_map(|&(parameter, _)| {
                let (start, _) = binding.address(parameter)?;
                let offset = address.checked_sub(start).filter(|offset| *offset < 1 << 32)?;
                Some((parameter, offset, bytes))
            });
            found.ok_or_else(|| format!("a prefetch of {bytes} bytes from {address:#x} of no argument"))
        };
        world.prefetched().into_iter().map(place).collect()
    }

    fn run_in(
        &self,
        world: &mut World,
        (grid, binding): (Grid, &Binding),
        arguments: &[Argument],
    ) -> Result<(Vec<Argument>, u64), String> {
        let (mut uniforms, mut places) = (vec![], vec![]);
        for &Bound { parameter, index, offset, size, from } in &binding.arguments {
            match (&arguments[parameter], index) {
                (Argument::Surface(bytes), Some(index)) => {
                    world.bind(index, Shape::rows(WIDTH as u32, HEIGHT as u32, WIDTH as u32, 1), bytes);
                    places.push((parameter, Place::Entry(index)));
                }
                (Argument::Buffer(bytes), index) => match (binding.address(parameter), index) {
                    (None, Some(index)) => {
                        world.bind(index, Shape::buffer(bytes.len() as u32), bytes);
                        places.push((parameter, Place::Entry(index)));
                    }
                    (Some((address, offset)), index) => {
                        world.map(address, bytes);
                        uniforms.push((offset, address.to_le_bytes().to_vec()));
                        let bound = index.is_none_or(|index| world.alias(index, address, bytes.len() as u32));
                        assert!(bound, "a buffer over memory that was just mapped");
                        places.push((parameter, Place::Address(address)));
                    }
                    // Not used by the kernel.
                    (None, None) => {}
                },
                (Argument::Uniform(_, bytes), _) => {
                    let part = (from..from + size).map(|n| bytes.get(n).copied().unwrap_or(0));
                    uniforms.push((offset, part.collect()));
                }
                (Argument::Surface(_), None) => {}
            }
        }
        let values: Vec<(usize, &[u8])> =
            uniforms.iter().map(|(offset, bytes)| (*offset, &bytes[..])).collect();
        let count = self.launch(grid, &values, world)?;
        let mut after = arguments.to_vec();
        for (parameter, place) in places {
            let bytes = match place {
                Place::Entry(entry) => world.bound(entry),
                Place::Address(address) => world.mapped(address),
            };
            match &mut after[parameter] {
                Argument::Surface(old) | Argument::Buffer(old) | Argument::Uniform(_, old) => {
                    *old = bytes.expect("a bound argument");
                }
            }
        }
        Ok((after, count))
    }
}

/// The argument with the layout of a surface in a buffer.
fn shape_argument(shape: LinearShape) -> Argument {
    let ty = Type::new(ElemType::I32, 1, LinearShape::BYTES / 4);
    Argument::Uniform(ty, shape.bytes().to_vec())
}

/// The location of the bytes of an argument during a launch.
enum Place {
    Entry(u32),
    Address(u64),
}
