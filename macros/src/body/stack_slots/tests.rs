//! Which named trees get stack slots.

use proc_macro2::TokenStream;

use crate::expand::run;
use crate::model::Role;

/// Statements after `let m = surface.read::<u8, 12, 32>(x, y);`, and whether they have a stack slot.
const BODIES: &[(bool, &str)] = &[
    (true, "let s: Matrix<i16, 8, 20> = (m + 1).convert(); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (true, "let s: Matrix<u8, 8, 20> = (m + 1).saturate(); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (true, "let s = (m + 1).convert::<i16>(); f(s.select::<8, 1, 16, 2>(0, 0));"),
    (true, "let s = m * 0.5f32; f(s.select::<8, 1, 16, 1>(0, 4)); f((s.row(1) + 1).convert());"),
    (true, "let s = m * 2; let r = s.row(1); f(s.select::<8, 1, 16, 1>(0, 4)); f(r.select::<16, 1>(2));"),
    (
        true,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    // It is passed on, or written.
    (false, "let s: Matrix<i16, 8, 20> = (m + 1).convert(); f(s.select::<8, 1, 16, 1>(0, 4)); f(s);"),
    (false, "let mut s: Matrix<i16, 8, 20> = (m + 1).convert(); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (false, "let s = m * 2; output.write(x, y, &s); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (false, "let s = m * 2; printf!(\"{s:?}\"); f(s.select::<8, 1, 16, 1>(0, 4));"),
    // It has another type, or none that is known.
    (false, "let s: Words = (m + 1).convert(); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (false, "let s: Vector<i16, 32> = (m.row(0) + 1).convert(); f(s.select::<16, 1>(4));"),
    (false, "let s = m.row(0) + 1; f(s.select::<16, 1>(4));"),
    (false, "let s: Matrix<_, 8, 20> = (m + 1).convert(); f(s.select::<8, 1, 16, 1>(0, 4));"),
    (false, "let s = m < 3; f(s.select::<8, 1, 16, 1>(0, 4));"),
    (false, "let s = m.select::<8, 1, 20, 1>(0, 0); f(s.select::<8, 1, 16, 1>(0, 4));"),
    // Every third column.
    (false, "let s = m * 2; f(s.select::<8, 1, 8, 3>(0, 0));"),
    // The tree may have another shape with as many elements.
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m + 1); f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    // It changes again, or the tree reads it.
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); s += m; f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); s += -m; f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); s &= !m; f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); s >>= -m; f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(s + m.select::<12, 1, 32, 1>(0, 0)); f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); f(s.select::<8, 1, 16, 1>(0, 4)); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1);",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(0); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); s.row_mut(0).assign(m.row(1)); \
         f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
    (
        false,
        "let mut s = Matrix::<i16, 12, 32>::splat(x); s.assign(m.select::<12, 1, 32, 1>(0, 0) + 1); f(s.select::<8, 1, 16, 1>(0, 4));",
    ),
];

#[test]
fn trees_of_which_regions_are_used_have_stack_slots() {
    let wrong: Vec<_> = BODIES
        .iter()
        .filter(|(slot, body)| {
            let kernel = format!(
                "fn k(surface: &Surface2D, output: &mut Surface2D) {{ let (x, y) = (thread_origin_x(), 1); \
                 let m = surface.read::<u8, 12, 32>(x, y); {body} }}"
            );
            let tokens = run(TokenStream::new(), kernel.parse().expect("tokens"), Role::Kernel).to_string();
            assert!(!tokens.contains("compile_error"), "{tokens}");
            tokens.contains("__slot") != *slot
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
