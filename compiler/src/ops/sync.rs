//! How the threads of a group wait for each other: one row each.

macro_rules! syncs {
    ($($(#[$doc:meta])* $kind:ident $name:literal;)*) => {
        /// How a thread of a group waits for the others.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum SyncKind {
            $($(#[$doc])* $kind,)*
        }

        impl SyncKind {
            /// All of them.
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
    /// Goes on when all threads have come here. What they wrote before can be read then.
    Barrier "barrier";
    /// The first half of a barrier: tells the others that this thread has come, and goes on.
    Signal "signal";
    /// The second half of a barrier: goes on when all threads have signalled.
    Wait "wait";
    /// What the thread wrote can be read by the others before what it writes next.
    Fence "fence";
}

impl SyncKind {
    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether all threads of a group have to come to it.
    #[must_use]
    pub const fn is_of_all(self) -> bool {
        !matches!(self, Self::Fence)
    }
}
