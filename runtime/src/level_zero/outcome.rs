//! What becomes of recorded commands.
//!
//! A command that was recorded is not done: its batch is submitted when it is full or when somebody waits, and this may
//! fail. So whoever relies on a command keeps the outcome of its batch.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::LevelZeroError;

/// The outcome of a batch of commands: set when the device has completed it, or to an error if it could not be
/// submitted.
pub(super) type Outcome = Arc<OnceLock<Result<(), LevelZeroError>>>;

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
