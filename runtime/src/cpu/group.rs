//! The kernel threads of a group: their shared memory, and their turns.
//!
//! One OS thread runs a whole group. Without barriers its threads run one after the other. With barriers each thread
//! has its own stack; it runs until it waits or ends, and then the next thread runs. So a group of any size needs only
//! one core, and a thread that never reaches a barrier is an error instead of a deadlock.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;
use std::rc::Rc;
use std::thread::panicking;

use cm_compiler::ir::{BarrierFault, Member, NamedBarriers, meet};
use cm_compiler::limits::shared_end;
use cm_compiler::ops::SyncKind;

use super::clocks::Clocks;
use super::gather::Gathers;
use super::places::{Place, location};
use super::races::{How, Shadow};
use super::turns::{Turns, suspend};
use crate::error::{GroupFault, Result};

/// The panic payload that ends a kernel thread whose group has a fault; the [`Team`] keeps the fault.
struct Stop;

/// A cache line of shared memory: vectors in it do not cross lines.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Line([Cell<u64>; 8]);

/// The threads of a group, and their shared state. Groups use it one after the other.
pub(super) struct Team {
    /// Not a box: pointers into one are invalid as soon as it is moved, and host code of kernels may keep an array while the team
    /// moves.
    memory: Rc<[Line]>,
    /// Bytes of the memory that arrays may take.
    bytes: usize,
    /// How elements of the memory are loaded, if AVX2 may be used.
    gathers: Option<Gathers>,
    /// The position of each thread in its group.
    positions: Box<[[u32; 3]]>,
    /// The group, and those that follow it.
    groups: RefCell<Range<usize>>,
    /// The stacks of waiting threads; `None` if no thread waits.
    turns: Option<Turns>,
    members: RefCell<Vec<Member<Place>>>,
    /// Which threads neither wait for all others nor have ended.
    ready: Box<[Cell<bool>]>,
    named: RefCell<NamedBarriers<Place>>,
    /// Whether there are any.
    has_named: bool,
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
    /// Threads of a group, along each axis.
    pub(super) local: [u32; 3],
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
    /// How elements of the memory are loaded, if AVX2 may be used.
    pub(super) gathers: Option<Gathers>,
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
        let Needs { kernel, local, meets, bytes, named_barriers, stack, races, gathers } = needs;
        let positions = positions(local);
        let size = positions.len();
        let member = if meets { Member::default() } else { Member::alone() };
        let watched = || Races {
            shadow: Shadow::new(bytes, named_barriers > 0),
            clocks: Clocks::new(size, named_barriers),
        };
        Ok(Self {
            member,
            memory: vec![Line::default(); bytes.div_ceil(size_of::<Line>())].into(),
            bytes,
            gathers,
            positions,
            groups: RefCell::new(0..0),
            turns: stack.map(|stack| Turns::new(kernel, size, stack)).transpose()?,
            members: RefCell::new(vec![member; size]),
            ready: vec![Cell::new(true); size].into(),
            has_named: named_barriers > 0,
            named: RefCell::new(NamedBarriers::new(named_barriers, size)),
            taken: RefCell::new(vec![0; size]),
            running: Cell::new(0),
            races: races.then(|| RefCell::new(watched())),
            fault: RefCell::new(None),
            ending: Cell::new(false),
            panicking: Cell::new(false),
        })
    }

    /// Runs groups, one after the other, each if `begin` returns true; the threads of a group know its number and their position
    /// in it: `enter` makes this OS thread run one, and `thread` is its code.
    ///
    /// Threads with their own stacks run the next group after theirs on the same stacks.
    ///
    /// # Errors
    /// The first group with a fault, and the fault. The team cannot run another group afterwards; see [`is_whole`](Self::is_whole).
    pub(super) fn run(
        &self,
        groups: Range<usize>,
        begin: &dyn Fn(usize) -> bool,
        enter: &dyn Fn([u32; 3]),
        thread: &dyn Fn([u32; 3]),
    ) -> std::result::Result<(), (usize, GroupFault)> {
        self.panicking.set(panicking());
        self.groups.replace(groups);
        let size = self.positions.len();
        let next = || {
            let Range { start, end } = self.groups.borrow().clone();
            let begins = start < end && begin(start);
            if begins {
                self.clear();
            }
            begins
        };
        let resume = |n: usize| {
            let runs = self.can_run(n);
            if runs {
                self.running.set(n);
                enter(self.positions[n]);
            }
            runs
        };
        let whole = |n: usize| {
            let ends = Ends(self);
            thread(self.positions[n]);
            std::mem::forget(ends);
            // Compiled code may have ended it.
            if self.ready[n].get() {
                self.end(n);
            }
        };
        // Only a named barrier lets threads continue that have had their turns before.
        let more = || self.has_named && (0..size).any(|n| self.can_run(n));
        let past = || {
            // Host code may have caught what ended its thread.
            if self.ending.get() {
                return false;
            }
            self.groups.borrow_mut().start += 1;
            next()
        };
        let before = Before(TEAM.replace(self));
        let run = catch_unwind(AssertUnwindSafe(|| {
            let mut begun = next();
            match &self.turns {
                Some(turns) if begun => turns.run(
                    &|n| {
                        whole(n);
                        while self.has_next() {
                            // Until it is a thread of the next group.
                            suspend();
                            whole(n);
                        }
                    },
                    &resume,
                    &|| more() || self.meet().unwrap_or_else(|fault| self.fail(fault)) || past(),
                ),
                _ => {
                    while begun {
                        (0..size).for_each(|n| {
                            resume(n);
                            whole(n);
                        });
                        begun = past();
                    }
                }
            }
        }));
        drop(before);
        let group = self.groups.borrow().start;
        match (run, self.fault.take()) {
            (_, Some(fault)) => Err((group, fault)),
            (Ok(()), None) => Ok(()),
            (Err(panic), None) => resume_unwind(panic),
        }
    }

    /// A thread of the group ends.
    fn end(&self, n: usize) {
        self.ready[n].set(false);
        let ended = self.named.borrow_mut().end(n).map_err(BarrierFault::from);
        let ended = ended.and_then(|()| self.members.borrow_mut()[n].end());
        ended.unwrap_or_else(|fault| self.fail(fault));
    }

    /// Whether a group may follow.
    fn has_next(&self) -> bool {
        !self.ending.get() && self.groups.borrow().len() > 1
    }

    /// Whether the team can run more groups: none of its threads was unwound, neither by a fault nor because it waited for a group
    /// that did not begin.
    pub(super) fn is_whole(&self) -> bool {
        let stacks = self.turns.as_ref().is_none_or(|turns| turns.has_stacks(self.positions.len()));
        stacks && !self.ending.get()
    }

    /// The state of a group that has not begun.
    fn clear(&self) {
        self.memory.iter().flat_map(|line| &line.0).for_each(|cell| cell.set(0));
        self.members.borrow_mut().fill(self.member);
        self.ready.iter().for_each(|ready| ready.set(true));
        self.taken.borrow_mut().fill(0);
        self.named.borrow_mut().clear();
        if let Some(races) = &self.races {
            let Races { shadow, clocks } = &mut *races.borrow_mut();
            shadow.clear();
            clocks.clear();
        }
    }

    /// Whether a thread neither waits nor has ended.
    fn can_run(&self, n: usize) -> bool {
        self.ready[n].get() && !(self.has_named && self.named.borrow_mut().holds(n))
    }

    /// The shared memory: its address and its size, without the rest of its last line.
    fn memory(&self) -> (*mut u8, usize) {
        // Cells may be written through a shared reference.
        (self.memory.as_ptr().cast_mut().cast(), self.bytes)
    }

    /// Called when no thread of the group can continue. Returns whether some can after the barrier of all threads.
    fn meet(&self) -> std::result::Result<bool, BarrierFault<Place>> {
        if self.has_named {
            self.named.borrow().stuck()?;
        }
        let members = &mut self.members.borrow_mut();
        let met = meet(members)?;
        if met {
            let ready = self.ready.iter().zip(members.iter());
            ready.for_each(|(ready, member)| ready.set(!member.has_ended()));
        }
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
                self.ready[thread].set(!waits);
                if let (SyncKind::Signal | SyncKind::Barrier, Some(clocks)) = (kind, clocks) {
                    clocks.signal(thread);
                }
                Ok(waits)
            }
        }
    }

    /// The running thread signals or waits. Returns whether it can continue now; if not, its turn ends.
    fn comes(&self, kind: SyncKind, numbers: &[u32], at: Place) -> bool {
        let came = self.come(kind, numbers, at);
        let waits = came.unwrap_or_else(|fault| self.fail(fault));
        let named = matches!(kind, SyncKind::WaitNamed);
        if waits && self.turns.is_none() {
            // No other thread of the group has its turn, and a group of one thread meets at once.
            let met = self.meet();
            _ = met.unwrap_or_else(|fault| self.fail(fault));
        } else if waits && named {
            suspend();
        } else if waits {
            return false;
        }
        if let (true, &[barrier], Some(races)) = (named, numbers, &self.races) {
            races.borrow_mut().clocks.pass(self.running.get(), barrier);
        }
        true
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

/// The memory of the running group, in which an array of `bytes` bytes starts at this address.
///
/// # Panics
/// If the array is not in it.
#[cold]
#[inline(never)]
pub(super) fn memory(array: *mut u8, bytes: usize) -> *mut u8 {
    let first = array.addr();
    let own = with(Team::memory)
        .filter(|(start, all)| start.addr() <= first && first + bytes <= start.addr() + all);
    let Some((memory, _)) = own else {
        panic!("shared memory of a group is used outside of it: kernels do not keep it")
    };
    memory
}

/// An array in the memory of the running group.
pub(super) struct Array {
    pub(super) start: *mut u8,
    /// How its elements are loaded, if AVX2 may be used.
    pub(super) gathers: Option<Gathers>,
    /// Whether each access must be [recorded](touch).
    pub(super) watched: bool,
}

/// The next array of the running kernel thread, with this size; `None` if the group has less memory.
pub(super) fn take(bytes: usize) -> Option<Array> {
    with(|team| {
        let (start, all) = team.memory();
        let taken = &mut team.taken.borrow_mut()[team.running.get()];
        let end = shared_end(*taken, bytes);
        let first = std::mem::replace(taken, end);
        let fits = end <= all;
        fits.then(|| Array {
            start: start.wrapping_add(first),
            gathers: team.gathers,
            watched: team.races.is_some(),
        })
    })?
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
pub(super) fn sync(kind: SyncKind, numbers: &[u32], at: &'static Location<'static>) {
    sync_at(kind, numbers, at.into());
}

/// [`sync`] at a place that a recording knows.
#[inline]
pub(super) fn sync_at(kind: SyncKind, numbers: &[u32], at: Place) {
    let came = with(|team| team.ends() || team.comes(kind, numbers, at));
    // Last, and not in a function of its own: each return on a stack that was switched to is one that the processor does not
    // foresee.
    if came == Some(false) {
        suspend();
    }
}

/// The running kernel thread ends. Returns whether it goes on, on its own stack, as the thread of the next group with the same
/// position.
pub(super) fn goes_on() -> bool {
    let more = with(|team| {
        team.end(team.running.get());
        team.turns.is_some() && team.has_next()
    });
    let more = more == Some(true);
    if more {
        suspend();
    }
    more
}

/// The positions of the threads of a group, in raster order.
fn positions([width, height, depth]: [u32; 3]) -> Box<[[u32; 3]]> {
    let planes = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
    planes.flat_map(|(y, z)| (0..width).map(move |x| [x, y, z])).collect()
}

impl From<BarrierFault<Place>> for GroupFault {
    fn from(fault: BarrierFault<Place>) -> Self {
        Self::Barrier(Box::new(fault.placed(location)))
    }
}

#[cfg(test)]
mod tests;
