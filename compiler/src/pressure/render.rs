//! The report as text and as a chart.

use std::fmt::{self, Display, Write};

use super::report::RegisterReport;
use crate::limits::REGISTER;

/// Width of a bar for the whole register file.
const BAR: usize = 40;

impl Display for RegisterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peak = self.peak();
        writeln!(
            f,
            "kernel `{}`: at most {} bytes live, {} of {} registers, in line {}",
            self.kernel(),
            peak.bytes,
            peak.registers,
            self.budget() / REGISTER,
            peak.location.line
        )?;
        writeln!(f, "{:>5}:{:<4} {:<9} {:>6} {:>5}", "line", "col", "", "bytes", "regs")?;
        for point in self.points() {
            let bar = "#".repeat((point.bytes * BAR).div_ceil(self.budget()).min(BAR));
            let mark = if point.bytes == peak.bytes { " <- peak" } else { "" };
            writeln!(
                f,
                "{:>5}:{:<4} {:<9} {:>6} {:>5} {bar}{mark}",
                point.location.line, point.location.column, point.what, point.bytes, point.registers
            )?;
        }
        Ok(())
    }
}

/// Width of a point in the chart, and other sizes, in pixels.
const STEP: usize = 6;
/// Points of the narrowest chart, which is as wide as the line below it.
const POINTS: usize = 80;
const HEIGHT: usize = 240;
const LEFT: usize = 56;
const TOP: usize = 28;

impl RegisterReport {
    /// Draws a chart of the live bytes over the points, as a complete SVG document.
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
    /// assert!(report.to_svg().starts_with("<svg"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg(self)
    }
}

fn svg(report: &RegisterReport) -> String {
    let peak = report.peak();
    let scale = report.budget().max(peak.bytes);
    let width = LEFT + report.points().len().max(POINTS) * STEP + 24;
    let height = TOP + HEIGHT + 40;
    let y = |bytes: usize| TOP + HEIGHT - bytes * HEIGHT / scale;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"16\" font-size=\"13\">{}: at most {} bytes, {} registers, in line {}</text>\n",
        escaped(report.kernel()),
        peak.bytes,
        peak.registers,
        peak.location.line
    );
    for bytes in (0..=scale).step_by(1024) {
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{bytes}</text>",
            width - 24,
            LEFT - 6,
            y(bytes) + 4,
            y = y(bytes)
        );
    }
    for (i, point) in report.points().iter().enumerate() {
        let colour = if point.bytes == peak.bytes { "#c33" } else { "#47a" };
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"><title>line {}: {}, {} bytes</title>\
             </rect>",
            LEFT + i * STEP,
            y(point.bytes),
            STEP - 1,
            TOP + HEIGHT - y(point.bytes),
            point.location.line,
            point.what,
            point.bytes
        );
    }
    let _ = write!(
        out,
        "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#c33\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{LEFT}\" y=\"{}\">instructions, in the order of the source; the dashed line is the register file</text>\n\
         </svg>\n",
        width - 24,
        height - 12,
        y = y(report.budget())
    );
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
