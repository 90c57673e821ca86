//! Tests the checks on made-up crates.

use super::arrows::{Crate, Violation};
use super::modules::Modules;

const MADE_UP: Crate = Crate {
    name: "made_up",
    folder: "made_up/src",
    imports: &["left"],
    order: "a, b < c < d",
    exceptions: &[],
};

/// The violations, as text.
fn wrong(of: Crate, sources: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> = sources.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    let modules = Modules::new(of.folder, &sources);
    of.violations(&modules, &["left", "right", "made_up"]).iter().map(ToString::to_string).collect()
}

const ALL: [(&str, &str); 4] = [("a.rs", ""), ("b.rs", ""), ("c.rs", ""), ("d.rs", "")];

/// The four modules; some of them have the given text.
fn with<'a>(texts: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let others = ALL.into_iter().filter(|(name, _)| texts.iter().all(|(other, _)| other != name));
    texts.iter().copied().chain(others).collect()
}

#[test]
fn imports_to_the_left_are_right() {
    let found = wrong(
        MADE_UP,
        &with(&[
            ("lib.rs", "mod a; pub mod d; pub use d::D; use right_or_not::X;"),
            ("c.rs", "use crate::{a::A, b::{self, B}};\nfn c() -> crate::a::A {}"),
            ("d.rs", "use left::L;\nuse super::c as other;\npub struct D;"),
        ]),
    );
    assert_eq!(found, [] as [&str; 0]);
}

#[test]
fn a_wrong_import_is_named_by_its_line() {
    let cases = [
        ("a.rs", "\n\nuse crate::d::D;", "made_up/src/a.rs:3: `a -> d`, which does not stand to its left"),
        (
            "a.rs",
            "use crate::{\n    b::B,\n};",
            "made_up/src/a.rs:2: `a -> b`, which does not stand to its left",
        ),
        (
            "b.rs",
            "fn f() {\n    super::c::g();\n}",
            "made_up/src/b.rs:2: `b -> c`, which does not stand to its left",
        ),
        (
            "a.rs",
            "macro_rules! m { () => { $crate::d::f() } }",
            "made_up/src/a.rs:1: `a -> d`, which does not stand to its left",
        ),
        (
            "a.rs",
            "mod inside {\n use super::super::c::C; }",
            "made_up/src/a.rs:2: `a -> c`, which does not stand to its left",
        ),
        ("d.rs", "use right::R;", "made_up/src/d.rs:1: imports the crate `right`"),
        ("d.rs", "use crate::OfTheRoot;", "made_up/src/d.rs:1: `d -> lib`, which does not stand to its left"),
    ];
    for (name, text, expected) in cases {
        assert_eq!(wrong(MADE_UP, &with(&[("lib.rs", "mod a;"), (name, text)])), [expected], "{text}");
    }
}

#[test]
fn re_exports_lead_to_what_they_name() {
    let of = |text| {
        wrong(
            MADE_UP,
            &with(&[
                ("lib.rs", "pub use d::D;\npub use a::A as B;"),
                ("c.rs", text),
                ("d.rs", "pub struct D;"),
            ]),
        )
    };
    assert_eq!(of("use crate::D;"), ["made_up/src/c.rs:1: `c -> d`, which does not stand to its left"]);
    assert_eq!(of("use crate::B;"), [] as [&str; 0]);
}

#[test]
fn tests_may_import_everything() {
    let found = wrong(
        MADE_UP,
        &with(&[
            (
                "a.rs",
                "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod more { use crate::d::D; }\n#[cfg(test)]\nuse crate::c::C;",
            ),
            ("a/tests.rs", "use crate::d::D;"),
            ("b.rs", "#[test]\nfn f() {} /// [`crate::d`]\n// crate::d::D\nconst S: &str = \"crate::d::D\";"),
        ]),
    );
    assert_eq!(found, [] as [&str; 0]);
}

#[test]
fn circles_in_a_folder_are_named_by_their_lines() {
    let folder = [
        ("c/mod.rs", "mod x;\nmod y;\nmod z;\npub use x::X;\nuse z::Z;"),
        ("c/x.rs", "use super::y::Y;\npub struct X;"),
        ("c/y/mod.rs", "mod deep;"),
        ("c/y/deep.rs", "\nuse crate::c::X;"),
        ("c/z.rs", "use super::x::X;"),
    ];
    let sources: Vec<_> = [("a.rs", ""), ("b.rs", ""), ("d.rs", "")].into_iter().chain(folder).collect();
    let expected = [
        "made_up/src/c/x.rs:1: `c/x -> c/y` is part of a circle in `c`",
        "made_up/src/c/y/deep.rs:2: `c/y -> c/x` is part of a circle in `c`",
    ];
    assert_eq!(wrong(MADE_UP, &sources), expected);
    let excepted = Crate { exceptions: &["c/y -> c/x"], ..MADE_UP };
    assert_eq!(wrong(excepted, &sources), [] as [&str; 0]);
}

#[test]
fn the_tables_are_complete_and_say_nothing_that_is_not_so() {
    let sources = with(&[("e.rs", "")]);
    assert_eq!(wrong(MADE_UP, &sources), ["the order has no `e`"]);
    assert_eq!(wrong(MADE_UP, &sources[2..]), ["there is no module `a` of the order"]);
    let excepted = Crate { exceptions: &["a -> d"], ..MADE_UP };
    assert_eq!(wrong(excepted, &ALL), ["`a -> d` is no exception any more: remove it"]);
    assert_eq!(wrong(excepted, &with(&[("a.rs", "use crate::d::D;")])), [] as [&str; 0]);
    let gone = Violation::Gone { module: "a".into() };
    assert_eq!(gone.to_string(), "there is no module `a` of the order");
}
