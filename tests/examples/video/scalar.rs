//! Scalar versions of the kernels of the example `video`.

/// A plane: its bytes, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Plane {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) bytes: Vec<u8>,
}

/// A frame: luma, and chroma if there is any.
pub(super) type Frame = Vec<Plane>;

impl Plane {
    pub(super) fn new(width: usize, height: usize, mut byte: impl FnMut(i32, i32) -> i32) -> Self {
        let byte = |at| byte((at % width) as i32, (at / width) as i32).clamp(0, 255) as u8;
        Self { width, height, bytes: (0..width * height).map(byte).collect() }
    }

    /// A byte; outside of the plane, the nearest one.
    fn at(&self, x: i32, y: i32) -> i32 {
        let x = x.clamp(0, self.width as i32 - 1) as usize;
        let y = y.clamp(0, self.height as i32 - 1) as usize;
        i32::from(self.bytes[y * self.width + x])
    }
}

pub(super) fn denoise(frames: &[Frame]) -> Vec<Frame> {
    let mut results: Vec<Frame> = vec![];
    for frame in frames {
        let before = results.last().unwrap_or(frame);
        results.push(frame.iter().zip(before).map(|(plane, before)| denoised(plane, before)).collect());
    }
    results
}

fn denoised(plane: &Plane, before: &Plane) -> Plane {
    // The best match of each block, and its difference.
    let found = |left: i32, top: i32| {
        let difference = |dx: i32, dy: i32| {
            let texels = (0..64).map(|n| (left + n % 8, top + n / 8));
            texels.map(|(x, y)| (plane.at(x, y) - before.at(x + dx, y + dy)).abs()).sum::<i32>()
        };
        let mut best = (difference(0, 0), 0, 0);
        for dy in -4..=4 {
            for dx in -4..=4 {
                let difference = difference(dx, dy);
                if difference < best.0 {
                    best = (difference, dx, dy);
                }
            }
        }
        best
    };
    let columns = plane.width.div_ceil(8);
    let blocks = columns * plane.height.div_ceil(8);
    let found: Vec<_> =
        (0..blocks).map(|n| found((n % columns * 8) as i32, (n / columns * 8) as i32)).collect();
    Plane::new(plane.width, plane.height, |x, y| {
        let (difference, dx, dy) = found[y as usize / 8 * columns + x as usize / 8];
        let (new, old) = (plane.at(x, y), before.at(x + dx, y + dy));
        match difference {
            0..384 => (new + 3 * old + 2) / 4,
            384..768 => (new + old + 1) / 2,
            _ => new,
        }
    })
}

pub(super) fn deinterlace(frames: &[Frame]) -> Vec<Frame> {
    let one = |n: usize| {
        let before = &frames[n.saturating_sub(1)];
        let planes = frames[n].iter().zip(before);
        planes
            .map(|(plane, before)| {
                Plane::new(plane.width, plane.height, |x, y| {
                    let moved = (plane.at(x, y) - before.at(x, y)).abs() > 10;
                    if y % 2 == 1 && moved {
                        (plane.at(x, y - 1) + plane.at(x, y + 1) + 1) / 2
                    } else {
                        plane.at(x, y)
                    }
                })
            })
            .collect()
    };
    (0..frames.len()).map(one).collect()
}

pub(super) fn scale(frames: &[Frame]) -> Vec<Frame> {
    const WEIGHTS: [i32; 4] = [1, 3, 3, 1];
    let one = |plane: &Plane| {
        Plane::new(plane.width.div_ceil(2), plane.height.div_ceil(2), |x, y| {
            let sum: i32 = (0..16)
                .map(|n| {
                    let (i, j) = (n % 4, n / 4);
                    let weight = WEIGHTS[i as usize] * WEIGHTS[j as usize];
                    weight * plane.at(2 * x - 1 + i, 2 * y - 1 + j)
                })
                .sum();
            (sum + 32) / 64
        })
    };
    frames.iter().map(|frame| frame.iter().map(one).collect()).collect()
}

pub(super) fn colour(frames: &[Frame]) -> Vec<Frame> {
    let one = |frame: &Frame| {
        let [luma, u, v] = &frame[..] else { panic!("three planes") };
        let (columns, rows) = (luma.width.div_ceil(u.width) as i32, luma.height.div_ceil(u.height) as i32);
        let mixed = |x: i32, y: i32, a: i32, b: i32| a * (u.at(x, y) - 128) + b * (v.at(x, y) - 128);
        let rounded = |sum: i32| (sum + 512).div_euclid(1024);
        vec![
            Plane::new(luma.width, luma.height, |x, y| {
                rounded(luma.at(x, y) * 1024 + mixed(x / columns, y / rows, -118, -213))
            }),
            Plane::new(u.width, u.height, |x, y| 128 + rounded(mixed(x, y, 1043, 117))),
            Plane::new(v.width, v.height, |x, y| 128 + rounded(mixed(x, y, 77, 1050))),
        ]
    };
    frames.iter().map(one).collect()
}
