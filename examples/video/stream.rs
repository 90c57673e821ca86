//! Streams in the format Y4M (YUV4MPEG2), only whole frames.
//!
//! The crate `y4m` (0.8) is not used: it treats a truncated frame as the end of the stream, accepts sizes
//! whose product overflows, and drops parameters that it does not know.

use std::fmt;
use std::io::{BufRead, ErrorKind, Read};

use anyhow::{Context, Result, bail, ensure};

/// The largest width and height.
pub(crate) const LARGEST: usize = 8192;
/// The line before the bytes of a frame.
pub(crate) const FRAME: &[u8] = b"FRAME\n";
/// The maximum length of a line of parameters in bytes.
const LONGEST_LINE: u64 = 4096;

/// The chroma subsampling: columns and rows of luma for each sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chroma {
    None,
    Every([usize; 2]),
}

/// The header of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) chroma: Chroma,
    /// The other parameters, unchanged: frame rate, fields, pixel aspect ratio, kind of chroma, extensions.
    parameters: Vec<String>,
}

impl Header {
    /// A stream with 25 frames per second, and chroma for 2 x 2 pixels.
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let parameters = ["F25:1", "Ip", "A1:1", "C420jpeg"].map(str::to_owned).to_vec();
        Self { width, height, chroma: Chroma::Every([2, 2]), parameters }
    }

    /// Reads the header of a stream.
    fn read(input: &mut impl BufRead) -> Result<Self> {
        let line = line(input)?.context("the stream is empty")?;
        let mut parts = line.split(' ').filter(|part| !part.is_empty());
        ensure!(parts.next() == Some("YUV4MPEG2"), "not a Y4M stream: it does not begin with YUV4MPEG2");
        let (mut width, mut height, mut chroma) = (None, None, Chroma::Every([2, 2]));
        let mut parameters = Vec::new();
        for part in parts {
            let size = |value: &str, what: &str| {
                let size = value.parse().ok().filter(|size| (1..=LARGEST).contains(size));
                size.with_context(|| format!("the {what} is `{value}`: it is a number from 1 to {LARGEST}"))
            };
            // `part` is not empty, and its first character may have several bytes.
            match part.split_at_checked(1) {
                Some(("W", value)) => width = Some(size(value, "width")?),
                Some(("H", value)) => height = Some(size(value, "height")?),
                Some((name, value)) => {
                    if name == "C" {
                        chroma = Chroma::named(value)?;
                    }
                    parameters.push(part.to_owned());
                }
                None => parameters.push(part.to_owned()),
            }
        }
        let width = width.context("the stream has no width: its first line has no W")?;
        let height = height.context("the stream has no height: its first line has no H")?;
        Ok(Self { width, height, chroma, parameters })
    }

    /// The same with another size.
    pub(crate) fn sized(self, width: usize, height: usize) -> Self {
        Self { width, height, ..self }
    }

    /// The same without fields.
    pub(crate) fn progressive(mut self) -> Self {
        match self.parameters.iter_mut().find(|part| part.starts_with('I')) {
            Some(part) => "Ip".clone_into(part),
            None => self.parameters.push("Ip".to_owned()),
        }
        self
    }

    /// The sizes of the planes.
    pub(crate) fn planes(&self) -> Vec<[usize; 2]> {
        let luma = [self.width, self.height];
        match self.chroma {
            Chroma::None => vec![luma],
            Chroma::Every([columns, rows]) => {
                let chroma = [self.width.div_ceil(columns), self.height.div_ceil(rows)];
                vec![luma, chroma, chroma]
            }
        }
    }

    /// Bytes of a frame without its header line.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.planes().iter().map(|[width, height]| width * height).sum()
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "YUV4MPEG2 W{} H{}", self.width, self.height)?;
        self.parameters.iter().try_for_each(|parameter| write!(f, " {parameter}"))
    }
}

impl Chroma {
    fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "mono" => Self::None,
            "420" | "420jpeg" | "420mpeg2" | "420paldv" => Self::Every([2, 2]),
            "422" => Self::Every([2, 1]),
            "444" => Self::Every([1, 1]),
            _ => bail!(
                "the chroma `{name}` is not supported: convert the stream to 8 bits of 420, 422, 444 or mono, for \
                 instance by ffmpeg's -pix_fmt yuv420p"
            ),
        })
    }
}

/// Reads frames.
pub(crate) struct Reader<R> {
    input: R,
    /// The name of the stream in errors.
    name: String,
    header: Header,
    frames: usize,
}

impl<R: BufRead> Reader<R> {
    pub(crate) fn new(mut input: R, name: String) -> Result<Self> {
        let header = Header::read(&mut input).with_context(|| name.clone())?;
        Ok(Self { input, name, header, frames: 0 })
    }

    pub(crate) const fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the bytes of the next frame. Returns `false` at the end of the stream.
    ///
    /// # Errors
    /// If the frame is incomplete. The error gives its number; the first frame is number 1.
    pub(crate) fn read(&mut self, frame: &mut Vec<u8>) -> Result<bool> {
        let number = self.frames + 1;
        let whole = self.read_frame(frame).with_context(|| format!("{}: frame {number}", self.name))?;
        self.frames += usize::from(whole);
        Ok(whole)
    }

    fn read_frame(&mut self, frame: &mut Vec<u8>) -> Result<bool> {
        let Some(line) = line(&mut self.input)? else { return Ok(false) };
        let starts = line == "FRAME" || line.starts_with("FRAME ");
        ensure!(starts, "it does not begin with FRAME: the frame before it is longer than the header says");
        let bytes = self.header.frame_bytes();
        frame.resize(bytes, 0);
        let mut found = 0;
        while found < bytes {
            match self.input.read(&mut frame[found..]) {
                Ok(0) => bail!("the stream ends after {found} of its {bytes} bytes"),
                Ok(more) => found += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

/// A line without its end; `None` at the end of the input.
fn line(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let ended = bytes.pop() == Some(b'\n');
    ensure!(ended || bytes.len() + 1 == LONGEST_LINE as usize, "the stream ends in a line of parameters");
    ensure!(ended, "a line of parameters has more than {LONGEST_LINE} bytes: this is not a Y4M stream");
    Ok(Some(String::from_utf8(bytes).context("a line of parameters is not text: this is not a Y4M stream")?))
}

/// Bytes of a stream up to the end of frame `frames`.
pub(crate) fn length(header: &Header, frames: usize) -> u64 {
    header.to_string().len() as u64 + 1 + frames as u64 * (FRAME.len() + header.frame_bytes()) as u64
}
