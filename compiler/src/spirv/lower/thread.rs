//! Thread ids.
//!
//! A kernel that does not use groups is launched in groups of one thread, so the number of the group is the
//! coordinate of the thread.

use super::lowering::Lowering;
use crate::ir::{Axis, ThreadId};
use crate::spirv::binary::Op;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;

impl Lowering<'_> {
    /// Emits an id of the thread.
    pub(crate) fn thread(&mut self, id: ThreadId) -> Val {
        if let Some(&val) = self.threads.get(&id) {
            return val;
        }
        let val = match id {
            ThreadId::Origin(axis) if self.builder.groups => {
                let [group, size] =
                    [ThreadId::Group(axis), ThreadId::LocalSize(axis)].map(|part| self.thread(part));
                let local = self.one_of(Intrinsic::LocalId, axis);
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
            ThreadId::Local(axis) => self.local(axis),
            ThreadId::LocalSize(axis) => self.one_of(Intrinsic::LocalSize, axis),
            ThreadId::GroupCount(axis) => self.one_of(Intrinsic::GroupCount, axis),
        };
        // A value from an inner block cannot be used in the blocks after it.
        if self.builder.in_entry() {
            self.threads.insert(id, val);
        }
        val
    }

    /// A local id. From Xe-HPG on, threads load their local ids from memory, where they follow the arguments
    /// of the kernel. Intel's compiler expects one register of arguments there, even if there are no
    /// arguments (surfaces and buffers do not count). In that case the driver of Debian 12 writes the ids
    /// first, so threads would read the ids of other threads. The size of a group counts as an argument, so
    /// its top bit, which is 0, is combined with the id.
    fn local(&mut self, axis: Axis) -> Val {
        let id = self.one_of(Intrinsic::LocalId, axis);
        if !self.target.loads_arguments() {
            return id;
        }
        let size = self.thread(ThreadId::LocalSize(axis));
        let top = self.builder.constant(Ty::I32, 31);
        let zero = self.builder.op(Op::ShiftRightLogical, Ty::I32, &[size, top]);
        self.builder.op(Op::BitwiseOr, Ty::I32, &[id, zero])
    }

    /// One element of a vector of three.
    fn one_of(&mut self, numbers: Intrinsic, axis: Axis) -> Val {
        let all = self.builder.value(numbers, Ty::I32.times(3), &[]);
        self.builder.element(all, axis as usize)
    }
}
