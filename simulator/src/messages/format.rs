//! Surface formats: the layout of the numbers of a texel in memory, and their form in registers.

use crate::isa::{Rounding, half_from_f64, half_to_f32};

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned,
    Signed,
    /// From 0 to 1.
    Normalised,
    /// From -1 to 1.
    SignedNormalised,
    Float,
}

/// The order of components in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Rgba,
    Bgra,
    /// Only the fourth component exists.
    Alpha,
}

/// A format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    number: u32,
    components: u32,
    bits: u32,
    pub(crate) kind: Kind,
    order: Order,
}

const fn format(number: u32, components: u32, bits: u32, kind: Kind) -> Format {
    Format { number, components, bits, kind, order: Order::Rgba }
}

/// `SURFACE_FORMAT` of volume 2d.
static FORMATS: [Format; 37] = [
    format(0x000, 4, 32, Kind::Float),
    format(0x001, 4, 32, Kind::Signed),
    format(0x002, 4, 32, Kind::Unsigned),
    format(0x080, 4, 16, Kind::Normalised),
    format(0x081, 4, 16, Kind::SignedNormalised),
    format(0x082, 4, 16, Kind::Signed),
    format(0x083, 4, 16, Kind::Unsigned),
    format(0x084, 4, 16, Kind::Float),
    format(0x085, 2, 32, Kind::Float),
    format(0x086, 2, 32, Kind::Signed),
    format(0x087, 2, 32, Kind::Unsigned),
    Format { order: Order::Bgra, ..format(0x0c0, 4, 8, Kind::Normalised) },
    format(0x0c7, 4, 8, Kind::Normalised),
    format(0x0c9, 4, 8, Kind::SignedNormalised),
    format(0x0ca, 4, 8, Kind::Signed),
    format(0x0cb, 4, 8, Kind::Unsigned),
    format(0x0cc, 2, 16, Kind::Normalised),
    format(0x0cd, 2, 16, Kind::SignedNormalised),
    format(0x0ce, 2, 16, Kind::Signed),
    format(0x0cf, 2, 16, Kind::Unsigned),
    format(0x0d0, 2, 16, Kind::Float),
    format(0x0d6, 1, 32, Kind::Signed),
    format(0x0d7, 1, 32, Kind::Unsigned),
    format(0x0d8, 1, 32, Kind::Float),
    format(0x106, 2, 8, Kind::Normalised),
    format(0x107, 2, 8, Kind::SignedNormalised),
    format(0x108, 2, 8, Kind::Signed),
    format(0x109, 2, 8, Kind::Unsigned),
    format(0x10a, 1, 16, Kind::Normalised),
    format(0x10b, 1, 16, Kind::SignedNormalised),
    format(0x10c, 1, 16, Kind::Signed),
    format(0x10d, 1, 16, Kind::Unsigned),
    format(0x10e, 1, 16, Kind::Float),
    format(0x140, 1, 8, Kind::Normalised),
    format(0x141, 1, 8, Kind::SignedNormalised),
    format(0x142, 1, 8, Kind::Signed),
    format(0x143, 1, 8, Kind::Unsigned),
];

/// `A8_UNORM`.
static ALPHA: Format = Format { order: Order::Alpha, ..format(0x144, 1, 8, Kind::Normalised) };

impl Format {
    pub(crate) fn of(number: u32) -> Option<&'static Self> {
        FORMATS.iter().chain([&ALPHA]).find(|format| format.number == number)
    }

    /// Bytes of a texel.
    pub(crate) fn bytes(&self) -> u32 {
        self.components * self.bits / 8
    }

    /// Whether registers contain integers.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Unsigned | Kind::Signed)
    }

    /// The bytes of a component in a texel; `None` if memory does not have it.
    fn range(&self, component: usize) -> Option<std::ops::Range<usize>> {
        let size = self.bits as usize / 8;
        let place = match self.order {
            Order::Bgra if component < 3 => 2 - component,
            Order::Rgba | Order::Bgra => component,
            Order::Alpha => component.checked_sub(3)?,
        };
        (place < self.components as usize).then(|| place * size..(place + 1) * size)
    }

    /// The value of a component that memory does not have.
    fn missing(&self, component: usize) -> u32 {
        match (component, self.is_integer()) {
            (3, true) => 1,
            (3, false) => 1_f32.to_bits(),
            _ => 0,
        }
    }

    /// A component of a texel, in the form for registers.
    pub(crate) fn load(&self, texel: &[u8], component: usize) -> u32 {
        let Some(bytes) = self.range(component).and_then(|range| texel.get(range)) else {
            return self.missing(component);
        };
        let mut all = [0; 4];
        all[..bytes.len()].copy_from_slice(bytes);
        let raw = u32::from_le_bytes(all);
        let signed = (raw << (32 - self.bits)).cast_signed() >> (32 - self.bits);
        let ones = |bits: u32| ((1_u64 << bits) - 1) as f32;
        match self.kind {
            Kind::Unsigned => raw,
            Kind::Signed => signed.cast_unsigned(),
            Kind::Normalised => (raw as f32 / ones(self.bits)).to_bits(),
            Kind::SignedNormalised => (signed as f32 / ones(self.bits - 1)).max(-1.0).to_bits(),
            Kind::Float if self.bits == 32 => raw,
            Kind::Float => half_to_f32(raw as u16).to_bits(),
        }
    }

    /// Writes a component, given in the form for registers, to a texel.
    pub(crate) fn store(&self, texel: &mut [u8], component: usize, value: u32) {
        let Some(bytes) = self.range(component).and_then(|range| texel.get_mut(range)) else { return };
        let float = f32::from_bits(value);
        let raw = match self.kind {
            _ if self.bits == 32 => value,
            Kind::Unsigned => value.min((1 << self.bits) - 1),
            Kind::Signed => {
                let most = (1 << (self.bits - 1)) - 1;
                value.cast_signed().clamp(-most - 1, most).cast_unsigned()
            }
            Kind::Float => half_from_f64(float.into(), Rounding::Nearest).into(),
            Kind::Normalised => {
                let limited = if float > 0.0 { float.min(1.0) } else { 0.0 };
                (f64::from(limited) * f64::from((1_u32 << self.bits) - 1)).round_ties_even() as u32
            }
            Kind::SignedNormalised => {
                let limited = if float.is_nan() { 0.0 } else { float.clamp(-1.0, 1.0) };
                let scaled = f64::from(limited) * f64::from((1_u32 << (self.bits - 1)) - 1);
                (scaled.round_ties_even() as i32).cast_unsigned()
            }
        };
        let length = bytes.len();
        bytes.copy_from_slice(&raw.to_le_bytes()[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_survives_a_round_trip() {
        for format in &FORMATS {
            for raw in [0_u32, 1, 0x7f, 0x80, 0x81, 0xff, 0x3c00, 0x7fff, 0x8001, 0xffff, 0x3f80_0000] {
                let mut texel = [0; 16];
                let bytes = format.bits as usize / 8;
                for component in 0..format.components as usize {
                    texel[component * bytes..][..bytes].copy_from_slice(&raw.to_le_bytes()[..bytes]);
                }
                let is_number = format.kind != Kind::Float || !half_to_f32(raw as u16).is_nan();
                // The minimum of signed numbers is also -1.
                let lowest = format.kind == Kind::SignedNormalised && raw << (32 - format.bits) == 1 << 31;
                if !is_number || lowest {
                    continue;
                }
                let mut back = [0; 16];
                for component in 0..4 {
                    let value = format.load(&texel, component);
                    format.store(&mut back, component, value);
                }
                assert_eq!(back, texel, "{format:x?} of {raw:#x}");
            }
        }
    }

    #[test]
    fn components_that_are_not_there_are_those_of_opaque_black() {
        let red = Format::of(0x143).unwrap();
        assert_eq!([0, 1, 2, 3].map(|component| red.load(&[7], component)), [7, 0, 0, 1]);
        let alpha = Format::of(0x144).unwrap();
        assert_eq!([0, 3].map(|component| alpha.load(&[255], component)), [0, 1_f32.to_bits()]);
        let blue_first = Format::of(0x0c0).unwrap();
        assert_eq!(blue_first.load(&[255, 0, 0, 0], 2), 1_f32.to_bits());
    }
}
