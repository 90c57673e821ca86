//! Replaces Level Zero where it is not built in: the same names, with types that have no values.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cm_compiler::spirv::{RegisterFile, Target};

use crate::error::{LevelZeroError, Result};
use crate::format::Format;
use crate::printf::Printed;
use crate::recording::Recording;
use crate::rect::Rect;
use crate::rows::{Rows, RowsMut};
use crate::thread_groups::Threads;

/// No GPU.
#[derive(Debug)]
pub(crate) enum Gpu {}

impl Gpu {
    pub(crate) fn name(&self, _: &str, _: bool) -> Arc<str> {
        match *self {}
    }

    pub(crate) fn target(&self) -> Target {
        match *self {}
    }

    pub(crate) fn has_media_blocks(&self) -> bool {
        match *self {}
    }

    pub(crate) fn submit(&self) -> Result<()> {
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
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        _: Format,
        _: [usize; 2],
        _: Option<usize>,
        _: Option<Rows<'_>>,
    ) -> Result<Self> {
        match **gpu {}
    }

    pub(crate) fn write(&mut self, _: Rect, _: Rows<'_>, _: Option<&Batches>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn read(&self, _: Rect) -> Result<DeviceBytes> {
        match *self {}
    }

    pub(crate) fn is_on(&self, _: &Gpu) -> bool {
        match *self {}
    }
}

/// No buffer on a GPU.
#[derive(Clone, Debug)]
pub(crate) enum DeviceMemory {}

impl DeviceMemory {
    pub(crate) fn new(gpu: &Arc<Gpu>, _: (usize, usize), _: Option<Rows<'_>>, _: usize) -> Result<Self> {
        match **gpu {}
    }

    pub(crate) fn write(&mut self, _: Rows<'_>, _: usize, _: Option<&Batches>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn copy_to(&self, _: usize, _: usize, _: RowsMut<'_>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn read(&self) -> Result<DeviceBytes> {
        match *self {}
    }

    pub(crate) fn set_bytes(&mut self, _: Range<usize>) {
        match *self {}
    }

    pub(crate) fn memory_len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn is_on(&self, _: &Gpu) -> bool {
        match *self {}
    }
}

/// No bytes from a GPU.
#[derive(Debug)]
pub(crate) enum DeviceBytes {}

impl DeviceBytes {
    pub(crate) fn copy_to(&self, _: usize, _: usize, _: RowsMut<'_>) -> Result<()> {
        match *self {}
    }
}

/// No launch on a GPU.
#[derive(Debug)]
pub(crate) enum DeviceTiming {}

impl DeviceTiming {
    pub(crate) fn elapsed(&self) -> Result<Duration> {
        match *self {}
    }
}

/// No commands of a GPU.
#[derive(Default, Debug)]
pub(crate) struct Batches {}

impl Batches {
    #[expect(clippy::unused_self, reason = "as on a GPU")]
    pub(crate) fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// The number of devices.
pub(crate) fn count() -> std::result::Result<usize, LevelZeroError> {
    Err(LevelZeroError::TurnedOff)
}

/// One of the devices.
pub(crate) fn open(_: usize) -> std::result::Result<Arc<Gpu>, LevelZeroError> {
    Err(LevelZeroError::TurnedOff)
}

/// The GPU installation of this machine.
pub(crate) struct Report {
    pub(crate) gpu: bool,
    pub(crate) devices: std::result::Result<(), LevelZeroError>,
}

/// Nothing is searched for.
pub(crate) fn report(_: &mut Vec<(&'static str, String)>) -> Report {
    Report { gpu: false, devices: Err(LevelZeroError::TurnedOff) }
}

pub(crate) fn enqueue<A>(
    gpu: &Arc<Gpu>,
    _: RegisterFile,
    _: &'static Recording,
    _: Threads<'_>,
    _: &[A],
    _: &Batches,
) -> Result<(DeviceTiming, Printed)> {
    match **gpu {}
}

pub(crate) fn run<A>(
    gpu: &Arc<Gpu>,
    _: RegisterFile,
    _: &'static Recording,
    _: Threads<'_>,
    _: &[A],
) -> Result<(Duration, Printed)> {
    match **gpu {}
}

/// No compiler.
pub(crate) fn compile_requested(_: &[u8]) -> Option<Vec<u8>> {
    None
}
