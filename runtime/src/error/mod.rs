//! Errors, with cause and remedy.

mod group;
mod level_zero;

pub use group::{GroupFault, Race};
pub use level_zero::LevelZeroError;

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use cm_compiler::ir::{DependencyError, Plane};
use cm_compiler::spirv::LowerError;
use cm_dsl::elem::ElemType;
use cm_dsl::kernel::ParamKind;
use cm_dsl::limits::Violation;
use cm_dsl::recorder::RecordError;
use thiserror::Error;

use crate::format::Format;
use crate::limits;

/// The result type of cm.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of cm. Its message names the cause and the remedy.
///
/// `{:?}` prints the message as well, and its sources in brackets: a `main` that returns an error and `unwrap` print this
/// form.
///
/// The guide's chapter [errors](../cm/guide/errors/index.html) says when each kind is reported.
///
/// ```
/// use cm::prelude::*;
/// let error = ThreadSpace::new(0, 1).unwrap_err();
/// assert!(matches!(error, cm::Error::ThreadSpace { width: 0, height: 1 }));
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, Error)]
#[non_exhaustive]
pub enum Error {
    /// A surface without texels.
    #[error("a surface of {width} x {height} texels: width and height are at least 1")]
    EmptySurface {
        /// Texels of a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// A surface with more bytes or coordinates than can be counted.
    #[error(
        "a surface of {width} x {height} texels of {format} is too large: a row has at most {limit} bytes, a \
         column at most {limit} rows, and the surface must fit in the address space; divide the picture"
    )]
    SurfaceTooLarge {
        /// Texels of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// The format.
        format: Format,
        /// The largest coordinate.
        limit: usize,
    },
    /// A YUV surface of odd width.
    #[error(
        "a surface of format {format}, {width} wide: two texels share their chroma, so the width must be even"
    )]
    OddWidth {
        /// Texels of a row.
        width: usize,
        /// The format.
        format: Format,
    },
    /// A planar YUV surface of odd height.
    #[error(
        "a surface of format {format}, {height} high: two rows share their chroma, so the height must be even"
    )]
    OddHeight {
        /// Rows.
        height: usize,
        /// The format.
        format: Format,
    },
    /// A planar surface over a buffer.
    #[error(
        "a surface of format {format} made from a buffer: media blocks cannot access planes there; make it with \
         `from_bytes`, or a surface of each plane"
    )]
    LinearPlanes {
        /// The format.
        format: Format,
    },
    /// A surface that is too large for a buffer, on a device whose surfaces are in buffers.
    #[error("a surface of {bytes} bytes in a buffer, which has at most {limit}: split the picture")]
    SurfaceInBuffer {
        /// Bytes of its rows with their padding.
        bytes: usize,
        /// The largest number.
        limit: usize,
    },
    /// More or fewer bytes than the surface has.
    #[error(
        "{found} bytes for a surface that takes {expected}: pass {texel} {} for each texel of {format}, without padding \
         between rows{}",
        if *texel == 1 { "byte" } else { "bytes" },
        if format.planes().count() > 1 { "; then the planes of chroma, which are half as many bytes" } else { "" }
    )]
    WrongLength {
        /// Bytes of the surface.
        expected: usize,
        /// Bytes that were passed.
        found: usize,
        /// Bytes of a texel.
        texel: usize,
        /// The format.
        format: Format,
    },
    /// A picture or an array that does not match the surface in size or type.
    #[error(
        "a picture of {width} x {height} texels of {format} for a surface of {surface_width} x {surface_height} texels of \
         {surface_format}: pass one of the same size, whose elements have the type of the texels"
    )]
    OtherPicture {
        /// Texels of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// The format that holds its pixels.
        format: Format,
        /// Texels of a row of the surface.
        surface_width: usize,
        /// Rows of the surface.
        surface_height: usize,
        /// The format of the surface.
        surface_format: Format,
    },
    /// A picture with pixels that no format supports.
    #[error("a picture of {found}: convert it to 8 or 16 bits, or to floats of 32 bits")]
    PictureType {
        /// Its colours.
        found: String,
    },
    /// A part of a picture that is not inside it.
    #[error(
        "a part of {width} x {height} pixels at ({x}, {y}) of a picture of {picture_width} x {picture_height}: it must \
         lie inside"
    )]
    PicturePart {
        /// Its first column.
        x: usize,
        /// Its first row.
        y: usize,
        /// Its pixels of a row.
        width: usize,
        /// Its rows.
        height: usize,
        /// Pixels of a row of the picture.
        picture_width: usize,
        /// Rows of the picture.
        picture_height: usize,
    },
    /// A rectangle that is empty or not inside the surface.
    #[error(
        "a rectangle of {width} x {height} texels at ({x}, {y}) of a surface of {surface_width} x {surface_height} texels \
         of {format}: it must have texels and lie inside{}",
        if format.pairs().0 { ", and take whole pairs of texels that share their chroma" } else { "" }
    )]
    Rectangle {
        /// Its first column.
        x: usize,
        /// Its first row.
        y: usize,
        /// Its texels of a row.
        width: usize,
        /// Its rows.
        height: usize,
        /// Texels of a row of the surface.
        surface_width: usize,
        /// Rows of the surface.
        surface_height: usize,
        /// The format.
        format: Format,
    },
    /// A 3-D surface of a size or format that has no 3-D surfaces.
    #[error(
        "a 3-D surface of {width} x {height} x {depth} texels of {format}: each dimension is from 1 to {limit}, and the \
         format R8, R16, R32, R32F or Rgba8"
    )]
    Surface3d {
        /// Texels of a row.
        width: usize,
        /// Rows of a slice.
        height: usize,
        /// Slices.
        depth: usize,
        /// The format.
        format: Format,
        /// The largest size in each dimension.
        limit: usize,
    },
    /// A box that is empty or not inside the 3-D surface. All numbers are columns, rows and slices.
    #[error(
        "a box of {} texels at ({}, {}, {}) of a 3-D surface of {}: it must have texels and lie inside",
        sizes(*size), start[0], start[1], start[2], sizes(*surface)
    )]
    Box3d {
        /// Its first texel.
        start: [usize; 3],
        /// Its size.
        size: [usize; 3],
        /// The size of the surface.
        surface: [usize; 3],
    },
    /// A slice pitch that is shorter than a slice, or that is not a whole number of texels.
    #[error(
        "a slice pitch of {slice_pitch} bytes for slices of {slice}: it must be at least a slice{}",
        multiple_of(*multiple)
    )]
    SlicePitch {
        /// Bytes from one slice to the next.
        slice_pitch: usize,
        /// Bytes of a slice, with the padding between its rows.
        slice: usize,
        /// Bytes of a texel.
        multiple: usize,
    },
    /// A row pitch that is shorter than a row, or that is not a whole number of texels.
    #[error(
        "a row pitch of {row_pitch} bytes for rows of {row}: it must be at least a row, below 2^31{}",
        multiple_of(*multiple)
    )]
    RowPitch {
        /// Bytes from one row to the next.
        row_pitch: usize,
        /// Bytes of a row.
        row: usize,
        /// The number that it must be a multiple of: bytes of a texel, or 2 if U and V are separate planes.
        multiple: usize,
    },
    /// Fewer bytes than the rows with a pitch need.
    #[error(
        "{found} bytes for rows that end at byte {needed}: pass all rows with their padding; only the last one may \
         lack it"
    )]
    ShortRows {
        /// Bytes up to the end of the last row.
        needed: usize,
        /// Bytes that were passed.
        found: usize,
    },
    /// A buffer that ends before the last row of a surface made from it.
    #[error("a surface that ends at byte {needed} of a buffer of {found}: use a longer buffer or fewer rows")]
    ShortBuffer {
        /// Bytes up to the end of the last row.
        needed: usize,
        /// Bytes of the buffer.
        found: usize,
    },
    /// A buffer without elements.
    #[error("a buffer without elements: it has at least 1")]
    EmptyBuffer,
    /// A buffer with more bytes than can be counted.
    #[error("a buffer of {len} elements of {elem} is too large: it has at most {limit}; use several")]
    BufferTooLarge {
        /// Elements.
        len: usize,
        /// Their type.
        elem: ElemType,
        /// The most elements of this type.
        limit: usize,
    },
    /// More or fewer elements than the buffer has.
    #[error("{found} elements for a buffer of {expected}: pass exactly as many")]
    BufferLength {
        /// Elements of the buffer.
        expected: usize,
        /// Elements that were passed.
        found: usize,
    },
    /// A slice of a buffer that is empty, or starts at an unsupported element.
    #[error(
        "a slice of a buffer of {len} {elem} from element {start} to {end}: it must start at a multiple of \
         {step} elements (64 bytes), end after its start, and end at {len} or before"
    )]
    BufferSlice {
        /// The first element.
        start: usize,
        /// The element behind the last one.
        end: usize,
        /// Elements of the buffer.
        len: usize,
        /// Their type.
        elem: ElemType,
        /// The number that the first element must be a multiple of.
        step: usize,
    },
    /// A thread space without threads, or larger than the media walker's.
    #[error(
        "a thread space of {width} x {height}: {}",
        if *width == 0 || *height == 0 {
            "width and height are at least 1; a picture without texels needs no launch".to_owned()
        } else {
            format!(
                "the media walker of the hardware takes 1 to {} threads in each direction; give each thread a larger \
                 block, use `ThreadGroups`, or launch the problem in parts",
                limits::THREAD_SPACE
            )
        }
    )]
    ThreadSpace {
        /// Threads of a row.
        width: usize,
        /// Rows of threads.
        height: usize,
    },
    /// Thread groups without threads, or with too many.
    #[error(
        "{groups:?} groups of {threads:?} threads: {}",
        if groups.contains(&0) || threads.contains(&0) {
            "each number is at least 1; a problem without threads needs no launch".to_owned()
        } else {
            format!(
                "a group has at most {} threads, and a launch fewer than 2^32; use smaller groups, or launch the \
                 problem in parts",
                limits::GROUP_THREADS
            )
        }
    )]
    ThreadGroups {
        /// Groups along each axis.
        groups: [usize; 3],
        /// Threads of a group along each axis.
        threads: [usize; 3],
    },
    /// Vectors that do not form a dependency pattern.
    #[error(transparent)]
    Dependencies(#[from] DependencyError),
    /// A kernel that breaks a rule of the language.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A kernel that a target cannot run.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A fault of the threads of a group.
    #[error("kernel `{kernel}`, group {group:?}: {fault}")]
    Group {
        /// The kernel.
        kernel: &'static str,
        /// The coordinates of the group.
        group: [usize; 3],
        /// The fault.
        fault: GroupFault,
    },
    /// Barriers on a processor that cannot switch between the threads of a group.
    #[error(
        "kernel `{kernel}` has barriers, but on this processor groups with barriers have one thread: launch such \
         groups, or run the kernel on a GPU"
    )]
    NoBarriers {
        /// The kernel.
        kernel: &'static str,
    },
    /// Not enough memory for the stacks of the threads of a group, which wait for each other.
    #[error(
        "{bytes} bytes of memory for the stacks of {threads} threads of a group of kernel `{kernel}` could not be reserved: \
         use smaller groups, or a CPU device with fewer worker threads (CM_NUM_THREADS), each of which runs a group"
    )]
    GroupStacks {
        /// The kernel.
        kernel: &'static str,
        /// Threads of a group.
        threads: usize,
        /// Bytes of all their stacks.
        bytes: usize,
    },
    /// A kernel whose objects do not fit the stack of a CPU thread.
    #[error(
        "kernel `{kernel}` needs about {needed} bytes of stack in this build, and a thread has at most \
         {limit}: build with optimisation, or divide the kernel into several"
    )]
    Stack {
        /// The kernel.
        kernel: &'static str,
        /// The stack that the kernel needs in bytes, estimated from its objects.
        needed: usize,
        /// Bytes of the largest stack.
        limit: usize,
    },
    /// More or fewer arguments than the kernel has parameters.
    #[error(
        "kernel `{kernel}` has {expected} parameters, but {found} arguments were passed: pass one for each"
    )]
    ArgumentCount {
        /// The kernel.
        kernel: &'static str,
        /// Its parameters.
        expected: usize,
        /// Arguments that were passed.
        found: usize,
    },
    /// An argument that does not match the parameter.
    #[error(
        "parameter `{argument}` of kernel `{kernel}` takes {}, but the argument is {found}: pass an argument of this kind, to a \
         kernel that `#[kernel]` declares",
        described(*expected)
    )]
    ArgumentKind {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The kind of argument that the parameter takes.
        expected: ParamKind,
        /// The kind of the argument.
        found: String,
    },
    /// A surface whose format lacks the plane that the kernel uses.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, which has no plane {plane}: bind a \
         surface of a format that has it, or take another plane"
    )]
    NoPlane {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The plane.
        plane: Plane,
    },
    /// The kernel uses the bottom field of a plane with only one row.
    #[error(
        "argument `{argument}` of kernel `{kernel}` has one row in plane {plane}, and so no bottom field: bind a \
         surface with more rows"
    )]
    NoField {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The plane.
        plane: Plane,
    },
    /// A surface whose format does not allow the columns that the kernel accesses.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, but line {line} of {file} \
         accesses it at byte columns that are not multiples of {alignment}: align x to whole texels, or bind \
         a surface of another format"
    )]
    ArgumentFormat {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The number that x must be a multiple of.
        alignment: usize,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
    },
    /// A typed access to a surface of a format that has none with the same bits on all devices.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, but line {line} of {file} has a typed \
         access to it: bind a surface of R8, R16, R32, R32F or Rgba8, or access media blocks"
    )]
    TypedFormat {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
    },
    /// A sampler of a surface of a format without typed accesses.
    #[error(
        "a sampler of a surface of format {format}: samples need R8, R16, R32, R32F or Rgba8; take a surface of such a \
         format, or read media blocks"
    )]
    Sampler {
        /// The format of the surface.
        format: Format,
    },
    /// A surface that is sampled by the sampler of another one, which has another format or number of dimensions.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a {dimensions}-D surface of format {format}, but line {line} of \
         {file} samples it by `{sampler}`, the sampler of a surface of another format or number of dimensions: pass a \
         sampler that `sampler` of such a surface returned"
    )]
    OtherSampler {
        /// The kernel.
        kernel: &'static str,
        /// The parameter of the surface.
        argument: &'static str,
        /// The parameter of the sampler.
        sampler: &'static str,
        /// The format of the surface.
        format: Format,
        /// Its number of dimensions.
        dimensions: usize,
        /// The source file of the sample.
        file: String,
        /// Its line.
        line: u32,
    },
    /// A typed access of elements that are not those of the surface's format.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, but the typed access in line {line} \
         of {file} has elements `{elem}`: take `f32` of R32F, and `u32` or `i32` of other formats"
    )]
    TypedElement {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The type of the elements.
        elem: ElemType,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
    },
    /// An atomic operation on texels of a surface whose texels are not integers of 32 bits.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface of format {format}, but line {line} of {file} has an atomic \
         operation on its texels: bind a surface of R32"
    )]
    TypedAtomic {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The format of the surface.
        format: Format,
        /// The source file of the operation.
        file: String,
        /// Its line.
        line: u32,
    },
    /// A typed access to a surface whose rows are not whole dwords.
    #[error(
        "argument `{argument}` of kernel `{kernel}` has rows of {row} bytes, but line {line} of {file} has a typed access \
         to it: make the surface wider, so that a row is a multiple of 4 bytes"
    )]
    TypedRows {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Bytes of a row.
        row: usize,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
    },
    /// 2-D blocks of rows outside a buffer, or at columns that are not whole dwords.
    #[error("line {line} of {file} accesses argument `{argument}` of kernel `{kernel}`: {violation}")]
    Block2d {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
        /// The rule.
        violation: Box<Violation>,
    },
    /// A surface made from a buffer, with a row pitch that media blocks do not support.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface made from a buffer with a row pitch of \
         {row_pitch} bytes: media blocks take multiples of {multiple}; make it with a larger pitch"
    )]
    LinearPitch {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Bytes from one row to the next.
        row_pitch: usize,
        /// The number that it must be a multiple of.
        multiple: usize,
    },
    /// A surface made from a buffer, with an address of the first texel that media blocks do not support.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface made from a buffer whose first texel does \
         not lie at a multiple of {multiple} bytes: make it with such an offset"
    )]
    LinearAddress {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The number that the address must be a multiple of.
        multiple: usize,
    },
    /// A media block with too many rows for a surface made from a buffer.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is a surface made from a buffer, but line {line} of \
         {file} accesses {rows} rows of it at once: take at most {limit}, or bind another surface"
    )]
    LinearRows {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The rows of the block.
        rows: usize,
        /// The largest number of rows.
        limit: usize,
        /// The source file of the access.
        file: String,
        /// Its line.
        line: u32,
    },
    /// An environment variable with an unknown value.
    #[error("the environment variable {variable} is `{value}`: expected {expected}")]
    Environment {
        /// Its name.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The legal values.
        expected: &'static str,
    },
    /// A name that stands for no value, for example in `"R9".parse::<Format>()`.
    #[error("`{name}` is not {what}: expected {expected}")]
    UnknownName {
        /// The kind of value, with its article.
        what: &'static str,
        /// The name.
        name: String,
        /// The names of all values.
        expected: String,
    },
    /// Worker threads could not be started.
    #[error(
        "{threads} worker {} could not be started: use fewer (CM_NUM_THREADS, RAYON_NUM_THREADS), or \
         raise the process's limits",
        if *threads == 1 { "thread" } else { "threads" }
    )]
    Threads {
        /// The requested number.
        threads: usize,
        /// Why.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A number of worker threads out of range.
    #[error("a CPU device with {threads} worker threads: use 1 to {limit}", limit = limits::WORKERS)]
    ThreadCount {
        /// The requested number.
        threads: usize,
    },
    /// A surface or buffer of another device than that of the launch.
    #[error(
        "argument `{argument}` of kernel `{kernel}` is of another device: make it with the device that the \
         kernel is launched on"
    )]
    OtherDevice {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
    },
    /// A copy, in a scope, of a surface or buffer of another device.
    #[error(
        "a copy in a scope of the device {device}, of a surface or buffer of another one: make it with the device of \
         the scope"
    )]
    ScopeDevice {
        /// The device of the scope.
        device: String,
    },
    /// An error of Level Zero.
    #[error(transparent)]
    LevelZero(#[from] LevelZeroError),
    /// Not enough memory for a surface or buffer.
    #[error(
        "{bytes} bytes of memory for a surface or buffer could not be allocated: free some, or use a smaller \
         one"
    )]
    OutOfMemory {
        /// The requested number.
        bytes: usize,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut source = self.source();
        while let Some(error) = source {
            write!(f, " ({error})")?;
            source = error.source();
        }
        Ok(())
    }
}

/// The three sizes of a box.
fn sizes([width, height, depth]: [usize; 3]) -> String {
    format!("{width} x {height} x {depth}")
}

/// The end of a message about a number of bytes that must be whole texels.
fn multiple_of(bytes: usize) -> String {
    if bytes == 1 { String::new() } else { format!(", and a multiple of {bytes}") }
}

/// The description of a parameter in messages.
fn described(kind: ParamKind) -> String {
    match kind {
        ParamKind::Surface { writable: false } => "`&Surface2D`".into(),
        ParamKind::Surface { writable: true } => "`&mut Surface2D`".into(),
        ParamKind::Surface3d { writable: false } => "`&Surface3D`".into(),
        ParamKind::Surface3d { writable: true } => "`&mut Surface3D`".into(),
        ParamKind::Buffer { elem, writable: false } => format!("`&Buffer<{elem}>`"),
        ParamKind::Buffer { elem, writable: true } => format!("`&mut Buffer<{elem}>`"),
        ParamKind::Uniform { elem, rows, columns } => {
            format!("a value of {} elements of {elem}", rows * columns)
        }
        _ => "something else".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Error};

    #[test]
    fn sources_are_in_brackets() {
        let source = Arc::new(std::io::Error::other("no more threads"));
        let error = Error::Threads { threads: 2, source };
        assert_eq!(format!("{error:?}"), format!("{error} (no more threads)"));
        // Its message is all that there is.
        let error = Error::LevelZero(super::LevelZeroError::TurnedOff);
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}
