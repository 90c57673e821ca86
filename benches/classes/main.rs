//! Kernels of the classes that media and arithmetic programs have, beside the plain loops of C.
//!
//! `cargo bench --bench classes -- [NAME..]` prints a table. Both take turns, so that a change of the machine's speed
//! hits both; the ratio is that of the medians. One thread; then two threads, without C. The results are compared byte by byte
//! first. It needs a C compiler, `cc` or what `CC` names.

pub mod kernels;

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use cm::elem::Elem;
use cm::{Buffer, Device, Format, Surface2D, ThreadSpace};
use libloading::{Library, Symbol};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What C has for each class.
type Plain = unsafe extern "C" fn(input: *const u8, output: *mut u8, width: i32, height: i32);

/// Something that computes again and again.
trait Work {
    fn run(&mut self) -> Outcome;
    fn result(&self) -> Outcome<Vec<u8>>;
}

/// Makes the kernel's work of the input, by its bytes in a row and rows.
type Make = fn(&Device, (usize, usize), &[u8]) -> Outcome<Box<dyn Work>>;

/// A class: bytes in a row of the input and rows, bytes of the result.
struct Class {
    name: &'static str,
    size: (usize, usize),
    floats: bool,
    kernel: Make,
}

/// A kernel, and what it is launched on.
struct Kernel<I, O, L>(I, O, L);

impl<L: Fn(&Surface2D, &mut Surface2D) -> cm::Result<()>> Work for Kernel<Surface2D, Surface2D, L> {
    fn run(&mut self) -> Outcome {
        Ok(self.2(&self.0, &mut self.1)?)
    }

    fn result(&self) -> Outcome<Vec<u8>> {
        Ok(self.1.to_vec()?)
    }
}

impl<L: Fn(&Surface2D, &mut [Surface2D; 3]) -> cm::Result<()>> Work for Kernel<Surface2D, [Surface2D; 3], L> {
    fn run(&mut self) -> Outcome {
        Ok(self.2(&self.0, &mut self.1)?)
    }

    fn result(&self) -> Outcome<Vec<u8>> {
        let [luma, cb, cr] = &self.1;
        Ok([luma.to_vec()?, cb.to_vec()?, cr.to_vec()?].concat())
    }
}

impl<T: Elem, U: Elem, L: Fn(&Buffer<T>, &mut Buffer<U>) -> cm::Result<()>> Work
    for Kernel<Buffer<T>, Buffer<U>, L>
{
    fn run(&mut self) -> Outcome {
        Ok(self.2(&self.0, &mut self.1)?)
    }

    fn result(&self) -> Outcome<Vec<u8>> {
        Ok(bytemuck::cast_slice(&self.1.to_vec()?).to_vec())
    }
}

struct Loops<'a> {
    function: Symbol<'a, Plain>,
    size: (usize, usize),
    input: Vec<u64>,
    output: Vec<u64>,
}

impl Work for Loops<'_> {
    fn run(&mut self) -> Outcome {
        let (input, output) =
            (bytemuck::cast_slice::<_, u8>(&self.input), bytemuck::cast_slice_mut::<_, u8>(&mut self.output));
        // SAFETY: the function reads `width * height` bytes and writes the result's; `plain.c` is of this program.
        unsafe {
            (self.function)(input.as_ptr(), output.as_mut_ptr(), self.size.0 as i32, self.size.1 as i32);
        }
        Ok(())
    }

    fn result(&self) -> Outcome<Vec<u8>> {
        Ok(bytemuck::cast_slice(&self.output).to_vec())
    }
}

macro_rules! surfaces {
    ($($name:ident $format:ident $input:tt -> $to:ident $output:tt, $x:literal $y:literal $(, $argument:expr)*;)*) => {
        vec![$(Class {
            name: stringify!($name),
            size: $input,
            floats: matches!(Format::$format, Format::R32F),
            kernel: |device, (width, height), bytes| {
                let input =
                    Surface2D::from_bytes(device, Format::$format, width / Format::$format.texel_bytes(), height, bytes)?;
                let (wide, high): (usize, usize) = $output;
                let output = Surface2D::new(device, Format::$to, wide / Format::$to.texel_bytes(), high)?;
                let (device, space) = (device.clone(), ThreadSpace::new(width / $x, height / $y)?);
                Ok(Box::new(Kernel(input, output, move |input: &Surface2D, output: &mut Surface2D| {
                    kernels::$name::launch(&device, space, input, output $(, $argument)*).map(drop)
                })))
            },
        }),*]
    };
}

/// A kernel of buffers whose threads compute so many bytes each, `across` threads in a row.
macro_rules! buffers {
    ($($name:ident $floats:literal $input:tt of $t:ty => $u:ty, $elements:expr, [$across:expr, $down:expr] $(, $argument:expr)*;)*) => {
        vec![$(Class {
            name: stringify!($name),
            size: $input,
            floats: $floats,
            kernel: |device, _, bytes| {
                let input = Buffer::<$t>::from_slice(device, bytemuck::cast_slice(bytes))?;
                let output = Buffer::<$u>::new(device, $elements)?;
                let (device, space) = (device.clone(), ThreadSpace::new($across, $down)?);
                Ok(Box::new(Kernel(input, output, move |input: &Buffer<$t>, output: &mut Buffer<$u>| {
                    kernels::$name::launch(&device, space, input, output $(, $argument)*).map(drop)
                })))
            },
        }),*]
    };
}

fn classes() -> Vec<Class> {
    let mut classes = surfaces! {
        gradients R8 (1920, 1080) -> R8 (1920, 1080), 16 8;
        dilate R8 (1920, 1080) -> R8 (1920, 1080), 16 8;
        sharpen R8 (1920, 1080) -> R8 (1920, 1080), 16 8;
        median R8 (1920, 1080) -> R8 (1920, 1080), 16 8;
        blur5 R32F (7680, 1080) -> R32F (7680, 1080), 32 8;
        halve R8 (1920, 1080) -> R8 (960, 540), 32 8;
        twice R8 (1920, 1080) -> R8 (3840, 2160), 16 4;
        packed R8 (3840, 1080) -> R8 (7680, 1080), 32 4;
        transform R8 (1920, 1080) -> R16 (3840, 1080), 32 8;
        binomial R8 (1920, 1080) -> R8 (1920, 1080), 16 8;
        means R16 (3840, 1080) -> R16 (3840, 1080), 32 8;
        enlarge R8 (1920, 1080) -> R8 (3840, 2160), 16 4;
        bayer R8 (1920, 1080) -> R8 (2880, 540), 16 8;
    };
    classes.extend(surfaces! {
        blend R8 (7680, 2160) -> R8 (7680, 1080), 32 8, 1080;
        over R8 (7680, 2160) -> R8 (7680, 1080), 32 8, 1080;
        levels R8 (1920, 1080) -> R8 (1920, 1080), 16 8, 90, 180;
        integral R8 (1920, 1080) -> R32 (7680, 1080), 1920 4, 1920;
    });
    classes.push(Class {
        name: "planes",
        size: (5760, 1080),
        floats: false,
        kernel: |device, (width, height), bytes| {
            let input = Surface2D::from_bytes(device, Format::R8, width, height, bytes)?;
            let plane = || Surface2D::new(device, Format::R8, width / 3, height);
            let planes = [plane()?, plane()?, plane()?];
            let (device, space) = (device.clone(), ThreadSpace::new(width / 48, height / 8)?);
            Ok(Box::new(Kernel(input, planes, move |input: &Surface2D, planes: &mut [Surface2D; 3]| {
                let [luma, cb, cr] = planes;
                kernels::planes::launch(&device, space, input, luma, cb, cr).map(drop)
            })))
        },
    });
    classes.extend(buffers! {
        axpy true (7680, 1080) of f32 => f32, 1920 * 1080, [240, 270], 240, 0.5;
        sums false (7680, 1080) of u32 => u32, 1920 * 1080, [90, 90], 90;
        histogram false (1920, 1080) of u8 => u32, 256, [120, 270], 120;
        product true (2048, 512) of f32 => f32, 512 * 512, [32, 64], 512;
    });
    classes
}

/// A picture of noise, or as many floats between -2 and 2.
fn input(bytes: usize, floats: bool) -> Vec<u64> {
    let mut input = vec![0_u64; bytes / 8];
    let noise = |n: usize| n.wrapping_mul(2_654_435_761) >> 11;
    if floats {
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut input);
        floats.iter_mut().enumerate().for_each(|(n, to)| *to = (noise(n) % 256) as f32 / 64.0 - 2.0);
    } else {
        bytemuck::cast_slice_mut::<_, u8>(&mut input)
            .iter_mut()
            .enumerate()
            .for_each(|(n, to)| *to = noise(n) as u8);
    }
    input
}

/// `plain.c`, for this machine. Products and sums are rounded apart, as in the kernels.
fn compiled(folder: &std::path::Path) -> Outcome<Library> {
    let library = folder.join("plain.so");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(&compiler)
        .args(["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/classes/plain.c"))
        .status()
        .map_err(|error| format!("{compiler} cannot be run: {error}"))?;
    if !status.success() {
        return Err(format!("{compiler} cannot compile plain.c").into());
    }
    // SAFETY: the library has functions of `plain.c` only, none of which runs when it is loaded.
    Ok(unsafe { Library::new(library)? })
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn main() -> Outcome {
    let names: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let folder = tempfile::tempdir()?;
    let library = match compiled(folder.path()) {
        Ok(library) => library,
        Err(error) => {
            println!("skipped: {error}");
            return Ok(());
        }
    };
    let (device, two) = (Device::cpu_with_threads(1)?, Device::cpu_with_threads(2)?);
    println!(
        "{}\n\n| Class | cm, ns per byte | C, ns per byte | cm / C | one / two threads |",
        device.name()
    );
    println!("|---|---|---|---|---|");
    for class in classes()
        .iter()
        .filter(|class| names.is_empty() || names.iter().any(|name| class.name.contains(name)))
    {
        let bytes = class.size.0 * class.size.1;
        let input = input(bytes, class.floats);
        let make = |device| (class.kernel)(device, class.size, bytemuck::cast_slice(&input));
        let (mut kernel, mut together) = (make(&device)?, make(&two)?);
        kernel.run()?;
        together.run()?;
        let length = kernel.result()?.len();
        // SAFETY: the function has this type.
        let function = unsafe { library.get::<Plain>(class.name) }?;
        let (size, output) = (class.size, vec![0; length / 8]);
        let mut plain = Loops { function, size, input: input.clone(), output };
        plain.run()?;
        if kernel.result()? != plain.result()? || together.result()? != plain.result()? {
            return Err(format!("{}: the kernel and the loops differ", class.name).into());
        }
        let [ours, theirs] = in_turn([&mut *kernel, &mut plain], 1, 1500)?;
        // After a launch on one thread the system may wake both threads on the same core.
        let [alone, together] = in_turn([&mut *kernel, &mut *together], 8, 500)?;
        let each = |time: f64| time * 1e9 / bytes as f64;
        let (ratio, faster) = (ours / theirs, alone / together);
        println!("| {} | {:.3} | {:.3} | {ratio:.2} | {faster:.2} |", class.name, each(ours), each(theirs));
    }
    Ok(())
}

/// The median times of both, which take turns of so many runs, for so many milliseconds.
fn in_turn(mut works: [&mut dyn Work; 2], runs: usize, milliseconds: u64) -> Outcome<[f64; 2]> {
    let mut times = [vec![], vec![]];
    let begin = Instant::now();
    while times[0].len() < 7 || begin.elapsed() < Duration::from_millis(milliseconds) {
        for (work, times) in works.iter_mut().zip(&mut times) {
            for _ in 0..runs {
                let begin = Instant::now();
                black_box(&mut **work).run()?;
                times.push(begin.elapsed());
            }
        }
    }
    Ok(times.map(median))
}
