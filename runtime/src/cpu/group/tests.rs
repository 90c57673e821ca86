//! Groups that end early, and groups one after the other.

use std::panic::panic_any;

use super::*;

fn here() -> &'static Location<'static> {
    Location::caller()
}

/// A value of a kernel whose destructor uses the group.
struct Meets<'a>(&'a Cell<usize>);

impl Drop for Meets<'_> {
    fn drop(&mut self) {
        sync(SyncKind::Barrier, &[], here());
        touch(0, 4, How { writes: true, atomic: false }, here().into());
        sync(SyncKind::Barrier, &[], here());
        self.0.set(self.0.get() + 1);
    }
}

fn team(size: usize, stack: Option<usize>) -> Team {
    team_with(size, stack, 64)
}

fn team_with(size: usize, stack: Option<usize>, bytes: usize) -> Team {
    let (kernel, meets, local) = ("k", true, [size as u32, 1, 1]);
    let needs = Needs { kernel, local, meets, bytes, named_barriers: 0, stack, races: true, gathers: None };
    Team::new(needs).unwrap()
}

/// The number of destructors that ran to their end, in a group whose last thread does this before its barrier.
fn destructors(size: usize, stack: Option<usize>, last: fn()) -> (usize, Option<GroupFault>) {
    let (team, dropped) = (team(size, stack), Cell::new(0));
    let thread = |[n, ..]: [u32; 3]| {
        let _first = Meets(&dropped);
        let _second = Meets(&dropped);
        if n as usize + 1 == size {
            last();
        }
        sync(SyncKind::Barrier, &[], here());
    };
    let run = catch_unwind(AssertUnwindSafe(|| team.run(0..1, &|_| true, &|_| {}, &thread)));
    (dropped.get(), run.unwrap_or(Ok(())).err().map(|(_, fault)| fault))
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

/// Threads that go on with the next group take arrays from their start, and meet the threads of that group only.
#[cfg(coroutines)]
#[test]
fn threads_go_on_with_the_next_group() {
    for by_themselves in [false, true] {
        let (team, group, met) = (team(3, Some(1 << 20)), Cell::new(0), RefCell::new(vec![]));
        let begin = |number: usize| {
            assert_eq!(met.borrow().len(), 3 * number, "all have met");
            group.set(number);
            number < 4
        };
        let thread = |position: [u32; 3]| loop {
            assert!(take(32).is_some() && take(32).is_some() && take(1).is_none(), "its own arrays");
            let came = group.get();
            sync(SyncKind::Barrier, &[], here());
            met.borrow_mut().push((came, group.get(), position));
            if !by_themselves || !goes_on() {
                break;
            }
        };
        assert!(team.run(0..5, &begin, &|_| {}, &thread).is_ok());
        let expected = (0..12).map(|n| (n / 3, n / 3, [n as u32 % 3, 0, 0]));
        assert!(met.take().into_iter().eq(expected), "4 of 5 groups begin");
    }
}

/// The memory has whole lines, and arrays no more bytes than the kernel had when it was recorded.
#[test]
fn arrays_are_in_the_memory_that_was_recorded() {
    let team = team_with(1, None, 48);
    let thread = |_| {
        assert!(take(33).is_some() && take(1).is_none());
        let asks = |bytes| catch_unwind(AssertUnwindSafe(|| memory(team.memory().0, bytes)));
        assert!(asks(48).is_ok() && asks(49).is_err());
    };
    assert!(team.run(0..1, &|_| true, &|_| {}, &thread).is_ok());
}

/// The ways of threads from one group to the next, for each number of threads and their stacks.
fn ways(most: usize) -> impl Iterator<Item = (bool, usize, Option<usize>)> {
    let sizes = if cfg!(coroutines) { 1..=most } else { 1..=1 };
    let ways = [false, true].into_iter().flat_map(move |way| sizes.clone().map(move |size| (way, size)));
    ways.map(|(by_themselves, size)| (by_themselves, size, (size > 1).then_some(1 << 20)))
}

/// Host code catches a fault of its thread, and goes on: its group is the last, and the one with the fault.
#[test]
fn no_group_follows_one_whose_fault_was_caught() {
    for (by_themselves, size, stack) in ways(3) {
        let (team, begun) = (team(size, stack), RefCell::new(vec![]));
        let begin = |group| {
            begun.borrow_mut().push(group);
            true
        };
        let thread = |_| loop {
            _ = catch_unwind(|| sync(SyncKind::Wait, &[], here()));
            sync(SyncKind::Barrier, &[], here());
            if !by_themselves || !goes_on() {
                break;
            }
        };
        let ran = team.run(1..5, &begin, &|_| {}, &thread);
        assert!(matches!(ran, Err((1, GroupFault::Barrier(_)))), "{size} threads: {ran:?}");
        assert_eq!((begun.take(), team.is_whole()), (vec![1], false), "{size} threads");
    }
}

/// Host code catches the unwinding of its waiting thread: the thread ends, and is none of the next group.
#[cfg(coroutines)]
#[test]
fn threads_that_catch_their_unwinding_end() {
    for by_themselves in [false, true] {
        let (team, calls) = (team(2, Some(1 << 20)), Cell::new(0));
        let thread = |[n, ..]: [u32; 3]| loop {
            calls.set(calls.get() + 1);
            if calls.get() > 9 {
                std::process::abort();
            }
            if n == 1 {
                panic_any("of a kernel");
            }
            _ = catch_unwind(|| sync(SyncKind::Barrier, &[], here()));
            if !by_themselves || !goes_on() {
                break;
            }
        };
        let ran = catch_unwind(AssertUnwindSafe(|| team.run(0..4, &|_| true, &|_| {}, &thread)));
        assert_eq!((ran.is_err(), calls.get(), team.is_whole()), (true, 2, false));
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
            assert!(team.run(0..1, &|_| true, &|_| {}, &thread).is_ok());
        }
    }
    let passed = Cell::new(0);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _launches = Launches(&passed);
        panic_any("of a program");
    }));
    assert!(panicked.is_err() && passed.get() == 3);
}
