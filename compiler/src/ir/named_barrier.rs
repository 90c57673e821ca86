//! Named barriers: which threads of a group have signalled one, and which wait for it.
//!
//! A barrier is used again and again. Each use begins with the first signal after the last use, and ends when as many
//! producers and as many consumers have signalled as the first signal says.

use std::fmt::Display;

use thiserror::Error;

use crate::ops::BarrierRole;

/// The named barriers of a group of threads. `P` is a place in the source.
#[derive(Clone, Debug)]
pub struct NamedBarriers<P> {
    barriers: Vec<Use<P>>,
    threads: Vec<Thread<P>>,
}

/// The current use of a barrier.
#[derive(Clone, Debug)]
struct Use<P> {
    /// The place of its first signal, and the number of producers and consumers that this declares.
    declared: Option<(P, Counts)>,
    signalled: Counts,
    /// The number of uses before it.
    completed: u64,
}

impl<P> Use<P> {
    const FIRST: Self = Self { declared: None, signalled: [0; 2], completed: 0 };
}

/// A number of producers and of consumers.
type Counts = [u32; 2];

/// A thread: for each barrier that it has signalled as a consumer and not waited for, the number of the use and
/// the place.
#[derive(Clone, Debug)]
struct Thread<P> {
    signalled: Vec<Option<(u64, P)>>,
    /// The barrier for which it waits, and the place.
    waits: Option<(usize, P)>,
}

/// A fault of a thread at a named barrier.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum NamedBarrierFault<P: Display> {
    #[error(
        "{at}: there is no named barrier {barrier} in a kernel with {count}: take a number below {count}"
    )]
    Missing { at: P, barrier: u32, count: usize },
    #[error(
        "{at}: thread {thread} of the group signals named barrier {barrier} with {} producers and {} consumers, but \
         another thread with {} and {} at {before}: all signals of one use of a barrier must declare the same counts",
        found[0], found[1], expected[0], expected[1]
    )]
    Counts { at: P, thread: usize, barrier: u32, found: [u32; 2], before: P, expected: [u32; 2] },
    #[error(
        "{at}: thread {thread} of the group signals named barrier {barrier} as {role}, but the barrier is declared with \
         {} producers and {} consumers, and as many have signalled it: count every thread that signals, and let \
         producers wait for another barrier before they signal this one again",
        expected[0], expected[1]
    )]
    TooMany { at: P, thread: usize, barrier: u32, role: BarrierRole, expected: [u32; 2] },
    #[error(
        "{at}: thread {thread} of the group signals named barrier {barrier} again as {role}, but did not wait after its \
         signal at {before}: call `wait({barrier})` first"
    )]
    NotWaited { at: P, thread: usize, barrier: u32, role: BarrierRole, before: P },
    #[error(
        "{at}: thread {thread} of the group waits for named barrier {barrier}, which it has not signalled as a consumer: \
         call `signal` first; threads that only produce do not wait"
    )]
    NotSignalled { at: P, thread: usize, barrier: u32 },
    #[error(
        "{at}: thread {thread} of the group ends after it signalled named barrier {barrier} as a consumer: call \
         `wait({barrier})`, or signal as a producer"
    )]
    EndsEarly { at: P, thread: usize, barrier: u32 },
    #[error(
        "{at}: thread {thread} of the group waits forever for named barrier {barrier}: {} of {} producers and {} of {} \
         consumers have signalled it, and no thread can continue; let as many threads signal as the counts say, \
         outside of conditions that leave some of them out, and launch at least as many in a group",
        signalled[0], expected[0], signalled[1], expected[1]
    )]
    Forever { at: P, thread: usize, barrier: u32, signalled: [u32; 2], expected: [u32; 2] },
    #[error(
        "{at}: thread {thread} of the group signals named barrier {barrier} again, but nothing lets it wait until the \
         use of the barrier that thread {other} signalled at {before} is complete: let it wait for that use, or for \
         another barrier that the consumers signal afterwards"
    )]
    Overtakes { at: P, thread: usize, barrier: u32, other: usize, before: P },
}

impl<P: Display> NamedBarrierFault<P> {
    /// The same fault, with other places.
    pub fn placed<Q: Display>(self, place: impl Fn(P) -> Q) -> NamedBarrierFault<Q> {
        use NamedBarrierFault as To;
        match self {
            Self::Missing { at, barrier, count } => To::Missing { at: place(at), barrier, count },
            Self::Counts { at, thread, barrier, found, before, expected } => {
                To::Counts { at: place(at), thread, barrier, found, before: place(before), expected }
            }
            Self::TooMany { at, thread, barrier, role, expected } => {
                To::TooMany { at: place(at), thread, barrier, role, expected }
            }
            Self::NotWaited { at, thread, barrier, role, before } => {
                To::NotWaited { at: place(at), thread, barrier, role, before: place(before) }
            }
            Self::NotSignalled { at, thread, barrier } => To::NotSignalled { at: place(at), thread, barrier },
            Self::EndsEarly { at, thread, barrier } => To::EndsEarly { at: place(at), thread, barrier },
            Self::Forever { at, thread, barrier, signalled, expected } => {
                To::Forever { at: place(at), thread, barrier, signalled, expected }
            }
            Self::Overtakes { at, thread, barrier, other, before } => {
                To::Overtakes { at: place(at), thread, barrier, other, before: place(before) }
            }
        }
    }
}

type Result<T, P> = std::result::Result<T, NamedBarrierFault<P>>;

impl<P: Clone + Display> NamedBarriers<P> {
    /// This number of barriers for a group of this number of threads.
    #[must_use]
    pub fn new(barriers: usize, threads: usize) -> Self {
        let thread = Thread { signalled: vec![None; barriers], waits: None };
        Self { barriers: vec![Use::FIRST; barriers], threads: vec![thread; threads] }
    }

    /// Another group begins.
    pub fn clear(&mut self) {
        self.barriers.fill(Use::FIRST);
        for thread in &mut self.threads {
            thread.signalled.fill(None);
            thread.waits = None;
        }
    }

    fn index(&self, barrier: u32, at: &P) -> Result<usize, P> {
        let count = self.barriers.len();
        let missing = || NamedBarrierFault::Missing { at: at.clone(), barrier, count };
        Some(barrier as usize).filter(|index| *index < count).ok_or_else(missing)
    }

    /// A thread signals a barrier, of which it declares the number of producers and consumers. Returns whether this
    /// completes the barrier.
    ///
    /// # Errors
    /// If the call is not allowed now.
    pub fn signal(
        &mut self,
        thread: usize,
        role: BarrierRole,
        (barrier, declared): (u32, [u32; 2]),
        at: P,
    ) -> Result<bool, P> {
        let index = self.index(barrier, &at)?;
        let of = &mut self.barriers[index];
        let (before, expected) = of.declared.get_or_insert_with(|| (at.clone(), declared));
        let (before, expected) = (before.clone(), *expected);
        if declared != expected {
            return Err(NamedBarrierFault::Counts { at, thread, barrier, found: declared, before, expected });
        }
        let own = &mut self.threads[thread].signalled[index];
        if let Some((_, before)) = own.clone().filter(|_| role.consumes()) {
            return Err(NamedBarrierFault::NotWaited { at, thread, barrier, role, before });
        }
        let signalled =
            [of.signalled[0] + u32::from(role.produces()), of.signalled[1] + u32::from(role.consumes())];
        if signalled[0] > expected[0] || signalled[1] > expected[1] {
            return Err(NamedBarrierFault::TooMany { at, thread, barrier, role, expected });
        }
        if role.consumes() {
            *own = Some((of.completed, at));
        }
        of.signalled = signalled;
        let complete = signalled == expected;
        if complete {
            *of = Use { completed: of.completed + 1, ..Use::FIRST };
        }
        Ok(complete)
    }

    /// A thread waits for a barrier.
    ///
    /// # Errors
    /// If it has not signalled the barrier as a consumer.
    pub fn wait(&mut self, thread: usize, barrier: u32, at: P) -> Result<(), P> {
        let index = self.index(barrier, &at)?;
        if self.threads[thread].signalled[index].is_none() {
            return Err(NamedBarrierFault::NotSignalled { at, thread, barrier });
        }
        self.threads[thread].waits = Some((index, at));
        Ok(())
    }

    /// Whether a thread waits for a barrier that is not complete. If the barrier is complete, the thread continues.
    pub fn holds(&mut self, thread: usize) -> bool {
        let Thread { signalled, waits } = &mut self.threads[thread];
        let Some((index, _)) = *waits else { return false };
        let holds = signalled[index].as_ref().is_some_and(|(of, _)| self.barriers[index].completed <= *of);
        if !holds {
            signalled[index] = None;
            *waits = None;
        }
        holds
    }

    /// A thread ends.
    ///
    /// # Errors
    /// If it has not waited for a barrier that it signalled as a consumer.
    pub fn end(&mut self, thread: usize) -> Result<(), P> {
        let mut signalled = self.threads[thread].signalled.iter_mut().enumerate();
        match signalled.find_map(|(index, signalled)| Some((index, signalled.take()?.1))) {
            Some((index, at)) => Err(NamedBarrierFault::EndsEarly { at, thread, barrier: index as u32 }),
            None => Ok(()),
        }
    }

    /// Called when no thread of the group can continue.
    ///
    /// # Errors
    /// If a thread waits for a named barrier.
    pub fn stuck(&self) -> Result<(), P> {
        let mut waiting = self.threads.iter().enumerate();
        let Some((thread, (index, at))) = waiting.find_map(|(n, thread)| Some((n, thread.waits.clone()?)))
        else {
            return Ok(());
        };
        let Use { declared, signalled, .. } = &self.barriers[index];
        // A thread waits only for a barrier that is in use.
        let expected = declared.as_ref().map_or(*signalled, |(_, expected)| *expected);
        let (barrier, signalled) = (index as u32, *signalled);
        Err(NamedBarrierFault::Forever { at, thread, barrier, signalled, expected })
    }
}

#[cfg(test)]
mod tests {
    use BarrierRole::{Consumer, Producer, ProducerConsumer};

    use super::*;

    type Fault = NamedBarrierFault<u32>;

    /// The thread signals barrier `barrier` and then waits; whether it is held.
    fn meet(group: &mut NamedBarriers<u32>, thread: usize, barrier: u32, counts: Counts) -> bool {
        group.signal(thread, ProducerConsumer, (barrier, counts), 1).unwrap();
        group.wait(thread, barrier, 2).unwrap();
        group.holds(thread)
    }

    #[test]
    fn threads_of_both_roles_meet_again_and_again() {
        let mut group = NamedBarriers::new(2, 3);
        for round in 0..3 {
            assert!(meet(&mut group, 2, 1, [3, 3]) && meet(&mut group, 0, 1, [3, 3]), "{round}");
            assert!(!meet(&mut group, 1, 1, [3, 3]));
            assert!(!group.holds(0) && !group.holds(2));
            assert_eq!(group.stuck(), Ok(()));
        }
        (0..3).for_each(|thread| assert_eq!(group.end(thread), Ok(())));
    }

    #[test]
    fn producers_continue_and_consumers_wait_for_both() {
        let mut group = NamedBarriers::new(3, 3);
        assert_eq!(group.signal(1, Consumer, (2, [1, 2]), 1), Ok(false));
        assert_eq!(group.signal(0, Producer, (2, [1, 2]), 2), Ok(false));
        assert!(!group.holds(0), "a producer continues");
        group.wait(1, 2, 3).unwrap();
        assert!(group.holds(1), "a consumer is missing");
        // Barriers are independent, and counts may change from use to use.
        assert_eq!(group.signal(0, Producer, (0, [1, 0]), 4), Ok(true));
        assert_eq!(group.signal(0, Producer, (0, [2, 0]), 4), Ok(false));
        assert_eq!(group.signal(2, Consumer, (2, [1, 2]), 5), Ok(true));
        // The next use begins before a thread has waited for the last one.
        assert_eq!(group.signal(0, Producer, (2, [1, 1]), 6), Ok(false));
        assert!(!group.holds(1));
        group.wait(2, 2, 7).unwrap();
        assert!(!group.holds(2));
    }

    #[test]
    fn wrong_calls_are_faults() {
        let mut group = NamedBarriers::new(2, 4);
        let missing = Fault::Missing { at: 1, barrier: 2, count: 2 };
        assert_eq!(group.signal(0, Producer, (2, [1, 1]), 1), Err(missing.clone()));
        assert_eq!(group.wait(0, 2, 1), Err(missing));
        assert_eq!(group.wait(0, 1, 2), Err(Fault::NotSignalled { at: 2, thread: 0, barrier: 1 }));
        let many = |at, role, expected| Fault::TooMany { at, thread: 0, barrier: 0, role, expected };
        assert_eq!(group.clone().signal(0, Producer, (0, [0, 1]), 3), Err(many(3, Producer, [0, 1])));
        assert_eq!(group.clone().signal(0, Consumer, (0, [1, 0]), 3), Err(many(3, Consumer, [1, 0])));
        group.signal(0, Producer, (0, [1, 1]), 4).unwrap();
        assert_eq!(group.signal(0, Producer, (0, [1, 1]), 5), Err(many(5, Producer, [1, 1])));
        let counts =
            Fault::Counts { at: 6, thread: 3, barrier: 0, found: [1, 2], before: 4, expected: [1, 1] };
        assert_eq!(group.signal(3, Consumer, (0, [1, 2]), 6), Err(counts));
        group.signal(3, Consumer, (1, [1, 3]), 7).unwrap();
        let waits = Fault::NotWaited { at: 8, thread: 3, barrier: 1, role: ProducerConsumer, before: 7 };
        assert_eq!(group.signal(3, ProducerConsumer, (1, [1, 3]), 8), Err(waits));
        assert_eq!(group.clone().end(3), Err(Fault::EndsEarly { at: 7, thread: 3, barrier: 1 }));
        group.wait(3, 1, 9).unwrap();
        assert!(group.holds(3));
        let forever = Fault::Forever { at: 9, thread: 3, barrier: 1, signalled: [0, 1], expected: [1, 3] };
        assert_eq!(group.stuck(), Err(forever));
    }

    #[test]
    fn messages_name_the_barrier_and_the_place() {
        let fault = Fault::Forever { at: 9, thread: 3, barrier: 1, signalled: [0, 1], expected: [1, 3] };
        let message = fault.placed(|line| format!("k.rs:{line}")).to_string();
        assert!(
            message.starts_with(
                "k.rs:9: thread 3 of the group waits forever for named barrier 1: 0 of 1 producers and 1 of 3 \
                 consumers have signalled it"
            ),
            "{message}"
        );
    }
}
