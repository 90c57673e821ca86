//! `f16` by arithmetic.

/// The value of a half; exact. NaN keeps its bits at the top and becomes quiet.
pub(super) fn to_f64(bits: u16) -> f64 {
    let mantissa = bits & 0x3ff;
    let magnitude = match bits >> 10 & 0x1f {
        0 => f64::from(mantissa) * 2f64.powi(-24),
        0x1f if mantissa == 0 => f64::INFINITY,
        0x1f => f64::from_bits(0x7ff8_0000_0000_0000 | u64::from(mantissa) << 42),
        exponent => f64::from(1024 + mantissa) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// The nearest half, ties to even.
pub(super) fn from_f64(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    let bits = if x.is_nan() {
        0x7e00 | (x.to_bits() >> 42 & 0x3ff) as u16
    } else if magnitude >= 65520.0 {
        // Halfway from the largest half, 65504, to 2^16: from here on rounding gives infinity.
        0x7c00
    } else {
        // Denormals share the exponent of the smallest normal number.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
        // In units of the last place this is exact; what rounds up to the next power of two carries into the
        // exponent.
        let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
        // The bias is 15; the hidden bit of a normal number, bit 10 of `units`, adds the one that is missing.
        ((exponent + 14) << 10) as u16 + units
    };
    sign | bits
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_half_is_a_number_and_back() {
        for bits in 0..=u16::MAX {
            let x = super::to_f64(bits);
            let expected = half::f16::from_bits(bits);
            assert!(x == expected.to_f64() || x.is_nan() && expected.is_nan(), "{bits:#x}");
            let quiet = if x.is_nan() { bits | 0x200 } else { bits };
            assert_eq!(super::from_f64(x), quiet, "{bits:#x}");
        }
    }
}
