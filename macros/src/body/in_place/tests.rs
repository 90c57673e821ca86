//! Which bodies read their blocks in place, and which load them into registers.

use proc_macro2::{TokenStream, TokenTree};

use crate::expand::run;
use crate::model::Role;

/// How the macros read the blocks of a body.
#[derive(Debug, PartialEq, Eq)]
enum How {
    /// All of them into registers.
    Loaded,
    /// One of them in place.
    InPlace,
    /// One of them in place, and its regions are converted when they are read.
    Converted,
}
use How::{Converted, InPlace, Loaded};

/// Bodies of a kernel with the parameters of [`expanded`].
const BODIES: &[(How, &str, &str)] = &[
    // Blocks of surfaces.
    (InPlace, "regions", "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));"),
    (
        InPlace,
        "every second column",
        "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 16, 2>(0, 0));",
    ),
    (
        InPlace,
        "every fourth column",
        "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 8, 4>(0, 0));",
    ),
    (
        Loaded,
        "every third column",
        "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 8, 3>(0, 0));",
    ),
    (InPlace, "a region of a row", "let b = surface.read::<u8, 8, 32>(x, y); f(b.row(1).select::<8, 1>(4));"),
    (
        InPlace,
        "a row with a name",
        "let b = surface.read::<u8, 8, 32>(x, y); let r = b.row(1); f(r.select::<8, 1>(4));",
    ),
    (
        Loaded,
        "a row with a name that is passed on",
        "let b = surface.read::<u8, 8, 32>(x, y); let r = b.row(1); f(r);",
    ),
    (InPlace, "a row of a read", "let r = surface.read::<u8, 8, 32>(x, y).row(1); f(r.select::<8, 1>(4));"),
    (
        InPlace,
        "a region of a read",
        "let r = surface.read::<u8, 8, 32>(x, y).select::<8, 1, 24, 1>(0, 3); f(r);",
    ),
    (Loaded, "a row of a read that is passed on", "let r = surface.read::<u8, 8, 32>(x, y).row(1); f(r);"),
    (Loaded, "a row that is passed on", "let b = surface.read::<u8, 8, 32>(x, y); f(b.row(1));"),
    (InPlace, "an operand", "let b = surface.read::<u8, 8, 32>(x, y); f((b + 1).convert());"),
    (
        InPlace,
        "a row as an operand",
        "let b = surface.read::<u8, 8, 32>(x, y); f((b.row(0) + b.row(1)).convert());",
    ),
    (InPlace, "a raw name", "let b = surface.read::<u8, 8, 32>(x, y); f(r#b.select::<8, 1, 24, 1>(0, 3));"),
    (
        InPlace,
        "a use in a loop",
        "let b = surface.read::<u8, 8, 32>(x, y); for i in 0..8 { f(b.row(i).select::<8, 1>(0)); }",
    ),
    (
        InPlace,
        "a block of messages",
        "let b = surface.read_block::<u8, 16, 64>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Loaded,
        "a block of too many bytes",
        "let b = surface.read_block::<u8, 17, 64>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Loaded,
        "a block of a named number of rows",
        "let b = surface.read_block::<u8, ROWS, 64>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    // Other uses need the elements in registers.
    (Loaded, "no use", "let b = surface.read::<u8, 8, 32>(x, y);"),
    (Loaded, "written", "let b = surface.read::<u8, 8, 32>(x, y); output.write(x, y, &b);"),
    (Loaded, "passed on", "let b = surface.read::<u8, 8, 32>(x, y); f(b);"),
    (
        Loaded,
        "passed on after a region",
        "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3)); f(b);",
    ),
    (Loaded, "compared", "let b = surface.read::<u8, 8, 32>(x, y); f(b > 3);"),
    (Loaded, "an index", "let b = surface.read::<u8, 8, 32>(x, y); f(b[(0, 1)]);"),
    (Loaded, "an element", "let b = surface.read::<u8, 8, 32>(x, y); f(b.get(0, 1));"),
    (Loaded, "a column", "let b = surface.read::<u8, 8, 32>(x, y); f(b.column(1));"),
    (Loaded, "a variable", "let mut b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));"),
    (
        Loaded,
        "an annotation",
        "let b: Matrix<u8, 8, 32> = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    (Loaded, "open constants", "let b = surface.read::<_, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));"),
    (
        Loaded,
        "taken along",
        "let b = surface.read::<u8, 8, 32>(x, y); let g = move |i| b.row(i).select::<8, 1>(0); f(g(0));",
    ),
    (Loaded, "a macro", "let b = surface.read::<u8, 8, 32>(x, y); printf!(\"{b:?}\");"),
    (
        Loaded,
        "a surface that is written",
        "let b = output.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    (Loaded, "another type", "let b = other.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));"),
    (
        Loaded,
        "another name of the surface",
        "let surface = g(surface); let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Loaded,
        "a plane",
        "let b = surface.read_plane::<u8, 8, 32>(Y, x, y); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    // Names that are declared again.
    (
        InPlace,
        "a row with the name of its block",
        "let b = surface.read::<u8, 8, 32>(x, y); let b = b.row(1); f(b.select::<16, 1>(0));",
    ),
    (
        InPlace,
        "another value with the name of the block",
        "let b = surface.read::<u8, 8, 32>(x, y); f(b.select::<8, 1, 24, 1>(0, 3)); let b = x; f(b);",
    ),
    (
        Loaded,
        "a value that is computed with its name",
        "let b = surface.read::<u8, 8, 32>(x, y); let b = g(b); f(b.select::<8, 1, 24, 1>(0, 3));",
    ),
    // Blocks of buffers.
    (InPlace, "a region of a buffer", "let v = buffer.read::<32>(x); f(v.select::<16, 1>(3));"),
    (InPlace, "dwords of a buffer", "let v = buffer.read_dwaligned::<32>(x); f(v.select::<16, 1>(3));"),
    (InPlace, "many elements of a buffer", "let v = buffer.read_linear::<1024>(x); f(v.select::<16, 1>(3));"),
    (
        Loaded,
        "too many elements of a buffer",
        "let v = buffer.read_linear::<2048>(x); f(v.select::<16, 1>(3));",
    ),
    (
        InPlace,
        "a region and an operand",
        "let v = buffer.read::<32>(x); f(v.select::<32, 1>(0)); f((v + 1).convert());",
    ),
    (Loaded, "only an operand", "let v = buffer.read::<32>(x); f((v + 1).convert());"),
    (Loaded, "an element of a buffer", "let v = buffer.read::<32>(x); f(v.get(1));"),
    (Loaded, "a vector that is passed on", "let v = buffer.read::<32>(x); f(v);"),
    (Loaded, "a buffer that is written", "let v = written.read::<32>(x); f(v.select::<16, 1>(3));"),
    (Loaded, "scattered elements", "let v = buffer.read_scattered::<16>(0, &i); f(v.select::<8, 1>(3));"),
    // Blocks that are converted.
    (
        Converted,
        "a converted block",
        "let b = surface.read::<u8, 8, 32>(x, y); let m: Matrix<i16, 8, 32> = b.convert(); f(m.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Converted,
        "a block converted by its elements",
        "let b = surface.read::<u8, 8, 32>(x, y); let m = b.convert::<i16>(); f(m.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Converted,
        "a read that is converted",
        "let m: Matrix<f32, 8, 32> = surface.read::<u8, 8, 32>(x, y).convert(); f(m.select::<8, 1, 24, 1>(0, 3));",
    ),
    (
        Converted,
        "a read of a buffer that is converted",
        "let v: Vector<i32, 32> = buffer.read::<32>(x).convert(); f((v + 1).convert());",
    ),
    (
        Converted,
        "long rows",
        "let b = surface.read::<u8, 8, 32>(x, y); let m: Matrix<i16, 8, 16> = b.select::<8, 1, 16, 1>(0, 3).convert(); f(m.select::<8, 1, 8, 1>(0, 3));",
    ),
    (
        InPlace,
        "short rows",
        "let b = surface.read::<u8, 8, 32>(x, y); let m: Matrix<i16, 8, 8> = b.select::<8, 1, 8, 1>(0, 3).convert(); f(m);",
    ),
    (
        InPlace,
        "long rows that are passed on",
        "let b = surface.read::<u8, 8, 32>(x, y); let m: Matrix<i16, 8, 16> = b.select::<8, 1, 16, 1>(0, 3).convert(); f(m);",
    ),
    (
        Loaded,
        "a converted block that is passed on",
        "let b = surface.read::<u8, 8, 32>(x, y); let m: Matrix<i16, 8, 32> = b.convert(); f(m);",
    ),
    (
        Loaded,
        "a conversion of dwords",
        "let b = surface.read::<u32, 8, 8>(x, y); let m: Matrix<f32, 8, 8> = b.convert(); f(m.select::<8, 1, 4, 1>(0, 3));",
    ),
    (
        Loaded,
        "a conversion to bytes",
        "let b = surface.read::<u16, 8, 16>(x, y); let m: Matrix<u8, 8, 16> = b.convert(); f(m.select::<8, 1, 4, 1>(0, 3));",
    ),
    (
        InPlace,
        "a matrix as a vector",
        "let v: Vector<i16, 32> = surface.read::<u8, 8, 32>(x, y).convert(); f(v.select::<16, 1>(3));",
    ),
    (
        Loaded,
        "a saturated block",
        "let m: Matrix<i16, 8, 32> = surface.read::<u8, 8, 32>(x, y).saturate(); f(m.select::<8, 1, 24, 1>(0, 3));",
    ),
];

/// The tokens of a kernel with this body.
fn expanded(body: &str) -> TokenStream {
    let kernel = format!(
        "fn k(surface: &Surface2D, other: &Shifted, buffer: &Buffer<u8>, written: &mut Buffer<u8>, \
         output: &mut Surface2D) {{ let (x, y) = (thread_origin_x(), thread_origin_y()); {body} }}"
    );
    run(TokenStream::new(), kernel.parse().expect("tokens"), Role::Kernel)
}

/// How often a function of the library is called.
fn calls(tokens: TokenStream, function: &str) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => calls(group.stream(), function),
            TokenTree::Ident(name) => usize::from(name == function),
            _ => 0,
        })
        .sum()
}

/// A method `convert` that stays in the body is also counted: bodies that are read in place have calls instead.
fn how(body: &str) -> How {
    let tokens = expanded(body);
    let converted = tokens.to_string().matches(":: __private :: convert").count();
    match (calls(tokens, "reader"), converted) {
        (0, 0) => Loaded,
        (1, 0) => InPlace,
        (1, 1) => Converted,
        found => panic!("{found:?} readers and conversions in: {body}"),
    }
}

#[test]
fn blocks_are_read_in_place_if_only_regions_are_used() {
    let wrong: Vec<_> = BODIES
        .iter()
        .filter_map(|(expected, name, body)| {
            let found = how(body);
            (found != *expected).then(|| format!("{name}: {found:?}, not {expected:?}: {body}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_body_is_refused() {
    for (_, name, body) in BODIES {
        let text = expanded(body).to_string();
        assert!(!text.contains("compile_error"), "{name}: {text}");
    }
}

/// The uses of each block end where the next one begins.
#[test]
fn a_name_may_stand_for_many_blocks() {
    let one = "let b = surface.read::<u8, 8, 32>(x, y); let b = b.row(1); f(b.select::<16, 1>(0));";
    assert_eq!(calls(expanded(&one.repeat(40)), "reader"), 40);
}
