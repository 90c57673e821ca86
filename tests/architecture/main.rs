//! Checks the arrows of ARCHITECTURE.md: which crates may import each other, which modules of a crate may
//! import each other, and that files of a folder have no import cycles. All imports are read from the
//! sources; an error names the line.

mod arrows;
mod book;
mod documents;
mod drawings;
#[path = "../../examples/linear/kernels.rs"]
pub mod linear;
mod made_up;
mod messages;
mod modules;
mod orders;

use std::path::Path;

use arrows::Crate;
use cm_test_support::sources::{Token, sources, tokens};
use modules::Modules;
use orders::CRATES;

#[test]
fn imports_follow_the_arrows() {
    let names = CRATES.map(|of| of.name);
    let mut wrong = Vec::new();
    for of in CRATES {
        let found = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(of.folder));
        let modules = Modules::new(of.folder, &found);
        let violations = of.violations(&modules, &names);
        wrong.extend(violations.iter().map(|violation| format!("{}: {violation}", of.name)));
    }
    assert!(wrong.is_empty(), "{} against the arrows:\n{}", wrong.len(), wrong.join("\n"));
}

/// ARCHITECTURE.md shows the orders of the crates with many modules as they are checked.
#[test]
fn the_document_shows_the_orders() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let document = words(&std::fs::read_to_string(path).unwrap());
    for Crate { name, order, .. } in CRATES {
        if ["cm_compiler", "cm_dsl", "cm_runtime"].contains(&name) {
            let shown = format!("```text {} ```", words(order));
            assert!(document.contains(&shown), "ARCHITECTURE.md lacks the order of `{name}`:\n{order}");
        }
    }
}

#[test]
fn comments_and_literals_are_no_words() {
    let source = r##"
        /* a /* b */ c */ use x::y; // d
        let s = "e \" f"; let c = '"'; let e = '\''; let r = r#"g " h"#;
        fn f<'i>(j: &'i str) -> r#type {}
    "##;
    let found: Vec<_> = tokens(source).into_iter().filter(Token::is_word).map(|token| token.text).collect();
    let expected =
        ["use", "x", "y", "let", "s", "let", "c", "let", "e", "let", "r", "fn", "f", "j", "str", "type"];
    assert_eq!(found, expected);
    assert_eq!(tokens("a\n\"\n\"\nb").iter().map(|token| token.line).collect::<Vec<_>>(), [1, 4]);
}
