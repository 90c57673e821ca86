//! Element-wise operations whose operands have other types than the type in which they are computed: the recording
//! computes the same as the CPU.

use cm_compiler::interpret::{InterpretArg, InterpretBuffer, interpret};
use cm_compiler::ir::Type;
use cm_compiler::ops::AccessKind;

use super::record;
use crate::backend::Backend;
use crate::cpu::Cpu;
use crate::elem::ElemType;
use crate::kernel::{ArgSource, ArgumentKind, Kernel, Param, ParamKind};
use crate::ops::{Add, Convert, Lt, Merge, Neg};

const BYTES: [u8; 4] = [0, 1, 200, 255];
const WORDS: [i16; 4] = [300, -1, 5, -300];
const MASK: [u16; 4] = [1, 0, 2, 3];
/// Results of four `i64` each.
const RESULTS: usize = 5;

type Row<B, T> = <B as Backend>::Reg<T, 1, 4>;

fn mixed<B: Backend>(bytes: Row<B, u8>, words: Row<B, i16>, mask: Row<B, u16>) -> [Row<B, i64>; RESULTS] {
    [
        B::map1::<Neg, i32, u8, i64, false, 1, 4>(bytes),
        // Truncated by the type in which it is computed, then clamped.
        B::map1::<Convert, i16, u8, i64, false, 1, 4>(B::map1::<Convert, i8, i16, u8, true, 1, 4>(words)),
        B::map2::<Add, i32, u8, i16, i64, false, 1, 4>(bytes, words),
        B::map1::<Convert, u16, u16, i64, false, 1, 4>(B::map2::<Lt, i16, u8, i16, u16, false, 1, 4>(
            bytes, words,
        )),
        B::map3::<Merge, u16, u8, i16, u8, i64, false, 1, 4>(mask, words, bytes),
    ]
}

struct Mixed;

impl Kernel for Mixed {
    type Unit = Self;
    const NAME: &'static str = "mixed";
    const PLACE: (&'static str, u32, u32) = ("tests.rs", 1, 1);
    const PARAMS: &'static [Param] = &[
        Param {
            name: "bytes",
            kind: ArgumentKind::One(ParamKind::Uniform { elem: ElemType::U8, rows: 1, columns: 4 }),
        },
        Param {
            name: "words",
            kind: ArgumentKind::One(ParamKind::Uniform { elem: ElemType::I16, rows: 1, columns: 4 }),
        },
        Param {
            name: "mask",
            kind: ArgumentKind::One(ParamKind::Uniform { elem: ElemType::U16, rows: 1, columns: 4 }),
        },
        Param {
            name: "out",
            kind: ArgumentKind::One(ParamKind::Buffer { elem: ElemType::I64, writable: true }),
        },
    ];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let (bytes, words) = (source.uniform::<u8, 1, 4>(), source.uniform::<i16, 1, 4>());
        let (mask, mut buffer) = (source.uniform::<u16, 1, 4>(), source.buffer());
        for () in threads {
            for (n, result) in mixed::<B>(bytes, words, mask).into_iter().enumerate() {
                let offset = B::constant([[n as u32 * 32]]);
                B::write_bytes::<i64, 1, 4>(AccessKind::OwordWrite, &mut buffer, offset, result);
            }
        }
    }
}

#[derive(Debug)]
struct Bytes(Vec<u8>);

impl InterpretBuffer for Bytes {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0[offset as usize..][..bytes.len()]);
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        self.0[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }
}

#[test]
fn operands_are_converted_as_on_the_cpu() {
    let function = record::<Mixed>().unwrap().function;
    let mut out = Bytes(vec![0; RESULTS * 32]);
    let uniform = |elem, bytes| InterpretArg::Uniform { ty: Type::new(elem, 1, 4), bytes };
    let mut args = [
        uniform(ElemType::U8, &BYTES),
        uniform(ElemType::I16, bytemuck::bytes_of(&WORDS)),
        uniform(ElemType::U16, bytemuck::bytes_of(&MASK)),
        InterpretArg::Buffer(&mut out),
    ];
    interpret(&function, &mut args, [0, 0]).unwrap();
    let recorded: Vec<i64> = out.0.chunks(8).map(bytemuck::pod_read_unaligned).collect();
    let computed = mixed::<Cpu>([[BYTES]], [[WORDS]], [[MASK]]);
    let computed: Vec<i64> = computed.into_iter().flatten().flatten().flatten().collect();
    assert_eq!(recorded, computed, "{function}");
    let expected = [[0, -1, -200, -255], [44, 0, 5, 0], [300, 0, 205, -45], [1, 0, 0, 0], [44, 1, 200, 212]];
    assert_eq!(computed, expected.concat());
}
