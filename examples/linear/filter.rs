//! The filter on a device: surfaces, launches, times.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow};
use cm::prelude::*;
use image::RgbImage;

use crate::kernels::{linear, linear1d2, linearslide, linearslide2};
use crate::options::{DeviceChoice, Kernel, Options};

/// Bytes and rows of the block that one kernel thread computes: 8 x 6 pixels.
const BLOCK_BYTES: usize = 24;
const BLOCK_ROWS: usize = 6;
/// Threads of a thread space, in each direction.
const MAX_THREADS: usize = 2047;
const MAX_WIDTH: usize = MAX_THREADS * BLOCK_BYTES / 3;
const MAX_HEIGHT: usize = MAX_THREADS * BLOCK_ROWS;

/// A device with the kernel to run on it.
pub(crate) struct Filter {
    device: Device,
    kernel: Kernel,
    passes: Passes,
}

/// How many times an image is filtered.
#[derive(Clone, Copy)]
pub(crate) enum Passes {
    /// Once. The time includes touching the memory for the first time.
    First,
    /// This many times, after a pass that is not timed.
    Warm(u32),
}

impl Filter {
    pub(crate) fn open(options: &Options, passes: Passes) -> Result<Self> {
        let device = match options.device {
            DeviceChoice::Best => Device::best(),
            DeviceChoice::Cpu => Device::cpu(),
            DeviceChoice::LevelZero(index) => Device::level_zero_at(index),
        };
        let device = device.context("cannot open the device")?;
        Ok(Self { device, kernel: options.kernel, passes })
    }

    pub(crate) fn device_name(&self) -> impl fmt::Display {
        self.device.name()
    }

    /// Filters the image with the requested number of passes; every pass reads the same pixels.
    pub(crate) fn apply(&self, rgb: &RgbImage) -> Result<(RgbImage, Timing)> {
        let (width, height) = (rgb.width() as usize, rgb.height() as usize);
        let bytes = width * 3;
        check_size(width, height)?;
        let space = ThreadSpace::new(bytes.div_ceil(BLOCK_BYTES), height.div_ceil(BLOCK_ROWS))?;
        let input = Surface2D::from_bytes(&self.device, Format::R8, bytes, height, rgb.as_raw())?;
        let mut output = Surface2D::new(&self.device, Format::R8, bytes, height)?;

        let mut pass = || -> Result<Duration> {
            let event = match self.kernel {
                Kernel::Linear => linear::launch(&self.device, space, &input, &mut output),
                Kernel::Linear1d2 => linear1d2::launch(&self.device, space, &input, &mut output),
                Kernel::LinearSlide => linearslide::launch(&self.device, space, &input, &mut output),
                Kernel::LinearSlide2 => linearslide2::launch(&self.device, space, &input, &mut output),
            };
            Ok(event?.elapsed())
        };
        let first = pass()?;
        let timing = match self.passes {
            Passes::First => Timing { pixels: width * height, warm: false, passes: vec![first] },
            Passes::Warm(count) => {
                let mut passes = (0..count).map(|_| pass()).collect::<Result<Vec<_>>>()?;
                passes.sort_unstable();
                Timing { pixels: width * height, warm: true, passes }
            }
        };

        let filtered = RgbImage::from_raw(rgb.width(), rgb.height(), output.to_vec()?)
            .context("the surface came back with another size")?;
        Ok((filtered, timing))
    }
}

/// Rejects an image with more blocks than a thread space has threads.
pub(crate) fn check_size(width: usize, height: usize) -> Result<()> {
    if width > MAX_WIDTH || height > MAX_HEIGHT {
        return Err(too_large(format_args!("an image of {width} x {height} pixels")));
    }
    Ok(())
}

/// The error for an image with more blocks than a thread space has threads.
pub(crate) fn too_large(what: impl fmt::Display) -> Error {
    anyhow!("{what} is too large for one thread space: the largest image is {MAX_WIDTH} x {MAX_HEIGHT}")
}

/// The times of the passes over an image, in ascending order.
pub(crate) struct Timing {
    pixels: usize,
    /// Whether an additional pass came first.
    warm: bool,
    passes: Vec<Duration>,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.passes[..] {
            [] => write!(f, "not run"),
            [time] if !self.warm => write!(f, "first pass {}, {}", Millis(time), self.rate(time)),
            [time] => write!(f, "warm pass {}, {}", Millis(time), self.rate(time)),
            [min, ..] => {
                let median = self.median();
                let passes = self.passes.len();
                write!(f, "{passes} warm passes, min {}, median {}", Millis(min), Millis(median))?;
                write!(f, ", {} in the median", self.rate(median))
            }
        }
    }
}

impl Timing {
    /// The median pass, or the mean of the two in the middle.
    fn median(&self) -> Duration {
        let middle = self.passes.len() / 2;
        if self.passes.len().is_multiple_of(2) {
            (self.passes[middle - 1] + self.passes[middle]) / 2
        } else {
            self.passes[middle]
        }
    }

    fn rate(&self, time: Duration) -> String {
        if time.is_zero() {
            return "too short to measure".to_owned();
        }
        // An image has far fewer pixels than the integers that f64 represents.
        let megapixels = self.pixels as f64 / 1e6;
        format!("{:.1} megapixels/s", megapixels / time.as_secs_f64())
    }
}

struct Millis(Duration);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms", self.0.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(millis: &[u64]) -> Timing {
        let warm = true;
        Timing {
            pixels: 2_000_000,
            warm,
            passes: millis.iter().copied().map(Duration::from_millis).collect(),
        }
    }

    #[test]
    fn one_pass_is_its_time_and_rate() {
        assert_eq!(timing(&[4]).to_string(), "warm pass 4.000 ms, 500.0 megapixels/s");
        let first = Timing { warm: false, ..timing(&[4]) };
        assert_eq!(first.to_string(), "first pass 4.000 ms, 500.0 megapixels/s");
        assert_eq!(timing(&[0]).to_string(), "warm pass 0.000 ms, too short to measure");
    }

    #[test]
    fn many_passes_are_minimum_and_median() {
        let odd = timing(&[1, 2, 9]).to_string();
        assert_eq!(odd, "3 warm passes, min 1.000 ms, median 2.000 ms, 1000.0 megapixels/s in the median");
        assert_eq!(timing(&[1, 2, 4, 9]).median(), Duration::from_millis(3));
    }
}
