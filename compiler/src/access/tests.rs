//! Random kernels with loops: what is proven is compared with all accesses of all threads.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::summary_in;
use crate::interpret::cases::RandomNumbers;
use crate::ir::Grid;
use crate::text::parse;

/// The bytes of each access.
const BYTES: usize = 16;

/// The largest number of rounds of a loop that are tried.
const ROUNDS: usize = 64;

/// Numbers that differ between threads: factors of the coordinates of the group, of the thread in it, and a constant.
#[derive(Clone, Copy, Debug)]
struct Sum {
    group: [u32; 2],
    local: u32,
    constant: u32,
}

impl Sum {
    fn of(self, [x, y, local]: [u32; 3]) -> u32 {
        let [a, b] = self.group;
        let all = [a.wrapping_mul(x), b.wrapping_mul(y), self.local.wrapping_mul(local), self.constant];
        all.into_iter().fold(0, u32::wrapping_add)
    }
}

/// A loop: its counter goes from `start` in steps of `step` while it compares with `bound`; another variable goes along.
#[derive(Clone, Copy, Debug)]
struct Loop {
    start: Sum,
    step: u32,
    /// Whether the step is subtracted.
    back: bool,
    bound: Sum,
    inclusive: bool,
    signed: bool,
    along: Sum,
    by: u32,
    down: bool,
}

impl Loop {
    /// The values of the counter and of the other variable in each round.
    fn rounds(self, thread: [u32; 3]) -> Vec<[u32; 2]> {
        let (mut i, mut along, bound) = (self.start.of(thread), self.along.of(thread), self.bound.of(thread));
        let mut rounds = vec![];
        let goes_on = |i: u32| {
            let (small, large) = if self.back { (bound, i) } else { (i, bound) };
            match (self.signed, self.inclusive) {
                (true, true) => small as i32 <= large as i32,
                (true, false) => (small as i32) < large as i32,
                (false, true) => small <= large,
                (false, false) => small < large,
            }
        };
        while goes_on(i) && rounds.len() < ROUNDS {
            rounds.push([i, along]);
            i = if self.back { i.wrapping_sub(self.step) } else { i.wrapping_add(self.step) };
            along = if self.down { along.wrapping_sub(self.by) } else { along.wrapping_add(self.by) };
        }
        rounds
    }
}

/// The text of a kernel.
#[derive(Default)]
struct Text {
    lines: String,
    values: u32,
}

impl Text {
    fn value(&mut self, op: &str) -> String {
        self.values += 1;
        let value = format!("%{}", self.values);
        writeln!(self.lines, "{value}: u32 = {op} @0:1:1").expect("a string");
        value
    }

    fn line(&mut self, line: &str) {
        writeln!(self.lines, "{line}").expect("a string");
    }

    fn number(&mut self, number: u32) -> String {
        self.value(&format!("constant {number}"))
    }

    fn computed(&mut self, kind: &str, a: &str, b: &str) -> String {
        self.value(&format!("{kind}.u32 {a}, {b}"))
    }

    fn times(&mut self, value: &str, factor: u32) -> String {
        let factor = self.number(factor);
        self.computed("mul", value, &factor)
    }

    fn sum(&mut self, sum: Sum) -> String {
        let mut all = self.number(sum.constant);
        let factors = [("group_x", sum.group[0]), ("group_y", sum.group[1]), ("local_x", sum.local)];
        for (id, factor) in factors {
            let id = self.value(&format!("thread {id}"));
            let term = self.times(&id, factor);
            all = self.computed("add", &all, &term);
        }
        all
    }

    /// A loop with the counter in variable `n` and the other variable in `n + 1`, and its body.
    fn looped(&mut self, n: usize, looped: Loop, body: &mut dyn FnMut(&mut Self, [String; 2])) {
        let (start, along) = (self.sum(looped.start), self.sum(looped.along));
        self.line(&format!("var ${n}: u32 = {start} @0:1:1"));
        self.line(&format!("var ${}: u32 = {along} @0:1:1", n + 1));
        self.line("loop @0:1:1 {");
        let (i, bound) = (self.value(&format!("load ${n}")), self.sum(looped.bound));
        let kind = match (looped.back, looped.inclusive) {
            (false, true) => "le",
            (false, false) => "lt",
            (true, true) => "ge",
            (true, false) => "gt",
        };
        let elem = if looped.signed { "i32" } else { "u32" };
        self.values += 2;
        let (mask, condition) = (self.values - 1, self.values);
        self.line(&format!("%{mask}: u16 = {kind}.{elem} {i}, {bound} @0:1:1"));
        self.line(&format!("%{condition}: condition = any %{mask} @0:1:1"));
        self.line("}");
        self.line(&format!("while %{condition} {{"));
        let other = self.value(&format!("load ${}", n + 1));
        body(self, [i, other]);
        for (variable, kind, by) in [
            (n, if looped.back { "sub" } else { "add" }, looped.step),
            (n + 1, if looped.down { "sub" } else { "add" }, looped.by),
        ] {
            let (before, by) = (self.value(&format!("load ${variable}")), self.number(by));
            let next = self.computed(kind, &before, &by);
            self.line(&format!("store ${variable}, {next}: u32 @0:1:1"));
        }
        self.line("}");
    }
}

/// Proofs hold for kernels with one or two loops, whose start, bound and steps depend on the thread, may be negative and may
/// wrap: no group accesses a byte of another one, and every access is covered. Offsets are rounded down to whole owords.
#[test]
fn proofs_about_loops_hold() {
    let (mut random, mut proven, mut left, mut shared, mut rounded) = (RandomNumbers::new(), [0; 2], 0, 0, 0);
    for _ in 0..16_000 {
        let mut pick = |from: &[i64]| from[random.next() as usize % from.len()] as u32;
        let grid =
            Grid { groups: [pick(&[1, 2, 3, 4]), pick(&[1, 1, 2, 3]), 1], local: [pick(&[1, 2, 4]), 1, 1] };
        let all = (grid.groups[0] * grid.groups[1] * grid.local[0]) as i64;
        let row = i64::from(grid.local[0]) * 16;
        // The linear number of the thread times 16, or other numbers.
        let linear = [row, row * i64::from(grid.groups[0]), 16];
        let mut looped = || {
            let spaced = pick(&[0, 1, 1, 1]) == 1;
            let factor = |n: usize, pick: &mut dyn FnMut(&[i64]) -> u32| match spaced {
                true => linear[n] as u32,
                false => pick(&[0, 0, 16, 32, 64, -16, 40]),
            };
            let start = Sum {
                group: [factor(0, &mut pick), factor(1, &mut pick)],
                local: factor(2, &mut pick),
                constant: pick(&[0, 0, 0, 64, -16, 0x7fff_ff00, 8]),
            };
            let none = Sum { group: [0; 2], local: 0, constant: 0 };
            let far = all * 16;
            let bound = Sum {
                group: [pick(&[0, 0, 0, 16]), 0],
                constant: pick(&[0, 16, 64, 200, 1000, 1024, far * 3, -8, 0x7fff_fff0, 0xffff_0000]),
                ..none
            };
            // Or the loop goes on up to the end of the group's part.
            let part = i64::from(pick(&[64, 80, 96, 256]));
            let own = Sum {
                group: [part as u32, (part * i64::from(grid.groups[0])) as u32],
                local: 16,
                constant: 0,
            };
            let end = pick(&[16, 40, 64, 65, 80, 96, 256]);
            let (start, bound, step) = match pick(&[0, 0, 1]) {
                1 => (
                    Sum { constant: pick(&[0, 0, 8, -16]), ..own },
                    Sum { local: 0, constant: end, ..own },
                    row,
                ),
                _ => (start, bound, far),
            };
            let back = pick(&[0, 0, 0, 1]) == 1;
            let high = Sum { constant: start.constant.wrapping_add(far as u32 * 3), ..start };
            let start = if back { high } else { start };
            Loop {
                back,
                start: if pick(&[0, 1, 1]) == 1 { start } else { none },
                step: pick(&[step, step, step, 16, 32, far - 16, far + 64, 0, -16, 0x4000_0000]),
                bound,
                inclusive: pick(&[0, 1]) == 1,
                signed: pick(&[0, 1]) == 1,
                along: Sum { constant: pick(&[0, 4096]), ..none },
                by: pick(&[0, 16, 64, 256, -16, 24]),
                down: pick(&[0, 1]) == 1,
            }
        };
        let (outer, inner) = (looped(), looped());
        let nested = pick(&[0, 0, 1]) == 1;
        let factors =
            [pick(&[1, 1, 1, 4, 0x1000_0000]), pick(&[0, 0, 1]), pick(&[0, 1, 64]), pick(&[0, 0, 1])];
        let more = Sum {
            group: [pick(&[0, 0, 0, 16, 1024]), pick(&[0, 0, 512])],
            local: 0,
            constant: pick(&[0, 0, 20]),
        };

        let mut text = Text::default();
        let data = "%900: u32<1x4> = constant 0 @0:1:1";
        text.line(data);
        text.looped(0, outer, &mut |text, [i, along]| {
            let write = |text: &mut Text, others: Option<[String; 2]>| {
                let values = [Some(i.clone()), Some(along.clone())]
                    .into_iter()
                    .chain(others.map_or([None, None], |pair| pair.map(Some)));
                let mut at = text.sum(more);
                for (value, factor) in values.zip(factors) {
                    let Some(value) = value else { continue };
                    let term = text.times(&value, factor);
                    at = text.computed("add", &at, &term);
                }
                text.line(&format!("oword_write #0 {at}, %900: u32<1x4> @0:1:1"));
            };
            match nested {
                true => text.looped(2, inner, &mut |text, both| write(text, Some(both))),
                false => write(text, None),
            }
        });
        let text = format!("file 0 \"k.rs\" kernel k(b: write buffer u32) {{\n{}}}", text.lines);
        let function = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Some(segment) = summary_in(&function, grid, &[]).segment(0, grid) else {
            left += 1;
            continue;
        };
        let (mut owners, mut aligned) = (BTreeMap::new(), true);
        for (number, thread) in
            (0..grid.group_count()).flat_map(|n| (0..grid.group_size()).map(move |thread| (n, thread)))
        {
            let [x, y, z] = grid.origin(number, thread);
            let ids = [x / grid.local[0], y, x % grid.local[0]];
            let inside = if nested { inner.rounds(ids) } else { vec![[0; 2]] };
            for [i, along] in outer.rounds(ids) {
                for [j, beside] in &inside {
                    let terms = [i, along, *j, *beside].into_iter().zip(factors);
                    let at = terms.fold(more.of(ids), |at, (value, factor)| {
                        at.wrapping_add(value.wrapping_mul(factor))
                    });
                    aligned &= at.is_multiple_of(BYTES as u32);
                    let at = at & !(BYTES as u32 - 1);
                    assert!(segment.covers([x, y], || z, at, BYTES), "{at} in {ids:?} of {grid:?}\n{text}");
                    for byte in (0..BYTES as u32).filter_map(|byte| at.checked_add(byte)) {
                        let owner = *owners.entry(byte).or_insert(number);
                        assert_eq!(owner, number, "{byte} in {ids:?} of {grid:?}\n{text}");
                    }
                }
            }
        }
        proven[usize::from(nested)] += 1;
        rounded += usize::from(grid.group_count() > 1 && !aligned);
        shared += usize::from(grid.group_count() > 1 && owners.len() > 64 * grid.group_count());
    }
    let found = format!("{proven:?} {left} {shared} {rounded}");
    assert!(proven[0] > 800 && proven[1] > 100 && left > 1000 && shared > 100 && rounded > 100, "{found}");
}
