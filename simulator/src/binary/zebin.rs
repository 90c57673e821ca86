//! Program binaries in the format of Level Zero (zebin): a code section for each kernel, and `.ze_info`,
//! which describes them in YAML, as defined in `ze_info.yaml` of Intel's compiler.

use std::collections::HashMap;

use crate::generation::{Generation, Machine};
use object::{Object, ObjectSection};

use super::kernel::{Argument, ArgumentKind, Implicit, Kernel, ProgramData};

/// The type of a note.
const GFXCORE_FAMILY: u32 = 2;

/// Keys and values.
type Fields<'a> = HashMap<&'a str, &'a str>;

/// The description of a kernel in `.ze_info`: its fields, and those of the items of its lists.
#[derive(Default)]
struct Described<'a> {
    environment: Fields<'a>,
    lists: HashMap<&'a str, Vec<Fields<'a>>>,
}

/// Parses the kernels by indentation: names have two columns, their parts four, items of lists six, their
/// keys eight.
fn described(text: &str) -> Vec<(&str, Described<'_>)> {
    let mut kernels: Vec<(&str, Described<'_>)> = vec![];
    let (mut is_kernels, mut part) = (false, "");
    for line in text.lines() {
        let content = line.trim_start();
        let column = line.len() - content.len();
        let (is_item, content) = content.strip_prefix("- ").map_or((false, content), |rest| (true, rest));
        let Some((key, value)) = content.split_once(':') else { continue };
        let (key, value) = (key.trim(), value.trim().trim_matches('\''));
        match (column, is_item) {
            (0, _) => is_kernels = key == "kernels",
            _ if !is_kernels => {}
            (2, true) if key == "name" => kernels.push((value, Described::default())),
            (4, false) => part = key,
            _ => {
                let Some((_, kernel)) = kernels.last_mut() else { continue };
                if part == "execution_env" {
                    kernel.environment.insert(key, value);
                    continue;
                }
                let list = kernel.lists.entry(part).or_default();
                if is_item {
                    list.push(Fields::new());
                }
                if let Some(item) = list.last_mut() {
                    item.insert(key, value);
                }
            }
        }
    }
    kernels
}

/// A number of an item; 0 if it is missing.
fn number(fields: &Fields<'_>, key: &str) -> Result<u32, String> {
    match fields.get(key) {
        Some(text) => text.parse().map_err(|_| format!("{key} is {text}, which is no number")),
        None => Ok(0),
    }
}

/// The kernels of an ELF file; `None` if it has another format.
pub(super) fn kernels(file: &[u8]) -> Result<Option<Vec<Kernel>>, String> {
    let elf = object::File::parse(file).map_err(|error| error.to_string())?;
    let section = |name: &str| elf.section_by_name(name).and_then(|section| section.data().ok());
    let Some(info) = section(".ze_info") else { return Ok(None) };
    let info = std::str::from_utf8(info).map_err(|_| ".ze_info is no text")?;
    let generation = Kernel::generation(family(section(".note.intelgt.compat").unwrap_or_default())?)?;
    let mut kernels = vec![];
    for (name, described) in described(info) {
        let code = section(&format!(".text.{name}")).ok_or_else(|| format!("there is no code of {name}"))?;
        let mut kernel = kernel(&described, generation).map_err(|why| format!("{name}: {why}"))?;
        kernel.name = name.to_owned();
        kernel.code = code.to_vec();
        kernel.constants = section(".data.const").unwrap_or_default().to_vec();
        kernel.globals = section(".data.global").unwrap_or_default().to_vec();
        kernels.push(kernel);
    }
    Ok(Some(kernels))
}

/// The `GFXCORE_FAMILY` in a section of notes; a note has a name, a number and bytes.
fn family(notes: &[u8]) -> Result<u32, String> {
    let mut rest = notes;
    let dword = |bytes: &[u8], n: usize| {
        bytes.get(n * 4..n * 4 + 4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    while let (Some(name), Some(length), Some(kind)) = (dword(rest, 0), dword(rest, 1), dword(rest, 2)) {
        let [name, length] = [name, length].map(|length| length.min(1 << 16).next_multiple_of(4) as usize);
        if kind == GFXCORE_FAMILY {
            return dword(rest.get(12 + name..).unwrap_or_default(), 0)
                .ok_or_else(|| "its notes end too early".into());
        }
        rest = rest.get(12 + name + length..).unwrap_or_default();
    }
    Err("it does not say which GPUs it is for".into())
}

fn kernel(described: &Described<'_>, generation: Generation) -> Result<Kernel, String> {
    let list = |name: &str| described.lists.get(name).map(Vec::as_slice).unwrap_or_default();
    let registers = match number(&described.environment, "grf_count")? as usize {
        0 => Machine::of(generation).registers,
        registers if registers <= generation.most_registers() => registers,
        registers => return Err(format!("it needs {registers} registers")),
    };
    let mut kernel = Kernel {
        simd: number(&described.environment, "simd_size")?,
        shared: number(&described.environment, "slm_size")?,
        inline_data: number(&described.environment, "inline_data_payload_size")?,
        ..Kernel::new(Machine { generation, registers })
    };
    let mut entries = HashMap::new();
    for item in list("binding_table_indices") {
        entries.insert(number(item, "arg_index")?, number(item, "bti_value")?);
    }
    // Each entry maps to itself.
    kernel.binding_table =
        (0..entries.values().max().map_or(0, |entry| entry.saturating_add(1).min(256))).collect();
    for item in list("per_thread_payload_arguments") {
        if matches!(item.get("arg_type").copied(), Some("local_id" | "packed_local_ids")) {
            (kernel.local_ids, kernel.local_id_flags) = (true, [1; 3]);
        }
    }
    for item in list("payload_arguments") {
        let [number, offset, size, source] = [
            number(item, "arg_index")?,
            number(item, "offset")?,
            number(item, "size")?,
            number(item, "source_offset")?,
        ];
        kernel.data = kernel.data.max(offset.saturating_add(size));
        payload(
            &mut kernel,
            item,
            Argument { number, offset, size, source, kind: ArgumentKind::Value, surface: -1 },
        );
    }
    for argument in kernel.arguments.iter_mut().filter(|argument| argument.kind != ArgumentKind::Value) {
        argument.surface = entries.get(&argument.number).map_or(-1, |entry| (*entry).into());
    }
    kernel.data = kernel.data.min(4096).next_multiple_of(32);
    kernel.arguments.sort_by_key(|argument| (argument.number, argument.source));
    Ok(kernel)
}

/// Adds an argument that the driver writes to the data of threads.
fn payload(kernel: &mut Kernel, item: &Fields<'_>, argument: Argument) {
    let Argument { number, offset, size, .. } = argument;
    let field = |key: &str| item.get(key).copied().unwrap_or_default();
    let data = |is_constant| ProgramData { is_constant, surface: -1, offset, size };
    // Both formats have these; the numbers are those of patch tokens.
    let kind = match field("arg_type") {
        "arg_byvalue" => return kernel.arguments.push(argument),
        "arg_bypointer" => {
            let kind = match field("addrspace") {
                "image" => ArgumentKind::Image,
                "sampler" => ArgumentKind::Sampler,
                "local" => ArgumentKind::SlmOffset,
                _ => ArgumentKind::Pointer,
            };
            // The address and the binding table entry of a buffer are one argument.
            return match kernel
                .arguments
                .iter_mut()
                .find(|known| known.number == number && known.kind == kind)
            {
                Some(known) if size > 0 => (known.offset, known.size) = (offset, size),
                Some(_) => {}
                None => kernel.arguments.push(Argument { kind, ..argument }),
            };
        }
        "buffer_address" => {
            let pointer = kernel.arguments.iter_mut().find(|argument| argument.number == number);
            if let Some(pointer) = pointer {
                (pointer.offset, pointer.size) = (offset, size);
            }
            return;
        }
        "const_base" => return kernel.program_data.push(data(true)),
        "global_base" => return kernel.program_data.push(data(false)),
        "local_size" => 2,
        "global_size" => 3,
        "group_count" => 18,
        "enqueued_local_size" => 28,
        _ => return,
    };
    for index in 0..size.min(12) / 4 {
        // An offset beyond all data is ignored.
        kernel.implicit.push(Implicit { kind, index, offset: offset.saturating_add(index * 4), size: 4 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_their_arguments_and_entries() {
        let text = "---\nversion: '1.20'\nkernels:\n  - name:            one\n    execution_env:\n      simd_size:       1\n\
                    \x20     slm_size:        64\n    payload_arguments:\n      - arg_type:        arg_bypointer\n\
                    \x20       offset:          0\n        size:            0\n        arg_index:       0\n\
                    \x20       addrspace:       image\n      - arg_type:        arg_byvalue\n        offset:          40\n\
                    \x20       size:            4\n        arg_index:       1\n    binding_table_indices:\n\
                    \x20     - bti_value:       2\n        arg_index:       0\n  - name:            two\n\
                    kernels_misc_info:\n  - name:            three\n";
        let described = described(text);
        assert_eq!(described.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["one", "two"]);
        let one = kernel(&described[0].1, Generation::Gen9).unwrap();
        assert_eq!((one.simd, one.shared, one.data), (1, 64, 64));
        let arguments: Vec<_> =
            one.arguments.iter().map(|argument| (argument.kind, argument.offset, argument.surface)).collect();
        assert_eq!(arguments, [(ArgumentKind::Image, 0, 2), (ArgumentKind::Value, 40, -1)]);
    }

    #[test]
    fn offsets_of_the_largest_numbers_do_not_overflow() {
        let text = "kernels:\n  - name: one\n    payload_arguments:\n      - arg_type: local_size\n\
                    \x20       offset: 4294967295\n        size: 12\n";
        let one = kernel(&described(text)[0].1, Generation::Gen9).unwrap();
        let offsets: Vec<_> = one.implicit.iter().map(|implicit| implicit.offset).collect();
        assert_eq!((offsets, one.data), (vec![u32::MAX; 3], 4096));
    }

    #[test]
    fn a_number_that_is_none_is_refused() {
        let text = "kernels:\n  - name: one\n    execution_env:\n      simd_size: many\n";
        let described = described(text);
        assert_eq!(
            kernel(&described[0].1, Generation::Gen9).err(),
            Some("simd_size is many, which is no number".into())
        );
    }
}
