//! Each access to a slice that ends inside its buffer, interpreted: it gives the same as in a buffer that ends there.

use super::*;
use crate::interpret::bytes::Bytes;
use crate::interpret::{InterpretArg, interpret};
use crate::text::parse;
use crate::verify::verify;

/// Bytes of the slice; the buffer is longer.
const SLICE: usize = 176;

/// Bytes of a slice of bytes, which may be accessed as other elements.
const ODD: usize = 173;

/// Accesses at `%0`, a byte or the first of the element numbers `%2`, with the data `%3` and results `%4`.
const ACCESSES: [(&str, usize, &str); 13] = [
    ("u8", 48, "%4: u8<1x48> = oword_read #0 %0"),
    ("u8", 20, "%4: u8<1x20> = oword_read_dwaligned #0 %0"),
    ("u16", 64, "%4: u16<1x64> = block_load #0 %0"),
    ("f32", 4, "%4: f32<1x4> = oword_read_dwaligned #0 %0"),
    ("i64", 16, "%4: i64<2x8> = oword_read #0 %0"),
    ("u8", 128, "oword_write #0 %0, %3: u8<1x128>"),
    ("i64", 8, "oword_write #0 %0, %3: i64<1x8>"),
    ("u16", 32, "block_store #0 %0, %3: u16<1x32>"),
    ("u32", 1, "block_store #0 %0, %3: u32"),
    ("u16", 16, "%4: u16<1x16> = gather #0 %2"),
    ("u32", 16, "scatter #0 %2, %3: u32<1x16>"),
    ("u32", 16, "%4: u32<1x16> = atomic_add #0 %2, %3"),
    ("u8", 32, "scatter #0 %2, %3: u8<1x32>"),
];

fn kernel((elem, count, access): (&str, usize, &str), of: &str) -> String {
    let shape = |elem: &str| if count == 1 { elem.to_owned() } else { format!("{elem}<1x{count}>") };
    let steps: Vec<String> = (0..count).map(|n| (n * 3 % 41).to_string()).collect();
    let steps = if count == 1 { "0".to_owned() } else { format!("[{}]", steps.join(", ")) };
    let size = [("u8", 1), ("u16", 2), ("i64", 8)]
        .iter()
        .find(|(name, _)| *name == elem)
        .map_or(4, |(_, size)| *size);
    let (bytes, whole) = (count * size, (count * size).next_power_of_two());
    let show = match access.starts_with("%4") {
        false => String::new(),
        true => format!(
            "%5: u8<1x{bytes}> = format %4 @0:4:1
            %6: u8<1x{whole}> = constant 0 @0:4:1
            %7: u8<1x{whole}> = insert %6[0; {bytes}, {bytes}, 1], %5 @0:4:1
            %8: u32 = constant 0 @0:4:1
            oword_write #1 %8, %7: u8<1x{whole}> @0:5:1"
        ),
    };
    let splat = if count == 1 {
        "%9: u32 = add.u32 %0, %1 @0:2:1".to_owned()
    } else {
        format!("%9: u32<1x{count}> = splat %0 @0:2:1")
    };
    format!(
        "file 0 \"k.rs\" kernel k(s: write buffer {of}, out: write buffer u8, at: u32) {{
            %0: u32 = argument #2 @0:1:1
            %1: {numbers} = constant {steps} @0:1:1
            {splat}
            %2: {numbers} = add.u32 %9, %1 @0:2:1
            %3: {data} = constant 7 @0:2:1
            {access} @0:3:1
            {show}
        }}",
        numbers = shape("u32"),
        data = shape(elem),
    )
}

#[test]
fn a_slice_ends_like_a_buffer() {
    for access in ACCESSES {
        ends_like_a_buffer(access, access.0, SLICE);
    }
}

/// Accesses to elements that are larger than those of the buffer, which may end inside of one.
#[test]
fn a_view_ends_like_its_buffer() {
    for (elem, count, access) in ACCESSES {
        ends_like_a_buffer((elem, count, access), "u8", ODD);
        ends_like_a_buffer((elem, count, access), "i16", ODD - 1);
    }
}

/// `len` bytes of a buffer of elements `of`, which continues after them.
fn ends_like_a_buffer(access: (&str, usize, &str), of: &str, len: usize) {
    let text = kernel(access, of);
    let whole = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&whole).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let ended = expand(&whole).unwrap();
    verify(&ended).unwrap_or_else(|error| panic!("{error}\n{ended}"));
    let all: Vec<u8> = (0..=255).collect();
    for at in (0..len as u32 + 80).chain([1 << 30, i32::MAX as u32, 1 << 31, u32::MAX - 20, u32::MAX]) {
        let (mut short, mut long) = (Bytes(all[..len].to_vec()), Bytes(all.clone()));
        let (mut expected, mut found) = (Bytes(vec![1; 128]), Bytes(vec![1; 128]));
        let (u32, bytes) = (Type::scalar(ElemType::U32), at.to_le_bytes());
        let at_arg = InterpretArg::Uniform { ty: u32, bytes: &bytes };
        let buffers = [InterpretArg::Buffer(&mut short), InterpretArg::Buffer(&mut expected)];
        let [a, b] = buffers;
        interpret(&whole, &mut [a, b, at_arg], [0, 0]).unwrap();
        let at_arg = InterpretArg::Uniform { ty: u32, bytes: &bytes };
        let ends = [len as i32, 128].map(i32::to_le_bytes);
        let [end, other] = [0, 1].map(|n| InterpretArg::Uniform { ty: I32, bytes: &ends[n] });
        let [a, b] = [InterpretArg::Buffer(&mut long), InterpretArg::Buffer(&mut found)];
        interpret(&ended, &mut [a, b, at_arg, end, other], [0, 0]).unwrap();
        assert_eq!(found, expected, "{} at {at}", access.2);
        assert_eq!(long.0[..len], short.0, "{} at {at}", access.2);
        assert_eq!(long.0[len..], all[len..], "{} at {at}", access.2);
    }
}

/// The rows of vectors have the cache hints of the vectors.
#[test]
fn rows_of_vectors_keep_their_hints() {
    let expanded = |access: &str| {
        let text = format!(
            "file 0 \"k.rs\" kernel k(b: write buffer u32) {{
                %0: u32<1x2> = constant [0, 4] @0:1:1
                %1: u32<3x2> = constant 7 @0:1:1
                {access} @0:1:1
            }}"
        );
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ended = expand(&kernel).unwrap();
        verify(&ended).unwrap_or_else(|error| panic!("{error}\n{ended}"));
        let kinds = ended.body.instructions().filter_map(|inst| match inst.op {
            Op::Access { kind, .. } => Some(kind),
            _ => None,
        });
        kinds.collect::<Vec<_>>()
    };
    for &hints in LoadHints::ALL {
        let access = format!("%2: u32<3x2> = {} #0 %0", hints.name_of_vectors());
        assert_eq!(expanded(&access), [AccessKind::Gather(hints); 3], "{access}");
    }
    for &hints in StoreHints::ALL {
        let access = format!("{} #0 %0, %1: u32<3x2>", hints.name_of_vectors());
        assert_eq!(expanded(&access), [AccessKind::Scatter(hints); 3], "{access}");
    }
}

#[test]
fn only_buffers_have_ends() {
    let kernel = parse("file 0 \"k.rs\" kernel k(s: write surface, n: i32) { %0: i32 = argument #1 @0:1:1 }");
    assert_eq!(expand(&kernel.unwrap()), None);
}
