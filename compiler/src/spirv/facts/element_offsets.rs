//! Finds element numbers that are offsets in bytes, shifted right.

use rustc_hash::{FxHashMap, FxHashSet};

use super::known_zeros::KnownZeros;
use crate::elem::ElemType;
use crate::ir::{Bits, Function, Op, Value};
use crate::ops::MapKind;

/// The offsets of elements whose numbers they are multiples of, and the binary logarithms of the sizes of the elements, by the
/// numbers. Messages take the offset, so nothing is shifted right and left again.
pub(crate) fn offsets(function: &Function, zeros: &KnownZeros) -> FxHashMap<Value, (Value, u32)> {
    let (mut places, mut dwords) = (FxHashMap::default(), FxHashSet::default());
    let mut found = FxHashMap::default();
    for inst in function.body.instructions() {
        let Some(result) = inst.result else { continue };
        match &inst.op {
            Op::Constant(Bits::Splat(bits)) => {
                places.insert(result, *bits as u32);
            }
            Op::Map { kind: MapKind::Shr, common: ElemType::U32, saturate: false, operands } => {
                let [offset, shift] = operands[..] else { continue };
                let places = places.get(&shift).filter(|places| {
                    dwords.contains(&offset) && **places < u32::BITS && zeros.low_zeros(offset) >= **places
                });
                found.extend(places.map(|places| (result, (offset, *places))));
            }
            _ => {}
        }
        if matches!(inst.ty.elem(), Some(ElemType::U32 | ElemType::I32)) {
            dwords.insert(result);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::alike::kernel;

    #[test]
    fn only_multiples_of_the_size_are_offsets() {
        let found = |factor: u32, places: u32| {
            let function = kernel(&format!(
                "%0: i32 = constant 8; %1: u32<1x8> = read #0 %0, %0; %2: u32<1x8> = constant {factor};
                 %3: u32<1x8> = mul.u32 %1, %2; %4: u32<1x8> = constant {places}; %5: u32<1x8> = shr.u32 %3, %4;
                 write #1 %0, %0, %5: u32<1x8>;\n"
            ));
            offsets(&function, &KnownZeros::of(&function)).get(&Value(5)).copied()
        };
        assert_eq!(found(12, 2), Some((Value(3), 2)));
        assert_eq!(found(8, 3), Some((Value(3), 3)));
        assert_eq!((found(6, 2), found(12, 3)), (None, None));
    }
}
