//! Instructions with float sources.

use super::flags;
use super::integer::{Arithmetic, store_comparison, to_f32, to_f64};
use super::real::Real;
use crate::isa::{
    Condition, File, Instruction, Lanes, Mode, Opcode, Operand, Place, Registers, Trouble, Type, flush,
    flush_double, flush_half, fused_halves, gather, half_from_f64, half_to_f32, narrow, offsets,
    raw_integers, restricted, scatter, short_from_f64,
};

/// Reads the elements of an operand as floats. `raw` keeps denormals.
#[inline(always)]
pub(crate) fn load<F: Real>(
    registers: &Registers,
    operand: &Operand,
    lanes: usize,
    out: &mut Lanes<F>,
    mode: Mode,
    raw: bool,
) -> Result<(), Trouble> {
    let mut own = [0; 32];
    match (operand.ty, &operand.place) {
        (_, Place::Null) => out[..lanes].fill(F::default()),
        (Type::F, Place::Immediate(bits)) => {
            let value = f32::from_bits(*bits as u32);
            let value = if mode.float || raw { value } else { flush(value) };
            out[..lanes].fill(F::of_f64(value.into()));
        }
        (Type::F, _) => {
            let from = offsets(registers, operand, lanes, &mut own)?;
            if mode.float || raw {
                gather::<f32, _>(registers, from, lanes, out, |value| F::of_f64(value.into()));
            } else {
                gather::<f32, _>(registers, from, lanes, out, |value| F::of_f64(flush(value).into()));
            }
        }
        (Type::Df, Place::Immediate(bits)) => {
            out[..lanes].fill(of_double(f64::from_bits(*bits), mode));
        }
        (Type::Df, _) => {
            let from = offsets(registers, operand, lanes, &mut own)?;
            gather::<f64, _>(registers, from, lanes, out, |value| of_double(value, mode));
        }
        (Type::Hf, place) => {
            let convert = |half: u16| {
                let half = if mode.half || raw { half } else { flush_half(half) };
                F::of_f64(half_to_f32(half).into())
            };
            if let Place::Immediate(bits) = place {
                out[..lanes].fill(convert(*bits as u16));
            } else {
                let from = offsets(registers, operand, lanes, &mut own)?;
                gather::<u16, _>(registers, from, lanes, out, convert);
            }
        }
        (Type::Bf, place) => {
            let convert = |short: u16| {
                let value = f32::from_bits(u32::from(short) << 16);
                F::of_f64(if mode.float || raw { value } else { flush(value) }.into())
            };
            if let Place::Immediate(bits) = place {
                out[..lanes].fill(convert(*bits as u16));
            } else {
                let from = offsets(registers, operand, lanes, &mut own)?;
                gather::<u16, _>(registers, from, lanes, out, convert);
            }
        }
        (Type::Vf, Place::Immediate(bits)) => {
            for (lane, out) in out[..lanes].iter_mut().enumerate() {
                *out = F::of_f64(restricted((bits >> ((operand.offsets[lane] & 3) * 8)) as u8).into());
            }
        }
        _ => {
            let mut numbers = [0_i64; 32];
            raw_integers(registers, operand, lanes, &mut numbers)?;
            for (out, number) in out[..lanes].iter_mut().zip(numbers) {
                let number =
                    if operand.ty == Type::Uq { number.cast_unsigned().into() } else { number.into() };
                *out = if F::DOUBLE {
                    F::of_f64(to_f64(number, mode.rounding))
                } else {
                    F::of_f64(to_f32(number, mode.rounding).into())
                };
            }
        }
    }
    if operand.absolute {
        for value in &mut out[..lanes] {
            *value = value.absolute();
        }
    }
    if operand.negate {
        for value in &mut out[..lanes] {
            *value = value.negated();
        }
    }
    Ok(())
}

/// Converts a double in a register to the type of the computation.
#[inline(always)]
fn of_double<F: Real>(value: f64, mode: Mode) -> F {
    let value = if mode.double { value } else { flush_double(value) };
    F::of_f64(if F::DOUBLE { value } else { narrow(value, mode.rounding).into() })
}

/// Writes floats to a destination of any type. `raw` keeps denormals.
#[inline(always)]
pub(crate) fn store<F: Real>(
    registers: &mut Registers,
    destination: &Operand,
    lanes: usize,
    mask: u32,
    values: &mut Lanes<F>,
    (mode, raw): (Mode, bool),
) -> Result<(), Trouble> {
    if destination.is_null() {
        return Ok(());
    }
    let mut own = [0; 32];
    let to = offsets(registers, destination, lanes, &mut own)?;
    if destination.saturate && destination.ty.is_float() {
        for value in &mut values[..lanes] {
            // NaN becomes 0.
            *value = if *value > F::default() {
                if *value < F::ONE { *value } else { F::ONE }
            } else {
                F::default()
            };
        }
    }
    let keeps = mode.float || raw && !F::DOUBLE;
    let rounding = mode.rounding;
    match destination.ty {
        Type::F if F::DOUBLE => scatter(registers, to, lanes, mask, values, |value| {
            let value = narrow(value.to_f64(), rounding);
            if keeps { value } else { flush(value) }
        }),
        Type::F if keeps => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as f32),
        Type::F => scatter(registers, to, lanes, mask, values, |value| flush(value.to_f64() as f32)),
        Type::Df => scatter(registers, to, lanes, mask, values, |value| {
            let value = value.to_f64();
            if mode.double { value } else { flush_double(value) }
        }),
        Type::Hf => scatter(registers, to, lanes, mask, values, |value| {
            let half = half_from_f64(value.to_f64(), rounding);
            if mode.half { half } else { flush_half(half) }
        }),
        Type::Bf => scatter(registers, to, lanes, mask, values, |value| {
            let short = short_from_f64(value.to_f64(), rounding);
            if keeps || short & 0x7f80 != 0 { short } else { short & 0x8000 }
        }),
        // Truncate and saturate; NaN becomes 0.
        Type::Ub => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as u8),
        Type::B => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as i8),
        Type::Uw => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as u16),
        Type::W => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as i16),
        Type::Ud => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as u32),
        Type::D => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as i32),
        Type::Uq => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as u64),
        Type::Q => scatter(registers, to, lanes, mask, values, |value| value.to_f64() as i64),
        _ => return Err(Trouble::Operand("is of a type that cannot be written")),
    }
    Ok(())
}

/// Executes an instruction on floats.
pub(crate) fn execute<F: Real>(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    use Opcode as O;
    let lanes = instruction.lanes();
    let [mut a, mut b, mut c, mut r] = [[F::default(); 32]; 4];
    let sources = instruction.sources();
    let opcode = instruction.opcode;
    let raw = opcode == O::Sel;
    load(state.registers, &sources[0], lanes, &mut a, mode, raw)?;
    if let Some(source) = sources.get(1) {
        load(state.registers, source, lanes, &mut b, mode, raw)?;
    }
    if let Some(source) = sources.get(2) {
        load(state.registers, source, lanes, &mut c, mode, false)?;
    }
    let destination = &instruction.destination;
    let rounding = mode.rounding;
    let (a, b, c) = (&mut a[..lanes], &b[..lanes], &c[..lanes]);
    let out = &mut r[..lanes];
    let halves = destination.ty == Type::Hf && sources.iter().all(|source| source.ty == Type::Hf);
    let multiply_add = |a: F, b: F, c: F| {
        let sum = a.multiply_add(b, c, rounding);
        // `store` rounds to a half. The sign of a zero depends on the rounding.
        let again = halves && sum != F::default();
        if again { F::of_f64(fused_halves(a.to_f64(), b.to_f64(), c.to_f64())) } else { sum }
    };
    match opcode {
        O::Mov | O::Movi => out.copy_from_slice(a),
        O::Add => {
            for ((r, a), b) in out.iter_mut().zip(&*a).zip(b) {
                *r = a.add(*b, rounding);
            }
        }
        O::Mul => {
            for ((r, a), b) in out.iter_mut().zip(&*a).zip(b) {
                *r = a.mul(*b, rounding);
            }
        }
        O::Mad => {
            for (((r, a), b), c) in out.iter_mut().zip(&*a).zip(b).zip(c) {
                *r = multiply_add(*b, *c, *a);
            }
        }
        O::Lrp => {
            for (((r, a), b), c) in out.iter_mut().zip(&*a).zip(b).zip(c) {
                let other = F::ONE.add(a.negated(), rounding).mul(*c, rounding);
                *r = a.mul(*b, rounding).add(other, rounding);
            }
        }
        O::Mac => {
            for (lane, r) in out.iter_mut().enumerate() {
                let start = File::Accumulator.start();
                // It holds elements of the type of the result, as instructions have written them.
                let sum = if F::DOUBLE {
                    state.registers.get::<f64>(start + lane * 8)
                } else if destination.ty == Type::Hf {
                    half_to_f32(state.registers.get::<u16>(start + lane * 2)).into()
                } else {
                    state.registers.get::<f32>(start + lane * 4).into()
                };
                *r = multiply_add(a[lane], b[lane], F::of_f64(sum));
            }
        }
        O::Frc => {
            for (r, a) in out.iter_mut().zip(&*a) {
                *r = a.add(a.floor().negated(), rounding);
                if *r >= F::ONE {
                    *r = F::ONE.next_down();
                }
            }
        }
        O::Rndd => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.floor()),
        O::Rndu => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.ceil()),
        O::Rndz => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.trunc()),
        O::Rnde => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.round_even()),
        O::Sel => {
            let is_number = |value: F| value.partial_cmp(&value).is_some();
            let taken = match instruction.condition {
                // If one operand is NaN, the other one is selected.
                Some(condition @ (Condition::Less | Condition::GreaterEqual)) => {
                    let mut taken = flags::compare(condition, a, b.iter().copied())?;
                    for (lane, b) in b.iter().enumerate() {
                        taken |= u32::from(!is_number(*b)) << lane;
                    }
                    taken
                }
                Some(condition) => flags::compare(condition, a, b.iter().copied())?,
                None => flags::predicate(state.registers, instruction),
            };
            for (lane, r) in out.iter_mut().enumerate() {
                *r = if taken >> lane & 1 != 0 { a[lane] } else { b[lane] };
            }
            return store(state.registers, destination, lanes, mask, &mut r, (mode, true));
        }
        // The compiler for Ponte Vecchio inserts this between other instructions for their distance: `csel`
        // of r0 with itself, which may not contain floats, so r0 must stay unchanged.
        O::Csel if instruction.condition.is_none() && sources[0].is_same(&sources[1]) => return Ok(()),
        O::Csel => {
            let condition = instruction.condition.ok_or(Trouble::Operand("of csel is no condition"))?;
            let taken = flags::compare(condition, c, std::iter::repeat(F::default()))?;
            for (lane, r) in out.iter_mut().enumerate() {
                *r = if taken >> lane & 1 != 0 { a[lane] } else { b[lane] };
            }
            return store(state.registers, destination, lanes, mask, &mut r, (mode, true));
        }
        O::Cmp | O::Cmpn => {
            let condition = instruction.condition.ok_or(Trouble::Operand("of cmp is no condition"))?;
            let mut holds = flags::compare(condition, a, b.iter().copied())?;
            if opcode == O::Cmpn && matches!(condition, Condition::Less | Condition::GreaterEqual) {
                for (lane, b) in b.iter().enumerate() {
                    holds |= u32::from(b.partial_cmp(b).is_none()) << lane;
                }
            }
            flags::set(state.registers, instruction, mask, holds)?;
            return store_comparison(state, destination, lanes, mask, holds, mode);
        }
        O::Dp4 | O::Dph | O::Dp3 | O::Dp2 => {
            if lanes < 4 {
                return Err(Trouble::Unsupported("a dot product of less than four channels"));
            }
            for (lane, r) in out.iter_mut().enumerate() {
                let first = lane & !3;
                let product = |n: usize| a[first + n].mul(b[first + n], rounding);
                let mut sum = product(0).add(product(1), rounding);
                if opcode != O::Dp2 {
                    sum = sum.add(product(2), rounding);
                }
                *r = match opcode {
                    O::Dp4 => sum.add(product(3), rounding),
                    O::Dph => sum.add(b[first + 3], rounding),
                    _ => sum,
                };
            }
        }
        O::Line => {
            let (Some(File::General), false) = (sources[0].file(), F::DOUBLE) else {
                return Err(Trouble::Operand("of line that is no register"));
            };
            let start = usize::from(sources[0].offsets[0]);
            let [p, q] = [start, start + 12].map(|at| F::of_f64(state.registers.get::<f32>(at).into()));
            for (r, b) in out.iter_mut().zip(b) {
                *r = p.mul(*b, rounding).add(q, rounding);
            }
        }
        _ => return Err(Trouble::Unsupported("the float form of this instruction")),
    }
    if !F::DOUBLE && !mode.float {
        for r in out.iter_mut() {
            *r = r.flushed();
        }
    }
    if instruction.writes_accumulator {
        keep(state.registers, out, mask);
    }
    if let Some(condition) = instruction.condition {
        let bits = flags::compare(condition, out, std::iter::repeat(F::default()))?;
        flags::set(state.registers, instruction, mask, bits)?;
    }
    store(state.registers, destination, lanes, mask, &mut r, (mode, false))
}

/// Writes results to the accumulator, as far as it has channels.
fn keep<F: Real>(registers: &mut Registers, results: &[F], mask: u32) {
    let start = File::Accumulator.start();
    for (lane, value) in results.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
        if F::DOUBLE && lane < 8 {
            registers.set(start + lane * 8, value.to_f64());
        } else if !F::DOUBLE && lane < 16 {
            registers.set(start + lane * 4, value.to_f64() as f32);
        }
    }
}
