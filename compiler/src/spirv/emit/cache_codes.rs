//! The numbers by which messages of the load/store cache say what they do, with which cache hints and elements.

use crate::ops::Caching;

/// Intel's code for a cache hint.
pub(crate) const fn code(caching: Caching) -> u64 {
    match caching {
        Caching::Default => 0,
        Caching::Uncached => 1,
        Caching::Cached => 2,
        Caching::WriteBack => 3,
        Caching::WriteThrough => 4,
        Caching::Streaming => 5,
        Caching::ReadInvalidate => 6,
    }
}

/// The code for the hints of the L1 and the L3 cache in the descriptor of a raw message: the hardware has one code for both,
/// which the compiler makes from the two of [`code`] for other messages.
pub(crate) const fn pair_code(caches: [Caching; 2]) -> u32 {
    match caches {
        [Caching::Default, _] => 0,
        [Caching::Uncached, Caching::Uncached] => 1,
        [Caching::Uncached, _] => 2,
        [Caching::Cached | Caching::WriteThrough, Caching::Uncached] => 3,
        [Caching::Cached | Caching::WriteThrough, _] => 4,
        [Caching::Streaming, Caching::Uncached] => 5,
        [Caching::Streaming, _] => 6,
        [Caching::ReadInvalidate | Caching::WriteBack, _] => 7,
    }
}

/// The code of loads and prefetches.
pub(crate) const LOAD: u64 = 0;
/// The code of stores.
pub(crate) const STORE: u64 = 4;

/// The code for elements of 1, 2, 4 or 8 bytes. Bytes and words are each in a dword.
pub(crate) const fn size_code(bytes: usize) -> u64 {
    match bytes {
        1 => 5,
        2 => 6,
        4 => 3,
        _ => 4,
    }
}
