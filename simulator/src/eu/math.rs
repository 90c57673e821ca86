//! `math`, and the macros for division and roots with more digits.

use super::extended::Extended;
use super::flags;
use super::float::{load, store};
use super::integer::{self, Arithmetic};
use crate::isa::{
    Function, Instruction, Mode, Place, Rounding, Trouble, Type, flush, integers, narrow, round_f32,
};

/// Executes `math`.
pub(crate) fn execute(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    let function = instruction.function.ok_or(Trouble::Unsupported("math without a function"))?;
    match function {
        Function::Idiv | Function::Iqot | Function::Irem => divide(state, instruction, mask, mode),
        Function::Invm | Function::Rsqtm => begin(state, instruction, mask, mode),
        _ => elementary(state, instruction, (function, mask), mode),
    }
}

/// Integer quotients and remainders.
fn divide(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    let lanes = instruction.lanes();
    let [mut a, mut b, mut quotients, mut remainders] = [[0_i64; 32]; 4];
    let [dividend, divisor] = instruction.sources() else {
        return Err(Trouble::Operand("of a division is missing"));
    };
    integers(state.registers, dividend, lanes, &mut a)?;
    integers(state.registers, divisor, lanes, &mut b)?;
    for lane in 0..lanes {
        let (x, y) = (a[lane], b[lane]);
        let by_zero = match (dividend.ty.is_signed(), x < 0) {
            (true, false) => i64::from(i32::MAX),
            (true, true) => i64::from(i32::MIN),
            (false, _) => i64::from(u32::MAX),
        };
        quotients[lane] = if y == 0 { by_zero } else { x.wrapping_div(y) };
        remainders[lane] = if y == 0 { by_zero } else { x.wrapping_rem(y) };
    }
    let destination = &instruction.destination;
    if instruction.function == Some(Function::Irem) {
        return integer::store(state, destination, lanes, mask, &mut remainders, mode);
    }
    integer::store(state, destination, lanes, mask, &mut quotients, mode)?;
    if instruction.function == Some(Function::Idiv) {
        // Remainders are in the registers after the quotients.
        let mut second = destination.clone();
        if !matches!(second.place, Place::Direct(_)) {
            return Err(Trouble::Unsupported("an indirect destination of this instruction"));
        }
        let (bytes, machine) = (lanes * destination.ty.size(), state.machine);
        second.start.0 += if bytes > machine.register_bytes() { 2 } else { 1 };
        second.lay_out(instruction.width, true, machine).map_err(Trouble::Other)?;
        integer::store(state, &second, lanes, mask, &mut remainders, mode)?;
    }
    Ok(())
}

/// `inv` to `pow` on floats. They are as accurate as the functions of the host.
fn elementary(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    (function, mask): (Function, u32),
    mode: Mode,
) -> Result<(), Trouble> {
    let lanes = instruction.lanes();
    let sources = instruction.sources();
    if sources[0].ty == Type::Df {
        return Err(Trouble::Unsupported("a math function of doubles"));
    }
    let [mut a, mut b, mut r] = [[0_f32; 32]; 3];
    load(state.registers, &sources[0], lanes, &mut a, mode, false)?;
    match sources.get(1) {
        Some(source) => load(state.registers, source, lanes, &mut b, mode, false)?,
        None if matches!(function, Function::Fdiv | Function::Pow) => {
            return Err(Trouble::Operand("of this function is missing"));
        }
        None => {}
    }
    for ((r, a), b) in r[..lanes].iter_mut().zip(a).zip(b) {
        *r = value(function, a, b, mode.rounding).ok_or(Trouble::Unsupported("this math function"))?;
        if !mode.float {
            *r = flush(*r);
        }
    }
    if let Some(condition) = instruction.condition {
        let bits = flags::compare(condition, &r[..lanes], std::iter::repeat(0.0))?;
        flags::set(state.registers, instruction, mask, bits)?;
    }
    store(state.registers, &instruction.destination, lanes, mask, &mut r, (mode, false))
}

fn value(function: Function, a: f32, b: f32, rounding: Rounding) -> Option<f32> {
    let quotient = |a: f32, b: f32| {
        if rounding == Rounding::Nearest {
            return a / b;
        }
        // The error of the double quotient has the sign of the remainder, or the opposite sign if the divisor
        // is negative.
        let quotient = f64::from(a) / f64::from(b);
        let remainder = (-quotient).mul_add(b.into(), a.into());
        round_f32(quotient, remainder * f64::from(b.signum()), rounding)
    };
    Some(match function {
        Function::Inv => quotient(1.0, a),
        Function::Fdiv => quotient(a, b),
        Function::Sqt if rounding == Rounding::Nearest => a.sqrt(),
        Function::Sqt => {
            let root = f64::from(a).sqrt();
            round_f32(root, (-root).mul_add(root, a.into()), rounding)
        }
        Function::Rsqt => narrow(1.0 / f64::from(a).sqrt(), rounding),
        Function::Log => a.log2(),
        Function::Exp => a.exp2(),
        Function::Sin => a.sin(),
        Function::Cos => a.cos(),
        Function::Pow => a.abs().powf(b),
        _ => return None,
    })
}

/// The first step of a division or root: sets a flag if the result is a special case and already known.
fn begin(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    let lanes = instruction.lanes();
    let [mut a, mut b, mut r] = [[0_f64; 32]; 3];
    let sources = instruction.sources();
    load(state.registers, &sources[0], lanes, &mut a, mode, false)?;
    let divides = instruction.function == Some(Function::Invm);
    match sources.get(1) {
        Some(source) => load(state.registers, source, lanes, &mut b, mode, false)?,
        None if divides => return Err(Trouble::Operand("of a division is missing")),
        None => {}
    }
    let mut early = 0;
    for lane in 0..lanes {
        let (x, y) = (a[lane], b[lane]);
        let special = if divides { !(x.is_normal() && y.is_normal()) } else { !(x.is_normal() && x > 0.0) };
        early |= u32::from(special) << lane;
        let number = match (special, divides) {
            (true, true) => Extended::of(x / y),
            (true, false) => Extended::of(x.sqrt()),
            (false, true) => Extended::of(y).reciprocal(),
            (false, false) => Extended::of(x).reciprocal_root(),
        };
        r[lane] = number.to_f64();
        let register = instruction.destination.extension.map(usize::from);
        let kept = register.and_then(|register| state.accumulator.macros.get_mut(register)?.get_mut(lane));
        if let Some(kept) = kept.filter(|_| mask >> lane & 1 != 0) {
            *kept = number;
        }
    }
    if instruction.condition.is_some() {
        flags::set(state.registers, instruction, mask, early)?;
    }
    store(state.registers, &instruction.destination, lanes, mask, &mut r, (mode, false))
}

/// `madm`: a multiplication and an addition on registers of the macros.
pub(crate) fn continue_macro(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    let lanes = instruction.lanes();
    if lanes > 16 {
        return Err(Trouble::Unsupported("madm of more than sixteen channels"));
    }
    let [addend, left, right] = instruction.sources() else {
        return Err(Trouble::Operand("of madm is missing"));
    };
    let mut numbers = [[Extended::Special(0.0); 16]; 3];
    for (numbers, source) in numbers.iter_mut().zip([addend, left, right]) {
        let mut values = [0_f64; 32];
        load(state.registers, source, lanes, &mut values, mode, false)?;
        let kept = source.extension.and_then(|register| state.accumulator.macros.get(usize::from(register)));
        for (lane, number) in numbers[..lanes].iter_mut().enumerate() {
            *number = match kept {
                Some(kept) if source.negate => kept[lane].negated(),
                Some(kept) => kept[lane],
                None => Extended::of(values[lane]),
            };
        }
    }
    let mut r = [0_f64; 32];
    for lane in 0..lanes {
        let number = numbers[1][lane].multiply_add(numbers[2][lane], numbers[0][lane]);
        r[lane] =
            if instruction.destination.ty == Type::F { number.to_f32().into() } else { number.to_f64() };
        let register = instruction.destination.extension.map(usize::from);
        let kept = register.and_then(|register| state.accumulator.macros.get_mut(register));
        if let Some(kept) = kept.filter(|_| mask >> lane & 1 != 0) {
            kept[lane] = number.kept();
        }
    }
    store(state.registers, &instruction.destination, lanes, mask, &mut r, (mode, false))
}
