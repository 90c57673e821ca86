//! Arguments that are derived from the parameters of a kernel, so that the text of a kernel is a complete
//! test case.

use cm::interpret::{InterpretArg, InterpretError, interpret};
use cm::ir::{Function, Op, ParamKind, Type};

use crate::memory::{Linear, Memory};
use crate::noise::stream;

/// Bytes of a row of each surface, and rows.
pub const WIDTH: usize = 64;
/// See [`WIDTH`].
pub const HEIGHT: usize = 64;
/// Bytes of each buffer.
pub const BUFFER: usize = 1024;

/// The bytes of the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Every bit is set somewhere.
    Noise,
    /// Every second byte is 0, the others are less than 16.
    Small,
    /// All bits are 0.
    Zeros,
    /// All bits are 1.
    Ones,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Noise, Self::Small, Self::Zeros, Self::Ones];

    fn bytes(self, seed: u32, count: usize) -> Vec<u8> {
        let mut next = stream(seed);
        let noise = (0..count).map(|_| (next() >> 9) as u8);
        match self {
            Self::Noise => noise.collect(),
            Self::Small => noise.enumerate().map(|(n, x)| if n % 2 == 0 { x & 15 } else { 0 }).collect(),
            Self::Zeros => vec![0; count],
            Self::Ones => vec![255; count],
        }
    }
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A surface of [`HEIGHT`] rows of [`WIDTH`] bytes, in texels of one byte.
    Surface(Vec<u8>),
    /// A buffer.
    Buffer(Vec<u8>),
    /// A value that is the same for all threads.
    Uniform(Type, Vec<u8>),
}

impl Argument {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Surface(bytes) | Self::Buffer(bytes) | Self::Uniform(_, bytes) => bytes,
        }
    }
}

/// The arguments of a kernel before it runs. Surfaces that it may write hold zeros.
pub fn arguments(function: &Function, pattern: Pattern) -> Vec<Argument> {
    let argument = |n: usize, kind: ParamKind| {
        let bytes = |count| pattern.bytes(99 + 2 * n as u32, count);
        match kind {
            ParamKind::Surface { writable: true } => Argument::Surface(vec![0; WIDTH * HEIGHT]),
            ParamKind::Surface { writable: false } => Argument::Surface(bytes(WIDTH * HEIGHT)),
            ParamKind::Buffer { .. } => Argument::Buffer(bytes(BUFFER)),
            ParamKind::Uniform { elem, rows, columns } => {
                let ty = Type::new(elem, rows, columns);
                Argument::Uniform(ty, bytes(ty.bytes()))
            }
            _ => panic!("`{}` has a parameter of a new kind", function.name),
        }
    };
    function.params.iter().enumerate().map(|(n, param)| argument(n, param.kind)).collect()
}

/// Columns and rows of threads: several if the kernel reads its coordinates.
pub fn grid(function: &Function) -> (usize, usize) {
    let reads = function.body.instructions().any(|inst| matches!(inst.op, Op::Thread(_)));
    if reads { (3, 2) } else { (1, 1) }
}

/// The arguments after every thread of [`grid`] has run, in raster order.
///
/// # Errors
/// Those of the interpreter.
pub fn interpreted(function: &Function, arguments: &[Argument]) -> Result<Vec<Argument>, InterpretError> {
    enum Host<'a> {
        Surface(Memory),
        Buffer(Linear),
        Uniform(Type, &'a [u8]),
    }
    let mut hosts: Vec<Host<'_>> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Surface(bytes) => Host::Surface(Memory::new(1, WIDTH, HEIGHT, bytes)),
            Argument::Buffer(bytes) => Host::Buffer(Linear::new(bytes.clone())),
            Argument::Uniform(ty, bytes) => Host::Uniform(*ty, bytes),
        })
        .collect();
    let (columns, rows) = grid(function);
    for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
        let mut args: Vec<InterpretArg<'_>> = hosts
            .iter_mut()
            .map(|host| match host {
                Host::Surface(memory) => InterpretArg::Surface(memory),
                Host::Buffer(buffer) => InterpretArg::Buffer(buffer),
                Host::Uniform(ty, bytes) => InterpretArg::Uniform { ty: *ty, bytes },
            })
            .collect();
        interpret(function, &mut args, [x as u32, y as u32])?;
    }
    let after = |host| match host {
        Host::Surface(memory) => Argument::Surface(memory.bytes()),
        Host::Buffer(buffer) => Argument::Buffer(buffer.into_bytes()),
        Host::Uniform(ty, bytes) => Argument::Uniform(ty, bytes.to_vec()),
    };
    Ok(hosts.into_iter().map(after).collect())
}
