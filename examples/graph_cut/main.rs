//! CM's tutorial 15, graph cut: `cargo run --release --example graph_cut -- [SIZE] [OUTPUT.png]`.
//!
//! It draws bright discs with noise in a picture of `SIZE` x `SIZE` pixels, and separates them from the
//! background. A pixel whose label contradicts its brightness has a cost, and so have two neighbours with
//! different labels. The cheapest labels are a minimum cut, which the kernels find by push-relabel. The
//! result is compared with the maximum flow, found by augmenting paths, and written below the picture.
//! `CM_DEVICE` selects the device.
//!
//! From time to time, the host sets the heights to the exact distances to the sink. CM's relabelling kernel
//! may read heights that it has already changed itself; this one writes to a second surface.

pub mod by_paths;
pub mod kernels;

use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::picture::Picture;
use cm_examples::{Arguments, Computed, bytes, numbers, on_devices, timed};
use kernels::{BLOCK, HIGHEST, gc_h_push, gc_relabel, gc_v_push};

/// Iterations of relabelling and pushing before the host computes the heights again.
const ROUNDS: usize = 8;
/// More turns than any picture here needs.
const MOST_TURNS: usize = 10_000;

/// The graph of a picture. Neighbours are to the north, west, east and south.
#[derive(Clone, Debug)]
pub struct Graph {
    size: usize,
    /// The flow from the source to a pixel, minus the flow that it can still pass to the sink.
    excess: Vec<i16>,
    capacity: [Vec<i16>; 4],
}

impl Graph {
    /// Bright pixels belong to the source; neighbours of similar brightness belong together.
    fn of_picture(picture: &[u8], size: usize) -> Self {
        let excess = picture.iter().map(|&grey| i16::from(grey) - 128).collect();
        let mut graph = Self { size, excess, capacity: [const { vec![] }; 4] };
        graph.capacity = [0, 1, 2, 3].map(|side| {
            let capacity = |at: usize| {
                let other = graph.neighbour(at, side)?;
                Some(1280 / (16 + i16::from(picture[at].abs_diff(picture[other]))))
            };
            (0..size * size).map(|at| capacity(at).unwrap_or(0)).collect()
        });
        graph
    }

    /// The neighbour of a pixel, if it is in the picture. Its neighbour on side `3 - side` is the pixel
    /// itself.
    fn neighbour(&self, at: usize, side: usize) -> Option<usize> {
        let (x, y) = (at % self.size, at / self.size);
        match side {
            0 => (y > 0).then(|| at - self.size),
            1 => (x > 0).then(|| at - 1),
            2 => (x + 1 < self.size).then(|| at + 1),
            _ => (y + 1 < self.size).then(|| at + self.size),
        }
    }

    /// The number of steps from each pixel to one that can pass something to the sink.
    fn heights(&self) -> Vec<u32> {
        let mut heights: Vec<u32> = self.excess.iter().map(|&e| if e < 0 { 0 } else { HIGHEST }).collect();
        let mut next: VecDeque<usize> = (0..heights.len()).filter(|&at| heights[at] == 0).collect();
        while let Some(at) = next.pop_front() {
            for side in 0..4 {
                let Some(other) = self.neighbour(at, side) else { continue };
                if heights[other] == HIGHEST && self.capacity[3 - side][other] > 0 {
                    heights[other] = heights[at] + 1;
                    next.push_back(other);
                }
            }
        }
        heights
    }

    /// The cost of labels, which say whether each pixel is in the foreground.
    fn cost(&self, in_front: &[bool]) -> i64 {
        let pixel = |at: usize| {
            let against = if in_front[at] { -self.excess[at] } else { self.excess[at] };
            let sides = (0..4).filter_map(|side| Some((side, self.neighbour(at, side)?)));
            let cut = sides.filter(|&(_, other)| in_front[at] && !in_front[other]);
            i64::from(against.max(0)) + cut.map(|(side, _)| i64::from(self.capacity[side][at])).sum::<i64>()
        };
        (0..in_front.len()).map(pixel).sum()
    }
}

fn main() -> ExitCode {
    let fits = |size: usize| (16..=1024).contains(&size) && size.is_multiple_of(BLOCK);
    let arguments = Arguments::size_and_picture(256, "a multiple of 8 from 16 to 1024", fits);
    on_devices(arguments, |device, size| {
        let picture = picture(size);
        let graph = Graph::of_picture(&picture, size);
        let (in_front, time) = segmented(device, graph.clone())?;
        let (most, loops) = timed(|| by_paths::maximum_flow(&graph));
        let cost = graph.cost(&in_front);
        ensure!(cost == most, "the cut costs {cost}, but the maximum flow is {most}");
        let labels: Vec<u8> = in_front.iter().map(|&front| if front { 255 } else { 0 }).collect();
        let drawn = Picture::of_greys(size, &[&picture, &labels]);
        let what = format!("a cut of {cost} through {size} x {size} pixels");
        Ok(Computed::new(what, labels, time, loops).with_picture(drawn))
    })
}

/// Bright discs in front of a dark ramp, with noise.
fn picture(size: usize) -> Vec<u8> {
    let pixel = |at: usize, noise: u32| {
        let (x, y) = (at % size, at / size);
        let disc = (x % 64).abs_diff(30).pow(2) + (y % 64).abs_diff(26).pow(2) < 20 * 20;
        let grey = if disc { 165 } else { 60 + x * 40 / size };
        (grey + (noise >> 16) as usize % 128).saturating_sub(64).min(255) as u8
    };
    numbers(15).take(size * size).enumerate().map(|(at, noise)| pixel(at, noise)).collect()
}

/// The pixels in the foreground, and the run time of the kernels.
fn segmented(device: &Device, mut graph: Graph) -> anyhow::Result<(Vec<bool>, Duration)> {
    let size = graph.size;
    let surface =
        |of: &[i16]| Surface2D::from_bytes(device, Format::R16, size, size, &bytes(of, i16::to_le_bytes));
    let mut excess = surface(&graph.excess)?;
    let [north, west, east, south] = &graph.capacity;
    let [mut north, mut west, mut east, mut south] =
        [surface(north)?, surface(west)?, surface(east)?, surface(south)?];
    let mut heights = Surface2D::new(device, Format::R32, size, size)?;
    let mut lifted = Surface2D::new(device, Format::R32, size, size)?;
    let threads = ThreadSpace::new(size / BLOCK, size / BLOCK)?;
    let down = threads.with_dependencies(DependencyPattern::HORIZONTAL_WAVE);
    let across = threads.with_dependencies(DependencyPattern::VERTICAL_WAVE);

    let mut time = Duration::ZERO;
    for _ in 0..MOST_TURNS {
        let exact = graph.heights();
        // The foreground is every pixel with an excess and no path to the sink, with everything that it can
        // reach.
        if graph.excess.iter().zip(&exact).all(|(&excess, &height)| excess <= 0 || height == HIGHEST) {
            return Ok((exact.iter().map(|&height| height == HIGHEST).collect(), time));
        }
        heights.write_bytes(&bytes(&exact, u32::to_le_bytes))?;
        for _ in 0..ROUNDS {
            time += gc_v_push::launch(device, down, &heights, &mut excess, &mut north, &mut south)?.elapsed();
            time += gc_h_push::launch(device, across, &heights, &mut excess, &mut west, &mut east)?.elapsed();
            time += gc_relabel::launch(
                device,
                threads,
                &heights,
                &excess,
                &north,
                &west,
                &east,
                &south,
                &mut lifted,
            )?
            .elapsed();
            std::mem::swap(&mut heights, &mut lifted);
        }
        graph.excess = words(&excess)?;
        graph.capacity = [words(&north)?, words(&west)?, words(&east)?, words(&south)?];
    }
    anyhow::bail!("no cut is found after {MOST_TURNS} turns")
}

fn words(surface: &Surface2D) -> anyhow::Result<Vec<i16>> {
    Ok(surface.to_vec()?.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect())
}
