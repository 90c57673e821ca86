//! Instructions with float sources.

use super::flags;
use super::integer::{Arithmetic, store_comparison, to_f32, to_f64};
use super::real::Real;
use crate::isa::{
    Condition, File, Instruction, Lanes, Mode, Opcode, Operand, Place, Registers, Rounding, Trouble, Type,
    flush, flush_double, flush_half, fused_halves, gather, half_from_f64, half_to_f32, narrow, offsets,
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
            out[..lanes].fill(of_double(f64::from_bits(*bits), mode, raw));
        }
        (Type::Df, _) => {
            let from = offsets(registers, operand, lanes, &mut own)?;
            gather::<f64, _>(registers, from, lanes, out, |value| of_double(value, mode, raw));
        }
        (Type::Hf, _) => load_words(registers, operand, lanes, out, |half| {
            let half = if mode.half || raw { half } else { flush_half(half) };
            F::of_f64(half_to_f32(half).into())
        })?,
        (Type::Bf, _) => load_words(registers, operand, lanes, out, |short| {
            let value = f32::from_bits(u32::from(short) << 16);
            F::of_f64(if mode.float || raw { value } else { flush(value) }.into())
        })?,
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

/// Reads elements of 16 bits.
#[inline(always)]
fn load_words<F: Real>(
    registers: &Registers,
    operand: &Operand,
    lanes: usize,
    out: &mut Lanes<F>,
    convert: impl Fn(u16) -> F,
) -> Result<(), Trouble> {
    if let Place::Immediate(bits) = operand.place {
        out[..lanes].fill(convert(bits as u16));
        return Ok(());
    }
    let mut own = [0; 32];
    let from = offsets(registers, operand, lanes, &mut own)?;
    gather::<u16, _>(registers, from, lanes, out, convert);
    Ok(())
}

/// Converts a double in a register to the type of the computation.
#[inline(always)]
fn of_double<F: Real>(value: f64, mode: Mode, raw: bool) -> F {
    let value = if mode.double || raw { value } else { flush_double(value) };
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
            if mode.double || raw { value } else { flush_double(value) }
        }),
        Type::Hf => scatter(registers, to, lanes, mask, values, |value| {
            let half = half_from_f64(value.to_f64(), rounding);
            if mode.half || raw { half } else { flush_half(half) }
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
    // Denormals that a conversion to a smaller type makes are not those of the sources.
    let makes_denormals = destination.ty == Type::Hf && !halves;
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
                *r = multiply_add(a[lane], b[lane], accumulated(state.registers, halves, lane));
            }
        }
        O::Frc => {
            // The result is less than 1, also after `store` has rounded it.
            let most = below_one(destination.ty);
            for (r, a) in out.iter_mut().zip(&*a) {
                *r = a.add(a.floor().negated(), rounding);
                if *r > most {
                    *r = most;
                }
            }
        }
        O::Rndd => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.floor()),
        O::Rndu => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.ceil()),
        O::Rndz => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.trunc()),
        O::Rnde => out.iter_mut().zip(&*a).for_each(|(r, a)| *r = a.round_even()),
        O::Sel => {
            let taken = match instruction.condition {
                // If one operand is NaN, the other one is selected.
                Some(condition) => compare(condition, a, b, true)?,
                None => flags::predicate(state.registers, instruction),
            };
            flags::choose(taken, a, b, out);
            return store(state.registers, destination, lanes, mask, &mut r, (mode, !makes_denormals));
        }
        // The compiler for Ponte Vecchio inserts this between other instructions for their distance: `csel`
        // of r0 with itself, which may not contain floats, so r0 must stay unchanged.
        O::Csel if instruction.condition.is_none() && sources[0].is_same(&sources[1]) => return Ok(()),
        O::Csel => {
            let condition = flags::needed(instruction)?;
            let taken = flags::compare(condition, c, std::iter::repeat(F::default()))?;
            flags::choose(taken, a, b, out);
            return store(state.registers, destination, lanes, mask, &mut r, (mode, !makes_denormals));
        }
        O::Cmp | O::Cmpn => {
            let holds = compare(flags::needed(instruction)?, a, b, opcode == O::Cmpn)?;
            flags::set(state.registers, instruction, mask, holds)?;
            return store_comparison(state, destination, lanes, mask, holds, mode);
        }
        O::Dp4 | O::Dph | O::Dp3 | O::Dp2 => {
            if lanes < 4 {
                return Err(Trouble::Unsupported("a dot product of less than four channels"));
            }
            for (lane, r) in out.iter_mut().enumerate() {
                let four = lane & !3..(lane & !3) + 4;
                *r = dot(opcode, &a[four.clone()], &b[four], rounding);
            }
        }
        O::Line => {
            let [p, q]: [F; 2] = line(state.registers, &sources[0])?;
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
        keep(state.registers, out, mask, (halves, mode));
    }
    if let Some(condition) = instruction.condition {
        let bits = flags::compare(condition, out, std::iter::repeat(F::default()))?;
        flags::set(state.registers, instruction, mask, bits)?;
    }
    store(state.registers, destination, lanes, mask, &mut r, (mode, false))
}

/// A number in the accumulator, which holds elements of the type of the computation, as instructions have
/// written them.
fn accumulated<F: Real>(registers: &Registers, halves: bool, lane: usize) -> F {
    let start = File::Accumulator.start();
    F::of_f64(if F::DOUBLE {
        registers.get::<f64>(start + lane * 8)
    } else if halves {
        half_to_f32(registers.get::<u16>(start + lane * 2)).into()
    } else {
        registers.get::<f32>(start + lane * 4).into()
    })
}

/// A bit for each channel where the condition is true. For minima and maxima it is also true if the second
/// number is NaN.
fn compare<F: Real>(condition: Condition, a: &[F], b: &[F], takes_numbers: bool) -> Result<u32, Trouble> {
    let mut holds = flags::compare(condition, a, b.iter().copied())?;
    if takes_numbers && matches!(condition, Condition::Less | Condition::GreaterEqual) {
        for (lane, b) in b.iter().enumerate() {
            holds |= u32::from(b.partial_cmp(b).is_none()) << lane;
        }
    }
    Ok(holds)
}

/// The dot product of four numbers each, of which `dp2`, `dp3` and `dph` use fewer.
fn dot<F: Real>(opcode: Opcode, a: &[F], b: &[F], rounding: Rounding) -> F {
    let product = |n: usize| a[n].mul(b[n], rounding);
    let mut sum = product(0).add(product(1), rounding);
    if opcode != Opcode::Dp2 {
        sum = sum.add(product(2), rounding);
    }
    match opcode {
        Opcode::Dp4 => sum.add(product(3), rounding),
        Opcode::Dph => sum.add(b[3], rounding),
        _ => sum,
    }
}

/// The factor and the summand of `line`: the first and the fourth number.
fn line<F: Real>(registers: &Registers, source: &Operand) -> Result<[F; 2], Trouble> {
    let (Some(File::General), false) = (source.file(), F::DOUBLE) else {
        return Err(Trouble::Operand("of line that is no register"));
    };
    let start = usize::from(source.offsets[0]);
    Ok([start, start + 12].map(|at| F::of_f64(registers.get::<f32>(at).into())))
}

/// The largest number below 1 of a type, or of the computation.
fn below_one<F: Real>(ty: Type) -> F {
    let digits = match ty {
        Type::Bf => 8,
        Type::Hf => 11,
        _ if F::DOUBLE => 53,
        _ => 24,
    };
    F::of_f64(1.0 - 0.5_f64.powi(digits))
}

/// Writes results to the accumulator, as far as it has channels: elements of the type of the computation.
fn keep<F: Real>(registers: &mut Registers, results: &[F], mask: u32, (halves, mode): (bool, Mode)) {
    let start = File::Accumulator.start();
    for (lane, value) in results.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
        let value = value.to_f64();
        if F::DOUBLE && lane < 8 {
            registers.set(start + lane * 8, value);
        } else if halves {
            let half = half_from_f64(value, mode.rounding);
            registers.set(start + lane * 2, if mode.half { half } else { flush_half(half) });
        } else if !F::DOUBLE && lane < 16 {
            registers.set(start + lane * 4, value as f32);
        }
    }
}
