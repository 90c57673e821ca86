//! All commands of a device: one queue with recycled command lists.
//!
//! A command waits for earlier ones only if one of them writes memory that it uses, or uses memory that it
//! writes. Other commands may overlap. So surfaces need no bookkeeping: a read returns what earlier commands
//! wrote, a scope only skips the wait, and a batch keeps alive the objects that its commands use. To use the
//! result of a command, wait for its batch, but not for later batches. A lost device is not called again. If
//! waiting for the device fails, its state is unknown: the objects that its commands use are leaked, with a
//! `tracing` event.

use std::any::Any;
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::context::Context;
use super::outcome::Outcome;
use super::staging::{self, Staging, StagingMemory};
use super::timer::{Timer, Timers};
use crate::error::LevelZeroError;

/// The number of commands after which a batch is submitted, if nobody waits earlier.
const BATCH: usize = 32;

/// The batches that the device may have. If it has more, the host waits for the oldest: so a scope of any length needs the
/// memory of so many.
const MOST_IN_FLIGHT: usize = 64;

/// An object that is kept until the device has completed a command.
type Kept = Arc<dyn Any + Send + Sync>;

/// An object that a command uses.
#[derive(Clone)]
pub(super) struct Used {
    object: Kept,
    writes: bool,
}

/// A command queue with the lists that go to it. A command runs when all earlier commands that share memory with it
/// have completed, unless all of them only read that memory.
///
/// All commands of a device go through its one stream, so that a read by any host thread returns what earlier commands
/// wrote.
pub(super) struct Stream {
    queue: ze::ze_command_queue_handle_t,
    /// The list that is being recorded.
    open: Option<List>,
    /// Lists that the device may not have completed.
    in_flight: Vec<List>,
    /// Lists for reuse.
    idle: Vec<List>,
    timers: Timers,
    /// The call in which the device was lost. It is not called afterwards, because it may not answer.
    lost: Option<&'static str>,
    staging: Staging,
    context: Arc<Context>,
}

/// A command list: a batch, while it has commands.
struct List {
    handle: ze::ze_command_list_handle_t,
    /// Signalled when the device has completed the list.
    fence: ze::ze_fence_handle_t,
    commands: usize,
    /// The objects of all commands.
    used: Vec<Used>,
    /// The number of those that were used before the last barrier.
    ordered: usize,
    /// The bytes of staging memory among them.
    staged: usize,
    outcome: Outcome,
}

/// A launch with its timestamps.
pub(super) struct Timing {
    timer: Timer,
    /// The events of its first and its last command.
    ends: [usize; 2],
    outcome: Outcome,
}

impl Timing {
    /// The outcome of the launch. Its earlier commands have been submitted, or are in the same batch.
    pub(super) fn outcome(&self) -> Outcome {
        Arc::clone(&self.outcome)
    }
}

// SAFETY: the handles are this object's own, Level Zero lets them move between threads, and every user
// has exclusive access to the object.
unsafe impl Send for Stream {}

impl Used {
    /// An object that is only read.
    pub(super) fn read<T: Any + Send + Sync>(object: &Arc<T>) -> Self {
        Self::with(object, false)
    }

    /// An object that is written, and perhaps read.
    pub(super) fn written<T: Any + Send + Sync>(object: &Arc<T>) -> Self {
        Self::with(object, true)
    }

    pub(super) fn with<T: Any + Send + Sync>(object: &Arc<T>, writes: bool) -> Self {
        Self { object: Arc::clone(object) as Kept, writes }
    }

    /// Its bytes, if it is staging memory.
    fn staged(&self) -> usize {
        self.object.downcast_ref().map_or(0, StagingMemory::len)
    }

    /// Whether two accesses to one object must not overlap: one of them writes it.
    fn conflicts(&self, other: &Self) -> bool {
        let address = |used: &Self| Arc::as_ptr(&used.object).cast::<()>();
        address(self) == address(other) && (self.writes || other.writes)
    }
}

impl Stream {
    pub(super) fn new(context: Arc<Context>) -> Result<Self, LevelZeroError> {
        let api = context.api;
        // Commands that cannot be waited for must not start.
        api.zeCommandQueueSynchronize()
            .map(drop)
            .and_then(|()| api.zeFenceHostSynchronize().map(drop))
            .map_err(|missing| LevelZeroError::TooOld { missing: missing.name.to_owned() })?;
        let mut stream = Self {
            queue: ptr::null_mut(),
            open: None,
            in_flight: Vec::new(),
            idle: Vec::new(),
            timers: Timers::new(Arc::clone(&context)),
            lost: None,
            staging: Staging::new(Arc::clone(&context)),
            context,
        };
        let context = &stream.context;
        let queue = ze::ze_command_queue_desc_t::new();
        // SAFETY: the context and its device live, the description is complete (ordinal 0 exists on every
        // device and computes), and the result goes to a field of `stream`, whose drop destroys it.
        unsafe {
            call!(api, zeCommandQueueCreate(context.handle, context.device, &queue, &mut stream.queue))
        }?;
        Ok(stream)
    }

    /// Records a command. The objects of `used` live until the device has completed it. Returns the outcome
    /// of its batch.
    ///
    /// # Safety
    /// `append` appends one command to the given list. Everything that the command uses is in `used`, marked
    /// if the command writes it, or is part of the stream.
    pub(super) unsafe fn append(
        &mut self,
        used: &[Used],
        append: impl FnOnce(&ze::Api, ze::ze_command_list_handle_t) -> Result<(), LevelZeroError>,
    ) -> Result<Outcome, LevelZeroError> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.append_next(used, false, append) }
    }

    /// [`append`](Self::append); the command may overlap with the previous one if it `joins` that.
    ///
    /// # Safety
    /// As for `append`.
    unsafe fn append_next(
        &mut self,
        used: &[Used],
        joins: bool,
        append: impl FnOnce(&ze::Api, ze::ze_command_list_handle_t) -> Result<(), LevelZeroError>,
    ) -> Result<Outcome, LevelZeroError> {
        self.alive()?;
        let mut list = match self.open.take() {
            Some(list) => list,
            None => self.list()?,
        };
        let api = self.context.api;
        let handle = list.handle;
        // The commands of a list may overlap unless there is a barrier between them.
        let between = if joins || list.is_ordered(used) {
            Ok(())
        } else {
            // SAFETY: the list is open; no events are used.
            unsafe { call!(api, zeCommandListAppendBarrier(handle, ptr::null_mut(), 0, ptr::null_mut())) }
                .map(|()| list.ordered = list.used.len())
        };
        let appended = between.and_then(|()| append(api, handle));
        // Also after an error: the command may be in the list.
        list.used.extend_from_slice(used);
        list.staged += used.iter().map(Used::staged).sum::<usize>();
        list.commands += usize::from(appended.is_ok());
        let (commands, outcome) = (list.commands, Arc::clone(&list.outcome));
        match &appended {
            // The list is never submitted if no other command follows. It must not keep the objects.
            Err(error) if commands == 0 && !matches!(error, LevelZeroError::DeviceLost { .. }) => {
                self.recycle(list);
            }
            _ => self.open = Some(list),
        }
        appended?;
        if commands >= BATCH {
            self.submit()?;
        }
        Ok(outcome)
    }

    /// Records commands, like [`append`](Self::append), as one launch. A command that `joins` may overlap
    /// with the one before it, so a launch whose last command joins others ends with a barrier, whose time counts.
    ///
    /// After an error the commands before the one that failed stay recorded, and run: their batch may have been submitted
    /// already, or have commands of others. So what the launch writes then has any value.
    ///
    /// # Safety
    /// As for `append`, which gets the number of the command; the command signals the given event, if that is not null.
    pub(super) unsafe fn append_timed(
        &mut self,
        used: &[Used],
        joins: &[bool],
        mut append: impl FnMut(
            usize,
            &ze::Api,
            ze::ze_command_list_handle_t,
            ze::ze_event_handle_t,
        ) -> Result<(), LevelZeroError>,
    ) -> Result<Timing, LevelZeroError> {
        self.alive()?;
        let (count, timer) = (joins.len(), self.timers.get()?);
        let ends = [0, usize::from(count > 1)];
        let overlaps = joins.last().is_some_and(|last| *last);
        let mut outcome = Outcome::default();
        let used: Vec<Used> = used.iter().cloned().chain([Used::read(&timer.kept())]).collect();
        for (n, &joins) in joins.iter().enumerate() {
            let event = match n {
                0 => timer.events()[ends[0]],
                n if n + 1 == count && !overlaps => timer.events()[ends[1]],
                _ => ptr::null_mut(),
            };
            // SAFETY: guaranteed by the caller; the events are kept, and no other command signals them.
            outcome = unsafe { self.append_next(&used, joins, |api, list| append(n, api, list, event)) }?;
        }
        if overlaps {
            let event = timer.events()[ends[1]];
            // SAFETY: the list is open, and the event is as above.
            let barrier = |api: &ze::Api, list| unsafe {
                call!(api, zeCommandListAppendBarrier(list, event, 0, ptr::null_mut()))
            };
            // SAFETY: a barrier uses only the event, which is kept.
            outcome = unsafe { self.append_next(&used, true, barrier) }?;
        }
        Ok(Timing { timer, ends, outcome })
    }

    /// The run time of a launch. Waits until it has completed.
    pub(super) fn elapsed(&mut self, timing: &Timing) -> Result<Duration, LevelZeroError> {
        self.wait_for(&timing.outcome)?;
        // The launch may have completed before the device was lost.
        self.alive()?;
        let api = self.context.api;
        let [start, end] = timing.ends.map(|end| {
            let mut times = ze::ze_kernel_timestamp_result_t::default();
            let event = timing.timer.events()[end];
            // SAFETY: the event has been signalled, because the device has completed the launch; the result goes to a
            // local.
            unsafe { call!(api, zeEventQueryKernelTimestamp(event, &mut times)) }.map(|()| times.context)
        });
        let properties = &self.context.properties;
        Ok(duration(start?.kernelStart, end?.kernelEnd, properties.timestamp_bits, properties.ticks))
    }

    /// Memory of at least this number of bytes for a copy. Waits for the oldest batches if the recorded copies hold too
    /// much memory, or if there is none left.
    pub(super) fn staged(&mut self, bytes: usize) -> Result<StagingMemory, LevelZeroError> {
        self.alive()?;
        loop {
            let lists = self.in_flight.iter().chain(&self.open);
            let held = lists.map(|list| list.staged).sum::<usize>();
            if held == 0 || held.saturating_add(bytes) <= staging::MOST {
                break;
            }
            self.wait_for_oldest()?;
        }
        let made = self.staging.get(bytes);
        if made.as_ref().is_err_and(LevelZeroError::is_memory)
            && (!self.in_flight.is_empty() || self.open.is_some())
        {
            self.finish()?;
            return self.staging.get(bytes);
        }
        made
    }

    /// Takes the memory of a copy back, which the device has completed.
    pub(super) fn put_back(&mut self, memory: Arc<StagingMemory>) {
        self.staging.put_back(memory);
    }

    /// Submits the recorded commands to the device, which may first have to complete older ones.
    pub(super) fn submit(&mut self) -> Result<(), LevelZeroError> {
        self.alive()?;
        let Some(list) = self.open.take_if(|list| list.commands > 0) else { return Ok(()) };
        let api = self.context.api;
        let (mut handle, fence, outcome) = (list.handle, list.fence, Arc::clone(&list.outcome));
        // Also after an error: the objects that the list uses must stay.
        self.in_flight.push(list);
        // SAFETY: the list is open and belongs to this context and queue; it is not touched again before it
        // is reset after `finish`. The barrier makes the next list wait.
        let submitted = unsafe {
            call!(api, zeCommandListAppendBarrier(handle, ptr::null_mut(), 0, ptr::null_mut()))
                .and_then(|()| call!(api, zeCommandListClose(handle)))
                .and_then(|()| {
                    call!(api, zeCommandQueueExecuteCommandLists(self.queue, 1, &mut handle, fence))
                })
        };
        if submitted.is_err() {
            // A fence that is never signalled must not be waited for. The outcome is not set yet.
            let _ = outcome.set(submitted.clone());
        }
        self.note(submitted)?;
        if self.in_flight.len() > MOST_IN_FLIGHT { self.wait_for_oldest() } else { Ok(()) }
    }

    /// Waits until the device has completed its oldest batch, or else all recorded commands.
    fn wait_for_oldest(&mut self) -> Result<(), LevelZeroError> {
        // Those that could not be submitted are retired with the next one.
        let oldest = self.in_flight.iter().find(|list| list.outcome.get().is_none());
        match oldest.map(|list| Arc::clone(&list.outcome)) {
            Some(oldest) => self.wait_for(&oldest),
            None => self.finish(),
        }
    }

    /// Remembers that the device is lost, if it is.
    fn note(&mut self, result: Result<(), LevelZeroError>) -> Result<(), LevelZeroError> {
        if let Err(LevelZeroError::DeviceLost { call }) = result {
            self.set_lost(call);
        }
        result
    }

    /// The device is not called from now on; `call` was the first call that reported the loss.
    pub(super) fn set_lost(&mut self, call: &'static str) {
        self.lost = self.lost.or(Some(call));
    }

    /// An error if the device is lost.
    pub(super) fn alive(&self) -> Result<(), LevelZeroError> {
        self.lost.map_or(Ok(()), |call| Err(LevelZeroError::DeviceLost { call }))
    }

    /// Waits until all recorded commands have completed.
    pub(super) fn finish(&mut self) -> Result<(), LevelZeroError> {
        let submitted = self.submit();
        if self.in_flight.is_empty() {
            return submitted;
        }
        let api = self.context.api;
        let waited = self.alive().and_then(|()| {
            // SAFETY: the queue is this object's own.
            unsafe { call!(api, zeCommandQueueSynchronize(self.queue, u64::MAX)) }
        });
        match self.note(waited) {
            Ok(()) => self.retire(self.in_flight.len()),
            Err(error) => {
                self.abandon("zeCommandQueueSynchronize", &error);
                return submitted.and(Err(error));
            }
        }
        submitted
    }

    /// Waits until the device has completed a batch and all earlier batches.
    pub(super) fn wait_for(&mut self, outcome: &Outcome) -> Result<(), LevelZeroError> {
        if let Some(known) = outcome.get() {
            return known.clone();
        }
        let is_it = |list: &List| Arc::ptr_eq(&list.outcome, outcome);
        if self.open.as_ref().is_some_and(is_it) {
            return self.finish();
        }
        self.alive()?;
        let Some(index) = self.in_flight.iter().position(is_it) else { return self.finish() };
        let (api, fence) = (self.context.api, self.in_flight[index].fence);
        // SAFETY: the fence is this object's own, and the device has the list that it was submitted with.
        let waited = unsafe { call!(api, zeFenceHostSynchronize(fence, u64::MAX)) };
        let waited = self.note(waited);
        match &waited {
            Ok(()) => self.retire(index + 1),
            Err(error) => self.abandon("zeFenceHostSynchronize", error),
        }
        waited
    }

    /// Whether the host may use an object now: no command that may still run uses it in another way than to
    /// read what the host reads.
    pub(super) fn is_free(&self, used: &Used) -> bool {
        let mut lists = self.open.iter().chain(&self.in_flight);
        !lists.any(|list| list.used.iter().any(|other| used.conflicts(other)))
    }

    /// Waits until the host may use an object.
    pub(super) fn settle(&mut self, used: &Used) -> Result<(), LevelZeroError> {
        self.alive()?;
        if self.is_free(used) { Ok(()) } else { self.finish() }
    }

    /// Recycles the first lists, which the device has completed.
    fn retire(&mut self, count: usize) {
        let done: Vec<List> = self.in_flight.drain(..count).collect();
        for list in done {
            // Already set if it could not be submitted.
            let _ = list.outcome.set(Ok(()));
            self.recycle(list);
        }
    }

    /// Empties a list that the device has completed or never got.
    fn recycle(&mut self, mut list: List) {
        let api = self.context.api;
        for used in list.used.drain(..) {
            if let Ok(memory) = used.object.downcast::<StagingMemory>() {
                self.staging.put_back(memory);
            }
        }
        (list.commands, list.ordered, list.staged, list.outcome) = (0, 0, 0, Outcome::default());
        // SAFETY: the device does not use the list and its fence.
        let reset = unsafe {
            call!(api, zeCommandListReset(list.handle)).and_then(|()| call!(api, zeFenceReset(list.fence)))
        };
        match reset {
            Ok(()) => self.idle.push(list),
            Err(error) => {
                tracing::debug!(%error, "a command list cannot be used again");
                // SAFETY: as above; the list is dropped here.
                unsafe { list.destroy(api) }
            }
        }
    }

    /// Gives up the device after this call failed to wait. For whatever reason it failed, the device may still read and
    /// write the objects that its commands use. They are leaked, with their context.
    fn abandon(&mut self, call: &'static str, error: &LevelZeroError) {
        self.set_lost(call);
        tracing::error!(
            %error,
            lists = self.in_flight.len(),
            "a device could not be waited for and may still be at work: what its commands use is leaked"
        );
        mem::forget(mem::take(&mut self.in_flight));
        mem::forget(Arc::clone(&self.context));
        // `drop` must not destroy it: the device may still use it.
        self.queue = ptr::null_mut();
    }

    /// An empty list.
    fn list(&mut self) -> Result<List, LevelZeroError> {
        if let Some(list) = self.idle.pop() {
            return Ok(list);
        }
        let Context { api, device, handle: context, .. } = *self.context;
        let description = ze::ze_command_list_desc_t::new();
        let mut handle = ptr::null_mut();
        // SAFETY: the context and its device live; ordinal 0 is that of the queue.
        unsafe { call!(api, zeCommandListCreate(context, device, &description, &mut handle)) }?;
        let (fence, used, outcome) = (ptr::null_mut(), Vec::new(), Outcome::default());
        let mut list = List { handle, fence, commands: 0, used, ordered: 0, staged: 0, outcome };
        let description = ze::ze_fence_desc_t::new();
        // SAFETY: the queue lives; the result goes to a local, which is destroyed before the queue.
        match unsafe { call!(api, zeFenceCreate(self.queue, &description, &mut list.fence)) } {
            Ok(()) => Ok(list),
            Err(error) => {
                // SAFETY: the list was just created.
                unsafe { list.destroy(api) };
                Err(error)
            }
        }
    }
}

impl List {
    /// Whether a command that uses these objects may overlap with all commands since the last barrier.
    fn is_ordered(&self, used: &[Used]) -> bool {
        !used.iter().any(|used| self.used[self.ordered..].iter().any(|other| used.conflicts(other)))
    }

    /// Destroys the list and its fence, if it has one.
    ///
    /// # Safety
    /// The device has completed the list or never got it.
    unsafe fn destroy(self, api: &ze::Api) {
        // SAFETY: the handles are this object's own; the rest is guaranteed by the caller.
        unsafe {
            destroy!(api, zeCommandListDestroy(self.handle));
            if !self.fence.is_null() {
                destroy!(api, zeFenceDestroy(self.fence));
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::debug!(%error, "the last commands of a device failed");
        }
        let api = self.context.api;
        for list in self.idle.drain(..).chain(self.open.take()) {
            // SAFETY: the list is this object's own, and the device has completed it or never got it.
            unsafe { list.destroy(api) }
        }
        if !self.queue.is_null() {
            // SAFETY: the handle is this object's own, and null if it was not created or is left to the device.
            unsafe { destroy!(api, zeCommandQueueDestroy(self.queue)) }
        }
    }
}

/// The time between two timestamps of a clock with this number of bits and ticks per second.
fn duration(start: u64, end: u64, bits: u32, ticks: u64) -> Duration {
    // Clamped, so that no answer of a driver makes a shift overflow.
    let mask = u64::MAX >> (64 - bits.clamp(1, 64));
    let passed = end.wrapping_sub(start) & mask;
    let nanoseconds = u128::from(passed) * 1_000_000_000 / u128::from(ticks.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn clocks_start_again_from_0() {
        assert_eq!(duration(100, 112, 32, 12_000_000).as_nanos(), 1000);
        assert_eq!(duration(0xffff_fffa, 6, 32, 12_000_000).as_nanos(), 1000);
        assert_eq!(duration(u64::MAX, 0, 64, 1_000_000_000).as_nanos(), 1);
        assert_eq!(duration(5, 5, 0, 0).as_nanos(), 0);
    }
}
