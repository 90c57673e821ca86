//! Cache hints of block accesses: the pairs that CM allows for each action.

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
/// A row is the name of the pair, the L1 and the L3 cache, and the names in the text of kernels.
#[macro_export]
macro_rules! cache_hints {
    ($callback:ident) => {
        $callback! {
            /// How the caches keep loaded data.
            LoadHints {
                /// The setting of the surface.
                Default Default Default "block_load";
                /// In neither.
                UncachedUncached Uncached Uncached "block_load_uc_uc";
                /// In L3.
                UncachedCached Uncached Cached "block_load_uc_ca";
                /// In L1.
                CachedUncached Cached Uncached "block_load_ca_uc";
                /// In both.
                CachedCached Cached Cached "block_load_ca_ca";
                /// In L1, for a short time.
                StreamingUncached Streaming Uncached "block_load_st_uc";
                /// In both, in L1 for a short time.
                StreamingCached Streaming Cached "block_load_st_ca";
                /// In L3, and no longer in L1.
                InvalidateCached ReadInvalidate Cached "block_load_ri_ca";
            }
            /// How the caches keep stored data.
            StoreHints {
                /// The setting of the surface.
                Default Default Default "block_store";
                /// In neither.
                UncachedUncached Uncached Uncached "block_store_uc_uc";
                /// In L3.
                UncachedWriteBack Uncached WriteBack "block_store_uc_wb";
                /// In L1, and in memory at once.
                ThroughUncached WriteThrough Uncached "block_store_wt_uc";
                /// In both, in L3 at once.
                ThroughWriteBack WriteThrough WriteBack "block_store_wt_wb";
                /// In L1, for a short time.
                StreamingUncached Streaming Uncached "block_store_st_uc";
                /// In both, in L1 for a short time.
                StreamingWriteBack Streaming WriteBack "block_store_st_wb";
                /// In both.
                WriteBackWriteBack WriteBack WriteBack "block_store_wb_wb";
            }
            /// The caches that a prefetch fills.
            PrefetchHints {
                /// To L3.
                UncachedCached Uncached Cached "block_prefetch_uc_ca";
                /// To L1.
                CachedUncached Cached Uncached "block_prefetch_ca_uc";
                /// To both.
                CachedCached Cached Cached "block_prefetch";
                /// To L1, for a short time.
                StreamingUncached Streaming Uncached "block_prefetch_st_uc";
                /// To both, to L1 for a short time.
                StreamingCached Streaming Cached "block_prefetch_st_ca";
            }
        }
    };
}

macro_rules! hints {
    ($(
        $(#[$doc:meta])* $hints:ident {
            $($(#[$pair_doc:meta])* $pair:ident $l1:ident $l3:ident $name:literal;)*
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

            /// The name of the access in the text of kernels.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$pair => $name,)*
                }
            }

            /// The name of the access to rows a pitch apart, with a block in this form in registers.
            #[must_use]
            pub const fn name_2d(self, form: BlockForm) -> &'static str {
                match self {
                    $(Self::$pair => match form {
                        BlockForm::Normal => concat!($name, "_2d"),
                        BlockForm::Normal2 => concat!($name, "_2d_x2"),
                        BlockForm::Normal4 => concat!($name, "_2d_x4"),
                        BlockForm::Transposed => concat!($name, "_2d_transposed"),
                        BlockForm::Packed => concat!($name, "_2d_packed"),
                        BlockForm::Packed2 => concat!($name, "_2d_packed_x2"),
                        BlockForm::Packed4 => concat!($name, "_2d_packed_x4"),
                    },)*
                }
            }
        }
    )*};
}

crate::cache_hints!(hints);
