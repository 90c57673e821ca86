//! Cache hints of accesses to buffers: the pairs that CM allows for each action.

use crate::limits::BlockForm;

/// How a cache keeps the data of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Caching {
    /// The setting of the surface.
    Default,
    /// Not kept.
    Uncached,
    /// Kept.
    Cached,
    /// Kept, and written to memory when it leaves the cache.
    WriteBack,
    /// Kept, and written to memory at once.
    WriteThrough,
    /// Kept, but evicted first.
    Streaming,
    /// This is the last read.
    ReadInvalidate,
}

/// Calls a macro with the pairs of cache hints that each action may have.
///
/// Each action has the names of its accesses to blocks and to elements in the text of kernels. A row is the name of the
/// pair, the L1 and the L3 cache, and what the names end with.
#[macro_export]
macro_rules! cache_hints {
    ($callback:ident) => {
        $callback! {
            /// How the caches keep loaded data.
            LoadHints "block_load" "gather" {
                /// The setting of the surface.
                Default Default Default "";
                /// In neither.
                UncachedUncached Uncached Uncached "_uc_uc";
                /// In L3.
                UncachedCached Uncached Cached "_uc_ca";
                /// In L1.
                CachedUncached Cached Uncached "_ca_uc";
                /// In both.
                CachedCached Cached Cached "_ca_ca";
                /// In L1, for a short time.
                StreamingUncached Streaming Uncached "_st_uc";
                /// In both, in L1 for a short time.
                StreamingCached Streaming Cached "_st_ca";
                /// In L3, and no longer in L1.
                InvalidateCached ReadInvalidate Cached "_ri_ca";
            }
            /// How the caches keep stored data.
            StoreHints "block_store" "scatter" {
                /// The setting of the surface.
                Default Default Default "";
                /// In neither.
                UncachedUncached Uncached Uncached "_uc_uc";
                /// In L3.
                UncachedWriteBack Uncached WriteBack "_uc_wb";
                /// In L1, and in memory at once.
                ThroughUncached WriteThrough Uncached "_wt_uc";
                /// In both, in L3 at once.
                ThroughWriteBack WriteThrough WriteBack "_wt_wb";
                /// In L1, for a short time.
                StreamingUncached Streaming Uncached "_st_uc";
                /// In both, in L1 for a short time.
                StreamingWriteBack Streaming WriteBack "_st_wb";
                /// In both.
                WriteBackWriteBack WriteBack WriteBack "_wb_wb";
            }
            /// The caches that a prefetch fills.
            PrefetchHints "block_prefetch" "prefetch" {
                /// To L3.
                UncachedCached Uncached Cached "_uc_ca";
                /// To L1.
                CachedUncached Cached Uncached "_ca_uc";
                /// To both.
                CachedCached Cached Cached "";
                /// To L1, for a short time.
                StreamingUncached Streaming Uncached "_st_uc";
                /// To both, to L1 for a short time.
                StreamingCached Streaming Cached "_st_ca";
            }
            /// How the caches keep elements that are updated atomically.
            AtomicHints "block_atomic" "atomic" {
                /// The setting of the surface.
                Default Default Default "";
                /// In neither.
                UncachedUncached Uncached Uncached "_uc_uc";
                /// In L3.
                UncachedWriteBack Uncached WriteBack "_uc_wb";
            }
        }
    };
}

macro_rules! hints {
    ($(
        $(#[$doc:meta])* $hints:ident $block:literal $elements:literal {
            $($(#[$pair_doc:meta])* $pair:ident $l1:ident $l3:ident $end:literal;)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $hints {
            $($(#[$pair_doc])* $pair,)*
        }

        impl $hints {
            /// All pairs.
            pub const ALL: &[Self] = &[$(Self::$pair,)*];

            /// The L1 and the L3 cache.
            #[must_use]
            pub const fn caches(self) -> [Caching; 2] {
                match self {
                    $(Self::$pair => [Caching::$l1, Caching::$l3],)*
                }
            }

            /// The name of the access to a block in the text of kernels.
            #[must_use]
            #[inline(always)]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$pair => concat!($block, $end),)*
                }
            }

            /// The name of the access to elements.
            #[must_use]
            #[inline(always)]
            pub const fn name_of_elements(self) -> &'static str {
                match self {
                    $(Self::$pair => concat!($elements, $end),)*
                }
            }

            /// The name of the access to vectors of elements.
            #[must_use]
            #[inline(always)]
            pub const fn name_of_vectors(self) -> &'static str {
                match self {
                    $(Self::$pair => concat!($elements, "_vectors", $end),)*
                }
            }

            /// The name of the access to rows a pitch apart, with a block in this form in registers.
            #[must_use]
            #[inline(always)]
            pub const fn name_2d(self, form: BlockForm) -> &'static str {
                match self {
                    $(Self::$pair => match form {
                        BlockForm::Normal => concat!($block, $end, "_2d"),
                        BlockForm::Normal2 => concat!($block, $end, "_2d_x2"),
                        BlockForm::Normal4 => concat!($block, $end, "_2d_x4"),
                        BlockForm::Transposed => concat!($block, $end, "_2d_transposed"),
                        BlockForm::Packed => concat!($block, $end, "_2d_packed"),
                        BlockForm::Packed2 => concat!($block, $end, "_2d_packed_x2"),
                        BlockForm::Packed4 => concat!($block, $end, "_2d_packed_x4"),
                    },)*
                }
            }
        }
    )*};
}

crate::cache_hints!(hints);
