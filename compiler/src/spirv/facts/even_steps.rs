//! Float constants whose elements are nearly evenly spaced. Intel's compiler makes the parts of a long
//! constant from the first part by adding one number to all elements, and ignores that the sums are rounded.

use crate::elem::ElemType;

use crate::simplify::number;

/// Whether the compiler may make a constant by additions that change some of its elements.
pub(crate) fn added(each: &[u64], elem: ElemType) -> bool {
    if !elem.is_float() {
        return false;
    }
    // Infinities and NaNs are never evenly spaced.
    let Some(all) = each.iter().map(|bits| number(*bits, elem)).collect::<Option<Vec<f64>>>() else {
        return each.len() > LEAST;
    };
    let largest = all.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    // The compiler takes differences of less than this for none, even those of denormals.
    let near = (largest * epsilon(elem) * 8.0).max(f32::EPSILON.into());
    let parts =
        std::iter::successors(Some(LEAST), |part| Some(part * 2)).take_while(|part| *part < all.len());
    parts.into_iter().any(|part| {
        let first = &all[..part];
        all[part..].chunks(part).any(|other| {
            let step = other[0] - first[0];
            let steps = || other.iter().zip(first).map(|(x, first)| (x - first - step).abs());
            steps().all(|off| off <= near) && steps().any(|off| off > 0.0)
        })
    })
}

/// Elements of the smallest part.
const LEAST: usize = 4;

/// The distance from 1 to the next float.
fn epsilon(elem: ElemType) -> f64 {
    match elem {
        ElemType::F16 => 2f64.powi(-10),
        ElemType::F32 => f32::EPSILON.into(),
        _ => f64::EPSILON,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(number: impl Fn(u8) -> f32) -> Vec<u64> {
        (0..16).map(|n| number(n).to_bits().into()).collect()
    }

    #[test]
    fn steps_that_are_rounded() {
        let is = |all: Vec<u64>| added(&all, ElemType::F32);
        assert!(is(floats(|n| f32::from(n) * 0.1)), "0.1, 0.2, ..");
        assert!(
            is(floats(|n| f32::from(n % 8) + f32::from(n / 8) * 1e-7)),
            "two parts that are nearly equal"
        );
        assert!(!is(floats(|n| f32::from(n) * 0.5)), "exact steps");
        assert!(!is(floats(|n| f32::from(n) * f32::from(n))), "no steps");
        let denormal: Vec<u64> = (0..24).map(|n| u64::from(n == 0)).collect();
        assert!(added(&denormal, ElemType::F16), "a denormal and zeros");
        assert!(!added(&[0x3f80_0001, 3, 5, 7, 9], ElemType::U32), "integers wrap");
    }
}
