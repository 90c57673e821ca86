//! The maximum flow by augmenting paths, with Dinic's algorithm: from pixels above 0, along steps that lead
//! away from them, to pixels below 0.

use std::collections::VecDeque;

use super::Graph;

/// The maximum flow from the source to the sink.
#[must_use]
pub fn maximum_flow(graph: &Graph) -> i64 {
    let mut graph = graph.clone();
    let mut flow = 0;
    loop {
        let Some(levels) = levels(&graph) else { return flow };
        // For each pixel, the first side on which there may still be a path.
        let mut sides = vec![0; levels.len()];
        for start in 0..levels.len() {
            while graph.excess[start] > 0 && levels[start] == Some(0) {
                let Some(path) = path(&graph, &levels, &mut sides, start) else { break };
                flow += augment(&mut graph, start, &path);
            }
        }
    }
}

/// The number of steps from the nearest pixel with an excess to each pixel; `None` if no path leads to the
/// sink.
fn levels(graph: &Graph) -> Option<Vec<Option<u32>>> {
    let mut levels: Vec<Option<u32>> = graph.excess.iter().map(|&e| (e > 0).then_some(0)).collect();
    let mut next: VecDeque<usize> = (0..levels.len()).filter(|&at| levels[at].is_some()).collect();
    let mut reached = false;
    while let Some(at) = next.pop_front() {
        reached |= graph.excess[at] < 0;
        for side in 0..4 {
            let Some(other) = graph.neighbour(at, side) else { continue };
            if graph.capacity[side][at] > 0 && levels[other].is_none() {
                levels[other] = levels[at].map(|level| level + 1);
                next.push_back(other);
            }
        }
    }
    reached.then_some(levels)
}

/// The sides of a path from `start` to a pixel below 0.
fn path(
    graph: &Graph,
    levels: &[Option<u32>],
    sides: &mut [usize],
    start: usize,
) -> Option<Vec<(usize, usize)>> {
    let mut path: Vec<(usize, usize)> = vec![];
    let mut at = start;
    while graph.excess[at] >= 0 {
        let side = sides[at];
        if side == 4 {
            // There is no path from here: go back one step.
            at = path.pop()?.0;
            sides[at] += 1;
            continue;
        }
        let onward = graph.neighbour(at, side).filter(|&other| {
            graph.capacity[side][at] > 0 && levels[other] == levels[at].map(|level| level + 1)
        });
        match onward {
            Some(other) => {
                path.push((at, side));
                at = other;
            }
            None => sides[at] += 1,
        }
    }
    Some(path)
}

/// Sends as much flow along a path as it can take. Returns the amount.
fn augment(graph: &mut Graph, start: usize, path: &[(usize, usize)]) -> i64 {
    let end = path.last().and_then(|&(at, side)| graph.neighbour(at, side)).unwrap_or(start);
    let narrowest = path.iter().map(|&(at, side)| graph.capacity[side][at]).min().unwrap_or(0);
    let flow = narrowest.min(graph.excess[start]).min(-graph.excess[end]);
    graph.excess[start] -= flow;
    graph.excess[end] += flow;
    for &(at, side) in path {
        graph.capacity[side][at] -= flow;
        if let Some(other) = graph.neighbour(at, side) {
            graph.capacity[3 - side][other] += flow;
        }
    }
    i64::from(flow)
}
