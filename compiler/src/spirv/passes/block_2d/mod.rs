//! 2-D blocks of buffers: one message of the load/store cache if the target has it, else dwords, row by row.
//!
//! The messages take an address instead of a buffer index. So a module for a target with these messages has
//! an additional parameter for each buffer that they access: a pointer to the buffer. These parameters follow
//! all others. In registers, each row is padded to the next power of two of its elements, and each of several
//! blocks to whole registers.
//!
//! ```text
//! layout (in registers) <- spelt (without the messages)
//! ```

pub(crate) mod layout;
mod spelt;
#[cfg(test)]
mod tests;

pub(crate) use layout::addressed;
pub(crate) use spelt::expand;
