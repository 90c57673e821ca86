//! The register usage of a whole kernel.

use super::liveness;
use super::point::Point;
use crate::ir::{Function, Location};
use crate::limits::REGISTER;
use crate::verify::{VerifyError, verify};

/// The register usage of a kernel at each line. `k::registers()` returns it.
///
/// Print it with `{}` for a text chart.
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
    budget: usize,
    points: Vec<Point>,
}

impl RegisterReport {
    /// Computes the usage of a kernel.
    ///
    /// # Errors
    /// If [`verify`](crate::verify::verify()) refuses the function. Recorded kernels are verified.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn empty() {}
    ///
    /// let report = cm::RegisterReport::new(&empty::ir()?)?;
    /// assert_eq!(report.peak().bytes, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(function: &Function) -> Result<Self, VerifyError> {
        verify(function)?;
        Ok(Self::of_verified(function))
    }

    /// [`new`](Self::new) for a function that is known to be verified.
    #[doc(hidden)]
    #[must_use]
    pub fn of_verified(function: &Function) -> Self {
        Self {
            kernel: function.name.clone(),
            budget: function.register_file,
            points: liveness::live_points(function),
        }
    }

    /// The name of the kernel.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
    /// }
    ///
    /// let report = copy::registers()?;
    /// assert_eq!(report.kernel(), "copy");
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Every point, in the order of the source. The instructions of a loop are listed once.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
    /// }
    ///
    /// let report = copy::registers()?;
    /// assert!(report.points().iter().any(|point| point.what == "read"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The point with the most live bytes, the first if there are several.
    ///
    /// For a kernel without instructions, it has 0 bytes.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
    /// }
    ///
    /// let report = copy::registers()?;
    /// assert_eq!(report.peak().bytes, 256);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn peak(&self) -> Point {
        let none = Location { file: "".into(), line: 0, column: 0 };
        let nothing = Point { what: "nothing", location: none, bytes: 0, registers: 0 };
        self.points
            .iter()
            .fold(nothing, |peak, point| if point.bytes > peak.bytes { point.clone() } else { peak })
    }

    /// The number of bytes of the register file that the kernel is written for: 4096, if `#[kernel]` does not name
    /// another one.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
    /// }
    ///
    /// let report = copy::registers()?;
    /// assert!(report.peak().bytes <= report.budget());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn budget(&self) -> usize {
        self.budget
    }

    /// Whether the kernel fits the register file at every point.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
    /// }
    ///
    /// let report = copy::registers()?;
    /// assert!(report.fits());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn fits(&self) -> bool {
        self.points.iter().all(|point| point.registers <= self.budget / REGISTER)
    }
}
