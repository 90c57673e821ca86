//! The teams of a launch: one per worker, each for one group at a time.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::group::{Needs, Team};
use crate::error::{Error, GroupFault, Result};

/// The teams that no worker uses, and the faults.
pub(super) struct Teams {
    /// `None` if threads neither share memory nor wait for each other.
    needs: Option<Needs>,
    idle: Mutex<Vec<Idle>>,
    /// Teams that run no more groups. Host code may have kept arrays in their memory, which therefore exists as long as the launch.
    ended: Mutex<Vec<Idle>>,
    /// The first group with a fault so far; later ones need not run.
    first: AtomicUsize,
    fault: Mutex<Option<(usize, GroupFault)>>,
    error: Mutex<Option<Error>>,
}

/// A team without a group.
struct Idle(Team);

// SAFETY: a team is used by one OS thread at a time, and none of its threads is running while it has no
// group: its stacks are empty. Nothing else owns its memory, and everything else in it is plain data.
unsafe impl Send for Idle {}

impl Teams {
    /// Teams for these needs; the first team is created immediately.
    pub(super) fn new(needs: Option<Needs>) -> Result<Self> {
        let first = needs.map(Team::new).transpose()?;
        Ok(Self {
            needs,
            idle: Mutex::new(first.map(Idle).into_iter().collect()),
            ended: Mutex::default(),
            first: AtomicUsize::new(usize::MAX),
            fault: Mutex::default(),
            error: Mutex::default(),
        })
    }

    /// Whether the launch has teams.
    pub(super) fn are_needed(&self) -> bool {
        self.needs.is_some()
    }

    /// Runs groups one after the other, up to the first with a fault: `run` is given the team, and whether a group shall run.
    /// Returns whether the launch has teams.
    pub(super) fn run(
        &self,
        run: impl FnOnce(&Team, &dyn Fn(usize) -> bool) -> std::result::Result<(), (usize, GroupFault)>,
    ) -> bool {
        let Some(needs) = self.needs else { return false };
        let idle = locked(&self.idle).pop();
        let team = match idle.map_or_else(|| Team::new(needs), |Idle(team)| Ok(team)) {
            Ok(team) => team,
            Err(error) => {
                locked(&self.error).get_or_insert(error);
                return true;
            }
        };
        // The first fault in group order is reported, whatever the number of workers.
        let wanted = |group: usize| group <= self.first.load(Ordering::Relaxed);
        let ran = catch_unwind(AssertUnwindSafe(|| run(&team, &wanted)));
        locked(if team.is_whole() { &self.idle } else { &self.ended }).push(Idle(team));
        let Err((group, fault)) = ran.unwrap_or_else(|panic| resume_unwind(panic)) else { return true };
        self.first.fetch_min(group, Ordering::Relaxed);
        let mut first = locked(&self.fault);
        if first.as_ref().is_none_or(|(known, _)| group < *known) {
            *first = Some((group, fault));
        }
        true
    }

    /// The first group with a fault.
    ///
    /// # Errors
    /// If there were not enough teams.
    pub(super) fn end(self) -> Result<Option<(usize, GroupFault)>> {
        match self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(self.fault.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// Locks a mutex, ignoring poison.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    fn teams(size: u32, stack: Option<usize>, named_barriers: usize) -> Teams {
        let (kernel, local, meets, bytes) = ("k", [size, 1, 1], true, 64);
        Teams::new(Some(Needs {
            kernel,
            local,
            meets,
            bytes,
            named_barriers,
            stack,
            races: false,
            gathers: None,
        }))
        .unwrap()
    }

    /// The numbers of teams that run groups and of those that do not.
    fn idle_and_ended(teams: &Teams) -> [usize; 2] {
        [&teams.idle, &teams.ended].map(|teams| locked(teams).len())
    }

    /// Threads wait for a group that does not begin, because another worker has found a fault before it: later calls run all groups.
    #[cfg(coroutines)]
    #[test]
    fn groups_run_after_one_that_is_not_wanted() {
        use std::cell::Cell;
        use std::ops::Range;
        use std::panic::Location;
        use std::sync::mpsc;
        use std::thread;
        use std::time::Duration;

        use cm_compiler::ops::SyncKind;

        use super::super::group::{goes_on, sync};

        let (sender, ended) = mpsc::channel::<()>();
        let test = thread::spawn(move || {
            let _sender = sender;
            for (named_barriers, by_themselves) in [(0, false), (0, true), (1, false), (1, true)] {
                let (teams, met) = (teams(3, Some(1 << 20), named_barriers), Cell::new(0));
                let thread = |_| loop {
                    sync(SyncKind::Barrier, &[], Location::caller());
                    met.set(met.get() + 1);
                    if !by_themselves || !goes_on() {
                        break;
                    }
                };
                let run = |groups: Range<usize>, wanted: &dyn Fn(usize) -> bool| {
                    assert!(teams.run(|team, _| team.run(groups, wanted, &|_| {}, &thread)));
                    met.take()
                };
                assert_eq!(run(0..5, &|_| false), 0, "no group begins");
                assert_eq!(idle_and_ended(&teams), [1, 0], "its threads did not begin");
                assert_eq!(run(5..9, &|group| group < 7), 6, "2 of 4 groups begin");
                assert_eq!(idle_and_ended(&teams), [0, 1], "its threads were unwound");
                assert_eq!([run(0..2, &|_| true), run(2..5, &|_| true)], [6, 9], "all groups begin");
                assert_eq!(idle_and_ended(&teams), [1, 1]);
            }
        });
        let ended = ended.recv_timeout(Duration::from_secs(60));
        assert_ne!(ended, Err(mpsc::RecvTimeoutError::Timeout), "threads never end");
        test.join().unwrap();
    }

    /// Arrays that host code has kept are in memory that exists.
    #[test]
    fn memory_of_threads_that_panic_is_kept() {
        let teams = teams(1, None, 0);
        let launch =
            || teams.run(|team, _| team.run(0..1, &|_| true, &|_| {}, &|_| panic_any("of a kernel")));
        assert!(catch_unwind(AssertUnwindSafe(launch)).is_err());
        assert_eq!(idle_and_ended(&teams), [0, 1]);
    }
}
