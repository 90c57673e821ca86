//! Kernel threads of a group that take turns on one OS thread, each on its own stack.

#[cfg(coroutines)]
pub(super) use stacks::{Turns, has_own_stack, suspend};
#[cfg(not(coroutines))]
pub(super) use without::{Turns, has_own_stack, suspend};

#[cfg(coroutines)]
mod stacks {
    use std::cell::{Cell, RefCell};
    use std::hint::black_box;
    use std::mem::MaybeUninit;
    use std::sync::{Mutex, PoisonError};
    use std::{io, ptr};

    use corosensei::stack::DefaultStack;
    use corosensei::{Coroutine, CoroutineResult, Yielder};

    use crate::error::{Error, Result};

    /// The stacks of a group.
    pub(in super::super) struct Turns {
        stacks: RefCell<Vec<DefaultStack>>,
        /// Bytes of each.
        bytes: usize,
    }

    /// Stacks, of so many bytes each, that launches have left for the next ones: to reserve a stack takes as long as to run many
    /// kernel threads.
    static IDLE: Mutex<Vec<(usize, DefaultStack)>> = Mutex::new(Vec::new());

    /// Bytes of stacks that are kept.
    const KEPT: usize = 64 << 20;

    /// A stack of this size.
    fn stack(bytes: usize) -> io::Result<DefaultStack> {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().rposition(|(of, _)| *of == bytes).map(|found| idle.remove(found));
        drop(idle);
        found.map_or_else(|| DefaultStack::new(bytes), |(_, stack)| Ok(stack))
    }

    impl Drop for Turns {
        fn drop(&mut self) {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.extend(self.stacks.get_mut().drain(..).map(|stack| (self.bytes, stack)));
            // The last ones are those of the latest launches.
            let mut all = 0;
            let kept = idle.iter().rev().take_while(|(bytes, _)| {
                all += bytes;
                all <= KEPT
            });
            let spare = idle.len() - kept.count();
            idle.drain(..spare);
        }
    }

    /// Places of frames on different stacks. All stacks start at a page, and the first lines of more pages than a cache has ways would
    /// displace each other.
    const PLACES: usize = 16;

    /// Runs at another place of the stack: so many steps of a few cache lines further.
    #[inline(never)]
    fn shifted(steps: usize, run: &mut dyn FnMut()) {
        let mut lines = MaybeUninit::<[u8; 192]>::uninit();
        black_box(&mut lines);
        match steps {
            0 => run(),
            _ => shifted(steps - 1, run),
        }
        // Not the last call, which would take the place of this frame.
        black_box(&mut lines);
    }

    type Suspender = *const Yielder<(), ()>;

    thread_local! {
        /// Suspends the kernel thread that this OS thread runs; null if that has no stack of its own.
        static SUSPENDER: Cell<Suspender> = const { Cell::new(ptr::null()) };
    }

    /// Restores the suspender of the kernel thread that this OS thread was running, when its turns end.
    struct Before(Suspender);

    impl Drop for Before {
        fn drop(&mut self) {
            SUSPENDER.set(self.0);
        }
    }

    impl Turns {
        /// `threads` stacks of `bytes` bytes. The memory is only reserved.
        pub(in super::super) fn new(kernel: &'static str, threads: usize, bytes: usize) -> Result<Self> {
            let stacks = (0..threads).map(|_| stack(bytes)).collect::<io::Result<_>>();
            let all = bytes.saturating_mul(threads);
            let stacks = stacks.map_err(|_| Error::GroupStacks { kernel, threads, bytes: all })?;
            Ok(Self { stacks: RefCell::new(stacks), bytes })
        }

        /// Whether there is a stack for each of so many threads: [`run`](Self::run) loses those of threads that it unwinds.
        pub(in super::super) fn has_stacks(&self, threads: usize) -> bool {
            self.stacks.borrow().len() == threads
        }

        /// Runs `thread` once per stack. `resume` is called before each turn; it returns whether the thread
        /// can continue. `meet` is called when all threads have been asked; it returns whether some can now.
        pub(in super::super) fn run(
            &self,
            thread: &dyn Fn(usize),
            resume: &dyn Fn(usize) -> bool,
            meet: &dyn Fn() -> bool,
        ) {
            let mut threads: Vec<Option<Coroutine<(), (), ()>>> = vec![];
            for (n, stack) in self.stacks.take().into_iter().enumerate() {
                let body = move |yielder: &Yielder<(), ()>, ()| {
                    SUSPENDER.set(yielder);
                    shifted(n % PLACES, &mut || thread(n));
                };
                // SAFETY: `thread` outlives the coroutine, which is dropped before this function returns or
                // unwinds.
                threads.push(Some(unsafe { Coroutine::with_stack_unchecked(stack, body) }));
            }
            let mut stacks = vec![];
            // Also if a thread unwinds: the others are then dropped, and their destructors find no suspender.
            let before = Before(SUSPENDER.get());
            loop {
                for (n, slot) in threads.iter_mut().enumerate() {
                    let Some(coroutine) = slot.as_mut().filter(|_| resume(n)) else { continue };
                    if let CoroutineResult::Return(()) = coroutine.resume(()) {
                        stacks.extend(slot.take().map(Coroutine::into_stack));
                    }
                }
                if !meet() {
                    break;
                }
            }
            drop(before);
            self.stacks.replace(stacks);
        }
    }

    /// Whether the running kernel thread has a stack of its own.
    pub(in super::super) fn has_own_stack() -> bool {
        !SUSPENDER.get().is_null()
    }

    /// Ends the turn of the running kernel thread.
    #[inline]
    pub(in super::super) fn suspend() {
        let suspender = SUSPENDER.get();
        // SAFETY: if the pointer is not null, it points to the yielder of the running coroutine, which is on
        // the coroutine's own stack: the coroutine sets it when it begins and at the start of each turn. Between turns it
        // points to that of the last turn, which may have ended, but what `run` calls then, `resume` and `meet`, does not come
        // here. `run` restores it before the coroutines that have not ended are unwound, and before it returns.
        if let Some(yielder) = unsafe { suspender.as_ref() } {
            yielder.suspend(());
            SUSPENDER.set(suspender);
        }
    }
}

#[cfg(not(coroutines))]
mod without {
    use crate::error::{Error, Result};

    /// Not supported: no value exists.
    pub(in super::super) enum Turns {}

    impl Turns {
        /// Returns an error.
        pub(in super::super) fn new(kernel: &'static str, _: usize, _: usize) -> Result<Self> {
            Err(Error::NoBarriers { kernel })
        }

        pub(in super::super) fn has_stacks(&self, _: usize) -> bool {
            match *self {}
        }

        pub(in super::super) fn run(
            &self,
            _: &dyn Fn(usize),
            _: &dyn Fn(usize) -> bool,
            _: &dyn Fn() -> bool,
        ) {
            match *self {}
        }
    }

    pub(in super::super) const fn has_own_stack() -> bool {
        false
    }

    pub(in super::super) fn suspend() {}
}
