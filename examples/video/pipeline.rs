//! Frames in flight: one thread reads, one computes, one writes.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, Stdout, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use cm::prelude::*;
use indicatif::ProgressBar;

use crate::filter::{Filter, InFlight};
use crate::stream::{FRAME, Header, Reader, length};

/// The number of frames that are read ahead, in flight, and waiting to be written; this many each.
const AHEAD: usize = 3;
/// How often a thread that waits for a frame checks whether to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The destination of frames.
pub(crate) enum Output {
    Pipe(Stdout),
    /// A file with this name. It contains only whole frames, even if writing fails.
    File(File, PathBuf),
}

/// The outcome.
#[derive(Debug)]
pub(crate) struct Done {
    /// The number of whole frames that were written.
    pub(crate) frames: usize,
    /// The time that the kernels took.
    pub(crate) kernels: Duration,
    /// The error that ended the stream, if there was one.
    pub(crate) ended: Result<()>,
}

/// Conditions that end a stream early.
#[derive(Clone, Copy)]
pub(crate) struct Until {
    pub(crate) frames: usize,
    /// Ends the stream if it is not 0.
    pub(crate) stops: &'static AtomicUsize,
}

/// Runs a filter over the frames. Errors are part of the result; the frames before an error have been
/// written.
pub(crate) fn run(
    device: &Device,
    mut filter: Filter,
    mut reader: Reader<impl BufRead + Send + 'static>,
    (output, header): (Output, Header),
    until: Until,
    bar: &ProgressBar,
) -> Done {
    let (read_to, read) = sync_channel(AHEAD);
    // Memory of processed frames, for reuse.
    let (empty_to, empty) = channel::<Vec<u8>>();
    // This thread may wait for its input forever, so it is never joined.
    thread::spawn(move || {
        loop {
            let mut frame = empty.try_recv().unwrap_or_default();
            let message = reader.read(&mut frame).map(|whole| whole.then_some(frame));
            let last = !matches!(message, Ok(Some(_)));
            if read_to.send(message).is_err() || last {
                break;
            }
        }
    });
    let (write_to, write) = sync_channel(AHEAD);
    // Memory of written frames, for reuse.
    let (written_to, written) = channel::<Vec<u8>>();
    let writer = {
        let header = header.clone();
        thread::spawn(move || write_all(output, &header, &write, &written_to))
    };

    let (mut kernels, mut ended) = (Duration::ZERO, Ok(()));
    let computed = device.scope(|scope| -> Result<()> {
        let mut in_flight: VecDeque<InFlight> = VecDeque::new();
        let (mut taken, mut open) = (0, true);
        loop {
            open &= taken < until.frames && until.stops.load(Ordering::Relaxed) == 0;
            let next =
                if open && in_flight.len() < AHEAD { next(&read, in_flight.is_empty()) } else { Next::None };
            match next {
                Next::Message(Ok(Some(frame))) => {
                    taken += 1;
                    let enqueued = filter.enqueue(scope, &frame).with_context(|| format!("frame {taken}"))?;
                    in_flight.push_back(enqueued);
                    // The reader may have ended.
                    let _ = empty_to.send(frame);
                    continue;
                }
                Next::Message(Ok(None)) => open = false,
                Next::Message(Err(error)) => (ended, open) = (Err(error), false),
                Next::Gone => bail!("the thread that reads has ended without a word"),
                Next::None => {}
            }
            // If there is nothing to enqueue, finish the oldest frame.
            if let Some(frame) = in_flight.pop_front() {
                let mut bytes = written.try_recv().unwrap_or_default();
                bytes.clear();
                bytes.extend(FRAME);
                kernels += frame.finish(&header, &mut bytes)?;
                if write_to.send(bytes).is_err() {
                    // The writer reports the reason.
                    break;
                }
                bar.inc(1);
            } else if !open {
                break;
            }
        }
        Ok(())
    });
    drop(write_to);
    let (frames, wrote) = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Done { frames, kernels, ended: wrote.and(computed).and(ended) }
}

/// A frame; `None` at the end.
type Message = Result<Option<Vec<u8>>>;

/// The state of the reader.
enum Next {
    Message(Message),
    /// Nothing yet.
    None,
    /// The reader has ended.
    Gone,
}

/// Takes a frame from the reader. If `waits`, it waits some time for one.
fn next(read: &Receiver<Message>, waits: bool) -> Next {
    let ended = if waits {
        match read.recv_timeout(PATIENCE) {
            Ok(message) => return Next::Message(message),
            Err(error) => error == RecvTimeoutError::Disconnected,
        }
    } else {
        match read.try_recv() {
            Ok(message) => return Next::Message(message),
            Err(error) => error == TryRecvError::Disconnected,
        }
    };
    if ended { Next::Gone } else { Next::None }
}

/// Writes the header and all frames. Returns the number of whole frames. If writing fails, a file is
/// truncated after them.
fn write_all(
    mut output: Output,
    header: &Header,
    frames: &Receiver<Vec<u8>>,
    written: &Sender<Vec<u8>>,
) -> (usize, Result<()>) {
    let mut whole = 0;
    let mut write = || -> Result<()> {
        output.write_all(format!("{header}\n").as_bytes()).context("the header cannot be written")?;
        for frame in frames {
            output.write_all(&frame).with_context(|| format!("frame {} cannot be written", whole + 1))?;
            whole += 1;
            // The receiver may have ended.
            let _ = written.send(frame);
        }
        Ok(())
    };
    let result = write();
    let result = result.with_context(|| match &output {
        Output::Pipe(_) => "the standard output".to_owned(),
        Output::File(_, path) => path.display().to_string(),
    });
    if let (Err(_), Output::File(file, _)) = (&result, &output) {
        // With a truncated header, nothing is kept.
        let end = file.metadata().map_or(0, |file| file.len());
        let whole = length(header, whole);
        // If this fails too, the error of the write is sufficient.
        let _ = file.set_len(if end < whole { 0 } else { whole });
    }
    (whole, result)
}

impl Output {
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Pipe(output) => output.write_all(bytes).and_then(|()| output.flush()),
            Self::File(output, _) => output.write_all(bytes),
        }
    }
}
