//! The output of a traced thread.

use crate::isa::{File, Instruction, Registers, Type, Unit, half_to_f32};

/// Prints an instruction before it is executed.
pub(crate) fn before(text: &str, instruction: &Instruction, active: u32) {
    eprintln!("[{}] on={active:08x} {text}", instruction.at);
}

/// Prints the results of an instruction.
pub(crate) fn after(registers: &Registers, instruction: &Instruction) {
    let destination = &instruction.destination;
    if destination.file() == Some(File::General) && instruction.opcode.unit() != Unit::Send {
        let values: Vec<String> = destination.offsets[..instruction.lanes()]
            .iter()
            .map(|&offset| {
                let at = usize::from(offset);
                match destination.ty {
                    Type::F => registers.get::<f32>(at).to_string(),
                    Type::Df => registers.get::<f64>(at).to_string(),
                    Type::Hf => half_to_f32(registers.get(at)).to_string(),
                    ty => match ty.size() {
                        1 => format!("{:x}", registers.get::<u8>(at)),
                        2 => format!("{:x}", registers.get::<u16>(at)),
                        4 => format!("{:x}", registers.get::<u32>(at)),
                        _ => format!("{:x}", registers.get::<u64>(at)),
                    },
                }
            })
            .collect();
        eprintln!("      => {}", values.join(" "));
    }
    if instruction.condition.is_some() {
        let flags = registers.flags();
        let [f0, f1, f2, f3] = [0, 32, 64, 96].map(|first| flags >> first & 0xffff_ffff);
        eprintln!("      f0={f0:08x} f1={f1:08x} f2={f2:08x} f3={f3:08x}");
    }
}
