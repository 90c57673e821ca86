//! The command line.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

/// Runs a kernel on each frame of a video in Y4M format.
///
/// ffmpeg -i in.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | video denoise - - | ffmpeg -i - out.mp4
///
/// Ctrl-C ends the stream early; the output then contains only whole frames. CM_DEVICE chooses the device.
#[derive(Parser, Debug)]
#[command(name = "video")]
pub(crate) struct Options {
    /// The kernel.
    #[arg(value_enum)]
    pub(crate) kernel: Kernel,
    /// The video, or `-` for the standard input. Without IN.y4m, the program generates a video.
    #[arg(value_name = "IN.y4m")]
    input: Option<PathBuf>,
    /// The output, or `-` for the standard output. The default is video.y4m.
    #[arg(value_name = "OUT.y4m")]
    output: Option<PathBuf>,
    /// Stops after NUMBER frames.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) frames: Option<usize>,
}

/// The kernels.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// Reduces noise: blends each block with the most similar block of the previous output frame.
    Denoise,
    /// Combines two fields into one frame.
    Deinterlace,
    /// Halves width and height.
    Scale,
    /// Converts colours from BT.601 to BT.709.
    Colour,
}

/// The source or destination of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// The standard input or output.
    Pipe,
    File(&'a Path),
}

impl Options {
    /// The source of the video, if there is one.
    pub(crate) fn input(&self) -> Option<Place<'_>> {
        self.input.as_deref().map(Place::new)
    }

    /// The destination of the result.
    pub(crate) fn output(&self) -> Place<'_> {
        Place::new(self.output.as_deref().unwrap_or(Path::new("video.y4m")))
    }
}

impl<'a> Place<'a> {
    fn new(path: &'a Path) -> Self {
        if path == "-" { Self::Pipe } else { Self::File(path) }
    }
}
