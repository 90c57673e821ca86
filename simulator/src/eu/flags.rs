//! Flags: predicates read them, conditions write them.

use crate::isa::{Combine, Condition, Instruction, Lanes, Number, Registers, Trouble, Type};

/// A bit for each channel whose predicate is true.
#[inline(always)]
pub(crate) fn predicate(registers: &Registers, instruction: &Instruction) -> u32 {
    match &instruction.predicate {
        None => u32::MAX,
        Some(_) => combined(registers, instruction),
    }
}

fn combined(registers: &Registers, instruction: &Instruction) -> u32 {
    let Some(predicate) = instruction.predicate else { return u32::MAX };
    let flags = registers.flags();
    let (f0, f1) = (flags as u32, (flags >> 32) as u32);
    let register = (flags >> (predicate.flag & !31)) as u32;
    let first = u32::from(predicate.flag & 31) + u32::from(instruction.first);
    let groups = |size: u8, holds: fn(u32, u32) -> bool| {
        let size = u32::from(size);
        let ones = u32::MAX >> (32 - size);
        (0..u32::from(instruction.width)).fold(0, |mask, channel| {
            let start = (first + channel) / size * size;
            let group = register.checked_shr(start).unwrap_or(0) & ones;
            mask | u32::from(holds(group, ones)) << channel
        })
    };
    let shifted = |flags: u32| flags.checked_shr(first).unwrap_or(0);
    let mask = match predicate.combine {
        Combine::Sequential => shifted(register),
        Combine::AnyVertical => shifted(f0 | f1),
        Combine::AllVertical => shifted(f0 & f1),
        Combine::AnyOf(size) => groups(size, |group, _| group != 0),
        Combine::AllOf(size) => groups(size, |group, ones| group == ones),
    };
    if predicate.invert { !mask } else { mask }
}

/// Writes the flags of the channels in `mask`.
pub(crate) fn set(
    registers: &mut Registers,
    instruction: &Instruction,
    mask: u32,
    bits: u32,
) -> Result<(), Trouble> {
    let first = u32::from(instruction.flag) + u32::from(instruction.first);
    if u32::from(instruction.flag & 31) + u32::from(instruction.first) + u32::from(instruction.width) > 32 {
        return Err(Trouble::Operand("has more channels than its flag register has bits"));
    }
    let mask = u128::from(mask) << first;
    registers.set_flags(registers.flags() & !mask | u128::from(bits) << first & mask);
    Ok(())
}

/// A bit for each channel where the condition between two numbers is true.
#[inline(always)]
pub(crate) fn compare<T: PartialOrd + Copy>(
    condition: Condition,
    a: &[T],
    b: impl Iterator<Item = T>,
) -> Result<u32, Trouble> {
    Ok(match condition {
        Condition::Equal => bits(a, b, |a, b| a == b),
        Condition::NotEqual => bits(a, b, |a, b| a != b),
        Condition::Greater => bits(a, b, |a, b| a > b),
        Condition::GreaterEqual => bits(a, b, |a, b| a >= b),
        Condition::Less => bits(a, b, |a, b| a < b),
        Condition::LessEqual => bits(a, b, |a, b| a <= b),
        #[expect(clippy::eq_op, reason = "a NaN is not equal to itself")]
        Condition::Unordered => bits(a, b, |a, b| a != a || b != b),
        Condition::Overflow | Condition::EarlyOut => {
            return Err(Trouble::Unsupported("this condition of this instruction"));
        }
    })
}

#[inline(always)]
fn bits<T: Copy>(a: &[T], b: impl Iterator<Item = T>, holds: impl Fn(T, T) -> bool) -> u32 {
    let mut mask = 0;
    for (lane, (&a, b)) in a.iter().zip(b).enumerate() {
        mask |= u32::from(holds(a, b)) << lane;
    }
    mask
}

/// The condition of an instruction that has no meaning without one.
pub(crate) fn needed(instruction: &Instruction) -> Result<Condition, Trouble> {
    instruction.condition.ok_or(Trouble::Unsupported("this instruction without a condition"))
}

/// Of each channel, the first number if its bit is set, otherwise the second.
#[inline(always)]
pub(crate) fn choose<T: Copy>(taken: u32, a: &[T], b: &[T], r: &mut [T]) {
    for (lane, ((r, a), b)) in r.iter_mut().zip(a).zip(b).enumerate() {
        *r = if taken >> lane & 1 != 0 { *a } else { *b };
    }
}

/// Writes the flags for the results of an integer instruction.
pub(crate) fn of_integers<T: Number>(
    registers: &mut Registers,
    instruction: &Instruction,
    mask: u32,
    results: &Lanes<T>,
) -> Result<(), Trouble> {
    let Some(condition) = instruction.condition else { return Ok(()) };
    let results = &results[..instruction.lanes()];
    let ty = instruction.destination.ty;
    let saturates = instruction.destination.saturate;
    if condition == Condition::Overflow {
        let (low, high) = ty.range();
        let beyond = |value: T| !(low..=high).contains(&value.to_i128());
        let bits = bits(results, results.iter().copied(), |value, _| beyond(value));
        return set(registers, instruction, mask, bits);
    }
    // Results wrap like the destination; saturated results have the sign of the exact ones.
    let mut wrapped = [0_i64; 32];
    for (wrapped, value) in wrapped.iter_mut().zip(results) {
        let value = value.to_i64();
        *wrapped = match ty {
            _ if saturates => value,
            Type::Ub => value as u8 as i64,
            Type::B => value as i8 as i64,
            Type::Uw => value as u16 as i64,
            Type::W => value as i16 as i64,
            Type::Ud => value as u32 as i64,
            Type::D => value as i32 as i64,
            _ => value,
        };
    }
    let wrapped = &wrapped[..results.len()];
    let zero = std::iter::repeat(0_i64);
    let bits = if ty == Type::Uq {
        let unsigned: Lanes<u64> =
            std::array::from_fn(|lane| wrapped.get(lane).copied().unwrap_or_default().cast_unsigned());
        compare(condition, &unsigned[..results.len()], std::iter::repeat(0))?
    } else {
        compare(condition, wrapped, zero)?
    };
    set(registers, instruction, mask, bits)
}
