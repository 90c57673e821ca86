//! Registers in which a part is replaced, and elements that numbers select.

use crate::ir::{Inst, Region, Type, Value};
use crate::limits;

use super::lowering::{Lowering, Result};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

impl Lowering<'_> {
    /// The register with another part.
    pub(crate) fn inserted(&mut self, inst: &Inst, x: Value, region: &Region, part: Value) -> Result<Val> {
        let hazard = self.hazards.value(part);
        let folded = self.hazards.value(x).folded;
        // Beside floats, the compiler computes such constants as sums of floats, which are rounded.
        let loaded = self.undefined.contains(&x)
            && self.constants.contains_key(&part)
            && self.def(part)?.ty.elem().is_some_and(|elem| elem.bytes() < limits::DWORD);
        let (x, mut value) = (self.val(x)?, self.val(part)?);
        let (shape, dynamic) = self.fixed_region(region, x.ty.count, value.ty.count)?;
        let anywhere = dynamic.is_some() || !shape.is_of_dwords(value.ty);
        // The compiler turns such constants into dwords. Where it scatters their bytes, it renames
        // only one of two uses.
        let scattered = hazard.folded
            && self.def(part)?.known.is_none()
            && shape.column_stride > 1
            && value.ty.elem_bytes() < limits::DWORD;
        if hazard.constant && value.ty.count > 1 && (anywhere || scattered || loaded) {
            value = self.builder.own(value, hazard);
        } else if self.moved_bytes.contains(part, Some(region))
            || self.unaligned_floats.placed(part)
            || inst.result.is_some_and(|result| self.kept_parts.contains(&result))
            || dynamic.is_none()
                && (self.overruns(value, shape)
                    || folded && self.is_copied_whole(value, shape)
                    || self.starts_inside_of_dwords(value, shape))
        {
            value = self.builder.apart(value);
        }
        let known = self.def(part)?.known.filter(|_| is_long(inst.ty) && x.ty.count > 1);
        if known.is_some_and(|bits| !is_dword(bits)) {
            // Of several of them the optimiser makes one constant, see `is_misloaded`.
            value = self.builder.hidden(value);
        }
        // The compiler merges the two regions into one that leaves the rows of the outer region.
        if folded && self.builder.placed.contains(&value.id) && !shape.is_contiguous(value.ty.count) {
            value = self.builder.apart(value);
        }
        // Of a constant that is split, the compiler loses elements that the inserted ones are between.
        let x = if folded && self.builder.odd_shapes && dynamic.is_none() && x.ty.count > 32 {
            self.builder.hidden(x)
        } else {
            x
        };
        let x = match inst.result {
            Some(result) if self.overwritten.extended(result) => self.builder.apart_from_longer(x),
            _ => x,
        };
        if inst.result.is_some_and(|result| self.large_objects.moved(result)) && value.ty.count > 1 {
            value = self.builder.moved_rows(value);
        }
        let again = inst.result.is_some_and(|result| self.overwritten.part(result));
        let whole = match dynamic {
            None if again => self.builder.insert_by_rows(x, shape, value),
            _ => self.builder.insert(x, shape, value, dynamic),
        };
        if folded {
            self.builder.placed.insert(whole.id);
        }
        if [x, value].iter().any(|x| self.builder.extended.contains(&x.id)) {
            self.builder.extended.insert(whole.id);
        }
        if x.ty.count > 1 {
            let origin = self.builder.origin(x);
            self.builder.origins.insert(whole.id, origin);
        }
        Ok(whole)
    }

    /// The elements with these numbers. A number beyond the end is that of the last element.
    pub(crate) fn selected_by_number(&mut self, x: Value, index: Value, ty: Ty) -> Result<Val> {
        let x = self.val(x)?;
        let last = x.ty.count as u64 - 1;
        let constants = self.constants.get(&index).copied();
        let loses_flags = |places: &&[u64]| {
            let places = places.iter().map(|place| (*place).min(last) as usize);
            self.builder.loses_flags(x, places)
        };
        Ok(match (constants.filter(|places| !loses_flags(places)), self.def(index)?.known) {
            (Some(places), _) if x.ty.count > 1 => {
                let place = |k: usize| places[k].min(last) as usize;
                let all: Vec<usize> = (0..ty.count).map(place).collect();
                match self.builder.picked_words(x, &all) {
                    Some(words) => words,
                    None => {
                        // If the two halves of a number are picked in reverse order, the compiler makes
                        // a region that starts with the first half.
                        let turned = x.ty.count == 2 && ty.count > 2 && place(0) == 1;
                        let x = if turned { self.builder.apart(x) } else { x };
                        if x.ty.bits() == 64 {
                            self.builder.shuffled_longs(x, ty.count, place)
                        } else {
                            self.builder.shuffle(x, ty.count, place)
                        }
                    }
                }
            }
            (_, Some(place)) => {
                let one = self.builder.element(x, place.min(last) as usize);
                self.builder.splat(one, ty.count)
            }
            _ => {
                let hazard = self.hazards.value(index);
                let inside = self.selects_up_to(index, last as usize);
                let index = self.val(index)?;
                let index = match constants {
                    Some(_) if x.ty.count > 1 => self.builder.hidden(index),
                    _ => self.builder.unsigned(index, hazard),
                };
                self.builder.pick(x, index, inside)
            }
        })
    }

    /// Whether a message would overwrite what follows its result in the register that the result is inserted
    /// in. The compiler lets messages write to that register directly, even if they end in the middle of a
    /// hardware register, unless it is the first one.
    fn overruns(&self, value: Val, shape: FixedRegion) -> bool {
        let (bytes, register) = (value.ty.bytes(), self.form.register_bytes());
        self.builder.read.contains(&value.id)
            && shape.is_contiguous(value.ty.count)
            && bytes > register
            && !bytes.is_multiple_of(register)
    }

    /// Whether words may be copied as dwords, as bytes of odd lengths are, and are inserted where no dword starts. For
    /// registers of 64 bytes the compiler lets the last copy write to that place, as if a dword started there.
    fn starts_inside_of_dwords(&self, value: Val, shape: FixedRegion) -> bool {
        self.builder.long_registers
            && self.builder.odd_shapes
            && value.ty.elem_bytes() == 2
            && value.ty.count > 1
            && shape.column_stride == 1
            && !shape.is_of_dwords(value.ty)
    }

    /// Whether a message reads 64-bit elements that the compiler copies without splitting the copy, where it knows the
    /// others: it takes them for the result of the message itself.
    fn is_copied_whole(&self, value: Val, shape: FixedRegion) -> bool {
        self.builder.read.contains(&value.id) && value.ty.bits() == 64 && shape.is_contiguous(value.ty.count)
    }

    /// Whether the compiler may store a constant as dwords and sign-extend them. It does so with floats whose bits are used.
    pub(crate) fn is_misloaded(ty: Type, each: &[u64]) -> bool {
        ty.elem().is_some_and(|elem| elem.bytes() == 8)
            && each.len() > 1
            && !each.iter().all(|bits| is_dword(*bits))
    }
}

/// Whether these are the bits of a number that a dword holds.
fn is_dword(bits: u64) -> bool {
    i32::try_from(bits as i64).is_ok()
}

/// Whether this is a type of 64-bit integers.
fn is_long(ty: Type) -> bool {
    ty.elem().is_some_and(|elem| elem.bytes() == 8 && !elem.is_float())
}

#[cfg(test)]
mod tests {
    use crate::spirv::alike::{count, kernel};
    use crate::spirv::binary::Op;
    use crate::spirv::{Target, lower};

    #[test]
    fn constants_of_64_bits_that_no_dwords_hold_are_hidden() {
        // Zeros that the compiler does not know are products.
        let products = |constant: &str, elem: &str| {
            let function = kernel(&format!(
                "%0: i32 = constant 0; %1: {elem}<1x2> = constant {constant}; write #1 %0, %0, %1: {elem}<1x2>;\n"
            ));
            count(&lower(&function, Target::Gen9).unwrap(), Op::IMul)
        };
        assert_eq!(products("[1.0, 2.0]", "f64"), 1);
        assert_eq!(products("[1, 4294967296]", "i64"), 1);
        assert_eq!(products("[1, 2147483648]", "u64"), 1, "the dword would be negative");
        assert_eq!(products("[1, -2147483648]", "i64"), 0);
        assert_eq!(products("[0.0, 5e-324]", "f64"), 0);
        assert_eq!(products("[1.0, 2.0]", "f32"), 0);
        assert_eq!(products("1.0", "f64"), 0);
    }

    /// `pick` would read beyond the register if an element that nothing has set were thought to be inside.
    #[test]
    fn numbers_of_elements_that_nothing_has_set_are_limited() {
        let limits = |set: &str| {
            let function = kernel(&format!(
                "%0: i32 = constant 3; %1: u32<1x16> = read #0 %0, %0; %2: u32 = constant 7; %3: u32<1x16> = splat %2;
                 %4: u32<1x16> = and.u32 %1, %3; var $0: u32<1x16>; %5: u32<1x16> = load $0; {set}
                 %8: u32<1x16> = iselect %1, %7; write #1 %0, %0, %8: u32<1x16>;\n"
            ));
            count(&lower(&function, Target::Gen9).unwrap(), Op::UGreaterThan)
        };
        assert_eq!(limits("%7: u32<1x16> = insert %5[0| 16, 16, 1], %4;"), 0);
        let half = "%6: u32<1x8> = region %4[0| 8, 8, 1]; %7: u32<1x16> = insert %5[0| 8, 8, 1], %6;";
        assert_eq!(limits(half), 1);
        let any = "%7: u32<1x16> = insert %5[0| 16, 16, 1], %1;";
        assert_eq!(limits(any), 1, "any dwords");
    }

    #[test]
    fn parts_that_keep_their_places_are_copies() {
        // A copy is ORed with zeros that the compiler does not know.
        let copies = |place: &str| {
            let function = kernel(&format!(
                "%0: i32 = constant 3; %1: u8<4x32> = read #0 %0, %0; %2: u32<1x32> = format %1; var $0: u32<1x32>;
                 %3: u32<1x32> = load $0; %4: u32<1x4> = region %2[0| 4, 4, 1]; %5: u32<1x32> = insert %3[{place}], %4;
                 %6: u32<1x32> = add.u32 %2, %2; %7: u32<1x32> = add.u32 %5, %6; %8: u8<4x32> = format %7;
                 write #1 %0, %0, %8: u8<4x32>;\n"
            ));
            count(&lower(&function, Target::Gen9).unwrap(), Op::BitwiseOr)
        };
        assert_eq!(copies("0| 4, 4, 1"), 1);
        assert_eq!(copies("4| 4, 4, 1"), 0, "at another place");
    }
}
