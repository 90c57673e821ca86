//! Tokens become a kernel or errors, each at a token of the user. The sources of the macros run outside of
//! the compiler.
//!
//! An input that begins with `#` is source text. In any other input, each byte is a token, so that tokens
//! which the macros know are frequent.
#![no_main]
#![allow(dead_code, reason = "the parts of the macros that `#[kernel]`, `#[function]` and methods are")]

#[path = "../../macros/src/argument.rs"]
mod argument;
#[path = "../../macros/src/body/mod.rs"]
mod body;
#[path = "../../macros/src/expand.rs"]
mod expand;
#[path = "../../macros/src/kernel.rs"]
mod kernel;
#[path = "../../macros/src/matched.rs"]
mod matched;
#[path = "../../macros/src/messages.rs"]
mod messages;
#[path = "../../macros/src/methods.rs"]
mod methods;
#[path = "../../macros/src/model.rs"]
mod model;
#[path = "../../macros/src/names.rs"]
mod names;
#[path = "../../macros/src/operator_traits.rs"]
mod operator_traits;
#[path = "../../macros/src/optimised.rs"]
mod optimised;
#[path = "../../macros/src/printf.rs"]
mod printf;
#[path = "../../macros/src/unparsed.rs"]
mod unparsed;

use libfuzzer_sys::fuzz_target;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

/// The tokens of bytes. Brackets are closed automatically.
const TOKENS: &[&str] = &[
    "let",
    "mut",
    "m",
    "n",
    "x",
    "=",
    ";",
    ":",
    ",",
    ".",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "::",
    "->",
    "=>",
    "&",
    "&mut",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "!",
    "|",
    "||",
    "&&",
    "==",
    "!=",
    "<=",
    ">=",
    "<<",
    ">>",
    "+=",
    "-=",
    "*=",
    "<<=",
    ">>=",
    "..",
    "..=",
    "?",
    "@",
    "#",
    "$",
    "_",
    "'a",
    "'a'",
    "0",
    "1",
    "3",
    "8",
    "0.5",
    "-1",
    "1u8",
    "0x10",
    "\"text\"",
    "b\"bytes\"",
    "'c'",
    "true",
    "false",
    "if",
    "else",
    "while",
    "for",
    "in",
    "loop",
    "match",
    "return",
    "break",
    "continue",
    "unsafe",
    "async",
    "await",
    "move",
    "fn",
    "const",
    "static",
    "struct",
    "enum",
    "impl",
    "trait",
    "type",
    "use",
    "mod",
    "pub",
    "crate",
    "super",
    "self",
    "Self",
    "where",
    "as",
    "ref",
    "dyn",
    "extern",
    "macro_rules",
    "Vector",
    "Matrix",
    "Scalar",
    "Surface2D",
    "Buffer",
    "Mask",
    "u8",
    "i16",
    "u32",
    "f32",
    "usize",
    "bool",
    "input",
    "output",
    "thread_origin_x",
    "thread_origin_y",
    "linear_global_id",
    "local_id",
    "slm",
    "barrier",
    "read",
    "write",
    "select",
    "select_mut",
    "row",
    "row_mut",
    "column",
    "convert",
    "saturate",
    "replicate",
    "format",
    "merge",
    "iselect",
    "any",
    "all",
    "assign",
    "splat",
    "abs",
    "min",
    "max",
    "std",
    "cmp",
    "read_scattered",
    "write_atomic",
    "read_dwaligned",
    "sub_group_local_id",
    "sub_group_size",
    "sub_group_media_block_read_uc4",
    "sub_group_shuffle",
    "println",
    "assert",
    "vec",
    "B",
    "N",
    "R",
    "C",
    "'_",
    "let m =",
    "m.select::<1, 1, 8, 1>(0, 0)",
    "if m.any() {",
    "for i in 0..3 {",
    "while n < 3 {",
    "Matrix::<u8, 1, 8>",
    "#[kernel]",
    "#[inline]",
    "///",
    "fn k(",
    "input: &Surface2D",
    "output: &mut Surface2D",
    ") {",
];

fn soup(bytes: &[u8]) -> String {
    let words = bytes.iter().map(|byte| TOKENS[usize::from(*byte) % TOKENS.len()]);
    let mut text = String::from("fn k(input: &Surface2D, output: &mut Surface2D, n: i32) {");
    words.for_each(|word| text.extend([" ", word]));
    // Close all open brackets of any kind: mismatched ones cannot be parsed.
    let mut open = vec![];
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.last() == Some(&c) => drop(open.pop()),
            _ => {}
        }
    }
    text.extend(open.into_iter().rev());
    text
}

/// The errors in the output that are not at a token.
fn misplaced(tokens: TokenStream, found: &mut Vec<String>) {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    for (n, token) in all.iter().enumerate() {
        match token {
            TokenTree::Group(group) => misplaced(group.stream(), found),
            // The location of a span can only be printed: with `cfg(fuzzing)` there is no other way.
            TokenTree::Ident(name)
                if name == "compile_error"
                    && format!("{:?}", name.span()) == format!("{:?}", Span::call_site()) =>
            {
                found.extend(all.get(n + 2).map(ToString::to_string));
            }
            _ => {}
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = match bytes.strip_prefix(b"#") {
        Some(text) => String::from_utf8_lossy(text).into_owned(),
        None => soup(bytes),
    };
    let Ok(item) = text.parse::<TokenStream>() else { return };
    let kernel = expand::run(TokenStream::new(), item.clone(), model::Role::Kernel);
    let function = expand::run(TokenStream::new(), item.clone(), model::Role::Function);
    let block = syn::parse2(quote!(impl S { #item }));
    let methods = block.map(|block| methods::expand(&TokenStream::new(), block));
    for out in [Ok(kernel), Ok(function), methods].into_iter().flatten() {
        let mut found = vec![];
        misplaced(out, &mut found);
        // After the last token there is no location. The compiler passes only whole items to the macros.
        found.retain(|message| !message.contains("unexpected end of input"));
        assert!(found.is_empty(), "{found:?}\n{text}");
    }
    // The options of the attribute.
    let item = || "fn k(output: &mut Surface2D) {}".parse::<TokenStream>().expect("tokens");
    let _ = expand::run(text.parse().expect("tokens"), item(), model::Role::Kernel);
});
