//! Bitwise functions of up to three values, as truth tables.

use crate::elem::ElemType;
use crate::ops::MapKind;

use super::recipe::Known;
use crate::spirv::module::Val;

/// A bitwise function of up to three values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boolean {
    pub(crate) operands: [Option<Val>; 3],
    /// The truth table: bit `x + 2 * y + 4 * z` is the result for the operand bits `x`, `y` and `z`.
    pub(crate) table: u8,
    /// The number of operations that it replaces.
    pub(crate) operations: usize,
}

/// The truth tables of the three operands themselves.
const TABLES: [u8; 3] = [0xaa, 0xcc, 0xf0];

impl Boolean {
    /// A value, or a constant if all its bits are known and equal.
    pub(crate) fn of(elem: ElemType, (val, known): (Val, Known)) -> Self {
        let ones = u64::MAX >> (64 - elem.bytes() as u32 * 8);
        match known {
            Some(0) => Self { operands: [None; 3], table: 0, operations: 0 },
            Some(bits) if bits == ones => Self { operands: [None; 3], table: 0xff, operations: 0 },
            _ => Self { operands: [Some(val), None, None], table: TABLES[0], operations: 0 },
        }
    }

    /// The operands of both functions, if there are at most three.
    fn operands_of(self, other: Self) -> Option<[Option<Val>; 3]> {
        let mut all = self.operands;
        for val in other.operands.into_iter().flatten() {
            if all.contains(&Some(val)) {
                continue;
            }
            *all.iter_mut().find(|slot| slot.is_none())? = Some(val);
        }
        Some(all)
    }

    /// The truth table for another order of operands.
    fn table_of(self, operands: &[Option<Val>; 3]) -> u8 {
        let place = |val: Option<Val>| operands.iter().position(|own| val.is_some() && *own == val);
        let places = self.operands.map(place);
        (0..8).fold(0, |table, bits: usize| {
            let own = places.iter().enumerate().filter_map(|(n, place)| Some((bits >> (*place)? & 1) << n));
            table | (self.table >> own.sum::<usize>() & 1) << bits
        })
    }

    /// The complement.
    pub(crate) const fn not(self) -> Self {
        Self { table: !self.table, operations: self.operations + 1, ..self }
    }

    /// Combines two functions by an operation. `None` if the result has more than three operands, or if the
    /// operation is not `&`, `|` or `^`.
    pub(crate) fn with(self, kind: MapKind, other: Self) -> Option<Self> {
        let operands = self.operands_of(other)?;
        let (a, b) = (self.table_of(&operands), other.table_of(&operands));
        let table = match kind {
            MapKind::And => a & b,
            MapKind::Or => a | b,
            MapKind::Xor => a ^ b,
            _ => return None,
        };
        Some(Self { operands, table, operations: self.operations + other.operations + 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::types::Ty;

    #[test]
    fn tables_are_those_of_the_operands() {
        let vals = [1, 2, 3, 4].map(|id| Val { id, ty: Ty::I32.times(8) });
        let [x, y, z, more] = vals.map(|val| Boolean::of(ElemType::U32, (val, None)));
        let and = |a: Boolean, b: Boolean| a.with(MapKind::And, b).unwrap();
        let xor = |a: Boolean, b: Boolean| a.with(MapKind::Xor, b).unwrap();

        let found = xor(and(x, y), z);
        assert_eq!((found.table, found.operations), ((0xaa & 0xcc) ^ 0xf0, 2));
        // Operands are in the order of their first use.
        let found = and(z.not(), and(z, xor(x, y)));
        assert_eq!(found.operands.map(|val| val.map(|val| val.id)), [Some(3), Some(1), Some(2)]);
        assert_eq!(found.table, 0);
        let found = and(xor(x, y), xor(y, z));
        assert_eq!(found.table, (0xaa ^ 0xcc) & (0xcc ^ 0xf0));
        assert!(found.with(MapKind::Or, more).is_none(), "four operands");
        assert!(x.with(MapKind::Add, y).is_none());
    }

    #[test]
    fn numbers_of_equal_bits_are_no_operands() {
        let val = Val { id: 1, ty: Ty::I16.times(8) };
        let x = Boolean::of(ElemType::I16, (val, None));
        let ones = Boolean::of(ElemType::I16, (Val { id: 2, ..val }, Some(0xffff)));
        let zeros = Boolean::of(ElemType::I16, (Val { id: 3, ..val }, Some(0)));
        assert_eq!(x.with(MapKind::Xor, ones).unwrap().table, 0x55);
        assert_eq!(x.with(MapKind::Or, zeros).unwrap().table, 0xaa);
        assert_eq!(x.with(MapKind::Or, zeros).unwrap().operands, [Some(val), None, None]);
    }
}
