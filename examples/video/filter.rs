//! A kernel with its surfaces: the work that is enqueued for a frame.

use std::mem;
use std::time::Duration;

use anyhow::{Result, bail};
use cm::prelude::*;
use cm::{Download, Enqueued, Scope};

use crate::kernels;
use crate::options::Kernel;
use crate::stream::{Chroma, Header};

/// A kernel with its surfaces, one for each plane.
pub(crate) struct Filter {
    kernel: Kernel,
    chroma: Chroma,
    frame: Vec<Surface2D>,
    /// For kernels that compare frames. The first frame is compared with itself.
    previous: Vec<Surface2D>,
    output: Vec<Surface2D>,
    first: bool,
}

/// A frame that the device may still be computing.
pub(crate) struct InFlight {
    planes: Vec<Download<u8>>,
    launches: Vec<Enqueued>,
}

/// The header of the stream that a kernel produces.
pub(crate) fn result(kernel: Kernel, header: Header) -> Result<Header> {
    Ok(match kernel {
        Kernel::Denoise => header,
        Kernel::Deinterlace => header.progressive(),
        Kernel::Scale => {
            let (width, height) = (header.width.div_ceil(2), header.height.div_ceil(2));
            header.sized(width, height)
        }
        Kernel::Colour if header.chroma == Chroma::None => {
            bail!("a stream without chroma has no colours: take another kernel")
        }
        Kernel::Colour => header,
    })
}

impl Filter {
    pub(crate) fn new(device: &Device, kernel: Kernel, from: &Header, to: &Header) -> cm::Result<Self> {
        let surfaces = |header: &Header| -> cm::Result<Vec<_>> {
            let planes = header.planes();
            planes.iter().map(|&[width, height]| Surface2D::new(device, Format::R8, width, height)).collect()
        };
        let previous = match kernel {
            Kernel::Denoise | Kernel::Deinterlace => surfaces(from)?,
            Kernel::Scale | Kernel::Colour => vec![],
        };
        let (frame, output) = (surfaces(from)?, surfaces(to)?);
        Ok(Self { kernel, chroma: from.chroma, frame, previous, output, first: true })
    }

    /// Enqueues a frame: its upload, the kernels and the download.
    pub(crate) fn enqueue(&mut self, scope: &Scope<'_>, frame: &[u8]) -> cm::Result<InFlight> {
        upload(scope, &mut self.frame, frame)?;
        if mem::take(&mut self.first) {
            upload(scope, &mut self.previous, frame)?;
        }
        let mut launches = Vec::new();
        match self.kernel {
            Kernel::Denoise | Kernel::Deinterlace => {
                for ((frame, previous), output) in self.frame.iter().zip(&self.previous).zip(&mut self.output)
                {
                    launches.push(match self.kernel {
                        Kernel::Denoise => {
                            kernels::denoise::enqueue(scope, space(output, 8, 8)?, frame, previous, output)?
                        }
                        _ => {
                            let space = space(output, 16, 8)?;
                            kernels::deinterlace::enqueue(scope, space, frame, previous, output)?
                        }
                    });
                }
            }
            Kernel::Scale => {
                for (frame, output) in self.frame.iter().zip(&mut self.output) {
                    launches.push(kernels::scale::enqueue(scope, space(output, 8, 8)?, frame, output)?);
                }
            }
            Kernel::Colour => self.colour(scope, &mut launches)?,
        }
        let planes: cm::Result<_> = self.output.iter().map(|plane| plane.enqueue_read(scope)).collect();
        // The device executes copies and kernels in order, so the surfaces are free for the next frame.
        match self.kernel {
            Kernel::Denoise => mem::swap(&mut self.previous, &mut self.output),
            Kernel::Deinterlace => mem::swap(&mut self.previous, &mut self.frame),
            Kernel::Scale | Kernel::Colour => {}
        }
        Ok(InFlight { planes: planes?, launches })
    }

    fn colour(&mut self, scope: &Scope<'_>, launches: &mut Vec<Enqueued>) -> cm::Result<()> {
        let ([luma, u, v], [out_luma, out_u, out_v]) = (&self.frame[..], &mut self.output[..]) else {
            return Ok(());
        };
        let threads = space(out_luma, 16, 8)?;
        launches.push(match self.chroma {
            Chroma::Every([1, 1]) => {
                kernels::luma::<8, 1, 16, 1>::enqueue(scope, threads, luma, u, v, out_luma)?
            }
            Chroma::Every([2, 1]) => {
                kernels::luma::<8, 1, 8, 2>::enqueue(scope, threads, luma, u, v, out_luma)?
            }
            _ => kernels::luma::<4, 2, 8, 2>::enqueue(scope, threads, luma, u, v, out_luma)?,
        });
        launches.push(kernels::chroma::enqueue(scope, space(out_u, 16, 8)?, u, v, out_u, out_v)?);
        Ok(())
    }
}

impl InFlight {
    /// Waits for the frame, and appends its bytes. Returns the time that its kernels took.
    pub(crate) fn finish(&self, header: &Header, to: &mut Vec<u8>) -> cm::Result<Duration> {
        let start = to.len();
        to.resize(start + header.frame_bytes(), 0);
        let mut rest = &mut to[start..];
        for (plane, [width, height]) in self.planes.iter().zip(header.planes()) {
            let (here, behind) = rest.split_at_mut(width * height);
            plane.read_into(here)?;
            rest = behind;
        }
        self.launches.iter().map(|launch| Ok(launch.wait()?.elapsed())).sum()
    }
}

/// The thread space for blocks of this many bytes and rows.
fn space(surface: &Surface2D, columns: usize, rows: usize) -> cm::Result<ThreadSpace> {
    ThreadSpace::new(surface.width().div_ceil(columns), surface.height().div_ceil(rows))
}

fn upload(scope: &Scope<'_>, planes: &mut [Surface2D], mut frame: &[u8]) -> cm::Result<()> {
    for plane in planes {
        let (bytes, rest) = frame.split_at(plane.width() * plane.height());
        plane.enqueue_write(scope, bytes)?;
        frame = rest;
    }
    Ok(())
}
