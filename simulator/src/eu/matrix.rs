//! Matrix products: `dpas`.
//!
//! The layout of the operands is described in `DPAS.md` of vISA (github.com/intel/intel-graphics-compiler).

use super::integer::Arithmetic;
use crate::isa::{
    Detail, File, Instruction, Opcode, Operand, Place, Registers, Rounding, Trouble, Type, half_from_f64,
    half_to_f32, short_from_f64,
};

/// The number of bits of a factor, and whether it is a float.
fn factor(ty: Type) -> Result<(usize, bool), Trouble> {
    match ty {
        Type::U2 | Type::S2 => Ok((2, false)),
        Type::U4 | Type::S4 => Ok((4, false)),
        Type::Ub | Type::B => Ok((8, false)),
        Type::Hf | Type::Bf => Ok((16, true)),
        Type::Tf32 => Ok((32, true)),
        _ => Err(Trouble::Unsupported("factors of this type in a matrix instruction")),
    }
}

/// The factor of `count` bits at bit `at`.
fn bits(registers: &[u8], at: usize, count: usize) -> u32 {
    let first = at / 8;
    let mut word = [0; 4];
    let length = count.div_ceil(8);
    word[..length].copy_from_slice(&registers[first..first + length]);
    let word = u32::from_le_bytes(word) >> (at % 8);
    if count == 32 { word } else { word & ((1 << count) - 1) }
}

/// An integer factor.
fn integer(ty: Type, bits: u32) -> i32 {
    let sign = |count: u32| (bits << (32 - count)).cast_signed() >> (32 - count);
    match ty {
        Type::S2 => sign(2),
        Type::S4 => sign(4),
        Type::B => sign(8),
        _ => bits.cast_signed(),
    }
}

/// A float factor.
fn float(ty: Type, bits: u32) -> f32 {
    match ty {
        Type::Hf => half_to_f32(bits as u16),
        Type::Bf => f32::from_bits(bits << 16),
        // The lowest bits of the dword are ignored.
        _ => f32::from_bits(bits & 0xffff_e000),
    }
}

/// The parameters of a matrix instruction.
struct Product {
    /// Columns, which correspond to channels.
    columns: usize,
    rows: usize,
    /// The number of steps of a sum, and the number of factor pairs in each.
    depth: usize,
    factors: usize,
    /// The types of the factors of columns and rows, and their bits.
    types: (Type, Type),
    widths: (usize, usize),
    is_float: bool,
    register: usize,
}

impl Product {
    fn of(instruction: &Instruction, register: usize) -> Result<Self, Trouble> {
        let Detail::Systolic { depth, repeats } = instruction.detail else {
            return Err(Trouble::Operand("is missing: the depth and the repeats"));
        };
        if instruction.opcode == Opcode::Dpasw {
            return Err(Trouble::Unsupported("dpasw, which takes registers of another thread"));
        }
        if depth != 8 {
            return Err(Trouble::Unsupported("a matrix instruction whose depth is not 8"));
        }
        if instruction.lanes() != register / 4 {
            return Err(Trouble::Operand("of a matrix instruction with other channels than the unit has"));
        }
        let types = (instruction.sources[1].ty, instruction.sources[2].ty);
        let ((b, is_float), (a, both)) = (factor(types.0)?, factor(types.1)?);
        if is_float != both || is_float && types.0 != types.1 {
            return Err(Trouble::Operand("of a matrix instruction whose factors do not fit together"));
        }
        let factors = if is_float {
            32 / b
        } else if a.max(b) == 8 {
            4
        } else {
            8
        };
        Ok(Self {
            columns: instruction.lanes(),
            rows: repeats.into(),
            depth: depth.into(),
            factors,
            types,
            widths: (b, a),
            is_float,
            register,
        })
    }

    /// The pairs of factors for an element of the result, in order.
    fn factors<'r>(
        &self,
        registers: &'r [u8],
        (columns, rows): (usize, usize),
        (row, column): (usize, usize),
    ) -> impl Iterator<Item = (u32, u32)> + use<'_, 'r> {
        let (b, a) = self.widths;
        // A dword of a column contains the factors of one step, or of several steps if they are small.
        let steps = 32 / (self.factors * b);
        (0..self.depth * self.factors).map(move |n| {
            let (step, place) = (n / self.factors, n % self.factors);
            let dword = columns + step / steps * self.register + column * 4;
            let in_dword = (step % steps * self.factors + place) * b;
            let in_row = (row * self.depth * self.factors + n) * a;
            (bits(registers, dword * 8 + in_dword, b), bits(registers, rows * 8 + in_row, a))
        })
    }

    /// The bytes of all columns, and of all rows.
    fn bytes(&self) -> (usize, usize) {
        let (b, a) = self.widths;
        let columns = (self.depth * self.factors * b / 32) * self.register;
        (columns, (self.rows * self.depth * self.factors * a).div_ceil(8))
    }
}

/// The first byte of an operand; all of its bytes must be in the registers.
fn start(operand: &Operand, bytes: usize, registers: &Registers) -> Result<usize, Trouble> {
    match operand.place {
        Place::Direct(File::General) => {
            let first = usize::from(operand.offsets[0]);
            if first + bytes > registers.general_bytes() {
                return Err(Trouble::Operand("of a matrix instruction that runs past the last register"));
            }
            Ok(first)
        }
        _ => Err(Trouble::Unsupported("a matrix instruction on other registers than general ones")),
    }
}

/// Executes `dpas`. Sums of floats are rounded to `f32` after every product, in the order of the factors.
pub(crate) fn execute(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
) -> Result<(), Trouble> {
    let product = Product::of(instruction, state.machine.register_bytes())?;
    let (destination, [sums, columns, rows]) = (&instruction.destination, &instruction.sources);
    let is_plain = instruction.sources.iter().all(Operand::is_plain) && !destination.saturate;
    if !is_plain || instruction.condition.is_some() {
        return Err(Trouble::Unsupported("modifiers of a matrix instruction"));
    }
    let accumulates = |ty: Type| match ty {
        Type::D | Type::Ud => !product.is_float,
        Type::F => product.is_float,
        Type::Hf | Type::Bf => product.types.0 == ty,
        _ => false,
    };
    if !accumulates(destination.ty) || !sums.is_null() && !accumulates(sums.ty) {
        return Err(Trouble::Operand("of a matrix instruction whose sums do not fit its factors"));
    }
    let registers = &mut *state.registers;
    let of = |operand: &Operand| product.rows * product.columns * operand.ty.size();
    let target = start(destination, of(destination), registers)?;
    let before = if sums.is_null() { None } else { Some(start(sums, of(sums), registers)?) };
    let (column_bytes, row_bytes) = product.bytes();
    let (columns, rows) = (start(columns, column_bytes, registers)?, start(rows, row_bytes, registers)?);
    // The result may overlap the factors, so it is written last.
    let mut results = vec![];
    for row in 0..product.rows {
        for column in (0..product.columns).filter(|column| mask >> column & 1 != 0) {
            let index = row * product.columns + column;
            let sum = before.map_or(0, |first| {
                let size = sums.ty.size();
                bits(registers.bytes(), (first + index * size) * 8, size * 8)
            });
            let factors = product.factors(registers.bytes(), (columns, rows), (row, column));
            let result = if product.is_float {
                let sum = if sums.is_null() || sums.ty == Type::F {
                    f32::from_bits(sum)
                } else {
                    float(sums.ty, sum)
                };
                let (b, a) = product.types;
                float_bits(destination.ty, factors.fold(sum, |sum, (x, y)| float(a, y) * float(b, x) + sum))
            } else {
                let (b, a) = product.types;
                let add = |sum: u32, (x, y)| {
                    sum.wrapping_add(integer(a, y).wrapping_mul(integer(b, x)).cast_unsigned())
                };
                factors.fold(sum, add)
            };
            results.push((index, result));
        }
    }
    for (index, result) in results {
        match destination.ty.size() {
            2 => registers.set(target + index * 2, result as u16),
            _ => registers.set(target + index * 4, result),
        }
    }
    Ok(())
}

/// A sum converted to the bits of a type.
fn float_bits(ty: Type, sum: f32) -> u32 {
    match ty {
        Type::Hf => half_from_f64(sum.into(), Rounding::Nearest).into(),
        Type::Bf => short_from_f64(sum.into(), Rounding::Nearest).into(),
        _ => sum.to_bits(),
    }
}
