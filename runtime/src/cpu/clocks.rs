//! Which accesses of the threads of a group come before others: vector clocks.
//!
//! A clock has one number for each thread: the signals of that thread that came before. A thread that signals
//! passes its clock on, and then counts one signal more. A thread that continues after a barrier takes the
//! clocks of all threads that signalled it.

use cm_compiler::ir::NamedBarrierFault;

use super::places::Place;

/// The number of signals of each thread.
type Clock = Vec<u32>;

/// A signal of a thread: the thread, its number and its place.
type Signal = (usize, u32, Place);

/// The clocks of a group.
pub(super) struct Clocks {
    threads: Vec<Clock>,
    /// The signals to the barrier of all threads since it was last complete.
    all: Clock,
    named: Vec<Named>,
}

/// A named barrier.
#[derive(Clone, Default)]
struct Named {
    /// The clocks of the signals of its current use, and of its last one.
    current: Clock,
    signals: Vec<Signal>,
    last: Vec<Signal>,
    /// The consumers of the current use.
    consumers: Vec<usize>,
    /// For each thread, the clock of the complete use that it will wait for.
    passed: Vec<Clock>,
}

impl Clocks {
    /// The clocks of a group of this number of threads with named barriers.
    pub(super) fn new(threads: usize, barriers: usize) -> Self {
        // The first signal of a thread has number 1, so that nothing comes before the start of another thread.
        let own = |thread| (0..threads).map(|n| u32::from(n == thread)).collect();
        let named = Named { current: vec![0; threads], passed: vec![vec![]; threads], ..Named::default() };
        Self { threads: (0..threads).map(own).collect(), all: vec![0; threads], named: vec![named; barriers] }
    }

    /// Another group begins.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.threads.len(), self.named.len());
    }

    /// The number of the next signal of a thread.
    pub(super) fn next(&self, thread: usize) -> u32 {
        self.threads[thread][thread]
    }

    /// Whether a thread continued after this signal of another thread, or after a later one.
    pub(super) fn follows(&self, thread: usize, other: usize, signal: u32) -> bool {
        thread == other || self.threads[thread][other] >= signal
    }

    /// A thread signals the barrier of all threads.
    pub(super) fn signal(&mut self, thread: usize) {
        join(&mut self.all, &self.threads[thread]);
        self.threads[thread][thread] += 1;
    }

    /// All threads continue after the barrier of all threads.
    pub(super) fn meet(&mut self) {
        self.threads.iter_mut().for_each(|clock| join(clock, &self.all));
    }

    /// A thread signals a named barrier, at this place; the signal may complete the barrier.
    ///
    /// # Errors
    /// If the thread does not know that the last use of the barrier is complete.
    pub(super) fn signal_named(
        &mut self,
        thread: usize,
        barrier: u32,
        (consumes, completes): (bool, bool),
        at: Place,
    ) -> Result<(), NamedBarrierFault<Place>> {
        let Some(named) = self.named.get_mut(barrier as usize) else { return Ok(()) };
        let clock = &mut self.threads[thread];
        let unknown = |(other, signal, _): &&Signal| *other != thread && clock[*other] < *signal;
        if let Some(&(other, _, before)) = named.last.iter().find(unknown) {
            return Err(NamedBarrierFault::Overtakes { at, thread, barrier, other, before });
        }
        join(&mut named.current, clock);
        named.signals.push((thread, clock[thread], at));
        clock[thread] += 1;
        if consumes {
            named.consumers.push(thread);
        }
        if completes {
            for consumer in named.consumers.drain(..) {
                named.passed[consumer].clone_from(&named.current);
            }
            named.current.fill(0);
            named.last = std::mem::take(&mut named.signals);
        }
        Ok(())
    }

    /// A thread continues after a named barrier.
    pub(super) fn pass(&mut self, thread: usize, barrier: u32) {
        if let Some(named) = self.named.get_mut(barrier as usize) {
            join(&mut self.threads[thread], &named.passed[thread]);
        }
    }
}

/// Adds what another clock knows.
fn join(clock: &mut Clock, other: &Clock) {
    clock.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;

    fn here() -> Place {
        Location::caller().into()
    }

    #[test]
    fn a_barrier_orders_all_threads() {
        let mut clocks = Clocks::new(3, 0);
        let before = clocks.next(1);
        (0..3).for_each(|thread| clocks.signal(thread));
        let between = clocks.next(1);
        assert!(!clocks.follows(0, 1, before));
        clocks.meet();
        assert!(clocks.follows(0, 1, before) && !clocks.follows(0, 1, between));
    }

    #[test]
    fn a_named_barrier_orders_its_threads_and_those_that_they_signal() {
        let mut clocks = Clocks::new(4, 2);
        let [first, fourth] = [0, 3].map(|thread| clocks.next(thread));
        // 0 -> 1 -> 2.
        clocks.signal_named(0, 0, (false, false), here()).unwrap();
        clocks.signal_named(1, 0, (true, true), here()).unwrap();
        assert!(!clocks.follows(1, 0, first));
        clocks.pass(1, 0);
        assert!(clocks.follows(1, 0, first) && !clocks.follows(2, 0, first));
        clocks.signal_named(2, 1, (true, false), here()).unwrap();
        clocks.signal_named(1, 1, (false, true), here()).unwrap();
        clocks.pass(2, 1);
        assert!(clocks.follows(2, 0, first) && !clocks.follows(2, 3, fourth) && !clocks.follows(3, 0, first));
    }

    /// A thread that has not waited yet takes the clock of the use that it signalled, not that of a later one.
    #[test]
    fn later_uses_do_not_count() {
        let mut clocks = Clocks::new(3, 1);
        clocks.signal_named(0, 0, (true, true), here()).unwrap();
        let second = clocks.next(0);
        clocks.signal_named(0, 0, (false, true), here()).unwrap();
        clocks.pass(0, 0);
        assert!(!clocks.follows(1, 0, second));
        clocks.clear();
        assert_eq!(clocks.next(0), 1);
    }

    #[test]
    fn a_producer_must_not_overtake() {
        let mut clocks = Clocks::new(2, 2);
        clocks.signal_named(0, 0, (false, false), here()).unwrap();
        clocks.signal_named(1, 0, (true, true), here()).unwrap();
        let overtakes = |fault| matches!(fault, NamedBarrierFault::Overtakes { thread: 0, other: 1, .. });
        assert!(overtakes(clocks.signal_named(0, 0, (false, false), here()).unwrap_err()));
        // The consumer says that it is done.
        clocks.signal_named(1, 1, (false, false), here()).unwrap();
        clocks.signal_named(0, 1, (true, true), here()).unwrap();
        assert!(overtakes(clocks.signal_named(0, 0, (false, false), here()).unwrap_err()));
        clocks.pass(0, 1);
        clocks.signal_named(0, 0, (false, false), here()).unwrap();
    }
}
