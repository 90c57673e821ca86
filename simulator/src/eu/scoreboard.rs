//! The scoreboard of newer generations, used as a check: on hardware, an instruction that does not wait for
//! the registers that it reads or overwrites gets garbage, so that is a fault here.
//!
//! The rules for what the hardware does itself, and for what instructions must declare, come from Intel's
//! compiler, which places the annotations: `visa/LocalScheduler/SWSB_G4IR.cpp`, `visa/G4_IR.cpp` (pipes of
//! instructions) and `visa/iga/IGALibrary/IR/SWSBSetter.cpp` and `RegDeps.cpp` of Intel's graphics compiler:
//!
//! - Instructions of a pipe end in order; an instruction that is far enough back (`Pipe::longest`) has always
//!   ended.
//! - A branch takes longer than any pipe: after it, all in-order instructions have ended.
//! - A read must be preceded by a wait, even within a pipe; for accumulators, flags and addresses only if a
//!   token holds them.
//! - An overwrite must be preceded by a wait if another pipe or a token writes or reads the register.
//! - The payload of a message needs no wait before the response of a later message to the same shared
//!   function. Nor do the sources of `math` before the result of a later `math`, because the math unit takes
//!   instructions in order: code from the compiler waits for them only before other results.
//! - A message or matrix instruction, and `math` before Xe-HPC, holds a token; the next holder of a token
//!   waits for the previous one.

use crate::generation::{Generation, Machine};
use crate::isa::{
    Combine, Counted, Detail, File, Instruction, Opcode, Operand, Pipe, Place, Program, Registers, Token,
    Trouble, Unit, Wait, offsets,
};

/// The number of pipes that distances count.
const PIPES: usize = 5;
/// The number of tokens.
const TOKENS: usize = 32;

/// How an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// In a pipe whose instructions end in order.
    InOrder(Pipe),
    /// Until its token is released.
    OutOfOrder,
    /// Not at all: it uses no registers.
    Nowhere,
}

/// The last user of a byte of a register: none, or an instruction and its number in its pipe or of its token.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Mark(u64);

/// The decoded mark.
struct Marked {
    number: u32,
    instruction: usize,
    unit: usize,
}

impl Mark {
    fn new(unit: usize, instruction: usize, number: u32) -> Self {
        Self(u64::from(number) | (instruction as u64 & 0xff_ffff) << 32 | (unit as u64 + 1) << 56)
    }

    fn get(self) -> Option<Marked> {
        let unit = (self.0 >> 56).checked_sub(1)? as usize;
        Some(Marked { number: self.0 as u32, instruction: (self.0 >> 32 & 0xff_ffff) as usize, unit })
    }
}

/// A token.
#[derive(Clone, Copy, Debug, Default)]
struct Holder {
    /// The number of instructions that have held it.
    held: u32,
    /// The number of these whose sources are known to be read, and whose destinations are known to be
    /// written.
    read: u32,
    written: u32,
}

/// The instructions of a thread that may still be running.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    machine: Machine,
    /// The number of issued instructions of each pipe, and how many of them are known to have ended.
    issued: [u32; PIPES],
    ended: [u32; PIPES],
    tokens: [Holder; TOKENS],
    /// For each byte of the registers: its writer, and its readers, in order and by token.
    writers: Vec<Mark>,
    readers: Vec<Mark>,
    holders: Vec<Mark>,
}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// How an instruction touches registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Pipe {
    /// An instruction has ended if more than this many instructions follow it in its pipe.
    fn longest(self, generation: Generation) -> u32 {
        match self {
            Self::Scalar => 2,
            Self::Math => 18,
            Self::Long => 15,
            Self::Float | Self::Integer if generation >= Generation::XeLp => 11,
            _ => 0,
        }
    }
}

impl Scoreboard {
    /// The scoreboard of a thread, if its generation has one.
    pub(crate) fn new(machine: Machine) -> Option<Self> {
        let bytes = File::General.start() + File::General.bytes();
        let all = bytes.max(File::Accumulator.start() + File::Accumulator.bytes());
        machine.generation.has_scoreboard().then(|| Self {
            machine,
            issued: [0; PIPES],
            ended: [0; PIPES],
            tokens: [Holder::default(); TOKENS],
            writers: vec![Mark::default(); all],
            readers: vec![Mark::default(); all],
            holders: vec![Mark::default(); all],
        })
    }

    /// The counter for the instructions of a pipe: Xe-LP has one for all pipes.
    fn counter(&self, pipe: usize) -> usize {
        if self.machine.generation == Generation::XeLp { 0 } else { pipe }
    }

    /// Applies the waits of the annotation of an instruction.
    pub(crate) fn wait(&mut self, instruction: &Instruction) {
        if let Some((counted, distance)) = instruction.annotation.distance {
            for pipe in 0..PIPES {
                let counts = match counted {
                    Counted::Of(one) => one as usize == pipe,
                    // Sources of several types imply several pipes, so all are counted.
                    Counted::Implied | Counted::All => true,
                };
                if counts || self.machine.generation == Generation::XeLp {
                    let until = (self.issued[pipe] + 1).saturating_sub(distance.into());
                    self.ended[pipe] = self.ended[pipe].max(until);
                }
            }
        }
        match instruction.annotation.token {
            Some(Token::WaitsForSources(token)) => self.release(token.into(), false),
            Some(Token::WaitsForDestination(token) | Token::Holds(token)) => self.release(token.into(), true),
            None => {}
        }
        if let Detail::Wait(wait @ (Wait::Sources | Wait::Destinations)) = instruction.detail {
            let mask = match instruction.sources[0].place {
                Place::Immediate(bits) => bits,
                _ => u64::MAX,
            };
            for token in (0..TOKENS).filter(|token| mask >> token & 1 != 0) {
                self.release(token, wait == Wait::Destinations);
            }
        }
    }

    fn release(&mut self, token: usize, written: bool) {
        let holder = &mut self.tokens[token];
        holder.read = holder.held;
        if written {
            holder.written = holder.held;
        }
    }

    /// Checks and records the operands of an instruction that is not a message.
    pub(crate) fn compute(
        &mut self,
        (index, instruction): (usize, &Instruction),
        program: &Program,
        registers: &Registers,
    ) -> Result<(), Trouble> {
        let runs = self.runs(instruction);
        let unit = self.issue(instruction, runs);
        let branches = instruction.opcode.unit() == Unit::Control && runs != Runs::Nowhere;
        let touch = (index, unit, program);
        if let Detail::Systolic { depth, repeats } = instruction.detail {
            return self.matrices(touch, instruction, (depth.into(), repeats.into()));
        }
        if is_for_nothing(instruction) {
            return Ok(());
        }
        for source in instruction.sources() {
            self.operand(touch, (instruction, source), registers, Access::Read)?;
        }
        if let Some(predicate) = instruction.predicate {
            let first = usize::from(predicate.flag + instruction.first);
            let size = match predicate.combine {
                Combine::AnyOf(size) | Combine::AllOf(size) => usize::from(size),
                _ => 1,
            };
            let (from, to) = (first / size * size, (first + instruction.lanes()).next_multiple_of(size));
            let (from, to) = (from / 8, to.div_ceil(8));
            self.touch(touch, File::Flag.start() + from..File::Flag.start() + to, Access::Read)?;
        }
        if instruction.reads_accumulator() {
            let first = File::Accumulator.start();
            self.touch(touch, first..first + instruction.lanes() * 4, Access::Read)?;
        }
        self.operand(touch, (instruction, &instruction.destination), registers, Access::Write)?;
        if instruction.condition.is_some() && instruction.opcode != Opcode::Sel {
            let first = usize::from(instruction.flag + instruction.first);
            let (from, to) = (first / 8, (first + instruction.lanes()).div_ceil(8));
            self.touch(touch, File::Flag.start() + from..File::Flag.start() + to, Access::Write)?;
        }
        if instruction.writes_accumulator && !instruction.annotation.without_accumulator {
            let first = File::Accumulator.start();
            self.touch(touch, first..first + instruction.lanes() * 4, Access::Write)?;
        }
        if branches {
            self.ended = self.issued;
        }
        Ok(())
    }

    /// Checks and records the operands of a matrix instruction, which are whole ranges of registers.
    fn matrices(
        &mut self,
        touch: (usize, Option<(usize, u32)>, &Program),
        instruction: &Instruction,
        (depth, repeats): (usize, usize),
    ) -> Result<(), Trouble> {
        let rows = |operand: &Operand| instruction.lanes() * operand.ty.size() * repeats;
        let [sum, columns, factors] = &instruction.sources;
        let lengths = [rows(sum), instruction.lanes() * 4 * depth, (repeats - 1) * 32 + depth * 4];
        let range = |operand: &Operand, length: usize| {
            let first = usize::from(operand.offsets[0]);
            if operand.file() == Some(File::General) { first..first + length } else { 0..0 }
        };
        for (source, length) in [sum, columns, factors].into_iter().zip(lengths) {
            self.touch(touch, range(source, length), Access::Read)?;
        }
        let destination = &instruction.destination;
        self.touch(touch, range(destination, rows(destination)), Access::Write)
    }

    /// Checks and records the registers of a message: its payloads, its response, and its descriptors.
    pub(crate) fn message(
        &mut self,
        (index, instruction): (usize, &Instruction),
        program: &Program,
        (sources, response): (&[std::ops::Range<usize>], std::ops::Range<usize>),
    ) -> Result<(), Trouble> {
        let unit = self.issue(instruction, Runs::OutOfOrder);
        let touch = (index, unit, program);
        for source in sources {
            self.touch(touch, source.clone(), Access::Read)?;
        }
        self.touch(touch, response, Access::Write)
    }

    /// Counts an instruction. Returns its unit and its number there; `None` if it uses no registers or has no
    /// token.
    fn issue(&mut self, instruction: &Instruction, runs: Runs) -> Option<(usize, u32)> {
        match runs {
            Runs::InOrder(pipe) => {
                let counter = self.counter(pipe as usize);
                self.issued[counter] += 1;
                Some((pipe as usize, self.issued[counter]))
            }
            Runs::OutOfOrder => {
                let Some(Token::Holds(token)) = instruction.annotation.token else { return None };
                let holder = &mut self.tokens[usize::from(token)];
                holder.held += 1;
                Some((PIPES + usize::from(token), holder.held))
            }
            Runs::Nowhere => None,
        }
    }

    /// How an instruction is executed.
    fn runs(&self, instruction: &Instruction) -> Runs {
        let generation = self.machine.generation;
        match instruction.opcode.unit() {
            Unit::Send | Unit::Systolic => return Runs::OutOfOrder,
            Unit::Math if generation < Generation::XeHpc => return Runs::OutOfOrder,
            Unit::Math | Unit::Macro
                if generation >= Generation::XeHpc && instruction.opcode == Opcode::Math =>
            {
                return Runs::InOrder(Pipe::Math);
            }
            Unit::Control => {
                return match instruction.opcode {
                    Opcode::Nop | Opcode::Sync | Opcode::Wait | Opcode::Halt | Opcode::Illegal => {
                        Runs::Nowhere
                    }
                    _ => Runs::InOrder(Pipe::Integer),
                };
            }
            _ => {}
        }
        let (destination, sources) = (&instruction.destination, instruction.sources());
        if destination.file() == Some(File::Scalar) && matches!(sources[0].place, Place::Immediate(_)) {
            return Runs::InOrder(Pipe::Scalar);
        }
        let is_long = |operand: &Operand| operand.ty.size() == 8;
        let long = if generation >= Generation::XeHpc {
            destination.ty.size() == 8 && destination.ty.is_float()
        } else {
            is_long(destination) || sources.iter().any(is_long)
        };
        let floats = generation > Generation::XeLp;
        Runs::InOrder(if long {
            Pipe::Long
        } else if floats && (destination.ty.is_float() || instruction.opcode == Opcode::Srnd) {
            Pipe::Float
        } else {
            Pipe::Integer
        })
    }

    /// Checks and records the elements of an operand.
    fn operand(
        &mut self,
        touch: (usize, Option<(usize, u32)>, &Program),
        (instruction, operand): (&Instruction, &Operand),
        registers: &Registers,
        access: Access,
    ) -> Result<(), Trouble> {
        let size = operand.ty.size();
        let lanes = instruction.lanes();
        match operand.place {
            Place::Direct(File::General | File::Accumulator | File::Address | File::Flag) => {}
            Place::Indirect { subregister, row, .. } => {
                let rows = row.map_or(1, |row| lanes.div_ceil(row.into()));
                let first = File::Address.start() + usize::from(subregister) * 2;
                self.touch(touch, first..first + rows * 2, Access::Read)?;
            }
            _ => return Ok(()),
        }
        let mut own = [0; 32];
        let (offsets, _) = offsets(registers, operand, lanes, &mut own)?;
        for &offset in &offsets[..lanes] {
            let first = usize::from(offset);
            self.touch(touch, first..first + size, access)?;
        }
        Ok(())
    }

    /// Checks and records bytes.
    fn touch(
        &mut self,
        (index, unit, program): (usize, Option<(usize, u32)>, &Program),
        bytes: std::ops::Range<usize>,
        access: Access,
    ) -> Result<(), Trouble> {
        let own = unit.map(|(unit, _)| unit);
        for byte in bytes {
            let (Some(writer), Some(reader), Some(holder)) =
                (self.writers.get(byte), self.readers.get(byte), self.holders.get(byte))
            else {
                return Ok(());
            };
            let (writer, reader, holder) = (*writer, *reader, *holder);
            if writer.0 != 0
                && let Some(marked) = self.hazard(writer, access, Access::Write, byte, (index, own))
            {
                return Err(fault(program, byte, access, Access::Write, &marked, self.machine));
            }
            if access == Access::Read {
                // Flags and addresses are read when an instruction starts.
                if let Some((unit, number)) = unit
                    && !is_small(byte)
                {
                    let mark = Mark::new(unit, index, number);
                    *(if unit < PIPES { &mut self.readers[byte] } else { &mut self.holders[byte] }) = mark;
                }
                continue;
            }
            for mark in [reader, holder] {
                if mark.0 != 0
                    && let Some(marked) = self.hazard(mark, access, Access::Read, byte, (index, own))
                    && !follows(program, marked.instruction, index)
                {
                    return Err(fault(program, byte, access, Access::Read, &marked, self.machine));
                }
            }
            self.writers[byte] =
                unit.map_or(Mark::default(), |(unit, number)| Mark::new(unit, index, number));
            (self.readers[byte], self.holders[byte]) = (Mark::default(), Mark::default());
        }
        Ok(())
    }

    /// The earlier user, if it may not have ended and the hardware does not wait for it.
    fn hazard(
        &self,
        mark: Mark,
        access: Access,
        earlier: Access,
        byte: usize,
        (index, own): (usize, Option<usize>),
    ) -> Option<Marked> {
        let marked = mark.get()?;
        if let Some(token) = marked.unit.checked_sub(PIPES) {
            let holder = &self.tokens[token];
            let until = if earlier == Access::Write { holder.written } else { holder.read };
            return (marked.number > until && marked.instruction != index).then_some(marked);
        }
        let counter = self.counter(marked.unit);
        let (pipe, longest) = (PIPE[marked.unit], PIPE[marked.unit].longest(self.machine.generation));
        let single = self.machine.generation == Generation::XeLp;
        let in_order = own.is_some_and(|own| own < PIPES);
        // The instruction itself is already counted in its own pipe.
        let counted = in_order && own.is_some_and(|own| self.counter(own) == counter);
        let distance = self.issued[counter] + u32::from(!counted) - marked.number;
        if marked.number <= self.ended[counter] || distance > longest {
            return None;
        }
        let same = in_order && (own == Some(marked.unit) || single);
        let covered = match (access, earlier) {
            (Access::Read, _) => byte >= File::General.start() + File::General.bytes(),
            (Access::Write, Access::Write) if is_small(byte) => true,
            // If there is one counter for all pipes, a long instruction may end after a later short one.
            (Access::Write, Access::Write) if single => {
                same && (pipe != Pipe::Long || own == Some(marked.unit))
            }
            (Access::Write, _) => same,
        };
        (!covered).then_some(marked)
    }
}

/// Whether an instruction only takes time: a move to `null` that sets no flag. The compiler puts these before
/// messages, with source registers that may still be being written (`insertDummyMovs` in `SWSB_G4IR.cpp`).
fn is_for_nothing(instruction: &Instruction) -> bool {
    let moves = instruction.opcode == Opcode::Mov && instruction.destination.is_null();
    moves && instruction.condition.is_none() && !instruction.writes_accumulator
}

/// Whether two instructions are messages to the same shared function, or both for the math unit. These process
/// instructions in order: when the later one's result arrives, the earlier one's sources have been read.
fn follows(program: &Program, earlier: usize, later: usize) -> bool {
    let [Some(earlier), Some(later)] = [earlier, later].map(|index| program.instructions.get(index)) else {
        return false;
    };
    let math = [earlier, later].iter().all(|instruction| instruction.opcode == Opcode::Math);
    math || matches!(earlier.detail, Detail::Receiver(_)) && earlier.detail == later.detail
}

/// The pipes by number.
const PIPE: [Pipe; PIPES] = [Pipe::Float, Pipe::Integer, Pipe::Long, Pipe::Math, Pipe::Scalar];

/// Whether it is a byte of an address or flag register.
fn is_small(byte: usize) -> bool {
    [File::Address, File::Flag].iter().any(|file| (file.start()..file.start() + file.bytes()).contains(&byte))
}

/// The name of a byte of a register.
fn named(byte: usize, machine: Machine) -> String {
    if byte < File::General.bytes() {
        let bytes = machine.register_bytes();
        return format!("byte {} of r{}", byte % bytes, byte / bytes);
    }
    for (file, name) in [(File::Accumulator, "acc"), (File::Address, "a0"), (File::Flag, "f")] {
        if let Some(at) = byte.checked_sub(file.start()).filter(|at| *at < file.bytes()) {
            return match file {
                File::Accumulator => {
                    format!("byte {} of acc{}", at % machine.register_bytes(), at / machine.register_bytes())
                }
                File::Flag => format!("byte {} of f{}", at % 4, at / 4),
                _ => format!("byte {at} of {name}"),
            };
        }
    }
    format!("byte {byte} of the registers")
}

#[cold]
fn fault(
    program: &Program,
    byte: usize,
    access: Access,
    earlier: Access,
    marked: &Marked,
    machine: Machine,
) -> Trouble {
    let does = if access == Access::Read { "reads" } else { "overwrites" };
    let did = if earlier == Access::Write { "writes" } else { "reads" };
    let at = program.instructions.get(marked.instruction).map_or(0, |instruction| instruction.at);
    let text = program.texts.get(marked.instruction).map_or("", String::as_str);
    let waits = match marked.unit.checked_sub(PIPES) {
        Some(token) if earlier == Access::Write => format!("${token}.dst"),
        Some(token) => format!("${token}.src"),
        None if machine.generation == Generation::XeLp => "a distance".to_owned(),
        None => format!("a distance in pipe {:?}", PIPE[marked.unit]),
    };
    let what = named(byte, machine);
    Trouble::Other(format!(
        "it {does} {what}, which the instruction at byte {at} (`{text}`) {did}, and does not wait for that with {waits}"
    ))
}
