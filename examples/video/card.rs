//! A generated stream: discs that move over a gradient, with noise.

use std::io::{BufRead, BufReader, Read};

use crate::options::Kernel;
use crate::stream::Header;

const WIDTH: usize = 640;
const HEIGHT: usize = 360;

/// A stream with this many frames. Frames for `deinterlace` have two fields, of which the second one is
/// later.
pub(crate) fn stream(frames: usize, kernel: Kernel) -> impl BufRead + Send + 'static {
    let header = Header::new(WIDTH, HEIGHT);
    let line = format!("{header}\n").into_bytes();
    let frames = (0..frames).map(move |n| {
        let mut bytes = b"FRAME\n".to_vec();
        frame(n, kernel == Kernel::Deinterlace, &mut bytes);
        bytes
    });
    BufReader::new(Pieces { pieces: std::iter::once(line).chain(frames), rest: Vec::new(), at: 0 })
}

/// Reads the bytes of pieces, one after the other.
struct Pieces<I> {
    pieces: I,
    rest: Vec<u8>,
    at: usize,
}

impl<I: Iterator<Item = Vec<u8>>> Read for Pieces<I> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.rest.len() {
            let Some(piece) = self.pieces.next() else { return Ok(0) };
            (self.rest, self.at) = (piece, 0);
        }
        let count = to.len().min(self.rest.len() - self.at);
        to[..count].copy_from_slice(&self.rest[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn frame(n: usize, fields: bool, to: &mut Vec<u8>) {
    let mut noise = cm_examples::numbers(n as u32 + 1);
    for y in 0..HEIGHT {
        let time = if fields { 2 * n + y % 2 } else { 2 * n };
        let (dx, dy) = (3 * time / 2, time / 2);
        to.extend((0..WIDTH).map(|x| {
            let (u, v) = ((x + WIDTH - dx % WIDTH) % 80, (y + dy) % 80);
            let disc = u.abs_diff(40).pow(2) + v.abs_diff(40).pow(2) < 30 * 30;
            let level = if disc { 180 } else { 40 + x * 96 / WIDTH };
            (level as u32 + (noise.next().unwrap_or(0) >> 28)) as u8
        }));
    }
    for plane in 0..2 {
        let sample = |at: usize| 96 + (at % (WIDTH / 2) / 8 + plane * at / WIDTH / 4 + n) % 64;
        to.extend((0..WIDTH / 2 * (HEIGHT / 2)).map(|at| sample(at) as u8));
    }
}
