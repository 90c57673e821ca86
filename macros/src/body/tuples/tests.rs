//! Which tuples of names become one `let` each.

use proc_macro2::TokenStream;

use crate::expand::run;
use crate::model::Role;

/// Statements after `let m = surface.read::<u8, 8, 16>(0, 0);`, and whether the names stay those of one `let`.
const BODIES: &[(bool, &str)] = &[
    (false, "let (a, b) = (m + 1, m - 1); f((a * b).convert());"),
    (false, "let (a, b) = ((m + 1), thread_origin_x()); f((a * b).convert());"),
    (false, "let (a, mut b) = (m + 1, m); b += a; f(b);"),
    (false, "let (a, b) = (math::abs::<i16, _>(m - 3), m); f((a * b).convert());"),
    // None of them is a tree.
    (true, "let (a, b) = (m, thread_origin_x()); f((a * b).convert());"),
    // A value uses a name that is declared, or a name has no value of its own.
    (true, "let (b, m) = (m + 1, m - 1); f((m * b).convert());"),
    (true, "let (m, b) = (m + 1, m - 1); f((m * b).convert());"),
    (true, "let (a, b) = pair(m + 1, m - 1); f((a * b).convert());"),
    (true, "let (a, (b, c)) = (m + 1, pair(m)); f((a * b + c).convert());"),
    (true, "let (a, _) = (m + 1, m - 1); f((a * 2).convert());"),
];

#[test]
fn each_name_of_a_tuple_of_trees_has_a_let() {
    let wrong: Vec<_> = BODIES
        .iter()
        .filter(|(together, body)| {
            let kernel =
                format!("fn k(surface: &Surface2D) {{ let m = surface.read::<u8, 8, 16>(0, 0); {body} }}");
            let tokens = run(TokenStream::new(), kernel.parse().expect("tokens"), Role::Kernel).to_string();
            assert!(!tokens.contains("compile_error"), "{tokens}");
            tokens.contains("let (") != *together
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
