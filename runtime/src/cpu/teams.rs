//! The teams of a launch: one per worker, each for one group at a time.

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
// group: its stacks are empty. Everything else in it is plain data.
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
        let Err((group, fault)) = run(&team, &wanted) else {
            locked(&self.idle).push(Idle(team));
            return true;
        };
        self.first.fetch_min(group, Ordering::Relaxed);
        let mut first = locked(&self.fault);
        if first.as_ref().is_none_or(|(known, _)| group < *known) {
            *first = Some((group, fault));
        }
        locked(&self.ended).push(Idle(team));
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
