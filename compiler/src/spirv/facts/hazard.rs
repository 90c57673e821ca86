//! What Intel's compiler may get wrong about a value, and the operations that it then gets wrong.

use crate::elem::ElemType;
use crate::ops::{Class, MapKind};

/// How a value may have been made, as far as Intel's compiler gets it wrong together with a use of the value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Hazard {
    /// A sign extension. The compiler treats `zext(sext x)` as `sext x`, and converts `sext x` to a float as
    /// signed even if the conversion is unsigned. Unsigned operations read the short number with its sign.
    pub(crate) extended: bool,
    /// A negation, or a value that the optimiser may turn into one. The compiler makes it an operand
    /// modifier. For unsigned operands, the hardware then uses the negative number without wrapping it.
    pub(crate) negated: bool,
    /// A constant whose highest bit is set. A product with it, or an exclusive or, is a negation.
    pub(crate) negative: bool,
    /// A constant of zeros. The compiler turns a selection between it and a difference into a saturating
    /// difference, and treats unsigned operands of that as signed.
    pub(crate) zero: bool,
    /// A computed byte. The compiler computes bytes as words, and compares the words, including the bits that
    /// do not fit a byte.
    pub(crate) carried: bool,
    /// Elements that the optimiser may know. The compiler loads constant bytes and words as dwords, some of
    /// which it then does not store. If it splits a comparison into parts and knows one, it loses another.
    pub(crate) constant: bool,
    /// A number made from truth values and constants. If it is -1 or 0, the compiler converts it to the float
    /// 0.
    pub(crate) truth: bool,
    /// Such a number in which there is a truth value: it is not made from constants alone.
    pub(crate) flags: bool,
    /// A negation of a signed number. The compiler makes it a modifier of the instruction that extends the
    /// number or converts it to a float. The hardware then negates the longer number, which does not wrap.
    pub(crate) opposite: bool,
    /// A constant, or a value that the optimiser computes from constants alone.
    pub(crate) folded: bool,
    /// Elements of which the optimiser may know some and not others. If the compiler splits an operation into
    /// parts and knows one, it loses another.
    pub(crate) partly: bool,
    /// One of two numbers, selected by their order or by a mask. The compiler turns a difference from it into
    /// a saturating difference, and treats unsigned operands of that as signed. The zeros of `apart` may
    /// already be part of a selection, so it needs `hidden`.
    pub(crate) chosen: bool,
    /// A word or a dword that was picked by indices, also by those that the compiler makes for regions at an offset
    /// known only at run time whose columns the hardware does not have. If it is the second operand of an
    /// instruction, the compiler copies it first, as a signed number.
    pub(crate) picked: bool,
    /// Such a byte, or longer numbers extended from it. Some GPUs convert them to floats as words.
    pub(crate) picked_byte: bool,
    /// Elements of a region at an offset that is known only at run time.
    pub(crate) anywhere: bool,
    /// A float converted from an integer, or a comparison of such floats. If the compiler merges a selection
    /// between them into the comparison, it compares the integers, as signed numbers.
    pub(crate) whole: bool,
    /// A float that was negated, or a negative constant: the optimiser makes a difference of a sum with it.
    pub(crate) minus: bool,
    /// A product, or its low bits. If only the low byte is used, the compiler computes a word, and compares or
    /// limits the word instead of the byte.
    pub(crate) product: bool,
    /// A difference from a constant. The compiler turns the larger one of it and 0 into a saturating difference,
    /// and treats unsigned bytes and words as signed.
    pub(crate) lowered: bool,
}

impl Hazard {
    pub(crate) const NONE: Self = Self {
        extended: false,
        negated: false,
        negative: false,
        zero: false,
        carried: false,
        constant: false,
        truth: false,
        flags: false,
        opposite: false,
        folded: false,
        partly: false,
        chosen: false,
        picked: false,
        picked_byte: false,
        anywhere: false,
        whole: false,
        minus: false,
        product: false,
        lowered: false,
    };

    /// Whether an unsigned operation may read the number with a sign.
    pub(crate) const fn has_sign(self) -> bool {
        self.extended || self.negated
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            extended: self.extended || other.extended,
            negated: self.negated || other.negated,
            negative: self.negative || other.negative,
            zero: self.zero || other.zero,
            carried: self.carried || other.carried,
            constant: self.constant || other.constant,
            truth: self.truth || other.truth,
            flags: self.flags || other.flags,
            opposite: self.opposite || other.opposite,
            folded: self.folded || other.folded,
            partly: self.partly || other.partly,
            chosen: self.chosen || other.chosen,
            picked: self.picked || other.picked,
            picked_byte: self.picked_byte || other.picked_byte,
            anywhere: self.anywhere || other.anywhere,
            whole: self.whole || other.whole,
            minus: self.minus || other.minus,
            product: self.product || other.product,
            lowered: self.lowered || other.lowered,
        }
    }
}

/// Whether the result of an operation changes if the compiler reads this operand, an extension, with the sign
/// of the short number.
pub(crate) const fn depends_on_sign(kind: MapKind, elem: ElemType, operand: usize) -> bool {
    if elem.is_float() || elem.is_signed() {
        return false;
    }
    match kind.class() {
        Class::Conversion | Class::Sum | Class::Product | Class::Bitwise => false,
        // Of this class, only `Abs` reads the sign, and unsigned numbers have none.
        Class::Sign => matches!(kind, MapKind::Abs),
        Class::ShiftLeft | Class::Equality | Class::Selection => false,
        // Only the operand that is shifted.
        Class::ShiftRight => operand == 0,
        // Classes that have not been examined are assumed to depend on it.
        _ => true,
    }
}

/// Whether the result of an operation changes if the compiler makes a negation a modifier of this operand.
/// The number is then outside of the range of its type.
pub(crate) const fn depends_on_wrapping(kind: MapKind, elem: ElemType, operand: usize) -> bool {
    depends_on_sign(kind, elem, operand) || !elem.is_float() && matches!(kind.class(), Class::Equality)
}

/// Whether the compiler turns a quotient into an unsigned one if it sees that an operand is never negative.
pub(crate) const fn loses_signs(kind: MapKind, elem: ElemType) -> bool {
    elem.is_signed() && matches!(kind.class(), Class::Quotient)
}

/// Whether an operation is lowered to comparisons.
pub(crate) const fn compares(kind: MapKind) -> bool {
    match kind.class() {
        Class::Sum | Class::Product | Class::Bitwise => false,
        Class::Conversion | Class::Selection | Class::ShiftLeft | Class::ShiftRight => false,
        Class::Sign => matches!(kind, MapKind::Abs),
        // Classes that have not been examined are assumed to compare.
        _ => true,
    }
}

/// Whether the compiler splits a comparison into parts and, if it knows the result of one, loses another.
pub(crate) const fn is_split(kind: MapKind, elem: ElemType) -> bool {
    // Quotients are computed by comparisons in a loop.
    elem.bytes() == 8 && (kind.class().is_comparison() || matches!(kind.class(), Class::Quotient))
}

/// Whether the result of an operation changes if the compiler makes a negation of a signed number a modifier
/// of this operand: the hardware does not wrap the negated minimum.
pub(crate) const fn depends_on_smallest(kind: MapKind, elem: ElemType, operand: usize) -> bool {
    elem.is_signed()
        && !elem.is_float()
        && match kind.class() {
            Class::Order | Class::Limited => true,
            Class::Between => matches!(kind, MapKind::Min | MapKind::Max),
            Class::ShiftRight => operand == 0,
            _ => false,
        }
}

/// Whether the compiler turns an operation and a selection between shorter operands into a minimum or
/// maximum. If one of the shorter operands is unsigned, it treats it as signed.
pub(crate) const fn orders_shorter(kind: MapKind, elem: ElemType) -> bool {
    !elem.is_float()
        && elem.is_signed()
        && elem.bytes() > 2
        && (matches!(kind.class(), Class::Order) || matches!(kind, MapKind::Min | MapKind::Max))
}

/// Whether the compiler shortens an operation if only low bits are used. The result is then undefined for
/// constant counts that exceed the bits of the shorter type.
pub(crate) const fn shortens_counts(kind: MapKind, operand: usize) -> bool {
    operand == 1 && matches!(kind, MapKind::Shl | MapKind::ShlSat | MapKind::Rol | MapKind::Ror)
}

/// Whether the compiler makes a saturating sum or difference from an operation whose operand was selected
/// between two numbers: `min(a, b) - b`, or `min(a, !b) + b` where `!b` is a constant or a negation.
pub(crate) const fn limits_chosen(kind: MapKind, elem: ElemType, other: Hazard) -> bool {
    !elem.is_float()
        && match kind {
            MapKind::Sub | MapKind::SubSat => true,
            MapKind::Add | MapKind::AddSat => other.negated || other.folded,
            _ => false,
        }
}

/// Whether an operation is an instruction that the optimiser does not look into, or an opaque copy: see `Builder::dot`.
pub(crate) const fn is_opaque(kind: MapKind) -> bool {
    kind.is_byte_dot() || mistypes_constants(kind)
}

/// Whether the compiler encodes an operation on a constant with a type that the hardware does not support.
pub(crate) const fn mistypes_constants(kind: MapKind) -> bool {
    matches!(kind, MapKind::Lzd | MapKind::Cbit | MapKind::Fbl | MapKind::Fbh | MapKind::BfReverse)
}

/// Whether the compiler may merge a selection into a comparison. If the mask compares the selected values, or
/// the values that they were made from, the compiler selects the larger or smaller float. This loses NaNs,
/// and unsigned integers are compared as signed.
pub(crate) const fn merges_selections(kind: MapKind, elem: ElemType, operand: usize, mask: Hazard) -> bool {
    (elem.is_float() || mask.whole) && matches!(kind.class(), Class::Selection) && operand == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::cases::Case;
    use crate::ops::Computed;

    /// Unsigned operations whose result depends on the signedness are known to depend on it.
    #[test]
    fn unsigned_operations_that_depend_on_the_sign_are_known() {
        let unsigned = [(ElemType::U16, ElemType::I16), (ElemType::U32, ElemType::I32)];
        for &kind in MapKind::ALL {
            for (elem, signed) in unsigned {
                let values = [0, 1, 2, 7, 0x7f, u64::MAX];
                let case = |common| Case {
                    kind: Computed::Map(kind, false),
                    common,
                    elems: vec![common; kind.arity()],
                };
                let all = crate::interpret::cases::combinations(&vec![values.to_vec(); kind.arity()]);
                let differs = all.iter().any(|bits| {
                    let bits: Vec<u64> =
                        bits.iter().map(|x| x & crate::interpret::element::mask(elem)).collect();
                    case(elem).evaluate(&bits) != case(signed).evaluate(&bits)
                });
                let known = (0..kind.arity()).any(|n| depends_on_sign(kind, elem, n));
                assert!(known || !differs, "{kind:?} of {elem}");
            }
        }
    }
}
