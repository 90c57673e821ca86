//! The interface between the device and the execution units: threads with their registers, and their
//! environment.

use crate::binary::{Lines, SourceLine};
use crate::memory::{Memory, Span};

/// The layout of the rows of a surface in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// One after the other.
    Linear,
    /// Tiles of 512 bytes by 8 rows.
    X,
    /// Tiles of 128 bytes by 32 rows, in columns of 16 bytes.
    Y,
    /// Tiles as for `Y`, in which blocks of 64 bytes by 4 rows are arranged in another order (since Xe-HPG).
    Four,
    /// Tiles of 64 KiB: two, four or eight tiles as for `Four` side by side, depending on the texel size,
    /// with further rows of these below.
    SixtyFour,
}

/// The kind of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub enum SurfaceKind {
    D1,
    D2,
    D3,
    Cube,
    Buffer,
    StructuredBuffer,
    Scratch,
    Null,
}

/// A decoded `RENDER_SURFACE_STATE`, with actual numbers instead of numbers minus one.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Its memory, up to the end of the mapping.
    pub bytes: Span<'a>,
    /// The address of its first byte.
    pub address: u64,
    /// The kind of the surface.
    pub kind: SurfaceKind,
    /// `SURFACE_FORMAT`.
    pub format: u32,
    /// How rows lie in memory.
    pub tiling: Tiling,
    /// Texels of a row; entries of a buffer (bytes if the format is RAW). For media block surfaces, the
    /// driver gives dwords of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices.
    pub depth: u32,
    /// Bytes from one row to the next, or of an entry of a buffer.
    pub pitch: u32,
    /// Rows from one slice to the next.
    pub slice_rows: u32,
    /// Bytes of a texel.
    pub texel: u32,
    /// Whether slices are elements of an array.
    pub is_array: bool,
    /// The first element of the array.
    pub first_element: u32,
    /// The offset from `address` in texels to the right, and in rows down.
    pub offset: (u32, u32),
    /// The stride of the rows that belong to the surface, and the first of them.
    pub line_stride: (u32, u32),
    /// The sixteen dwords.
    pub state: [u32; 16],
}

/// A surface without its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The kind of the surface.
    pub kind: SurfaceKind,
    /// `SURFACE_FORMAT`.
    pub format: u32,
    /// How rows lie in memory.
    pub tiling: Tiling,
    /// Texels of a row, as in [`Surface`].
    pub width: u32,
    /// Rows of a slice.
    pub height: u32,
    /// Slices, one after the other.
    pub depth: u32,
    /// Bytes from one row to the next, or of an entry of a buffer.
    pub pitch: u32,
    /// Bytes of a texel.
    pub texel: u32,
}

impl Shape {
    /// A buffer of this many bytes.
    #[must_use]
    pub fn buffer(bytes: u32) -> Self {
        let (kind, tiling) = (SurfaceKind::Buffer, Tiling::Linear);
        Self { kind, format: 0x1ff, tiling, width: bytes, height: 1, depth: 1, pitch: 1, texel: 1 }
    }

    /// A linear surface of two dimensions with rows of `bytes` bytes. Its format has unsigned integers of the
    /// texel's size.
    #[must_use]
    pub fn rows(bytes: u32, height: u32, pitch: u32, texel: u32) -> Self {
        // R8_UINT, R16_UINT, R32_UINT, R32G32_UINT, R32G32B32A32_UINT.
        let format = match texel {
            1 => 0x143,
            2 => 0x10d,
            4 => 0x0d7,
            8 => 0x087,
            _ => 0x002,
        };
        let (kind, tiling, width) = (SurfaceKind::D2, Tiling::Linear, bytes / texel.max(1));
        Self { kind, format, tiling, width, height, depth: 1, pitch, texel }
    }

    /// The same with three dimensions: so many slices of its rows.
    #[must_use]
    pub fn slices(self, depth: u32) -> Self {
        Self { kind: SurfaceKind::D3, depth, ..self }
    }

    /// The surface with these bytes, the first of which has this address.
    #[must_use]
    pub fn surface(self, bytes: Span<'_>, address: u64) -> Surface<'_> {
        let Self { kind, format, tiling, width, height, depth, pitch, texel } = self;
        Surface {
            bytes,
            address,
            kind,
            format,
            tiling,
            width,
            height,
            depth,
            pitch,
            slice_rows: if kind == SurfaceKind::D3 { height } else { 0 },
            texel,
            is_array: false,
            first_element: 0,
            offset: (0, 0),
            line_stride: (1, 0),
            state: [0; 16],
        }
    }
}

/// The offset of the surface state for scratch space since Xe-HPG, from the thread header: bits 31 to 10
/// count states (`initScratchSurfaceOffset` in `BuildIRImpl.cpp` of Intel's compiler, and the states of its
/// driver).
pub(crate) fn scratch_state(header: u32) -> u32 {
    (header & !0x3ff) >> 4
}

/// The environment that all threads of a walker share.
pub trait Surroundings: Sync {
    /// The address space.
    fn memory(&self) -> &dyn Memory;
    /// An entry of the binding table (never the numbers that mean no surface: 253 to 255); `None` if it does
    /// not exist.
    fn surface(&self, entry: u32) -> Option<Surface<'_>>;
    /// The state of a sampler; `None` if it does not exist.
    fn sampler(&self, number: u32) -> Option<[u32; 4]>;
    /// The base of messages with 32-bit addresses and without a surface.
    fn general_state_base(&self) -> u64;
    /// The surface whose state is at this byte offset from the surface state base; `None` if there is none.
    fn surface_at(&self, state: u32) -> Option<Surface<'_>>;
    /// Whether floats follow the alternative mode, and whether denormals are kept.
    fn floats(&self) -> Floats;
    /// A message brings bytes to a cache, which no result shows.
    fn prefetched(&self, _: Prefetch) {}
}

/// Contiguous bytes that a message brings to a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefetch {
    /// The entry of the binding table, if the message names one.
    pub surface: Option<u32>,
    /// The first byte of the surface or of memory.
    pub address: u64,
    /// The number of bytes.
    pub bytes: usize,
}

/// The float modes of the interface descriptor.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct Floats {
    pub alternative: bool,
    pub keep_denormals: bool,
}

/// The initial state of a thread.
#[derive(Clone, Debug)]
pub struct Start {
    /// The register file with the payload.
    pub registers: Vec<u8>,
    /// The enabled channels.
    pub mask: u32,
    /// The number of its hardware thread.
    pub hardware_thread: u32,
    /// Its number in the group.
    pub in_group: u32,
    /// The group.
    pub group: [u32; 3],
}

/// Why a thread stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It ended.
    Ended,
    /// It waits for the other threads of its group. When it runs again, it has passed the barrier.
    Barrier,
    /// It waits until it has no dependencies. When it runs again, it checks again.
    Dependency,
    /// Its budget of instructions is used up.
    Budget,
    /// It cannot continue.
    Fault(Fault),
}

/// Something that an execution unit cannot execute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {at} of the kernel (`{instruction}`{}): {why}", source_line(place.as_ref()))]
pub struct Fault {
    /// The byte offset in the kernel.
    pub at: u32,
    /// The instruction as text.
    pub instruction: String,
    /// The source location, if it is known.
    pub place: Option<SourceLine>,
    /// The reason.
    pub why: String,
}

fn source_line(place: Option<&SourceLine>) -> String {
    place.map(|place| format!(", {place}")).unwrap_or_default()
}

impl Fault {
    /// Adds the source line to the fault, if there is one.
    #[must_use]
    pub fn from(self, lines: Option<&Lines>) -> Self {
        let place = lines.and_then(|lines| lines.at(self.at.into())).cloned();
        Self { place, ..self }
    }
}
