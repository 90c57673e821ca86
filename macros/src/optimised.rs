//! How the compiled crate is optimised: macros run in the process of rustc, and read its command line. No `cfg`
//! tells it; `debug_assertions` are often on in optimised builds.

use std::fs;

use proc_macro2::TokenStream;
use quote::quote;

/// How rustc optimises a crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Optimisation {
    /// Whether it does.
    pub(crate) optimised: bool,
    /// Whether LLVM simplifies the code once before it vectorises loops. By default rustc divides a crate into several
    /// units, and LLVM simplifies these once more when it has seen all of them (thin LTO). A single unit, and fat LTO, have
    /// one round.
    pub(crate) once: bool,
    /// Whether LLVM unrolls only loops of half the size: level 2. By default Cargo gives all crates the level of the profile.
    pub(crate) short: bool,
}

/// How this process optimises.
pub(crate) fn optimisation() -> Optimisation {
    // Not `args`, which panics at arguments that are not Unicode.
    of_arguments(std::env::args_os().skip(1).flat_map(|argument| {
        let argument = argument.to_string_lossy().into_owned();
        // A command line that is too long for the system is in a file, one argument per line.
        match argument.strip_prefix('@').and_then(|path| fs::read_to_string(path).ok()) {
            Some(lines) => lines.lines().map(str::to_owned).collect(),
            None => vec![argument],
        }
    }))
}

/// Kernels and their functions are always inlined in a crate with optimisation; see [`inlined`](crate::inlined).
pub(crate) fn inlined() -> TokenStream {
    if optimisation().optimised { quote!(#[inline(always)]) } else { quote!(#[inline]) }
}

/// Reads the arguments of rustc. The last of several equal options counts; without any the level is 0.
fn of_arguments(arguments: impl Iterator<Item = String>) -> Optimisation {
    let (mut level, mut single_unit, mut lto, mut codegen) = (String::from("0"), false, None, false);
    for argument in arguments {
        let option = match argument.strip_prefix("-C").or_else(|| argument.strip_prefix("--codegen=")) {
            Some(option) => option,
            None if codegen => &argument,
            None => "",
        };
        match option.trim_start().split_once('=').unwrap_or((option.trim_start(), "")) {
            ("opt-level", option) => level = option.to_owned(),
            ("codegen-units", units) => single_unit = units == "1",
            ("lto", form) => lto = Some(form == "thin"),
            // Cargo gives it to libraries if the profile has fat LTO. rustc then leaves thin LTO to the linker.
            ("linker-plugin-lto", _) => lto = lto.or(Some(false)),
            // It is level 3.
            _ if argument == "-O" => level = String::from("3"),
            _ => {}
        }
        codegen = argument == "-C" || argument == "--codegen";
    }
    // `lto=off` leaves out thin LTO between the units of the crate, too.
    Optimisation { optimised: level != "0", once: lto.map_or(single_unit, |thin| !thin), short: level == "2" }
}

#[cfg(test)]
mod tests {
    use super::{Optimisation, of_arguments};

    fn of(arguments: &str) -> Optimisation {
        of_arguments(arguments.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_last_level_counts() {
        for (arguments, expected) in [
            ("", (false, false)),
            ("--crate-name a src/main.rs --edition=2024", (false, false)),
            ("--crate-name a -C opt-level=3 -C embed-bitcode=no", (true, false)),
            ("-C debuginfo=2 -C opt-level=0", (false, false)),
            ("-Copt-level=s", (true, false)),
            ("--codegen opt-level=1", (true, false)),
            ("--codegen=opt-level=2", (true, true)),
            ("-O --crate-name a", (true, false)),
            ("-O -C opt-level=0", (false, false)),
            ("-C opt-level=0 -C opt-level=2", (true, true)),
            ("--cfg opt-level=3", (false, false)),
        ] {
            let Optimisation { optimised, short, .. } = of(arguments);
            assert_eq!((optimised, short), expected, "{arguments}");
        }
    }

    #[test]
    fn one_unit_and_all_but_thin_lto_have_one_round() {
        for (arguments, expected) in [
            ("-C opt-level=3 -C embed-bitcode=no", false),
            ("-C opt-level=3 -C codegen-units=1", true),
            ("-Ccodegen-units=1 -C codegen-units=16", false),
            ("-C opt-level=3 -C lto", true),
            ("-C opt-level=3 -C lto=fat", true),
            ("-C lto=off", true),
            ("--codegen lto=thin --codegen=codegen-units=1", false),
            ("-C lto=fat -C lto=thin", false),
            ("-C opt-level=3 -C linker-plugin-lto", true),
            ("-C linker-plugin-lto -C lto=thin", false),
            ("--cfg codegen-units=1", false),
        ] {
            assert_eq!(of(arguments).once, expected, "{arguments}");
        }
    }
}
