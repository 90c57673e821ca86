//! Barriers: of all threads of a group, and named ones.
//!
//! The barrier of all threads is the hardware's barrier 0. If a kernel uses it, its named barriers follow; the compiler
//! then counts one barrier more than the execution mode says.

use super::lowering::{Lowering, Result};
use crate::ir::{Function, Value};
use crate::limits;
use crate::ops::{BarrierRole, SyncKind};
use crate::spirv::binary::{ExecutionMode, Op};
use crate::spirv::emit::recipe::Missing;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::Val;
use crate::spirv::types::Ty;
use crate::text::parse;

/// A fence of shared local memory. On Gen9 its message covers surfaces and buffers too, but not on newer GPUs, and each
/// module is correct there.
const SHARED: u64 = 0x21;
/// A fence of surfaces and buffers.
const MEMORY: u64 = 0x01;
/// The halves of a barrier.
const SIGNAL: u64 = 1;
const WAIT: u64 = 0;

/// The number of named barriers of [`barrier_probe`]. More than 1, which a binary may state for other barriers.
pub const BARRIERS_OF_PROBE: u32 = 2;

/// A kernel with named barriers that every compiler accepts: IGC 1.0.12504 crashes on signals of a single
/// role. Its binary tells whether the compiler states the number of barriers.
#[must_use]
pub fn barrier_probe() -> Function {
    let text = format!(
        "file 0 \"named_barriers\"
         kernel named_barriers() named_barriers {BARRIERS_OF_PROBE} {{
           %0: u32 = constant 1 @0:1:1
           signal_both %0, %0, %0 @0:1:1
           wait_named %0 @0:1:1
         }}"
    );
    parse(&text).unwrap_or_else(|error| unreachable!("the text above is a kernel: {error}"))
}

/// The role of a thread in the signal of a named barrier.
const fn role_number(role: BarrierRole) -> u64 {
    match role {
        BarrierRole::ProducerConsumer => 0,
        BarrierRole::Producer => 1,
        BarrierRole::Consumer => 2,
    }
}

impl Lowering<'_> {
    /// Declares the number of named barriers.
    pub(crate) fn named_barriers(&mut self) -> Result<()> {
        if !self.target.has_named_barriers() {
            let first = |op: &crate::ir::Op| matches!(op, crate::ir::Op::Sync(kind, _) if kind.is_named());
            if let Some(inst) = self.function.body.instructions().find(|inst| first(&inst.op)) {
                self.at = inst.location.clone();
            }
            return Err(self.missing(Missing {
                what: "named barriers".into(),
                remedy: "Xe-HPC and newer GPUs have them; use `barrier()`, or launch the kernel on the CPU",
            }));
        }
        let count = self.function.named_barriers;
        limits::named_barriers(count, self.function.has_group_barriers())
            .map_err(|violation| self.broken(violation))?;
        self.builder.mode(ExecutionMode::NamedBarrierCountINTEL, Some(count as u32));
        Ok(())
    }

    /// A fence of surfaces and buffers.
    pub(crate) fn memory_fence(&mut self) {
        self.intrinsic(Intrinsic::Fence, &[MEMORY]);
    }

    /// Synchronises with other threads of the group.
    pub(crate) fn sync(&mut self, kind: SyncKind, operands: &[Value]) -> Result<()> {
        // What the thread wrote before is visible before the others continue.
        if !matches!(kind, SyncKind::Wait | SyncKind::WaitNamed) {
            // A fence takes time, so memory in which threads exchange nothing has none.
            if !self.exchanges || self.function.shared().next().is_some() {
                self.intrinsic(Intrinsic::Fence, &[SHARED]);
            }
            if self.exchanges {
                self.memory_fence();
            }
        }
        match (kind, operands) {
            (SyncKind::Fence, []) => {}
            (SyncKind::Barrier, []) => self.intrinsic(Intrinsic::Barrier, &[]),
            (SyncKind::Signal, []) => self.intrinsic(Intrinsic::SplitBarrier, &[SIGNAL]),
            (SyncKind::Wait, []) => self.intrinsic(Intrinsic::SplitBarrier, &[WAIT]),
            (SyncKind::WaitNamed, &[barrier]) => {
                let (wait, barrier) = (self.byte(WAIT), self.hardware_barrier(barrier)?);
                // The last argument is only used by signals.
                self.builder.call(Intrinsic::NamedBarrier, None, &[wait, barrier, wait]);
            }
            (kind, &[barrier, producers, consumers]) => {
                let Some(role) = kind.role() else { return Err(self.malformed("a barrier with numbers")) };
                let barrier = self.hardware_barrier(barrier)?;
                let same = self.same(producers, consumers)?;
                let producers = self.narrowed(producers)?;
                if role == BarrierRole::ProducerConsumer && same {
                    let signal = self.byte(SIGNAL);
                    self.builder.call(Intrinsic::NamedBarrier, None, &[signal, barrier, producers]);
                } else {
                    let (role, consumers) = (self.byte(role_number(role)), self.narrowed(consumers)?);
                    let arguments = [barrier, role, producers, consumers];
                    self.builder.call(Intrinsic::NamedBarrierSignal, None, &arguments);
                }
            }
            _ => return Err(self.malformed("a barrier with other numbers")),
        }
        Ok(())
    }

    fn byte(&mut self, number: u64) -> Val {
        self.builder.constant(Ty::I8, number)
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, numbers: &[u64]) {
        let numbers: Vec<Val> = numbers.iter().map(|number| self.byte(*number)).collect();
        self.builder.call(intrinsic, None, &numbers);
    }

    /// Whether two numbers are known to be equal.
    fn same(&self, a: Value, b: Value) -> Result<bool> {
        Ok(a == b
            || self.def(a)?.known.is_some_and(|known| self.def(b).is_ok_and(|b| b.known == Some(known))))
    }

    /// The lowest byte of a number.
    fn narrowed(&mut self, number: Value) -> Result<Val> {
        let def = self.def(number)?;
        Ok(match def.known {
            Some(known) => self.byte(known & 0xff),
            None => self.builder.op(Op::UConvert, Ty::I8, &[def.val]),
        })
    }

    /// The hardware's number of a named barrier.
    fn hardware_barrier(&mut self, barrier: Value) -> Result<Val> {
        let first = u64::from(self.function.has_group_barriers());
        if let Some(known) = self.def(barrier)?.known {
            return Ok(self.byte(known + first));
        }
        let barrier = self.narrowed(barrier)?;
        if first == 0 {
            return Ok(barrier);
        }
        let first = self.byte(first);
        Ok(self.builder.op(Op::IAdd, Ty::I8, &[barrier, first]))
    }
}
