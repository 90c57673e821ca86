//! Executes instructions depending on their number domain.

use super::float;
use super::integer::{self, Arithmetic};
use super::math;
use super::matrix;
use crate::isa::{Domain, File, Instruction, Mode, Place, Shape, Trouble, Unit, gather, offsets, scatter};

/// Executes an arithmetic instruction.
pub(crate) fn arithmetic(
    state: &mut Arithmetic<'_>,
    instruction: &Instruction,
    mask: u32,
) -> Result<(), Trouble> {
    let mode = || Mode::of(state.registers.get(File::Control.start()));
    match (instruction.opcode.unit(), instruction.domain) {
        (Unit::Math, _) => {
            let mode = mode();
            math::execute(state, instruction, mask, mode)
        }
        (Unit::Macro, _) => {
            let mode = mode();
            math::continue_macro(state, instruction, mask, mode)
        }
        (Unit::Systolic, _) => matrix::execute(state, instruction, mask),
        (_, Domain::Copy) => copy(state, instruction, mask),
        (_, Domain::Narrow) => {
            let mode = mode();
            integer::execute::<i32>(state, instruction, mask, mode)
        }
        (_, Domain::Integer) => {
            let mode = mode();
            integer::execute::<i64>(state, instruction, mask, mode)
        }
        (_, Domain::Wide) => {
            let mode = mode();
            integer::execute::<i128>(state, instruction, mask, mode)
        }
        (_, Domain::Float) => {
            let mode = mode();
            float::execute::<f32>(state, instruction, mask, mode)
        }
        (_, Domain::Double) => {
            let mode = mode();
            float::execute::<f64>(state, instruction, mask, mode)
        }
    }
}

fn copy(state: &mut Arithmetic<'_>, instruction: &Instruction, mask: u32) -> Result<(), Trouble> {
    let lanes = instruction.lanes();
    let (mut source, mut destination) = ([0; 32], [0; 32]);
    let number = match instruction.sources[0].place {
        Place::Immediate(bits) => Some(bits),
        _ => None,
    };
    let from = match number {
        None => offsets(state.registers, &instruction.sources[0], lanes, &mut source)?,
        Some(_) => (&source, Shape::Scalar),
    };
    let to = offsets(state.registers, &instruction.destination, lanes, &mut destination)?;
    let registers = &mut *state.registers;
    macro_rules! copy {
        ($ty:ty) => {{
            let mut values = [0; 32];
            match number {
                None => gather::<$ty, _>(registers, from, lanes, &mut values, |value| value),
                Some(bits) => values[..lanes].fill(bits as $ty),
            }
            scatter::<$ty, _>(registers, to, lanes, mask, &values, |value| value);
        }};
    }
    match instruction.destination.ty.size() {
        1 => copy!(u8),
        2 => copy!(u16),
        4 => copy!(u32),
        _ => copy!(u64),
    }
    Ok(())
}
