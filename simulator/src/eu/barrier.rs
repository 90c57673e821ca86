//! The barriers of a group, from Xe-HPG on: threads signal and wait separately, at up to 32 barriers.
//!
//! Sources: `TranslateSendSync.cpp` of vISA for the fields, and its `NBARRIER.md` for the roles
//! (github.com/intel/intel-graphics-compiler).

use std::sync::{Arc, Mutex, PoisonError};

use crate::isa::Trouble;

/// The number of barriers of a group.
const COUNT: usize = 32;

/// A barrier: the arrivals since it was last passed.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The expected number of threads of both roles.
    expected: (u8, u8),
    producers: u8,
    consumers: u8,
    /// How many times it was passed.
    passed: u64,
}

/// The barriers of a group of threads.
#[derive(Clone, Debug, Default)]
pub struct Barriers(Arc<Mutex<[State; COUNT]>>);

/// The state of a thread: the barriers that it has signalled as a consumer and not yet waited for, and how
/// many times each had been passed at that time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals([Option<u64>; COUNT]);

/// The contents of a message to the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal(pub(crate) u32);

impl Signal {
    fn barrier(self) -> usize {
        (self.0 & 0xff) as usize
    }

    /// 0: the thread waits, and lets others pass; 1: it only lets others pass; 2: it only waits.
    fn role(self) -> u32 {
        self.0 >> 14 & 3
    }

    fn expected(self) -> (u8, u8) {
        let [_, _, producers, consumers] = self.0.to_le_bytes();
        (producers, consumers)
    }

    /// Whether it is the barrier of the whole group.
    pub(crate) fn is_plain(self) -> bool {
        let (producers, consumers) = self.expected();
        self.barrier() == 0 && self.role() == 0 && producers == consumers
    }
}

impl Barriers {
    /// Records the arrival of a thread.
    pub(crate) fn signal(&self, signals: &mut Signals, signal: Signal) -> Result<(), Trouble> {
        let id = signal.barrier();
        let bad = |why: &str| Trouble::Other(format!("barrier {id}: {why}"));
        let expected = signal.expected();
        let mut states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = states.get_mut(id).ok_or_else(|| bad("there are 32 barriers"))?;
        if (state.producers, state.consumers) == (0, 0) {
            state.expected = expected;
        }
        if state.expected != expected {
            return Err(bad("threads disagree on how many producers and consumers it has"));
        }
        let (produces, consumes) = match signal.role() {
            0 => (true, true),
            1 => (true, false),
            2 => (false, true),
            _ => return Err(bad("a thread without a role")),
        };
        if consumes && signals.0[id].replace(state.passed).is_some() {
            return Err(bad("a thread signals twice without waiting"));
        }
        state.producers += u8::from(produces);
        state.consumers += u8::from(consumes);
        if state.producers > expected.0 || state.consumers > expected.1 {
            return Err(bad("more threads come than it has"));
        }
        if (state.producers, state.consumers) == expected {
            *state = State { passed: state.passed + 1, ..State::default() };
        }
        Ok(())
    }

    /// Whether a waiting thread may continue.
    pub(crate) fn passes(&self, signals: &mut Signals, id: usize) -> Result<bool, Trouble> {
        let bad = || Trouble::Other(format!("barrier {id}: a thread waits that has not signalled"));
        let begun = signals.0.get(id).copied().flatten().ok_or_else(bad)?;
        let states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passes = states[id].passed > begun;
        if passes {
            signals.0[id] = None;
        }
        Ok(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(id: u32, role: u32, producers: u32, consumers: u32) -> Signal {
        Signal(id | role << 14 | producers << 16 | consumers << 24)
    }

    #[test]
    fn all_pass_when_all_have_come() {
        let barriers = Barriers::default();
        let mut threads = [const { Signals([None; COUNT]) }; 3];
        for round in 0..3 {
            for thread in 0..3 {
                barriers.signal(&mut threads[thread], signal(0, 0, 3, 3)).unwrap();
                let passes = barriers.passes(&mut threads[0], 0).unwrap();
                assert_eq!(passes, thread == 2, "{round}");
            }
            for thread in &mut threads[1..] {
                assert!(barriers.passes(thread, 0).unwrap());
            }
        }
    }

    #[test]
    fn producers_do_not_wait_and_consumers_wait_for_both() {
        let barriers = Barriers::default();
        let [mut producer, mut one, mut two] = [const { Signals([None; COUNT]) }; 3];
        barriers.signal(&mut one, signal(5, 2, 1, 2)).unwrap();
        barriers.signal(&mut producer, signal(5, 1, 1, 2)).unwrap();
        assert!(!barriers.passes(&mut one, 5).unwrap(), "a consumer is missing");
        barriers.signal(&mut two, signal(5, 2, 1, 2)).unwrap();
        assert!(barriers.passes(&mut one, 5).unwrap() && barriers.passes(&mut two, 5).unwrap());
        // Barriers are independent of each other.
        barriers.signal(&mut producer, signal(6, 1, 1, 1)).unwrap();
        assert!(barriers.passes(&mut one, 6).is_err());
    }

    #[test]
    fn wrong_use_is_refused() {
        let barriers = Barriers::default();
        let mut thread = Signals::default();
        let message = |result: Result<(), Trouble>| result.unwrap_err().to_string();
        assert!(message(barriers.signal(&mut thread, signal(32, 0, 1, 1))).contains("there are 32 barriers"));
        assert!(message(barriers.signal(&mut thread, signal(1, 3, 1, 1))).contains("without a role"));
        barriers.signal(&mut thread, signal(2, 0, 2, 2)).unwrap();
        assert!(message(barriers.signal(&mut thread, signal(2, 0, 2, 2))).contains("twice"));
        assert!(message(barriers.signal(&mut thread, signal(2, 0, 3, 3))).contains("disagree"));
        let mut producers = [Signals::default(), Signals::default()];
        barriers.signal(&mut producers[0], signal(3, 1, 1, 1)).unwrap();
        assert!(message(barriers.signal(&mut producers[1], signal(3, 1, 1, 1))).contains("more threads"));
        assert!(barriers.passes(&mut thread, 7).unwrap_err().to_string().contains("has not signalled"));
    }
}
