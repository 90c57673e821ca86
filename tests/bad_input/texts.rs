//! Kernel texts that cannot be parsed, and kernel texts that break a rule.

use cm::text::parse;

/// A text and the error of the parser.
type Unreadable = (&'static str, &'static str);

pub(crate) const UNREADABLE: &[Unreadable] = &[
    ("", "line 0: expected `file` or `kernel`, found the end"),
    ("\n\n// nothing", "line 3: expected `file` or `kernel`, found the end"),
    ("kernels k() {}", "line 1: expected `file` or `kernel`, found `kernels`"),
    ("kernel", "expected a name, found the end"),
    ("kernel 7() {}", "expected a name, found `7`"),
    ("kernel a.b() {}", "expected a name, found `a.b`"),
    ("kernel k", "expected `(`, found the end"),
    ("kernel k[]", "expected `(`, found `[`"),
    ("kernel k(", "expected a name, found the end"),
    ("kernel k(,) {}", "expected a name, found `,`"),
    ("kernel k(a) {}", "expected `:`, found `)`"),
    ("kernel k(a: read) {}", "expected `surface`, `surface_3d`, `plane` or `buffer`, found `)`"),
    ("kernel k(a: write image) {}", "expected `surface`, `surface_3d`, `plane` or `buffer`, found `image`"),
    ("kernel k(a: read buffer) {}", "expected an element type such as `u8`, found `)`"),
    (
        "kernel k(a: u9) {}",
        "expected `read surface`, `write buffer`, `shared` or a type such as `u8<8x32>`, found `u9`",
    ),
    ("kernel k(a: u8<8>) {}", "expected rows and columns such as `8x32`, found `8`"),
    ("kernel k(a: u8<-1x8>) {}", "expected rows and columns"),
    ("kernel k(a: u8<1x99999999999999999999>) {}", "expected rows and columns"),
    ("kernel k(a: u8<1x8) {}", "expected `>`, found `)`"),
    ("kernel k(a: u8 b: u8) {}", "expected `,`, found `b`"),
    ("kernel k()", "expected `{`, found the end"),
    ("kernel k() {", "expected an operation, found the end"),
    ("kernel k() {}}", "expected the end, found `}`"),
    ("kernel k() {} kernel l() {}", "expected the end, found `kernel`"),
    ("file", "expected `0`, found the end"),
    ("file 1 \"a\"", "expected `0`, found `1`"),
    ("file 0 a", "expected the name of a file in quotes, found `a`"),
    ("file 0 \"a", "expected text that ends with `\"`"),
    ("file 0 \"\\x\"", "with the escapes `\\\\`, `\\\"` and `\\u{..}`"),
    ("file 0 \"\\u{d800}\"", "expected text that ends with"),
    ("file 0 \"\\u{110000}\"", "expected text that ends with"),
    ("file 0 \"a\" file 0 \"b\"", "expected `1`, found `0`"),
    ("BODY %", "expected a value such as `%0`, found the end"),
    ("BODY %x: u8 = constant 1 @0:1:1 }", "expected a value such as `%0`, found `x`"),
    ("BODY %4294967296: u8 = constant 1 @0:1:1 }", "expected a value such as `%0`, found `4294967296`"),
    ("BODY %0 = constant 1 @0:1:1 }", "expected `:`, found `=`"),
    ("BODY %0: bool = constant 1 @0:1:1 }", "expected a type such as `u8<8x32>`, `f32` or `condition`"),
    ("BODY %0: u8 constant 1 @0:1:1 }", "expected `=`, found `constant`"),
    ("BODY %0: u8 = frobnicate %1 @0:1:1 }", "expected an operation, found `frobnicate`"),
    ("BODY %0: u8 = add %1, %2 @0:1:1 }", "expected an operation, found `add`"),
    ("BODY %0: u8 = add.u9 %1, %2 @0:1:1 }", "expected an operation, found `add.u9`"),
    ("BODY %0: u8 = neg.u8 %1 @0:1:1 }", "expected an operation, found `neg.u8`"),
    ("BODY %0: u8 = add.u8 %1 @0:1:1 }", "expected `,`, found `@`"),
    ("BODY %0: u8 = constant 256 @0:1:1 }", "expected an element of `u8`, found `256`"),
    ("BODY %0: i8 = constant -129 @0:1:1 }", "expected an element of `i8`, found `-129`"),
    ("BODY %0: u8 = constant 1.5 @0:1:1 }", "expected an element of `u8`, found `1.5`"),
    ("BODY %0: f32 = constant nan @0:1:1 }", "expected an element of `f32`, found `nan`"),
    ("BODY %0: f32 = constant 0xg @0:1:1 }", "expected an element of `f32`, found `0xg`"),
    ("BODY %0: u8<1x2> = constant [1 2] @0:1:1 }", "expected `,`, found `2`"),
    ("BODY %0: u8<1x2> = constant [1, 2 @0:1:1 }", "expected `,`, found `@`"),
    ("BODY %0: u32 = thread w @0:1:1 }", "expected a number of a thread such as `x`, found `w`"),
    ("BODY %0: condition = known maybe @0:1:1 }", "expected `true` or `false`, found `maybe`"),
    ("BODY %0: u8 = argument 0 @0:1:1 }", "expected a parameter such as `#0`, found `0`"),
    ("BODY %0: u8 = load %0 @0:1:1 }", "expected a variable such as `$0`, found `%`"),
    ("BODY %0: u8 = region %0[-1; 1, 1, 1] @0:1:1 }", "expected an offset, found `-1`"),
    ("BODY %0: u8 = region %0[0, 1, 1, 1] @0:1:1 }", "expected `;`, found `,`"),
    ("BODY %0: u8 = constant 1 }", "expected `@`, found `}`"),
    ("BODY %0: u8 = constant 1 @1:1:1 }", "expected the number of a file, found `1`"),
    ("BODY %0: u8 = constant 1 @0:-1:1 }", "expected a line, found `-1`"),
    ("BODY %0: u8 = constant 1 @0:1:4294967296 }", "expected a column, found `4294967296`"),
    ("BODY if %0 @0:1:1 }", "expected `{`, found `}`"),
    ("BODY loop @0:1:1 { } }", "expected `while`, found `}`"),
    ("BODY \u{0}", "expected an operation, found `\u{0}`"),
    ("BODY \u{1f600}", "expected an operation, found `\u{1f600}`"),
];

#[test]
fn unreadable_texts() {
    super::each(UNREADABLE, |&(text, says)| {
        let text = text.replace("BODY", "file 0 \"k.rs\" kernel k() {");
        match parse(&text) {
            Ok(_) => Some(format!("{text}: is read")),
            Err(error) => (!error.to_string().contains(says)).then(|| format!("{text}: {error}, not {says}")),
        }
    });
}

/// The last instruction of a kernel, and the rule that it breaks. Before it there are `%0: u8<2x8>`, `%1: f32<2x8>`,
/// `%2: u32`, `%3: i32`, `%4: condition`, `$0: u8<2x8>`. The parameters are a surface to read, one to write, an
/// `f32`, a buffer of `u32` to read and one to write.
type Refused = (&'static str, &'static str);

pub(crate) const REFUSED: &[Refused] = &[
    ("%0: u8 = constant 1", "`%0` is defined twice"),
    ("%9: u8 = convert %9", "`%9` is used before it is defined"),
    ("%9: u8<2x8> = load $1", "`$1` is used before it is declared"),
    ("var $0: u8", "`$0` is declared twice"),
    ("constant 1: u8", "`constant` must have a result"),
    ("%9: u8<2x8> = store $0, %0", "`store` has no result"),
    ("%9: u8<2x9> = load $0", "the type is `u8<2x9>`, but `u8<2x8>` is needed"),
    ("%9: u8<0x4> = constant 1", "0 x 4 elements; an object has 1 to 4096"),
    ("%9: u8<64x65> = constant 1", "64 x 65 elements; an object has 1 to 4096"),
    ("%9: u8<18446744073709551615x18446744073709551615> = constant 1", "an object has 1 to 4096"),
    ("%9: u8<1x3> = constant [1, 2]", "2 elements for a constant of 3"),
    ("%9: u8 = constant 0x100", "0x100 has more bits than `u8`"),
    ("%9: condition = constant 0x1", "the type is `condition`, but a register is needed"),
    ("%9: f32 = argument #9", "parameter 9 of 5"),
    ("%9: f32 = argument #0", "parameter 0 is not a uniform value"),
    ("%9: i32 = argument #2", "the type is `i32`, but `f32` is needed"),
    ("%9: i32 = thread x", "the type is `i32`, but `u32` is needed"),
    ("%9: u8<4x4> = splat %0", "the operand `%0` is `u8<2x8>`, but `u8` is needed"),
    ("%9: i8<2x8> = neg %0", "the operand `%0` is `u8<2x8>`, but `i8<2x8>` is needed"),
    ("%9: f32<2x8> = complement %1", "`complement` is not defined for `f32` elements"),
    ("%9: i32<2x8> = add.i32 %0, %1", "`add` cannot take `f32` elements as `i32`"),
    ("%9: i32<2x8> = add.i32 %0, %4", "the operand `%4` is `condition`, but a register is needed"),
    ("%9: f32<2x8> = shl.f32 %1, %1", "`shl` is not defined for `f32` elements"),
    ("%9: u8<2x8> = lt.u8 %0, %0", "the type is `u8<2x8>`, but `u16<2x8>` is needed"),
    ("%9: u8<8x2> = convert %0", "but a register of 8 x 2 elements is needed"),
    ("%9: u8<1x4> = region %0[13; 1, 4, 1]", "the last element of the region, 16, lies outside"),
    ("%9: u8<1x4> = region %0[18446744073709551615; 0, 4, 65535]", "lies outside of an object of 16"),
    ("%9: u8<1x4> = region %0[0; 0, 4, 18446744073709551615]", "strides are below 65536"),
    ("%2147483648: u8 = constant 1", "numbers are below 2147483648"),
    ("var $4294967295: u8", "numbers are below 2147483648"),
    ("%9: u8<1x4> = region %0[0; 0, 3, 1]", "rows of 3 elements do not divide a region of 4"),
    ("%9: u8<1x4> = region %0[0; 0, 0, 1]", "rows of 0 elements do not divide"),
    ("%9: u8<1x4> = region %0[0 + %3; 0, 4, 1]", "the operand `%3` is `i32`, but `u32` is needed"),
    ("%9: u8<2x8> = insert %0[0; 0, 8, 1], %0", "the region has an element twice"),
    ("%9: u8 = iselect %0, %3", "the operand `%3` is `i32`, but `u32` is needed"),
    ("%9: u32<1x5> = format %0", "a format of 16 bytes as 20 bytes"),
    ("%9: f32<2x8> = merge %1, %1, %1", "`merge` is not defined for `f32` elements"),
    ("%9: u16<1x8> = unpack_mask %3", "the operand `%3` is `i32`, but `u32` is needed"),
    ("%9: u16 = any %0", "the type is `u16`, but `condition` is needed"),
    ("%9: condition = and %4, %2", "the operand `%2` is `u32`, but `condition` is needed"),
    ("if %2 { }", "the operand `%2` is `u32`, but `condition` is needed"),
    ("loop { } while %2 { }", "the operand `%2` is `u32`, but `condition` is needed"),
    ("%9: u8<1x65> = read #0 %3, %3", "a media block of 1 rows of 65 bytes"),
    ("%9: u8<65x4> = read #0 %3, %3", "a media block of 65 rows of 4 bytes"),
    ("%9: u8<1x4> = read #3 %3, %3", "parameter 3 is not a surface"),
    ("%9: u8<1x4> = read #0 %2, %3", "the operand `%2` is `u32`, but `i32` is needed"),
    ("write #0 %3, %3, %0: u8<2x8>", "parameter 0 is one that the kernel may not write"),
    (
        "%9: u8<1x6> = constant 1 AT\nwrite #1 %3, %3, %9: u8<1x6>",
        "rows of 6 bytes: the row width is a multiple of 4",
    ),
    ("%9: u32<1x4> = oword_read #0 %2", "parameter 0 is not a buffer"),
    ("%9: u32<1x3> = oword_read #3 %2", "12 bytes"),
    ("%9: f32<1x4> = oword_read #2 %2", "parameter 2 is not a buffer"),
    (
        "%9: u32<1x4> = constant 1 AT\noword_write #3 %2, %9: u32<1x4>",
        "parameter 3 is one that the kernel may not",
    ),
    ("%9: u32<1x3> = constant 1 AT\n%10: u32<1x3> = gather #3 %9", "3 elements"),
];

#[test]
fn refused_texts() {
    let before = "file 0 \"k.rs\"
        kernel k(a: read surface, b: write surface, c: f32, d: read buffer u32, e: write buffer u32) {
        %0: u8<2x8> = constant 1 AT
        %1: f32<2x8> = constant 0.5 AT
        %2: u32 = thread x AT
        %3: i32 = constant -1 AT
        %4: condition = known true AT
        var $0: u8<2x8> AT\n";
    super::each(REFUSED, |&(inst, says)| {
        // The blocks of an instruction follow its location.
        let (head, blocks) =
            inst.split_once(" {").map_or((inst, String::new()), |(a, b)| (a, format!(" {{{b}")));
        let text = format!("{before}{head} @0:77:3{blocks}\n}}").replace("AT", "@0:1:1");
        let function = match parse(&text) {
            Ok(function) => function,
            Err(error) => return Some(format!("{inst}: is no text: {error}")),
        };
        let error = match cm::verify::verify(&function) {
            Ok(()) => return Some(format!("{inst}: is accepted")),
            Err(error) => error.to_string(),
        };
        let right = error.starts_with("kernel `k`, k.rs:77:3: ") && error.contains(says);
        (!right).then(|| format!("{inst}: {error}, not {says}"))
    });
}

/// Texts that can be parsed, and that no analysis may take for kernels.
const ILL_FORMED: &[&str] = &[
    "kernel k() { %0: u8 = format %0 @0:1:1 }",
    "kernel k() { %0: u8<4294967296x4294967296> = constant 1 @0:1:1 }",
    "kernel k() { %0: u8 = convert %1 @0:1:1 }",
    "kernel k() { %0: u8 = load $0 @0:1:1 }",
    "kernel k() register_file 0 { %0: u8 = constant 1 @0:1:1 }",
];

#[test]
fn ill_formed_texts_are_errors_of_every_analysis() {
    super::each(ILL_FORMED, |text| {
        let function = match parse(&format!("file 0 \"k.rs\" {text}")) {
            Ok(function) => function,
            Err(error) => return Some(format!("{text}: is no text: {error}")),
        };
        let Err(broken) = cm::verify::verify(&function) else { return Some(format!("{text}: is accepted")) };
        let all = [
            cm::RegisterReport::new(&function).map(drop).map_err(|error| error.to_string()),
            cm::spirv::lower(&function, cm::Target::Gen9).map(drop).map_err(|error| error.to_string()),
            cm::interpret::interpret(&function, &mut [], [0, 0]).map_err(|error| error.to_string()),
        ];
        all.iter().any(|found| *found != Err(broken.to_string())).then(|| format!("{text}: {all:?}"))
    });
}
