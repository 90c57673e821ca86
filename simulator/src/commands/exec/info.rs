//! Kernels of a program binary as JSON.

use cm_simulator::binary::{ArgumentKind, Kernel};

/// A list of kernels as JSON.
pub(crate) fn json(kernels: &[Kernel]) -> String {
    format!("[{}]", list(kernels, kernel, ",\n"))
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String, separator: &str) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}

/// A quoted string.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

fn kernel(kernel: &Kernel) -> String {
    let table = list(&kernel.binding_table, u32::to_string, ",");
    let arguments = list(
        &kernel.arguments,
        |argument| {
            let kind = match argument.kind {
                ArgumentKind::Image => "image",
                ArgumentKind::GlobalSurface => "global_surface",
                ArgumentKind::Sampler => "sampler",
                ArgumentKind::Value => "value",
                ArgumentKind::SlmOffset => "slm_offset",
                ArgumentKind::Pointer => "pointer",
            };
            format!(
                "{{\"n\":{},\"kind\":\"{kind}\",\"offset\":{},\"size\":{},\"src_offset\":{},\"bti\":{}}}",
                argument.number, argument.offset, argument.size, argument.source, argument.surface
            )
        },
        ",",
    );
    let implicit = list(
        &kernel.implicit,
        |implicit| {
            format!(
                "{{\"type\":{},\"index\":{},\"offset\":{},\"size\":{}}}",
                implicit.kind, implicit.index, implicit.offset, implicit.size
            )
        },
        ",",
    );
    let [x, y, z] = kernel.local_id_flags;
    format!(
        "{{\"name\":{},\"simd\":{},\"slm\":{},\"curbe\":{},\"local_ids\":[{x},{y},{z}],\"bt_count\":{},\"bt\":[{table}],\
         \"args\":[{arguments}],\"implicit\":[{implicit}]}}",
        quoted(&kernel.name),
        kernel.simd,
        kernel.shared,
        kernel.data,
        kernel.binding_table.len()
    )
}
