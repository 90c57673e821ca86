//! Every operation of both tables and every reduction, on all element types, as machine code. The results
//! must match the interpreter. Newer devices are tested with one type of each size.

use std::fs;

use cm::Target;
use cm::compiler::elem::ElemType;
use cm::compiler::ops::{Accuracy, Computed, MapKind, Operand};
use cm::interpret::element::allowed;
use cm::interpret::{InterpretArg, InterpretSurface, interpret};
use cm::ir::{Bits, Block, Function, Inst, Location, Op, Param, ParamKind, Type, Value};
use cm::spirv::lower;
use cm::verify::verify;
use cm_test_support::emulator::{Emulator, Run};
use cm_test_support::noise::stream;
use cm_test_support::ocloc::compile_all;

/// Elements of a thread: a block of rows of up to 64 bytes.
const ROWS: usize = 4;
const COLUMNS: usize = 8;
const COUNT: usize = ROWS * COLUMNS;
const THREADS: usize = 8;

/// Bytes of a row of the surfaces: one block for each operand.
const PITCH: usize = 64 * 3;
const HEIGHT: usize = ROWS * THREADS;

/// An operation, the type of its computation, and the types of its operands.
#[derive(Clone, Debug)]
struct Case {
    form: Form,
    common: ElemType,
    elems: Vec<ElemType>,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Computed(Computed),
    Reduce(MapKind),
}

impl Case {
    /// Each operation with operands of its own type; and with bytes, in types that bytes are promoted to.
    fn all() -> Vec<Self> {
        let computed = Computed::all().map(Form::Computed);
        let reductions = MapKind::ALL.iter().copied().filter(|kind| kind.reduces()).map(Form::Reduce);
        let mut cases = vec![];
        for form in computed.chain(reductions) {
            let (rules, domain): (&[Operand], _) = match form {
                Form::Computed(kind) => (kind.operands(), kind.domain()),
                Form::Reduce(kind) => (&[Operand::Common], kind.domain()),
            };
            for &common in ElemType::ALL.iter().filter(|elem| domain.contains(**elem)) {
                let of = |bytes: Option<ElemType>| -> Vec<ElemType> {
                    let elem = |rule: &Operand| match rule {
                        Operand::Mask => ElemType::U16,
                        Operand::Common => bytes.unwrap_or(common),
                        Operand::Own | Operand::Source => common,
                    };
                    rules.iter().map(elem).collect()
                };
                let mut all = vec![of(None)];
                let promoted = [ElemType::I32, ElemType::U32, ElemType::F32].contains(&common);
                if promoted && rules.contains(&Operand::Common) {
                    all.extend([of(Some(ElemType::I8)), of(Some(ElemType::U8))]);
                }
                all.dedup();
                cases.extend(all.into_iter().map(|elems| Self { form, common, elems }));
            }
        }
        cases
    }

    /// The kernel: each thread reads a block for each operand, and writes a block of results.
    fn kernel(&self) -> Function {
        let mut kernel = Kernel::default();
        let zero = kernel.number(0);
        let row = kernel.thread_row();
        let mut operands = vec![];
        for (n, elem) in self.elems.iter().enumerate() {
            let x = kernel.number(64 * n as u64);
            let ty = Type::new(*elem, ROWS, COLUMNS);
            let read = cm::compiler::ops::AccessKind::MediaRead;
            operands.push(kernel.push(Op::Access { kind: read, param: 0, operands: vec![x, row] }, ty));
        }
        let (op, result) = match self.form {
            Form::Computed(kind) => (Op::of(kind, self.common, &operands), kind.outcome().elem(self.common)),
            Form::Reduce(kind) => {
                let op = Op::Reduce { kind, common: self.common, operand: operands[0] };
                let reduced = kernel.push(op, Type::scalar(self.common));
                (Op::Splat(reduced), self.common)
            }
        };
        let ty = Type::new(result, ROWS, COLUMNS);
        let result = kernel.push(op, ty);
        let write = cm::compiler::ops::AccessKind::MediaWrite;
        kernel.push(Op::Access { kind: write, param: 1, operands: vec![zero, row, result] }, ty);
        kernel.finish()
    }

    /// All pairs of numbers near the limits, as blocks of the operands.
    fn input(&self) -> Vec<u8> {
        let mut bytes = vec![0; PITCH * HEIGHT];
        for (n, elem) in self.elems.iter().enumerate() {
            let edges = edges(*elem);
            for k in 0..COUNT * THREADS {
                let edge = match n {
                    0 => k / edges.len(),
                    1 => k,
                    _ => k / 3 + k * 5,
                };
                let bits = edges[edge % edges.len()].to_le_bytes();
                let (row, column) = (k / COLUMNS, k % COLUMNS);
                let at = row * PITCH + 64 * n + column * elem.bytes();
                bytes[at..at + elem.bytes()].copy_from_slice(&bits[..elem.bytes()]);
            }
        }
        bytes
    }

    /// The required accuracy of the results relative to the interpreter.
    fn accuracy(&self) -> Accuracy {
        match self.form {
            Form::Computed(kind) => kind.accuracy(),
            Form::Reduce(kind) => kind.accuracy(),
        }
    }

    /// The element type of the result.
    fn result(&self) -> ElemType {
        match self.form {
            Form::Computed(kind) => kind.outcome().elem(self.common),
            Form::Reduce(_) => self.common,
        }
    }
}

/// The bits of sixteen edge values.
fn edges(elem: ElemType) -> Vec<u64> {
    let mask = u64::MAX >> (64 - elem.bytes() * 8);
    let half = mask / 2;
    match elem {
        ElemType::F16 => vec![
            0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x2e66, 0xb4cd, 0x4200, 0x5bf8, 0x7bff, 0xfbff, 0x7c00,
            0xfc00, 0x7e00, 0x0001, 0x83ff,
        ],
        ElemType::F32 => vec![
            0,
            1 << 31,
            0x3f80_0000,
            0xbf80_0000,
            0x3f00_0000,
            0x3dcc_cccd,
            0xbe99_999a,
            0x4040_0000,
            0x437f_8000,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0000_0001,
            0x807f_ffff,
        ],
        ElemType::F64 => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            0.1,
            -0.3,
            3.0,
            255.5,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            5e-324,
            -1e-310,
        ]
        .map(f64::to_bits)
        .to_vec(),
        _ => vec![
            0,
            1,
            2,
            3,
            5,
            7,
            31,
            100,
            half,
            half - 1,
            half + 1,
            half + 2,
            mask,
            mask - 1,
            mask - 6,
            half / 3,
        ],
    }
}

#[derive(Default)]
struct Kernel {
    body: Block,
    next: u32,
}

impl Kernel {
    fn push(&mut self, op: Op, ty: Type) -> Value {
        let value = Value(self.next);
        let result = op.has_result().then_some(value);
        self.next += u32::from(result.is_some());
        let location = Location { file: "k.rs".into(), line: self.next, column: 1 };
        self.body.insts.push(Inst { result, op, ty, location });
        value
    }

    fn number(&mut self, x: u64) -> Value {
        self.push(Op::Constant(Bits::Splat(x)), Type::scalar(ElemType::I32))
    }

    fn thread_row(&mut self) -> Value {
        let row =
            self.push(Op::Thread(cm::ir::ThreadId::Origin(cm::ir::Axis::Y)), Type::scalar(ElemType::U32));
        let rows = self.number(ROWS as u64);
        self.push(Op::map(MapKind::Mul, ElemType::I32, &[row, rows]), Type::scalar(ElemType::I32))
    }

    fn finish(self) -> Function {
        let param = |name: &str, writable| Param { name: name.into(), kind: ParamKind::Surface { writable } };
        Function::new("k", vec![param("a", false), param("z", true)], self.body)
    }
}

/// A surface for kernels that stay inside of it.
#[derive(Debug)]
struct Memory(Vec<u8>);

impl InterpretSurface for Memory {
    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        row.copy_from_slice(&self.0[y as usize * PITCH + x as usize..][..row.len()]);
    }
    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        self.0[y as usize * PITCH + x as usize..][..row.len()].copy_from_slice(row);
    }
}

/// Replaces all NaNs by the same bit pattern, because payloads are not defined.
fn without_payloads(bytes: &mut [u8], elem: ElemType) {
    let (infinity, quiet) = match elem {
        ElemType::F16 => (0x7c00, 0x7e00),
        ElemType::F32 => (0x7f80_0000, 0x7fc0_0000),
        ElemType::F64 => (0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000),
        _ => return,
    };
    let size = elem.bytes();
    for row in bytes.chunks_mut(PITCH) {
        for element in row[..COLUMNS * size].chunks_mut(size) {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(element);
            if u64::from_le_bytes(bits) & (u64::MAX >> (65 - size * 8)) > infinity {
                element.copy_from_slice(&u64::to_le_bytes(quiet)[..size]);
            }
        }
    }
}

/// An operation with its operands and results.
struct Execution {
    case: Case,
    function: Function,
    input: Vec<u8>,
    expected: Vec<u8>,
}

impl Execution {
    fn new(case: Case, input: Vec<u8>) -> Self {
        let function = case.kernel();
        verify(&function).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        let (mut read, mut written) = (Memory(input.clone()), Memory(vec![0; PITCH * HEIGHT]));
        for y in 0..THREADS as u32 {
            let mut args = [InterpretArg::Surface(&mut read), InterpretArg::Surface(&mut written)];
            interpret(&function, &mut args, [0, y]).unwrap_or_else(|error| panic!("{case:?}: {error}"));
        }
        let mut expected = written.0;
        without_payloads(&mut expected, case.result());
        Self { case, function, input, expected }
    }

    /// The module for a device, if the operation is tested on it. Newer devices are tested with one type of
    /// each size for all operands. The compiler for Ponte Vecchio crashes on groups of `f64`.
    fn module(&self, target: Target) -> Option<Vec<u32>> {
        let case = &self.case;
        let sample = matches!(
            case.common,
            ElemType::U8 | ElemType::I16 | ElemType::U32 | ElemType::I64 | ElemType::F32 | ElemType::F64
        );
        let plain = case.elems.iter().all(|elem| *elem == case.common || *elem == ElemType::U16) && sample;
        let crashes = matches!(case.form, Form::Computed(Computed::Group(_)))
            && case.common == ElemType::F64
            && target == Target::XeHpc;
        if target != Target::Gen9 && (!plain || crashes) {
            return None;
        }
        match lower(&self.function, target) {
            Ok(module) => Some(module),
            Err(cm::spirv::LowerError::Unsupported { .. }) if !target.has_f64() => None,
            Err(error) => panic!("{case:?} for {target:?}: {error}"),
        }
    }

    /// Executes the binary on a device, and describes any difference.
    fn check(&self, emulator: &Emulator, module: &[u32], device: &str, binary: &[u8]) -> Result<(), String> {
        let (case, bytes, expected) = (&self.case, &self.input, &self.expected);
        let run = Run {
            module,
            device,
            kernel: "k",
            input: bytes,
            pitch: PITCH,
            rows: HEIGHT,
            grid: (1, THREADS),
            arguments: &[],
        };
        let mut found = emulator.run_binary(binary, &run);
        without_payloads(&mut found, case.result());
        let size = case.result().bytes();
        let element = |bytes: &[u8], at: usize| {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(&bytes[at..at + size]);
            u64::from_le_bytes(bits)
        };
        let places = (0..HEIGHT).flat_map(|row| (0..COLUMNS).map(move |k| row * PITCH + k * size));
        let differs = |at: &usize| {
            let (found, expected) = (element(&found, *at), element(expected, *at));
            !allowed(case.accuracy(), case.result(), found, expected)
        };
        if let Some(at) = places.into_iter().find(differs) {
            let row = at / PITCH * PITCH;
            let operands: Vec<_> = case
                .elems
                .iter()
                .enumerate()
                .map(|(n, elem)| {
                    let k = at % PITCH / case.result().bytes() * elem.bytes();
                    &bytes[row + 64 * n + k..][..elem.bytes()]
                })
                .collect();
            let (found, expected) = (&found[at..][..8], &expected[at..][..8]);
            return Err(format!("of {operands:x?} from byte {at} on {found:x?}, not {expected:x?}"));
        }
        Ok(())
    }
}

/// Executes everything on these devices. Returns what differs or does not compile.
fn differences(executions: &[Execution], emulator: &Emulator, devices: &[(&str, Target)]) -> Vec<String> {
    let mut jobs = vec![];
    for execution in executions {
        for &(device, target) in devices {
            jobs.extend(execution.module(target).map(|module| (execution, device, module)));
        }
    }
    let modules: Vec<(&[u32], &str)> =
        jobs.iter().map(|(_, device, module)| (&module[..], *device)).collect();
    let folder = tempfile::tempdir().unwrap();
    let binaries = compile_all(emulator.compiler(), &modules, folder.path());
    let results = jobs.iter().zip(binaries).filter_map(|((execution, device, module), binary)| {
        let binary = binary.and_then(|path| fs::read(path).map_err(|error| error.to_string()));
        let error = binary.and_then(|binary| execution.check(emulator, module, device, &binary)).err()?;
        Some(format!("{:?} on {device}: {error}", execution.case))
    });
    results.collect()
}

#[test]
fn operations_give_what_the_interpreter_gives() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let of_edges = |case: Case| {
        let input = case.input();
        Execution::new(case, input)
    };
    let executions: Vec<Execution> = Case::all().into_iter().map(of_edges).collect();
    let wrong = differences(&executions, &emulator, emulator.devices());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Square roots of numbers of all magnitudes.
#[test]
fn square_roots_are_rounded_to_nearest() {
    let Some(emulator) = Emulator::newest_or_installed() else { return };
    let kind = Computed::Map(MapKind::SqrtIeee, false);
    let case = Case { form: Form::Computed(kind), common: ElemType::F32, elems: vec![ElemType::F32] };
    let mut next = stream(12345);
    let mut executions = vec![];
    for _ in 0..16 {
        let mut bytes = vec![0; PITCH * HEIGHT];
        for number in bytes.as_chunks_mut::<4>().0 {
            *number = (next() >> 1).to_le_bytes();
        }
        executions.push(Execution::new(case.clone(), bytes));
    }
    let wrong = differences(&executions, &emulator, &emulator.devices()[..1]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
