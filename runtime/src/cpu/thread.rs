//! The kernel thread, and its launch, that an OS thread runs: a thread-local cell.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cm_compiler::ir::{Grid, RowIds};
use cm_dsl::cpu::Kept;
use cm_macros::inlined;

/// The number of neighbours that run together on machines with wide registers.
pub(super) const SIDE_BY_SIDE: usize = 2;

/// A launch. Memory borrowed for it cannot be used in another launch, wherever a kernel's host code kept it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Launch(u64);

impl Launch {
    /// In plain Rust: no launch.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // It orders nothing; it only has to be a new number each time.
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// The kernel thread that this OS thread runs, which must be one of this launch: `argument` says what was borrowed
    /// for it.
    #[inlined]
    pub(super) fn running(self, argument: &str) -> Current {
        let current = Current::get();
        if current.launch != self {
            used_after_launch(argument);
        }
        current
    }
}

/// What blocks that are read in place keep.
impl Kept for Launch {
    #[inlined]
    fn check_again(self) {
        self.running("block");
    }
}

#[cold]
#[inline(never)]
fn used_after_launch(argument: &str) -> ! {
    panic!("a {argument} of a launch is used outside of it: kernels do not keep their arguments")
}

/// Refuses a write to an argument that was borrowed only for reading.
#[cold]
#[inline(never)]
pub(super) fn refuse_write(argument: &str) -> ! {
    panic!("a kernel writes a {argument} that it was given to read")
}

/// The kernel thread that an OS thread runs; if several run together, the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    launch: Launch,
    x: u32,
    y: u32,
}

impl Current {
    /// In plain Rust.
    const NONE: Self = Self { launch: Launch::NONE, x: 0, y: 0 };

    /// Makes this OS thread run the kernel thread at `(x, y)`.
    #[inlined]
    pub(super) fn enter(launch: Launch, x: u32, y: u32) {
        let current = Self { launch, x, y };
        // Not `set`, which is not inlined before the whole program is linked. There is no error: a cell
        // without a destructor always exists.
        let _ = CURRENT.try_with(|cell| cell.set(current));
    }

    /// The kernel thread of this OS thread. Not by `LocalKey::get`, for the reason given in `enter`.
    #[inlined]
    pub(super) fn get() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self::NONE)
    }

    #[inlined]
    pub(super) fn origin(self) -> [u32; 2] {
        [self.x, self.y]
    }

    /// The launch of the kernel thread.
    #[inlined]
    pub(super) fn launch(self) -> Launch {
        self.launch
    }
}

/// Kernel threads of a row that one OS thread runs one after the other, in one call of the kernel's code: so many from this
/// column on, and no others.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOfThreads {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) count: u32,
}

impl RowOfThreads {
    /// Of unknown threads.
    pub(super) const NONE: Self = Self { x: 0, y: 0, count: 0 };

    /// Whether the running thread is one of them.
    #[inlined]
    pub(super) fn contains(self, current: Current) -> bool {
        current.y == self.y && current.x.wrapping_sub(self.x) < self.count
    }
}

/// The ids of the kernel thread that an OS thread runs, as far as all threads of its row share them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurrentIds(RowIds);

impl CurrentIds {
    /// In plain Rust.
    const NONE: Self = Self(RowIds::new(Grid::single([1; 3]), [0; 3]));

    /// Makes this OS thread run kernel threads of the row of this one.
    pub(super) fn enter(grid: Grid, origin: [u32; 3]) {
        CURRENT_IDS.set(Self(RowIds::new(grid, origin)));
    }

    /// The ids of the row that this OS thread runs. As `Current::get`, so that several ids are one load.
    #[inlined]
    pub(super) fn get() -> RowIds {
        CURRENT_IDS.try_with(Cell::get).unwrap_or(Self::NONE).0
    }

    /// The third coordinate of the kernel thread that this OS thread runs.
    pub(super) fn z() -> u32 {
        CURRENT_IDS.get().0.z()
    }
}

thread_local! {
    static CURRENT: Cell<Current> = const { Cell::new(Current::NONE) };
    static CURRENT_IDS: Cell<CurrentIds> = const { Cell::new(CurrentIds::NONE) };
}

/// Restores the kernel thread that this OS thread was running: kernels may launch kernels in their host code, and a
/// worker that waits for these takes other work.
#[derive(Debug)]
pub(super) struct Interrupted(Current, CurrentIds);

impl Interrupted {
    pub(super) fn new() -> Self {
        Self(CURRENT.get(), CURRENT_IDS.get())
    }
}

impl Drop for Interrupted {
    fn drop(&mut self) {
        CURRENT.set(self.0);
        CURRENT_IDS.set(self.1);
    }
}
