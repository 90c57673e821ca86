//! The arguments of a launch on a GPU as the values of the kernel's parameters.

use std::sync::Arc;

use cm_compiler::access::{Space, Summary};
use cm_compiler::ir::{Field, Grid};
use cm_compiler::spirv::LinearShape;

use super::argument::Argument;
use super::gpu::Gpu;
use super::image::Image;
use super::memory::Memory;
use super::module::Kernel;
use crate::error::{Error, LevelZeroError, Result};
use crate::format::Format;
use crate::parts::Shared;
use crate::recording::Recording;

/// Bytes of a surface or buffer argument.
pub(super) const HANDLE: usize = size_of::<u64>();
/// Bytes of the argument for a row or a number of bytes.
pub(super) const NUMBER: usize = size_of::<i32>();

/// The value of an argument.
enum Value<'a> {
    Handle([u8; HANDLE]),
    Uniform(&'a [u8]),
    /// The last row of a field, or the number of bytes of a buffer.
    Number([u8; NUMBER]),
    /// The layout of a surface in a buffer.
    Shape([u8; LinearShape::BYTES]),
}

impl Value<'_> {
    fn handle(handle: u64) -> Self {
        Self::Handle(handle.to_ne_bytes())
    }

    fn number(number: usize) -> Self {
        Self::Number(i32::try_from(number).unwrap_or(i32::MAX).to_ne_bytes())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Handle(bytes) => bytes,
            Self::Uniform(bytes) => bytes,
            Self::Number(bytes) => bytes,
            Self::Shape(bytes) => bytes,
        }
    }
}

/// The values of a launch, and the memory that they refer to.
pub(super) struct Values<'a> {
    /// The surfaces, and whether the kernel writes them.
    pub(super) images: Vec<(Arc<Image>, bool)>,
    /// The buffers, likewise.
    pub(super) buffers: Vec<(Arc<Memory>, bool)>,
    /// How the kernel threads share each argument, with the number of its parameter.
    pub(super) shared: Vec<(Option<usize>, Shared)>,
    /// One value for each argument.
    own: Vec<Value<'a>>,
    /// The numbers of bytes of the buffers, for kernels that take them.
    ends: Vec<Value<'a>>,
    /// The last rows of the fields and the layouts of the surfaces in buffers.
    extents: Vec<Value<'a>>,
    /// The addresses of the buffers, with the numbers of their parameters.
    addresses: Vec<(usize, u64)>,
}

impl<'a> Values<'a> {
    pub(super) fn of(
        gpu: &Gpu,
        recording: &'static Recording,
        args: &[Argument<'a>],
        (grid, summary): (Grid, &Summary),
    ) -> Result<Self> {
        let mut values = Self {
            images: Vec::new(),
            buffers: Vec::new(),
            shared: Vec::new(),
            own: Vec::new(),
            ends: Vec::new(),
            extents: Vec::new(),
            addresses: Vec::new(),
        };
        for (index, arg) in recording.bound().zip(args) {
            let other_device =
                || Error::OtherDevice { kernel: recording.name(), argument: recording.parameter(index) };
            let sharing = match *arg {
                Argument::Image { image, field, writes } => {
                    let image = image.on(gpu).ok_or_else(other_device)?;
                    let extent = values.extent(image, field);
                    check_edge(image.format(), extent, recording, index, (grid, summary))?;
                    let shared = values.image(image, extent, writes);
                    writes.then_some(shared)
                }
                Argument::Linear { memory, first, shape, writes } => {
                    let address = memory.address() + first as u64;
                    values.memory(index, memory.on(gpu).ok_or_else(other_device)?, address, writes);
                    values.extents.push(Value::Shape(shape.bytes()));
                    let LinearShape { width, height, period, .. } = shape;
                    let shared = match shape.slices {
                        Some(_) => Shared::Surface3d(width, height, period),
                        None => Shared::Surface(width, height, period),
                    };
                    writes.then_some(shared)
                }
                Argument::Memory { memory, writes } => {
                    let own = memory.on(gpu).ok_or_else(other_device)?;
                    values.memory(index, own, memory.address(), writes);
                    values.ends.push(Value::number(memory.len()));
                    writes.then_some(Shared::Buffer { copied: true })
                }
                Argument::Uniform(bytes) => {
                    values.own.push(Value::Uniform(bytes));
                    None
                }
            };
            values.shared.push((Some(index), sharing.unwrap_or(Shared::Constant)));
        }
        Ok(values)
    }

    /// The bytes of a row and the rows of a surface, or of a field of it. The kernel takes the last row of the field.
    fn extent(&mut self, image: &Image, field: Option<Field>) -> [usize; 2] {
        let [width, mut height] = image.extent();
        if let Some(field) = field {
            height = field.rows(height);
            self.extents.push(Value::number(height - 1));
        }
        [width, height]
    }

    /// Adds a surface; how threads share it if they write it.
    fn image(&mut self, image: &Arc<Image>, [width, height]: [usize; 2], writes: bool) -> Shared {
        self.images.push((Arc::clone(image), writes));
        self.own.push(Value::handle(image.handle() as usize as u64));
        let texel = image.format().alignment();
        match image.is_3d() {
            true => Shared::Surface3d(width, height, texel),
            false => Shared::Surface(width, height, texel),
        }
    }

    /// Adds a buffer, or a surface in one, that begins at an address.
    fn memory(&mut self, index: usize, memory: &Arc<Memory>, address: u64, writes: bool) {
        self.buffers.push((Arc::clone(memory), writes));
        self.addresses.push((index, address));
        self.own.push(Value::handle(address));
    }

    /// Gives the kernel its values: with the ends of the buffers if it is `ended`. Returns their number.
    pub(super) fn set(&self, kernel: &mut Kernel, ended: bool) -> Result<usize> {
        let ends = if ended { &self.ends[..] } else { &[] };
        let mut number = 0;
        for value in self.own.iter().chain(ends).chain(&self.extents) {
            kernel.set(number, value.bytes())?;
            number += 1;
        }
        Ok(number)
    }

    /// Gives the kernel the addresses of these parameters, from argument `first` on.
    pub(super) fn set_pointers(&self, kernel: &mut Kernel, first: usize, params: &[usize]) -> Result<()> {
        for (number, param) in (first..).zip(params) {
            if let Some((_, address)) = self.addresses.iter().find(|(index, _)| index == param) {
                kernel.set(number, &address.to_ne_bytes())?;
            }
        }
        Ok(())
    }
}

/// Refuses reads beyond the edge of packed YUV.
fn check_edge(
    format: Format,
    [surface_width, surface_height]: [usize; 2],
    recording: &'static Recording,
    index: usize,
    (grid, summary): (Grid, &Summary),
) -> Result<()> {
    if !format.is_packed_yuv() {
        return Ok(());
    }
    let space = Space { grid, surface_width, surface_height, period: format.alignment() };
    let Some(access) = summary.read_outside(index, space) else {
        return Ok(());
    };
    Err(LevelZeroError::PackedYuvEdge {
        kernel: recording.name(),
        argument: recording.parameter(index),
        format,
        file: access.location.file.clone().into_owned(),
        line: access.location.line,
    }
    .into())
}
