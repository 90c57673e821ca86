//! Whether threads of a group exchange data in surfaces and buffers.

use std::collections::BTreeSet;

use super::function::{Function, ParamKind};
use super::inst::{Block, Op};

/// The surfaces and buffers that were accessed, by their parameters.
#[derive(Default)]
struct Accessed {
    read: BTreeSet<usize>,
    written: BTreeSet<usize>,
}

/// A walk through the instructions of a function.
struct Walk<'a> {
    function: &'a Function,
    /// Before the last barrier or fence.
    before: Accessed,
    /// After it.
    since: Accessed,
    found: bool,
}

impl Function {
    /// Whether a thread can access a surface or buffer before a barrier or fence, and another one after it, and one of them
    /// writes.
    #[must_use]
    pub fn exchanges_in_memory(&self) -> bool {
        let mut walk =
            Walk { function: self, before: Accessed::default(), since: Accessed::default(), found: false };
        walk.block(&self.body, false);
        walk.found
    }
}

impl Walk<'_> {
    /// Walks through a block, which is perhaps in a loop that is `repeated`.
    fn block(&mut self, block: &Block, repeated: bool) {
        for inst in &block.insts {
            match inst.op {
                Op::Sync(..) => {
                    self.before.read.append(&mut self.since.read);
                    self.before.written.append(&mut self.since.written);
                }
                Op::Access { kind, param, .. } => {
                    let effect = kind.spec().effect;
                    self.access(param, effect.reads(), effect.writes());
                }
                _ => {}
            }
            // The start of a loop also follows its end. Two walks through the outermost loop are enough: what an inner loop
            // accessed in the first one comes before all of it in the second one.
            let again =
                !repeated && matches!(inst.op, Op::Loop(..)) && inst.op.blocks().any(Block::has_syncs);
            for _ in 0..=usize::from(again) {
                inst.op.blocks().for_each(|inner| self.block(inner, repeated || again));
            }
        }
    }

    fn access(&mut self, param: usize, reads: bool, writes: bool) {
        let params = &self.function.params;
        if matches!(params.get(param).map(|param| param.kind), Some(ParamKind::Shared { .. })) {
            return;
        }
        let whole = self.function.shown(param).of;
        let Accessed { read, written } = &self.before;
        self.found |= written.contains(&whole) || writes && read.contains(&whole);
        if reads {
            self.since.read.insert(whole);
        }
        if writes {
            self.since.written.insert(whole);
        }
    }
}

impl Block {
    fn has_syncs(&self) -> bool {
        self.instructions().any(|inst| matches!(inst.op, Op::Sync(..)))
    }
}

#[cfg(test)]
mod tests {
    use crate::text::parse;

    /// The end of a loop comes before its beginning, also in loops in loops.
    #[test]
    fn loops_go_round() {
        let exchanges = |depth: usize, before: &str, inside: &str, after: &str| {
            let text = format!(
                "file 0 \"k.rs\" kernel k(x: write buffer u32, n: u32) {{ %0: u32 = argument #1 @0:1:1
                 %1: u32<1x4> = splat %0 @0:1:1 %2: condition = known true @0:1:1 {before} {} {inside} {} {after} }}",
                "loop @0:1:1 { } while %2 {".repeat(depth),
                "}".repeat(depth)
            );
            parse(&text).unwrap_or_else(|error| panic!("{error}:\n{text}")).exchanges_in_memory()
        };
        let (read, write) =
            ("%3: u32<1x4> = oword_read #0 %0 @0:1:1", "oword_write #0 %0, %1: u32<1x4> @0:1:1");
        let barrier = "barrier @0:1:1";
        for depth in [1, 2, 100] {
            assert!(exchanges(depth, "", &format!("{barrier} {write}"), ""), "{depth}");
            assert!(exchanges(depth, "", &format!("{write} {read} {barrier}"), ""), "{depth}");
            assert!(exchanges(depth, write, &format!("{read} {barrier}"), ""), "{depth}");
            assert!(exchanges(depth, read, barrier, write), "{depth}");
            assert!(!exchanges(depth, "", &format!("{read} {barrier}"), ""), "{depth}");
            assert!(!exchanges(depth, barrier, &format!("{write} {read}"), barrier), "{depth}");
        }
    }

    #[test]
    fn accesses_on_both_sides_of_a_barrier() {
        let read = "%N: u32<1x4> = oword_read #0 %0";
        let write = "oword_write #0 %0, %1: u32<1x4>";
        let other = "oword_write #1 %0, %1: u32<1x4>";
        let (barrier, fence) = ("barrier", "fence");
        for (lines, expected) in [
            (&[write, barrier, read][..], true),
            (&[read, barrier, write], true),
            (&[write, barrier, write], true),
            (&[write, fence, read], true),
            (&[read, barrier, read], false),
            (&[write, read, barrier], false),
            (&[barrier, read, write], false),
            (&[write, barrier, other], false),
            (&[write, barrier, barrier, read], true),
        ] {
            let lines = lines
                .iter()
                .enumerate()
                .map(|(n, line)| format!("{} @0:{}:1\n", line.replace("%N", &format!("%{}", 2 + n)), n + 2));
            let text = format!(
                "file 0 \"k.rs\" kernel k(x: write buffer u32, y: write buffer u32, n: u32) {{\n\
                 %0: u32 = argument #2 @0:1:1\n%1: u32<1x4> = splat %0 @0:1:1\n{}}}",
                lines.collect::<String>()
            );
            let function = parse(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
            assert_eq!(function.exchanges_in_memory(), expected, "{text}");
        }
    }
}
