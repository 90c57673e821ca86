//! Recordings: a kernel is recorded once, and everything derived from the recording is kept with it.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use cm_compiler::access::{Summary, summary_in, uniforms};
#[cfg(level_zero)]
use cm_compiler::ir::DependencyPattern;
use cm_compiler::ir::{Function, Grid, Op, ParamKind};
use cm_compiler::pressure::RegisterReport;
use cm_compiler::spirv::{Dispatch, LowerError, Options, RegisterFile, Target, lower_with};
use cm_dsl::kernel::{Kernel, Param};
use cm_dsl::recorder::{RecordError, Recorded, Sampled, record};
use smallvec::SmallVec;

use crate::error::Result;
use crate::latest::Latest;
use crate::parts::Shared;
use crate::proven::{Launches, Proven};
use crate::thread_groups::Threads;

/// A recorded kernel, and everything that is derived from it.
#[derive(Debug)]
pub struct Recording {
    recorded: Recorded,
    objects: usize,
    /// Without and with ends of buffers, with surfaces in images and in buffers, in the order of [`Dispatch::ALL`],
    /// [`Target::ALL`] and [`RegisterFile::ALL`].
    modules: [[[[[Module; RegisterFile::ALL.len()]; Target::ALL.len()]; Dispatch::ALL.len()]; 2]; 2],
    registers: OnceLock<RegisterReport>,
    /// Whether it shows how threads are divided into groups.
    groups: bool,
    barriers: bool,
    prints: bool,
    /// The summary for thread spaces.
    walked: Arc<Summary>,
    /// The arguments on which the positions of its accesses may depend.
    uniforms: Vec<usize>,
    /// Bytes of the largest scattered elements of each parameter.
    #[cfg(level_zero)]
    elements: Vec<usize>,
    /// The summaries for the latest other launches. A program that launches a kernel in more ways analyses it again.
    summaries: Latest<Extent, Arc<Summary>>,
    /// What is proven about the threads of the latest launches.
    proofs: Latest<Launches, Arc<Proven>>,
}

/// A module, after the first request.
type Module = OnceLock<std::result::Result<Vec<u32>, LowerError>>;

/// The key of a summary: the groups, and the arguments that it depends on.
type Extent = (Grid, SmallVec<[(usize, u64); 4]>);

/// Every recorded kernel. Types live as long as the program, and so do these.
static RECORDINGS: RwLock<Option<HashMap<TypeId, std::result::Result<&'static Recording, RecordError>>>> =
    RwLock::new(None);

/// The recording of a kernel, made at the first request.
///
/// # Errors
/// If the kernel breaks a rule that is checked when it is recorded.
pub fn recording<K: Kernel>() -> Result<&'static Recording> {
    known(TypeId::of::<K>(), record::<K>)
}

/// The recording of a kernel by its type; compiled once for all kernels.
fn known(
    id: TypeId,
    record: fn() -> std::result::Result<Recorded, RecordError>,
) -> Result<&'static Recording> {
    let known = RECORDINGS
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|all| all.get(&id).cloned());
    if let Some(known) = known {
        return Ok(known?);
    }
    // Not under the lock: the kernel is the user's code.
    let recorded = record();
    // Two threads may have recorded it at once; the first entry stays.
    let mut all = RECORDINGS.write().unwrap_or_else(PoisonError::into_inner);
    let known = all.get_or_insert_with(HashMap::new).entry(id).or_insert_with(|| {
        recorded.map(|recorded| {
            let (modules, registers, summaries, proofs) = Default::default();
            let walked = Arc::new(recorded.summary.clone());
            let (groups, barriers) = (recorded.function.uses_groups(), recorded.function.has_barriers());
            let uniforms = uniforms(&recorded.function);
            #[cfg(level_zero)]
            let elements = recorded.function.largest_elements();
            let prints =
                recorded.function.body.instructions().any(|inst| matches!(inst.op, Op::Print { .. }));
            // Never freed: launches borrow from it, and the number of kernels of a program is limited.
            let objects = recorded.function.body.instructions().map(|inst| inst.ty.bytes()).sum();
            &*Box::leak(Box::new(Recording {
                recorded,
                objects,
                modules,
                registers,
                groups,
                barriers,
                prints,
                walked,
                uniforms,
                #[cfg(level_zero)]
                elements,
                summaries,
                proofs,
            }))
        })
    });
    Ok(known.clone()?)
}

impl Recording {
    /// The recorded kernel.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.recorded.function
    }

    /// Its accesses to surfaces and buffers.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.recorded.summary
    }

    /// Its samples by samplers that are arguments.
    #[must_use]
    pub fn samples(&self) -> &[Sampled] {
        &self.recorded.samples
    }

    /// The groups in which a launch runs its threads, and the summary of the kernel for them. A kernel that does not
    /// use groups runs in groups of one thread. `bytes` are the bytes of the numeric arguments.
    pub(crate) fn within<'a>(
        &self,
        threads: Threads<'_>,
        bytes: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> (Grid, Arc<Summary>) {
        let Threads { grid, walked, .. } = threads;
        let grid = if self.groups { grid } else { Grid::single(grid.threads().map(|n| n as u32)) };
        if walked.is_some() && !self.groups && self.uniforms.is_empty() {
            return (grid, Arc::clone(&self.walked));
        }
        let bits = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let arguments = self.uniforms.iter().filter_map(|&n| Some((n, bits(bytes(n)?))));
        let extent: Extent = (grid, arguments.collect());
        let analysed = |(_, arguments): &Extent| Arc::new(summary_in(self.function(), grid, arguments));
        (grid, self.summaries.get(extent, analysed))
    }

    /// What is proven about the threads of a launch, with the results of [`within`](Self::within), and its arguments with the
    /// parameter of each.
    pub(crate) fn proven(
        &self,
        within: (Grid, &Arc<Summary>),
        threads: Threads<'_>,
        args: impl Iterator<Item = (Option<usize>, Shared)>,
    ) -> Arc<Proven> {
        let launches = Launches::new(within, threads, args);
        self.proofs.get(launches, |launches| Arc::new(Proven::new(launches, threads)))
    }

    /// Its SPIR-V module in the form that is best on a target with this register file.
    ///
    /// # Errors
    /// If the target lacks an operation or the register file.
    pub fn module(&self, target: Target, registers: RegisterFile) -> Result<&[u32]> {
        self.module_for(target, Options { registers, ..Options::default() })
    }

    /// Its SPIR-V module for the smallest register file of a target that it can be written for.
    ///
    /// # Errors
    /// If the target lacks an operation, or has no such register file.
    pub fn smallest_module(&self, target: Target) -> Result<&[u32]> {
        let fits = |size: &RegisterFile| {
            self.function().register_file <= size.registers() * target.register_bytes()
                && (*size == RegisterFile::Standard || target.has_large_register_file())
        };
        let registers = RegisterFile::ALL.iter().copied().find(fits);
        // Without one, the error of the standard register file says what to do.
        self.module(target, registers.unwrap_or_default())
    }

    /// The module with these options, without debug information.
    pub(crate) fn module_for(&self, target: Target, options: Options) -> Result<&[u32]> {
        let Options { registers, dispatch, linear, ends, .. } = options;
        let lowered = || lower_with(self.function(), target, Options { debug_info: false, ..options });
        let kind = Dispatch::ALL.iter().position(|known| *known == dispatch);
        let index = Target::ALL.iter().position(|known| *known == target);
        let size = RegisterFile::ALL.iter().position(|known| *known == registers);
        let modules = &self.modules[usize::from(ends)][usize::from(linear)];
        let module = match kind.zip(index).zip(size) {
            Some(((kind, index), size)) => modules[kind][index][size].get_or_init(lowered),
            None => unreachable!("all kinds of launches, targets and register files are listed"),
        };
        Ok(module.as_ref().map_err(Clone::clone)?)
    }

    /// Bytes of all objects that the kernel creates.
    pub(crate) fn objects(&self) -> usize {
        self.objects
    }

    /// Whether it shows how threads are divided into groups.
    #[cfg(level_zero)]
    pub(crate) fn uses_groups(&self) -> bool {
        self.groups
    }

    /// Whether a buffer of `bytes` bytes does not end inside of an element that the kernel accesses.
    #[cfg(level_zero)]
    pub(crate) fn has_whole_elements(&self, index: usize, bytes: usize) -> bool {
        self.elements.get(index).is_none_or(|&size| size == 0 || bytes.is_multiple_of(size))
    }

    /// The module for a launch on a GPU, with the groups of [`within`](Self::within).
    #[cfg(level_zero)]
    pub(crate) fn dispatch(&self, threads: Threads<'_>, grid: Grid, target: Target) -> Dispatch {
        let single = || {
            let alone = (threads.walked.is_some() || !self.groups) && self.function().shared_bytes() == 0;
            Dispatch::pairs(grid).filter(|_| alone && target.has_paired_units())
        };
        match threads.walked {
            Some(pattern) if pattern != DependencyPattern::NONE => Dispatch::Line,
            Some(_) if self.barriers => single().unwrap_or(Dispatch::Space),
            _ => single().unwrap_or(Dispatch::Groups),
        }
    }

    /// Whether the threads of a group wait for each other. Threads of thread spaces do not.
    pub(crate) fn has_barriers(&self, threads: Threads<'_>) -> bool {
        self.barriers && threads.walked.is_none()
    }

    /// Whether the threads of a group share memory or wait for each other.
    pub(crate) fn has_teams(&self, threads: Threads<'_>) -> bool {
        self.has_barriers(threads) || self.function().shared_bytes() > 0 || self.function().named_barriers > 0
    }

    /// Its register usage.
    #[must_use]
    pub fn registers(&self) -> &RegisterReport {
        self.registers.get_or_init(|| RegisterReport::of_verified(self.function()))
    }

    /// Whether it prints.
    pub(crate) fn prints(&self) -> bool {
        self.prints
    }

    /// A number that no other kernel has.
    #[cfg(level_zero)]
    pub(crate) fn id(&'static self) -> usize {
        // No other recording gets this address, because none is freed.
        std::ptr::from_ref(self).addr()
    }

    /// The kernel's name.
    pub(crate) fn name(&self) -> &'static str {
        self.recorded.declaration.name
    }

    /// The parameters of the source.
    pub(crate) fn declared(&self) -> &'static [Param<ParamKind>] {
        self.recorded.declaration.params
    }

    /// The name of a parameter in the source; for a view, the name of the surface.
    pub(crate) fn parameter(&self, index: usize) -> &'static str {
        self.declared()[self.function().shown(index).of].name
    }

    /// The parameters that its modules take an argument for.
    #[cfg(level_zero)]
    pub(crate) fn bound(&self) -> impl Iterator<Item = usize> {
        let params = self.function().params.iter().enumerate();
        params.filter(|(_, param)| !matches!(param.kind, ParamKind::Shared { .. })).map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cm_compiler::ir::{DependencyPattern, Waves};
    use cm_compiler::spirv::lower;
    use cm_dsl::backend::Backend;
    use cm_dsl::kernel::ArgSource;

    use super::*;
    use crate::thread_groups::LaunchSpace as _;
    use crate::thread_space::ThreadSpace;

    static RUNS: AtomicUsize = AtomicUsize::new(0);

    /// Counts how often it is recorded.
    enum Counted {}

    impl Kernel for Counted {
        type Unit = Self;
        const NAME: &'static str = "counted";
        const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
        const PARAMS: &'static [Param] = &[];

        fn run<B: Backend>(_: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
            RUNS.fetch_add(threads.count(), Ordering::Relaxed);
        }
    }

    #[test]
    fn everything_is_made_once() {
        let (first, second) = (recording::<Counted>().unwrap(), recording::<Counted>().unwrap());
        assert!(std::ptr::eq(first, second));
        assert!(std::ptr::eq(first.registers(), second.registers()));
        for &target in Target::ALL {
            let words = first.module(target, RegisterFile::Standard).unwrap();
            assert!(std::ptr::eq(words, second.module(target, RegisterFile::Standard).unwrap()));
            assert_eq!(words, lower(first.function(), target).unwrap());
        }
        assert_eq!(RUNS.load(Ordering::Relaxed), 1);

        // Proofs, for each kind of threads.
        let space = ThreadSpace::new(20, 20).unwrap().with_dependencies(DependencyPattern::WAVEFRONT);
        let [masked, other] = [1, 2].map(|mask| space.with_dependency_masks(|_, _| mask));
        let proven = |threads: Threads<'_>| {
            let (grid, summary) = first.within(threads, |_| None);
            first.proven((grid, &summary), threads, [(None, Shared::Constant)].into_iter())
        };
        let all =
            || [space.threads(), masked.threads(), other.threads(), masked.space().threads()].map(proven);
        let (all, again) = (all(), all());
        let same = |n: usize, m: usize| Arc::ptr_eq(&all[n], &again[m]);
        assert!((0..4).all(|n| same(n, n)) && same(0, 3) && !same(0, 1) && !same(1, 2));
        assert_eq!(all[1].widest, Some(20));
        assert_eq!(all[1].waves(masked.threads()).map(Waves::count), Some(20));
        let copy = masked.clone();
        drop(masked);
        assert!(Arc::ptr_eq(&proven(copy.threads()), &all[1]));
    }
}
