//! The interface between a streamer and its context.

/// The context of a streamer.
pub(crate) trait Host: Send + Sync {
    /// The batch now waits for a value in memory that another party writes, or continues.
    fn stalled(&self, stalled: bool);
    /// Whether the streamer must stop.
    fn stopped(&self) -> bool;
}
