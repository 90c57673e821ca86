//! The cheapest way to give each node one of two labels, as a minimum cut.

use std::collections::VecDeque;

/// A cost that is never paid.
pub(super) const NEVER: usize = 1 << 40;

/// The node of the labels `false`, and that of the labels `true`.
const ENDS: [usize; 2] = [0, 1];

/// Nodes, and costs of their labels.
#[derive(Default)]
pub(super) struct Network {
    /// For each node, the numbers of its edges.
    edges: Vec<Vec<usize>>,
    /// For each edge, the node that it leads to, and what it still takes. The opposite one of `n` is `n ^ 1`.
    to: Vec<(usize, usize)>,
}

impl Network {
    pub(super) fn new() -> Self {
        Self { edges: vec![vec![]; ENDS.len()], to: vec![] }
    }

    /// A node that costs `no` with the label `false` and `yes` with the label `true`.
    pub(super) fn node(&mut self, no: usize, yes: usize) -> usize {
        let node = self.edges.len();
        self.edges.push(vec![]);
        self.pay(node, no, yes);
        node
    }

    /// Further costs of a node.
    pub(super) fn pay(&mut self, node: usize, no: usize, yes: usize) {
        self.edge(ENDS[0], node, yes);
        self.edge(node, ENDS[1], no);
    }

    /// If one of `users` has the other label than `node`, this costs `no` if `node` has the label `false`, and `yes` otherwise.
    pub(super) fn differ(&mut self, node: usize, users: &[usize], [no, yes]: [usize; 2]) {
        if users.is_empty() {
            return;
        }
        let (below, above) = (self.node(0, 0), self.node(0, 0));
        self.edge(node, below, no);
        self.edge(above, node, yes);
        for user in users {
            self.edge(below, *user, NEVER);
            self.edge(*user, above, NEVER);
        }
    }

    fn edge(&mut self, from: usize, to: usize, most: usize) {
        if most > 0 {
            self.edges[from].push(self.to.len());
            self.edges[to].push(self.to.len() + 1);
            self.to.extend([(to, most), (from, 0)]);
        }
    }

    /// The labels of all nodes with the lowest cost, and with as many `false` ones as possible.
    pub(super) fn labels(mut self) -> Vec<bool> {
        loop {
            let levels = self.levels();
            if levels[ENDS[0]].is_none() {
                return levels.iter().map(Option::is_some).collect();
            }
            let mut next = vec![0; self.edges.len()];
            while self.fill(&levels, &mut next) {}
        }
    }

    /// How many edges that still take something are between a node and the node of the labels `true`.
    fn levels(&self) -> Vec<Option<usize>> {
        let mut levels = vec![None; self.edges.len()];
        let mut queue = VecDeque::from([ENDS[1]]);
        levels[ENDS[1]] = Some(0);
        while let Some(node) = queue.pop_front() {
            let level = levels[node].map(|level: usize| level + 1);
            for edge in &self.edges[node] {
                let (from, _) = self.to[*edge];
                if levels[from].is_none() && self.to[*edge ^ 1].1 > 0 {
                    levels[from] = level;
                    queue.push_back(from);
                }
            }
        }
        levels
    }

    /// Fills one more path between both ends. `next` are the edges of each node that were not tried.
    fn fill(&mut self, levels: &[Option<usize>], next: &mut [usize]) -> bool {
        let (mut path, mut node) = (Vec::<usize>::new(), ENDS[0]);
        while node != ENDS[1] {
            let Some(edge) = self.edges[node].get(next[node]).copied() else {
                // No way from here.
                let Some(back) = path.pop() else { return false };
                node = self.to[back ^ 1].0;
                next[node] += 1;
                continue;
            };
            let (to, most) = self.to[edge];
            let nearer = levels[to].is_some_and(|level| levels[node] == Some(level + 1));
            if most > 0 && nearer {
                path.push(edge);
                node = to;
            } else {
                next[node] += 1;
            }
        }
        let most = path.iter().map(|edge| self.to[*edge].1).min().unwrap_or(0);
        for edge in path {
            self.to[edge].1 -= most;
            self.to[edge ^ 1].1 += most;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_of_all_labels_is_found() {
        let mut state = 7_u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for _ in 0..300 {
            let count = 1 + random(7);
            let costs: Vec<_> = (0..count).map(|_| (random(9), random(9))).collect();
            let users: Vec<Vec<usize>> =
                (0..count).map(|node| (node + 1..count).filter(|_| random(3) == 0).collect()).collect();
            let turns: Vec<_> = (0..count).map(|_| [random(6), random(6)]).collect();
            let cost = |labels: &[bool]| -> usize {
                let own = (0..count).map(|n| if labels[n] { costs[n].1 } else { costs[n].0 });
                let turned = (0..count)
                    .filter(|n| users[*n].iter().any(|user| labels[*user] != labels[*n]))
                    .map(|n| turns[n][usize::from(labels[n])]);
                own.chain(turned).sum()
            };
            let mut network = Network::new();
            let nodes: Vec<_> = costs.iter().map(|(no, yes)| network.node(*no, *yes)).collect();
            for (n, node) in nodes.iter().enumerate() {
                let users: Vec<_> = users[n].iter().map(|user| nodes[*user]).collect();
                network.differ(*node, &users, turns[n]);
            }
            let labels = network.labels();
            let found: Vec<_> = nodes.iter().map(|node| labels[*node]).collect();
            let all =
                (0..1_u32 << count).map(|bits| (0..count).map(|n| bits >> n & 1 > 0).collect::<Vec<_>>());
            assert_eq!(Some(cost(&found)), all.map(|labels| cost(&labels)).min());
        }
    }
}
