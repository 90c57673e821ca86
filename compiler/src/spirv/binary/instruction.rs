//! One instruction, as data and as words.

use super::numbers::{
    AccessQualifier, Capability, DebugInstruction, Decoration, ExecutionMode, Form, Op, Slot, StorageClass,
};
use super::{DecodeError, Word};

/// An operand of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::spirv) enum Operand {
    /// The result of another instruction.
    Id(Word),
    /// A literal, or a number defined by SPIR-V.
    Number(Word),
    /// A 64-bit literal.
    Wide(u64),
    /// A string.
    Text(String),
}

macro_rules! from_numbers {
    ($($name:ident),*) => {$(
        impl From<$name> for Operand {
            fn from(number: $name) -> Self {
                Self::Number(number as Word)
            }
        }
    )*};
}

from_numbers!(AccessQualifier, Capability, DebugInstruction, Decoration, ExecutionMode, StorageClass);

impl From<&str> for Operand {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Operand {
    fn encode(&self, words: &mut Vec<Word>) {
        match self {
            Self::Id(word) | Self::Number(word) => words.push(*word),
            Self::Wide(bits) => words.extend([*bits as Word, (*bits >> 32) as Word]),
            // A string ends with a zero byte and is padded with zeros to whole words.
            Self::Text(text) => words.extend((0..=text.len() / 4).map(|word| {
                let byte = |k: usize| text.as_bytes().get(4 * word + k).copied().unwrap_or(0);
                Word::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
            })),
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::spirv) struct Instruction {
    /// The opcode.
    pub(in crate::spirv) op: Op,
    /// The type of the result.
    pub(in crate::spirv) result_type: Option<Word>,
    /// The number of the result.
    pub(in crate::spirv) result: Option<Word>,
    /// The operands after the result.
    pub(in crate::spirv) operands: Vec<Operand>,
}

impl Instruction {
    /// An instruction without a result.
    pub(in crate::spirv) fn effect(op: Op, operands: Vec<Operand>) -> Self {
        Self { op, result_type: None, result: None, operands }
    }

    /// An instruction whose result has no type.
    pub(in crate::spirv) fn untyped(op: Op, result: Word, operands: Vec<Operand>) -> Self {
        Self { op, result_type: None, result: Some(result), operands }
    }

    /// An instruction with a result.
    pub(in crate::spirv) fn value(op: Op, ty: Word, result: Word, operands: Vec<Operand>) -> Self {
        Self { op, result_type: Some(ty), result: Some(result), operands }
    }

    /// The operands that are results of other instructions.
    pub(in crate::spirv) fn ids(&self) -> Vec<Word> {
        let id = |operand: &Operand| match operand {
            Operand::Id(id) => Some(*id),
            _ => None,
        };
        self.operands.iter().filter_map(id).collect()
    }

    /// Appends the words.
    pub(super) fn encode(&self, words: &mut Vec<Word>) {
        let start = words.len();
        words.push(0);
        words.extend(self.result_type);
        words.extend(self.result);
        for operand in &self.operands {
            operand.encode(words);
        }
        words[start] = ((words.len() - start) as Word) << 16 | self.op as Word;
    }

    /// Decodes the first instruction. Returns it and the words after it. `at` is the index of the first word.
    pub(super) fn decode(words: &[Word], at: usize) -> Result<(Self, &[Word]), DecodeError> {
        let Some(&first) = words.first() else { return Err(DecodeError::Length { at, words: 0 }) };
        let length = (first >> 16) as usize;
        let number = first & 0xffff;
        let op = Op::from_word(number).ok_or(DecodeError::Operation { at, number })?;
        if length == 0 || length > words.len() {
            return Err(DecodeError::Length { at, words: length });
        }
        let (own, behind) = words.split_at(length);
        let mut rest = Rest(&own[1..]);
        let instruction = rest.instruction(op).filter(|_| rest.0.is_empty());
        Ok((instruction.ok_or(DecodeError::Operands { at, op })?, behind))
    }
}

/// The words of an instruction that are not decoded yet. The methods return `None` if the words do not match.
struct Rest<'a>(&'a [Word]);

impl Rest<'_> {
    fn instruction(&mut self, op: Op) -> Option<Instruction> {
        let result_type = if op.form() == Form::Value { Some(self.id()?) } else { None };
        let result = if op.form() == Form::Effect { None } else { Some(self.id()?) };
        let mut operands = vec![];
        self.operands(op.slots(), &mut operands)?;
        Some(Instruction { op, result_type, result, operands })
    }

    fn word(&mut self) -> Option<Word> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// 0 is not a valid number of a result.
    fn id(&mut self) -> Option<Word> {
        self.word().filter(|&id| id != 0)
    }

    fn text(&mut self) -> Option<String> {
        let mut bytes = vec![];
        loop {
            let word = self.word()?.to_le_bytes();
            let end = word.iter().position(|&byte| byte == 0);
            bytes.extend(&word[..end.unwrap_or(4)]);
            if let Some(end) = end {
                let filled_up = word[end..].iter().all(|&byte| byte == 0);
                return String::from_utf8(bytes).ok().filter(|_| filled_up);
            }
        }
    }

    fn operands(&mut self, slots: &[Slot], operands: &mut Vec<Operand>) -> Option<()> {
        for slot in slots {
            match slot {
                Slot::Id => operands.push(Operand::Id(self.id()?)),
                Slot::Ids => {
                    while !self.0.is_empty() {
                        operands.push(Operand::Id(self.id()?));
                    }
                }
                Slot::Literal => operands.push(Operand::Number(self.word()?)),
                Slot::Literals => {
                    operands.extend(std::mem::take(&mut self.0).iter().map(|&x| Operand::Number(x)));
                }
                Slot::Bits => {
                    let low = self.word()?;
                    operands.push(match self.word() {
                        Some(high) => Operand::Wide(u64::from(high) << 32 | u64::from(low)),
                        None => Operand::Number(low),
                    });
                }
                Slot::Text => operands.push(Operand::Text(self.text()?)),
                Slot::Only(number) => {
                    let word = self.word().filter(|word| word == number)?;
                    operands.push(Operand::Number(word));
                }
                Slot::Capability => operands.push(Capability::from_word(self.word()?)?.into()),
                Slot::Decoration => {
                    let decoration = Decoration::from_word(self.word()?)?;
                    operands.push(decoration.into());
                    self.operands(decoration.slots(), operands)?;
                }
                Slot::Mode => {
                    let mode = ExecutionMode::from_word(self.word()?)?;
                    operands.push(mode.into());
                    self.operands(mode.slots(), operands)?;
                }
                Slot::Debug => {
                    let instruction = DebugInstruction::from_word(self.word()?)?;
                    operands.push(instruction.into());
                    self.operands(instruction.slots(), operands)?;
                }
                Slot::Access => operands.push(AccessQualifier::from_word(self.word()?)?.into()),
                Slot::Storage => operands.push(StorageClass::from_word(self.word()?)?.into()),
            }
        }
        Some(())
    }
}
