//! What a command works on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::error::Error;
use super::host::Host;
use super::media::Objects;
use super::state::State;
use super::walk::SharedMemory;
use crate::settings::Settings;

/// Where the streamer goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// With the next command.
    Following,
    /// With a command elsewhere.
    Jump(u64),
    /// With a command elsewhere, and after that batch with the next one here.
    Call(u64),
    /// Where this batch was started.
    Return,
}

/// What a command works on.
pub(super) struct Target<'a> {
    pub(super) state: &'a mut State,
    pub(super) memory: SharedMemory,
    pub(super) settings: &'static Settings,
    pub(super) host: Arc<dyn Host>,
    /// Threads of `MEDIA_OBJECT` that have not begun.
    pub(super) objects: Objects,
}

/// The address in two words.
pub(super) fn address(words: &[u32]) -> u64 {
    u64::from(words[1] & 0xffff) << 32 | u64::from(words[0])
}

/// Two words as one number.
pub(super) fn long(words: &[u32]) -> u64 {
    u64::from(words[1]) << 32 | u64::from(words[0])
}

impl Target<'_> {
    /// Does something with the word at an address, whose last bits are ignored.
    pub(super) fn with_word<T>(&self, address: u64, act: impl FnOnce(&AtomicU32) -> T) -> Result<T, Error> {
        let address = address & !3;
        let span = self.memory.at(address);
        let word = span.as_ref().and_then(|span| span.four(0));
        word.map(act).ok_or(Error::NotMapped { what: "word of a command", address })
    }

    /// The same with 64 bits.
    pub(super) fn with_long<T>(&self, address: u64, act: impl FnOnce(&AtomicU64) -> T) -> Result<T, Error> {
        let address = address & !7;
        let span = self.memory.at(address);
        let long = span.as_ref().and_then(|span| span.eight(0));
        long.map(act).ok_or(Error::NotMapped { what: "double word of a command", address })
    }

    pub(super) fn load(&self, address: u64) -> Result<u32, Error> {
        self.with_word(address, |word| word.load(Ordering::SeqCst))
    }

    pub(super) fn store(&self, address: u64, value: u32) -> Result<(), Error> {
        self.with_word(address, |word| word.store(value, Ordering::SeqCst))
    }

    pub(super) fn store_long(&self, address: u64, value: u64) -> Result<(), Error> {
        self.with_long(address, |long| long.store(value, Ordering::SeqCst))
    }
}
