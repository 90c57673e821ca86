//! Tests of the wrapper on the mock.

mod debug_info;
mod errors;
mod failures;
mod host_memory;
mod lifetimes;
mod misuses;
mod named_barriers;
mod staging;
mod submissions;

use std::path::Path;
use std::sync::{Arc, Mutex};

use cm_compiler::ir::DependencyPattern;
use cm_dsl::backend::Backend;
use cm_dsl::buffer::LinearBuffer;
use cm_dsl::builtins::{thread_origin_x, thread_origin_y};
use cm_dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ByValue, Kernel, Param, ParamKind};
use cm_dsl::printf::{Printable, Printf};
use cm_dsl::registers::{Matrix, Scalar, Vector};
use cm_dsl::surface::Surface;

use super::Mock;
use crate::level_zero::compiler_process::CompilerProcess;
use crate::level_zero::debug_info::DebugInfo;
use crate::{
    Buffer, Device, Enqueued, Event, Format, LaunchArg, Result, Scope, Surface2D, Surface3D, ThreadSpace,
    enqueue, launch,
};

/// Texels of the surfaces. Rows are not whole dwords, so that they are padded.
const WIDTH: usize = 17;
const HEIGHT: usize = 5;

/// The kernel that the mock knows: adds a number to each byte.
enum Step {}

impl Kernel for Step {
    type Unit = Self;
    const NAME: &'static str = "step";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[
        Param { name: "input", kind: ArgumentKind::One(ParamKind::Surface { writable: false }) },
        Param { name: "output", kind: ArgumentKind::One(ParamKind::Surface { writable: true }) },
        Param { name: "n", kind: <u8 as Argument<ByValue>>::KIND },
    ];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let input: Surface<B> = <Surface2D as Argument<ByReference>>::bind(source);
        let mut output: Surface<B> = <Surface2D as Argument<ByReference>>::bind(source);
        let n: Scalar<u8, B> = <u8 as Argument<ByValue>>::bind(source);
        for () in threads {
            let (x, y) = (thread_origin_x::<B>() * 16, thread_origin_y::<B>());
            let bytes = input.read::<u8, 1, 16>(x, y);
            let sum: Matrix<u8, 1, 16, B> = (bytes + n).convert();
            output.write(x, y, &sum);
        }
    }
}

/// Another kernel of the mock: adds a number to each byte of a buffer, and to the bytes beyond its end.
enum Raise {}

impl Kernel for Raise {
    type Unit = Self;
    const NAME: &'static str = "raise";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[
        Param { name: "buffer", kind: <Buffer<u8> as Argument<ByReference>>::KIND.by(true) },
        Param { name: "n", kind: <u8 as Argument<ByValue>>::KIND },
    ];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let mut buffer: LinearBuffer<u8, B> = <Buffer<u8> as Argument<ByReference>>::bind(source);
        let n: Scalar<u8, B> = <u8 as Argument<ByValue>>::bind(source);
        for () in threads {
            let offset = thread_origin_x::<B>() * 16;
            let sum: Vector<u8, 16, B> = (buffer.read_any::<16>(offset) + n).convert();
            buffer.write_any(offset, &sum);
        }
    }
}

/// A kernel of the mock that prints a number.
enum Show {}

impl Kernel for Show {
    type Unit = Self;
    const NAME: &'static str = "show";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[Param { name: "n", kind: <u8 as Argument<ByValue>>::KIND }];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let n: Scalar<u8, B> = <u8 as Argument<ByValue>>::bind(source);
        for () in threads {
            let line = Printf::<B>::new();
            line.print(format_args!("n = {}", n.shown(&line)));
        }
    }
}

/// A kernel of the mock that copies the first row of a 2-D block.
enum Tile {}

impl Kernel for Tile {
    type Unit = Self;
    const NAME: &'static str = "tile";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[
        Param { name: "input", kind: <Buffer<u8> as Argument<ByReference>>::KIND.by(false) },
        Param { name: "output", kind: <Buffer<u8> as Argument<ByReference>>::KIND.by(true) },
    ];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let input: LinearBuffer<u8, B> = <Buffer<u8> as Argument<ByReference>>::bind(source);
        let mut output: LinearBuffer<u8, B> = <Buffer<u8> as Argument<ByReference>>::bind(source);
        for () in threads {
            let row = input.load_2d_any::<1, 64>(64, 1, 64, 0, 0);
            output.store_2d_any(64, 1, 64, 0, 0, &row);
        }
    }
}

/// The output of the kernel, launched and enqueued.
fn show(device: &Device, n: u8) -> Result<String> {
    let text = Arc::new(Mutex::new(String::new()));
    let printed = Arc::clone(&text);
    let device =
        device.with_printf_handler(move |output| printed.lock().unwrap().push_str(&output.to_string()));
    launch::<Show>(&device, space(), &mut [n.into_arg()])?;
    device.scope(|scope| enqueue::<Show>(scope, space(), &mut [(n + 1).into_arg()]))?;
    let text = text.lock().unwrap().clone();
    Ok(text)
}

fn raise(device: &Device, buffer: &mut Buffer<u8>, n: u8) -> Result<Event> {
    launch::<Raise>(device, space(), &mut [buffer.into_arg(), n.into_arg()])
}

fn space() -> ThreadSpace {
    ThreadSpace::new(WIDTH.div_ceil(16), HEIGHT).expect("a small one")
}

fn step(device: &Device, input: &Surface2D, output: &mut Surface2D, n: u8) -> Result<Event> {
    launch::<Step>(device, space(), &mut [input.into_arg(), output.into_arg(), n.into_arg()])
}

fn later(scope: &Scope<'_>, input: &Surface2D, output: &mut Surface2D, n: u8) -> Result<Enqueued> {
    enqueue::<Step>(scope, space(), &mut [input.into_arg(), output.into_arg(), n.into_arg()])
}

fn bytes() -> Vec<u8> {
    (0..WIDTH * HEIGHT).map(|n| (n * 7) as u8).collect()
}

fn plus(bytes: &[u8], n: u8) -> Vec<u8> {
    bytes.iter().map(|byte| byte.wrapping_add(n)).collect()
}

fn surface(device: &Device) -> Result<Surface2D> {
    Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, &bytes())
}

impl Mock {
    fn device(&self) -> Device {
        Device::of(self.gpu(), "")
    }

    /// Opens the device with a compiling program.
    fn open_with(&self, program: &Path) -> Result<Device> {
        let mut started = self.start(None)?;
        started.compiler = CompilerProcess::at(program.to_owned());
        Ok(Device::of(started.open(0)?, ""))
    }

    /// Opens the device with a folder for debug information.
    fn open_with_debug_info(&self, cache: Option<&Path>, folder: &Path) -> Result<Device> {
        let mut started = self.start(cache)?;
        started.debug_info = DebugInfo::at(folder.to_owned());
        Ok(Device::of(started.open(0)?, ""))
    }

    fn open(&self, cache: Option<&Path>) -> Result<Device> {
        Ok(Device::of(self.start(cache)?.open(0)?, ""))
    }
}
