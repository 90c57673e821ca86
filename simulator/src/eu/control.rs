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
        let channels = if instruction.no_mask { u32::MAX } else { self.active };
        let all = instruction.all() << instruction.first;
        let on = channels & all;
        let holds = || on & (flags::predicate(registers, instruction) << instruction.first);
        let target =
            || instruction.target.map(|index| index as usize).ok_or(Trouble::Operand("that is no label"));
        let join =
            || instruction.join.map(|index| index as usize).ok_or(Trouble::Operand("that is no label"));
        match instruction.opcode {
            O::Nop => self.next += 1,
            O::If | O::Else if instruction.backward => {
                return Err(Trouble::Unsupported("branch control of this instruction"));
            }
            O::If => {
                self.park(on & !holds(), target()?);
                self.advance(target()?, all);
            }
            O::Else => {
                self.park(on, join()?);
                self.advance(target()?, all);
            }
            O::Endif | O::Join => self.advance(target()?, all),
            O::While => {
                let taken = holds();
                if taken == 0 {
                    self.next += 1;
                } else {
                    self.park(on & !taken, self.next + 1);
                    self.next = target()?;
                }
            }
            O::Break | O::Cont | O::Halt => {
                let taken = holds();
                let join = join()?;
                // A break leaves the loop after its end.
                let ends = program.instructions.get(join).is_some_and(|there| there.opcode == O::While);
                self.park(taken, if instruction.opcode == O::Break && ends { join + 1 } else { join });
                self.advance(target()?, all);
            }
            O::Goto => {
                let taken = holds();
                if instruction.backward {
                    // Channels whose predicate is true go back; the others wait for them.
                    if taken == 0 {
                        self.next += 1;
                    } else {
                        self.park(on & !taken, self.next + 1);
                        self.next = join()?;
                    }
                } else {
                    // Channels whose predicate is true leave; on Gen9, channels whose predicate is false do
                    // (`gotoJumpOnTrue` of `HWCaps.inc` of Intel's compiler).
                    let leaves = if program.machine.generation >= Generation::XeLp {
                        taken
                    } else if instruction.predicate.is_some() {
                        on & !taken
                    } else {
                        0
                    };
                    self.park(leaves, join()?);
                    self.advance(target()?, all);
                }
            }
            O::Jmpi => {
                if flags::predicate(registers, instruction) & 1 == 0 {
                    self.next += 1;
                } else if let Place::Target(_) = instruction.sources[0].place {
                    self.next = target()?;
                } else {
                    let mut value = [0_i64; 32];
                    integers(registers, &instruction.sources[0], 1, &mut value)?;
                    self.next = program.index(i64::from(instruction.end()) + value[0])?;
                }
            }
            O::Brd | O::Brc => {
                let taken = holds();
                self.park(taken, if instruction.opcode == O::Brc { join()? } else { target()? });
                self.advance(target()?, all);
            }
            O::Call => {
                let taken = holds();
                if taken == 0 {
                    self.next += 1;
                    return Ok(());
                }
                let target =
                    target().map_err(|_| Trouble::Unsupported("a call to an address in a register"))?;
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
                    self.park(on & !taken, self.next + 1);
                }
                self.next = target;
            }
            O::Ret => {
                let taken = holds();
                if taken == 0 {
                    self.next += 1;
                    return Ok(());
                }
                let mut value = [0_i64; 32];
                integers(registers, &instruction.sources[0], 1, &mut value)?;
                let target = program.index(value[0])?;
                // Channels outside of the instruction follow it.
                if instruction.no_mask || on & !taken == 0 {
                    self.next = target;
                } else {
                    self.park(taken, target);
                    self.next += 1;
                }
            }
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
}
