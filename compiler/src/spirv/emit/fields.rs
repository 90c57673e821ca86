//! Rotations, dot products of bytes and bit fields: one instruction if the target has it, else shifts and
//! products.

use crate::ops::MapKind;

use super::arith::shift_right;
use super::recipe::MapOperands;
use crate::spirv::binary::Op;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};

impl Builder {
    /// A rotation by the hardware instruction.
    pub(crate) fn rotated(&mut self, x: MapOperands) -> Val {
        let (a, places) = (x.vals[0], self.places(x));
        let there = if x.kind == MapKind::Rol { Intrinsic::RotateLeft } else { Intrinsic::RotateRight };
        self.value(there, a.ty, &[a, places])
    }

    /// The sum of the products of the bytes of dwords, by the hardware instruction.
    pub(crate) fn byte_dot_alone(&mut self, x: MapOperands) -> Val {
        let zero = self.constant(x.vals[0].ty, 0);
        self.byte_dot(x.kind, zero, [x.vals[0], x.vals[1]])
    }

    /// A number plus the products of the bytes of dwords, by the hardware instruction, whose bytes all have
    /// the same signedness.
    pub(crate) fn byte_dot(&mut self, kind: MapKind, sum: Val, [a, b]: [Val; 2]) -> Val {
        let ty = a.ty;
        // The compiler for Xe-LP and newer gives the instruction the signedness of the bytes that an operand
        // was extended from. `apart` would not help, because the set bits of a constant remain known.
        let [a, b] = [a, b].map(|x| if self.extended.contains(&x.id) { self.hidden(x) } else { x });
        let (unsigned, signed) = match kind {
            MapKind::DotUu => return self.value(Intrinsic::DotOfUnsigned, ty, &[sum, a, b]),
            MapKind::DotSs => return self.value(Intrinsic::DotOfSigned, ty, &[sum, a, b]),
            MapKind::DotUs => (a, b),
            _ => (b, a),
        };
        // An unsigned byte minus 128 is a signed byte. Add 128 times the other factor as twice 64 times.
        let (high, half) = (self.constant(ty, 0x8080_8080), self.constant(ty, 0x4040_4040));
        let less = self.op(Op::BitwiseXor, ty, &[unsigned, high]);
        [half, half, less]
            .into_iter()
            .fold(sum, |sum, factors| self.value(Intrinsic::DotOfSigned, ty, &[sum, factors, signed]))
    }

    /// Shifts bits to the left or right, and moves those that are shifted out to the other side.
    pub(crate) fn rotation(&mut self, x: MapOperands) -> Val {
        let (a, ty) = (x.vals[0], x.vals[0].ty);
        let places = self.places(x);
        // A shift by all bits is undefined in SPIR-V, so the other part is shifted by one place separately.
        let (ones, one) = (self.constant(ty, u64::from(ty.bits()) - 1), self.constant(ty, 1));
        let rest = self.op(Op::ISub, ty, &[ones, places]);
        let (there, back) = match x.kind {
            MapKind::Rol => (Op::ShiftLeftLogical, Op::ShiftRightLogical),
            _ => (Op::ShiftRightLogical, Op::ShiftLeftLogical),
        };
        let moved = self.op(there, ty, &[a, places]);
        // As in `shift`.
        let moved = if x.kind == MapKind::Rol { self.kept_long(moved) } else { moved };
        let others = self.op(back, ty, &[a, one]);
        // Prevent the optimiser from making a rotation of it, which the compiler does not support. A sum
        // cannot be merged with the shifts.
        let zeros = self.hidden_zeros(ty);
        let others = self.op(Op::IAdd, ty, &[others, zeros]);
        let others = self.op(back, ty, &[others, rest]);
        let others = if x.kind == MapKind::Rol { others } else { self.kept_long(others) };
        self.op(Op::BitwiseOr, ty, &[moved, others])
    }

    /// The sum of the products of the bytes of dwords; the bytes are read as regions of the dwords.
    pub(crate) fn dot(&mut self, x: MapOperands) -> Val {
        let ([a, b, _], count) = (x.vals, x.vals[0].ty.count);
        let signed = match x.kind {
            MapKind::DotSs => [true, true],
            MapKind::DotSu => [true, false],
            MapKind::DotUs => [false, true],
            _ => [false, false],
        };
        let bytes = [a, b].map(|val| self.format(val, val.ty.int(8).times(count * 4)));
        let mut sum: Option<Val> = None;
        for k in 0..4 {
            let every = FixedRegion { offset: k, row_stride: count * 4, width: count, column_stride: 4 };
            let [x, y] = [0, 1].map(|n| {
                let byte = self.region(bytes[n], every, count, None);
                self.op(if signed[n] { Op::SConvert } else { Op::UConvert }, a.ty, &[byte])
            });
            let product = self.op(Op::IMul, a.ty, &[x, y]);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.op(Op::IAdd, a.ty, &[sum, product]),
            });
        }
        // If a sum of products is used as a region with gaps, the compiler computes it twice, and loses a
        // part of it in one place.
        self.apart(sum.unwrap_or(a))
    }

    /// Extracts a bit field of a dword, sign-extended for signed types.
    pub(crate) fn field(&mut self, x: MapOperands) -> Val {
        let [a, offset, width] = x.vals;
        let ty = a.ty;
        let low = self.constant(ty, 31);
        let (offset, width) =
            (self.op(Op::BitwiseAnd, ty, &[offset, low]), self.op(Op::BitwiseAnd, ty, &[width, low]));
        // Of numbers that it knows to be short, the compiler for Gen9 drops the negation of the last one of an odd number,
        // and the one for Ponte Vecchio compares two low words one by one, with the same flag.
        let short = ty.count > 1 && !ty.count.is_multiple_of(4);
        let [offset, width] = [offset, width].map(|x| if short { self.hidden(x) } else { x });
        let (all, one, zero) = (self.constant(ty, 32), self.constant(ty, 1), self.constant(ty, 0));
        let room = self.op(Op::ISub, ty, &[all, offset]);
        let wider = self.op(Op::SGreaterThan, ty.bool(), &[width, room]);
        let width = self.op(Op::Select, ty, &[wider, room, width]);
        // Shift up to the highest bit and back down. A field without bits is 0, whatever shifts by 32 give.
        let empty = self.op(Op::IEqual, ty.bool(), &[width, zero]);
        let width = self.op(Op::Select, ty, &[empty, one, width]);
        let down = self.op(Op::ISub, ty, &[all, width]);
        let up = self.op(Op::ISub, ty, &[down, offset]);
        // An empty field at the end would be shifted up by 32.
        let up = self.op(Op::BitwiseAnd, ty, &[up, low]);
        let shifted = self.op(Op::ShiftLeftLogical, ty, &[a, up]);
        let field = self.op(shift_right(x.elem), ty, &[shifted, down]);
        self.op(Op::Select, ty, &[empty, zero, field])
    }
}
