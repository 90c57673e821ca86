//! Kernel threads of a group that take turns on one OS thread, each on its own stack.

#[cfg(coroutines)]
pub(super) use stacks::{Turns, has_own_stack, suspend};
#[cfg(not(coroutines))]
pub(super) use without::{Turns, has_own_stack, suspend};

#[cfg(coroutines)]
mod stacks {
    use std::cell::{Cell, RefCell};
    use std::{io, ptr};

    use corosensei::stack::DefaultStack;
    use corosensei::{Coroutine, CoroutineResult, Yielder};

    use crate::error::{Error, Result};

    /// The stacks of a group.
    pub(in super::super) struct Turns(RefCell<Vec<DefaultStack>>);

    type Suspender = *const Yielder<(), ()>;

    thread_local! {
        /// Suspends the kernel thread that this OS thread runs; null if that has no stack of its own.
        static SUSPENDER: Cell<Suspender> = const { Cell::new(ptr::null()) };
    }

    /// Restores the suspender of the kernel thread that this OS thread was running, when a turn ends.
    struct Before(Suspender);

    impl Drop for Before {
        fn drop(&mut self) {
            SUSPENDER.set(self.0);
        }
    }

    impl Turns {
        /// Creates `threads` stacks of `bytes` bytes. The memory is only reserved.
        pub(in super::super) fn new(kernel: &'static str, threads: usize, bytes: usize) -> Result<Self> {
            let stacks = (0..threads).map(|_| DefaultStack::new(bytes)).collect::<io::Result<_>>();
            let all = bytes.saturating_mul(threads);
            Ok(Self(RefCell::new(stacks.map_err(|_| Error::GroupStacks { kernel, threads, bytes: all })?)))
        }

        /// Runs `thread` once per stack. `resume` is called before each turn; it returns whether the thread
        /// can continue. `meet` is called when no thread can; it returns whether some can now.
        pub(in super::super) fn run(
            &self,
            thread: &dyn Fn(usize),
            resume: &dyn Fn(usize) -> bool,
            meet: &dyn Fn() -> bool,
        ) {
            let mut threads: Vec<Option<Coroutine<(), (), ()>>> = vec![];
            for (n, stack) in self.0.take().into_iter().enumerate() {
                let body = move |yielder: &Yielder<(), ()>, ()| {
                    SUSPENDER.set(yielder);
                    thread(n);
                };
                // SAFETY: `thread` outlives the coroutine, which is dropped before this function returns or
                // unwinds.
                threads.push(Some(unsafe { Coroutine::with_stack_unchecked(stack, body) }));
            }
            let mut stacks = vec![];
            loop {
                let mut ran = false;
                for (n, slot) in threads.iter_mut().enumerate() {
                    let Some(coroutine) = slot.as_mut().filter(|_| resume(n)) else { continue };
                    ran = true;
                    // Also if the thread unwinds: the others are then dropped, and their destructors find no suspender.
                    let _before = Before(SUSPENDER.get());
                    if let CoroutineResult::Return(()) = coroutine.resume(()) {
                        stacks.extend(slot.take().map(Coroutine::into_stack));
                    }
                }
                if !ran && !meet() {
                    break;
                }
            }
            self.0.replace(stacks);
        }
    }

    /// Whether the running kernel thread has a stack of its own.
    pub(in super::super) fn has_own_stack() -> bool {
        !SUSPENDER.get().is_null()
    }

    /// Ends the turn of the running kernel thread.
    pub(in super::super) fn suspend() {
        let suspender = SUSPENDER.get();
        // SAFETY: if the pointer is not null, it points to the yielder of the running coroutine, which is on
        // the coroutine's own stack. The coroutine sets it when it begins and at the start of each turn, and `run`
        // restores it when the turn ends, however it ends.
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
