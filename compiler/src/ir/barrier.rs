//! Barriers: which threads have reached one, and which never will.

use std::fmt::Display;

use thiserror::Error;

use super::named_barrier::NamedBarrierFault;
use crate::ops::SyncKind;

/// A thread of a group, as far as barriers are concerned. `P` is a place in the source.
#[derive(Clone, Copy, Debug)]
pub struct Member<P> {
    /// The place where it signalled, if it has not waited since.
    signalled: Option<P>,
    /// The place where it waits.
    waits: Option<P>,
    ended: bool,
    /// Whether it belongs to a thread space.
    alone: bool,
}

/// A fault of the threads of a group at barriers.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BarrierFault<P: Display> {
    #[error(
        "{at}: thread {thread} of the group waits for the others, but thread {other} has ended: all threads must \
         come to each barrier, so do not return before it and keep it out of conditions that differ between \
         threads"
    )]
    Ended { at: P, thread: usize, other: usize },
    #[error(
        "{at}: thread {thread} of the group waits for the others, but thread {other} waits at {elsewhere}: all \
         threads must come to the same barrier, so keep it out of conditions that differ between threads"
    )]
    Elsewhere { at: P, thread: usize, other: usize, elsewhere: P },
    #[error("{at}: a second `signal()` or a `barrier()` after the `signal()` at {before}: `wait()` first")]
    Signalled { at: P, before: P },
    #[error("{at}: `wait()` without a `signal()` before it: call `signal()` first, or `barrier()` for both")]
    NotSignalled { at: P },
    #[error("{at}: the thread ends after `signal()` without a `wait()`: call `wait()` before the end")]
    NotWaited { at: P },
    #[error("{0}")]
    Named(NamedBarrierFault<P>),
}

impl<P: Display> BarrierFault<P> {
    /// The same fault, with other places.
    pub fn placed<Q: Display>(self, place: impl Fn(P) -> Q) -> BarrierFault<Q> {
        match self {
            Self::Ended { at, thread, other } => BarrierFault::Ended { at: place(at), thread, other },
            Self::Elsewhere { at, thread, other, elsewhere } => {
                BarrierFault::Elsewhere { at: place(at), thread, other, elsewhere: place(elsewhere) }
            }
            Self::Signalled { at, before } => {
                BarrierFault::Signalled { at: place(at), before: place(before) }
            }
            Self::NotSignalled { at } => BarrierFault::NotSignalled { at: place(at) },
            Self::NotWaited { at } => BarrierFault::NotWaited { at: place(at) },
            Self::Named(fault) => BarrierFault::Named(fault.placed(place)),
        }
    }
}

impl<P: Display> From<NamedBarrierFault<P>> for BarrierFault<P> {
    fn from(fault: NamedBarrierFault<P>) -> Self {
        Self::Named(fault)
    }
}

impl<P> Default for Member<P> {
    fn default() -> Self {
        Self { signalled: None, waits: None, ended: false, alone: false }
    }
}

impl<P> Member<P> {
    /// A thread of a thread space, which waits for no other thread: the halves of barriers need not alternate there.
    #[must_use]
    pub fn alone() -> Self {
        Self { alone: true, ..Self::default() }
    }
}

impl<P: Clone + PartialEq + Display> Member<P> {
    /// The thread reaches this call at `at`. Returns whether it waits there.
    ///
    /// # Errors
    /// If the call is not allowed now.
    pub fn come(&mut self, kind: SyncKind, at: P) -> Result<bool, BarrierFault<P>> {
        if self.alone {
            return Ok(false);
        }
        match (kind, self.signalled.clone()) {
            (SyncKind::Fence, _) => return Ok(false),
            // See `NamedBarriers`.
            (kind, _) if kind.is_named() => return Ok(false),
            (SyncKind::Signal | SyncKind::Barrier, Some(before)) => {
                return Err(BarrierFault::Signalled { at, before });
            }
            (SyncKind::Wait, None) => return Err(BarrierFault::NotSignalled { at }),
            (SyncKind::Signal, None) => {
                self.signalled = Some(at);
                return Ok(false);
            }
            (SyncKind::Wait, Some(_)) => self.signalled = None,
            _ => {}
        }
        self.waits = Some(at);
        Ok(true)
    }

    /// The thread ends.
    ///
    /// # Errors
    /// If a `wait` is missing.
    pub fn end(&mut self) -> Result<(), BarrierFault<P>> {
        self.ended = true;
        match self.signalled.take() {
            Some(at) => Err(BarrierFault::NotWaited { at }),
            None => Ok(()),
        }
    }

    /// Whether the thread waits for the others.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.waits.is_some()
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }
}

/// Called when all threads of a group have ended or wait. Lets the waiting threads continue; returns whether there are
/// any.
///
/// # Errors
/// If they do not wait at the same place.
pub fn meet<P: Clone + PartialEq + Display>(members: &mut [Member<P>]) -> Result<bool, BarrierFault<P>> {
    let waiting = |member: &Member<P>| member.waits.clone();
    let Some((thread, at)) =
        members.iter().enumerate().find_map(|(n, member)| waiting(member).map(|at| (n, at)))
    else {
        return Ok(false);
    };
    for (other, member) in members.iter_mut().enumerate() {
        match member.waits.take() {
            None => return Err(BarrierFault::Ended { at, thread, other }),
            Some(elsewhere) if elsewhere != at => {
                return Err(BarrierFault::Elsewhere { at, thread, other, elsewhere });
            }
            Some(_) => {}
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Fault = BarrierFault<u32>;

    #[test]
    fn all_threads_meet_at_one_place() {
        let mut members = [Member::<u32>::default(); 3];
        assert_eq!(meet(&mut members), Ok(false));
        for member in &mut members {
            assert_eq!(member.come(SyncKind::Fence, 1), Ok(false));
            assert_eq!(member.come(SyncKind::Barrier, 2), Ok(true));
        }
        assert_eq!(meet(&mut members), Ok(true));
        assert!(members.iter().all(|member| !member.waits()));
        for (n, member) in members.iter_mut().enumerate() {
            assert_eq!(member.come(SyncKind::Barrier, 3 + u32::from(n == 2)), Ok(true));
        }
        assert_eq!(meet(&mut members), Err(Fault::Elsewhere { at: 3, thread: 0, other: 2, elsewhere: 4 }));
    }

    #[test]
    fn a_thread_that_ended_comes_to_no_barrier() {
        let mut members = [Member::<u32>::default(); 2];
        assert_eq!(members[0].end(), Ok(()));
        assert_eq!(members[1].come(SyncKind::Barrier, 5), Ok(true));
        assert_eq!(meet(&mut members), Err(Fault::Ended { at: 5, thread: 1, other: 0 }));
    }

    #[test]
    fn halves_of_barriers_alternate() {
        let mut member = Member::<u32>::default();
        assert_eq!(member.come(SyncKind::Wait, 1), Err(Fault::NotSignalled { at: 1 }));
        assert_eq!(member.come(SyncKind::Signal, 2), Ok(false));
        assert_eq!(member.come(SyncKind::Signal, 3), Err(Fault::Signalled { at: 3, before: 2 }));
        assert_eq!(member.come(SyncKind::Barrier, 4), Err(Fault::Signalled { at: 4, before: 2 }));
        assert_eq!(member.clone().end(), Err(Fault::NotWaited { at: 2 }));
        assert_eq!(member.come(SyncKind::Wait, 5), Ok(true));
        assert_eq!(meet(std::slice::from_mut(&mut member)), Ok(true));
        assert_eq!((member.waits(), member.end()), (false, Ok(())));
    }

    #[test]
    fn threads_of_thread_spaces_wait_for_nobody() {
        let mut member = Member::<u32>::alone();
        for kind in [SyncKind::Wait, SyncKind::Signal, SyncKind::Signal, SyncKind::Barrier, SyncKind::Fence] {
            assert_eq!(member.come(kind, 1), Ok(false));
        }
        assert_eq!(member.end(), Ok(()));
    }
}
