//! Parses the text of Intel's assembler (IGA) to instructions.

mod detail;
mod immediate;
mod operand;
mod scan;

use std::collections::HashMap;

use self::operand::{Kind, awaited, operand};
use self::scan::{flag, integer, number};
use super::annotation::Annotation;
use super::domain;
use super::instruction::{
    Combine, Condition, Descriptor, Domain, Form, Function, Instruction, Opcode, Predicate, Unit,
};
use super::operand::{File, Operand, Place, Type};
use crate::generation::{Generation, Machine};

/// A line that this crate does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub(crate) line: usize,
    pub(crate) at: u32,
    pub(crate) text: String,
    pub(crate) why: String,
}

/// The instructions of a text, each with its source line.
pub(crate) fn parse(text: &str, machine: Machine) -> Result<(Vec<Instruction>, Vec<String>), Bad> {
    let mut labels = HashMap::new();
    let mut instructions: Vec<Instruction> = vec![];
    let mut texts = vec![];
    let mut lines = vec![];
    let mut at = 0;
    for (line, full) in text.lines().enumerate() {
        let code = full.split("//").next().unwrap_or_default();
        let (code, options) = match code.split_once('{') {
            Some((code, options)) => (code, options.split('}').next().unwrap_or_default()),
            None => (code, ""),
        };
        let words: Vec<&str> = code.split_ascii_whitespace().collect();
        let Some(first) = words.first() else { continue };
        if first.starts_with('.') {
            continue;
        }
        if let (1, Some(label)) = (words.len(), first.strip_suffix(':')) {
            labels.insert(label.to_owned(), instructions.len());
            // The disassembler names labels after their location.
            if let Some(place) = label.strip_prefix('L').and_then(|place| place.parse().ok()) {
                at = place;
            }
            continue;
        }
        let instruction = instruction(&words, options, at, machine).map_err(|why| Bad {
            line: line + 1,
            at,
            text: full.trim().to_owned(),
            why,
        })?;
        at = instruction.end();
        instructions.push(instruction);
        texts.push(full.trim().to_owned());
        lines.push(line + 1);
    }
    for (n, instruction) in instructions.iter_mut().enumerate() {
        let mut targets = [None; 2];
        for (operand, target) in instruction.sources.iter_mut().zip(&mut targets) {
            if let Place::Target(name) = &operand.place {
                let found = labels.get(name.as_str()).and_then(|&index| u32::try_from(index).ok());
                *target = Some(found.ok_or_else(|| Bad {
                    line: lines[n],
                    at: instruction.at,
                    text: texts[n].clone(),
                    why: format!("there is no label {name}"),
                })?);
                operand.place = Place::Target(String::new());
            }
        }
        [instruction.target, instruction.join] = targets;
    }
    Ok((instructions, texts))
}

/// The words of a line in order.
struct Words<'a>(std::slice::Iter<'a, &'a str>);

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.0.as_slice().first().copied()
    }

    fn next(&mut self, what: &str) -> Result<&'a str, String> {
        self.0.next().copied().ok_or_else(|| format!("no {what}"))
    }
}

fn instruction(words: &[&str], options: &str, at: u32, machine: Machine) -> Result<Instruction, String> {
    let mut words = Words(words.iter());
    let guard = words.peek().and_then(|word| word.strip_prefix('('));
    if guard.is_some() {
        words.next("guard")?;
    }
    let name = words.next("opcode")?;
    let (name, part) = name.split_once('.').unwrap_or((name, ""));
    let opcode = Opcode::of(name).ok_or_else(|| format!("not supported: opcode {name}"))?;
    let function = match opcode {
        Opcode::Math => {
            Some(Function::of(part).ok_or_else(|| format!("not supported: math function {part}"))?)
        }
        _ => None,
    };
    let detail = detail::of(opcode, part, machine.generation)?;
    let (mut width, mut first) = (1, 0);
    let size = words.peek().and_then(|word| word.strip_prefix('('));
    if let Some(size) = size.filter(|size| size.starts_with(|c: char| c.is_ascii_digit())) {
        words.next("width")?;
        let bad = || format!("({size} is no execution size");
        let (channels, offset) =
            size.strip_suffix(')').and_then(|size| size.split_once("|M")).ok_or_else(bad)?;
        width = channels.parse::<u8>().map_err(|_| bad())?;
        first = offset.parse::<u8>().map_err(|_| bad())?;
        if !matches!(width, 1 | 2 | 4 | 8 | 16 | 32) || first.checked_add(width).is_none_or(|end| end > 32) {
            return Err(bad());
        }
    }
    let (no_mask, predicated) = match guard {
        Some(guard) => predicate(guard, width, machine.generation)?,
        None => (false, None),
    };
    let (mut condition, mut condition_flag) = (None, 0);
    let is_modifier = |word: &str| word.starts_with("(sat)") || word.starts_with("(abs)");
    let is_condition = |word: &&str| word.starts_with('(') && !is_modifier(word) && opcode != Opcode::Sync;
    if let Some(word) = words.peek().filter(is_condition) {
        words.next("condition")?;
        let (name, register) = word[1..].split_once(')').ok_or("a condition without an end")?;
        condition = Some(Condition::of(name).ok_or_else(|| format!("not supported: condition {name}"))?);
        (condition_flag, _) = flag(register, machine.generation)?;
    }
    let mut instruction = Instruction {
        opcode,
        function,
        detail,
        backward: part == "b",
        width,
        first,
        no_mask,
        predicate: predicated,
        condition,
        flag: condition_flag,
        destination: Operand::absent(),
        sources: [Operand::absent(), Operand::absent(), Operand::absent()],
        count: 0,
        target: None,
        join: None,
        writes_accumulator: options.contains("AccWrEn"),
        end_of_thread: options.contains("EOT"),
        conditional: matches!(name, "sendc" | "sendsc"),
        align16: options.contains("Align16"),
        compacted: options.contains("Compacted"),
        at,
        extended: Descriptor::Immediate(0),
        descriptor: Descriptor::Immediate(0),
        second_length: None,
        address_offset: 0,
        annotation: if machine.generation.has_scoreboard() {
            Annotation::parse(options)?
        } else {
            Annotation::default()
        },
        domain: Domain::Integer,
        reads_state: false,
    };
    operands(&mut instruction, &mut words, machine.generation)?;
    if let Some(word) = words.peek() {
        return Err(format!("an operand too many: {word}"));
    }
    if !matches!(opcode.form(), Form::Send | Form::SplitSend) {
        finish(&mut instruction, machine)?;
    }
    Ok(instruction)
}

/// Parses the operands of an instruction.
fn operands(
    instruction: &mut Instruction,
    words: &mut Words<'_>,
    generation: Generation,
) -> Result<(), String> {
    let form = match instruction.opcode.form() {
        // Messages of newer generations have two payloads.
        Form::Send if generation.has_scoreboard() => Form::SplitSend,
        form => form,
    };
    let mut types = [None; 4];
    if matches!(form, Form::Computed | Form::Call | Form::Send | Form::SplitSend) {
        (instruction.destination, types[3]) = operand(words.next("destination")?, Kind::Destination)?;
    }
    let (least, most, kind) = match form {
        Form::Bare => (0, 0, Kind::Source),
        Form::Computed => (1, 3, Kind::Source),
        Form::OneTarget | Form::Call => (1, 1, Kind::Branch),
        Form::TwoTargets => (1, 2, Kind::Branch),
        Form::Source | Form::Send => (1, 1, Kind::Source),
        Form::SplitSend => (2, 2, Kind::Source),
    };
    for (n, (source, ty)) in instruction.sources[..most].iter_mut().zip(&mut types).enumerate() {
        if n >= least && words.peek().is_none() {
            break;
        }
        let mut word = words.next("source")?;
        if form == Form::SplitSend
            && let Some((register, length)) = word.split_once(':')
        {
            let length = length.parse().ok().filter(|&length| length < 32);
            instruction.second_length = Some(length.ok_or_else(|| format!("{word} is no payload"))?);
            word = register;
        }
        (*source, *ty) =
            if instruction.opcode == Opcode::Sync { awaited(word)? } else { operand(word, kind)? };
        instruction.count += 1;
    }
    match form {
        Form::TwoTargets if instruction.count == 1 => {
            instruction.sources[1] = instruction.sources[0].clone();
            instruction.count = 2;
        }
        Form::Send | Form::SplitSend => {
            let extended = words.next("extended descriptor")?;
            let (offset, extended) = match extended.split_once(':') {
                Some((offset, register)) => (address_offset(offset)?, register),
                None => (0, extended),
            };
            instruction.address_offset = offset;
            instruction.extended = descriptor(extended)?;
            instruction.descriptor = descriptor(words.next("descriptor")?)?;
            return Ok(());
        }
        _ => {}
    }
    // Operands without a written type have the type of the first source, or the type that the instruction
    // requires.
    let demanded = match instruction.opcode {
        Opcode::Jmpi => Some(Type::D),
        Opcode::Call | Opcode::Calla | Opcode::Ret | Opcode::Wait => Some(Type::Ud),
        Opcode::Sync => Some(Type::Ud),
        _ => None,
    };
    let (count, first) = (usize::from(instruction.count), types[0].or(demanded));
    for (source, ty) in instruction.sources[..count].iter_mut().zip(types) {
        let implied = if source.is_null() { first } else { None };
        match (ty.or(demanded).or(implied), &source.place) {
            (Some(ty), _) => source.ty = ty,
            (None, Place::Target(_)) => {}
            (None, _) => return Err("a source without a type".into()),
        }
    }
    if instruction.destination.place != Place::Absent {
        let implied = if instruction.destination.is_null() { first.or(Some(Type::Ud)) } else { None };
        instruction.destination.ty =
            types[3].or(demanded).or(implied).ok_or("a destination without a type")?;
    }
    Ok(())
}

/// Derives the remaining fields from the operands.
fn finish(instruction: &mut Instruction, machine: Machine) -> Result<(), String> {
    let width = match instruction.opcode {
        // A call writes two dwords for all channels: the address and the mask to return with.
        Opcode::Call | Opcode::Calla | Opcode::Ret => 2,
        // For matrices, only the start of an operand matters.
        opcode if opcode.unit() == Unit::Systolic => 1,
        _ => instruction.width,
    };
    instruction.destination.lay_out(width, true, machine)?;
    for n in 0..usize::from(instruction.count) {
        instruction.sources[n].lay_out(width, false, machine)?;
    }
    instruction.reads_state = instruction.sources().iter().any(|source| {
        matches!(source.file(), Some(File::Instruction | File::ChannelEnable | File::Timestamp))
    });
    if matches!(
        instruction.destination.file(),
        Some(File::Instruction | File::ChannelEnable | File::Timestamp)
    ) {
        return Err("not supported: a write to a register that the machine writes".into());
    }
    // Intel's compiler (`BinaryEncodingIGA.cpp`) encodes `macl` in this way for the generations without an
    // opcode for it.
    let low = matches!(machine.generation, Generation::XeLp | Generation::XeHpg);
    if low && instruction.opcode == Opcode::Mach && !instruction.writes_accumulator {
        instruction.opcode = Opcode::Macl;
    }
    // Later generations have no bit for it (`OpSpec::supportsAccWrEn` of the disassembler): `mach` always
    // writes the accumulator.
    if machine.generation >= Generation::XeHpc && instruction.opcode == Opcode::Mach {
        instruction.writes_accumulator = true;
    }
    domain::check(instruction)?;
    instruction.domain = domain::of(instruction);
    Ok(())
}

/// `W)`, `f0.0)`, `W&~f1.0.any8h)`: whether all channels are enabled, and a predicate.
/// `width` is the number of channels of the instruction.
fn predicate(guard: &str, width: u8, generation: Generation) -> Result<(bool, Option<Predicate>), String> {
    let bad = || format!("({guard} is no guard");
    let text = guard.strip_suffix(')').ok_or_else(bad)?;
    let (no_mask, text) = match text.strip_prefix('W') {
        Some(rest) => (true, rest.strip_prefix('&').unwrap_or(rest)),
        None => (false, text),
    };
    if text.is_empty() {
        return Ok((no_mask, None));
    }
    let (invert, text) = text.strip_prefix('~').map_or((false, text), |rest| (true, rest));
    let (flag, rest) = flag(text, generation)?;
    let combine = match rest.strip_prefix('.') {
        None if rest.is_empty() => Combine::Sequential,
        Some("anyv") => Combine::AnyVertical,
        Some("allv") => Combine::AllVertical,
        // From Xe-HPC on, the flags of all channels of the instruction (`getIGAPredication` of Intel's compiler).
        Some("any") if generation >= Generation::XeHpc => Combine::AnyOf(width),
        Some("all") if generation >= Generation::XeHpc => Combine::AllOf(width),
        Some(control) => {
            let (any, rest) = match (control.strip_prefix("any"), control.strip_prefix("all")) {
                (Some(rest), _) => (true, rest),
                (_, Some(rest)) => (false, rest),
                _ => return Err(format!("not supported: predicate control {control}")),
            };
            let count = rest.strip_suffix('h').and_then(|count| count.parse().ok());
            let count = count.filter(|count| matches!(count, 2 | 4 | 8 | 16 | 32)).ok_or_else(bad)?;
            if any { Combine::AnyOf(count) } else { Combine::AllOf(count) }
        }
        None => return Err(bad()),
    };
    Ok((no_mask, Some(Predicate { combine, invert, flag })))
}

/// The offset that Xe2 adds to addresses if the extended descriptor is a register: bits 31 to 19 and 15 to 12
/// of a number in front of the register (`trySetLscImmOff` in `G4_SendDescs.cpp` of Intel's compiler).
fn address_offset(text: &str) -> Result<i32, String> {
    let bad = || format!("{text} is no offset of addresses");
    let Some((value, "")) = integer(text) else { return Err(bad()) };
    let bits = u32::try_from(value).map_err(|_| bad())?;
    if bits & 0x7_0fff != 0 {
        return Err(bad());
    }
    Ok(((bits & 0xfff8_0000) | (bits & 0xf000) << 3).cast_signed() >> 15)
}

/// A number, or a subregister of a0.
fn descriptor(text: &str) -> Result<Descriptor, String> {
    let bad = || format!("{text} is no descriptor");
    match text.strip_prefix("a0.") {
        Some(element) => {
            let (element, rest) = number(element).ok_or_else(bad)?;
            let subregister = u8::try_from(element).ok().filter(|&n| n < 8 && rest.is_empty());
            Ok(Descriptor::Address(subregister.ok_or_else(bad)?))
        }
        None => match integer(text) {
            Some((value, "")) => Ok(Descriptor::Immediate(u32::try_from(value).map_err(|_| bad())?)),
            _ => Err(bad()),
        },
    }
}
