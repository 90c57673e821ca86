//! The layout of 2-D blocks in registers.

use std::collections::BTreeSet;

use crate::ir::{Function, Inst, Op, ParamKind, Value};
use crate::limits::BlockForm;
use crate::ops::{AccessKind, Carries};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::types::Ty;

/// Bytes of a register on the targets that have the messages.
pub(crate) const REGISTER: usize = 64;
/// Bytes of the largest result of a message. Its length field has 5 bits.
pub(crate) const MESSAGE: usize = 31 * REGISTER;

/// The form of a 2-D block; `None` for other accesses.
pub(crate) fn form(kind: AccessKind) -> Option<BlockForm> {
    match kind.spec().carries {
        Carries::Block2d(form) => Some(form),
        _ => None,
    }
}

/// An access to a 2-D block.
#[derive(Clone, Copy)]
pub(crate) struct Block2d {
    /// The buffer.
    pub(crate) param: usize,
    pub(crate) layout: Layout,
    /// The bytes of a row of the buffer, its rows, and the bytes from row to row.
    pub(crate) rows: [Value; 3],
    /// The column and the row of the block.
    pub(crate) place: [Value; 2],
    pub(crate) kind: AccessKind,
    /// The data of a store.
    pub(crate) data: Option<Value>,
}

impl Block2d {
    /// The access of an instruction, if it is one.
    pub(crate) fn of(inst: &Inst) -> Option<Self> {
        let Op::Access { kind, param, operands } = &inst.op else { return None };
        let &[width, height, pitch, x, y, ref data @ ..] = &operands[..] else { return None };
        let layout = Layout {
            form: form(*kind)?,
            rows: inst.ty.rows,
            columns: inst.ty.columns,
            size: inst.ty.elem()?.bytes(),
        };
        Some(Self {
            param: *param,
            layout,
            rows: [width, height, pitch],
            place: [x, y],
            kind: *kind,
            data: data.first().copied(),
        })
    }
}

/// The parameters of the buffers that 2-D blocks access.
pub(crate) fn addressed(function: &Function) -> BTreeSet<usize> {
    let accesses = function.body.instructions().filter_map(|inst| match inst.op {
        Op::Access { kind, param, .. } if form(kind).is_some() => Some(param),
        _ => None,
    });
    let is_buffer = |param: &usize| {
        let kind = function.params.get(*param).map(|param| param.kind);
        matches!(kind, Some(ParamKind::Buffer { .. }))
    };
    accesses.filter(is_buffer).collect()
}

/// The layout of a block in the registers of a message.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) form: BlockForm,
    /// Rows of all blocks together.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Bytes of an element.
    pub(crate) size: usize,
}

impl Layout {
    /// Elements from the start of a row to the next.
    const fn pitch(self) -> usize {
        self.columns.next_power_of_two()
    }

    /// Elements from the start of a block to the next.
    const fn block(self) -> usize {
        let bytes = self.rows / self.form.blocks() * self.pitch() * self.size;
        bytes.next_multiple_of(REGISTER) / self.size
    }

    /// Whether one message can load it.
    pub(crate) const fn is_single(self) -> bool {
        // Intel's compiler rejects transposed columns of more than 64 bytes.
        let long = self.form.is_transposed() && self.columns * self.size > REGISTER;
        self.bytes() <= MESSAGE && !long
    }

    /// Bytes in registers.
    pub(crate) const fn bytes(self) -> usize {
        self.block() * self.form.blocks() * self.size
    }

    /// The elements that the message moves.
    pub(crate) fn carried(self) -> Ty {
        Ty::I32.int(self.size as u32 * 8).times(self.block() * self.form.blocks())
    }

    /// The rows of a block within those elements.
    pub(crate) const fn shape(self, block: usize) -> FixedRegion {
        FixedRegion {
            offset: block * self.block(),
            row_stride: self.pitch(),
            width: self.columns,
            column_stride: 1,
        }
    }
}
