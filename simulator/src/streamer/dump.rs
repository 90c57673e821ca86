//! Writes walkers to files, for `cm-simulator exec` and for reading.

use std::fmt::Write;
use std::path::Path;

use super::payload::Place;
use super::walk::Walk;
use crate::dispatch::Surroundings;
use crate::log::error;

/// The maximum bytes of code and of a surface.
const CODE: usize = 256 << 10;
const SURFACE: usize = 16 << 20;

/// Writes a walker to a folder of this process.
pub(super) fn dump(walk: &Walk, folder: &Path) {
    let folder = folder.join(std::process::id().to_string());
    if let Err(why) = write(walk, &folder) {
        error(format_args!("cannot write walker {} to {}: {why}", walk.number, folder.display()));
    }
}

fn write(walk: &Walk, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file =
        |end: &str, bytes: &[u8]| std::fs::write(folder.join(format!("w{:06}.{end}", walk.number)), bytes);
    let code = walk.memory.at(walk.kernel).map(|span| span.copied(CODE)).unwrap_or_default();
    file("isa", &code)?;
    let place = Place { group: walk.walker.begin, thread: 0, hardware_thread: 0, barrier: 0 };
    file("grf", &walk.payload.registers(place))?;
    file("payload", &[&walk.payload.cross_thread[..], &walk.payload.per_thread].concat())?;
    let mut text = format!(
        "kernel {:#x}\n{:#?}\n{:#?}\nscratch {:?}\n",
        walk.kernel, walk.walker, walk.descriptor, walk.scratch
    );
    for entry in 0..walk.descriptor.prefetched {
        let Some(surface) = walk.surface(entry) else { continue };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "surface {entry}: {:#?}", Described(&surface));
        if !surface.bytes.is_empty() {
            file(&format!("bti{entry}"), &surface.bytes.copied(SURFACE))?;
        }
    }
    file("txt", text.as_bytes())
}

/// A surface without its bytes.
struct Described<'a>(&'a crate::dispatch::Surface<'a>);

impl std::fmt::Debug for Described<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = self.0;
        f.debug_struct("Surface")
            .field("kind", &of.kind)
            .field("format", &format_args!("{:#x}", of.format))
            .field("tiling", &of.tiling)
            .field("size", &(of.width, of.height, of.depth))
            .field("pitch", &of.pitch)
            .field("texel", &of.texel)
            .field("address", &format_args!("{:#x}", of.address))
            .field("mapped", &of.bytes.len())
            .finish()
    }
}
