//! The meaning of operators on the CPU against that of the interpreter, which was written apart from it.

use proptest::prelude::*;

use cm_compiler::interpret::element::{self, convert, is_true, map, saturate};

use crate::elem::{Dword, Elem, ElemType, Int, Numeric, Single, f16};
use crate::ops::{self, BinaryOp, GroupOp, MapKind, TernaryOp, UnaryOp};

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

/// The same bits, or near enough to the exact result.
fn right<T: Elem>(kind: MapKind, a: T, b: u64) -> bool {
    same(a, b) || element::allowed(kind.accuracy(), T::TYPE, bits(a), b)
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

fn check_unary<O: UnaryOp<T>, T: Elem>([a, ..]: [u64; 3]) -> Result<(), TestCaseError> {
    let a = a & element::mask(T::TYPE);
    let x: T = of_bits(a);
    let result = map(O::KIND, T::TYPE, [a, 0, 0]);
    // What is promised of angles that are not too large.
    let large = [100_000f32, -100_000.0].map(T::cast_from);
    if matches!(O::KIND, MapKind::Sin | MapKind::Cos) && (x > large[0] || x < large[1]) {
        return Ok(());
    }
    prop_assert!(right(O::KIND, O::apply(x), result), "{:?} of {}: {:#x}", O::KIND, x, result);
    Ok(())
}

fn check_binary<O: BinaryOp<T>, T: Elem>([a, b, _]: [u64; 3]) -> Result<(), TestCaseError> {
    for b in [a, b] {
        let (a, b) = (a & element::mask(T::TYPE), b & element::mask(T::TYPE));
        let (x, y): (T, T) = (of_bits(a), of_bits(b));
        let result = map(O::KIND, T::TYPE, [a, b, 0]);
        prop_assert!(
            right(O::KIND, O::apply(x, y), result),
            "{:?} of {} and {}: {:#x}",
            O::KIND,
            x,
            y,
            result
        );
    }
    Ok(())
}

fn check_ternary<O: TernaryOp<F, T>, F: Elem, T: Elem>(bits: [u64; 3]) -> Result<(), TestCaseError> {
    let (a, [b, c]) =
        (bits[0] & element::mask(F::TYPE), [bits[1], bits[2]].map(|x| x & element::mask(T::TYPE)));
    let (x, y, z): (F, T, T) = (of_bits(a), of_bits(b), of_bits(c));
    let result = map(O::KIND, T::TYPE, [a, b, c]);
    prop_assert!(same(O::apply(x, y, z), result), "{:?} of {}, {}, {}: {:#x}", O::KIND, x, y, z, result);
    Ok(())
}

/// Every row of the table, on the elements of its domain.
macro_rules! rows {
    (
        unary { $($(#[$doc1:meta])* $k1:ident $t1:literal ($a1:ident: $d1:ident) -> $r1:ident, $c1:ident, [$($e1:tt)*], $m1:expr;)* }
        binary { $($(#[$doc2:meta])* $k2:ident $t2:literal ($a2:ident, $b2:ident: $d2:ident) -> $r2:ident, $c2:ident, [$($e2:tt)*], $m2:expr;)* }
        ternary { $($(#[$doc3:meta])* $k3:ident $t3:literal ($a3:ident, $b3:ident, $e3:ident: $d3:ident) -> $r3:ident, $c3:ident, [$($x3:tt)*], $m3:expr;)* }
    ) => {
        fn check_elem<T: Numeric>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(rows!(@Elem $d1 check_unary::<ops::$k1, T>(bits)?);)*
            $(rows!(@Elem $d2 check_binary::<ops::$k2, T>(bits)?);)*
            $(rows!(@Elem $d3 rows!(@ternary $a3 $k3 bits));)*
            check_conversions::<T>(bits[0])
        }

        fn check_int<T: Int>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(rows!(@Int $d1 check_unary::<ops::$k1, T>(bits)?);)*
            $(rows!(@Int $d2 check_binary::<ops::$k2, T>(bits)?);)*
            $(rows!(@Int $d3 rows!(@ternary $a3 $k3 bits));)*
            check_int_groups::<T>(bits)?;
            check_elem::<T>(bits)
        }

        fn check_dword<T: Dword>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(rows!(@Dword $d1 check_unary::<ops::$k1, T>(bits)?);)*
            $(rows!(@Dword $d2 check_binary::<ops::$k2, T>(bits)?);)*
            $(rows!(@Dword $d3 rows!(@ternary $a3 $k3 bits));)*
            check_int::<T>(bits)
        }

        fn check_single<T: Single>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(rows!(@Single $d1 check_unary::<ops::$k1, T>(bits)?);)*
            $(rows!(@Single $d2 check_binary::<ops::$k2, T>(bits)?);)*
            check_elem::<T>(bits)
        }
    };
    (@Elem Elem $check:expr) => { $check };
    (@Elem Numeric $check:expr) => { $check };
    (@Int Int $check:expr) => { $check };
    (@Single Single $check:expr) => { $check };
    (@Dword Dword $check:expr) => { $check };
    (@$of:ident $domain:ident $check:expr) => { };
    (@ternary mask $kind:ident $bits:ident) => {{
        check_ternary::<ops::$kind, u8, T>($bits)?;
        check_ternary::<ops::$kind, i32, T>($bits)?
    }};
    (@ternary $first:ident $kind:ident $bits:ident) => { check_ternary::<ops::$kind, T, T>($bits)? };
}

cm_compiler::map_operations!(rows);

/// Every row of the table of operations on groups, on the elements of its domain.
macro_rules! group_rows {
    (
        binary { $($(#[$doc:meta])* $kind:ident $name:literal $width:literal
            ($a:ident, $b:ident: $domain:ident) -> $outcome:ident, $class:ident, [$($accuracy:tt)*], $meaning:expr;)* }
    ) => {
        fn check_elem_groups<T: Numeric>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(group_rows!(@Elem $domain check_group::<ops::$kind, T, $width>(bits)?);)*
            Ok(())
        }

        fn check_int_groups<T: Int>(bits: [u64; 3]) -> Result<(), TestCaseError> {
            $(group_rows!(@Int $domain check_group::<ops::$kind, T, $width>(bits)?);)*
            check_elem_groups::<T>(bits)
        }
    };
    (@Elem Elem $check:expr) => { $check };
    (@Elem Numeric $check:expr) => { $check };
    (@Int Int $check:expr) => { $check };
    (@Elem Int $check:expr) => { };
    (@Int Numeric $check:expr) => { };
    (@Int Elem $check:expr) => { };
}

cm_compiler::group_operations!(group_rows);

/// Groups of these numbers in turn, which the second operand takes in another order.
fn check_group<O: GroupOp<T, W>, T: Elem, const W: usize>(bits: [u64; 3]) -> Result<(), TestCaseError> {
    let bits = bits.map(|x| x & element::mask(T::TYPE));
    for first in 0..3 {
        let a: [u64; W] = std::array::from_fn(|k| bits[k % 3]);
        let b: [u64; W] = std::array::from_fn(|k| bits[(k + k / 3 + first) % 3]);
        let result = element::group(O::KIND, T::TYPE, &a, &b);
        let (x, y): ([T; W], [T; W]) = (a.map(of_bits), b.map(of_bits));
        prop_assert!(same(O::apply(x, y), result), "{:?} of {:?} and {:?}: {:#x}", O::KIND, x, y, result);
    }
    Ok(())
}

fn check_conversions<T: Elem>(a: u64) -> Result<(), TestCaseError> {
    let a = a & element::mask(T::TYPE);
    prop_assert_eq!(of_bits::<T>(a) != T::default(), is_true(T::TYPE, a));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn elements_agree_with_those_of_the_cpu(
        a in interesting(),
        b in interesting(),
        c in interesting(),
    ) {
        let bits = [a, b, c];
        check_int::<u8>(bits)?;
        check_int::<i8>(bits)?;
        check_int::<u16>(bits)?;
        check_int::<i16>(bits)?;
        check_dword::<u32>(bits)?;
        check_dword::<i32>(bits)?;
        check_int::<u64>(bits)?;
        check_int::<i64>(bits)?;
        check_single::<f16>(bits)?;
        check_single::<f32>(bits)?;
        check_elem::<f64>(bits)?;
        check_elem_groups::<f16>(bits)?;
        check_elem_groups::<f32>(bits)?;
        check_elem_groups::<f64>(bits)?;
    }
}

#[test]
fn the_edges() {
    let min = i32::MIN as u32 as u64;
    let minus_one = u64::from(u32::MAX);
    assert_eq!(map(MapKind::Div, ElemType::I32, [5, 0, 0]), minus_one);
    assert_eq!(map(MapKind::Div, ElemType::U8, [5, 0, 0]), 255);
    assert_eq!(map(MapKind::Div, ElemType::I32, [min, minus_one, 0]), min);
    assert_eq!(map(MapKind::Rem, ElemType::I32, [min, minus_one, 0]), 0);
    assert_eq!(map(MapKind::Rem, ElemType::I32, [7, 0, 0]), 7);
    assert_eq!(map(MapKind::Shl, ElemType::U32, [1, 33, 0]), 2);
    assert_eq!(map(MapKind::Shr, ElemType::I32, [min, 31, 0]), minus_one);
    assert_eq!(map(MapKind::Mul, ElemType::U64, [u64::MAX, u64::MAX, 0]), 1);
    let nan = f32::NAN.to_bits().into();
    assert_eq!(map(MapKind::Lt, ElemType::F32, [nan, nan, 0]), 0);
    assert_eq!(map(MapKind::Ne, ElemType::F32, [nan, nan, 0]), 1);
    assert_eq!(convert(ElemType::F32, ElemType::I32, nan), 0);
    assert_eq!(saturate(ElemType::F32, ElemType::F32, nan), 0);
    assert_eq!(saturate(ElemType::I32, ElemType::U8, minus_one), 0);
    assert_eq!(map(MapKind::Neg, ElemType::F16, [0, 0, 0]), 0x8000);
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
