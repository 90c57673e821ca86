//! The kernel threads of a group: their shared memory, and their turns.
//!
//! One OS thread runs a whole group. Without barriers its threads run one after the other. With barriers each thread
//! has its own stack; it runs until it waits or ends, and then the next thread runs. So a group of any size needs only
//! one core, and a thread that never reaches a barrier is an error instead of a deadlock.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use cm_compiler::ir::{BarrierFault, Member, meet};
use cm_compiler::limits::shared_end;
use cm_compiler::ops::SyncKind;

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
    /// Bytes of the memory that each thread has taken.
    taken: RefCell<Vec<usize>>,
    running: Cell<usize>,
    /// The initial state of its threads.
    member: Member<Place>,
    /// The state of race detection, if it is on.
    shadow: Option<RefCell<Shadow>>,
    fault: RefCell<Option<GroupFault>>,
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
    /// Bytes of the stack of each thread, if they wait for each other.
    pub(super) stack: Option<usize>,
    /// Whether races on the memory are detected.
    pub(super) races: bool,
}

thread_local! {
    /// The group of the kernel thread that this OS thread runs; null if it runs none.
    static TEAM: Cell<*const Team> = const { Cell::new(ptr::null()) };
}

/// Restores the group that this OS thread was running.
struct Before(*const Team);

impl Drop for Before {
    fn drop(&mut self) {
        TEAM.set(self.0);
    }
}

impl Team {
    pub(super) fn new(needs: Needs) -> Result<Self> {
        let Needs { kernel, size, meets, bytes, stack, races } = needs;
        let member = if meets { Member::default() } else { Member::alone() };
        Ok(Self {
            member,
            memory: vec![Cell::new(0); bytes.div_ceil(size_of::<u64>())].into(),
            turns: stack.map(|stack| Turns::new(kernel, size, stack)).transpose()?,
            members: RefCell::new(vec![member; size]),
            taken: RefCell::new(vec![0; size]),
            running: Cell::new(0),
            shadow: races.then(|| RefCell::new(Shadow::new(bytes))),
            fault: RefCell::new(None),
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
        self.memory.iter().for_each(|cell| cell.set(0));
        self.members.borrow_mut().fill(self.member);
        self.taken.borrow_mut().fill(0);
        self.shadow.iter().for_each(|shadow| shadow.borrow_mut().clear());
        let size = self.members.borrow().len();
        let begin = |n: usize| {
            self.running.set(n);
            enter(n);
        };
        let whole = |n: usize| {
            thread(n);
            let ended = self.members.borrow_mut()[n].end();
            ended.unwrap_or_else(|fault| self.fail(fault));
        };
        let meeting = || {
            let met = meet(&mut self.members.borrow_mut());
            met.unwrap_or_else(|fault| self.fail(fault))
        };
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

    /// Ends the group.
    fn fail(&self, fault: impl Into<GroupFault>) -> ! {
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
        let Some(shadow) = &team.shadow else { return };
        let thread = team.running.get();
        let member = team.members.borrow()[thread];
        let touched = shadow.borrow_mut().touch(start..start + bytes, (thread, &member), how, at);
        touched.unwrap_or_else(|fault| team.fail(fault));
    });
}

/// The running kernel thread waits for its group.
pub(super) fn sync(kind: SyncKind, at: Place) {
    let waits = with(|team| {
        let came = team.members.borrow_mut()[team.running.get()].come(kind, at);
        let waits = came.unwrap_or_else(|fault| team.fail(fault));
        if !waits || team.turns.is_some() {
            return waits;
        }
        // A group of one thread never waits.
        let met = meet(&mut team.members.borrow_mut());
        _ = met.unwrap_or_else(|fault| team.fail(fault));
        false
    });
    if waits == Some(true) {
        suspend();
    }
}

impl From<BarrierFault<Place>> for GroupFault {
    fn from(fault: BarrierFault<Place>) -> Self {
        Self::Barrier(Box::new(fault.placed(location)))
    }
}
