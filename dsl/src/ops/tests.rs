//! The meaning of operators on the CPU against that of the interpreter, which was written apart from it.

use proptest::prelude::*;

use cm_compiler::interpret::element::{self, binary, convert, is_true, saturate, unary};

use crate::elem::{Elem, ElemType, Int, f16};
use crate::ops::{self, BinaryKind, BinaryOp, UnaryKind, UnaryOp};

fn bits<T: Elem>(x: T) -> u64 {
    let mut bytes = [0; 8];
    bytes[..T::TYPE.bytes()].copy_from_slice(bytemuck::bytes_of(&x));
    u64::from_le_bytes(bytes)
}

fn of_bits<T: Elem>(bits: u64) -> T {
    bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..T::TYPE.bytes()])
}

/// Any bits, and often those of numbers near the edges of all types.
fn interesting() -> impl Strategy<Value = u64> {
    let number = prop_oneof![
        (0u32..66, -2i32..3).prop_map(|(power, more)| 2f64.powi(power as i32) + f64::from(more)),
        (-30i32..20, 0u32..4096).prop_map(|(power, x)| 2f64.powi(power) * f64::from(x)),
        prop::sample::select(vec![
            0.0,
            0.5,
            0.1,
            1.0,
            255.5,
            65504.0,
            65519.9,
            65520.0,
            f64::INFINITY,
            f64::NAN
        ]),
        any::<f64>(),
    ];
    let number = (number, any::<bool>()).prop_map(|(x, negative)| if negative { -x } else { x });
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 0u32..64).prop_map(|(x, shift)| x >> shift),
        prop::sample::select(vec![
            0,
            1,
            u64::MAX,
            i64::MAX as u64,
            i64::MIN as u64,
            0x7f,
            0x80,
            0x7fff,
            0x8000
        ]),
        number.clone().prop_map(f64::to_bits),
        number.clone().prop_map(|x| (x as f32).to_bits().into()),
        number.clone().prop_map(|x| f16::from_f64(x).to_bits().into()),
        number.prop_map(|x| x as i64 as u64),
    ]
}

/// The same bits, or both NaN: Rust leaves open which.
fn same<T: Elem>(a: T, b: u64) -> bool {
    let b: T = of_bits(b);
    let nan = |x: &T| x.partial_cmp(x).is_none();
    bits(a) == bits(b) || nan(&a) && nan(&b)
}

fn check_convert<T: Elem, V: Elem>(x: u64) -> Result<(), TestCaseError> {
    let x = x & element::mask(T::TYPE);
    let source: T = of_bits(x);
    let (from, to) = (T::TYPE, V::TYPE);
    prop_assert!(same(V::cast_from(source), convert(from, to, x)), "{} as {}", source, to);
    prop_assert!(same(V::saturate_from(source), saturate(from, to, x)), "{} saturated to {}", source, to);
    Ok(())
}

fn check_binary<O: BinaryOp<T>, T: Elem>(a: u64, b: u64) -> Result<(), TestCaseError> {
    let (a, b) = (a & element::mask(T::TYPE), b & element::mask(T::TYPE));
    let (x, y): (T, T) = (of_bits(a), of_bits(b));
    let result = binary(O::KIND, T::TYPE, a, b);
    prop_assert!(same(O::apply(x, y), result), "{:?} of {} and {}: {:#x}", O::KIND, x, y, result);
    Ok(())
}

fn check_elem<T: Elem>(a: u64, b: u64) -> Result<(), TestCaseError> {
    check_binary::<ops::Add, T>(a, b)?;
    check_binary::<ops::Sub, T>(a, b)?;
    check_binary::<ops::Mul, T>(a, b)?;
    check_binary::<ops::Div, T>(a, b)?;
    check_binary::<ops::Lt, T>(a, b)?;
    check_binary::<ops::Le, T>(a, b)?;
    check_binary::<ops::Gt, T>(a, b)?;
    check_binary::<ops::Ge, T>(a, b)?;
    check_binary::<ops::Eq, T>(a, b)?;
    check_binary::<ops::Ne, T>(a, b)?;
    check_binary::<ops::Eq, T>(a, a)?;
    let a = a & element::mask(T::TYPE);
    let x: T = of_bits(a);
    prop_assert!(same(<ops::Neg as UnaryOp<T>>::apply(x), unary(UnaryKind::Neg, T::TYPE, a)), "-{}", x);
    prop_assert_eq!(x != T::default(), is_true(T::TYPE, a));
    check_convert::<T, u8>(a)?;
    check_convert::<T, i8>(a)?;
    check_convert::<T, u16>(a)?;
    check_convert::<T, i16>(a)?;
    check_convert::<T, u32>(a)?;
    check_convert::<T, i32>(a)?;
    check_convert::<T, u64>(a)?;
    check_convert::<T, i64>(a)?;
    check_convert::<T, f16>(a)?;
    check_convert::<T, f32>(a)?;
    check_convert::<T, f64>(a)
}

fn check_int<T: Int>(a: u64, b: u64) -> Result<(), TestCaseError> {
    check_elem::<T>(a, b)?;
    check_binary::<ops::Rem, T>(a, b)?;
    check_binary::<ops::And, T>(a, b)?;
    check_binary::<ops::Or, T>(a, b)?;
    check_binary::<ops::Xor, T>(a, b)?;
    check_binary::<ops::Shl, T>(a, b)?;
    check_binary::<ops::Shr, T>(a, b)?;
    check_binary::<ops::Min, T>(a, b)?;
    let a = a & element::mask(T::TYPE);
    let x: T = of_bits(a);
    prop_assert!(same(<ops::Not as UnaryOp<T>>::apply(x), unary(UnaryKind::Not, T::TYPE, a)), "!{}", x);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn elements_agree_with_those_of_the_cpu(a in interesting(), b in interesting()) {
        check_int::<u8>(a, b)?;
        check_int::<i8>(a, b)?;
        check_int::<u16>(a, b)?;
        check_int::<i16>(a, b)?;
        check_int::<u32>(a, b)?;
        check_int::<i32>(a, b)?;
        check_int::<u64>(a, b)?;
        check_int::<i64>(a, b)?;
        check_elem::<f16>(a, b)?;
        check_elem::<f32>(a, b)?;
        check_elem::<f64>(a, b)?;
    }
}

#[test]
fn the_edges() {
    let min = i32::MIN as u32 as u64;
    let minus_one = u64::from(u32::MAX);
    assert_eq!(binary(BinaryKind::Div, ElemType::I32, 5, 0), minus_one);
    assert_eq!(binary(BinaryKind::Div, ElemType::U8, 5, 0), 255);
    assert_eq!(binary(BinaryKind::Div, ElemType::I32, min, minus_one), min);
    assert_eq!(binary(BinaryKind::Rem, ElemType::I32, min, minus_one), 0);
    assert_eq!(binary(BinaryKind::Rem, ElemType::I32, 7, 0), 7);
    assert_eq!(binary(BinaryKind::Shl, ElemType::U32, 1, 33), 2);
    assert_eq!(binary(BinaryKind::Shr, ElemType::I32, min, 31), minus_one);
    assert_eq!(binary(BinaryKind::Mul, ElemType::U64, u64::MAX, u64::MAX), 1);
    let nan = f32::NAN.to_bits().into();
    assert_eq!(binary(BinaryKind::Lt, ElemType::F32, nan, nan), 0);
    assert_eq!(binary(BinaryKind::Ne, ElemType::F32, nan, nan), 1);
    assert_eq!(convert(ElemType::F32, ElemType::I32, nan), 0);
    assert_eq!(saturate(ElemType::F32, ElemType::F32, nan), 0);
    assert_eq!(saturate(ElemType::I32, ElemType::U8, minus_one), 0);
    assert_eq!(unary(UnaryKind::Neg, ElemType::F16, 0), 0x8000);
}

#[test]
fn halves_are_rounded_once() {
    // Just above the middle of two halves; as `f32` it is the middle.
    let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(convert(ElemType::F64, ElemType::F16, x.to_bits()), 0x3c01);
    // 2^24 + 1 as `f32`, and a number whose nearest `f64` would be rounded the other way.
    assert_eq!(convert(ElemType::U32, ElemType::F32, (1 << 24) + 1), 16_777_216f32.to_bits().into());
    let x = (1u64 << 62) + (1 << 38) + 1;
    assert_eq!(convert(ElemType::U64, ElemType::F32, x), (x as f32).to_bits().into());
}
