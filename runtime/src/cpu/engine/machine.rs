//! Runs a program: each instruction runs for several kernel threads at once.
//!
//! If threads diverge, some of them wait: both arms of a branch are run, and a loop repeats until its last
//! thread has left. Registers are computed for all threads, which has no visible effect. Variables, memory
//! and printed lines change only for the active threads.

use std::ptr;

use cm_compiler::ir::{Bits, Field, Grid, Label, Part as SurfacePart, RowIds};
use cm_compiler::ops::SyncNumbers;
use cm_compiler::printf::Printed;
use cm_dsl::cpu::{Detached, Environment, SurfaceAccess};

use super::elements::{Compute, Extent};
use super::program::{Part, Place, Program, Run, Shape, Shown, Slot, Step};
use super::rows::BEYOND;
use super::threads::{MOST, Threads};
use crate::cpu::argument::Argument;
use crate::cpu::buffer::BufferMemory;
use crate::cpu::surface::SurfaceMemory;
use crate::cpu::thread::{Current, CurrentIds, Launch, RowOfThreads};
use crate::cpu::{group, places, printing};

/// If several threads run at once, their number is a multiple of this. Then rows of elements consist of whole
/// rounds of `vectors`.
const THREADS: usize = 32;

/// The number of element rows that a masked store writes at once.
const MASKED: usize = 4;

/// The approximate size in bytes of the registers of all threads.
const ARENA: usize = 1 << 18;

/// The memory of a parameter.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    Surface(SurfaceMemory),
    Buffer(BufferMemory),
    None,
}

/// The registers and arguments of the kernel threads that run at once.
pub(in crate::cpu) struct Machine<'a> {
    program: &'static Program,
    args: &'a [Argument<'a>],
    pub(super) launch: Launch,
    pub(super) grid: Grid,
    /// The number of threads that registers have space for.
    pub(super) threads: usize,
    /// The registers.
    arena: Arena,
    /// The data of accesses, thread by thread.
    pub(super) stage: Box<[u64]>,
    /// Scratch space for the element indices of a thread.
    pub(super) numbers: Vec<u32>,
    pub(super) origins: Vec<[u32; 3]>,
    /// The threads that run. Registers have space for more; the elements of those are unspecified.
    all: Threads,
    /// The active threads.
    pub(super) here: Threads,
    /// A set of threads as a byte mask, repeated for each row of a store.
    mask: (Threads, [[u64; MOST / 8]; MASKED]),
    /// The labelled blocks that threads have left, with the threads that wait for the end of the block.
    left: Vec<(Label, Threads)>,
    pub(super) memory: Vec<Memory>,
}

/// Memory for registers that starts at a cache line.
struct Arena {
    words: Box<[u128]>,
    /// The number of words before the first cache line.
    before: usize,
}

impl Arena {
    /// The size of a cache line in bytes.
    const LINE: usize = 64;

    /// An arena of `bytes` bytes, all 0.
    fn new(bytes: usize) -> Self {
        let words: Box<[u128]> = vec![0; (bytes + Self::LINE).div_ceil(size_of::<u128>())].into();
        let before = words.as_ptr().addr().wrapping_neg() % Self::LINE / size_of::<u128>();
        Self { words, before }
    }

    fn words(&self) -> &[u128] {
        &self.words[self.before..]
    }

    fn words_mut(&mut self) -> &mut [u128] {
        &mut self.words[self.before..]
    }
}

impl Program {
    /// How many of `all` kernel threads, which may run at the same time, run at once.
    pub(in crate::cpu) fn side_by_side(&self, all: usize) -> usize {
        let room = ARENA / self.end.bytes.max(1) / THREADS * THREADS;
        all.next_multiple_of(THREADS).min(room.clamp(THREADS, MOST))
    }
}

impl<'a> Machine<'a> {
    /// A machine for this number of threads, which is 1 or a multiple of 32.
    pub(in crate::cpu) fn new(
        program: &'static Program,
        args: &'a [Argument<'a>],
        launch: Launch,
        grid: Grid,
        threads: usize,
    ) -> Self {
        let mut machine = Self {
            program,
            args,
            launch,
            grid,
            threads,
            // Squares of elements are moved as a whole, also if a register ends inside of one.
            arena: Arena::new(program.end.start(threads) + BEYOND + size_of::<u64>() * threads),
            stage: vec![0; program.staged.div_ceil(size_of::<u64>()) * threads].into(),
            numbers: vec![],
            origins: vec![[0; 3]; threads],
            all: Threads::NONE,
            here: Threads::NONE,
            mask: (Threads::NONE, [[0; MOST / 8]; MASKED]),
            left: vec![],
            memory: vec![Memory::None; program.places.len()],
        };
        for (slot, shape, bits) in &program.constants {
            let bits = |k: usize| match bits {
                Bits::Splat(bits) => bits.to_le_bytes(),
                Bits::Each(all) => all[k].to_le_bytes(),
            };
            machine.fill(*slot, *shape, &|k| bits(k));
        }
        for &(slot, shape, argument) in &program.arguments {
            let Some(Argument::Uniform(bytes)) = args.get(argument) else {
                unreachable!("the launch has checked its arguments")
            };
            machine.fill(slot, shape, &|k| {
                let mut element = [0; 8];
                element[..shape.size].copy_from_slice(&bytes[k * shape.size..(k + 1) * shape.size]);
                element
            });
        }
        machine
    }

    /// Sets a register to the same elements for all threads.
    fn fill(&mut self, slot: Slot, Shape { count, size }: Shape, element: &dyn Fn(usize) -> [u8; 8]) {
        let threads = self.threads;
        let bytes = self.bytes_mut(slot, count * size * threads);
        for (k, row) in bytes.chunks_exact_mut(size * threads).enumerate() {
            let element = element(k);
            row.chunks_exact_mut(size).for_each(|bytes| bytes.copy_from_slice(&element[..size]));
        }
    }

    /// Runs the kernel threads with these coordinates. There must be space for them.
    pub(in crate::cpu) fn run(&mut self, origins: &[[u32; 3]]) {
        let Some(&first) = origins.first() else { return };
        self.enter(first);
        self.origins.fill(first);
        self.origins[..origins.len()].copy_from_slice(origins);
        self.all = Threads::first(origins.len());
        self.here = self.all;
        for (memory, place) in self.memory.iter_mut().zip(&self.program.places) {
            *memory = bound(*place, self.args, self.launch);
        }
        self.block(&self.program.body);
    }

    /// Makes the kernel thread with these coordinates the current one of this OS thread.
    pub(super) fn enter(&self, origin @ [x, y, _]: [u32; 3]) {
        CurrentIds::enter(self.grid, origin);
        Current::enter(self.launch, x, y);
    }

    /// The address of a register.
    fn at(&mut self, slot: Slot) -> *mut u8 {
        self.arena.words_mut().as_mut_ptr().cast::<u8>().wrapping_add(slot.start(self.threads))
    }

    /// The first `len` bytes of a register.
    pub(super) fn bytes(&self, slot: Slot, len: usize) -> &[u8] {
        let start = slot.start(self.threads);
        &bytemuck::cast_slice(self.arena.words())[start..start + len]
    }

    pub(super) fn bytes_mut(&mut self, slot: Slot, len: usize) -> &mut [u8] {
        let start = slot.start(self.threads);
        &mut bytemuck::cast_slice_mut(self.arena.words_mut())[start..start + len]
    }

    /// The number of a thread in a register of one element.
    pub(super) fn number(&self, slot: Slot, thread: usize) -> u32 {
        let all: &[u32] = bytemuck::cast_slice(self.arena.words());
        all[slot.start(self.threads) / size_of::<u32>() + thread]
    }

    /// The memory of all registers.
    pub(super) fn registers(&mut self) -> &mut [u128] {
        self.arena.words_mut()
    }

    /// The memory of all registers, and the data of accesses.
    pub(super) fn registers_and_stage(&mut self) -> (&mut [u128], &mut [u64]) {
        (self.arena.words_mut(), &mut self.stage)
    }

    fn copy(&mut self, to: Slot, from: Slot, bytes: usize) {
        let start = from.start(self.threads);
        let all: &mut [u8] = bytemuck::cast_slice_mut(self.arena.words_mut());
        all.copy_within(start..start + bytes * self.threads, to.start(self.threads));
    }

    fn block(&mut self, steps: &'static [Step]) {
        for step in steps {
            if self.here.is_empty() {
                return;
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &'static Step) {
        match *step {
            Step::Compute { run, to, from: [a, b, c], count, other, rows, pitches } => {
                let extent = Extent { count, other, threads: self.threads };
                let (mut to, mut a, mut b, mut c) = (self.at(to), self.at(a), self.at(b), self.at(c));
                let mut row = 0;
                loop {
                    // SAFETY: preparation assigned a separate place to every register, with space for its
                    // elements for all threads; the result does not share its place with an operand. The rows
                    // are inside of the registers.
                    unsafe { run(to, [a, b, c], extent) };
                    row += 1;
                    if row >= rows {
                        break;
                    }
                    to = to.wrapping_add(pitches[0] * self.threads);
                    a = a.wrapping_add(pitches[1] * self.threads);
                    b = b.wrapping_add(pitches[2] * self.threads);
                    c = c.wrapping_add(pitches[3] * self.threads);
                }
            }
            Step::Copy { to, from, bytes } => self.copy(to, from, bytes),
            Step::Clear { to, bytes } => {
                let bytes = bytes * self.threads;
                self.bytes_mut(to, bytes).fill(0);
            }
            Step::Store { run, to, from, shape } => self.store(run, to, from, shape),
            Step::Thread { to, id } => {
                let (mut row, start) = (CurrentIds::get(), to.start(self.threads) / size_of::<u32>());
                let all: &mut [u32] = bytemuck::cast_slice_mut(self.arena.words_mut());
                for (to, &origin) in all[start..].iter_mut().zip(&self.origins) {
                    if !row.contains(origin) {
                        row = RowIds::new(self.grid, origin);
                    }
                    let [x, y, _] = origin;
                    *to = row.id([x, y], id);
                }
            }
            Step::Reduce { run, to, from, spare, shape } => {
                let mut now = from;
                let mut count = shape.count;
                let mut spare = spare.into_iter().cycle();
                while count > 1 {
                    let first = count.next_power_of_two() / 2;
                    let next = if first == 1 { to } else { spare.next().unwrap_or(to) };
                    let upper = self.at(now).wrapping_add(first * shape.size * self.threads);
                    let (target, lower) = (self.at(next), self.at(now));
                    let extent = Extent { count: count - first, other: 0, threads: self.threads };
                    // SAFETY: as for `Compute`: `first` elements precede the upper ones, and the spare
                    // registers have space for as many elements as the operand.
                    unsafe { run(target, [lower, upper, upper], extent) };
                    // Copy the elements without a partner.
                    let paired = (count - first) * shape.size * self.threads;
                    let alone = first * shape.size * self.threads - paired;
                    // SAFETY: the registers differ, and both have `first` elements.
                    unsafe { ptr::copy_nonoverlapping(lower.add(paired), target.add(paired), alone) };
                    (now, count) = (next, first);
                }
                if shape.count == 1 {
                    self.copy(to, from, shape.size);
                }
            }
            Step::Region { to, from, ref part, size } => self.region(to, from, part, size),
            Step::Insert { to, value, ref part, size } => self.insert(to, value, part, size),
            Step::Access(ref access) => self.access(access),
            Step::Clock { to } => {
                let time = Detached::clock();
                let numbers = [time as u32, (time >> 32) as u32, 0, 0];
                self.fill(to, Shape { count: 4, size: 4 }, &|k| u64::from(numbers[k]).to_le_bytes());
            }
            // If several threads run at once, they have no group.
            Step::Sync { kind, ref operands, at } => {
                let numbers: SyncNumbers = operands.iter().map(|operand| self.number(*operand, 0)).collect();
                group::sync_at(kind, &numbers, at.into());
            }
            Step::Print { template, ref values } => {
                for thread in (0..self.threads).filter(|&thread| self.here.has(thread)) {
                    let values: Vec<_> = values.iter().map(|value| self.shown(value, thread)).collect();
                    printing::print(self.launch, self.origins[thread], template, &values);
                }
            }
            Step::If { condition, ref then, ref otherwise } => self.branch(condition, then, otherwise),
            Step::Loop { ref first, condition, ref body } => self.repeat(first, condition, body),
            Step::Labelled { label, ref body } => {
                self.block(body);
                if let Some(place) = self.left.iter().position(|(left, _)| *left == label) {
                    self.here = self.here.or(self.left.swap_remove(place).1);
                }
            }
            Step::Break(label) => {
                let here = std::mem::replace(&mut self.here, Threads::NONE);
                match self.left.iter_mut().find(|(left, _)| *left == label) {
                    Some((_, threads)) => *threads = threads.or(here),
                    None => self.left.push((label, here)),
                }
            }
        }
    }

    fn store(&mut self, run: Compute, to: Slot, from: Slot, Shape { count, size }: Shape) {
        if self.here == self.all {
            return self.copy(to, from, count * size);
        }
        if self.mask.0 != self.here {
            self.mask = (self.here, [self.here.bytes(); MASKED]);
        }
        // The mask has rows of `MOST` threads.
        let most = if self.threads == MOST { MASKED } else { 1 };
        let (mut to, mut from, mut left) = (self.at(to), self.at(from), count);
        while left > 0 {
            let count = left.min(most);
            let extent = Extent { count, other: 0, threads: self.threads };
            let mask = self.mask.1.as_ptr().cast::<u8>();
            // SAFETY: both registers have these elements, and the mask has a byte for each thread and row.
            unsafe { run(to, [mask, from, from], extent) };
            let bytes = count * size * self.threads;
            (to, from) = (to.wrapping_add(bytes), from.wrapping_add(bytes));
            left -= count;
        }
    }

    /// Copies elements of one thread.
    fn move_elements(&mut self, to: Slot, from: Slot, run: Run, size: usize, thread: usize) {
        let (threads, all) = (self.threads, bytemuck::cast_slice_mut::<u128, u8>(self.arena.words_mut()));
        let (to, from) = (to.start(threads) + thread * size, from.start(threads) + thread * size);
        for k in 0..run.count {
            let (to, from) = (to + (run.to + k) * threads * size, from + (run.from + k) * threads * size);
            all.copy_within(from..from + size, to);
        }
    }

    fn region(&mut self, to: Slot, from: Slot, part: &'static Part, size: usize) {
        let bytes = size * self.threads;
        let (target, source) = (self.at(to), self.at(from));
        self.each_run(part, |machine, run, thread| match thread {
            // SAFETY: the registers differ, and preparation has checked that the runs are inside of both.
            None => unsafe {
                let (target, source) = (target.add(run.to * bytes), source.add(run.from * bytes));
                ptr::copy_nonoverlapping(source, target, run.count * bytes);
            },
            Some(thread) => machine.move_elements(to, from, run, size, thread),
        });
    }

    fn insert(&mut self, to: Slot, value: Slot, part: &'static Part, size: usize) {
        let bytes = size * self.threads;
        let (target, source) = (self.at(to), self.at(value));
        self.each_run(part, |machine, run, thread| match thread {
            // SAFETY: as in `region`.
            None => unsafe {
                let (target, source) = (target.add(run.from * bytes), source.add(run.to * bytes));
                ptr::copy_nonoverlapping(source, target, run.count * bytes);
            },
            Some(thread) => {
                let run = Run { from: run.to, to: run.from, count: run.count };
                machine.move_elements(to, value, run, size, thread);
            }
        });
    }

    /// Calls `each` for the runs of a part: once for all threads if their offsets are equal, else for each
    /// thread.
    fn each_run(&mut self, part: &'static Part, mut each: impl FnMut(&mut Self, Run, Option<usize>)) {
        let (start, last, runs) = match part {
            Part::Known(runs) => return runs.iter().for_each(|&run| each(self, run, None)),
            Part::From { start, last, runs } => (*start, *last, runs),
        };
        // The recording limits the offsets; those of inactive threads are unspecified.
        let limited = |machine: &Self, thread: usize| (machine.number(start, thread) as usize).min(last);
        let first = limited(self, 0);
        let moved = |run: &Run, by: usize| Run { from: run.from + by, ..*run };
        if (1..self.threads).all(|thread| limited(self, thread) == first) {
            return runs.iter().for_each(|run| each(self, moved(run, first), None));
        }
        for thread in 0..self.threads {
            let by = limited(self, thread);
            runs.iter().for_each(|run| each(self, moved(run, by), Some(thread)));
        }
    }

    fn shown(&self, shown: &Shown, thread: usize) -> Printed {
        let Shape { count, size } = shown.shape;
        let bytes = self.bytes(shown.slot, count * size * self.threads);
        let bits = (0..count).map(|k| {
            let at = (k * self.threads + thread) * size;
            bytes[at..at + size].iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
        });
        Printed { elem: shown.elem, columns: shown.columns, bits: bits.collect() }
    }

    fn branch(&mut self, condition: Slot, then: &'static [Step], otherwise: &'static [Step]) {
        let all = self.here;
        let others = all.without(self.those(condition));
        if others.is_empty() {
            return self.block(then);
        }
        if others == all {
            return self.block(otherwise);
        }
        self.here = all.without(others);
        self.block(then);
        let came = std::mem::replace(&mut self.here, others);
        self.block(otherwise);
        self.here = self.here.or(came);
    }

    fn repeat(&mut self, first: &'static [Step], condition: Slot, body: &'static [Step]) {
        let mut ended = Threads::NONE;
        loop {
            self.block(first);
            let goes_on = self.those(condition);
            ended = ended.or(self.here.without(goes_on));
            self.here = self.here.and(goes_on);
            self.block(body);
            if self.here.is_empty() {
                break;
            }
        }
        self.here = ended;
    }

    /// The threads for which a condition is true.
    fn those(&self, condition: Slot) -> Threads {
        let start = condition.start(self.threads) / size_of::<u64>();
        Threads::of(&bytemuck::cast_slice::<u128, u64>(self.arena.words())[start..], self.threads)
    }
}

/// The memory of a parameter during a launch.
fn bound(place: Place, args: &[Argument<'_>], launch: Launch) -> Memory {
    match place {
        Place::Surface { of, plane, field } => {
            let Some(Argument::Surface(surface)) = args.get(of) else {
                unreachable!("the launch has checked its arguments")
            };
            let plane = surface.during(launch, RowOfThreads::NONE).part(SurfacePart::Plane(plane));
            Memory::Surface(field.map_or(plane, |field: Field| plane.part(SurfacePart::Field(field))))
        }
        Place::Buffer(index) => {
            let Some(Argument::Buffer(buffer)) = args.get(index) else {
                unreachable!("the launch has checked its arguments")
            };
            Memory::Buffer(buffer.during(launch, RowOfThreads::NONE, None))
        }
        Place::Shared(bytes) => Memory::Buffer(BufferMemory::of_group(bytes)),
        Place::Value => Memory::None,
    }
}

/// Attributes accesses to the memory of a group to a place in the kernel. Threads of groups run alone.
pub(super) fn named<T>(alone: bool, at: &'static cm_compiler::ir::Location, access: impl FnOnce() -> T) -> T {
    if alone { places::named(at.into(), access) } else { access() }
}
