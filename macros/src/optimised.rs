//! Whether the compiled crate is optimised: macros run in the process of rustc, and read its command line. No `cfg`
//! tells it; `debug_assertions` are often on in optimised builds.

use std::fs;

/// Whether this process compiles with optimisation.
pub(crate) fn optimised() -> bool {
    // Not `args`, which panics at arguments that are not Unicode.
    is_optimised(std::env::args_os().skip(1).flat_map(|argument| {
        let argument = argument.to_string_lossy().into_owned();
        // A command line that is too long for the system is in a file, one argument per line.
        match argument.strip_prefix('@').and_then(|path| fs::read_to_string(path).ok()) {
            Some(lines) => lines.lines().map(str::to_owned).collect(),
            None => vec![argument],
        }
    }))
}

/// Reads the arguments of rustc. The last of several levels counts; without any it is 0.
fn is_optimised(arguments: impl Iterator<Item = String>) -> bool {
    let (mut optimised, mut codegen) = (false, false);
    for argument in arguments {
        let option = match argument.strip_prefix("-C").or_else(|| argument.strip_prefix("--codegen=")) {
            Some(option) => option,
            None if codegen => &argument,
            None => "",
        };
        if let Some(level) = option.trim_start().strip_prefix("opt-level=") {
            optimised = level != "0";
        } else if argument == "-O" {
            optimised = true;
        }
        codegen = argument == "-C" || argument == "--codegen";
    }
    optimised
}

#[cfg(test)]
mod tests {
    use super::is_optimised;

    #[test]
    fn the_last_level_counts() {
        for (arguments, expected) in [
            ("", false),
            ("--crate-name a src/main.rs --edition=2024", false),
            ("--crate-name a -C opt-level=3 -C embed-bitcode=no", true),
            ("-C debuginfo=2 -C opt-level=0", false),
            ("-Copt-level=s", true),
            ("--codegen opt-level=1", true),
            ("--codegen=opt-level=2", true),
            ("-O --crate-name a", true),
            ("-O -C opt-level=0", false),
            ("-C opt-level=0 -C opt-level=2", true),
            ("--cfg opt-level=3", false),
        ] {
            let found = is_optimised(arguments.split_whitespace().map(str::to_owned));
            assert_eq!(found, expected, "{arguments}");
        }
    }
}
