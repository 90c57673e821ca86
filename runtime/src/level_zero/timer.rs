//! The start and end of launches: events with timestamps, reused when their times are no longer needed.

use std::ptr;
use std::sync::Arc;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use crate::error::LevelZeroError;

/// The number of timers that are created together.
const TIMERS: usize = 8;

/// Two events, which the first command of a launch, and the last one or the barrier after it, signal.
#[derive(Clone)]
pub(super) struct Timer {
    pool: Arc<Pool>,
    first: usize,
}

/// All timers of a device.
pub(super) struct Timers {
    /// The pools; the last one has unused timers.
    pools: Vec<Arc<Pool>>,
    /// The number of used timers of the last pool.
    given: usize,
    context: Arc<Context>,
}

/// Events for some timers.
pub(super) struct Pool {
    handle: ze::ze_event_pool_handle_t,
    events: Vec<ze::ze_event_handle_t>,
    context: Arc<Context>,
}

// SAFETY: the handles are this object's own, Level Zero lets any thread use them, and an event is reset only when
// nobody else has the object.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Timers {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { pools: Vec::new(), given: TIMERS, context }
    }

    /// A timer whose events no command signals yet.
    pub(super) fn get(&mut self) -> Result<Timer, LevelZeroError> {
        if self.given == TIMERS {
            // Commands and users of times keep their pools.
            match self.pools.iter_mut().position(|pool| Arc::get_mut(pool).is_some()) {
                Some(unused) => {
                    let pool = self.pools.remove(unused);
                    self.pools.push(pool);
                }
                None => self.pools.push(Arc::new(Pool::new(Arc::clone(&self.context))?)),
            }
            self.given = 0;
        }
        let Some(pool) = self.pools.last() else {
            unreachable!("there is one, some of which were not given")
        };
        let timer = Timer { pool: Arc::clone(pool), first: 2 * self.given };
        for event in timer.events() {
            // SAFETY: the event belongs to the pool, and its previous user has finished.
            unsafe { call!(self.context.api, zeEventHostReset(event)) }?;
        }
        self.given += 1;
        Ok(timer)
    }
}

impl Timer {
    /// The events that the first and the last command signal.
    pub(super) fn events(&self) -> [ze::ze_event_handle_t; 2] {
        [self.pool.events[self.first], self.pool.events[self.first + 1]]
    }

    /// The object that a command which signals an event must keep.
    pub(super) fn kept(&self) -> Arc<Pool> {
        Arc::clone(&self.pool)
    }
}

impl Pool {
    fn new(context: Arc<Context>) -> Result<Self, LevelZeroError> {
        let api = context.api;
        let mut made = Self { handle: ptr::null_mut(), events: Vec::new(), context };
        let mut description = ze::ze_event_pool_desc_t::new();
        description.flags = ze::ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ze::ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
        description.count = 2 * TIMERS as u32;
        let mut device = made.context.device;
        // SAFETY: the context and its device live, the description is complete, and the result goes to a field.
        unsafe {
            call!(api, zeEventPoolCreate(made.context.handle, &description, 1, &mut device, &mut made.handle))
        }?;
        for index in 0..description.count {
            let mut description = ze::ze_event_desc_t::new();
            description.index = index;
            description.signal = ze::ZE_EVENT_SCOPE_FLAG_HOST;
            description.wait = ze::ZE_EVENT_SCOPE_FLAG_HOST;
            let mut event = ptr::null_mut();
            // SAFETY: the pool lives and has this number of events; the result goes to a local.
            unsafe { call!(api, zeEventCreate(made.handle, &description, &mut event)) }?;
            made.events.push(event);
        }
        Ok(made)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let api = self.context.api;
        // SAFETY: the handles are this object's own, null if the pool was not created; commands keep it until the
        // device has completed them.
        unsafe {
            for &event in &self.events {
                destroy!(api, zeEventDestroy(event));
            }
            if !self.handle.is_null() {
                destroy!(api, zeEventPoolDestroy(self.handle));
            }
        }
    }
}
