//! Messages to surfaces, fences and barriers: the decoded descriptors and headers of the compiled code, compared with the
//! kernel. The bytes that the messages move are compared by execution (`texels`, `random_kernels`); fences change no
//! result of the execution units, which complete every access at once.

use cm::Target;
use cm::compiler::limits::media_pitch;
use cm::compiler::ops::{ChannelMask, Dims};
use cm::spirv::lower;
use cm::text::parse;
use cm_test_support::emulator::{Code, Emulator};

/// A message of the compiled code.
#[derive(Debug)]
struct Message<'a> {
    /// The register with its header or addresses.
    payload: &'a str,
    /// Registers that it sends: the header or addresses, then the data.
    sent: (usize, usize),
    /// Registers that it returns.
    returned: usize,
    /// The entry of the binding table.
    surface: u32,
    /// What the disassembler says about the rest.
    text: &'a str,
}

impl<'a> Message<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (code, comment) = line.split_once("// wr:")?;
        let (lengths, text) = comment.split_once("; ")?;
        let (sent, returned) = lengths.split_once(", rd:")?;
        let (first, data) = sent.split_once('+')?;
        // On Gen9 the text begins with the unit.
        let units = ["hdc.dc0; ", "hdc.dc1; ", "gateway; "];
        let text = units.iter().find_map(|unit| text.strip_prefix(unit)).unwrap_or(text);
        let operands = code.split_once("|M0)")?.1;
        let descriptor = operands.split_whitespace().rfind(|word| word.starts_with("0x"))?;
        let descriptor = u32::from_str_radix(&descriptor[2..], 16).ok()?;
        let entry =
            text.split_once("bti[").map(|(_, rest)| rest.split(']').next().unwrap_or_default().parse());
        Some(Self {
            payload: operands.split_whitespace().nth(1)?,
            sent: (first.trim_end_matches('h').parse().ok()?, data.parse().ok()?),
            returned: returned.parse().ok()?,
            surface: entry.unwrap_or(Ok(descriptor & 0xff)).ok()?,
            text,
        })
    }
}

/// The messages whose texts start like this.
fn messages<'a>(code: &'a Code, start: &str) -> Vec<Message<'a>> {
    code.lines().filter_map(Message::of).filter(|message| message.text.starts_with(start)).collect()
}

/// Whether a part of a register gets this number.
fn gets(code: &Code, register: &str, part: usize, number: usize) -> bool {
    let (place, number) = (format!(" {register}.{part}<1>:"), format!(" 0x{number:X}:"));
    code.lines().any(|line| line.contains(&place) && line.contains(&number))
}

fn compiled(emulator: &Emulator, (device, target): (&str, Target), text: &str) -> std::sync::Arc<Code> {
    let function = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    emulator.compile((&lower(&function, target).unwrap(), device), text)
}

/// Whether surfaces have the messages of the load/store cache.
fn has_texel_units(target: Target) -> bool {
    matches!(target, Target::Xe2 | Target::Xe3 | Target::Xe3p)
}

/// The devices with images.
fn devices(emulator: &Emulator) -> impl Iterator<Item = (&'static str, Target)> {
    emulator.devices().iter().copied().filter(|(_, target)| *target != Target::XeHpc)
}

#[test]
fn media_blocks_have_their_surfaces_and_sizes() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for (device, target) in devices(&emulator) {
        for (elem, size, rows, columns) in
            [("u8", 1, 4, 24), ("u8", 1, 8, 32), ("u16", 2, 16, 4), ("f32", 4, 3, 5), ("u32", 4, 1, 16)]
        {
            let code = compiled(
                &emulator,
                (device, target),
                &format!(
                    "file 0 \"k.rs\" kernel k(x: read surface, y: write surface, n: i32, m: i32) {{
                        %0: i32 = argument #2 @0:1:1
                        %1: i32 = argument #3 @0:1:1
                        %2: {elem}<{rows}x{columns}> = read #0 %0, %1 @0:2:1
                        write #1 %0, %1, %2: {elem}<{rows}x{columns}> @0:3:1
                    }}"
                ),
            );
            let width = columns * size;
            let bytes = rows * media_pitch(width);
            let what = format!("{rows} x {width} bytes on {device}");
            let (names, register, part, shape) = if has_texel_units(target) {
                (["load_block2d.tgm", "store_block2d.tgm"], 64, 14, (rows - 1) << 8 | (width - 1))
            } else {
                (["media block read", "media block write"], 32, 2, (rows - 1) << 16 | (width - 1))
            };
            let registers = bytes.div_ceil(register);
            let [read, write] = names.map(|name| messages(&code, name));
            let ([read], [write]) = (&read[..], &write[..]) else { panic!("{what}: {read:?}, {write:?}") };
            assert_eq!((read.sent, read.returned), ((1, 0), registers), "{what}");
            assert_eq!((write.sent, write.returned), ((1, registers), 0), "{what}");
            assert_eq!([Some(read.surface), Some(write.surface)], [code.entry(0), code.entry(1)], "{what}");
            for message in [read, write] {
                assert!(gets(&code, message.payload, part, shape), "{what}: no {shape:#x} in {message:?}");
            }
        }
    }
}

#[test]
fn texels_have_their_surfaces_channels_and_counts() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for (device, target) in devices(&emulator) {
        for (mask, lanes) in ChannelMask::ALL.into_iter().flat_map(|mask| [(mask, 8_usize), (mask, 16)]) {
            let rows = mask.count();
            let (load, store) = (mask.read_name(Dims::Two), mask.write_name(Dims::Two));
            let code = compiled(
                &emulator,
                (device, target),
                &format!(
                    "file 0 \"k.rs\" kernel k(x: read surface, y: write surface, n: u32<1x{lanes}>) {{
                        %0: u32<1x{lanes}> = argument #2 @0:1:1
                        %1: u32<{rows}x{lanes}> = {load} #0 %0, %0 @0:2:1
                        {store} #1 %0, %0, %1: u32<{rows}x{lanes}> @0:3:1
                    }}"
                ),
            );
            let channels: String = mask.channels().map(|channel| ['x', 'y', 'z', 'w'][channel]).collect();
            let what = format!("{channels} of {lanes} texels on {device}");
            let (names, each) = if has_texel_units(target) {
                // Stores start with the first channel, so a store may move more of them.
                ([format!("load_quad.tgm.d32.{channels}.a32"), "store_quad.tgm.d32.".into()], 16)
            } else {
                (
                    [
                        format!("typed surface read with {channels};"),
                        format!("typed surface write with {channels};"),
                    ],
                    8,
                )
            };
            let [loads, stores] = [&names[0], &names[1]].map(|name| messages(&code, name));
            let count = lanes.div_ceil(each);
            assert_eq!([loads.len(), stores.len()], [count; 2], "{what}");
            for (load, store) in loads.iter().zip(&stores) {
                assert_eq!(
                    [Some(load.surface), Some(store.surface)],
                    [code.entry(0), code.entry(1)],
                    "{what}"
                );
                assert_eq!((load.returned, store.returned), (rows, 0), "{what}: {load:?}, {store:?}");
                let moved = if has_texel_units(target) { mask.up_to_last().count() } else { rows };
                assert!(store.sent.0 + store.sent.1 >= moved, "{what}: {store:?}");
            }
        }
    }
}

/// The fences before the first barrier, or all of them, and the number of barriers.
fn fences(code: &Code) -> (Vec<String>, usize) {
    let all: Vec<_> = code.lines().filter_map(Message::of).map(|message| message.text.to_owned()).collect();
    let barriers = all.iter().filter(|text| text.starts_with("signal barrier")).count();
    let before = all.into_iter().take_while(|text| !text.starts_with("signal barrier"));
    (before.filter(|text| text.contains("fence")).collect(), barriers)
}

#[test]
fn barriers_fence_the_memory_that_threads_exchange() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for &(device, target) in emulator.devices() {
        for (shared, memory) in [(true, false), (false, true), (true, true), (false, false)] {
            let write = if memory { "oword_write #0 %0, %2: u32<1x4> @0:2:1" } else { "" };
            let (array, own) = if shared {
                (
                    ", s: shared u32 64",
                    "oword_write #2 %0, %1: u32<1x4> @0:1:1\n%2: u32<1x4> = oword_read #2 %0 @0:1:1",
                )
            } else {
                ("", "%2: u32<1x4> = splat %0 @0:1:1")
            };
            let code = compiled(
                &emulator,
                (device, target),
                &format!(
                    "file 0 \"k.rs\" kernel k(x: write buffer u32, n: u32{array}) {{
                        %0: u32 = argument #1 @0:1:1
                        %1: u32<1x4> = splat %0 @0:1:1
                        {own}
                        {write}
                        barrier @0:3:1
                        oword_write #0 %0, %2: u32<1x4> @0:3:1
                    }}"
                ),
            );
            let [local, global]: [&[&str]; 2] = match target {
                Target::Gen9 => [&["synchronized global fence flushing"]; 2],
                Target::XeLp => [&["synchronized SLM fence"], &["synchronized global fence flushing"]],
                Target::XeHpc => [&["fence.slm.none.group"], &["fence.ugm.none.gpu", "fence.tgm.none.gpu"]],
                _ => [&["fence.slm.none.group"], &["fence.ugm.evict.gpu", "fence.tgm.evict.gpu"]],
            };
            // Without data to exchange there is a fence, too, which orders the thread's own accesses.
            let expected = match (shared, memory) {
                (true, true) => [local, global].concat(),
                (false, true) => global.to_vec(),
                (_, false) => local.to_vec(),
            };
            let (found, barriers) = fences(&code);
            assert_eq!(found, expected, "shared: {shared}, memory: {memory}, on {device}");
            assert_eq!(barriers, 1, "on {device}");
        }
    }
}
