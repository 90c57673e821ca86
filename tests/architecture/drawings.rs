//! Generates the drawings of the book from the output of the crate. `CM_BLESS=1` rewrites them; then look at
//! them.

use std::array::from_fn;
use std::fmt::Write;

use cm::prelude::*;
use cm_test_support::committed;

use super::documents::read;
use super::linear;

#[track_caller]
fn check(file: &str, drawing: &str) {
    committed::check(&format!("docs/book/src/{file}"), drawing);
}

#[test]
fn the_register_charts_are_those_of_the_kernels() {
    check("registers-linear1d2.svg", &linear::linear1d2::registers().unwrap().to_svg());
    check("registers-linear.svg", &linear::linear::registers().unwrap().to_svg());
    check("registers-linearslide2.svg", &linear::linearslide2::registers().unwrap().to_svg());
}

#[test]
fn the_peaks_of_the_box_filters_are_theirs() {
    let chapter = read("docs/book/src/tutorials/registers.md");
    let (linear, linear1d2) = (linear::linear::registers(), linear::linear1d2::registers());
    let (slide, slide2) = (linear::linearslide::registers(), linear::linearslide2::registers());
    for report in [linear, linear1d2, slide, slide2].map(Result::unwrap) {
        let row = format!("| `{}` |", report.kernel());
        let peak = format!("| {} bytes", report.peak().bytes);
        let said = chapter.lines().any(|line| line.starts_with(&row) && line.contains(&peak));
        assert!(said, "docs/book/src/tutorials/registers.md does not say {row}..{peak}");
    }
}

/// A line of source, and the elements of the matrix that it selects.
macro_rules! taken {
    ($($region:expr),*) => {
        [$((stringify!($region), $region.format::<u8>().to_array().to_vec())),*]
    };
}

const CELL: usize = 12;
const LEFT: usize = 32;
const PANEL: usize = 8 * CELL + 36;

/// The elements of a block of 8 rows of 32 bytes that some regions select. Each row is a register.
#[test]
fn the_regions_are_what_the_methods_take() {
    // Each element contains its own index.
    let m = Matrix::<u8, 8, 32>::from_array(from_fn(|row| from_fn(|column| (row * 32 + column) as u8)));
    let panels = taken!(m.select::<6, 1, 24, 1>(1, 3), m.select::<4, 2, 8, 4>(0, 2), m.row(5), m.column(7));
    let (width, height) = (LEFT + 32 * CELL + 8, panels.len() * PANEL + 4);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (n, (source, taken)) in panels.iter().enumerate() {
        let top = n * PANEL + 24;
        let source = source.replace('<', "&lt;").replace('>', "&gt;");
        writeln!(out, "<text x=\"{LEFT}\" y=\"{}\" font-size=\"13\">{source}</text>", top - 8).unwrap();
        for row in 0..8 {
            let y = top + row * CELL;
            writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">r{row}</text>", LEFT - 6, y + 10)
                .unwrap();
            for column in 0..32 {
                let inside = taken.contains(&((row * 32 + column) as u8));
                let colour = if inside { "#47a" } else { "#eee" };
                let (x, side) = (LEFT + column * CELL, CELL - 1);
                writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" fill=\"{colour}\"/>"
                )
                .unwrap();
            }
        }
    }
    out += "</svg>\n";
    check("regions.svg", &out);
}
