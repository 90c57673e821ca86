//! Random programs as kernels: executed by the CPU backend, and recorded.

use std::cell::RefCell;
use std::iter;

use cm::Backend;
use cm::Surface2D;
use cm::compiler::ops::Texel;
use cm::dsl::cpu::{CheckedBlock, Cpu, Environment, NoSurface, SurfaceAccess};
use cm::dsl::elem::Elem;
use cm::dsl::kernel::{ArgSource, Argument, ByReference, Kernel};
use cm::dsl::recorder::record;
use cm::interpret::InterpretSurface;
use cm::ir::{Function, Part};

use super::program::Program;
use super::steps;

thread_local! {
    static PROGRAM: RefCell<Program> = const { RefCell::new(Vec::new()) };
}

/// The program of this thread as a kernel: reads a block, and writes everything that it computed.
struct Random;

impl Kernel for Random {
    type Unit = Self;
    const NAME: &'static str = "random";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [cm::__private::Param] = <shape::ports as Kernel>::PARAMS;

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let input = <Surface2D as Argument<ByReference>>::bind(source);
        let mut output = <Surface2D as Argument<ByReference>>::bind(source);
        let program = PROGRAM.with_borrow(Clone::clone);
        for () in threads {
            steps::run(&program, &input, &mut output);
        }
    }
}

/// A kernel with the same parameters, which declares them.
mod shape {
    use cm::prelude::*;

    #[kernel]
    pub(crate) fn ports(input: &Surface2D, output: &mut Surface2D) {
        output.write(0, 0, &input.read::<u8, 4, 4>(0, 0));
    }
}

/// Bytes without an edge rule: programs stay inside.
#[derive(Clone, Debug)]
pub(crate) struct Memory(pub(crate) Vec<u8>);

/// Bytes of a row, and of all rows.
pub(crate) const PITCH: usize = 64;
pub(crate) const BYTES: usize = PITCH * 64;

impl Memory {
    fn row(x: i32, y: i32, len: usize) -> std::ops::Range<usize> {
        let start = y as usize * PITCH + x as usize;
        start..start + len
    }
}

impl InterpretSurface for Memory {
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        row.copy_from_slice(&self.0[Self::row(x, y, row.len())]);
    }
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        self.0[Self::row(x, y, row.len())].copy_from_slice(row);
    }
}

/// The memory of this thread, by parameter.
#[derive(Clone, Copy, Debug)]
struct Shared;

thread_local! {
    static MEMORY: RefCell<[Memory; 2]> = const { RefCell::new([Memory(Vec::new()), Memory(Vec::new())]) };
}

#[derive(Clone, Copy, Debug)]
struct Port(usize);

impl cm::dsl::cpu::Memory for Port {
    type Kept = ();
    fn kept(&self) {}
    fn is_constant(&self) -> bool {
        false
    }
}

impl SurfaceAccess for Port {
    fn check(&self, _: &[[i32; 2]], _: usize, _: usize, _: bool) {}
    fn part(&self, _: Part) -> Self {
        unreachable!("programs take no parts of surfaces")
    }
    fn texels(&self) -> (Texel, [u32; 3]) {
        unreachable!("programs have no typed accesses")
    }
    fn read_row(block: &CheckedBlock<&Self>, r: usize, bytes: &mut [u8]) {
        let (x, y) = (block.position()[0], block.row(r));
        MEMORY.with_borrow(|memory| memory[block.surface().0].read_row(x, y, bytes));
    }
    fn write_row(block: &mut CheckedBlock<&mut Self>, r: usize, bytes: &[u8]) {
        let (x, y) = (block.position()[0], block.row(r));
        MEMORY.with_borrow_mut(|memory| memory[block.surface().0].write_row(x, y, bytes));
    }
}

impl Environment for Shared {
    type Surface = Port;
    type Buffer = NoSurface;
    fn thread_origin() -> [u32; 2] {
        [1, 2]
    }
}

struct Ports(usize);

impl ArgSource<Cpu<Shared>> for Ports {
    fn surface(&mut self) -> Port {
        self.0 += 1;
        Port(self.0 - 1)
    }
    fn buffer(&mut self) -> NoSurface {
        unreachable!("programs have no buffers")
    }
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> [[[T; C]; 1]; R] {
        unreachable!("programs have no uniform arguments")
    }
}

fn on_the_cpu(input: &Memory) -> Memory {
    MEMORY.set([input.clone(), Memory(vec![0; BYTES])]);
    Random::run::<Cpu<Shared>>(&mut Ports(0), iter::once(()));
    MEMORY.with_borrow(|memory| memory[1].clone())
}

/// The recording of a program, and the result of the CPU backend for these input bytes.
pub(crate) fn recorded(program: Program, bytes: &[u8]) -> (Function, Vec<u8>) {
    PROGRAM.set(program);
    let expected = on_the_cpu(&Memory(bytes.to_vec())).0;
    (record::<Random>().unwrap_or_else(|error| panic!("{error}")).function, expected)
}

/// Replaces all NaNs of the float blocks by the same one, because the payload of a NaN is not defined.
#[allow(dead_code, reason = "for executions on another processor")]
pub(crate) fn forget_payloads(bytes: &mut [u8]) {
    for block in [16..20, 36..40] {
        for float in bytes[block.start * PITCH..block.end * PITCH].as_chunks_mut::<4>().0 {
            if f32::from_le_bytes(*float).is_nan() {
                *float = f32::NAN.to_le_bytes();
            }
        }
    }
}
