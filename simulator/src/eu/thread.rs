//! A thread and its registers.

use std::sync::Arc;

use super::accumulator::Accumulator;
use super::barrier::{Barriers, Signal, Signals};
use super::control::Flow;
use super::execute;
use super::flags;
use super::integer::Arithmetic;
use super::scoreboard::Scoreboard;
use super::send::{Ranges, Sent, send};
use super::trace;
use crate::dispatch::{Fault, Start, Stop, Surroundings};
use crate::generation::Generation;
use crate::isa::{Detail, File, Instruction, Opcode, Program, Registers, Trouble, Unit, Wait, raw_integers};
use crate::memory::Block;
use crate::messages::Port;

/// A hardware thread.
#[derive(Debug)]
pub struct Thread {
    program: Arc<Program>,
    registers: Registers,
    accumulator: Accumulator,
    flow: Flow,
    scoreboard: Option<Scoreboard>,
    shared: Option<Block>,
    barriers: Option<Barriers>,
    signals: Signals,
    hardware_thread: u32,
    begun: bool,
    ended: bool,
    traced: bool,
    instructions: u64,
}

impl Thread {
    /// A thread before its first instruction. `shared` is the shared local memory of its group.
    #[must_use]
    pub fn new(program: Arc<Program>, start: Start, shared: Option<Block>) -> Self {
        let mask = if start.mask == 0 { u32::MAX } else { start.mask };
        Self {
            registers: Registers::new(&start.registers, program.machine),
            scoreboard: Scoreboard::new(program.machine),
            program,
            accumulator: Accumulator::new(),
            flow: Flow::new(mask),
            shared,
            barriers: None,
            signals: Signals::default(),
            hardware_thread: start.hardware_thread,
            begun: false,
            ended: false,
            traced: false,
            instructions: 0,
        }
    }

    /// Adds the barriers of the group, at which threads signal and wait separately: from Xe-HPG on. Without
    /// them, a thread stops where it signals.
    #[must_use]
    pub fn with_barriers(mut self, barriers: Barriers) -> Self {
        self.barriers = Some(barriers);
        self
    }

    /// Sets the threads that it depends on, as hardware thread numbers, one for each scoreboard entry.
    pub(crate) fn depend(&mut self, on: [Option<u32>; 8]) {
        /// The valid bit of an entry of tdr0; the lower bits are the number.
        const VALID: u16 = 1 << 15;
        for (entry, other) in on.into_iter().enumerate() {
            let value = other.map_or(0, |number| VALID | number as u16 & 0x7ff);
            self.registers.set(File::Dependency.start() + 2 * entry, value);
        }
    }

    /// A bit for each valid entry: entries that were set and not cleared by the kernel or the dispatcher.
    pub(crate) fn dependencies(&self) -> u8 {
        let entries: u128 = self.registers.get(File::Dependency.start());
        (0..8).fold(0, |bits, entry| bits | ((entries >> (16 * entry + 15) & 1) as u8) << entry)
    }

    /// Clears the entries with these bits.
    pub(crate) fn clear_dependencies(&mut self, entries: u8) {
        let valid: u128 =
            (0..8).filter(|entry| entries >> entry & 1 == 1).map(|entry| 1 << (16 * entry + 15)).sum();
        let before: u128 = self.registers.get(File::Dependency.start());
        let [low, high] = [before & !valid, (before & !valid) >> 64].map(|half| half as u64);
        self.registers.set(File::Dependency.start(), low);
        self.registers.set(File::Dependency.start() + 8, high);
    }

    /// From now on, writes every executed instruction and its results to standard error.
    pub fn trace(&mut self) {
        self.traced = true;
    }

    /// The number of instructions it has run so far.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Its general registers.
    #[must_use]
    pub fn registers(&self) -> &[u8] {
        &self.registers.bytes()[..self.registers.general_bytes()]
    }

    /// A fault at the next instruction.
    pub fn fault(&self, why: impl Into<String>) -> Fault {
        self.program.fault(self.flow.next, why)
    }

    /// Runs until the thread ends, waits, or has run `budget` instructions. A thread that has ended stays
    /// ended; one that has faulted returns the same fault again.
    pub fn run(&mut self, around: &dyn Surroundings, budget: u64) -> Stop {
        let program = Arc::clone(&self.program);
        if let Err(trouble) = self.begin(around) {
            return Stop::Fault(self.fault(trouble.to_string()));
        }
        if self.ended {
            return Stop::Ended;
        }
        let shared = self.shared.clone();
        let mut port = Port::new(around, shared.as_ref(), self.hardware_thread);
        let last = self.instructions.saturating_add(budget);
        while self.instructions < last {
            let Some(instruction) = program.instructions.get(self.flow.next) else {
                let trouble = Trouble::Operand("leads behind the last instruction");
                return Stop::Fault(self.fault(trouble.to_string()));
            };
            self.flow.arrive();
            self.instructions += 1;
            if self.traced {
                trace::before(&program.texts[self.flow.next], instruction, self.flow.active);
            }
            match self.step(instruction, &program, &mut port) {
                Ok(None) => {}
                Ok(Some(stop)) => return stop,
                Err(trouble) => return Stop::Fault(self.fault(trouble.to_string())),
            }
            if self.traced {
                trace::after(&self.registers, instruction);
            }
        }
        Stop::Budget
    }

    /// Initialises the registers that depend on the environment.
    fn begin(&mut self, around: &dyn Surroundings) -> Result<(), Trouble> {
        if self.begun {
            return Ok(());
        }
        let floats = around.floats();
        if floats.alternative {
            return Err(Trouble::Unsupported("the alternative mode of floats"));
        }
        // The denormal bits of all three types.
        self.registers.set(File::Control.start(), if floats.keep_denormals { 0x4c0_u32 } else { 0 });
        // The numbers of the execution unit, its thread and its subslice, as on Skylake: 7 threads of 8
        // units.
        let thread = self.hardware_thread;
        let state = (thread % 7) | ((thread / 7 % 8) << 8) | ((thread / 56 % 3) << 12);
        self.registers.set(File::State.start(), state);
        self.registers.set(File::State.start() + 8, self.flow.active);
        self.begun = true;
        Ok(())
    }

    #[inline(always)]
    fn step(
        &mut self,
        instruction: &Instruction,
        program: &Program,
        port: &mut Port<'_>,
    ) -> Result<Option<Stop>, Trouble> {
        let channels = if instruction.no_mask { u32::MAX } else { self.flow.active };
        let on = channels >> instruction.first & instruction.all();
        if let Some(scoreboard) = &mut self.scoreboard {
            scoreboard.wait(instruction);
            if instruction.opcode.unit() != Unit::Send {
                scoreboard.compute((self.flow.next, instruction), program, &self.registers)?;
            }
        }
        match instruction.opcode.unit() {
            Unit::Control => {
                if let (Detail::Wait(Wait::Barrier), Some(barriers)) = (instruction.detail, &self.barriers) {
                    let mut id = [0_i64; 32];
                    raw_integers(&self.registers, &instruction.sources[0], 1, &mut id)?;
                    // The lowest byte of a flag register has the number of the barrier.
                    if !barriers.passes(&mut self.signals, (id[0] & 0xff) as usize)? {
                        // It was not executed; the thread will repeat it.
                        self.instructions -= 1;
                        return Ok(Some(Stop::Barrier));
                    }
                    self.flow.next += 1;
                    return Ok(None);
                }
                self.flow.execute(instruction, program, &mut self.registers)?;
                return Ok(None);
            }
            Unit::Send => {
                if instruction.conditional && self.dependencies() != 0 {
                    // It was not executed; the thread will repeat it.
                    self.instructions -= 1;
                    return Ok(Some(Stop::Dependency));
                }
                let mask = on & flags::predicate(&self.registers, instruction);
                let mut checked = |ranges: Ranges<'_>| match &mut self.scoreboard {
                    Some(scoreboard) => scoreboard.message((self.flow.next, instruction), program, ranges),
                    None => Ok(()),
                };
                let machine = program.machine;
                let sent = send(port, &mut self.registers, (instruction, machine), mask, &mut checked)?;
                if sent == Sent::Ended {
                    self.ended = true;
                    return Ok(Some(Stop::Ended));
                }
                self.flow.next += 1;
                if let Sent::Barrier(signal) = sent {
                    return self.signal(signal, program);
                }
                return Ok(None);
            }
            _ => {}
        }
        if instruction.reads_state {
            self.refresh(instruction);
        }
        let mask = if instruction.opcode == Opcode::Sel {
            on
        } else {
            on & flags::predicate(&self.registers, instruction)
        };
        let mut state = Arithmetic {
            registers: &mut self.registers,
            accumulator: &mut self.accumulator,
            machine: program.machine,
        };
        execute::arithmetic(&mut state, instruction, mask)?;
        self.flow.next += 1;
        Ok(None)
    }

    /// The thread signals a barrier.
    fn signal(&mut self, signal: Signal, program: &Program) -> Result<Option<Stop>, Trouble> {
        if let Some(barriers) = &self.barriers {
            barriers.signal(&mut self.signals, signal)?;
            return Ok(None);
        }
        if program.machine.generation >= Generation::XeHpg && !signal.is_plain() {
            return Err(Trouble::Unsupported("a named barrier here"));
        }
        self.registers.set(File::Notification.start(), 1_u32);
        Ok(Some(Stop::Barrier))
    }

    /// Updates the registers that the machine maintains.
    #[cold]
    fn refresh(&mut self, instruction: &Instruction) {
        self.registers.set(File::Instruction.start(), instruction.at);
        self.registers.set(File::ChannelEnable.start(), self.flow.active);
        self.registers.set(File::Timestamp.start(), self.instructions);
    }
}

impl Program {
    /// A fault at an instruction.
    #[cold]
    fn fault(&self, index: usize, why: impl Into<String>) -> Fault {
        Fault {
            at: self.instructions.get(index).map_or(self.end(), |instruction| instruction.at),
            instruction: self.texts.get(index).cloned().unwrap_or_default(),
            place: None,
            why: why.into(),
        }
    }
}
