//! The number domain of an instruction, which is determined when it is decoded.

use super::instruction::{Domain, Instruction, Opcode, Unit};
use super::operand::{File, Operand, Place, Region, Type};

/// The number of sources that an instruction needs.
fn needed(opcode: Opcode) -> u8 {
    use Opcode as O;
    match opcode {
        O::Mad | O::Madm | O::Lrp | O::Bfe | O::Bfi2 | O::Csel => 3,
        O::Bfn | O::Add3 | O::Dp4a | O::Dpas | O::Dpasw => 3,
        O::Sel | O::And | O::Or | O::Xor | O::Shr | O::Shl | O::Asr | O::Cmp | O::Cmpn | O::Bfi1 => 2,
        O::Add | O::Mul | O::Avg | O::Mac | O::Mach | O::Addc | O::Subb | O::Sad2 | O::Sada2 => 2,
        O::Ror | O::Rol | O::Macl | O::Srnd => 2,
        O::Dp4 | O::Dph | O::Dp3 | O::Dp2 | O::Line | O::Pln | O::Smov => 2,
        _ => 0,
    }
}

/// Rejects impossible instructions, and finds the elements of packed vectors.
pub(crate) fn check(instruction: &mut Instruction) -> Result<(), String> {
    if instruction.count < needed(instruction.opcode) {
        return Err("a source is missing".into());
    }
    if instruction.align16 && !instruction.opcode.may_align16() {
        return Err("not supported: mode Align16".into());
    }
    let destination = instruction.destination.clone();
    let systolic = instruction.opcode.unit() == Unit::Systolic;
    let operands = || instruction.sources().iter().chain([&destination]);
    if !systolic && operands().any(|operand| operand.ty.is_systolic()) {
        return Err("not supported: a type of matrices in this instruction".into());
    }
    let packed = |operand: &Operand| matches!(operand.ty, Type::V | Type::Uv | Type::Vf);
    if packed(&destination) && !destination.is_null() {
        return Err("a destination that is a packed vector".into());
    }
    // The stride of a null destination is that of its type; the same applies to an indirect one.
    let step = match destination.region {
        Region::Step(step) | Region::Rows(_, _, step) => usize::from(step),
        _ => 1,
    } * destination.ty.size();
    for source in &mut instruction.sources[..usize::from(instruction.count)] {
        match (&source.place, packed(source)) {
            (Place::Immediate(_), true) => {
                // The elements correspond to words of the destination, those of `vf` to dwords. For a wider
                // destination, only every second element (or fewer) is used. Intel's compiler generates such
                // code.
                let steps = if instruction.width == 1 { 1 } else { (step / source.ty.size()).max(1) };
                for (lane, offset) in source.offsets.iter_mut().enumerate() {
                    *offset = u16::try_from(lane * steps).map_err(|_| "a packed vector that is too long")?;
                }
            }
            (_, true) => return Err("a packed vector that is no number".into()),
            (Place::Target(_), _) if instruction.opcode.unit() != Unit::Control => {
                return Err("a label where a register is needed".into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// The domain of an instruction.
pub(crate) fn of(instruction: &Instruction) -> Domain {
    if copies(instruction) {
        return Domain::Copy;
    }
    let types = || instruction.sources().iter().filter(|source| !source.is_null()).map(|source| source.ty);
    if types().any(|ty| ty == Type::Df) {
        Domain::Double
    } else if types().any(Type::is_float) {
        Domain::Float
    } else if types().chain([instruction.destination.ty]).any(|ty| matches!(ty, Type::Uq | Type::Q)) {
        Domain::Wide
    } else if is_narrow(instruction) {
        Domain::Narrow
    } else {
        Domain::Integer
    }
}

/// Whether it copies bits unchanged.
fn copies(instruction: &Instruction) -> bool {
    let (source, destination) = (&instruction.sources[0], &instruction.destination);
    let general =
        |operand: &Operand| matches!(operand.place, Place::Indirect { .. } | Place::Direct(File::General));
    let number = matches!(source.place, Place::Immediate(_)) && source.ty == destination.ty;
    let readable = general(source) || number || matches!(source.file(), Some(File::Flag | File::State));
    let (from, to) = (source.ty, destination.ty);
    instruction.opcode == Opcode::Mov
        && instruction.count == 1
        && instruction.condition.is_none()
        && !instruction.writes_accumulator
        && !destination.saturate
        && source.is_plain()
        && general(destination)
        && readable
        && (from == to || !from.is_float() && !to.is_float() && from.size() == to.size())
}

/// Whether an instruction needs only low bits, or 32 bits represent all intermediate results.
fn is_narrow(instruction: &Instruction) -> bool {
    use Opcode as O;
    let destination = &instruction.destination;
    let opcode = instruction.opcode;
    let sources = instruction.sources();
    let wraps =
        matches!(opcode, O::Mov | O::Add | O::Mul | O::And | O::Or | O::Xor | O::Not | O::Shl | O::Mad)
            || opcode == O::Sel && instruction.condition.is_none();
    let lower = !destination.ty.is_float()
        && destination.ty.size() <= 4
        && !destination.saturate
        && instruction.condition.is_none()
        && !instruction.writes_accumulator
        && destination.file() != Some(File::Accumulator)
        && sources.iter().all(|source| !(source.ty == Type::Ud && source.absolute));
    let words = sources.iter().all(|source| source.ty.size() <= 2);
    let fits = match opcode {
        O::Mov
        | O::Add
        | O::Avg
        | O::And
        | O::Or
        | O::Xor
        | O::Not
        | O::Sel
        | O::Csel
        | O::Cmp
        | O::Cmpn
        | O::Asr => words,
        O::Mul => {
            words
                && sources.iter().any(|source| source.ty != Type::Uw)
                && sources.iter().all(Operand::is_plain)
        }
        O::Shr => words && !sources[0].ty.is_signed() && sources[0].is_plain(),
        _ => false,
    };
    let compares = matches!(opcode, O::Cmp | O::Cmpn | O::Sel | O::Mov | O::Asr)
        && sources.iter().all(|source| source.ty.size() <= 2 || source.ty == Type::D && source.is_plain());
    wraps && lower || fits || compares
}
