//! The command line.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

/// Runs a kernel over every frame of a video in the format Y4M.
///
/// ffmpeg -i in.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | video denoise - - | ffmpeg -i - out.mp4
///
/// Ctrl-C ends the stream early: the output has whole frames. CM_DEVICE chooses the device.
#[derive(Parser, Debug)]
#[command(name = "video")]
pub(crate) struct Options {
    /// What is done with the frames.
    #[arg(value_enum)]
    pub(crate) kernel: Kernel,
    /// The video, or `-` for the standard input. Without it the program makes one.
    #[arg(value_name = "IN.y4m")]
    input: Option<PathBuf>,
    /// The result, or `-` for the standard output. Without it: video.y4m.
    #[arg(value_name = "OUT.y4m")]
    output: Option<PathBuf>,
    /// Ends after so many frames.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) frames: Option<usize>,
}

/// What is done with the frames.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kernel {
    /// Removes noise: blends blocks with the most similar ones of the result before.
    Denoise,
    /// Makes one picture of two fields.
    Deinterlace,
    /// Halves width and height.
    Scale,
    /// Changes the colours of BT.601 to those of BT.709.
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
