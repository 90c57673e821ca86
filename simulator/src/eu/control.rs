//! Control flow: the enabled channels, and the positions where the others wait.

use super::flags;
use crate::generation::Generation;
use crate::isa::{Detail, File, Instruction, Opcode, Place, Program, Registers, Trouble, Wait, integers};

/// Consumes one notification from a notification register.
fn take_notification(registers: &mut Registers, element: usize) -> Result<(), Trouble> {
    let at = File::Notification.start() + element * 4;
    let count = registers.get::<u32>(at);
    if count == 0 {
        // The message of a barrier stops the thread, and notifies it before it continues.
        return Err(Trouble::Operand("that no barrier will notify"));
    }
    registers.set(at, count - 1);
    Ok(())
}

/// The position of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// The index of the next instruction.
    pub(crate) next: usize,
    /// The enabled channels.
    pub(crate) active: u32,
    /// The channels that continue at an instruction.
    waiting: u32,
    wake: [u32; 32],
}

impl Flow {
    pub(crate) fn new(mask: u32) -> Self {
        Self { next: 0, active: mask, waiting: 0, wake: [0; 32] }
    }

    /// Enables the channels that wait for the next instruction.
    #[inline(always)]
    pub(crate) fn arrive(&mut self) {
        if self.waiting != 0 {
            let here = self.waiting_at(self.next);
            self.waiting &= !here;
            self.active |= here;
        }
    }

    fn waiting_at(&self, index: usize) -> u32 {
        let mut mask = self.waiting;
        let mut found = 0;
        while mask != 0 {
            let channel = mask.trailing_zeros();
            found |= u32::from(self.wake[channel as usize] as usize == index) << channel;
            mask &= mask - 1;
        }
        found
    }

    fn park(&mut self, channels: u32, target: usize) {
        self.active &= !channels;
        self.waiting |= channels;
        let mut mask = channels;
        while mask != 0 {
            self.wake[mask.trailing_zeros() as usize] = u32::try_from(target).unwrap_or(u32::MAX);
            mask &= mask - 1;
        }
    }

    /// Goes to the next instruction; or, if none of the channels of the instruction (`all`) is enabled, to
    /// the first instruction where channels wait.
    fn advance(&mut self, target: usize, all: u32) {
        let next = self.next + 1;
        self.next = if self.active & all != 0 || self.waiting_at(next) != 0 { next } else { target };
    }

    /// Executes an instruction of control flow.
    pub(crate) fn execute(
        &mut self,
        instruction: &Instruction,
        program: &Program,
        registers: &mut Registers,
    ) -> Result<(), Trouble> {
        use Opcode as O;
        let branch = Branch::of(instruction, self.active, registers);
        let Branch { all, on, taken, .. } = branch;
        match instruction.opcode {
            O::Nop => self.next += 1,
            O::If | O::Else if instruction.backward => {
                return Err(Trouble::Unsupported("branch control of this instruction"));
            }
            O::If => {
                self.park(on & !taken, branch.target()?);
                self.advance(branch.target()?, all);
            }
            O::Else => {
                self.park(on, branch.join()?);
                self.advance(branch.target()?, all);
            }
            O::Endif | O::Join => self.advance(branch.target()?, all),
            O::While => self.repeat(&branch, branch.target()?),
            O::Break | O::Cont | O::Halt => {
                let join = branch.join()?;
                // A break leaves the loop after its end.
                let ends = program.instructions.get(join).is_some_and(|there| there.opcode == O::While);
                self.park(taken, if instruction.opcode == O::Break && ends { join + 1 } else { join });
                self.advance(branch.target()?, all);
            }
            O::Goto if instruction.backward => self.repeat(&branch, branch.join()?),
            O::Goto => self.leave(&branch, program.machine.generation)?,
            O::Jmpi => self.jump(&branch, program, registers)?,
            O::Brd | O::Brc => {
                let to = if instruction.opcode == O::Brc { branch.join()? } else { branch.target()? };
                self.park(taken, to);
                self.advance(branch.target()?, all);
            }
            O::Call | O::Ret if taken == 0 => self.next += 1,
            O::Call => self.call(&branch, registers)?,
            O::Ret => self.end_call(&branch, program, registers)?,
            O::Wait => {
                let element = match instruction.sources[0].file() {
                    Some(File::Notification) => usize::from(instruction.sources[0].start.1).min(3),
                    _ => 0,
                };
                take_notification(registers, element)?;
                self.next += 1;
            }
            O::Sync => {
                if instruction.detail == Detail::Wait(Wait::Barrier) {
                    take_notification(registers, 0)?;
                }
                self.next += 1;
            }
            O::Illegal => return Err(Trouble::Unsupported("an illegal instruction")),
            _ => return Err(Trouble::Unsupported("this instruction")),
        }
        Ok(())
    }

    /// The end of a loop: channels whose predicate is true go back; the others wait for them.
    fn repeat(&mut self, branch: &Branch<'_>, back: usize) {
        if branch.taken == 0 {
            self.next += 1;
        } else {
            self.park(branch.on & !branch.taken, self.next + 1);
            self.next = back;
        }
    }

    /// `goto` forward.
    fn leave(&mut self, branch: &Branch<'_>, generation: Generation) -> Result<(), Trouble> {
        // Channels whose predicate is true leave; on Gen9, channels whose predicate is false do
        // (`gotoJumpOnTrue` of `HWCaps.inc` of Intel's compiler).
        let leaves = if generation >= Generation::XeLp {
            branch.taken
        } else if branch.instruction.predicate.is_some() {
            branch.on & !branch.taken
        } else {
            0
        };
        self.park(leaves, branch.join()?);
        self.advance(branch.target()?, branch.all);
        Ok(())
    }

    /// `jmpi`: the whole thread jumps.
    fn jump(&mut self, branch: &Branch<'_>, program: &Program, registers: &Registers) -> Result<(), Trouble> {
        let instruction = branch.instruction;
        if flags::predicate(registers, instruction) & 1 == 0 {
            self.next += 1;
        } else if let Place::Target(_) = instruction.sources[0].place {
            self.next = branch.target()?;
        } else {
            let mut value = [0_i64; 32];
            integers(registers, &instruction.sources[0], 1, &mut value)?;
            self.next = program.index(i64::from(instruction.end()) + value[0])?;
        }
        Ok(())
    }

    fn call(&mut self, branch: &Branch<'_>, registers: &mut Registers) -> Result<(), Trouble> {
        let instruction = branch.instruction;
        let target =
            branch.target().map_err(|_| Trouble::Unsupported("a call to an address in a register"))?;
        let Some(File::General) = instruction.destination.file() else {
            return Err(Trouble::Unsupported("a call that returns by another register"));
        };
        let at = usize::from(instruction.destination.offsets[0]);
        if at + 8 > registers.general_bytes() {
            return Err(Trouble::Operand("of two dwords that is the last"));
        }
        registers.set(at, instruction.end());
        registers.set(at + 4, self.active);
        if !instruction.no_mask {
            self.park(branch.on & !branch.taken, self.next + 1);
        }
        self.next = target;
        Ok(())
    }

    /// `ret`
    fn end_call(
        &mut self,
        branch: &Branch<'_>,
        program: &Program,
        registers: &Registers,
    ) -> Result<(), Trouble> {
        let instruction = branch.instruction;
        let mut value = [0_i64; 32];
        integers(registers, &instruction.sources[0], 1, &mut value)?;
        let target = program.index(value[0])?;
        // Channels outside of the instruction follow it.
        if instruction.no_mask || branch.on & !branch.taken == 0 {
            self.next = target;
        } else {
            self.park(branch.taken, target);
            self.next += 1;
        }
        Ok(())
    }
}

/// An instruction of control flow, and its channels.
struct Branch<'a> {
    instruction: &'a Instruction,
    all: u32,
    /// The enabled ones.
    on: u32,
    /// The enabled ones whose predicate is true.
    taken: u32,
}

impl<'a> Branch<'a> {
    fn of(instruction: &'a Instruction, active: u32, registers: &Registers) -> Self {
        let all = instruction.all() << instruction.first;
        let on = all & if instruction.no_mask { u32::MAX } else { active };
        let taken = on & (flags::predicate(registers, instruction) << instruction.first);
        Self { instruction, all, on, taken }
    }

    fn target(&self) -> Result<usize, Trouble> {
        label(self.instruction.target)
    }

    fn join(&self) -> Result<usize, Trouble> {
        label(self.instruction.join)
    }
}

/// The index of the instruction at a label.
fn label(index: Option<u32>) -> Result<usize, Trouble> {
    index.map(|index| index as usize).ok_or(Trouble::Operand("that is no label"))
}
