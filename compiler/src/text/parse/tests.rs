//! The printer and the parser are each other's inverse, and no text makes the parser panic.

use proptest::prelude::*;

use super::parse;
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Inst, Location, Op, Type, Value};

/// Every operation, and every form of it.
const ALL: &str = r#"file 0 "src/main.rs"
file 1 "a \"b\" \\ \u{a}.rs"
kernel all(input: read surface, "out put": write surface, gain: f32, m: i16<3x24>, b: read buffer f16, c: write buffer u32) {
  %0: i32 = constant -7 @0:1:2
  %1: u8<2x2> = constant [0, 1, 2, 255] @0:1:2
  %2: f32<1x6> = constant [0.111, -0.0, inf, -inf, 0x7fc00001, 1e-7] @1:4294967295:1
  %3: f16<1x3> = constant [65504.0, 0.099975586, 0xfe00] @0:1:2
  %4: f64 = constant 1.7976931348623157e308 @0:1:2
  %5: u8 = constant 0x100 @0:1:2
  %6: f32 = argument #2 @0:1:2
  %7: u32 = thread x @0:1:2
  %8: u32 = thread y @0:1:2
  %9: f32<8x24> = splat %6 @0:1:2
  %10: f32<8x24> = neg %9 @0:1:2
  %11: u8<2x2> = complement %1 @0:1:2
  %12: i32<2x2> = add.i32 %1, %1 @0:1:2
  %13: u16<2x2> = ne.f64 %1, %1 @0:1:2
  %14: u16<2x2> = convert %1 @0:1:2
  %15: i8<2x2> = saturate %1 @0:1:2
  %16: u8<1x2> = region %1[1; 2, 1, 1] @0:1:2
  %17: u8<1x2> = region %1[1 + %7; 0, 2, 1] @0:1:2
  %18: u8<2x2> = insert %1[0; 2, 1, 1], %17 @0:1:2
  %19: u8<2x2> = insert %1[0 + %7; 2, 1, 1], %17 @0:1:2
  %20: u8<1x3> = iselect %1, %2 @0:1:2
  %21: u32 = format %1 @0:1:2
  %22: u8<2x2> = merge %14, %1, %1 @0:1:2
  %23: u16<1x40> = unpack_mask %7 @0:1:2
  %24: condition = any %1 @0:1:2
  %46: i32<4x8> = dpas u8.s8 %45, %45, %45 @0:1:2
  %25: condition = all %1 @0:1:2
  %26: condition = known true @0:1:2
  %27: condition = not %26 @0:1:2
  %28: condition = and %26, %27 @0:1:2
  %29: condition = or %26, %27 @0:1:2
  var $0: u8<2x2> = %1 @0:1:2
  var $1: condition @0:1:2
  %30: u8<2x2> = load $0 @0:1:2
  store $0, %1: u8<2x2> @0:1:2
  %31: u8<4x32> = read #0 %0, %0 @0:1:2
  write #1 %0, %0, %31: u8<4x32> @0:1:2
  %40: f16<1x16> = oword_read #4 %7 @0:1:2
  %41: f16<1x16> = oword_read_dwaligned #4 %7 @0:1:2
  oword_write #5 %7, %12: u32<2x2> @0:1:2
  %42: f16<2x2> = gather #4 %12 @0:1:2
  scatter #5 %12, %12: u32<2x2> @0:1:2
  %43: u32<2x2> = atomic_add #5 %12, %12 @0:1:2
  %44: u32<2x2> = atomic_inc #5 %12 @0:1:2
  %45: u32<2x2> = atomic_cmpxchg #5 %12, %12, %12 @0:1:2
  if %26 @0:1:2 {
    loop @0:3:4 {
      %32: condition = load $1 @0:1:2
    } while %32 {
      store $1, %26: condition @0:1:2
    }
  } else {
    if %26 @0:1:2 {
    }
  }
  labelled ^0 @0:1:2 {
    labelled ^1 @0:1:2 {
      break ^0 @0:1:2
    }
    break ^4294967295: u8 @0:1:2
  }
  known false: condition @0:1:2
  constant 5: u8 @0:1:2
  constant [1, 2]: u8<1x2> @0:1:2
  %33: u8<2x2> = store $0, %1 @0:1:2
  if %26: u8 @0:1:2 {
  }
}
"#;

#[test]
fn all_operations_come_back() {
    let function = parse(ALL).unwrap();
    let text = function.to_string();
    assert_eq!(text, ALL);
    assert_eq!(parse(&text).unwrap(), function);
}

#[test]
fn spaces_and_comments_are_free() {
    let text = "file 0\"k.rs\" kernel k ( ) { // nothing\n%0 :u8 = \n constant 1@ 0 : 2 : 3 }";
    assert_eq!(
        parse(text).unwrap().to_string(),
        "file 0 \"k.rs\"\nkernel k() {\n  %0: u8 = constant 1 @0:2:3\n}\n"
    );
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let table = [
        ("", "line 0: expected `file` or `kernel`, found the end"),
        ("kernel k(", "line 1: expected a name, found the end"),
        ("kernel k(x: read plane a of #0) {}", "line 1: expected `y`, `u`, `v` or `uv`, found `a`"),
        ("kernel k(x: read plane uv #0) {}", "line 1: expected `of`, `top` or `bottom`, found `#`"),
        ("kernel k(x: read plane y top of #0) {}", "line 1: expected `field`, found `of`"),
        ("kernel k(x: read) {}", "line 1: expected `surface`, `surface_3d`, `plane` or `buffer`, found `)`"),
        (
            "kernel k(x: u9) {}",
            "line 1: expected `read surface`, `write buffer`, `shared` or a type such as `u8<8x32>`, found `u9`",
        ),
        ("kernel k() {\n  %0: u8 = frobnicate %1\n}", "line 2: expected an operation, found `frobnicate`"),
        ("kernel k() {\n  %0: u8 = add.u9 %1\n}", "line 2: expected an operation, found `add.u9`"),
        (
            "kernel k() {\n  %0: u8 = constant 256 @0:1:1\n}",
            "line 2: expected an element of `u8`, found `256`",
        ),
        (
            "kernel k() {\n  %0: u8 = constant 25 @0:1:1\n}",
            "line 2: expected the number of a file, found `0`",
        ),
        ("kernel k() {}\n\nkernel", "line 3: expected the end, found `kernel`"),
        ("file 1 \"a\"", "line 1: expected `0`, found `1`"),
        ("kernel k() { %4294967296", "line 1: expected a value such as `%0`, found `4294967296`"),
        (
            "\n\"a\\n\"",
            "line 2: expected text that ends with `\"`, with the escapes `\\\\`, `\\\"` and `\\u{..}`, found \
             `\"a\\n\"`",
        ),
    ];
    for (text, message) in table {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

/// Every instruction has a copy of the name.
#[test]
fn names_of_files_have_a_limit() {
    let named = |bytes: usize| parse(&format!("\nfile 0 \"{}\" kernel k() {{}}", "x".repeat(bytes)));
    assert!(named(4096).is_ok());
    let message = "line 2: expected the name of a file, of at most 4096 bytes, found 4097 bytes";
    assert_eq!(named(4097).unwrap_err().to_string(), message);
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("file 0 \"a\" kernel k() {{ {}", "if %0 @0:1:1 { ".repeat(100_000));
    assert!(parse(&text).unwrap_err().to_string().contains("at most 128 blocks"));
}

fn constant(elem: ElemType, bits: Bits) -> Function {
    let location = Location { file: "k.rs".into(), line: 1, column: 1 };
    let ty = Type::new(elem, 1, 4);
    let inst = Inst { op: Op::Constant(bits), result: Some(Value(0)), ty, location };
    Function::new("k", vec![], Block { insts: vec![inst] })
}

#[test]
fn register_files_come_back() {
    for (bytes, text) in [(4096, "kernel k() {"), (8192, "kernel k() register_file 8192 {")] {
        let function = Function { register_file: bytes, ..constant(ElemType::U8, Bits::Splat(1)) };
        assert!(function.to_string().contains(text), "{function}");
        assert_eq!(parse(&function.to_string()).unwrap(), function);
    }
}

#[test]
fn every_half_comes_back() {
    let all = constant(ElemType::F16, Bits::Each((0..=0xffff).collect()));
    assert_eq!(parse(&all.to_string()).unwrap(), all);
}

proptest! {
    #[test]
    fn constants_come_back(
        elem in prop::sample::select(ElemType::ALL),
        all in prop::collection::vec((any::<u64>(), 0u32..64), 0..20),
    ) {
        let all: Vec<u64> = all.into_iter().map(|(bits, shift)| bits >> shift).collect();
        let splat = constant(elem, Bits::Splat(all.first().copied().unwrap_or(0)));
        prop_assert_eq!(parse(&splat.to_string()).unwrap(), splat);
        let each = constant(elem, Bits::Each(all));
        prop_assert_eq!(parse(&each.to_string()).unwrap(), each);
    }

    #[test]
    fn names_come_back(name in any::<String>(), file in any::<String>()) {
        let mut function = constant(ElemType::U8, Bits::Splat(0));
        function.name = name;
        function.body.insts[0].location.file = file.into();
        prop_assert_eq!(parse(&function.to_string()).unwrap(), function);
    }

    #[test]
    fn random_text_is_no_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn random_pieces_are_no_panic(
        pieces in prop::collection::vec(prop::sample::select(
            ALL.split_inclusive(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>()), 0..200),
    ) {
        let _ = parse(&pieces.concat());
        let _ = parse(&format!("file 0 \"a\" kernel k() {{ {}", pieces.concat()));
    }

    /// Where a mutated text is still a function, it comes back from its own text.
    #[test]
    fn mutated_text_is_no_panic(
        changes in prop::collection::vec((0..ALL.len(), any::<prop::sample::Index>(), 0..3u8), 1..4),
    ) {
        let mut text = ALL.as_bytes().to_vec();
        for (at, from, how) in changes {
            let at = at.min(text.len() - 1);
            let byte = ALL.as_bytes()[from.index(ALL.len())];
            match how {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => {
                    text.remove(at);
                }
            }
        }
        let text = String::from_utf8(text).unwrap();
        if let Ok(function) = parse(&text) {
            prop_assert_eq!(parse(&function.to_string()).unwrap(), function);
        }
    }
}
