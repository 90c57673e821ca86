//! The ways in which threads of a group wait for each other: one row each.
//!
//! A row has the name in the text of kernels and the meanings of the operands, which are `u32`.

use std::fmt;
use std::ops::Deref;

/// What an operand of a [`SyncKind`] says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SyncOperand {
    /// The number of a named barrier.
    Barrier,
    /// The producers of a named barrier.
    Producers,
    /// The consumers of a named barrier.
    Consumers,
}

/// How a thread takes part in a named barrier. CM: the type of `cm_nbarrier_signal`.
///
/// A barrier is complete when as many producers and as many consumers have signalled as the calls declare. A thread
/// that signals as a consumer must wait afterwards; a producer continues.
///
/// ```
/// use cm::prelude::*;
/// assert!(BarrierRole::ProducerConsumer.produces() && BarrierRole::ProducerConsumer.consumes());
/// assert!(BarrierRole::Producer.produces() && !BarrierRole::Producer.consumes());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierRole {
    /// The thread counts as a producer and as a consumer. CM: 0.
    ProducerConsumer,
    /// The thread only produces: it does not wait. CM: 1.
    Producer,
    /// The thread only consumes. CM: 2.
    Consumer,
}

impl BarrierRole {
    /// Whether the thread counts as a producer.
    #[must_use]
    pub const fn produces(self) -> bool {
        matches!(self, Self::ProducerConsumer | Self::Producer)
    }

    /// Whether the thread counts as a consumer, which waits.
    #[must_use]
    pub const fn consumes(self) -> bool {
        matches!(self, Self::ProducerConsumer | Self::Consumer)
    }
}

impl fmt::Display for BarrierRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProducerConsumer => "a producer and consumer",
            Self::Producer => "a producer",
            Self::Consumer => "a consumer",
        })
    }
}

macro_rules! syncs {
    ($($(#[$doc:meta])* $kind:ident $name:literal ($($operand:ident),*);)*) => {
        /// How a thread of a group waits for the others.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum SyncKind {
            $($(#[$doc])* $kind,)*
        }

        impl SyncKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The name in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The operands.
            #[must_use]
            pub const fn operands(self) -> &'static [SyncOperand] {
                match self {
                    $(Self::$kind => &[$(SyncOperand::$operand),*],)*
                }
            }
        }
    };
}

syncs! {
    /// Continues when all threads have arrived. Their earlier writes are then visible.
    Barrier "barrier" ();
    /// The first half of a barrier: tells the others that this thread has arrived, and continues.
    Signal "signal" ();
    /// The second half of a barrier: continues when all threads have signalled.
    Wait "wait" ();
    /// Makes the earlier writes of the thread visible to the others before its later writes.
    Fence "fence" ();
    /// Signals a named barrier as a producer and consumer. The thread continues.
    SignalBoth "signal_both" (Barrier, Producers, Consumers);
    /// Signals a named barrier as a producer.
    SignalProducer "signal_producer" (Barrier, Producers, Consumers);
    /// Signals a named barrier as a consumer.
    SignalConsumer "signal_consumer" (Barrier, Producers, Consumers);
    /// Continues when the named barrier that this thread has signalled as a consumer is complete. The earlier writes of
    /// the threads that signalled it are then visible.
    WaitNamed "wait_named" (Barrier);
}

/// The numbers of a call of a [`SyncKind`], in the order of its operands.
#[derive(Clone, Copy, Default, Debug)]
pub struct SyncNumbers {
    all: [u32; 3],
    count: usize,
}

impl FromIterator<u32> for SyncNumbers {
    #[inline]
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut found = Self::default();
        for (to, number) in found.all.iter_mut().zip(numbers) {
            *to = number;
            found.count += 1;
        }
        found
    }
}

impl Deref for SyncNumbers {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.all[..self.count]
    }
}

impl SyncKind {
    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The signal of a named barrier in this role.
    #[must_use]
    pub const fn of_role(role: BarrierRole) -> Self {
        match role {
            BarrierRole::ProducerConsumer => Self::SignalBoth,
            BarrierRole::Producer => Self::SignalProducer,
            BarrierRole::Consumer => Self::SignalConsumer,
        }
    }

    /// The role in which it signals a named barrier; `None` if it does not.
    #[must_use]
    pub const fn role(self) -> Option<BarrierRole> {
        match self {
            Self::SignalBoth => Some(BarrierRole::ProducerConsumer),
            Self::SignalProducer => Some(BarrierRole::Producer),
            Self::SignalConsumer => Some(BarrierRole::Consumer),
            Self::Barrier | Self::Signal | Self::Wait | Self::Fence | Self::WaitNamed => None,
        }
    }

    /// Whether all threads of a group must reach it.
    #[must_use]
    pub const fn is_of_all(self) -> bool {
        matches!(self, Self::Barrier | Self::Signal | Self::Wait)
    }

    /// Whether it is about a named barrier.
    #[must_use]
    pub const fn is_named(self) -> bool {
        !self.operands().is_empty()
    }
}
