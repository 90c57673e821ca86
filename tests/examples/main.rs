//! Runs every self-checking program in `examples`, on the CPU and on Level Zero.

mod video;

use std::io::pipe;
use std::process::Command;

use cm_test_support::devices::level_zero;
use cm_test_support::programs::example;

/// Programs with separate tests: `tests/linear_cli`, `video` here, and the tests of `CM_COMPILER` and
/// `cm::diagnose`.
const TESTED_ELSEWHERE: [&str; 6] =
    ["linear", "horizontal_difference", "matrix_product", "video", "compile", "doctor"];

/// Sizes for the other programs: their default work is too much for builds without optimisation.
const SIZES: [(&str, &str); 21] = [
    ("bitonic_sort", "1024"),
    ("black_scholes", "256"),
    ("colour_adjust", "16"),
    ("error_diffusion", "32"),
    ("feature_distances", "16"),
    ("fft", "16"),
    ("gaussian_blur", "16"),
    ("graph_cut", "16"),
    ("hello_world", "3"),
    ("histogram", "64"),
    ("hough_circles", "64"),
    ("integral_image", "48"),
    ("mandelbrot", "64"),
    ("multi_kernels", "96"),
    ("nbody", "256"),
    ("prefix_sum", "1024"),
    ("radix_sort", "1024"),
    ("sepia", "80"),
    ("sharpen", "24"),
    ("sparse_matrix_vector", "64"),
    ("transpose", "32"),
];

/// The programs of the package of examples.
fn programs() -> Vec<&'static str> {
    let manifest = include_str!("../../examples/Cargo.toml");
    let entries = manifest.split("[[example]]\nname = \"").skip(1);
    entries.filter_map(|entry| entry.split('"').next()).collect()
}

fn output(name: &str, device: &str) -> String {
    let size = SIZES.iter().find(|(program, _)| *program == name).map(|(_, size)| size);
    let size = size.unwrap_or_else(|| panic!("{name} has no size in this test"));
    let output = Command::new(example(name)).arg(size).env("CM_DEVICE", device).output();
    let output = output.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} on {device}: {errors}");
    String::from_utf8(output.stdout).unwrap_or_else(|error| panic!("{name} on {device}: {error}"))
}

#[test]
fn programs_agree_with_their_loops_on_every_device() {
    let programs: Vec<_> = programs().into_iter().filter(|name| !TESTED_ELSEWHERE.contains(name)).collect();
    assert!(!programs.is_empty());
    for name in programs {
        let said = output(name, "cpu");
        let line = said.lines().last().unwrap_or_default();
        assert!(line.starts_with("CPU (") && line.contains("plain loops take "), "{name}: {said}");
        if level_zero().is_some() {
            let said = output(name, "level-zero");
            assert!(said.contains("the CPU gave the same "), "{name}: {said}");
        }
    }
}

#[test]
fn programs_tell_how_to_call_them() {
    for (name, form) in [
        ("mandelbrot", "usage: mandelbrot [SIZE] [OUTPUT.png]\nSIZE is a multiple of 16 up to 2032"),
        ("matrix_product", "usage: matrix_product [SIZE]\nSIZE is a multiple of 32 from 32 to 4096"),
    ] {
        for flag in ["-h", "--help"] {
            let output = Command::new(example(name)).arg(flag).output().expect("the program");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.starts_with(form), "{name} {flag}: {output:?}");
        }
    }
}

#[test]
fn programs_end_well_if_nobody_reads_their_lines() {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let status =
        Command::new(example("hello_world")).arg("3").env("CM_DEVICE", "cpu").stdout(writer).status();
    assert!(status.expect("the program").success());
}
