//! Register usage: what a kernel keeps in registers at each point, the subject of CM's tutorial 11.
//!
//! What is counted are the objects as the source has them. Not counted is what the hardware does not keep: constants and
//! splats (immediates and broadcasts), selected regions (operands address them in place), conditions (flags), and results
//! that are converted at once (instructions convert what they write). Counted besides are integer operands of float
//! operations, which are converted before.
//!
//! For the tutorial kernels the peak is within a quarter of the smallest register file in which Intel's compiler does not
//! spill; with more registers than it needs the compiler takes more.

mod liveness;
mod render;

use crate::elem::ElemType;
use crate::ir::{Function, Location, Op};
use crate::limits::{REGISTER, REGISTER_FILE, REGISTERS};
use crate::ops::MapKind;

/// What is in registers at one point of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What the instruction does, in a word: `read`, `add`, `store`.
    pub what: &'static str,
    /// Where it stands in the source.
    pub location: Location,
    /// Bytes that are live while it executes: its operands, its result, and what is used later.
    pub bytes: usize,
    /// Registers that hold them: each object starts a register of its own if it fills one.
    pub registers: usize,
}

/// The register usage of a kernel.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn add(input: &Surface2D, output: &mut Surface2D) {
///     let m = input.read::<u8, 8, 32>(0, 0);
///     let sum: Matrix<u8, 8, 32> = (m + 1).convert();
///     output.write(0, 0, &sum);
/// }
///
/// let report = add::registers()?;
/// assert_eq!(report.peak().bytes, 256); // the sum takes the place of the block
/// println!("{report}");
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterReport {
    kernel: String,
    points: Vec<Point>,
}

impl RegisterReport {
    /// The usage of a recorded kernel.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        Self { kernel: function.name.clone(), points: liveness::points(function) }
    }

    /// The name of the kernel.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Every point, in the order of the source; the instructions of a loop once.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The point with the most live bytes, the first if there are several.
    ///
    /// For a kernel without instructions it is a point without bytes.
    #[must_use]
    pub fn peak(&self) -> Point {
        let none = Location { file: "".into(), line: 0, column: 0 };
        let nothing = Point { what: "nothing", location: none, bytes: 0, registers: 0 };
        self.points
            .iter()
            .fold(nothing, |peak, point| if point.bytes > peak.bytes { point.clone() } else { peak })
    }

    /// Bytes of the register file.
    #[must_use]
    pub const fn budget(&self) -> usize {
        REGISTER_FILE
    }

    /// Whether everything fits at every point.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.points.iter().all(|point| point.registers <= REGISTERS)
    }

    /// A chart of the live bytes over the points, as a complete SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        render::svg(self)
    }
}

/// A word for what an instruction does: its name in the source where the IR's is another one.
fn word(op: &Op) -> &'static str {
    match op {
        Op::Known(_) => "constant",
        Op::Map { kind: MapKind::Not, .. } => "not",
        Op::Map { kind, .. } if kind.class().is_comparison() => "compare",
        Op::Region(..) => "select",
        Op::UnpackMask(_) => "mask",
        Op::Declare(..) => "let",
        op => op.name(),
    }
}

/// Registers for objects of these sizes: those that fill a register have their own, the others share.
fn registers(sizes: impl Iterator<Item = usize>) -> (usize, usize) {
    let (mut bytes, mut whole, mut small) = (0, 0, 0);
    for size in sizes {
        bytes += size;
        if size >= REGISTER {
            whole += size.div_ceil(REGISTER);
        } else {
            small += size.max(ElemType::U32.bytes());
        }
    }
    (bytes, whole + small.div_ceil(REGISTER))
}
