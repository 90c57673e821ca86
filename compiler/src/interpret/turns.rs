//! The turns of the threads of a group: each runs until it waits or ends, and then the next one runs.

use rustc_hash::FxHashMap;

use super::argument::{InterpretArg, Result};
use super::group::{After, Next, Places, State};
use super::thread::{At, Thread};
use crate::ir::{BarrierFault, Function, Grid, Inst, Label, Location, Member, Op, meet};

impl<'f> Thread<'_, '_, '_, 'f> {
    /// Runs until the thread waits or ends.
    fn turn(&mut self) -> Result<()> {
        while let Some(frame) = self.state.frames.last_mut() {
            let (inst, after) = (frame.insts.next(), frame.after);
            let next = match inst {
                Some(inst) => self.inst(inst)?,
                None => {
                    self.state.frames.pop();
                    self.after(after)?
                }
            };
            match next {
                Next::Goes => {}
                Next::Enter(block) => self.state.enter(block, After::Goes),
                Next::EnterLabelled(label, block) => self.state.enter(block, After::Labelled(label)),
                Next::Loop(inst) => self.round(inst)?,
                Next::Leave(label) => self.leave(label),
                Next::Wait => return Ok(()),
            }
        }
        self.places.named.end(self.state.number).map_err(BarrierFault::from)?;
        Ok(self.state.member.end()?)
    }

    /// The continuation after a block.
    fn after(&mut self, after: After<'f>) -> Result<Next<'f>> {
        Ok(match after {
            After::Goes | After::Labelled(_) => Next::Goes,
            After::Round(inst) => Next::Loop(inst),
            After::Test(inst) => {
                if let Op::Loop(_, condition, body) = &inst.op
                    && self.condition(*condition, At(&inst.location))?
                {
                    self.state.enter(body, After::Round(inst));
                }
                Next::Goes
            }
        })
    }

    /// Begins an iteration of a loop.
    fn round(&mut self, inst: &'f Inst) -> Result<()> {
        // Each iteration counts too: a loop may have no instructions.
        self.spend(&inst.location)?;
        if let Op::Loop(first, ..) = &inst.op {
            self.state.enter(first, After::Test(inst));
        }
        Ok(())
    }

    fn leave(&mut self, label: Label) {
        while let Some(frame) = self.state.frames.pop() {
            if matches!(frame.after, After::Labelled(labelled) if labelled == label) {
                return;
            }
        }
    }
}

/// Runs all threads of a group, each of which starts as this member.
pub(super) fn run(
    function: &Function,
    args: &mut [InterpretArg<'_>],
    (grid, group): (Grid, usize),
    member: &Member<Location>,
    (budget, print): (u64, &mut dyn FnMut(String)),
) -> Result<()> {
    let mut places = Places::new(function, args, grid.group_size());
    let mut states: Vec<State<'_>> = (0..grid.group_size())
        .map(|thread| {
            let (values, variables) = (FxHashMap::default(), FxHashMap::default());
            let origin = grid.origin(group, thread);
            let mut state = State {
                number: thread,
                origin,
                values,
                variables,
                left: budget,
                frames: vec![],
                member: member.clone(),
            };
            state.enter(&function.body, After::Goes);
            state
        })
        .collect();
    loop {
        let mut ran = false;
        for state in &mut states {
            if !state.member.has_ended() && !state.member.waits() && !places.named.holds(state.number) {
                ran = true;
                Thread { places: &mut places, grid, state, budget, print }.turn()?;
            }
        }
        if ran {
            continue;
        }
        places.named.stuck().map_err(BarrierFault::from)?;
        let mut members: Vec<Member<Location>> = states.iter().map(|state| state.member.clone()).collect();
        if !meet(&mut members)? {
            return Ok(());
        }
        for (state, member) in states.iter_mut().zip(members) {
            state.member = member;
        }
    }
}
