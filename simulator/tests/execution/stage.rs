//! Threads with memory for tests.

use std::sync::Arc;

use cm_simulator::dispatch::{Fault, Floats, Shape, Start, Stop, Surface, Surroundings};
use cm_simulator::eu::{Program, Thread};
use cm_simulator::generation::{Generation, Machine};
use cm_simulator::memory::{Block, Memory, Span};

/// The machine of most tests.
pub(crate) const GEN9: Machine = Machine::of(Generation::Gen9);

/// The address of the memory of the stage.
pub(crate) const ADDRESS: u64 = 0x1_0000;

/// Surfaces by their entries, memory, and the initial state of a thread.
pub(crate) struct Stage {
    pub(crate) surfaces: Vec<(u32, Block, Shape)>,
    /// Surfaces by the offsets of their states.
    pub(crate) states: Vec<(u32, Block, Shape)>,
    pub(crate) memory: Block,
    pub(crate) shared: Option<Block>,
    pub(crate) registers: Vec<u8>,
    pub(crate) mask: u32,
    /// The number of the hardware thread.
    pub(crate) hardware_thread: u32,
    pub(crate) machine: Machine,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of(Generation::Gen9)
    }

    /// A stage for a generation.
    pub(crate) fn of(generation: Generation) -> Self {
        let machine = Machine::of(generation);
        Self {
            surfaces: vec![],
            states: vec![],
            memory: Block::filled(4096, 0),
            shared: None,
            registers: vec![0; machine.bytes()],
            mask: u32::MAX,
            hardware_thread: 0,
            machine,
        }
    }

    /// Adds bytes in registers from `register` on.
    pub(crate) fn with(mut self, register: usize, bytes: &[u8]) -> Self {
        self.registers[register * self.machine.register_bytes()..][..bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Adds a raw buffer.
    pub(crate) fn with_buffer(mut self, entry: u32, block: &Block) -> Self {
        let length = u32::try_from(block.to_vec().len()).unwrap();
        self.surfaces.push((entry, block.clone(), Shape::buffer(length)));
        self
    }

    /// A thread that runs a text.
    pub(crate) fn thread(&self, text: &str) -> Thread {
        self.thread_of(program(text, self.machine))
    }

    /// A thread that begins with the registers of the stage.
    pub(crate) fn thread_of(&self, program: Arc<Program>) -> Thread {
        let start = Start {
            registers: self.registers.clone(),
            mask: self.mask,
            hardware_thread: self.hardware_thread,
            in_group: 0,
            group: [0; 3],
        };
        Thread::new(program, start, self.shared.clone())
    }

    /// The registers after a text, whose thread must end.
    pub(crate) fn run(&self, text: &str) -> Vec<u8> {
        self.run_program(program(text, self.machine))
    }

    /// The registers after a program.
    pub(crate) fn run_program(&self, program: Arc<Program>) -> Vec<u8> {
        let mut thread = self.thread_of(program);
        assert_eq!(thread.run(self, 1_000_000), Stop::Ended);
        thread.registers().to_vec()
    }

    /// The fault of a text.
    pub(crate) fn fault(&self, text: &str) -> Fault {
        match self.thread(text).run(self, 1_000_000) {
            Stop::Fault(fault) => fault,
            other => panic!("{other:?}: {text}"),
        }
    }
}

impl Surroundings for Stage {
    fn memory(&self) -> &dyn Memory {
        self
    }

    fn surface(&self, entry: u32) -> Option<Surface<'_>> {
        let (_, block, shape) = self.surfaces.iter().find(|(number, ..)| *number == entry)?;
        Some(shape.surface(block.span(), 0))
    }

    fn sampler(&self, _: u32) -> Option<[u32; 4]> {
        // Repeat mode, linear filter, coordinates in texels.
        Some([1 << 17 | 1 << 14, 0, 0, 1 << 10])
    }

    fn general_state_base(&self) -> u64 {
        0
    }

    fn surface_at(&self, state: u32) -> Option<Surface<'_>> {
        let (_, block, shape) = self.states.iter().find(|(offset, ..)| *offset == state)?;
        Some(shape.surface(block.span(), 0))
    }

    fn floats(&self) -> Floats {
        Floats { alternative: false, keep_denormals: true }
    }
}

impl Memory for Stage {
    fn at(&self, address: u64) -> Option<Span<'_>> {
        let offset = usize::try_from(address.checked_sub(ADDRESS)?).ok()?;
        let span = self.memory.span();
        span.part(offset, span.len().checked_sub(offset)?).filter(|span| !span.is_empty())
    }
}

/// The program of a text, with an end-of-thread message added.
pub(crate) fn program(text: &str, machine: Machine) -> Arc<Program> {
    let end = match machine.generation {
        Generation::Gen9 => "(W) send (8|M0) null r127 0x27 0x2000010 {EOT}",
        Generation::XeLp => "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1}",
        _ => "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}",
    };
    Program::assemble(&format!("{text}\n{end}\n"), machine).unwrap_or_else(|error| panic!("{error}"))
}

/// The dwords of registers from `register` on.
pub(crate) fn dwords(registers: &[u8], register: usize, count: usize) -> Vec<u32> {
    let bytes = &registers[register * GEN9.register_bytes()..][..count * 4];
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// The bytes of dwords.
pub(crate) fn bytes(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}
