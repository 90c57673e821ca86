//! What stands for Level Zero where it is turned off: devices that cannot be.

use std::sync::Arc;
use std::time::Duration;

use cm_compiler::access::Outline;
use cm_dsl::kernel::Kernel;

use super::LevelZeroError;
use crate::surface::Rect;
use crate::{Arg, Format, Result, ThreadSpace};

/// No GPU.
#[derive(Debug)]
pub(crate) enum Gpu {}

impl Gpu {
    pub(crate) fn count() -> Result<usize> {
        Err(LevelZeroError::TurnedOff.into())
    }

    pub(crate) fn open(_: usize) -> Result<Arc<Self>> {
        Err(LevelZeroError::TurnedOff.into())
    }

    pub(crate) fn name(&self) -> String {
        match *self {}
    }

    pub(crate) fn finish(&self) -> Result<()> {
        match *self {}
    }
}

/// No surface on a GPU.
#[derive(Debug)]
pub(crate) enum DeviceImage {}

impl DeviceImage {
    pub(crate) fn new(gpu: &Arc<Gpu>, _: Format, _: usize, _: usize, _: Option<&[u8]>) -> Result<Self> {
        match **gpu {}
    }

    pub(crate) fn write(&mut self, _: Rect, _: &[u8]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn read(&self, _: Rect, _: &mut [u8]) -> Result<()> {
        match *self {}
    }
}

/// No buffer on a GPU.
#[derive(Debug)]
pub(crate) enum DeviceMemory {}

impl DeviceMemory {
    pub(crate) fn new(gpu: &Arc<Gpu>, _: usize, _: Option<&[u8]>) -> Result<Self> {
        match **gpu {}
    }

    pub(crate) fn write(&mut self, _: &[u8]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn read(&self, _: &mut [u8]) -> Result<()> {
        match *self {}
    }
}

#[expect(clippy::extra_unused_type_parameters, reason = "the same as where there are GPUs")]
pub(crate) fn enqueue<K: Kernel>(gpu: &Gpu, _: ThreadSpace, _: &[Arg<'_>], _: &Outline) -> Result<()> {
    match *gpu {}
}

#[expect(clippy::extra_unused_type_parameters, reason = "the same as where there are GPUs")]
pub(crate) fn run<K: Kernel>(gpu: &Gpu, _: ThreadSpace, _: &[Arg<'_>], _: &Outline) -> Result<Duration> {
    match *gpu {}
}
