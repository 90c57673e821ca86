//! Random programs of the language, executed twice: on arrays by the CPU backend, and as recorded IR by the interpreter.
//!
//! A program is a list of steps over variables of five element types, with nested `if` and loops whose conditions depend
//! on the data. It is written once, generic over the backend, as what `#[kernel]` writes.

#[path = "programs/program.rs"]
mod program;
#[path = "programs/steps.rs"]
mod steps;

use std::cell::RefCell;

use cm::dsl::backend::Backend;
use cm::dsl::cpu::{Cpu, Environment, SurfaceAccess};
use cm::dsl::elem::Elem;
use cm::dsl::ir::{InterpretArg, interpret, parse, verify};
use cm::dsl::kernel::{ArgSource, Kernel};
use cm::dsl::trace::record;
use program::{Program, Step, programs};
use proptest::prelude::*;

thread_local! {
    static PROGRAM: RefCell<Program> = const { RefCell::new(Vec::new()) };
}

/// The program of this thread as a kernel: reads a block, and writes everything that it computed.
struct Random;

impl Kernel for Random {
    const NAME: &'static str = "random";
    const PARAMS: &'static [cm::__private::Param] = <shape::ports as Kernel>::PARAMS;
    type Args<B: Backend> = <shape::ports as Kernel>::Args<B>;

    fn bind<B: Backend>(source: &mut impl ArgSource<B>) -> Self::Args<B> {
        shape::ports::bind(source)
    }

    fn run<B: Backend>(args: &mut Self::Args<B>) {
        let program = PROGRAM.with_borrow(Clone::clone);
        steps::run(&program, &args.0, &mut args.1);
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

/// Bytes without an edge: programs stay inside.
#[derive(Clone, Debug)]
struct Memory(Vec<u8>);

const PITCH: usize = 64;

impl Memory {
    fn row(x: i32, y: i32, len: usize) -> std::ops::Range<usize> {
        let start = y as usize * PITCH + x as usize;
        start..start + len
    }
}

impl SurfaceAccess for Memory {
    fn enter_block(&self, _: i32, _: i32, _: usize, _: usize, _: bool) {}
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

#[derive(Debug)]
struct Port(usize);

impl SurfaceAccess for Port {
    fn enter_block(&self, _: i32, _: i32, _: usize, _: usize, _: bool) {}
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        MEMORY.with_borrow(|memory| memory[self.0].read_row(x, y, row));
    }
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        MEMORY.with_borrow_mut(|memory| memory[self.0].write_row(x, y, row));
    }
}

impl Environment for Shared {
    type Surface = Port;
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
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> [[T; C]; R] {
        unreachable!("programs have no uniform arguments")
    }
}

fn on_the_cpu(input: &Memory) -> Memory {
    MEMORY.set([input.clone(), Memory(vec![0; PITCH * 64])]);
    Random::run::<Cpu<Shared>>(&mut Random::bind::<Cpu<Shared>>(&mut Ports(0)));
    MEMORY.with_borrow(|memory| memory[1].clone())
}

fn check(program: Vec<Step>, bytes: Vec<u8>) -> Result<(), TestCaseError> {
    PROGRAM.set(program);
    let input = Memory(bytes);
    let expected = on_the_cpu(&input);

    let function = record::<Random>().unwrap_or_else(|error| panic!("{error}"));
    verify(&function).unwrap();
    let text = function.to_string();
    prop_assert_eq!(&parse(&text).unwrap().to_string(), &text);
    let (mut source, mut output) = (input.clone(), Memory(vec![0; PITCH * 64]));
    let mut args = [InterpretArg::Surface(&mut source), InterpretArg::Surface(&mut output)];
    interpret(&function, &mut args, [1, 2]).unwrap();
    prop_assert_eq!(&output.0, &expected.0, "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_recording_means_what_the_program_does(
        program in programs(),
        bytes in prop::collection::vec(any::<u8>(), PITCH * 64),
    ) {
        // Without optimisation every operation has its registers on the stack.
        let run = std::thread::Builder::new().stack_size(64 << 20).spawn(move || check(program, bytes)).unwrap();
        run.join().unwrap()?;
    }
}
