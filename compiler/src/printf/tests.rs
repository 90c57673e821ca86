//! Placeholders compared with Rust's own formatting.

use super::*;
use crate::elem::ElemType;

fn rendered(text: &str, elem: ElemType, bits: u64) -> String {
    let template: Template = text.parse().unwrap();
    assert_eq!(template.to_string().parse(), Ok(template.clone()), "{text}");
    template.render(&[Printed { elem, columns: 1, bits: vec![bits] }])
}

macro_rules! as_rust {
    ([$($spec:literal)*] $elem:ident $values:expr, $bits:expr) => {
        for x in $values {
            $(assert_eq!(rendered($spec, ElemType::$elem, $bits(x)), format!($spec, x), "{} of {x:?}", $spec);)*
        }
    };
}

macro_rules! integers_as_rust {
    ($($elem:ident $t:ty as $u:ty),*) => {$(
        as_rust!([
            "{}" "{:?}" "{:5}" "{:<6}|" "{:^7}|" "{:*>8}" "{:}>8}" "{:{>8}" "{:+}" "{:+6}" "{:06}" "{:+06}" "{:.3}" "{:#}"
            "{:x}" "{:#x}" "{:#06x}" "{:02X}" "{:#X}" "{:b}" "{:#b}" "{:012b}" "{:o}" "{:#o}" "{:+#08x}"
            "{:x?}" "{:X?}" "{:#x?}" "{:02x?}" "{:e}" "{:E}" "{:.2e}" "{:12.1e}"
        ] $elem [<$t>::MIN, <$t>::MAX, 0, 1, 99, (<$t>::MAX / 3)], |x: $t| x as $u as u64);
    )*};
}

macro_rules! floats_as_rust {
    ($($elem:ident $t:ty),*) => {$(
        as_rust!([
            "{}" "{:?}" "{:9}" "{:<9}|" "{:^9}|" "{:_^9.1}" "{:+}" "{:+.2}" "{:09}" "{:+09.3}" "{:.0}" "{:.4?}" "{:x?}"
            "{:e}" "{:E}" "{:.2e}" "{:12.1E}" "{:#?}" "{:012e}"
        ] $elem
            [0.0, -0.0, 1.0, -1.5, 0.1, 1e-9, 123_456.79, 1e20, <$t>::MAX, <$t>::MIN_POSITIVE, <$t>::INFINITY,
             <$t>::NEG_INFINITY, <$t>::NAN],
            |x: $t| x.to_bits().into());
    )*};
}

#[test]
fn numbers_are_written_as_rust_writes_them() {
    integers_as_rust!(U8 u8 as u8, I8 i8 as u8, U16 u16 as u16, I16 i16 as u16, U32 u32 as u32, I32 i32 as u32);
    integers_as_rust!(U64 u64 as u64, I64 i64 as u64);
    floats_as_rust!(F32 f32, F64 f64);
    assert_eq!(rendered("{} {{}}", ElemType::F16, half::f16::from_f32(0.5).to_bits().into()), "0.5 {}");
}

#[test]
fn registers_are_written_as_arrays() {
    let value = Printed { elem: ElemType::U8, columns: 3, bits: vec![1, 2, 30, 4, 5, 6] };
    let render = |text: &str| text.parse::<Template>().unwrap().render(std::slice::from_ref(&value));
    assert_eq!(render("{row:?}"), format!("{:?}", [1, 2, 30, 4, 5, 6]));
    assert_eq!(render("{rows:02x?}"), format!("{:02x?}", [[1, 2, 30], [4, 5, 6]]));
    assert_eq!(render("{rows:#3?}"), "[\n    [  1,   2,  30],\n    [  4,   5,   6],\n]");
    assert_eq!(render("a line\n"), "a line");
    assert_eq!(render("two\n\n"), "two\n");
}

#[test]
fn what_is_no_hole_is_refused() {
    for text in ["{", "}", "{x}", "{0}", "{:q}", "{:1$}", "{:.}", "{:99999}", "{row", "{:*}", "{:?x}"] {
        assert!(text.parse::<Template>().is_err(), "{text}");
    }
    let error = "a {b} c".parse::<Template>().unwrap_err();
    assert!(error.to_string().starts_with("`{b} c` is not a hole"), "{error}");
}
