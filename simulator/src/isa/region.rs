//! The elements of operands: reading them from registers into lanes, and writing them back.

use super::operand::{File, Operand, Place, Shape, Type};
use super::registers::{Element, Registers};
use super::trouble::Trouble;

/// Integers that instructions compute with.
pub(crate) trait Number: Copy + Default + PartialOrd {
    /// A number with the low bits of `value`.
    fn of(value: i64) -> Self;
    /// The same for an unsigned value.
    fn of_unsigned(value: u64) -> Self;
    fn to_i64(self) -> i64;
    fn to_i128(self) -> i128;
    fn of_i128(value: i128) -> Self;
    fn wrapping_neg(self) -> Self;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    /// The product, or the limit of the range that it exceeds.
    fn saturating_mul(self, other: Self) -> Self;
    fn shift_left(self, by: u32) -> Self;
    fn shift_right(self, by: u32) -> Self;
    fn not(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        impl Number for $ty {
            #[inline(always)]
            fn of(value: i64) -> Self {
                value as $ty
            }

            #[inline(always)]
            fn of_unsigned(value: u64) -> Self {
                value as $ty
            }

            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            fn to_i128(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn of_i128(value: i128) -> Self {
                value as $ty
            }

            #[inline(always)]
            fn wrapping_neg(self) -> Self {
                <$ty>::wrapping_neg(self)
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                <$ty>::wrapping_add(self, other)
            }

            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self {
                <$ty>::wrapping_mul(self, other)
            }

            #[inline(always)]
            fn saturating_mul(self, other: Self) -> Self {
                <$ty>::saturating_mul(self, other)
            }

            #[inline(always)]
            fn shift_left(self, by: u32) -> Self {
                <$ty>::wrapping_shl(self, by)
            }

            #[inline(always)]
            fn shift_right(self, by: u32) -> Self {
                <$ty>::wrapping_shr(self, by)
            }

            #[inline(always)]
            fn not(self) -> Self {
                !self
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )* };
}

numbers!(i32 i64 i128);

/// A value for each channel.
pub(crate) type Lanes<T> = [T; 32];

/// The offsets of the elements of an operand; computed here if they are indirect.
#[inline(always)]
pub(crate) fn offsets<'a>(
    registers: &Registers,
    operand: &'a Operand,
    lanes: usize,
    own: &'a mut [u16; 32],
) -> Result<(&'a [u16; 32], Shape), Trouble> {
    match operand.place {
        Place::Direct(_) => Ok((&operand.offsets, operand.shape)),
        Place::Indirect { .. } => {
            indirect(registers, operand, lanes, own)?;
            Ok((own, Shape::Strided))
        }
        _ => Err(Trouble::Operand("has no registers")),
    }
}

#[cold]
fn indirect(
    registers: &Registers,
    operand: &Operand,
    lanes: usize,
    own: &mut [u16; 32],
) -> Result<(), Trouble> {
    let Place::Indirect { subregister, plus, row } = operand.place else { return Ok(()) };
    for (lane, own) in own[..lanes].iter_mut().enumerate() {
        let subregister = usize::from(subregister) + row.map_or(0, |row| lane / usize::from(row));
        if subregister > 15 {
            return Err(Trouble::Operand("needs an address register behind the last"));
        }
        let address = registers.get::<u16>(File::Address.start() + subregister * 2);
        let offset = i32::from(address) + i32::from(plus) + i32::from(operand.offsets[lane]);
        let size = i32::try_from(operand.ty.size()).unwrap_or_default();
        let end = usize::try_from(offset + size).unwrap_or(usize::MAX);
        if offset < 0 || end > registers.general_bytes() {
            return Err(Trouble::Address { subregister, address, plus, lane });
        }
        *own = u16::try_from(offset).unwrap_or_default();
    }
    Ok(())
}

/// Reads elements, and converts each to the lane type.
#[inline(always)]
pub(crate) fn gather<T: Element, D: Copy>(
    registers: &Registers,
    (offsets, shape): (&[u16; 32], Shape),
    lanes: usize,
    out: &mut Lanes<D>,
    convert: impl Fn(T) -> D,
) {
    let bytes = registers.bytes();
    let first = usize::from(offsets[0]);
    match shape {
        Shape::Packed => {
            let elements = &bytes[first..first + lanes * T::SIZE];
            for (out, element) in out.iter_mut().zip(elements.chunks_exact(T::SIZE)) {
                *out = convert(T::read(element));
            }
        }
        Shape::Scalar => {
            let value = convert(T::read(&bytes[first..]));
            out[..lanes].fill(value);
        }
        Shape::Strided => {
            for (out, offset) in out.iter_mut().zip(&offsets[..lanes]) {
                *out = convert(T::read(&bytes[usize::from(*offset)..]));
            }
        }
    }
}

/// Writes the lanes whose bit is set.
#[inline(always)]
pub(crate) fn scatter<T: Element, S: Copy>(
    registers: &mut Registers,
    (offsets, shape): (&[u16; 32], Shape),
    lanes: usize,
    mask: u32,
    values: &Lanes<S>,
    convert: impl Fn(S) -> T,
) {
    let bytes = registers.bytes_mut();
    let first = usize::from(offsets[0]);
    if shape == Shape::Packed && mask == u32::MAX >> (32 - lanes) {
        let elements = &mut bytes[first..first + lanes * T::SIZE];
        for (value, element) in values.iter().zip(elements.chunks_exact_mut(T::SIZE)) {
            convert(*value).write(element);
        }
        return;
    }
    for (lane, (value, offset)) in values.iter().zip(&offsets[..lanes]).enumerate() {
        if mask >> lane & 1 != 0 {
            convert(*value).write(&mut bytes[usize::from(*offset)..]);
        }
    }
}

/// Reads the elements of an integer operand without its modifiers.
#[inline(always)]
pub(crate) fn raw_integers<D: Number>(
    registers: &Registers,
    operand: &Operand,
    lanes: usize,
    out: &mut Lanes<D>,
) -> Result<(), Trouble> {
    match operand.place {
        Place::Immediate(bits) => {
            immediate(operand, bits, lanes, out);
            return Ok(());
        }
        Place::Null => {
            out[..lanes].fill(D::default());
            return Ok(());
        }
        _ => {}
    }
    let mut own = [0; 32];
    let from = offsets(registers, operand, lanes, &mut own)?;
    match operand.ty {
        Type::Ub => gather::<u8, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::B => gather::<i8, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::Uw => gather::<u16, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::W => gather::<i16, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::Ud => gather::<u32, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::D => gather::<i32, _>(registers, from, lanes, out, |value| D::of(value.into())),
        Type::Uq => gather::<u64, _>(registers, from, lanes, out, D::of_unsigned),
        Type::Q => gather::<i64, _>(registers, from, lanes, out, D::of),
        _ => return Err(Trouble::Operand("is a float where an integer is needed")),
    }
    Ok(())
}

/// The lanes of an integer immediate.
fn immediate<D: Number>(operand: &Operand, bits: u64, lanes: usize, out: &mut Lanes<D>) {
    let value = match operand.ty {
        Type::Ub => D::of((bits as u8).into()),
        Type::B => D::of((bits as i8).into()),
        Type::Uw => D::of((bits as u16).into()),
        Type::W => D::of((bits as i16).into()),
        Type::Ud => D::of((bits as u32).into()),
        Type::D => D::of((bits as i32).into()),
        Type::Q => D::of(bits as i64),
        Type::V | Type::Uv => {
            for (lane, out) in out[..lanes].iter_mut().enumerate() {
                // Its elements are words. The decoder gives the word of the destination at which a lane
                // begins.
                let nibble = (bits >> ((operand.offsets[lane] & 7) * 4)) as u8 & 15;
                let value =
                    if operand.ty == Type::V { i64::from((nibble << 4) as i8 >> 4) } else { nibble.into() };
                *out = D::of(value);
            }
            return;
        }
        _ => D::of_unsigned(bits),
    };
    out[..lanes].fill(value);
}

/// Reads the elements of an integer operand.
#[inline(always)]
pub(crate) fn integers<D: Number>(
    registers: &Registers,
    operand: &Operand,
    lanes: usize,
    out: &mut Lanes<D>,
) -> Result<(), Trouble> {
    raw_integers(registers, operand, lanes, out)?;
    if !operand.is_plain() {
        modify(operand, &mut out[..lanes]);
    }
    Ok(())
}

fn modify<D: Number>(operand: &Operand, values: &mut [D]) {
    for value in values {
        if operand.absolute && *value < D::default() {
            *value = value.wrapping_neg();
        }
        if operand.negate {
            *value = value.wrapping_neg();
        }
        if operand.invert {
            *value = value.not();
        }
    }
}
