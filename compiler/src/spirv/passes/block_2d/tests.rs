//! Expanded 2-D blocks, interpreted: each access gives the same as the original.

use super::expand;
use super::layout::{Layout, MESSAGE, form};
use crate::elem::ElemType;
use crate::interpret::bytes::Bytes;
use crate::interpret::{BUDGET, InterpretArg, interpret_printing};
use crate::ir::{Function, Op, Type};
use crate::limits::{self, BlockForm};
use crate::ops::{AccessKind, Effect, LoadHints};
use crate::spirv::{Target, lower};
use crate::text::parse;
use crate::verify::verify;

/// Bytes of a row, number of rows, and bytes from row to row, of a picture.
const PICTURE: [i32; 3] = [72, 11, 80];
const PLACES: [[i32; 2]; 6] =
    [[0, 0], [3, 2], [-1, -2], [15, 8], [1 << 29, i32::MAX], [-(1 << 29), i32::MIN]];

/// All block sizes that one message can load, for these elements in this form.
fn sizes(form: BlockForm, elem: ElemType) -> Vec<(usize, usize)> {
    let all = (1..=128).flat_map(|rows| (1..=128).map(move |columns| (rows, columns)));
    all.filter(|(rows, columns)| limits::load_2d(form, elem.bytes(), *rows, *columns).is_ok()).collect()
}

/// The output of a kernel, and the memory after it.
fn run(function: &Function, [column, row]: [i32; 2]) -> (String, Vec<u8>) {
    let [width, height, pitch] = PICTURE;
    let bytes = ((height - 1) * pitch + width) as u32;
    // No byte pattern that makes a NaN.
    let mut memory = Bytes((0..bytes).map(|n| ((n * 37) >> 3) as u8 & 0x3f).collect());
    let numbers = [width, height, pitch, column, row].map(i32::to_le_bytes);
    let mut args = vec![InterpretArg::Buffer(&mut memory)];
    args.extend(numbers.iter().map(|bytes| InterpretArg::Uniform { ty: Type::scalar(ElemType::I32), bytes }));
    let mut text = String::new();
    interpret_printing(function, &mut args, [0, 0], BUDGET, &mut |line| text += &line).unwrap();
    (text, memory.0)
}

fn kernel(elem: ElemType, body: &str) -> Function {
    let arguments: Vec<String> = (1..=5).map(|n| format!("%{}: i32 = argument #{n} @0:1:1", n - 1)).collect();
    let text = format!(
        "file 0 \"k.rs\" kernel k(x: write buffer {elem}, w: i32, h: i32, p: i32, c: i32, r: i32) {{\n{}\n{body} }}",
        arguments.join("\n")
    );
    let function = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(parse(&function.to_string()).unwrap(), function);
    verify(&function).unwrap_or_else(|error| panic!("{error}: {text}"));
    function
}

/// The expanded kernel gives the same bytes. Targets with the messages use them; other targets do not.
fn check(function: &Function, elem: ElemType) {
    for (n, [dwords, row]) in PLACES.into_iter().enumerate() {
        let column = (i64::from(dwords) * 4 / elem.bytes() as i64) as i32 + n as i32 % 2;
        let expected = run(function, [column, row]);
        // One target without the messages (all dwords), and one with them (two messages in place of one).
        let all = [Target::Gen9, Target::XeHpc].map(|target| expand(function, target));
        assert!(all[0].is_some());
        for expanded in all.iter().flatten() {
            assert_eq!(run(expanded, [column, row]), expected, "{column} {row}\n{function}");
        }
    }
    for target in Target::ALL.iter().copied() {
        let module = lower(function, target).unwrap();
        let named = |name: &str| {
            let bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.windows(name.len()).any(|text| text == name.as_bytes())
        };
        let raw = ["raw.send2.v", "raw.sends2.noresult", "raw.send2.noresult"];
        let described = ["lsc.load.2d.ugm.desc", "lsc.store.2d.ugm.desc", "lsc.prefetch.2d.ugm.desc"];
        let (own, other) = if target == Target::Xe3p { (described, raw) } else { (raw, described) };
        let present = |name: &str| named(&format!("llvm.genx.{name}"));
        assert!(!other.into_iter().any(present), "{target}\n{function}");
        let messages = own.map(present);
        let has = |effect| {
            target.has_2d_blocks()
                && function.body.instructions().any(|inst| match inst.op {
                    Op::Access { kind, .. } => form(kind).is_some() && kind.spec().effect == effect,
                    _ => false,
                })
        };
        assert_eq!(
            messages,
            [Effect::Read, Effect::Write, Effect::Prefetch].map(has),
            "{target}\n{function}"
        );
    }
}

#[test]
fn loads_are_spelt_out_with_the_same_bytes() {
    let (mut blocks, mut largest) = (0, 0);
    for form in BlockForm::ALL.iter().copied() {
        for elem in [ElemType::U8, ElemType::I16, ElemType::F16, ElemType::F32, ElemType::U64] {
            let all = sizes(form, elem);
            // The smallest, the largest, and some in between.
            let some = all.iter().copied().step_by(1 + all.len() / 3).chain(all.last().copied());
            for (rows, columns) in some {
                let layout = Layout { form, rows, columns, size: elem.bytes() };
                largest += usize::from(layout.bytes() > MESSAGE);
                let name = AccessKind::Load2d(LoadHints::Default, form).spec().name;
                let function = kernel(
                    elem,
                    &format!(
                        "%5: {elem}<{rows}x{columns}> = {name} #0 %0, %1, %2, %3, %4 @0:2:1\n\
                         %6: {elem}<1x{count}> = format %5 @0:2:1\n\
                         print \"{{row:?}}\", %6 @0:3:1\n",
                        count = rows * columns,
                    ),
                );
                check(&function, elem);
                blocks += 1;
            }
        }
    }
    assert!(blocks > 50 && largest > 2, "{blocks} blocks, {largest} in two messages");
}

#[test]
fn stores_are_spelt_out_with_the_same_bytes() {
    for elem in [ElemType::U8, ElemType::F16, ElemType::I32, ElemType::U64] {
        for rows in [1, 3, 8] {
            for columns in (1..=64).filter(|columns| limits::store_2d(elem.bytes(), rows, *columns).is_ok()) {
                let function = kernel(
                    elem,
                    &format!(
                        "%5: {elem}<{rows}x{columns}> = constant 1 @0:2:1\n\
                         block_store_2d #0 %0, %1, %2, %3, %4, %5 @0:2:1\n\
                         block_prefetch_2d #0 %0, %1, %2, %3, %4: {elem}<{rows}x{columns}> @0:2:1\n"
                    )
                    .replace("%4, %5 @", &format!("%4, %5: {elem}<{rows}x{columns}> @")),
                );
                check(&function, elem);
            }
        }
    }
}
