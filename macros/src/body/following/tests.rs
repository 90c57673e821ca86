//! What the names of a block stand for.

use quote::ToTokens;
use syn::{Block, Stmt};

use super::{Following, UsesOfBlock};

/// The statements of a block: the statements after the first one in which the name that it declares is used, and whether a block
/// in them declares another value of this name.
const BLOCKS: &[(&str, &[usize], bool)] = &[
    ("let r = 1; f(r); g(r);", &[0, 1], false),
    ("let r = 1; f(a.r, r.a, 0..r);", &[0, 0], false),
    ("let r = 1; f(r#r);", &[0], false),
    ("let r = 1; printf!(\"{r} {{r}} {a:?}\"); printf!(\"{}\", r);", &[0, 1], false),
    // Declared again.
    ("let r = 1; f(r); let r = r + 1; f(r);", &[0, 1], false),
    ("let r = 1; let (r, q) = (r, r); f(r);", &[0, 0], false),
    ("let r = 1; let r: T = 2; f(r);", &[], false),
    ("let r = 1; let S { a: r, .. } = s; f(r);", &[], false),
    ("let r = 1; let Some(r) = s else { f(r) }; f(r);", &[0], false),
    ("let r = 1; #[allow(unused)] let r = 2; f(r);", &[], false),
    // Another name is.
    ("let r = 1; let S { r: a, .. } = s; f(r);", &[0, 1], false),
    ("let r = 1; let r::S { a } = s; f(r);", &[0, 1], false),
    ("let r = 1; let a: [T; r] = s; f(r);", &[0, 1], false),
    // rustc may leave it out.
    ("let r = 1; #[cfg(a)] let r = 2; f(r);", &[0, 1], false),
    // It is only declared for a part of the statement.
    ("let r = 1; if let Some(r) = s { f(r); } f(r);", &[0, 0, 1], false),
    ("let r = 1; { f(r); let r = r; f(r); } f(r);", &[0, 0, 1], true),
    ("let r = 1; simd_if! { a => { let r = 2; f(r); } } f(r);", &[1], true),
];

#[test]
fn uses_end_where_the_name_is_declared_again() {
    for (block, expected, hidden) in BLOCKS {
        let block: Block = syn::parse_str(&format!("{{ {block} }}")).expect("a block");
        let uses = UsesOfBlock::default();
        let name = quote::format_ident!("r");
        let found = Following::new(&block.stmts[1..], &uses).uses_of(&name);
        let statements: Vec<usize> = found.all().map(|mention| mention.statement).collect();
        assert_eq!((&statements[..], found.is_hidden()), (*expected, *hidden), "{}", block.to_token_stream());
    }
}

/// Each of the statements, not only the first one, can ask.
#[test]
fn each_declaration_has_its_uses() {
    let block = "{ let r = 1; f(r); let r = r + 1; let q = r; { let q = q.row(0); g(q); } f(r, q); }";
    let block: Block = syn::parse_str(block).expect("a block");
    let uses = UsesOfBlock::default();
    let declared = [(0, "r", vec![0, 1]), (2, "r", vec![2, 4]), (3, "q", vec![3, 4])];
    for (n, name, expected) in declared {
        assert!(matches!(block.stmts[n], Stmt::Local(_)));
        let following = Following::new(&block.stmts[n + 1..], &uses);
        let found = following.uses_of(&quote::format_ident!("{name}"));
        let statements: Vec<usize> = found.all().map(|mention| mention.statement).collect();
        assert_eq!(statements, expected, "{name} after {n}");
        assert_eq!(found.operands().count(), usize::from(n == 0), "{name} after {n}");
        assert_eq!(found.all().filter(|mention| mention.row.is_some()).count(), usize::from(n == 3));
    }
}

/// Statements that are looked at together with the first one count later, too.
#[test]
fn a_statement_may_ask_for_those_behind_the_next_one() {
    let block: Block = syn::parse_str("{ let r = 1; f(r); g(r); }").expect("a block");
    let uses = UsesOfBlock::default();
    let name = quote::format_ident!("r");
    let count = |following: Following<'_>| following.uses_of(&name).all().count();
    assert_eq!(count(Following::new(&block.stmts, &uses).skip(2)), 1);
    assert_eq!(count(Following::new(&block.stmts[1..], &uses)), 2);
}
