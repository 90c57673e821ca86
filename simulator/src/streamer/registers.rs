//! Registers of the command streamer, and the arithmetic of `MI_MATH`: Intel's PRM, Skylake, volume 2a and
//! 2c.

use std::collections::HashMap;

use super::error::Error;
use crate::time;

/// The first of the 16 general registers of 64 bits.
const GENERAL: u32 = 0x2600;
/// The registers with the size of a walker.
pub(super) const DISPATCH: [u32; 3] = [0x2500, 0x2504, 0x2508];
/// The bits of a register number; the others are flags.
const NUMBER: u32 = 0x7f_fffc;

/// The registers.
#[derive(Debug, Default)]
pub(super) struct Registers {
    values: HashMap<u32, u32>,
}

/// The operands of `MI_MATH` apart from the general registers.
mod operand {
    pub(super) const SOURCE_A: u32 = 0x20;
    pub(super) const SOURCE_B: u32 = 0x21;
    pub(super) const RESULT: u32 = 0x31;
    pub(super) const ZERO_FLAG: u32 = 0x32;
    pub(super) const CARRY_FLAG: u32 = 0x33;
}

/// The arithmetic unit of `MI_MATH`.
#[derive(Default)]
struct Unit {
    a: u64,
    b: u64,
    result: u64,
    zero: u64,
    carry: u64,
}

/// All bits set or clear, which is how flags are stored.
fn flag(set: bool) -> u64 {
    if set { u64::MAX } else { 0 }
}

impl Unit {
    fn load(&mut self, operand: u32, value: u64) {
        match operand {
            operand::SOURCE_A => self.a = value,
            operand::SOURCE_B => self.b = value,
            _ => {}
        }
    }

    fn result(&mut self, result: u64) {
        self.result = result;
        self.zero = flag(result == 0);
    }
}

impl Registers {
    /// The value of a register.
    pub(super) fn read(&self, register: u32) -> u32 {
        match register & NUMBER {
            0x2358 | 0x23a8 => time::ticks() as u32,
            0x235c | 0x23ac => ((time::ticks() & time::TICK_BITS) >> 32) as u32,
            number => self.values.get(&number).copied().unwrap_or(0),
        }
    }

    /// Sets a register.
    pub(super) fn write(&mut self, register: u32, value: u32) {
        self.values.insert(register & NUMBER, value);
    }

    fn general(&self, number: u32) -> u64 {
        let low = GENERAL + 8 * number;
        u64::from(self.read(low + 4)) << 32 | u64::from(self.read(low))
    }

    fn set_general(&mut self, number: u32, value: u64) {
        let low = GENERAL + 8 * number;
        self.write(low, value as u32);
        self.write(low + 4, (value >> 32) as u32);
    }

    fn operand(&self, unit: &Unit, operand: u32) -> u64 {
        match operand {
            0..16 => self.general(operand),
            operand::RESULT => unit.result,
            operand::ZERO_FLAG => unit.zero,
            operand::CARRY_FLAG => unit.carry,
            _ => 0,
        }
    }

    /// Executes the instructions of `MI_MATH`.
    pub(super) fn math(&mut self, instructions: &[u32]) -> Result<(), Error> {
        let mut unit = Unit::default();
        for instruction in instructions {
            let (first, second) = (instruction >> 10 & 0x3ff, instruction & 0x3ff);
            let value = self.operand(&unit, second);
            match instruction >> 20 {
                0x000 => {}
                0x080 => unit.load(first, value),
                0x480 => unit.load(first, !value),
                0x081 => unit.load(first, 0),
                0x481 => unit.load(first, u64::MAX),
                0x100 => {
                    let (sum, carry) = unit.a.overflowing_add(unit.b);
                    unit.carry = flag(carry);
                    unit.result(sum);
                }
                0x101 => {
                    let (difference, borrow) = unit.a.overflowing_sub(unit.b);
                    unit.carry = flag(borrow);
                    unit.result(difference);
                }
                0x102 => unit.result(unit.a & unit.b),
                0x103 => unit.result(unit.a | unit.b),
                0x104 => unit.result(unit.a ^ unit.b),
                0x180 if first < 16 => self.set_general(first, value),
                0x580 if first < 16 => self.set_general(first, !value),
                _ => return Err(Error::Unsupported { what: "MI_MATH instruction", number: *instruction }),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn instruction(code: u32, first: u32, second: u32) -> u32 {
        code << 20 | first << 10 | second
    }

    /// `R2 = R0 op R1`, and the flags in R3 and R4.
    fn computed(code: u32, a: u64, b: u64) -> (u64, u64, u64) {
        let mut registers = Registers::default();
        registers.set_general(0, a);
        registers.set_general(1, b);
        registers
            .math(&[
                instruction(0x080, operand::SOURCE_A, 0),
                instruction(0x080, operand::SOURCE_B, 1),
                instruction(code, 0, 0),
                instruction(0x180, 2, operand::RESULT),
                instruction(0x180, 3, operand::ZERO_FLAG),
                instruction(0x580, 4, operand::CARRY_FLAG),
            ])
            .expect("supported instructions");
        (registers.general(2), registers.general(3), !registers.general(4))
    }

    #[test]
    fn sums_and_flags() {
        assert_eq!(computed(0x100, u64::MAX, 1), (0, u64::MAX, u64::MAX));
        assert_eq!(computed(0x100, 1 << 40, 1), (1 << 40 | 1, 0, 0));
        assert_eq!(computed(0x101, 1, 2), (u64::MAX, 0, u64::MAX));
        assert_eq!(computed(0x102, 12, 10).0, 8);
        assert_eq!(computed(0x103, 12, 10).0, 14);
        assert_eq!(computed(0x104, 12, 12), (0, u64::MAX, 0));
        assert!(Registers::default().math(&[instruction(0x7ff, 0, 0)]).is_err());
    }

    #[test]
    fn the_time_goes_on() {
        let registers = Registers::default();
        let (before, _) = (registers.read(0x2358), std::thread::sleep(std::time::Duration::from_millis(1)));
        assert!(registers.read(0x2358).wrapping_sub(before) >= 12_000);
    }
}
