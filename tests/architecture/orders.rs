//! The arrows of every crate. A module may import the modules to its left, never those to its right.

use super::arrows::Crate;

/// From left to right.
pub(crate) const CRATES: [Crate; 8] = [
    Crate {
        name: "cm_macros",
        folder: "macros/src",
        imports: &[],
        order: "counts, derives, matched, messages, names, optimised, unparsed < model, rows < argument, declared, printf < enums < structures < arguments, body, kernel < expand, operator_traits < methods",
        exceptions: &[],
    },
    Crate {
        name: "cm_compiler",
        folder: "compiler/src",
        imports: &[],
        order: "elem < limits < ops, printf < ir < dataflow, divergence, text, verify < interpret < access, pressure, simplify < spirv",
        exceptions: &[],
    },
    Crate {
        name: "cm_dsl",
        folder: "dsl/src",
        imports: &["cm_macros", "cm_compiler"],
        order: "elem < limits < ops < backend < cpu < registers < operators < math, stage < access, address, atomic \
                < scattered < buffer, builtins, printf, surface < buffer_view, cache, in_place, indexed, media_block_io, named_barriers, slm_view, split, subgroups, typed < block_2d, hinted, kernel, slm, surface_3d, typed_2d < sampler, sizes < sampling < recorder",
        exceptions: &[],
    },
    Crate {
        name: "level_zero_sys",
        folder: "runtime/level-zero-sys/src",
        imports: &[],
        order: "assertions, version < bindings < descriptor, result < api, layout < loader",
        // The generated code consists of a macro and a trait.
        exceptions: &["bindings -> api", "bindings -> descriptor"],
    },
    Crate {
        name: "cm_runtime",
        folder: "runtime/src",
        imports: &["cm_macros", "cm_compiler", "cm_dsl", "level_zero_sys"],
        order: "engine < event, format, limits, printf, rect < error, samples < environment, host_memory, latest, names, rows, thread_space < thread_groups < parts < proven < recording < cpu, level_zero < device \
                < buffer, compile, diagnose, surface < arrays, contents, dump, linear_surface, pictures, slice, surface_3d < argument, contents_3d, samplers < scope < launch, transfer",
        exceptions: &[],
    },
    Crate {
        name: "cm_simulator",
        folder: "simulator/src",
        imports: &[],
        order: "commands, generation, kept, memory, time < binary, product < settings < dispatch < isa, log < messages < sampler < eu < launch, streamer < device",
        exceptions: &[],
    },
    Crate {
        name: "cm_simulator_preload",
        folder: "simulator/preload/src",
        imports: &["cm_simulator"],
        order: "next < directories, files",
        exceptions: &[],
    },
    Crate {
        name: "cm",
        folder: "src",
        imports: &["cm_macros", "cm_compiler", "cm_dsl", "cm_runtime"],
        order: "guide",
        exceptions: &[],
    },
];
