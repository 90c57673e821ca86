//! A mock of Level Zero for tests: a table of functions over a model of drivers, devices and objects.
//!
//! The model detects every use that the specification forbids: of dead handles, of parents that are destroyed before
//! their children, of objects that the device still uses, of lists that are not closed, of kernels that two threads set
//! at once. The device executes commands only when the program waits for it, so that nothing is correct by accident.
//! Any call can be made to fail.
//!
//! ```text
//! lists <- objects (the model) <- commands (what is done with lists), function
//!     <- calls, appends (the functions) <- table <- tests
//! ```

mod appends;
mod calls;
mod commands;
mod function;
mod lists;
mod objects;
mod table;
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use level_zero_sys as ze;

use super::cache::Cache;
use super::compiler_process::CompilerProcess;
use super::debug_info::DebugInfo;
use super::devices::LevelZero;
use super::gpu::Gpu;
use super::probe::Probe;
use crate::error::LevelZeroError;
use function::CURRENT;
use objects::{Model, Settings};

/// The Level Zero of one test.
#[derive(Clone)]
pub(super) struct Mock(Arc<Mutex<Model>>);

impl Mock {
    /// Creates a Level Zero, which this thread calls from now on.
    fn new(settings: Settings) -> Self {
        let mock = Self(Arc::new(Mutex::new(Model::new(settings))));
        mock.enter();
        mock
    }

    /// Makes this thread call it.
    fn enter(&self) {
        CURRENT.set(Some(Arc::clone(&self.0)));
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, with a cache of compiled kernels if a folder is given.
    fn start(&self, cache: Option<&Path>) -> Result<LevelZero, LevelZeroError> {
        Self::start_with(table::api(), cache)
    }

    fn start_with(api: ze::Api, cache: Option<&Path>) -> Result<LevelZero, LevelZeroError> {
        let api = Box::leak(Box::new(api));
        let mut started = LevelZero::start(api, Probe::default)?;
        started.cache = Cache::at(cache);
        started.compiler = CompilerProcess::default();
        started.debug_info = DebugInfo::default();
        Ok(started)
    }

    /// Its first device.
    fn gpu(&self) -> Arc<Gpu> {
        self.start(None).and_then(|level_zero| level_zero.open(0)).expect("a device")
    }

    /// Makes calls of this function fail from now on.
    fn fail(&self, call: &'static str, result: ze::ze_result_t) {
        self.model().failing = Some((call, result));
    }

    /// Makes the call after `n` other calls fail.
    fn fail_after(&self, n: usize, result: ze::ze_result_t) {
        let mut model = self.model();
        model.fails_at = Some((model.calls.len() + n, result));
    }

    /// Ends all failures, except on a lost device.
    fn mend(&self) {
        let mut model = self.model();
        (model.failing, model.fails_at) = (None, None);
    }

    /// Asserts that only objects that a device may still use are left, and that nothing was misused.
    #[track_caller]
    fn assert_clean(&self, when: &str) {
        let model = self.model();
        assert_eq!(model.misuses, [""; 0], "{when}");
        assert_eq!(model.left(), [""; 0], "{when}: these are left");
    }

    /// The number of calls of this function.
    fn count(&self, call: &str) -> usize {
        self.model().calls.iter().filter(|called| **called == call).count()
    }
}
