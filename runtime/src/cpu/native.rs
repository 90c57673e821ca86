//! The code of a kernel for each instruction set: a loop over threads of a row inside one function, into
//! which the whole kernel is inlined. The environments whose operations use AVX2 or AVX-512 are types that
//! only these functions can name.

use std::panic::Location;

use cm_compiler::ir::RowIds;
use cm_compiler::ops::SyncKind;
use cm_compiler::printf::{Printed as Value, Template};
use cm_dsl::backend::Backend;
#[cfg(target_arch = "x86_64")]
use cm_dsl::cpu::Avx512;
use cm_dsl::cpu::{Avx2, Cpu, Environment, Products};
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Kernel};
use cm_macros::inlined;

use super::argument::Argument;
use super::buffer::BufferMemory;
use super::group;
use super::isa::{self, Isa};
use super::printing;
use super::surface::SurfaceMemory;
use super::thread::{Current, CurrentIds, Launch, RowOfThreads, SIDE_BY_SIDE};

/// The code of a kernel: the part that is compiled for each kernel.
#[derive(Clone, Copy)]
pub(crate) struct Code {
    pub(super) optimised: bool,
    pub(super) native: Neighbours,
}

impl Code {
    /// The code of kernel `K`.
    pub(crate) fn of<K: Kernel>() -> Self {
        Self { optimised: K::OPTIMISED, native: neighbours::<K> }
    }
}

/// The code of a kernel for a number of neighbours, of which the first ones run in pairs.
pub(super) type Neighbours = fn(Isa, Run<'_>, usize, usize);

/// A kernel thread to run, and those to its right.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) launch: Launch,
    pub(super) x: u32,
    pub(super) y: u32,
    /// Whether it is one of a group of threads that share memory or wait for each other. It is one thread, then.
    pub(super) team: bool,
    pub(super) args: &'a [Argument<'a>],
}

/// Iterates over the arguments of a launch, for code that may use AVX2 if that is proven.
struct Source<'a> {
    args: std::slice::Iter<'a, Argument<'a>>,
    launch: Launch,
    row: RowOfThreads,
    avx2: Option<Avx2>,
}

impl<E: Executor, const N: usize> ArgSource<Cpu<E, N>> for Source<'_> {
    #[inlined]
    fn surface(&mut self) -> SurfaceMemory {
        match self.args.next() {
            Some(Argument::Surface(surface)) => surface.during(self.launch, self.row),
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    #[inlined]
    fn buffer(&mut self) -> BufferMemory {
        match self.args.next() {
            Some(Argument::Buffer(buffer)) => buffer.during(self.launch, self.row, self.avx2),
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    #[inlined]
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> <Cpu<E, N> as Backend>::Reg<T, R, C> {
        let Some(&Argument::Uniform(bytes)) = self.args.next() else {
            unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel");
        };
        let mut rows = [[T::default(); C]; R];
        bytemuck::cast_slice_mut(rows.as_flattened_mut()).copy_from_slice(bytes);
        Cpu::<E, N>::constant(rows)
    }
}

/// Runs `count` neighbours of a row, the first `pairs` pairs of them together. Code that is not optimised is the same for
/// all instruction sets, and gains nothing from pairs, so it is compiled once.
fn neighbours<K: Kernel>(isa: Isa, run: Run<'_>, count: usize, pairs: usize) {
    let paired = match isa {
        _ if pairs == 0 => 0,
        // SAFETY: the CPU has these extensions, as the value proves.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(avx512) if const { K::OPTIMISED } => unsafe {
            K::Unit::avx512_pairs::<K>(avx512, run, pairs);
            pairs * SIDE_BY_SIDE
        },
        // SAFETY: the CPU has AVX2, as the value proves.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(avx2) if const { K::OPTIMISED } => unsafe {
            K::Unit::avx2_pairs::<K>(avx2, run, pairs);
            pairs * SIDE_BY_SIDE
        },
        _ => 0,
    };
    if count > paired {
        let rest = Run { x: run.x + paired as u32, ..run };
        // A single thread seldom fills registers of 64 bytes.
        match isa.avx2() {
            // SAFETY: the CPU has AVX2, as the value proves.
            #[cfg(target_arch = "x86_64")]
            Some(avx2) if const { K::OPTIMISED } => unsafe {
                K::Unit::avx2::<K>(avx2, rest, count - paired);
            },
            _ => K::Unit::baseline::<K>(rest, count - paired),
        }
    }
}

/// The environments of kernel threads in the executor.
trait Executor: Environment<Surface = SurfaceMemory, Buffer = BufferMemory> {
    /// Calls a function that the compiler knows only when it has simplified the code of the caller.
    #[inlined]
    fn call(function: &fn()) {
        function();
    }
}

impl<E: Environment<Surface = SurfaceMemory, Buffer = BufferMemory>> Executor for E {}

/// Declares an [`Executor`] whose operations may use the listed extensions.
macro_rules! executor {
    ($name:ident $(, $item:item)*) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Environment for $name {
            type Surface = SurfaceMemory;
            type Buffer = BufferMemory;
            $($item)*

            #[inlined]
            fn thread_origin() -> [u32; 2] {
                Current::get().origin()
            }

            fn products() -> Option<Products> {
                isa::products()
            }

            #[inlined]
            fn row_ids() -> RowIds {
                CurrentIds::get()
            }

            fn shared(bytes: usize) -> BufferMemory {
                BufferMemory::of_group(bytes)
            }

            fn sync(kind: SyncKind, operands: &[u32], at: &'static Location<'static>) {
                group::sync(kind, operands, at);
            }

            fn print([x, y]: [u32; 2], template: &Template, values: &[Value]) {
                printing::print(Current::get().launch(), [x, y, CurrentIds::z()], template, values);
            }
        }
    };
}

executor!(Baseline);

/// A function with such a value aligns its stack, and so its vectors there.
#[repr(align(64))]
struct AlignedStack {
    _byte: u8,
}

/// Nothing. Without the barrier, which is no instruction, the compiler would remove the call before it looks for
/// [such calls](simplify_again).
#[inline]
fn nothing() {
    std::hint::black_box(());
}

/// LLVM simplifies a function once more if a call through a pointer has become a call of a known function. It vectorises
/// loops afterwards. After one round registers are not yet seen through where that takes an unrolled loop or a copy: of
/// the kernels in `benches/classes`, `sums` takes 3.4 times as long. By default rustc has a second round anyway.
#[inlined]
fn simplify_again<E: Executor>() {
    let function: fn() = nothing;
    // By a function of a parameter: rustc would find out itself what a local variable refers to.
    E::call(&function);
}

/// The loop; in optimised code inlined, with the kernel, into one function for each instruction set.
///
/// The arguments are bound once, outside of the loop, and each kernel thread copies them: what is the same for all
/// threads, such as the start and the size of a surface, stays in registers or on the stack.
#[inlined]
fn side_by_side<K: Kernel, E: Executor, const N: usize>(run: Run<'_>, count: usize, avx2: Option<Avx2>) {
    let Run { launch, mut x, mut y, team, args } = run;
    if const { K::OPTIMISED && K::SIMPLIFIED_ONCE } {
        simplify_again::<E>();
    }
    // Otherwise vectors on the stack could cross cache lines, depending on where the stack starts.
    std::hint::black_box(&mut AlignedStack { _byte: 0 });
    loop {
        let threads = (0..count).map(|n| Current::enter(launch, x + (n * N) as u32, y));
        let row = RowOfThreads { x, y, count: (count * N) as u32 };
        K::run::<Cpu<E, N>>(&mut Source { args: args.iter(), launch, row, avx2 }, threads);
        // Here, because to return on a stack that was switched to takes as long as many instructions: see `group::sync`.
        if N > 1 || !team || !group::goes_on() {
            break;
        }
        [x, y] = Current::get().origin();
    }
}

/// Kernels in the executor, in functions of [`Kernel::Unit`]: one for each instruction set, for which all inlined code
/// is compiled.
trait InUnit {
    #[inline(never)]
    fn baseline<K: Kernel>(run: Run<'_>, count: usize) {
        side_by_side::<K, Baseline, 1>(run, count, None);
    }

    /// The operations are those of the baseline, compiled for AVX2. Of those that need its proof only accesses to buffers have it:
    /// the others gain from it in pairs, and without it this function shares their code with `baseline` before optimisation.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,f16c,fma")]
    unsafe fn avx2<K: Kernel>(avx2: Avx2, run: Run<'_>, count: usize) {
        side_by_side::<K, Baseline, 1>(run, count, Some(avx2));
    }

    /// # Safety
    /// The CPU has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,f16c,fma")]
    unsafe fn avx2_pairs<K: Kernel>(_: Avx2, run: Run<'_>, pairs: usize) {
        executor!(
            OnAvx2,
            // SAFETY: only this function can name the type, and it is given the proof.
            const AVX2: Option<Avx2> = Some(unsafe { Avx2::new_unchecked() });
        );
        side_by_side::<K, OnAvx2, SIDE_BY_SIDE>(run, pairs, OnAvx2::AVX2);
    }

    /// # Safety
    /// The CPU has AVX-512, as [`Avx512`] proves.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,f16c,fma,avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn avx512_pairs<K: Kernel>(_: Avx512, run: Run<'_>, pairs: usize) {
        executor!(
            OnAvx512,
            // SAFETY: only this function can name the type, and it is given the proof.
            const AVX2: Option<Avx2> = Some(unsafe { Avx2::new_unchecked() });,
            // SAFETY: as above.
            const AVX512: Option<Avx512> = Some(unsafe { Avx512::new_unchecked() });
        );
        side_by_side::<K, OnAvx512, SIDE_BY_SIDE>(run, pairs, OnAvx512::AVX2);
    }
}

impl<T> InUnit for T {}
