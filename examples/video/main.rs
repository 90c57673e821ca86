//! A video, frame by frame: `cargo run --release --example video -- KERNEL [IN.y4m|-] [OUT.y4m|-]`.
//!
//! ```text
//! cargo run --release --example video -- denoise                 # a stream of its own, to video.y4m
//! cargo run --release --example video -- scale in.y4m out.y4m
//! ffmpeg -i in.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | video colour - - | ffmpeg -i - out.mp4
//! ```
//!
//! Each plane is a surface. Frames are read, computed and written at the same time: uploads, kernels and downloads of
//! several frames are in one scope. A stream that is broken is an error that names the frame; the frames before it are
//! written. Ctrl-C leaves whole frames; pressed again, it ends the program at once. `CM_DEVICE` chooses the device.

mod card;
mod filter;
pub mod kernels;
mod options;
mod pipeline;
mod stream;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, IsTerminal, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use cm::prelude::*;
use cm_examples::{reported, timed};
use indicatif::{ProgressBar, ProgressStyle};

use filter::{Filter, result};
use options::{Options, Place};
use pipeline::{Output, Until, run};
use stream::{Reader, length};

/// The length of the stream that the program makes.
const FRAMES: usize = 60;
/// The exit status after Ctrl-C.
const STOPPED: u8 = 130;

/// How many times Ctrl-C was pressed.
static STOPS: AtomicUsize = AtomicUsize::new(0);

fn main() -> ExitCode {
    let done = reported(|| filtered(&Options::parse()));
    if STOPS.load(Ordering::Relaxed) > 0 { ExitCode::from(STOPPED) } else { done }
}

fn filtered(options: &Options) -> Result<()> {
    ctrlc::set_handler(|| {
        if STOPS.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(i32::from(STOPPED));
        }
    })
    .context("Ctrl-C cannot be caught")?;
    let device = Device::best()?;
    let most = options.frames.unwrap_or(if options.input().is_some() { usize::MAX } else { FRAMES });
    let (input, bytes) = open(options, most)?;
    let reader = Reader::new(input, described(options.input()))?;
    let from = reader.header().clone();
    let to = result(options.kernel, from.clone())?;
    let filter = Filter::new(&device, options.kernel, &from, &to)?;
    let output = create(options)?;

    let total = bytes.map(|bytes| (bytes.saturating_sub(length(&from, 0)) / frame(&from)).min(most as u64));
    let bar = progress(total.or(options.input().is_none().then_some(most as u64)));
    let until = Until { frames: most, stops: &STOPS };
    let (done, time) = timed(|| run(&device, filter, reader, (output, to.clone()), until, &bar));
    bar.finish_and_clear();
    done.ended?;
    let stopped = if STOPS.load(Ordering::Relaxed) > 0 { "stopped after " } else { "" };
    let (frames, kernels, seconds) = (done.frames, done.kernels.as_secs_f64(), time.as_secs_f64());
    eprintln!(
        "{}: {stopped}{frames} frames of {} x {} in {seconds:.2} s, {:.1} a second; kernels ran {:.2} ms a frame",
        device.name(),
        to.width,
        to.height,
        frames as f64 / seconds,
        kernels * 1e3 / frames.max(1) as f64,
    );
    Ok(())
}

/// The stream, and its number of frames if that is known.
fn open(options: &Options, frames: usize) -> Result<(Box<dyn BufRead + Send>, Option<u64>)> {
    Ok(match options.input() {
        None => (Box::new(card::stream(frames, options.kernel)), None),
        Some(Place::Pipe) => {
            ensure!(!stdin().is_terminal(), "the standard input is a terminal: pipe a Y4M stream into it");
            (Box::new(BufReader::new(stdin())), None)
        }
        Some(Place::File(path)) => {
            let name = || path.display().to_string();
            let file = File::open(path).with_context(name)?;
            let about = file.metadata().with_context(name)?;
            ensure!(!about.is_dir(), "{}: this is a folder, not a video", path.display());
            (Box::new(BufReader::new(file)), about.is_file().then_some(about.len()))
        }
    })
}

/// The output file or pipe.
fn create(options: &Options) -> Result<Output> {
    Ok(match options.output() {
        Place::Pipe => {
            ensure!(!stdout().is_terminal(), "the standard output is a terminal: pipe it, or name a file");
            Output::Pipe(stdout())
        }
        Place::File(path) => {
            if let Some(Place::File(input)) = options.input() {
                ensure!(!same(input, path), "{}: the output is the input; choose another", path.display());
            }
            let file = File::create(path).with_context(|| path.display().to_string())?;
            Output::File(file, path.to_owned())
        }
    })
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

fn described(input: Option<Place<'_>>) -> String {
    match input {
        None => "the stream of the program".to_owned(),
        Some(Place::Pipe) => "the standard input".to_owned(),
        Some(Place::File(path)) => path.display().to_string(),
    }
}

/// Bytes of a frame including its header line.
fn frame(header: &stream::Header) -> u64 {
    length(header, 1) - length(header, 0)
}

/// A progress bar on the standard error, if that is a terminal.
fn progress(frames: Option<u64>) -> ProgressBar {
    let (bar, template) = match frames {
        Some(frames) => (ProgressBar::new(frames), "{wide_bar} {pos}/{len} frames, {per_sec}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {pos} frames, {per_sec}"),
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
