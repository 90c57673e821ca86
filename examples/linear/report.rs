//! The output of the program: results to standard output, errors to standard error.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};
use cm::Device;

use crate::options::DeviceChoice;

/// Prints a line. A closed reader (`linear | head -1`) is not an error, because the images are the result.
pub(crate) fn say(line: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// Prints every device, as `--device` takes it, or why there is no GPU.
pub(crate) fn devices() -> Result<()> {
    say(format_args!("cpu           {}", Device::cpu()?.name()))?;
    match Device::level_zero_devices() {
        Ok(devices) => devices.iter().enumerate().try_for_each(|(index, device)| {
            let choice = DeviceChoice::LevelZero(index);
            say(format_args!("{:<13} {}", choice.to_string(), device.name()))
        }),
        Err(reason) => say(reason),
    }
}

/// Prints an error with its causes on one line.
pub(crate) fn complain(error: &anyhow::Error) {
    // If standard error is closed, the exit status still shows the error.
    let _ = writeln!(io::stderr(), "error: {}", one_line(error));
}

/// The chain of causes. Libraries often repeat the cause in their own message, so each text appears once.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if line.is_empty() {
            line = text;
        } else if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
    }
    line.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn causes_follow_their_effect() {
        let error = anyhow!("disk full").context("cannot write a.png");
        assert_eq!(one_line(&error), "cannot write a.png: disk full");
    }

    #[test]
    fn repeated_and_broken_lines_are_joined() {
        let error = anyhow!("bad\n  block").context("decoder: bad\n  block").context("cannot read a.png");
        assert_eq!(one_line(&error), "cannot read a.png: decoder: bad block");
    }
}
