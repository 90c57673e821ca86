//! Messages whose fields no result shows: cache hints, and prefetches. Intel's disassembler decodes the descriptors of
//! the compiled code, and the execution units tell which bytes a prefetch brings to a cache. All of them are compared
//! with the kernel. The bytes that loads and stores move are compared by execution (`random_kernels`, `buffers`).

use std::fmt::Write;

use cm::Target;
use cm::compiler::elem::ElemType;
use cm::compiler::limits::BlockForm;
use cm::compiler::ops::{AccessKind, AtomicHints, AtomicKind, LoadHints, PrefetchHints, StoreHints};
use cm::ir::{Function, Type};
use cm::spirv::lower;
use cm::text::parse;
use cm_test_support::arguments::Argument;
use cm_test_support::emulator::{Code, Emulator};

/// Bytes of a row, rows, and bytes from row to row of the picture in the buffer.
const PICTURE: [i64; 3] = [200, 24, 256];
/// Bytes of the buffers.
const BYTES: usize = 8192;

/// The devices with messages of the load/store cache, and bytes of their registers.
fn devices(emulator: &Emulator) -> impl Iterator<Item = (&'static str, Target, usize)> {
    let all = emulator.devices().iter().filter(|(_, target)| !matches!(target, Target::Gen9 | Target::XeLp));
    all.map(|&(name, target)| (name, target, if has_2d_blocks(target) { 64 } else { 32 }))
}

/// Whether a target has messages for 2-D blocks.
fn has_2d_blocks(target: Target) -> bool {
    !matches!(target, Target::Gen9 | Target::XeLp | Target::XeHpg | Target::XeLpg)
}

/// A kernel on two buffers with a number, `%n`, as `i32` in `%0` and as `u32` in `%1`.
fn kernel(elem: &str, access: &str) -> Function {
    let [width, height, pitch] = PICTURE;
    let text = format!(
        "file 0 \"k.rs\" kernel k(x: read buffer {elem}, y: write buffer {elem}, n: i32) {{
            %0: i32 = argument #2 @0:1:1
            %1: u32 = convert %0 @0:1:1
            %2: i32 = constant {width} @0:1:1
            %3: i32 = constant {height} @0:1:1
            %4: i32 = constant {pitch} @0:1:1
            {access}
        }}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The decoded messages of this operation, such as `load`: registers of the response, and the rest of the text.
fn messages(code: &Code, operation: &str) -> Vec<(usize, String)> {
    let decoded = |line: &str| {
        let (_, text) = line.split_once("// ")?;
        let (lengths, text) = text.split_once("; ")?;
        let (_, response) = lengths.split_once("rd:")?;
        let rest = text.strip_prefix(operation)?.strip_prefix(".ugm.")?;
        // The arguments of the kernel come by a message too.
        (!rest.ends_with("bti[255]")).then(|| (response.trim().parse().unwrap_or(0), rest.trim().to_owned()))
    };
    code.lines().filter_map(decoded).collect()
}

/// The cache hints in the name of an access, as the disassembler writes them: `.st.ca` of `block_load_st_ca`.
fn hints(name: &str, target: Target) -> String {
    let is_hint = |part: &&str| matches!(*part, "uc" | "ca" | "wb" | "wt" | "st" | "ri");
    let parts = name.split('_').filter(is_hint);
    let hints = parts.fold(String::new(), |mut hints, part| {
        _ = write!(hints, ".{part}");
        hints
    });
    match &*hints {
        // A prefetch without hints goes to both caches.
        "" if name.contains("prefetch") => ".ca.ca".into(),
        // From Xe2 on the last read of a line frees it in both caches: descriptors have no code for the first cache alone.
        ".ri.ca" if matches!(target, Target::Xe2 | Target::Xe3 | Target::Xe3p) => ".ri.ri".into(),
        _ => hints,
    }
}

#[test]
fn blocks_have_their_sizes_surfaces_and_hints() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let names = |kinds: Vec<AccessKind>| kinds.into_iter().map(|kind| kind.spec().name).collect::<Vec<_>>();
    let loads = names(LoadHints::ALL.iter().map(|&hints| AccessKind::Load(hints)).collect());
    let stores = names(StoreHints::ALL.iter().map(|&hints| AccessKind::Store(hints)).collect());
    let prefetches = names(PrefetchHints::ALL.iter().map(|&hints| AccessKind::Prefetch(hints)).collect());
    for (device, target, register) in devices(&emulator) {
        for count in [8, 64] {
            let ty = format!("f32<1x{count}>");
            let run = |access: &str| {
                let function = kernel("f32", access);
                emulator.compile((&lower(&function, target).unwrap(), device), access)
            };
            let shape = |entry: Option<u32>, hints: &str| {
                format!("d32x{count}t.a32{hints}.bti[{}]", entry.expect("a buffer that is used"))
            };
            for name in &loads {
                let store = format!("block_store #1 %1, %5: {ty} @0:3:1");
                let code = run(&format!("%5: {ty} = {name} #0 %1 @0:2:1\n{store}"));
                let expected =
                    ((count * 4usize).div_ceil(register), shape(code.entry(0), &hints(name, target)));
                assert_eq!(messages(&code, "load"), [expected], "{name} on {device}");
            }
            for name in &stores {
                let code = run(&format!("%5: {ty} = constant 1.5 @0:2:1\n{name} #1 %1, %5: {ty} @0:3:1"));
                let expected = (0, shape(code.entry(1), &hints(name, target)));
                assert_eq!(messages(&code, "store"), [expected], "{name} on {device}");
            }
            for name in &prefetches {
                let code = run(&format!("{name} #0 %1: {ty} @0:2:1"));
                let expected = (0, shape(code.entry(0), &hints(name, target)));
                assert_eq!(messages(&code, "load"), [expected], "{name} on {device}");
            }
        }
    }
}

#[test]
fn blocks_of_512_bytes_are_messages_of_qwords() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let ty = "u64<1x64>";
    for (device, target, register) in devices(&emulator) {
        // Messages of qwords have registers of 64 bytes. The offset of the second kind may be any number, and the buffer of the
        // third kind has other elements.
        let (of_qwords, messages_of_qwords) = if register == 64 { ("d64x64t", 1) } else { ("d32x64t", 2) };
        for (elem, offset, shape, count) in [
            ("u64", "%9", of_qwords, messages_of_qwords),
            ("u64", "%1", "d32x64t", 2),
            ("u32", "%9", "d32x64t", 2),
        ] {
            let access = format!(
                "%8: u32 = constant 8 @0:1:1\n%9: u32 = mul.u32 %1, %8 @0:1:1\nblock_prefetch #0 {offset}: {ty} @0:2:1\n\
                 %5: {ty} = block_load #0 {offset} @0:2:1\nblock_store #1 {offset}, %5: {ty} @0:3:1"
            );
            let function = kernel(elem, &access);
            let code = emulator.compile((&lower(&function, target).unwrap(), device), &access);
            let message = |entry: Option<u32>, hints: &str| {
                format!("{shape}.a32{hints}.bti[{}]", entry.expect("a buffer that is used"))
            };
            let name = format!("{elem} at {offset} on {device}");
            // From Xe2 on messages add a number to the offset, here the bytes of the first of two messages.
            let of = |operation: &str| -> Vec<(usize, String)> {
                let messages = messages(&code, operation).into_iter();
                messages.map(|(length, text)| (length, text.replace("[A+0x100]", ""))).collect()
            };
            let loads = of("load");
            let is = |registers, hints: &str| {
                let expected = (registers, message(code.entry(0), hints));
                loads.iter().filter(|load| **load == expected).count()
            };
            assert_eq!(is(512 / count / register, ""), count, "{name}: {loads:?}");
            assert_eq!(is(0, ".ca.ca"), count, "{name}: {loads:?}");
            assert_eq!(of("store"), vec![(0, message(code.entry(1), "")); count], "{name}");
        }
    }
}

#[test]
fn elements_have_their_sizes_surfaces_and_hints() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for (device, target, register) in devices(&emulator) {
        for (elem, size, bytes) in
            [("u8", "d8u32", 4), ("i16", "d16u32", 4), ("f32", "d32", 4), ("u64", "d64", 8)]
        {
            let ty = format!("{elem}<1x16>");
            let places = "%8: u32<1x16> = splat %1 @0:1:1\n%9: u32<1x16> = constant [0, 9, 18, 27, 36, 45, 54, 63, 72, \
                          81, 90, 99, 108, 117, 126, 135] @0:1:1\n%10: u32<1x16> = add.u32 %8, %9 @0:1:1";
            let run = |access: &str| {
                let function = kernel(elem, &format!("{places}\n{access}"));
                emulator.compile((&lower(&function, target).unwrap(), device), access)
            };
            let shape = |entry: Option<u32>, hints: &str| {
                format!("{size}.a32{hints}.bti[{}]", entry.expect("a buffer that is used"))
            };
            // Only elements of 8 bytes go through the cache without hints.
            let hinted = |name: &str| bytes == 8 || name.contains('_');
            for name in LoadHints::ALL.iter().map(|&hints| AccessKind::Gather(hints).spec().name) {
                let code =
                    run(&format!("%5: {ty} = {name} #0 %10 @0:2:1\noword_write #1 %1, %5: {ty} @0:3:1"));
                if hinted(name) {
                    let expected = (16 * bytes / register, shape(code.entry(0), &hints(name, target)));
                    assert_eq!(messages(&code, "load"), [expected], "{name} of {elem} on {device}");
                }
            }
            for name in StoreHints::ALL.iter().map(|&hints| AccessKind::Scatter(hints).spec().name) {
                let code = run(&format!("%5: {ty} = constant 1 @0:2:1\n{name} #1 %10, %5: {ty} @0:3:1"));
                if hinted(name) {
                    let expected = (0, shape(code.entry(1), &hints(name, target)));
                    assert_eq!(messages(&code, "store"), [expected], "{name} of {elem} on {device}");
                }
            }
            for name in
                PrefetchHints::ALL.iter().map(|&hints| AccessKind::PrefetchElements(hints).spec().name)
            {
                let code = run(&format!("{name} #0 %10: {ty} @0:2:1"));
                let size = if bytes == 8 { "d64" } else { "d32" };
                let entry = code.entry(0).expect("a buffer that is used");
                let expected = (0, format!("{size}.a32{}.bti[{entry}]", hints(name, target)));
                assert_eq!(messages(&code, "load"), [expected], "{name} of {elem} on {device}");
            }
            for &hint in AtomicHints::ALL
                .iter()
                .filter(|hint| elem == "u64" || elem == "i16" || **hint != AtomicHints::Default)
            {
                if elem == "u8" {
                    continue;
                }
                let (kind, operation) = match elem {
                    "f32" => (AtomicKind::Add, "atomic_fadd"),
                    _ => (AtomicKind::Add, "atomic_iadd"),
                };
                let name = AccessKind::Atomic(kind, hint).spec().name;
                let code = run(&format!("%5: {ty} = constant 1 @0:2:1\n%6: {ty} = {name} #1 %10, %5 @0:3:1"));
                let found: Vec<String> =
                    messages(&code, operation).into_iter().map(|(_, text)| text).collect();
                assert_eq!(
                    found,
                    [shape(code.entry(1), &hints(name, target))],
                    "{name} of {elem} on {device}"
                );
            }
        }
    }
}

#[test]
fn vectors_have_their_sizes_surfaces_and_hints() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    for (device, target, register) in devices(&emulator) {
        for (elem, size, bytes) in [("f32", "d32", 4), ("u64", "d64", 8)] {
            let places = "%8: u32<1x16> = splat %1 @0:2:1\n%9: u32<1x16> = constant 77 @0:2:1\n\
                          %10: u32<1x16> = mul.u32 %8, %9 @0:2:1";
            for rows in [2, 3, 4, 8] {
                let ty = format!("{elem}<{rows}x16>");
                let run = |access: &str| {
                    let function = kernel(elem, &format!("{places}\n{access}"));
                    emulator.compile((&lower(&function, target).unwrap(), device), access)
                };
                // Two messages for 8 elements. The compiler splits those of more than 8 registers into two of 8 lanes.
                let (each, count) = if rows == 8 { (4, 2) } else { (rows, 1) };
                let returned = 16 * each * bytes / register;
                let (returned, count) =
                    if returned > 8 { (returned / 2, 2 * count) } else { (returned, count) };
                // Some compilers put the distance of the second message in the message.
                let messages = |code: &Code, operation: &str| -> Vec<(usize, String)> {
                    let place = |(lengths, text): (usize, String)| {
                        (lengths, text.split("[A+").next().unwrap_or_default().to_owned())
                    };
                    messages(code, operation).into_iter().map(place).collect()
                };
                let shape = |entry: Option<u32>, hints: &str| {
                    format!("{size}x{each}.a32{hints}.bti[{}]", entry.expect("a buffer that is used"))
                };
                for name in LoadHints::ALL.iter().map(|&hints| AccessKind::GatherVectors(hints).spec().name) {
                    let code = run(&format!(
                        "%5: {ty} = {name} #0 %10 @0:2:1\nscatter_vectors #1 %10, %5: {ty} @0:3:1"
                    ));
                    let expected = (returned, shape(code.entry(0), &hints(name, target)));
                    assert_eq!(messages(&code, "load"), vec![expected; count], "{name} of {ty} on {device}");
                }
                for name in StoreHints::ALL.iter().map(|&hints| AccessKind::ScatterVectors(hints).spec().name)
                {
                    let code = run(&format!("%5: {ty} = constant 1 @0:2:1\n{name} #1 %10, %5: {ty} @0:3:1"));
                    let expected = (0, shape(code.entry(1), &hints(name, target)));
                    assert_eq!(messages(&code, "store"), vec![expected; count], "{name} of {ty} on {device}");
                }
            }
        }
    }
}

#[test]
fn blocks_of_rows_have_their_elements_forms_and_hints() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    // Each form with its rows and columns in registers, and the bytes that it takes there.
    let forms = [
        (BlockForm::Normal, "f16", [8, 16], "d16", 256),
        (BlockForm::Normal2, "f16", [16, 16], "d16", 512),
        (BlockForm::Normal4, "u8", [32, 16], "d8", 512),
        (BlockForm::Transposed, "u32", [8, 8], "d32t", 256),
        (BlockForm::Packed, "f16", [8, 32], "d16v", 512),
        (BlockForm::Packed2, "f16", [16, 32], "d16v", 1024),
        (BlockForm::Packed4, "u8", [16, 64], "d8v", 1024),
    ];
    for (device, target) in emulator.devices_and_forms().filter(|(_, target)| has_2d_blocks(*target)) {
        let run = |elem: &str, access: &str| {
            let function = kernel(elem, access);
            emulator.compile((&lower(&function, target).unwrap(), device), access)
        };
        for (form, elem, [rows, columns], size, bytes) in forms {
            for &kind in LoadHints::ALL {
                let name = AccessKind::Load2d(kind, form).spec().name;
                let ty = format!("{elem}<{rows}x{columns}>");
                // Stores of whole owords, which take any form.
                let all = rows * columns;
                let part = 64
                    / if elem == "u8" {
                        1
                    } else if elem == "f16" {
                        2
                    } else {
                        4
                    };
                let code = run(
                    elem,
                    &format!(
                        "%5: {ty} = {name} #0 %2, %3, %4, %0, %0 @0:2:1
                        %6: {elem}<1x{part}> = region %5[{last}; {part}, {part}, 1] @0:3:1
                        block_store #1 %1, %6: {elem}<1x{part}> @0:3:1",
                        last = all - part,
                    ),
                );
                let expected =
                    (bytes / target.register_bytes(), format!("{size}.a64{}", hints(name, target)));
                assert_eq!(messages(&code, "load_block2d"), [expected], "{name} on {device}");
            }
        }
        for &kind in StoreHints::ALL {
            let name = AccessKind::Store2d(kind).spec().name;
            let ty = "f32<8x16>";
            let access =
                format!("%5: {ty} = constant 2.5 @0:2:1\n{name} #1 %2, %3, %4, %0, %0, %5: {ty} @0:3:1");
            let expected = (0, format!("d32.a64{}", hints(name, target)));
            assert_eq!(messages(&run("f32", &access), "store_block2d"), [expected], "{name} on {device}");
        }
        for &kind in PrefetchHints::ALL {
            let name = AccessKind::Prefetch2d(kind).spec().name;
            let access = format!("{name} #0 %2, %3, %4, %0, %0: u16<8x16> @0:2:1");
            let expected = (0, format!("d16.a64{}", hints(name, target)));
            assert_eq!(messages(&run("u16", &access), "load_block2d"), [expected], "{name} on {device}");
        }
    }
}

/// The bytes that the kernel brings to a cache, from the first buffer, when its number is `n`.
fn prefetched(
    emulator: &Emulator,
    function: &Function,
    (device, target): (&str, Target),
    n: i32,
) -> Vec<(usize, u64, usize)> {
    let code = emulator.compile((&lower(function, target).unwrap(), device), "prefetches");
    let binding = code.binding(function, target).unwrap();
    let number = Argument::Uniform(Type::scalar(ElemType::I32), n.to_le_bytes().to_vec());
    let arguments = [Argument::Buffer(vec![1; BYTES]), Argument::Buffer(vec![2; BYTES]), number];
    let found = code.prefetched((function, &binding), &arguments);
    let mut found = found.unwrap_or_else(|error| panic!("{n} on {device}: {error}"));
    // The machine code may have rows in any order.
    found.sort_unstable();
    found
}

#[test]
fn prefetches_bring_the_bytes_of_the_kernel() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let block = kernel("f32", "block_prefetch_uc_ca #0 %1: f32<1x32> @0:2:1");
    let rows = kernel("u16", "block_prefetch_st_ca_2d #0 %2, %3, %4, %0, %0: u16<8x16> @0:2:1");
    let bytes = kernel("u8", "block_prefetch_2d #0 %2, %3, %4, %0, %0: u8<32x64> @0:2:1");
    for (device, target, _) in devices(&emulator) {
        for n in [0, 4, 20, 1000] {
            let found = prefetched(&emulator, &block, (device, target), n);
            assert_eq!(found, [(0, n as u64, 128)], "{n} on {device}");
        }
        if !has_2d_blocks(target) {
            continue;
        }
        for (function, size, [height, width]) in [(&rows, 2, [8, 16]), (&bytes, 1, [32, 64])] {
            for n in [0, 4, 20, -4, 100, 1000] {
                let [row, last, pitch] = PICTURE;
                let (start, end) = ((n * size).clamp(0, row), ((n + width) * size).clamp(0, row));
                let inside = (n.max(0)..(n + height).min(last)).filter(|_| start < end);
                let expected: Vec<(usize, u64, usize)> =
                    inside.map(|y| (0, (y * pitch + start) as u64, (end - start) as usize)).collect();
                let found = prefetched(&emulator, function, (device, target), n as i32);
                assert_eq!(found, expected, "{n} on {device}");
            }
        }
    }
}
