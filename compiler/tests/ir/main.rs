//! Random functions: valid ones pass the verifier, come back from their text, and run; of broken ones those
//! that pass the verifier run too.

mod generator;

use std::collections::HashSet;

use cm_compiler::elem::ElemType;
use cm_compiler::interpret::{
    InterpretArg, InterpretBuffer, InterpretError, InterpretSurface, interpret_within,
};
use cm_compiler::ir::ParamKind;
use cm_compiler::ir::{Function, Op, Type};
use cm_compiler::ops::Texel;
use cm_compiler::ops::{AccessKind, Computed, SyncKind};
use cm_compiler::text::parse;
use cm_compiler::verify::verify;
use proptest::prelude::*;

/// A surface in memory. Outside of it is what stands at its edge.
#[derive(Clone, PartialEq, Debug)]
struct Memory {
    bytes: Vec<u8>,
    width: i64,
    /// Slices of a 3-D surface.
    slices: u32,
}

impl Memory {
    fn new(seed: u8) -> Self {
        Self {
            bytes: (0..32 * 16).map(|n: u32| (n as u8).wrapping_mul(37) ^ seed).collect(),
            width: 32,
            slices: 1,
        }
    }

    fn at(&self, x: i64, y: i64) -> usize {
        let height = self.bytes.len() as i64 / self.width;
        (y.clamp(0, height - 1) * self.width + x.clamp(0, self.width - 1)) as usize
    }
}

impl InterpretSurface for Memory {
    fn texels(&self) -> (Texel, [u32; 3]) {
        (Texel::Word, [16, 16 / self.slices, self.slices])
    }

    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        for (n, byte) in (0..).zip(row) {
            *byte = self.bytes[self.at(i64::from(x) + n, y.into())];
        }
    }

    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        for (x, byte) in (i64::from(x)..).zip(row) {
            let inside = (0..self.width).contains(&x) && (0..16).contains(&y);
            if inside {
                let at = self.at(x, y.into());
                self.bytes[at] = *byte;
            }
        }
    }
}

impl InterpretBuffer for Memory {
    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        for (n, byte) in bytes.iter_mut().enumerate() {
            *byte = self.bytes.get(offset as usize + n).copied().unwrap_or(0);
        }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        for (n, byte) in bytes.iter().enumerate() {
            if let Some(target) = self.bytes.get_mut(offset as usize + n) {
                *target = *byte;
            }
        }
    }
}

/// What the surfaces and buffers hold after a thread.
fn run(function: &Function, seed: u8) -> Result<Vec<Memory>, InterpretError> {
    let mut surfaces: Vec<Memory> = (0..function.params.len()).map(|n| Memory::new(seed ^ n as u8)).collect();
    let uniform: Vec<u8> = (0..8 * 4096u32).map(|n| (n as u8).wrapping_mul(29) ^ seed).collect();
    let mut args: Vec<InterpretArg<'_>> = function
        .params
        .iter()
        .zip(&mut surfaces)
        .map(|(param, surface)| match param.kind {
            ParamKind::Surface { .. } => InterpretArg::Surface(surface),
            ParamKind::Surface3d { .. } => {
                surface.slices = 4;
                InterpretArg::Surface(surface)
            }
            ParamKind::Buffer { .. } => InterpretArg::Buffer(surface),
            ParamKind::Uniform { elem, rows, columns } => {
                let ty = Type::new(elem, rows, columns);
                InterpretArg::Uniform { ty, bytes: &uniform[..ty.bytes()] }
            }
            kind => panic!("the generator makes no {kind:?}"),
        })
        .collect();
    interpret_within(function, &mut args, [seed.into(), 2], 20_000)?;
    surfaces.iter_mut().for_each(|surface| surface.slices = 1);
    Ok(surfaces)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn valid_functions_run(choices in prop::collection::vec(any::<u32>(), 0..600), seed in any::<u8>()) {
        let function = generator::function(choices);
        let text = function.to_string();
        if let Err(error) = verify(&function) {
            prop_assert!(false, "{}\n{}", error, text);
        }
        let again = parse(&text);
        prop_assert_eq!(again.as_ref(), Ok(&function));
        prop_assert_eq!(again.unwrap().to_string(), &text[..]);
        let result = run(&function, seed);
        prop_assert!(result.is_ok(), "{:?}\n{}", result, text);
        let after = result.unwrap();
        for (n, param) in function.params.iter().enumerate() {
            let readable = match param.kind {
                ParamKind::Surface { writable }
                | ParamKind::Surface3d { writable }
                | ParamKind::Buffer { writable, .. } => !writable,
                _ => true,
            };
            prop_assert!(!readable || after[n] == Memory::new(seed ^ n as u8), "parameter {} is written", n);
        }
    }

    /// A number of a valid function is exchanged for another of it.
    #[test]
    fn what_is_verified_does_not_panic(
        choices in prop::collection::vec(any::<u32>(), 0..300),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
        seed in any::<u8>(),
    ) {
        let text = generator::function(choices).to_string();
        let mut pieces: Vec<&str> = text.split_inclusive(|c: char| " %$#<>x.:;,[]()\n".contains(c)).collect();
        for (to, from) in &changes {
            // By one that stands after the same mark and before the same mark.
            let edges = |n: usize| (n.checked_sub(1).map(|n| pieces[n].chars().last()), pieces[n].chars().last());
            let to = to.index(pieces.len());
            let like: Vec<usize> = (0..pieces.len()).filter(|n| edges(*n) == edges(to)).collect();
            pieces[to] = pieces[like[from.index(like.len())]];
        }
        let mutated = pieces.concat();
        let Ok(function) = parse(&mutated) else { return Ok(()) };
        prop_assert_eq!(&parse(&function.to_string()).unwrap(), &function);
        if verify(&function).is_err() {
            return Ok(());
        }
        if let Err(error @ (InterpretError::NotVerified(_) | InterpretError::Meaningless { .. } | InterpretError::Argument { .. })) = run(&function, seed) {
            prop_assert!(false, "{}\n{}", error, mutated);
        }
    }
}

/// The generator makes everything there is.
#[test]
fn the_generator_knows_all_operations() {
    let (mut names, mut computed, mut elems) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut words = HashSet::new();
    let mut state = 1u64;
    for _ in 0..1500 {
        let choices = (0..500).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        });
        let function = generator::function(choices.collect());
        for inst in function.body.instructions() {
            match inst.op.computed() {
                Some((kind, ..)) => _ = computed.insert(kind),
                None => _ = names.insert(inst.op.name()),
            }
            elems.extend(inst.ty.elem());
        }
        let text = function.to_string();
        let separate = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        words.extend(text.split(separate).map(str::to_owned));
    }
    let accesses = AccessKind::all().map(|kind| kind.spec().name);
    let syncs = SyncKind::ALL.iter().map(|kind| kind.name());
    for name in Op::NAMES.iter().copied().chain(accesses).chain(syncs) {
        assert!(names.contains(name), "{name}");
    }
    for kind in Computed::all() {
        assert!(computed.contains(&kind), "{kind:?}");
    }
    for &elem in ElemType::ALL {
        assert!(elems.contains(&elem), "{elem}");
    }
    for word in ["else", "buffer", "inf"] {
        assert!(words.contains(word), "{word}");
    }
}

/// The deepest function that there is fits the stack everywhere.
#[test]
fn deep_functions_run() {
    let mut text = String::from("file 0 \"k.rs\" kernel k() { %0: condition = known true @0:1:1 ");
    text.push_str("var $0: condition = %0 @0:1:1 %1: condition = known false @0:1:1 ");
    let depth = 64;
    for n in 0..depth {
        text.push_str(&format!("if %0 @0:1:1 {{ loop @0:1:1 {{ %{n}9: condition = load $0 @0:1:1 }} "));
        text.push_str(&format!("while %{n}9 {{ "));
    }
    text.push_str("store $0, %1: condition @0:1:1 ");
    text.push_str(&"} } ".repeat(depth));
    text.push('}');
    let function = parse(&text).unwrap();
    verify(&function).unwrap();
    assert_eq!(parse(&function.to_string()).as_ref(), Ok(&function));
    interpret_within(&function, &mut [], [0, 0], 20_000).unwrap();
}
