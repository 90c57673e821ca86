//! The output of launches, and its destination.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

pub use cm_compiler::spirv::PrintfLine;

/// What the kernel threads of a launch printed with `printf!`. CM: `CmDevice::FlushPrintBuffer`.
///
/// A device passes it to its handler; see [`Device::with_printf_handler`](crate::Device::with_printf_handler). `{}`
/// shows the lines, and how many were dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PrintfOutput {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The lines: in the order of the kernel threads, row by row. The lines of a thread are in the order in which it
    /// printed them.
    pub lines: Vec<PrintfLine>,
    /// The number of lines that did not fit in the buffer.
    pub dropped: u64,
}

impl PrintfOutput {
    /// Writes everything to the standard output. This is what devices do without a handler. Unlike `print!` it does not
    /// panic if the standard output is closed: the lines are then lost.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?.with_printf_handler(cm::PrintfOutput::print);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn print(&self) {
        self.print_to(std::io::stdout().lock());
    }

    /// `print!` would panic in the middle of a launch.
    fn print_to(&self, mut output: impl Write) {
        let _ = write!(output, "{self}");
    }
}

impl fmt::Display for PrintfOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{}", line.text))?;
        if self.dropped > 0 {
            let Self { kernel, dropped, .. } = self;
            writeln!(
                f,
                "[{dropped} more lines of kernel `{kernel}` did not fit into the buffer of `printf!`]"
            )?;
        }
        Ok(())
    }
}

/// The lines of a launch, and the number of lines that did not fit.
#[derive(Default, Debug)]
pub(crate) struct Printed {
    pub(crate) lines: Vec<PrintfLine>,
    pub(crate) dropped: u64,
}

/// The function that receives the output.
type Handler = dyn Fn(&PrintfOutput) + Send + Sync;

/// The handler of a device.
#[derive(Clone)]
pub(crate) struct Printer(Arc<Handler>);

impl Printer {
    /// The handler that prints to the standard output.
    pub(crate) fn new() -> Self {
        Self::with(PrintfOutput::print)
    }

    pub(crate) fn with(handler: impl Fn(&PrintfOutput) + Send + Sync + 'static) -> Self {
        Self(Arc::new(handler))
    }

    /// Passes the output of a launch to the handler, if there is any.
    pub(crate) fn deliver(&self, kernel: &'static str, Printed { mut lines, dropped }: Printed) {
        if lines.is_empty() && dropped == 0 {
            return;
        }
        if dropped > 0 {
            tracing::warn!(kernel, dropped, "lines of `printf!` did not fit into the buffer");
        }
        // Stable: the lines of a thread keep their order.
        lines.sort_by_key(|line| [line.thread[1], line.thread[0]]);
        (self.0)(&PrintfOutput { kernel, lines, dropped });
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind, Result};

    use super::*;

    /// A pipe that nobody reads.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> Result<usize> {
            Err(Error::from(ErrorKind::BrokenPipe))
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_output_is_ignored() {
        let lines = vec![PrintfLine { thread: [0, 0], text: "hello".into() }];
        let output = PrintfOutput { kernel: "k", lines, dropped: 1 };
        output.print_to(Closed);
        let mut text = Vec::new();
        output.print_to(&mut text);
        assert!(text.starts_with(b"hello\n[1 more lines"), "{}", text.escape_ascii());
    }
}
