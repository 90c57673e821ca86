//! Program binaries of older drivers: headers and patch tokens, as defined in `patch_list.h` of Intel's
//! compiler.

use crate::generation::Machine;
use object::read::elf::{ElfFile64, SectionHeader};
use object::{Endianness, Object, ObjectSection};

use super::kernel::{Argument, ArgumentKind, Implicit, Kernel, ProgramData};

/// The first bytes of a program binary.
pub(super) const MAGIC: &[u8] = b"CTNI";

/// The type of the section with the program binary, `SHT_OPENCL_DEV_BINARY` of the compiler's `CLElfTypes.h`.
pub(super) const DEVICE_BINARY: u32 = 0xff00_0005;
/// The type of the section with debug information, `SHT_OPENCL_DEV_DEBUG`.
pub(super) const DEVICE_DEBUG: u32 = 0xff00_0008;

/// The section of an ELF file with this type that starts with the magic bytes of a program binary.
pub(super) fn find(file: &[u8], kind: u32) -> Result<&[u8], String> {
    let elf = ElfFile64::<Endianness>::parse(file).map_err(|error| error.to_string())?;
    let sections = elf.sections();
    let sections = sections.filter(|section| section.elf_section_header().sh_type(elf.endian()).0 == kind);
    let binary = sections.filter_map(|section| section.data().ok()).find(|data| data.starts_with(MAGIC));
    binary.ok_or_else(|| "no section of this ELF file is one".into())
}

/// The ELF file with the debug information of a kernel.
pub(super) fn debug_information<'a>(binary: &'a [u8], kernel: &str) -> Result<Option<&'a [u8]>, String> {
    // `SProgramDebugDataHeaderIGC`: magic, version, .., the number of kernels; then a
    // `SKernelDebugDataHeaderIGC` for each.
    let mut reader = Reader { bytes: binary, at: 0 };
    reader.skip(6)?;
    for _ in 0..reader.dword()? {
        let (name, file, other) = (reader.size()?, reader.size()?, reader.size()?);
        let name = reader.take(name)?.split(|byte| *byte == 0).next().unwrap_or_default();
        let file = reader.take(file)?;
        reader.take(other)?;
        if name == kernel.as_bytes() {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Reads bytes in order.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| format!("it ends before byte {}", self.at.saturating_add(length)))?;
        self.at += length;
        Ok(taken)
    }

    fn skip(&mut self, dwords: usize) -> Result<(), String> {
        self.take(dwords * 4).map(|_| ())
    }

    fn dword(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn size(&mut self) -> Result<usize, String> {
        Ok(self.dword()? as usize)
    }

    /// The next token: its number, and a reader for the bytes after its header; `None` at the end.
    fn token(&mut self) -> Result<Option<(u32, Reader<'a>)>, String> {
        if self.at + 8 > self.bytes.len() {
            return Ok(None);
        }
        let (token, size) = (self.dword()?, self.size()?);
        let Some(size) = size.checked_sub(8) else { return Ok(None) };
        Ok(Some((token, Reader { bytes: self.take(size)?, at: 0 })))
    }
}

/// The kernels of a program binary.
pub(super) fn kernels(binary: &[u8]) -> Result<Vec<Kernel>, String> {
    let mut reader = Reader { bytes: binary, at: 0 };
    reader.skip(2)?;
    let machine = Machine::of(Kernel::generation(reader.dword()?)?);
    reader.skip(1)?;
    let count = reader.dword()?;
    reader.skip(1)?;
    let length = reader.size()?;
    let (mut constants, mut globals) = (vec![], vec![]);
    let mut tokens = Reader { bytes: reader.take(length)?, at: 0 };
    while let Some((token, mut body)) = tokens.token()? {
        if let 41 | 42 = token {
            body.skip(1)?;
            let length = body.size()?;
            // The data follow the token, and may be included in its size or not.
            let data = if body.at == body.bytes.len() { tokens.take(length)? } else { body.take(length)? };
            *(if token == 42 { &mut constants } else { &mut globals }) = data.to_vec();
        }
    }
    let mut kernels = vec![];
    for _ in 0..count {
        let mut kernel = kernel(&mut reader, machine)?;
        kernel.constants.clone_from(&constants);
        kernel.globals.clone_from(&globals);
        kernels.push(kernel);
    }
    Ok(kernels)
}

/// A kernel and its tokens.
fn kernel(reader: &mut Reader<'_>, machine: Machine) -> Result<Kernel, String> {
    reader.skip(3)?;
    let name = reader.size()?;
    let tokens = reader.size()?;
    let code = reader.size()?;
    let (general, dynamic, surfaces) = (reader.size()?, reader.size()?, reader.size()?);
    let unpadded = reader.size()?;
    let name = reader.take(name)?.split(|byte| *byte == 0).next().unwrap_or_default();
    let code = reader.take(code)?;
    reader.take(general)?;
    reader.take(dynamic)?;
    let surfaces = reader.take(surfaces)?;
    let mut tokens = Reader { bytes: reader.take(tokens)?, at: 0 };
    let used = if unpadded == 0 { code.len() } else { unpadded.min(code.len()) };
    let mut kernel = Kernel {
        name: String::from_utf8_lossy(name).into_owned(),
        code: code[..used].to_vec(),
        ..Kernel::new(machine)
    };
    while let Some((token, body)) = tokens.token()? {
        take(&mut kernel, token, body, surfaces)?;
    }
    kernel.arguments.sort_by_key(|argument| (argument.number, argument.source));
    Ok(kernel)
}

/// Applies a token to a kernel.
fn take(kernel: &mut Kernel, token: u32, mut body: Reader<'_>, surfaces: &[u8]) -> Result<(), String> {
    let argument =
        |number, kind, surface: i64| Argument { number, kind, offset: 0, size: 0, source: 0, surface };
    match token {
        8 => {
            let (offset, count) = (body.size()?, body.size()?);
            let mut table = Reader { bytes: surfaces, at: offset };
            for _ in 0..count.min(256) {
                kernel.binding_table.push(table.dword()? / 64);
            }
        }
        9 | 11 | 12 => {
            let number = body.dword()?;
            body.skip(1)?;
            let kind = match token {
                9 => ArgumentKind::Sampler,
                11 => ArgumentKind::GlobalSurface,
                _ => ArgumentKind::Image,
            };
            let offset = body.dword()?;
            kernel.arguments.push(argument(number, kind, (offset / 64).into()));
        }
        15 => {
            body.skip(1)?;
            kernel.shared = body.dword()?;
        }
        17 => {
            let (kind, number, offset) = (body.dword()?, body.dword()?, body.dword()?);
            let (size, source) = (body.dword()?, body.dword()?);
            let by_value = |kind| Argument { number, kind, offset, size, source, surface: -1 };
            match kind {
                1 => kernel.arguments.push(by_value(ArgumentKind::Value)),
                8 => kernel.arguments.push(by_value(ArgumentKind::SlmOffset)),
                _ => kernel.implicit.push(Implicit { kind, index: source / 4, offset, size }),
            }
        }
        18 => kernel.arguments.push(argument(body.dword()?, ArgumentKind::Sampler, -1)),
        22 => {
            body.skip(1)?;
            kernel.local_id_flags = [body.dword()?, body.dword()?, body.dword()?];
            kernel.local_ids = kernel.local_id_flags != [0; 3];
        }
        23 => {
            body.skip(3)?;
            kernel.simd = body.dword()?;
        }
        25 => kernel.data = body.dword()?,
        30 => {
            let number = body.dword()?;
            let (surface, offset, size) = (body.dword()?, body.dword()?, body.dword()?);
            let pointer = argument(number, ArgumentKind::Pointer, (surface / 64).into());
            kernel.arguments.push(Argument { offset, size, ..pointer });
        }
        43 | 44 => {
            body.skip(1)?;
            let (surface, offset, size) = (body.dword()?, body.dword()?, body.dword()?);
            let surface = (surface / 64).into();
            kernel.program_data.push(ProgramData { is_constant: token == 44, surface, offset, size });
        }
        _ => {}
    }
    Ok(())
}
