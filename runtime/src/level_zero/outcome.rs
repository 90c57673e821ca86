//! What becomes of recorded commands.
//!
//! A command that was recorded is not done: its batch is submitted when it is full or when somebody waits, and this may
//! fail. So whoever relies on a command keeps the outcome of its batch.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{LevelZeroError, Result};

/// The outcome of a batch of commands: set when the device has completed it, or to an error if it could not be
/// submitted.
pub(super) type Outcome = Arc<OnceLock<std::result::Result<(), LevelZeroError>>>;

/// The outcome of what the host has done itself.
pub(super) fn completed() -> Outcome {
    Outcome::from(OnceLock::from(Ok(())))
}

/// Whether something is done: it is recorded, in a batch that has not failed.
#[derive(Default)]
pub(super) struct Done(Mutex<Option<Outcome>>);

impl Done {
    /// Done from the start.
    pub(super) fn already() -> Self {
        Self(Mutex::new(Some(completed())))
    }

    /// It is done by a command of the batch with this outcome.
    pub(super) fn set(&self, outcome: Outcome) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }

    /// It must be done again.
    pub(super) fn unset(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether it need not be done.
    pub(super) fn is_set(&self) -> bool {
        self.outcome().is_some_and(|outcome| !matches!(outcome.get(), Some(Err(_))))
    }

    /// Whether it was recorded in a batch that could not be submitted.
    pub(super) fn has_failed(&self) -> bool {
        self.outcome().is_some_and(|outcome| matches!(outcome.get(), Some(Err(_))))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The batches of some commands, for whoever recorded them: another thread may submit them, and gets the error.
#[derive(Default, Debug)]
pub(crate) struct Batches(RefCell<Vec<Outcome>>);

impl Batches {
    /// Adds the batch with this outcome.
    pub(super) fn note(&self, outcome: Outcome) {
        let mut known = self.0.borrow_mut();
        if known.last().is_some_and(|last| Arc::ptr_eq(last, &outcome)) {
            return;
        }
        // Those that have completed are of no interest.
        known.retain(|outcome| !matches!(outcome.get(), Some(Ok(()))));
        known.push(outcome);
    }

    /// The first error of a batch that could not be submitted.
    pub(crate) fn check(&self) -> Result<()> {
        let known = self.0.borrow();
        let failed = known.iter().find_map(|outcome| outcome.get()?.as_ref().err());
        failed.map_or(Ok(()), |error| Err(error.clone().into()))
    }
}
