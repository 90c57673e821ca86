//! What a kernel thread knows about itself.
//!
//! A kernel that does not ask for groups is launched in groups of one thread, so that the number of the group is
//! the coordinate of the thread.

use super::binary::Op;
use super::intrinsics::Intrinsic;
use super::lowering::Lowering;
use super::module::Val;
use super::types::Ty;
use crate::ir::{Axis, ThreadId};

impl Lowering<'_> {
    /// A number of the thread.
    pub(super) fn thread(&mut self, id: ThreadId) -> Val {
        if let Some(&val) = self.threads.get(&id) {
            return val;
        }
        let val = match id {
            ThreadId::Origin(axis) if self.builder.groups => {
                let [group, size, local] =
                    [ThreadId::Group(axis), ThreadId::LocalSize(axis), ThreadId::Local(axis)]
                        .map(|part| self.thread(part));
                let first = self.builder.op(Op::IMul, Ty::I32, &[group, size]);
                self.builder.op(Op::IAdd, Ty::I32, &[first, local])
            }
            ThreadId::Origin(axis) | ThreadId::Group(axis) => {
                let number = match axis {
                    Axis::X => Intrinsic::GroupIdX,
                    Axis::Y => Intrinsic::GroupIdY,
                    Axis::Z => Intrinsic::GroupIdZ,
                };
                self.builder.value(number, Ty::I32, &[])
            }
            ThreadId::Local(axis) => self.one_of(Intrinsic::LocalId, axis),
            ThreadId::LocalSize(axis) => self.one_of(Intrinsic::LocalSize, axis),
            ThreadId::GroupCount(axis) => self.one_of(Intrinsic::GroupCount, axis),
        };
        // Values of inner blocks do not reach the blocks after them.
        if self.builder.in_entry() {
            self.threads.insert(id, val);
        }
        val
    }

    /// One of three numbers.
    fn one_of(&mut self, numbers: Intrinsic, axis: Axis) -> Val {
        let all = self.builder.value(numbers, Ty::I32.times(3), &[]);
        self.builder.element(all, axis as usize)
    }
}
