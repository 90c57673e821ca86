//! The wide accumulator, and the registers of math macros.

use super::extended::Extended;
use crate::isa::{File, Lanes, Number, Operand};

/// The parts of accumulators that are not visible as registers.
#[derive(Clone, Debug)]
pub(crate) struct Accumulator {
    /// The integers of the channels.
    pub(crate) wide: [i64; 256],
    /// The numbers of math macros.
    pub(crate) macros: [[Extended; 16]; 8],
}

impl Accumulator {
    pub(crate) fn new() -> Self {
        Self { wide: [0; 256], macros: [[Extended::Special(0.0); 16]; 8] }
    }

    /// Updates the accumulator after integers were written to it.
    #[cold]
    pub(crate) fn keep<T: Number>(
        &mut self,
        destination: &Operand,
        lanes: usize,
        mask: u32,
        values: &Lanes<T>,
    ) {
        let size = destination.ty.size();
        for lane in (0..lanes).filter(|lane| mask >> lane & 1 != 0) {
            let element = (usize::from(destination.offsets[lane]) - File::Accumulator.start()) / size;
            if let Some(wide) = self.wide.get_mut(element) {
                *wide = values[lane].to_i64();
            }
        }
    }
}
