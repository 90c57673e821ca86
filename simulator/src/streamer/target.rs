//! The context that commands work on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::error::Error;
use super::host::Host;
use super::media::Objects;
use super::state::State;
use super::walk::SharedMemory;
use crate::settings::Settings;

/// Where the streamer continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// At the next command.
    Following,
    /// At another address.
    Jump(u64),
    /// At another address, and after the end of that batch at the next command here.
    Call(u64),
    /// After the command that started this batch.
    Return,
}

/// The context that a command works on.
pub(super) struct Target<'a> {
    pub(super) state: &'a mut State,
    pub(super) memory: SharedMemory,
    pub(super) settings: &'static Settings,
    pub(super) host: Arc<dyn Host>,
    /// Threads of `MEDIA_OBJECT` that have not started.
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
    /// Calls `act` with the word at an address. The lowest address bits are ignored.
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
