//! Instructions with integer sources.

use super::accumulator::Accumulator;
use super::flags;
use crate::generation::Machine;
use crate::isa::{
    Detail, File, Instruction, Lanes, Mode, Number, Opcode, Operand, Registers, Rounding, Trouble, Type,
    half_from_f64, integers, offsets, scatter, short_from_f64,
};

/// The state that arithmetic modifies.
pub(crate) struct Arithmetic<'a> {
    pub(crate) registers: &'a mut Registers,
    pub(crate) accumulator: &'a mut Accumulator,
    pub(crate) machine: Machine,
}

#[inline(always)]
fn each<T: Number>(lanes: usize, a: &Lanes<T>, b: &Lanes<T>, r: &mut Lanes<T>, f: impl Fn(T, T) -> T) {
    for ((r, a), b) in r[..lanes].iter_mut().zip(&a[..lanes]).zip(&b[..lanes]) {
        *r = f(*a, *b);
    }
}

/// Executes an instruction on integers.
pub(crate) fn execute<T: Number>(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    use Opcode as O;
    let lanes = instruction.lanes();
    let [mut a, mut b, mut c, mut r] = [[T::default(); 32]; 4];
    let sources = instruction.sources();
    integers(state.registers, &sources[0], lanes, &mut a)?;
    if let Some(source) = sources.get(1) {
        integers(state.registers, source, lanes, &mut b)?;
    }
    if let Some(source) = sources.get(2) {
        integers(state.registers, source, lanes, &mut c)?;
    }
    let destination = &instruction.destination;
    let eights = sources[0].ty.size() == 8 || destination.ty.size() == 8;
    let counts = if eights { 63 } else { 31 };
    let count = move |value: T| value.to_i64() as u32 & counts;
    match instruction.opcode {
        O::Mov | O::Movi => r = a,
        O::Add => each(lanes, &a, &b, &mut r, T::wrapping_add),
        O::Mul if destination.saturate => each(lanes, &a, &b, &mut r, T::saturating_mul),
        O::Mul => each(lanes, &a, &b, &mut r, T::wrapping_mul),
        O::Avg => {
            let one = T::of(1);
            each(lanes, &a, &b, &mut r, |a, b| a.wrapping_add(b).wrapping_add(one).shift_right(1));
        }
        O::And => each(lanes, &a, &b, &mut r, T::and),
        O::Or => each(lanes, &a, &b, &mut r, T::or),
        O::Xor => each(lanes, &a, &b, &mut r, T::xor),
        O::Not => each(lanes, &a, &b, &mut r, |a, _| a.not()),
        O::Shl => each(lanes, &a, &b, &mut r, |a, b| a.shift_left(count(b))),
        O::Shr => {
            let ones = T::of_unsigned(shifted_bits(&sources[0], destination));
            each(lanes, &a, &b, &mut r, |a, b| a.and(ones).shift_right(count(b)));
        }
        O::Asr => each(lanes, &a, &b, &mut r, |a, b| a.shift_right(count(b))),
        O::Sel => {
            let taken = match instruction.condition {
                Some(condition) => flags::compare(condition, &a[..lanes], b.iter().copied())?,
                None => flags::predicate(state.registers, instruction),
            };
            flags::choose(taken, &a, &b, &mut r);
            return store(state, destination, lanes, mask, &mut r, mode);
        }
        O::Csel => {
            let condition = flags::needed(instruction)?;
            let taken = flags::compare(condition, &c[..lanes], std::iter::repeat(T::default()))?;
            flags::choose(taken, &a, &b, &mut r);
            return store(state, destination, lanes, mask, &mut r, mode);
        }
        O::Cmp | O::Cmpn => {
            let condition = flags::needed(instruction)?;
            let holds = flags::compare(condition, &a[..lanes], b.iter().copied())?;
            flags::set(state.registers, instruction, mask, holds)?;
            return store_comparison(state, destination, lanes, mask, holds, mode);
        }
        O::Mad => {
            each(lanes, &b, &c, &mut r, T::wrapping_mul);
            let product = r;
            each(lanes, &a, &product, &mut r, T::wrapping_add);
        }
        O::Add3 => {
            each(lanes, &a, &b, &mut r, T::wrapping_add);
            let sum = r;
            each(lanes, &sum, &c, &mut r, T::wrapping_add);
        }
        O::Bfn => {
            let Detail::Table(table) = instruction.detail else {
                return Err(Trouble::Unsupported("bfn without a table"));
            };
            for (lane, r) in r[..lanes].iter_mut().enumerate() {
                *r = T::of(tabled(table, [a[lane], b[lane], c[lane]].map(T::to_i64)));
            }
        }
        O::Dp4a => {
            for (lane, r) in r[..lanes].iter_mut().enumerate() {
                let product = dot([b[lane], c[lane]].map(|value| value.to_i64() as u32), sources);
                *r = a[lane].wrapping_add(T::of(product));
            }
        }
        O::Ror | O::Rol => {
            let bits = destination.ty.size() * 8;
            for (lane, r) in r[..lanes].iter_mut().enumerate() {
                let (value, by) = (a[lane].to_i64(), b[lane].to_i64() as u32);
                let right = instruction.opcode == O::Ror;
                *r = T::of(rotated(value, if right { by } else { by.wrapping_neg() }, bits as u32));
            }
        }
        O::Mac => {
            each(lanes, &a, &b, &mut r, T::wrapping_mul);
            let product = r;
            each(lanes, &product, &accumulated(state), &mut r, T::wrapping_add);
        }
        O::Mach | O::Macl => {
            multiply_high(state, instruction, mask, &a, &b, &mut r);
            flags::of_integers(state.registers, instruction, mask, &r)?;
            return store(state, destination, lanes, mask, &mut r, mode);
        }
        O::Addc | O::Subb => carry(state, instruction, mask, &a, &b, &mut r),
        O::Sad2 => differences(&a[..lanes], &b[..lanes], &mut r),
        O::Sada2 => {
            differences(&a[..lanes], &b[..lanes], &mut r);
            let sums = r;
            each(lanes, &sums, &accumulated(state), &mut r, T::wrapping_add);
        }
        opcode => {
            for lane in 0..lanes {
                let [x, y, z] = [&a, &b, &c].map(|values| values[lane].to_i64());
                let value = bits(opcode, [x, y, z], sources, destination)
                    .ok_or(Trouble::Unsupported("the integer form of this instruction"))?;
                r[lane] = T::of(value);
            }
        }
    }
    if instruction.writes_accumulator && !matches!(instruction.opcode, O::Addc | O::Subb) {
        keep(state, destination, mask, &r[..lanes]);
    }
    flags::of_integers(state.registers, instruction, mask, &r)?;
    store(state, destination, lanes, mask, &mut r, mode)
}

/// The bits of a source that a logical shift takes: it is unsigned, with the width of the execution type.
fn shifted_bits(source: &Operand, destination: &Operand) -> u64 {
    let bits = match source.ty.size() {
        8 => 64,
        4 => 32,
        _ if source.ty.is_signed() && destination.ty.size() >= 4 => 32,
        size => size * 8,
    };
    u64::MAX >> (64 - bits)
}

/// The numbers in the accumulator.
fn accumulated<T: Number>(state: &Arithmetic<'_>) -> Lanes<T> {
    std::array::from_fn(|lane| T::of(state.accumulator.wide[lane]))
}

/// `mach` and `macl`: the product with the upper half of the second source, and the accumulator with the product
/// with the lower half.
fn multiply_high<T: Number>(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    a: &Lanes<T>,
    b: &Lanes<T>,
    r: &mut Lanes<T>,
) {
    let [first, second] = [0, 1].map(|n| instruction.sources()[n].ty.is_signed());
    for lane in 0..instruction.lanes() {
        let low = b[lane].to_i64();
        let high = if second { i64::from(low as i32 >> 16) } else { i64::from(low as u32 >> 16) };
        let product = a[lane].to_i64().wrapping_mul(high);
        let sum = state.accumulator.wide[lane].wrapping_add(product << 16);
        r[lane] = match (instruction.opcode, first || second) {
            (Opcode::Macl, true) => T::of((sum as i32).into()),
            (Opcode::Macl, false) => T::of((sum as u32).into()),
            (_, true) => T::of(sum >> 32),
            (_, false) => T::of_unsigned(sum.cast_unsigned() >> 32),
        };
        if instruction.writes_accumulator && mask >> lane & 1 != 0 {
            keep_dword(state, lane, sum);
        }
    }
}

/// `addc` and `subb`: the accumulator is the carry or the borrow.
fn carry<T: Number>(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
    a: &Lanes<T>,
    b: &Lanes<T>,
    r: &mut Lanes<T>,
) {
    for lane in 0..instruction.lanes() {
        let (x, y) = (a[lane].to_i64() as u32, b[lane].to_i64() as u32);
        let adds = instruction.opcode == Opcode::Addc;
        let (result, carry) = if adds { x.overflowing_add(y) } else { x.overflowing_sub(y) };
        r[lane] = T::of(result.into());
        if mask >> lane & 1 != 0 {
            keep_dword(state, lane, carry.into());
        }
    }
}

/// `sad2` and `sada2`: the sum of the absolute differences of the two channels of a pair.
fn differences<T: Number>(a: &[T], b: &[T], r: &mut Lanes<T>) {
    let lanes = a.len();
    let difference = |lane: usize| T::of(a[lane].to_i64().wrapping_sub(b[lane].to_i64()).wrapping_abs());
    for (lane, r) in r[..lanes].iter_mut().enumerate() {
        let (even, odd) = (lane & !1, if (lane | 1) < lanes { lane | 1 } else { lane & !1 });
        *r = difference(even).wrapping_add(difference(odd));
    }
}

/// Writes a number to a channel of the accumulator, which shows its low dword.
fn keep_dword(state: &mut Arithmetic<'_>, lane: usize, number: i64) {
    state.accumulator.wide[lane] = number;
    state.registers.set(File::Accumulator.start() + lane * 4, number as u32);
}

/// Writes results to the accumulator, as far as it has channels: elements of the type of the destination.
fn keep<T: Number>(state: &mut Arithmetic<'_>, destination: &Operand, mask: u32, results: &[T]) {
    let size = destination.ty.size().max(2);
    for (lane, r) in results.iter().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
        state.accumulator.wide[lane] = r.to_i64();
        if (lane + 1) * size <= 64 {
            let at = File::Accumulator.start() + lane * size;
            state.registers.bytes_mut()[at..at + size].copy_from_slice(&r.to_i64().to_le_bytes()[..size]);
        }
    }
}

/// The result of a bit instruction for a channel; `None` for other instructions.
fn bits(opcode: Opcode, values: [i64; 3], sources: &[Operand], destination: &Operand) -> Option<i64> {
    let [x, y, z] = values.map(|value| value as u32);
    let none = u32::MAX;
    Some(i64::from(match opcode {
        Opcode::Bfrev => x.reverse_bits(),
        Opcode::Cbit => {
            let unused = 64 - sources[0].ty.size() * 8;
            (values[0].cast_unsigned() << unused).count_ones()
        }
        Opcode::Lzd => x.leading_zeros(),
        Opcode::Fbl => {
            if x == 0 {
                none
            } else {
                x.trailing_zeros()
            }
        }
        Opcode::Fbh => {
            let x = if sources[0].ty == Type::D && x.cast_signed() < 0 { !x } else { x };
            if x == 0 { none } else { x.leading_zeros() }
        }
        Opcode::Bfe => {
            let (width, offset) = (x & 31, y & 31);
            if width == 0 {
                return Some(0);
            }
            let (left, right) =
                if offset + width < 32 { (32 - width - offset, 32 - width) } else { (0, offset) };
            if sources[2].ty == Type::D || destination.ty == Type::D {
                return Some(i64::from((z << left).cast_signed() >> right));
            }
            z << left >> right
        }
        Opcode::Bfi1 => ((1 << (x & 31)) - 1) << (y & 31),
        Opcode::Bfi2 => (y.checked_shl(x.trailing_zeros()).unwrap_or(0) & x) | z & !x,
        _ => return None,
    }))
}

/// Looks up each bit in a table. The bits of the three numbers have the weights 1, 2 and 4.
fn tabled(table: u8, values: [i64; 3]) -> i64 {
    (0..8).filter(|n| table >> n & 1 != 0).fold(0, |result, n| {
        let chosen = |source: usize| if n >> source & 1 != 0 { values[source] } else { !values[source] };
        result | chosen(0) & chosen(1) & chosen(2)
    })
}

/// The sum of the products of the four bytes of two numbers.
fn dot(values: [u32; 2], sources: &[Operand]) -> i64 {
    let byte = |n: usize, at: u32| -> i64 {
        let byte = (values[n] >> (at * 8)) as u8;
        if sources[n + 1].ty.is_signed() { byte.cast_signed().into() } else { byte.into() }
    };
    (0..4).map(|at| byte(0, at) * byte(1, at)).sum()
}

/// A number of `bits` bits, rotated right.
fn rotated(value: i64, by: u32, bits: u32) -> i64 {
    let value = value.cast_unsigned();
    match bits {
        16 => (value as u16).rotate_right(by & 15).into(),
        32 => (value as u32).rotate_right(by & 31).into(),
        _ => value.rotate_right(by & 63).cast_signed(),
    }
}

/// Writes the result of a comparison: all bits set where it is true.
pub(crate) fn store_comparison(
    state: &mut Arithmetic<'_>,
    destination: &Operand,
    lanes: usize,
    mask: u32,
    holds: u32,
    mode: Mode,
) -> Result<(), Trouble> {
    if destination.is_null() {
        return Ok(());
    }
    let mut r = [0_i32; 32];
    for (lane, r) in r.iter_mut().enumerate() {
        *r = -i32::from(holds >> lane & 1 != 0);
    }
    if !destination.saturate && !destination.ty.is_float() {
        return store(state, destination, lanes, mask, &mut r, mode);
    }
    let mut destination = destination.clone();
    destination.saturate = false;
    if destination.ty.is_float() {
        destination.ty = match destination.ty.size() {
            8 => Type::Q,
            2 => Type::W,
            _ => Type::D,
        };
    }
    store(state, &destination, lanes, mask, &mut r, mode)
}

/// Writes integers to a destination of any type.
#[inline(always)]
pub(crate) fn store<T: Number>(
    state: &mut Arithmetic<'_>,
    destination: &Operand,
    lanes: usize,
    mask: u32,
    values: &mut Lanes<T>,
    mode: Mode,
) -> Result<(), Trouble> {
    if destination.is_null() {
        return Ok(());
    }
    let mut own = [0; 32];
    let to = offsets(state.registers, destination, lanes, &mut own)?;
    if destination.ty.is_float() {
        return store_floats(state.registers, destination, to, (lanes, mask), values, mode);
    }
    if destination.saturate {
        let (low, high) = destination.ty.range();
        let (low, high) = (clamped::<T>(low), clamped::<T>(high));
        for value in &mut values[..lanes] {
            *value = if *value < low {
                low
            } else if *value > high {
                high
            } else {
                *value
            };
        }
    }
    match destination.ty.size() {
        1 => scatter(state.registers, to, lanes, mask, values, |value| value.to_i64() as u8),
        2 => scatter(state.registers, to, lanes, mask, values, |value| value.to_i64() as u16),
        4 => scatter(state.registers, to, lanes, mask, values, |value| value.to_i64() as u32),
        _ => scatter(state.registers, to, lanes, mask, values, |value| value.to_i64() as u64),
    }
    if destination.file() == Some(File::Accumulator) {
        state.accumulator.keep(destination, lanes, mask, values);
    }
    Ok(())
}

/// The closest number of a type.
fn clamped<T: Number>(value: i128) -> T {
    let bits = size_of::<T>() * 8;
    let (low, high) =
        if bits == 128 { (i128::MIN, i128::MAX) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) };
    T::of_i128(value.clamp(low, high))
}

/// Integers as floats.
#[cold]
fn store_floats<T: Number>(
    registers: &mut Registers,
    destination: &Operand,
    to: (&[u16; 32], crate::isa::Shape),
    (lanes, mask): (usize, u32),
    values: &Lanes<T>,
    mode: Mode,
) -> Result<(), Trouble> {
    let limited = |value: f64| if destination.saturate { value.clamp(0.0, 1.0) } else { value };
    let rounding = mode.rounding;
    match destination.ty {
        Type::F => scatter(registers, to, lanes, mask, values, |value| {
            limited(to_f32(value.to_i128(), rounding).into()) as f32
        }),
        Type::Df => {
            scatter(registers, to, lanes, mask, values, |value| limited(to_f64(value.to_i128(), rounding)));
        }
        Type::Bf => scatter(registers, to, lanes, mask, values, |value| {
            short_from_f64(limited(to_f64(value.to_i128(), rounding)), rounding)
        }),
        _ => scatter(registers, to, lanes, mask, values, |value| {
            half_from_f64(limited(to_f64(value.to_i128(), rounding)), rounding)
        }),
    }
    Ok(())
}

/// Declares the conversion of integers to a float type.
macro_rules! rounded {
    ($(#[$doc:meta])* $name:ident $float:ty) => {
        $(#[$doc])*
        pub(crate) fn $name(value: i128, rounding: Rounding) -> $float {
            let next = value as $float;
            let missing = (value - next as i128).signum() as i8;
            match (rounding, missing) {
                (Rounding::Up, 1) => next.next_up(),
                (Rounding::Down, -1) => next.next_down(),
                (Rounding::Zero, -1) if value > 0 => next.next_down(),
                (Rounding::Zero, 1) if value < 0 => next.next_up(),
                _ => next,
            }
        }
    };
}

rounded! {
    /// Converts an integer to a float.
    to_f32 f32
}
rounded! {
    /// Converts an integer to a double.
    to_f64 f64
}
