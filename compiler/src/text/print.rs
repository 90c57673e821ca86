//! Functions as text, one instruction per line. [`parse`](super::parse) reads it back.
//!
//! ```text
//! file 0 "src/main.rs"
//! kernel darken(input: read surface, output: write surface, gain: f32) {
//!   %0: i32 = constant 0 @0:5:17
//!   %1: u8<4x16> = read #0 %0, %0 @0:5:17
//!   %2: u8<2x8> = region %1[16; 32, 8, 2] @0:6:20
//!   var $0: u8<4x16> = %1 @0:7:9
//!   %3: condition = any %2 @0:8:12
//!   if %3 @0:8:5 {
//!     store $0, %1: u8<4x16> @0:9:11
//!   }
//!   labelled ^0 @0:11:5 {
//!     if %3 @0:12:9 {
//!       break ^0 @0:13:13
//!     }
//!     write #1 %0, %0, %1: u8<4x16> @0:15:16
//!   }
//! }
//! ```
//!
//! A result and its type come before the operation; without a result the type comes after it. A region is `[offset; row
//! stride, width, column stride]`, and `[offset + %value; ..]` if part of the offset is not known while recording.
//! `@file:line:column` is the position in the source. A number that starts with `0x` is the bits of an element; NaNs
//! need all their bits. `uv: read plane uv of #0` is a parameter for a plane of another parameter, and `read plane y
//! top field of #0` is every second row of a plane. A group with
//! named barriers has `named_barriers 4` after the parameters, and a kernel for a register file of another size than 4096
//! bytes has `register_file 8192` there.

use std::fmt::{self, Write as _};

use half::f16;

use crate::elem::ElemType;
use crate::ir::{
    Bits, Block, Function, Inst, Label, Location, Op, ParamKind, Region, Type, Value, Variable, View,
};
use crate::limits::REGISTER_FILE;
use crate::ops::Computed;

/// The names of operations: a variant without a name does not compile.
macro_rules! names {
    (rows { $($row:pat => $of_row:expr,)* } others { $($op:pat => $name:literal,)* }) => {
        impl Op {
            /// The names of the operations that are not rows of a table.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name in the text; for an operation on elements, without its element type.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $($row => $of_row,)*
                    $($op => $name,)*
                }
            }
        }
    };
}

names! {
    rows {
        Self::Map { kind, saturate, .. } => Computed::Map(*kind, *saturate).name(),
        Self::Group { kind, .. } => kind.name(),
        Self::Access { kind, .. } => kind.spec().name,
        Self::Sync(kind, _) => kind.name(),
    }
    others {
        Self::Constant(_) => "constant",
        Self::Argument(_) => "argument",
        Self::Thread(_) => "thread",
        Self::Splat(_) => "splat",
        Self::Region(..) => "region",
        Self::Insert(..) => "insert",
        Self::Iselect(..) => "iselect",
        Self::Format(_) => "format",
        Self::UnpackMask(_) => "unpack_mask",
        Self::PackMask(_) => "pack_mask",
        Self::Reduce { .. } => "reduce",
        Self::Dpas { .. } => "dpas",
        Self::Any(_) => "any",
        Self::All(_) => "all",
        Self::Known(_) => "known",
        Self::Not(_) => "not",
        Self::And(..) => "and",
        Self::Or(..) => "or",
        Self::Declare(..) => "var",
        Self::Load(_) => "load",
        Self::Store(..) => "store",
        Self::Clock => "clock",
        Self::Print { .. } => "print",
        Self::If(..) => "if",
        Self::Loop(..) => "loop",
        Self::Labelled(..) => "labelled",
        Self::Break(_) => "break",
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "^{}", self.0)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.offset)?;
        if let Some(dynamic) = self.dynamic {
            write!(f, " + {dynamic}")?;
        }
        write!(f, "; {}, {}, {}]", self.row_stride, self.width, self.column_stride)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut files = Vec::new();
        collect_files(&self.body, &mut files);
        for (n, file) in files.iter().enumerate() {
            write!(f, "file {n} ")?;
            quote(f, file)?;
            f.write_char('\n')?;
        }
        f.write_str("kernel ")?;
        name(f, &self.name)?;
        f.write_char('(')?;
        for (n, param) in self.params.iter().enumerate() {
            if n > 0 {
                f.write_str(", ")?;
            }
            name(f, &param.name)?;
            match param.kind {
                ParamKind::Surface { writable: false } => f.write_str(": read surface")?,
                ParamKind::Surface { writable: true } => f.write_str(": write surface")?,
                ParamKind::Surface3d { writable: false } => f.write_str(": read surface_3d")?,
                ParamKind::Surface3d { writable: true } => f.write_str(": write surface_3d")?,
                ParamKind::View { view: View { of, plane, field }, writable } => {
                    let access = if writable { "write" } else { "read" };
                    write!(f, ": {access} plane {}", plane.name())?;
                    if let Some(field) = field {
                        write!(f, " {} field", field.name())?;
                    }
                    write!(f, " of #{of}")?;
                }
                ParamKind::Buffer { elem, writable: false } => write!(f, ": read buffer {elem}")?,
                ParamKind::Buffer { elem, writable: true } => write!(f, ": write buffer {elem}")?,
                ParamKind::Uniform { elem, rows, columns } => {
                    write!(f, ": {}", Type::new(elem, rows, columns))?;
                }
                ParamKind::Shared { elem, elements } => write!(f, ": shared {elem} {elements}")?,
            }
        }
        f.write_char(')')?;
        if self.named_barriers > 0 {
            write!(f, " named_barriers {}", self.named_barriers)?;
        }
        if self.register_file != REGISTER_FILE {
            write!(f, " register_file {}", self.register_file)?;
        }
        f.write_str(" {\n")?;
        Printer { f, files: &files }.block(&self.body, 1)?;
        f.write_str("}\n")
    }
}

/// The files of all locations, in the order of their first use.
fn collect_files<'a>(block: &'a Block, files: &mut Vec<&'a str>) {
    for inst in &block.insts {
        let file = &*inst.location.file;
        if !files.contains(&file) {
            files.push(file);
        }
        for inner in inst.op.blocks() {
            collect_files(inner, files);
        }
    }
}

/// A name, in quotes if it is not a word.
fn name(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if word { f.write_str(text) } else { quote(f, text) }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

struct Printer<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    files: &'a [&'a str],
}

impl Printer<'_, '_> {
    fn block(&mut self, block: &Block, depth: usize) -> fmt::Result {
        block.insts.iter().try_for_each(|inst| self.inst(inst, depth))
    }

    fn indent(&mut self, depth: usize) -> fmt::Result {
        (0..depth).try_for_each(|_| self.f.write_str("  "))
    }

    fn inst(&mut self, inst: &Inst, depth: usize) -> fmt::Result {
        self.indent(depth)?;
        if let Some(result) = inst.result {
            write!(self.f, "{result}: {} = ", inst.ty)?;
        }
        self.op(&inst.op, inst.ty, inst.result.is_none())?;
        let file = self.files.iter().position(|file| *file == inst.location.file).unwrap_or(0);
        write!(self.f, " @{file}:{}:{}", inst.location.line, inst.location.column)?;
        match &inst.op {
            Op::If(_, then, otherwise) => {
                self.f.write_str(" {\n")?;
                self.block(then, depth + 1)?;
                self.indent(depth)?;
                if !otherwise.insts.is_empty() {
                    self.f.write_str("} else {\n")?;
                    self.block(otherwise, depth + 1)?;
                    self.indent(depth)?;
                }
                self.f.write_str("}\n")
            }
            Op::Loop(first, condition, body) => {
                self.f.write_str(" {\n")?;
                self.block(first, depth + 1)?;
                self.indent(depth)?;
                writeln!(self.f, "}} while {condition} {{")?;
                self.block(body, depth + 1)?;
                self.indent(depth)?;
                self.f.write_str("}\n")
            }
            Op::Labelled(_, block) => {
                self.f.write_str(" {\n")?;
                self.block(block, depth + 1)?;
                self.indent(depth)?;
                self.f.write_str("}\n")
            }
            _ => self.f.write_char('\n'),
        }
    }

    /// The operation, and its type if that does not come before it.
    fn op(&mut self, op: &Op, ty: Type, with_type: bool) -> fmt::Result {
        let f = &mut *self.f;
        f.write_str(op.name())?;
        match op {
            Op::Constant(Bits::Splat(x)) => {
                f.write_char(' ')?;
                element(f, ty, *x)?;
            }
            Op::Constant(Bits::Each(all)) => {
                f.write_str(" [")?;
                for (n, x) in all.iter().enumerate() {
                    if n > 0 {
                        f.write_str(", ")?;
                    }
                    element(f, ty, *x)?;
                }
                f.write_char(']')?;
            }
            Op::Argument(param) => write!(f, " #{param}")?,
            Op::Thread(id) => write!(f, " {}", id.name())?,
            Op::Map { kind, common, operands, .. } => typed(f, kind.is_typed(), *common, operands)?,
            Op::Group { kind, common, operands } => typed(f, kind.is_typed(), *common, operands)?,
            Op::Reduce { kind, common, operand } => write!(f, " {}.{common} {operand}", kind.name())?,
            Op::Dpas { b, a, operands } => {
                write!(f, " {}.{}", b.name(), a.name())?;
                list(f, operands)?;
            }
            Op::Region(x, region) => write!(f, " {x}{region}")?,
            Op::Insert(x, region, value) => write!(f, " {x}{region}, {value}")?,
            Op::Known(known) => write!(f, " {known}")?,
            Op::Load(variable) => write!(f, " {variable}")?,
            Op::Store(variable, x) => write!(f, " {variable}, {x}")?,
            Op::Access { param, operands, .. } => {
                write!(f, " #{param}")?;
                list(f, operands)?;
            }
            Op::Iselect(a, b) | Op::And(a, b) | Op::Or(a, b) => write!(f, " {a}, {b}")?,
            Op::Splat(x)
            | Op::Format(x)
            | Op::UnpackMask(x)
            | Op::PackMask(x)
            | Op::Any(x)
            | Op::All(x)
            | Op::Not(x)
            | Op::If(x, ..) => write!(f, " {x}")?,
            Op::Declare(variable, init) => {
                write!(f, " {variable}")?;
                if with_type {
                    write!(f, ": {ty}")?;
                }
                return init.iter().try_for_each(|init| write!(f, " = {init}"));
            }
            Op::Labelled(label, _) | Op::Break(label) => write!(f, " {label}")?,
            Op::Print { template, values } => {
                f.write_char(' ')?;
                quote(f, &template.to_string())?;
                if !values.is_empty() {
                    f.write_char(',')?;
                    list(f, values)?;
                }
            }
            Op::Sync(_, operands) => list(f, operands)?,
            Op::Clock | Op::Loop(..) => {}
        }
        let plain = op.is_control_flow() || matches!(op, Op::Print { .. } | Op::Sync(..));
        let implied = plain && ty == Type::CONDITION;
        if with_type && !implied { write!(f, ": {ty}") } else { Ok(()) }
    }
}

/// The operands of an operation, after the type in which it is computed if the text names it.
fn typed(f: &mut fmt::Formatter<'_>, named: bool, common: ElemType, operands: &[Value]) -> fmt::Result {
    if named {
        write!(f, ".{common}")?;
    }
    list(f, operands)
}

/// Operands, each after a space.
fn list(f: &mut fmt::Formatter<'_>, operands: &[Value]) -> fmt::Result {
    for (n, operand) in operands.iter().enumerate() {
        write!(f, "{} {operand}", if n > 0 { "," } else { "" })?;
    }
    Ok(())
}

/// An element: exact, and as short as possible.
fn element(f: &mut fmt::Formatter<'_>, ty: Type, bits: u64) -> fmt::Result {
    // An element with bits above its size is not a number, so it is shown as bits.
    let elem = ty.elem().filter(|elem| elem.bytes() == 8 || bits >> (elem.bytes() * 8) == 0);
    if let Some(integer) = elem.and_then(|elem| elem.integer(bits)) {
        return write!(f, "{integer}");
    }
    match elem {
        Some(ElemType::F16) if !f16::from_bits(bits as u16).is_nan() => {
            write!(f, "{:?}", f16::from_bits(bits as u16).to_f32())
        }
        Some(ElemType::F32) if !f32::from_bits(bits as u32).is_nan() => {
            write!(f, "{:?}", f32::from_bits(bits as u32))
        }
        Some(ElemType::F64) if !f64::from_bits(bits).is_nan() => write!(f, "{:?}", f64::from_bits(bits)),
        _ => write!(f, "{bits:#x}"),
    }
}
