//! The type in which results are computed: it holds the part of the exact result that the result type needs.

use crate::elem::ElemType;

/// The type in which an operation is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// The common type of the operands, as for operators.
    Common,
    /// The common type, in which the result is clamped before it is converted.
    CommonLimited,
    /// The type of the result.
    Result,
    /// `i64`.
    Signed,
    /// `u64`.
    Unsigned,
}

/// Whether a type represents all numbers of another integer type.
pub(super) const fn holds(this: ElemType, other: ElemType) -> bool {
    match (this.range(), other.range()) {
        (Some(this), Some(other)) => this.0 <= other.0 && other.1 <= this.1,
        _ => false,
    }
}

/// Bytes of the larger type, if both are integers.
const fn integers(a: ElemType, b: ElemType) -> Option<usize> {
    if a.is_float() || b.is_float() {
        return None;
    }
    Some(if a.bytes() > b.bytes() { a.bytes() } else { b.bytes() })
}

/// Whether it is an integer of 64 bits.
const fn wide(elem: ElemType) -> bool {
    elem.bytes() == 8 && !elem.is_float()
}

/// For sums and differences of `a` and `b` as `to`.
pub(super) const fn of_sum(a: ElemType, b: ElemType, to: ElemType, saturates: bool) -> Within {
    match integers(a, b) {
        None => Within::Common,
        Some(_) if saturates && holds(to, a) && holds(to, b) => Within::Result,
        Some(_) if !saturates && wide(to) => Within::Result,
        Some(4) if saturates || to.is_float() => Within::Signed,
        Some(8) if saturates => Within::CommonLimited,
        // The common type represents all sums of bytes and words. For other types the low bits are right.
        Some(_) => Within::Common,
    }
}

/// For products of `a` and `b` as `to`.
pub(super) const fn of_product(a: ElemType, b: ElemType, to: ElemType, saturates: bool) -> Within {
    let Some(bytes) = integers(a, b) else { return Within::Common };
    // `i32` represents all other products of words.
    let fits = bytes < 2 || bytes == 2 && (a.is_signed() || b.is_signed() || a.bytes() != b.bytes());
    if bytes == 8 || fits {
        Within::Common
    } else if !saturates && wide(to) {
        Within::Result
    } else if saturates || to.is_float() {
        if a.is_signed() || b.is_signed() { Within::Signed } else { Within::Unsigned }
    } else {
        Within::Common
    }
}

/// For the smaller or larger one of `a` and `b`, whose common type is `common`, as `to`.
pub(super) const fn of_order(a: ElemType, b: ElemType, common: ElemType, to: ElemType) -> Within {
    // The comparison gives the same result in both types.
    let same = holds(common, a) && holds(common, b) && holds(to, a) && holds(to, b);
    if same { Within::Result } else { Within::Common }
}

/// For `a`, whose promoted type is `promoted`, shifted to the left as `to`.
pub(super) const fn of_shift(promoted: ElemType, to: ElemType, saturates: bool) -> Within {
    if saturates && holds(to, promoted) || !saturates && wide(to) {
        Within::Result
    } else if saturates && promoted.is_signed() && !to.is_float() && to.bytes() >= promoted.bytes() {
        // An unsigned number of as many bits: negative numbers are 0 before and after the shift.
        Within::Unsigned
    } else {
        Within::Common
    }
}

/// For the sum of all elements `elem` as `to`.
pub(super) const fn of_reduced_sum(elem: ElemType, to: ElemType, saturates: bool) -> Within {
    match integers(elem, elem) {
        Some(_) if wide(to) && (!saturates || elem.bytes() < 8 && holds(to, elem)) => Within::Result,
        Some(4) if saturates || to.is_float() => Within::Signed,
        _ => Within::Common,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::MapKind;
    use cm_compiler::interpret::element::{convert, map, saturate};

    fn bits(elem: ElemType, x: i128) -> u64 {
        x as u64 & (u64::MAX >> (64 - elem.bytes() * 8))
    }

    /// Numbers near the edges of an integer type and of the others inside it.
    fn edges(elem: ElemType) -> Vec<i128> {
        let (low, high) = elem.range().unwrap();
        let mut all: Vec<i128> = (-2..3).chain([5, 31, 100, 127, 128, 200]).collect();
        for other in ElemType::INTEGERS {
            let (low, high) = other.range().unwrap();
            all.extend([low, low + 1, low / 2, high, high - 1, high / 2, high + 1]);
        }
        all.retain(|x| (low..=high).contains(x));
        all
    }

    /// The promoted type, as in the table of operators.
    fn promoted(elem: ElemType) -> ElemType {
        if elem.bytes() < 4 { ElemType::I32 } else { elem }
    }

    fn common(a: ElemType, b: ElemType) -> ElemType {
        let (a, b) = (promoted(a), promoted(b));
        match a.bytes().cmp(&b.bytes()) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => {
                if a.is_signed() {
                    b
                } else {
                    a
                }
            }
        }
    }

    /// The result of a choice: the operation or its clamping form, in the chosen type.
    fn computed(
        within: Within,
        (plain, limited): (MapKind, MapKind),
        (a, b, to): ((ElemType, i128), (ElemType, i128), ElemType),
        common: ElemType,
        saturates: bool,
    ) -> u64 {
        let (kind, elem) = match within {
            Within::Common => (plain, common),
            Within::CommonLimited => (limited, common),
            Within::Result => (if saturates { limited } else { plain }, to),
            Within::Signed => (plain, ElemType::I64),
            Within::Unsigned => (plain, ElemType::U64),
        };
        let operand = |(from, x)| convert(from, elem, bits(from, x));
        let result = map(kind, elem, [operand(a), operand(b), 0]);
        if saturates { saturate(elem, to, result) } else { convert(elem, to, result) }
    }

    fn exact(to: ElemType, x: i128, saturates: bool) -> u64 {
        let (low, high) = to.range().unwrap();
        bits(to, if saturates { x.clamp(low, high) } else { x })
    }

    #[test]
    fn results_are_those_of_exact_numbers() {
        for (a, b) in ElemType::INTEGERS.iter().flat_map(|a| ElemType::INTEGERS.iter().map(move |b| (*a, *b)))
        {
            let common = common(a, b);
            for (&to, saturates) in ElemType::INTEGERS.iter().flat_map(|to| [(to, false), (to, true)]) {
                for (x, y) in edges(a).into_iter().flat_map(|x| edges(b).into_iter().map(move |y| (x, y))) {
                    let operands = ((a, x), (b, y), to);
                    let check = |name: &str, within, kinds, expected: i128| {
                        let found = computed(within, kinds, operands, common, saturates);
                        let expected = exact(to, expected, saturates);
                        assert_eq!(found, expected, "{name} of {x}: {a} and {y}: {b} as {to}, {saturates}");
                    };
                    // With 64 bits only the low bits are exact.
                    let wide = common.bytes() == 8 && saturates;
                    if !wide {
                        let (of_sum, sums) = (of_sum(a, b, to, saturates), (MapKind::Add, MapKind::AddSat));
                        check("sum", of_sum, sums, x + y);
                        check("difference", of_sum, (MapKind::Sub, MapKind::SubSat), x - y);
                        let of_product = of_product(a, b, to, saturates);
                        check("product", of_product, (MapKind::Mul, MapKind::Mul), x.wrapping_mul(y));
                    }
                    if holds(common, a) && holds(common, b) && !saturates {
                        let of_order = of_order(a, b, common, to);
                        check("minimum", of_order, (MapKind::Min, MapKind::Min), x.min(y));
                        check("maximum", of_order, (MapKind::Max, MapKind::Max), x.max(y));
                    }
                }
            }
        }
    }

    #[test]
    fn shifts_are_those_of_exact_numbers() {
        for (&a, &to) in
            ElemType::INTEGERS.iter().flat_map(|a| ElemType::INTEGERS.iter().map(move |to| (a, to)))
        {
            let (own, wide) = (promoted(a), a.bytes() == 8 || to.bytes() == 8);
            for (x, saturates) in edges(a).into_iter().flat_map(|x| [(x, false), (x, true)]) {
                for places in [0, 1, 3, 7, 8, 15, 16, 30, 31, 32, 33, 47, 63, 64] {
                    let count = if wide { places & 63 } else { places & 31 };
                    let within = of_shift(own, to, saturates);
                    let (kind, limited) = (MapKind::Shl, MapKind::ShlSat);
                    let found = if within == Within::Unsigned {
                        let a = saturate(a, to, bits(a, x));
                        map(limited, to, [a, places, 0])
                    } else {
                        let operands = ((a, x), (ElemType::U64, places as i128), to);
                        // If the result is narrow, the promoted type limits the count and the result.
                        let kinds = if within == Within::Common && saturates {
                            (limited, limited)
                        } else {
                            (kind, limited)
                        };
                        computed(within, kinds, operands, own, saturates)
                    };
                    let expected = exact(to, x << count, saturates);
                    assert_eq!(found, expected, "{x}: {a} << {places} as {to}, {saturates}");
                }
            }
        }
    }

    #[test]
    fn sums_of_all_elements_have_room() {
        for (&a, &to) in
            ElemType::INTEGERS.iter().flat_map(|a| ElemType::INTEGERS.iter().map(move |to| (a, to)))
        {
            for saturates in [false, true].into_iter().filter(|saturates| !(*saturates && a.bytes() == 8)) {
                // As many elements as an object has.
                let count = 4095 / a.bytes() as i128;
                let (low, high) = a.range().unwrap();
                let elem = match of_reduced_sum(a, to, saturates) {
                    Within::Result => to,
                    Within::Signed => ElemType::I64,
                    _ => promoted(a),
                };
                for x in [low, high] {
                    let sum = bits(elem, x * count);
                    let found = if saturates { saturate(elem, to, sum) } else { convert(elem, to, sum) };
                    assert_eq!(found, exact(to, x * count, saturates), "{x}: {a} as {to}, {saturates}");
                }
            }
        }
    }
}
