//! What the device gives to the execution units: threads with their registers, and what surrounds them.

use crate::binary::{Lines, SourceLine};
use crate::memory::{Memory, Span};

/// How a surface's rows lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// One after the other.
    Linear,
    /// Tiles of 512 bytes by 8 rows.
    X,
    /// Tiles of 128 bytes by 32 rows, in columns of 16 bytes.
    Y,
    /// Tiles as of `Y`, in which blocks of 64 bytes by 4 rows lie in another order (since Xe-HPG).
    Four,
    /// Tiles of 64 KiB: two, four or eight tiles as of `Four` side by side, by the size of a texel, and the others below.
    SixtyFour,
}

/// What kind of surface a state describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
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

/// A decoded `RENDER_SURFACE_STATE`: real numbers, not those less one.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Its memory: to the end of what is mapped.
    pub bytes: Span<'a>,
    /// The address of its first byte.
    pub address: u64,
    /// What it is.
    pub kind: SurfaceKind,
    /// `SURFACE_FORMAT`.
    pub format: u32,
    /// How rows lie in memory.
    pub tiling: Tiling,
    /// Texels of a row; entries of a buffer (bytes where the format is RAW). For surfaces of media blocks the driver says
    /// dwords of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices.
    pub depth: u32,
    /// Bytes from a row to the next; of an entry of a buffer.
    pub pitch: u32,
    /// Rows from a slice to the next.
    pub slice_rows: u32,
    /// Bytes of a texel.
    pub texel: u32,
    /// Whether slices are elements of an array.
    pub is_array: bool,
    /// The first element of the array.
    pub first_element: u32,
    /// Texels to the right of `address`, and rows below.
    pub offset: (u32, u32),
    /// Every how many rows are the surface's, and with which it begins.
    pub line_stride: (u32, u32),
    /// The sixteen dwords.
    pub state: [u32; 16],
}

/// A surface of one slice, without its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it is.
    pub kind: SurfaceKind,
    /// `SURFACE_FORMAT`.
    pub format: u32,
    /// How rows lie in memory.
    pub tiling: Tiling,
    /// As those of [`Surface`].
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes from a row to the next; of an entry of a buffer.
    pub pitch: u32,
    /// Bytes of a texel.
    pub texel: u32,
}

impl Shape {
    /// A buffer of so many bytes.
    #[must_use]
    pub fn buffer(bytes: u32) -> Self {
        let (kind, tiling) = (SurfaceKind::Buffer, Tiling::Linear);
        Self { kind, format: 0x1ff, tiling, width: bytes, height: 1, pitch: 1, texel: 1 }
    }

    /// The surface of these bytes, of which the first has this address.
    #[must_use]
    pub fn surface(self, bytes: Span<'_>, address: u64) -> Surface<'_> {
        let Self { kind, format, tiling, width, height, pitch, texel } = self;
        Surface {
            bytes,
            address,
            kind,
            format,
            tiling,
            width,
            height,
            depth: 1,
            pitch,
            slice_rows: 0,
            texel,
            is_array: false,
            first_element: 0,
            offset: (0, 0),
            line_stride: (1, 0),
            state: [0; 16],
        }
    }
}

/// The offset of the state of the surface for scratch space since Xe-HPG, by what the thread's header says: bits 31 to 10 count
/// states (`initScratchSurfaceOffset` in `BuildIRImpl.cpp` of Intel's compiler, and the states of its driver).
pub(crate) fn scratch_state(header: u32) -> u32 {
    (header & !0x3ff) >> 4
}

/// What is the same for all threads of a walker.
pub trait Surroundings: Sync {
    /// The address space.
    fn memory(&self) -> &dyn Memory;
    /// An entry of the binding table (never the numbers that mean no surface: 253 to 255). `None` without one.
    fn surface(&self, entry: u32) -> Option<Surface<'_>>;
    /// A sampler's state. `None` without one.
    fn sampler(&self, number: u32) -> Option<[u32; 4]>;
    /// The base of messages with addresses of 32 bits and no surface.
    fn general_state_base(&self) -> u64;
    /// The surface whose state lies so many bytes behind the base of surfaces' states. `None` without one.
    fn surface_at(&self, state: u32) -> Option<Surface<'_>>;
    /// Whether floats follow the alternative rules, and whether denormals are kept.
    fn floats(&self) -> Floats;
}

/// The interface descriptor's modes of floats.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Floats {
    pub alternative: bool,
    pub keep_denormals: bool,
}

/// A thread as the dispatcher makes it.
#[derive(Clone, Debug)]
pub struct Start {
    /// The register file with the payload.
    pub registers: Vec<u8>,
    /// Channels that are on.
    pub mask: u32,
    /// Its number among those that run at once.
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
    /// It waits for the others of its group; running it again lets it pass.
    Barrier,
    /// It waits until it depends on no other thread; running it again lets it try.
    Dependency,
    /// As many instructions as it was given have run.
    Budget,
    /// It cannot go on.
    Fault(Fault),
}

/// What an execution unit cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {at} of the kernel (`{instruction}`{}): {why}", source_line(place.as_ref()))]
pub struct Fault {
    /// Where in the kernel, in bytes.
    pub at: u32,
    /// The instruction as text.
    pub instruction: String,
    /// Where it comes from, if that is known.
    pub place: Option<SourceLine>,
    /// The reason.
    pub why: String,
}

fn source_line(place: Option<&SourceLine>) -> String {
    place.map(|place| format!(", {place}")).unwrap_or_default()
}

impl Fault {
    /// The fault with the line of the source, if there is one.
    #[must_use]
    pub fn from(self, lines: Option<&Lines>) -> Self {
        let place = lines.and_then(|lines| lines.at(self.at.into())).cloned();
        Self { place, ..self }
    }
}
