//! The ways in which threads of a group wait for each other: one row each.

macro_rules! syncs {
    ($($(#[$doc:meta])* $kind:ident $name:literal;)*) => {
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
        }
    };
}

syncs! {
    /// Continues when all threads have arrived. Their earlier writes are then visible.
    Barrier "barrier";
    /// The first half of a barrier: tells the others that this thread has arrived, and continues.
    Signal "signal";
    /// The second half of a barrier: continues when all threads have signalled.
    Wait "wait";
    /// Makes the earlier writes of the thread visible to the others before its later writes.
    Fence "fence";
}

impl SyncKind {
    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether all threads of a group must reach it.
    #[must_use]
    pub const fn is_of_all(self) -> bool {
        !matches!(self, Self::Fence)
    }
}
