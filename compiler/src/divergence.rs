//! Conditions that differ between threads, as far as this is known without data: barriers that not all threads of a group
//! reach, and threads of a row that do not run the same instructions.
//!
//! The analysis follows numbers that differ between the threads, through operations and variables.

use rustc_hash::FxHashSet;

use crate::ir::{Axis, Block, Function, Inst, Label, Location, Op, ParamKind, ThreadId, Value, Variable};
use crate::ops::Effect;

/// The first barrier under a condition, in a loop or after an exit that depends on the thread. The contents of memory are not
/// known; executions find barriers that depend on them.
#[must_use]
pub fn divergent_barrier(function: &Function) -> Option<&Location> {
    Pass::of(function, Threads::Group).barrier
}

/// Whether all threads of a row run the same instructions, if each of them is a group of its own: no condition depends on their
/// column, or on memory that may be written meanwhile.
#[must_use]
pub fn rows_stay_together(function: &Function) -> bool {
    !Pass::of(function, Threads::Row).parts
}

/// The threads between which numbers differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// Those of a group.
    Group,
    /// Those of a row of groups of one thread.
    Row,
}

struct Pass<'f> {
    function: &'f Function,
    threads: Threads,
    /// Values, and variables, that may differ between the threads.
    differing: FxHashSet<Value>,
    variables: FxHashSet<Variable>,
    /// Loops, by the addresses of their first blocks, that only some of the threads leave by an exit.
    left: FxHashSet<*const Block>,
    barrier: Option<&'f Location>,
    /// Whether a condition may differ.
    parts: bool,
}

impl<'f> Pass<'f> {
    fn of(function: &'f Function, threads: Threads) -> Self {
        let (differing, variables, left) = Default::default();
        let mut pass = Self { function, threads, differing, variables, left, barrier: None, parts: false };
        loop {
            let known = pass.known();
            pass.barrier = None;
            pass.block(&function.body, false);
            // A store at the end of a loop reaches loads at its beginning, and threads that leave the loop in one iteration
            // are missing in the next one.
            if pass.known() == known {
                return pass;
            }
        }
    }

    /// How much is known. Another pass only adds to it.
    fn known(&self) -> usize {
        self.differing.len() + self.variables.len() + self.left.len()
    }

    /// Whether the result of an instruction may differ. One of its operands does if it `depends` on differing numbers.
    fn differs(&self, op: &Op, depends: bool) -> bool {
        match (self.threads, op) {
            (_, Op::Load(variable)) => self.variables.contains(variable),
            (Threads::Group, Op::Thread(id)) => matches!(id, ThreadId::Origin(_) | ThreadId::Local(_)),
            (Threads::Group, Op::Access { .. }) => false,
            (Threads::Row, Op::Thread(id)) => {
                matches!(id, ThreadId::Origin(Axis::X) | ThreadId::Local(Axis::X) | ThreadId::Group(Axis::X))
            }
            (Threads::Row, Op::Access { kind, param, .. }) => {
                let constant = self.function.params.get(*param).is_some_and(|param| {
                    use ParamKind::{Buffer, Surface, Surface3d};
                    // What a view is a part of may be written.
                    matches!(param.kind, Surface { .. } | Surface3d { .. } | Buffer { .. })
                        && !param.kind.is_writable()
                });
                depends || !constant || kind.spec().effect != Effect::Read
            }
            (Threads::Row, Op::Clock) => true,
            _ => depends,
        }
    }

    /// Traverses a block; `apart` says whether only some of the threads get here. Returns the labels that only some of
    /// them leave.
    fn block(&mut self, block: &'f Block, apart: bool) -> FxHashSet<Label> {
        let mut left = FxHashSet::default();
        for inst in &block.insts {
            let apart = apart || !left.is_empty();
            left.extend(self.inst(inst, apart));
        }
        left
    }

    fn inst(&mut self, inst: &'f Inst, apart: bool) -> FxHashSet<Label> {
        let differs = inst.op.operands().iter().any(|operand| self.differing.contains(operand));
        match &inst.op {
            op if op.is_group_barrier() && apart => _ = self.barrier.get_or_insert(&inst.location),
            Op::Declare(variable, _) | Op::Store(variable, _) if differs || apart => {
                self.variables.insert(*variable);
            }
            Op::Break(label) if apart => return FxHashSet::from_iter([*label]),
            Op::If(_, then, otherwise) => {
                self.parts |= differs;
                let mut left = self.block(then, apart || differs);
                left.extend(self.block(otherwise, apart || differs));
                return left;
            }
            Op::Loop(first, condition, body) => {
                let looped = std::ptr::from_ref(first);
                let apart = apart || self.left.contains(&looped) || self.differing.contains(condition);
                let mut left = self.block(first, apart);
                // The condition is computed in the first block.
                let apart = apart || !left.is_empty() || self.differing.contains(condition);
                left.extend(self.block(body, apart));
                if !left.is_empty() {
                    self.left.insert(looped);
                }
                self.parts |= self.differing.contains(condition);
                return left;
            }
            Op::Labelled(label, block) => {
                let mut left = self.block(block, apart);
                left.remove(label);
                return left;
            }
            op => {
                if self.differs(op, differs) {
                    self.differing.extend(inst.result);
                }
            }
        }
        FxHashSet::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// The line of the barrier that is found in a body with one instruction per line.
    fn found(body: &str) -> Option<u32> {
        let text = format!("file 0 \"k.rs\" kernel k(b: write buffer u32) {{ {body} }}");
        divergent_barrier(&parse(&text).unwrap()).map(|location| location.line)
    }

    #[test]
    fn rows_stay_together_unless_a_condition_depends_on_the_column_or_written_memory() {
        let params = "a: u32<1x1>, b: read buffer u32, c: write buffer u32";
        let together = |number: &str| {
            let loops = "var $0: u32 = %1 @0:1:1 loop @0:1:1 { %4: u32 = load $0 @0:1:1
                %5: u16 = lt.u32 %4, %2 @0:1:1 %6: condition = any %5 @0:1:1 } while %6 {
                %7: u32 = add.u32 %4, %2 @0:1:1 store $0, %7: u32 @0:1:1 }";
            let text = format!(
                "file 0 \"k.rs\" kernel k({params}) {{ %0: u32 = thread x @0:1:1 %1: u32 = constant 0 @0:1:1
                var $1: u32 = %1 @0:1:1 store $1, %0: u32 @0:1:1 var $2: u32 = %1 @0:1:1 %2: {number} @0:1:1 {loops} }}"
            );
            rows_stay_together(&parse(&text).unwrap_or_else(|error| panic!("{text}: {error}")))
        };
        for number in [
            "u32<1x1> = argument #0",
            "u32 = thread y",
            "u32<1x1> = gather #1 %1",
            "u32 = thread group_y",
            "u32 = load $2",
        ] {
            assert!(together(number), "{number}");
        }
        for number in [
            "u32 = thread x",
            "u32 = thread group_x",
            "u32<1x1> = gather #1 %0",
            "u32<1x1> = gather #2 %1",
            "u32 = clock",
            "u32 = load $1",
        ] {
            assert!(!together(number), "{number}");
        }
    }

    const CONDITION: &str = "%0: u32 = thread local_x @0:1:1 %1: u32 = constant 3 @0:1:1
        %2: u16 = lt.u32 %0, %1 @0:1:1 %3: condition = any %2 @0:1:1";

    #[test]
    fn conditions_that_differ_between_threads_are_followed() {
        let check = |body: &str| found(&format!("{CONDITION} {body}"));
        assert_eq!(check("barrier @0:2:1"), None);
        assert_eq!(check("if %3 @0:2:1 { barrier @0:3:1 }"), Some(3));
        assert_eq!(check("if %3 @0:2:1 { } else { wait @0:4:1 }"), Some(4));
        assert_eq!(check("if %3 @0:2:1 { fence @0:3:1 } barrier @0:4:1"), None);
        let stored = "var $0: u32 = %1 @0:2:1 if %3 @0:3:1 { store $0, %1: u32 @0:4:1 }
            %4: u32 = load $0 @0:5:1 %5: u16 = lt.u32 %4, %1 @0:5:1 %6: condition = any %5 @0:5:1";
        assert_eq!(check(&format!("{stored} if %6 @0:6:1 {{ signal @0:7:1 }}")), Some(7));
    }

    #[test]
    fn threads_that_left_do_not_come_to_what_follows() {
        let check = |body: &str| found(&format!("{CONDITION} {body}"));
        let left = "labelled ^0 @0:2:1 { if %3 @0:3:1 { break ^0 @0:4:1 } barrier @0:5:1 }";
        assert_eq!(check(left), Some(5));
        let behind = "labelled ^0 @0:2:1 { if %3 @0:3:1 { break ^0 @0:4:1 } } barrier @0:5:1";
        assert_eq!(check(behind), None);
        let round = "labelled ^0 @0:2:1 { loop @0:3:1 { %4: condition = known true @0:4:1 } while %4 {
            barrier @0:5:1 if %3 @0:6:1 { break ^0 @0:7:1 } } } barrier @0:8:1";
        assert_eq!(check(round), Some(5));
        let times = "loop @0:2:1 { } while %3 { barrier @0:3:1 }";
        assert_eq!(check(times), Some(3));
    }

    /// Exits and numbers reach the beginnings of all loops around them.
    #[test]
    fn nested_loops_are_followed_at_once() {
        let depth = 100;
        let nested = |first: &str, inside: &str| {
            let mut body = format!(
                "{CONDITION} %4: condition = known true @0:1:1 var $0: u32 = %1 @0:1:1 labelled ^0 @0:2:1 {{"
            );
            body += "loop @0:3:1 { } while %4 {";
            body += first;
            body += &" loop @0:3:1 { } while %4 {".repeat(depth);
            body + inside + &"}".repeat(depth + 2)
        };
        assert_eq!(found(&nested("barrier @0:5:1", "")), None);
        assert_eq!(found(&nested("barrier @0:5:1", "if %3 @0:6:1 { break ^0 @0:7:1 }")), Some(5));
        let loaded = "%5: u32 = load $0 @0:4:1 %6: u16 = lt.u32 %5, %1 @0:4:1 %7: condition = any %6 @0:4:1
            if %7 @0:4:1 { barrier @0:5:1 }";
        assert_eq!(found(&nested(loaded, "")), None);
        assert_eq!(found(&nested(loaded, "store $0, %0: u32 @0:6:1")), Some(5));
        // The condition of a loop that is computed at its beginning, of what its body stores.
        let own = format!(
            "loop @0:3:1 {{ {} }} while %7 {{ store $0, %0: u32 @0:6:1 barrier @0:8:1 }}",
            loaded.split("if").next().unwrap()
        );
        assert_eq!(found(&nested("", &own)), Some(8));
    }

    /// Contents of memory, and values common to all threads of a group, are not known to differ.
    #[test]
    fn other_conditions_are_not_refused() {
        for number in ["thread group_x", "thread local_size_x", "constant 0"] {
            let body = format!(
                "%0: u32 = {number} @0:1:1 %1: u32<1x1> = gather #0 %0 @0:1:1 %2: u16 = lt.u32 %0, %1 @0:1:1
                 %3: condition = any %2 @0:1:1 if %3 @0:2:1 {{ barrier @0:3:1 }}"
            );
            assert_eq!(found(&body), None, "{number}");
        }
    }
}
