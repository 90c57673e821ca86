//! Runs a stretch: a range of groups, or of the threads of a wave.

use std::cell::Cell;
use std::ops::Range;

use cm_compiler::ir::{Grid, Line};

use super::argument::Argument;
use super::engine::{Machine, Program};
use super::group::{Before, Team};
use super::isa::Isa;
use super::native::{Neighbours, Run};
use super::proof::Beside;
use super::teams::Teams;
use super::thread::{Current, CurrentIds, Interrupted, Launch, SIDE_BY_SIDE};
use crate::error::GroupFault;

/// The code that runs kernel threads.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Native(Neighbours),
    Recorded(&'static Program),
}

/// The execution of groups.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub(super) isa: Isa,
    pub(super) way: Way,
    pub(super) beside: Beside,
    pub(super) grid: Grid,
    pub(super) launch: Launch,
    pub(super) args: &'a [Argument<'a>],
}

impl Stretch<'_> {
    /// Runs a range of groups, in raster order, alone or as teams.
    pub(super) fn groups(self, teams: &Teams, groups: Range<usize>) {
        if !teams.run(|team, wanted| self.together(team, groups.clone(), wanted)) {
            self.run(groups);
        }
    }

    /// Runs a range of groups of threads that neither share memory nor wait for each other.
    fn run(self, groups: Range<usize>) {
        let (_interrupted, _before) = (Interrupted::new(), Before::without_team());
        let grid = self.grid;
        let native = match self.way {
            Way::Native(native) => native,
            Way::Recorded(program) => {
                let size = grid.group_size();
                let all = groups.len() * size;
                let threads =
                    groups.flat_map(|group| (0..size).map(move |thread| grid.origin(group, thread)));
                return self.program(program, all, threads);
            }
        };
        if grid.group_size() == 1 {
            // One division, and none for each row: those would take as long as the threads of a short row.
            let (width, mut left) = (grid.groups[0] as usize, groups.len());
            let [mut x, mut y, mut z] = grid.origin(groups.start, 0);
            let mut count = width - x as usize;
            while left > 0 {
                count = count.min(left);
                let pairs = if self.beside.has_pairs(self.isa) { count / SIDE_BY_SIDE } else { 0 };
                self.neighbours(native, [x, y, z], count, pairs);
                left -= count;
                (x, y, z) = if y + 1 < grid.groups[1] { (0, y + 1, z) } else { (0, 0, z + 1) };
                count = width;
            }
            return;
        }
        let width = grid.local[0] as usize;
        for group in groups {
            for first in (0..grid.group_size()).step_by(width) {
                self.neighbours(native, grid.origin(group, first), width, 0);
            }
        }
    }

    /// Runs a range of the threads of these lines.
    pub(super) fn lines(self, teams: &Teams, lines: &[Line], threads: Range<usize>) {
        let mut start = 0;
        for &line in lines {
            let count = line.count as usize;
            let [first, last] = [threads.start, threads.end].map(|n| n.saturating_sub(start).min(count));
            if first < last {
                self.line(teams, line, first..last);
            }
            start += count;
        }
    }

    /// Runs a range of threads of a line, one after the other or as a row.
    fn line(self, teams: &Teams, line: Line, threads: Range<usize>) {
        let origin = |n: usize| line.origin(n as u32);
        let group = |[x, y]: [u32; 2]| y as usize * self.grid.groups[0] as usize + x as usize;
        if teams.are_needed() {
            for group in threads.map(|n| group(origin(n))) {
                teams.run(|team, wanted| self.together(team, group..group + 1, wanted));
            }
        } else if line.step == [1, 0] {
            let first = group(origin(threads.start));
            self.run(first..first + threads.len());
        } else {
            let (_interrupted, _before) = (Interrupted::new(), Before::without_team());
            let origins = threads.clone().map(origin).map(|[x, y]| [x, y, 0]);
            match self.way {
                Way::Native(native) => origins.for_each(|origin| self.neighbours(native, origin, 1, 0)),
                Way::Recorded(program) => self.program(program, threads.len(), origins),
            }
        }
    }

    /// Runs groups whose threads share memory or wait for each other, as long as each is wanted.
    fn together(
        self,
        team: &Team,
        groups: Range<usize>,
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<(), (usize, GroupFault)> {
        let _interrupted = Interrupted::new();
        // The coordinates of the first thread of the group.
        let first = Cell::new([0; 3]);
        let origin = |position: [u32; 3]| {
            let first = first.get();
            std::array::from_fn(|axis| first[axis] + position[axis])
        };
        let begin = |group: usize| {
            first.set(self.grid.origin(group, 0));
            CurrentIds::enter(self.grid, first.get());
            wanted(group)
        };
        let enter = |position: [u32; 3]| {
            let origin @ [x, y, z] = origin(position);
            // The other ids are those of all threads of the group.
            if z != CurrentIds::z() {
                CurrentIds::enter(self.grid, origin);
            }
            Current::enter(self.launch, x, y);
        };
        team.run(groups, &begin, &enter, &|position| {
            let origin @ [x, y, _] = origin(position);
            match self.way {
                Way::Native(native) => {
                    native(self.isa, Run { launch: self.launch, x, y, team: true, args: self.args }, 1, 0);
                }
                Way::Recorded(program) => self.program(program, 1, [origin].into_iter()),
            }
        })
    }

    /// Runs a program for `all` threads with these coordinates.
    fn program(self, program: &'static Program, all: usize, origins: impl Iterator<Item = [u32; 3]>) {
        let threads = if self.beside == Beside::None { 1 } else { program.side_by_side(all) };
        let mut machine = Machine::new(program, self.args, self.launch, self.grid, threads);
        let mut next = Vec::with_capacity(threads);
        for origin in origins {
            next.push(origin);
            if next.len() == threads {
                machine.run(&next);
                next.clear();
            }
        }
        machine.run(&next);
    }

    /// Runs `count` neighbours of a row from this thread on, the first `pairs` pairs of them together.
    fn neighbours(self, native: Neighbours, origin: [u32; 3], count: usize, pairs: usize) {
        CurrentIds::enter(self.grid, origin);
        let [x, y, _] = origin;
        native(self.isa, Run { launch: self.launch, x, y, team: false, args: self.args }, count, pairs);
    }
}
