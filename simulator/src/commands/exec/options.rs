//! Values of options.

use std::path::PathBuf;

use cm_simulator::dispatch::{Shape, Tiling};
use cm_simulator::generation::Generation;
use cm_simulator::launch::WORK_ITEMS;
use cm_simulator::settings::HARDWARE_THREADS;

/// The files that bytes of memory are read from and written to. Without a path, they are zeros or are not
/// written.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) input: Option<PathBuf>,
    pub(crate) output: Option<PathBuf>,
}

impl Files {
    fn of(input: &str, output: Option<&str>) -> Self {
        let path = |name: &str| (!matches!(name, "" | "-")).then(|| PathBuf::from(name));
        Self { input: path(input), output: path(output.unwrap_or(input)) }
    }
}

/// `--surface`.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) entry: u32,
    pub(crate) files: Files,
    pub(crate) shape: Shape,
    /// The size of its memory.
    pub(crate) bytes: u32,
}

/// `--buffer`.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) entry: u32,
    pub(crate) files: Files,
    pub(crate) bytes: u32,
}

/// `--mem`.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) address: u64,
    pub(crate) files: Files,
    pub(crate) bytes: u32,
}

/// `--alias`.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub(crate) entry: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
}

/// `--arg`.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    offset: u32,
    bytes: Vec<u8>,
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Result<u64, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|_| format!("`{text}` is no number"))
}

/// A number of at most 32 bits.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|_| format!("`{text}` is too large"))
}

/// A positive number.
pub(crate) fn positive(text: &str) -> Result<u32, String> {
    count(text)
        .and_then(|count| if count == 0 { Err("there must be at least one".into()) } else { Ok(count) })
}

/// `--scratch`.
pub(crate) fn scratch(text: &str) -> Result<u32, String> {
    count(text).and_then(|bytes| match bytes {
        0..=0x20_0000 => Ok(bytes),
        _ => Err("a thread has at most 2 MiB of scratch space".into()),
    })
}

/// `--generation`.
pub(crate) fn generation(text: &str) -> Result<Generation, String> {
    let names = Generation::ALL.map(Generation::name).join(", ");
    Generation::named(text).ok_or_else(|| format!("a generation is one of {names}"))
}

/// `--simd`.
pub(crate) fn simd(text: &str) -> Result<u32, String> {
    count(text).and_then(|count| match count {
        count if WORK_ITEMS.contains(&count) => Ok(count),
        _ => Err("a thread has 1, 8, 16 or 32 work items".into()),
    })
}

/// `--threads`.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    count(text).and_then(|count| match count {
        1..=HARDWARE_THREADS => Ok(count as usize),
        _ => Err(format!("1 to {HARDWARE_THREADS} host threads expected")),
    })
}

/// Three numbers from one to three; missing ones are 1.
pub(crate) fn triple(numbers: &[u32]) -> [u32; 3] {
    [0, 1, 2].map(|n| numbers.get(n).copied().unwrap_or(1))
}

/// The text before and after `=`.
fn pair(text: &str) -> Result<(&str, &str), String> {
    text.split_once('=').ok_or_else(|| "there is no `=`".to_owned())
}

const SURFACE: &str = "a surface is ENTRY=FILE,WIDTH,HEIGHT,PITCH,TEXEL[,OUTPUT]";

impl Surface {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (entry, rest) = pair(text)?;
        let (mut format, mut tiling) = (None, Tiling::Linear);
        let mut places = vec![];
        for part in rest.split(',') {
            if let Some(number) = part.strip_prefix("fmt=") {
                format = Some(count(number)?);
            } else if let Some(tile) = part.strip_prefix("tile=") {
                tiling = match tile {
                    "x" => Tiling::X,
                    "y" => Tiling::Y,
                    "4" => Tiling::Four,
                    "64" => Tiling::SixtyFour,
                    "linear" => Tiling::Linear,
                    _ => return Err(format!("`{tile}` is no tiling: x, y, 4, 64, linear")),
                };
            } else {
                places.push(part);
            }
        }
        let [file, width, height, pitch, texel, ref output @ ..] = places[..] else {
            return Err(SURFACE.into());
        };
        if output.len() > 1 {
            return Err(SURFACE.into());
        }
        let (width, pitch, texel) = (count(width)?, count(pitch)?, count(texel)?.max(1));
        if width > pitch {
            return Err("the pitch is smaller than the width".into());
        }
        let usual = Shape::rows(width, count(height)?, pitch, texel);
        let shape = Shape { format: format.unwrap_or(usual.format), tiling, ..usual };
        let bytes = bytes(&shape).ok_or_else(|| format!("a surface has at most {} bytes", u32::MAX))?;
        Ok(Self { entry: count(entry)?, files: Files::of(file, output.first().copied()), shape, bytes })
    }
}

/// The size of the memory of a surface; `None` if it has more than 32 bits.
fn bytes(shape: &Shape) -> Option<u32> {
    let rows_of_tile = match shape.tiling {
        Tiling::Linear => 1,
        Tiling::X => 8,
        Tiling::Y | Tiling::Four => 32,
        Tiling::SixtyFour => 256,
    };
    shape.height.checked_next_multiple_of(rows_of_tile)?.checked_mul(shape.pitch)
}

/// Parses KEY=FILE,BYTES[,OUTPUT]: the key, the files and the number of bytes.
fn stored<'a>(text: &'a str, form: &str) -> Result<(&'a str, Files, u32), String> {
    let (key, rest) = pair(text)?;
    let (file, bytes, output) = match rest.split(',').collect::<Vec<_>>()[..] {
        [file, bytes] => (file, bytes, None),
        [file, bytes, output] => (file, bytes, Some(output)),
        _ => return Err(form.into()),
    };
    Ok((key, Files::of(file, output), count(bytes)?))
}

impl Buffer {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (entry, files, bytes) = stored(text, "a buffer is ENTRY=FILE,BYTES[,OUTPUT]")?;
        Ok(Self { entry: count(entry)?, files, bytes })
    }
}

impl Memory {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (address, files, bytes) = stored(text, "memory is ADDRESS=FILE,BYTES[,OUTPUT]")?;
        Ok(Self { address: number(address)?, files, bytes })
    }
}

impl Alias {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (entry, rest) = pair(text)?;
        let (address, bytes) = rest.split_once(',').ok_or("an alias is ENTRY=ADDRESS,BYTES")?;
        Ok(Self { entry: count(entry)?, address: number(address)?, bytes: count(bytes)? })
    }
}

impl Argument {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (offset, value) = pair(text)?;
        let (value, ty) = match value.rsplit_once(':') {
            Some(parts) => parts,
            None => (value, if value.contains('.') { "f" } else { "d" }),
        };
        let float = || value.parse::<f64>().map_err(|_| format!("`{value}` is no number"));
        let integer = || match value.strip_prefix('-') {
            Some(magnitude) => number(magnitude).map(u64::wrapping_neg),
            None => number(value),
        };
        let bytes = match ty {
            "f" => (float()? as f32).to_le_bytes().to_vec(),
            "df" => float()?.to_le_bytes().to_vec(),
            "hf" => cm_simulator::eu::half(float()?).to_le_bytes().to_vec(),
            "b" | "w" | "d" | "q" => {
                let size = match ty {
                    "b" => 1,
                    "w" => 2,
                    "d" => 4,
                    _ => 8,
                };
                integer()?.to_le_bytes()[..size].to_vec()
            }
            _ => return Err(format!("`{ty}` is no type: b, w, d, q, f, hf, df")),
        };
        match count(offset)? {
            offset @ 0..=0x1_0000 => Ok(Self { offset, bytes }),
            offset => Err(format!("offset {offset}: the data has at most 65536 bytes")),
        }
    }

    /// Writes it to the data of threads, which grow if necessary.
    pub(crate) fn put(&self, data: &mut Vec<u8>) {
        let start = self.offset as usize;
        let end = start + self.bytes.len();
        data.resize(data.len().max(end), 0);
        data[start..end].copy_from_slice(&self.bytes);
    }
}
