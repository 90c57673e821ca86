//! The kernel threads of a group: their shared memory, and their turns.
//!
//! One OS thread runs a whole group. Without barriers its threads run one after the other. With barriers each thread
//! has its own stack; it runs until it waits or ends, and then the next thread runs. So a group of any size needs only
//! one core, and a thread that never reaches a barrier is an error instead of a deadlock.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::thread::panicking;

use cm_compiler::ir::{BarrierFault, Member, NamedBarriers, meet};
use cm_compiler::limits::shared_end;
use cm_compiler::ops::SyncKind;

use super::clocks::Clocks;
use super::places::{Place, location};
use super::races::{How, Shadow};
use super::turns::{Turns, suspend};
use crate::error::{GroupFault, Result};

/// The panic payload that ends a kernel thread whose group has a fault; the [`Team`] keeps the fault.
struct Stop;

/// The threads of a group, and their shared state. Groups use it one after the other.
pub(super) struct Team {
    memory: Box<[Cell<u64>]>,
    /// The stacks of waiting threads; `None` if no thread waits.
    turns: Option<Turns>,
    members: RefCell<Vec<Member<Place>>>,
    named: RefCell<NamedBarriers<Place>>,
    /// Bytes of the memory that each thread has taken.
    taken: RefCell<Vec<usize>>,
    running: Cell<usize>,
    /// The initial state of its threads.
    member: Member<Place>,
    /// The state of race detection, if it is on.
    races: Option<RefCell<Races>>,
    fault: RefCell<Option<GroupFault>>,
    /// Whether a thread unwinds. The destructors of its group's threads then neither wait nor fail.
    ending: Cell<bool>,
    /// Whether this OS thread was unwinding when the group began.
    panicking: Cell<bool>,
}

/// The accesses of the threads of a group, and their order.
struct Races {
    shadow: Shadow,
    clocks: Clocks,
}

/// The needs of the groups of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) kernel: &'static str,
    /// Threads of a group.
    pub(super) size: usize,
    /// Whether they meet at barriers: threads of a thread space do not.
    pub(super) meets: bool,
    /// Bytes of shared memory.
    pub(super) bytes: usize,
    /// Named barriers of a group.
    pub(super) named_barriers: usize,
    /// Bytes of the stack of each thread, if they wait for each other.
    pub(super) stack: Option<usize>,
    /// Whether races on the memory are detected.
    pub(super) races: bool,
}

thread_local! {
    /// The group of the kernel thread that this OS thread runs; null if it runs none.
    static TEAM: Cell<*const Team> = const { Cell::new(ptr::null()) };
}

/// Ends the group if a thread of it unwinds.
struct Ends<'a>(&'a Team);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.ending.set(true);
        }
    }
}

/// Restores the group that this OS thread was running.
pub(super) struct Before(*const Team);

impl Before {
    /// From here on, this OS thread runs kernel threads without a team: those of a launch by the host code of a group, or of
    /// other work that a worker takes meanwhile.
    pub(super) fn without_team() -> Self {
        Self(TEAM.replace(ptr::null()))
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        TEAM.set(self.0);
    }
}

impl Team {
    pub(super) fn new(needs: Needs) -> Result<Self> {
        let Needs { kernel, size, meets, bytes, named_barriers, stack, races } = needs;
        let member = if meets { Member::default() } else { Member::alone() };
        let watched = || Races {
            shadow: Shadow::new(bytes, named_barriers > 0),
            clocks: Clocks::new(size, named_barriers),
        };
        Ok(Self {
            member,
            memory: vec![Cell::new(0); bytes.div_ceil(size_of::<u64>())].into(),
            turns: stack.map(|stack| Turns::new(kernel, size, stack)).transpose()?,
            members: RefCell::new(vec![member; size]),
            named: RefCell::new(NamedBarriers::new(named_barriers, size)),
            taken: RefCell::new(vec![0; size]),
            running: Cell::new(0),
            races: races.then(|| RefCell::new(watched())),
            fault: RefCell::new(None),
            ending: Cell::new(false),
            panicking: Cell::new(false),
        })
    }

    /// Runs the threads of a group: `enter` makes this OS thread run one, by its number, and `thread` is its code.
    ///
    /// # Errors
    /// The fault of its threads. The team cannot run another group afterwards.
    pub(super) fn run(
        &self,
        enter: &dyn Fn(usize),
        thread: &dyn Fn(usize),
    ) -> std::result::Result<(), GroupFault> {
        self.panicking.set(panicking());
        self.memory.iter().for_each(|cell| cell.set(0));
        self.members.borrow_mut().fill(self.member);
        self.taken.borrow_mut().fill(0);
        let size = self.members.borrow().len();
        self.named.borrow_mut().clear();
        if let Some(races) = &self.races {
            let Races { shadow, clocks } = &mut *races.borrow_mut();
            shadow.clear();
            clocks.clear();
        }
        let begin = |n: usize| {
            if self.members.borrow()[n].waits() || self.named.borrow_mut().holds(n) {
                return false;
            }
            self.running.set(n);
            enter(n);
            true
        };
        let whole = |n: usize| {
            let ends = Ends(self);
            thread(n);
            std::mem::forget(ends);
            let ended = self.named.borrow_mut().end(n).map_err(BarrierFault::from);
            let ended = ended.and_then(|()| self.members.borrow_mut()[n].end());
            ended.unwrap_or_else(|fault| self.fail(fault));
        };
        let meeting = || self.meet().unwrap_or_else(|fault| self.fail(fault));
        let before = Before(TEAM.replace(self));
        let run = catch_unwind(AssertUnwindSafe(|| match &self.turns {
            Some(turns) => turns.run(&whole, &begin, &meeting),
            None => (0..size).for_each(|n| {
                begin(n);
                whole(n);
            }),
        }));
        drop(before);
        match (run, self.fault.take()) {
            (_, Some(fault)) => Err(fault),
            (Ok(()), None) => Ok(()),
            (Err(panic), None) => resume_unwind(panic),
        }
    }

    /// Called when no thread of the group can continue. Returns whether some can after the barrier of all threads.
    fn meet(&self) -> std::result::Result<bool, BarrierFault<Place>> {
        self.named.borrow().stuck()?;
        let met = meet(&mut self.members.borrow_mut())?;
        if let (true, Some(races)) = (met, &self.races) {
            races.borrow_mut().clocks.meet();
        }
        Ok(met)
    }

    /// The running thread signals or waits. Returns whether it must wait.
    fn come(
        &self,
        kind: SyncKind,
        numbers: &[u32],
        at: Place,
    ) -> std::result::Result<bool, BarrierFault<Place>> {
        let thread = self.running.get();
        let mut races = self.races.as_ref().map(RefCell::borrow_mut);
        let clocks = races.as_mut().map(|races| &mut races.clocks);
        match (kind, kind.role(), numbers) {
            (_, Some(role), &[barrier, producers, consumers]) => {
                let signal = (barrier, [producers, consumers]);
                let completes = self.named.borrow_mut().signal(thread, role, signal, at)?;
                if let Some(clocks) = clocks {
                    clocks.signal_named(thread, barrier, (role.consumes(), completes), at)?;
                }
                Ok(false)
            }
            (SyncKind::WaitNamed, None, &[barrier]) => {
                self.named.borrow_mut().wait(thread, barrier, at)?;
                Ok(self.named.borrow_mut().holds(thread))
            }
            _ => {
                let waits = self.members.borrow_mut()[thread].come(kind, at)?;
                if let (SyncKind::Signal | SyncKind::Barrier, Some(clocks)) = (kind, clocks) {
                    clocks.signal(thread);
                }
                Ok(waits)
            }
        }
    }

    /// Whether threads of the group unwind: the caller is a destructor, which must neither suspend its thread nor unwind.
    fn ends(&self) -> bool {
        // A thread that panics runs its destructors before anybody else knows.
        self.ending.get() || panicking() && !self.panicking.get()
    }

    /// Ends the group.
    fn fail(&self, fault: impl Into<GroupFault>) -> ! {
        self.ending.set(true);
        self.fault.borrow_mut().get_or_insert(fault.into());
        // Not `panic!`, which would print.
        resume_unwind(Box::new(Stop))
    }
}

/// Calls `ask` with the group of the kernel thread that this OS thread runs.
fn with<T>(ask: impl FnOnce(&Team) -> T) -> Option<T> {
    // SAFETY: `Team::run` sets the pointer to its team, and sets it back before it returns or unwinds; kernel
    // threads only run in between, and no code has the team exclusively meanwhile.
    unsafe { TEAM.get().as_ref() }.map(ask)
}

/// The shared memory of the running group: its address and its size.
#[inline]
pub(super) fn memory() -> Option<(*mut u8, usize)> {
    // Cells may be written through a shared reference.
    with(|team| (team.memory.as_ptr().cast_mut().cast(), size_of_val(&*team.memory)))
}

/// The address of the next array of the running kernel thread, with this size; `None` if the group has less memory.
pub(super) fn take(bytes: usize) -> Option<*mut u8> {
    let (start, all) = memory()?;
    let first = with(|team| {
        let taken = &mut team.taken.borrow_mut()[team.running.get()];
        let end = shared_end(*taken, bytes);
        std::mem::replace(taken, end)
    })?;
    (shared_end(first, bytes) <= all).then(|| start.wrapping_add(first))
}

/// Records that the running kernel thread accesses this number of bytes of the memory from byte `start` on.
pub(super) fn touch(start: usize, bytes: usize, how: How, at: Place) {
    with(|team| {
        let Some(races) = team.races.as_ref().filter(|_| !team.ends()) else { return };
        let touched = {
            let Races { shadow, clocks } = &mut *races.borrow_mut();
            shadow.touch(start..start + bytes, (team.running.get(), clocks), how, at)
        };
        touched.unwrap_or_else(|fault| team.fail(fault));
    });
}

/// The running kernel thread signals others of its group or waits for them, with the numbers of a named barrier.
pub(super) fn sync(kind: SyncKind, numbers: &[u32], at: Place) {
    if with(Team::ends) == Some(true) {
        return;
    }
    let waits = with(|team| {
        let came = team.come(kind, numbers, at);
        let waits = came.unwrap_or_else(|fault| team.fail(fault));
        if !waits || team.turns.is_some() {
            return waits;
        }
        // No other thread of the group has its turn, and a group of one thread meets at once.
        let met = team.meet();
        _ = met.unwrap_or_else(|fault| team.fail(fault));
        false
    });
    if waits == Some(true) {
        suspend();
    }
    if let (SyncKind::WaitNamed, &[barrier]) = (kind, numbers) {
        with(|team| {
            if let Some(races) = &team.races {
                races.borrow_mut().clocks.pass(team.running.get(), barrier);
            }
        });
    }
}

impl From<BarrierFault<Place>> for GroupFault {
    fn from(fault: BarrierFault<Place>) -> Self {
        Self::Barrier(Box::new(fault.placed(location)))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{Location, panic_any};

    use super::*;

    fn here() -> Place {
        Location::caller().into()
    }

    /// A value of a kernel whose destructor uses the group.
    struct Meets<'a>(&'a Cell<usize>);

    impl Drop for Meets<'_> {
        fn drop(&mut self) {
            sync(SyncKind::Barrier, &[], here());
            touch(0, 4, How { writes: true, atomic: false }, here());
            sync(SyncKind::Barrier, &[], here());
            self.0.set(self.0.get() + 1);
        }
    }

    fn team(size: usize, stack: Option<usize>) -> Team {
        let (kernel, meets, bytes) = ("k", true, 64);
        Team::new(Needs { kernel, size, meets, bytes, named_barriers: 0, stack, races: true }).unwrap()
    }

    /// The number of destructors that ran to their end, in a group whose last thread does this before its barrier.
    fn destructors(size: usize, stack: Option<usize>, last: fn()) -> (usize, Option<GroupFault>) {
        let (team, dropped) = (team(size, stack), Cell::new(0));
        let thread = |n: usize| {
            let _first = Meets(&dropped);
            let _second = Meets(&dropped);
            if n + 1 == size {
                last();
            }
            sync(SyncKind::Barrier, &[], here());
        };
        let run = catch_unwind(AssertUnwindSafe(|| team.run(&|_| {}, &thread)));
        (dropped.get(), run.unwrap_or(Ok(())).err())
    }

    /// Threads that wait are unwound: their destructors come to barriers, which nobody can pass any more.
    #[test]
    fn destructors_do_not_wait_in_a_group_that_ends() {
        let alone: &[usize] = if cfg!(coroutines) { &[1, 2, 5] } else { &[1] };
        for &size in alone {
            let stack = (size > 1).then_some(1 << 20);
            let (dropped, fault) = destructors(size, stack, || panic_any("of a kernel"));
            assert_eq!((dropped, fault.is_none()), (2 * size, true), "{size} threads, a panic");
            let (dropped, fault) = destructors(size, stack, || sync(SyncKind::Wait, &[], here()));
            assert_eq!((dropped, fault.is_some()), (2 * size, true), "{size} threads, a fault");
        }
    }

    #[cfg(coroutines)]
    #[test]
    fn stacks_without_memory_are_an_error_with_its_remedy() {
        let error = Turns::new("k", 3, 1 << 50).err().unwrap();
        assert!(
            matches!(error, crate::Error::GroupStacks { kernel: "k", threads: 3, bytes } if bytes == 3 << 50)
        );
        assert!(error.to_string().contains("smaller groups"), "{error}");
    }

    /// A launch in a destructor is whole, although its OS thread unwinds.
    #[cfg(coroutines)]
    #[test]
    fn groups_meet_in_destructors_of_others() {
        struct Launches<'a>(&'a Cell<usize>);
        impl Drop for Launches<'_> {
            fn drop(&mut self) {
                let team = team(3, Some(1 << 20));
                let met = Cell::new(0);
                let thread = |_| {
                    met.set(met.get() + 1);
                    sync(SyncKind::Barrier, &[], here());
                    assert_eq!(met.get(), 3, "all came first");
                    self.0.set(self.0.get() + 1);
                };
                assert!(team.run(&|_| {}, &thread).is_ok());
            }
        }
        let passed = Cell::new(0);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _launches = Launches(&passed);
            panic_any("of a program");
        }));
        assert!(panicked.is_err() && passed.get() == 3);
    }
}
