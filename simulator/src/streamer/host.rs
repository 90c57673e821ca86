//! What the streamer needs to know of its context, and tells it.

/// The context of a streamer.
pub(crate) trait Host: Send + Sync {
    /// The batch waits for a value in memory that somebody else writes, or goes on.
    fn stalled(&self, stalled: bool);
    /// Whether to give up.
    fn stopped(&self) -> bool;
}
