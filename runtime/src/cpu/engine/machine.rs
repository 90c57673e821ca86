//! Runs a program: several kernel threads at once, each instruction for all of them.
//!
//! Where threads part, the others wait: both arms of a branch are gone through, and a loop as long as one thread is in
//! it. Registers are computed for all threads, which nothing shows; variables, memory and lines only for those that
//! are here.

use std::ptr;

use cm_compiler::ir::{Bits, Field, Grid, Label, Part as SurfacePart, ThreadId};
use cm_compiler::printf::Printed;
use cm_dsl::cpu::{Detached, Environment, SurfaceAccess};

use super::elements::Extent;
use super::fastest::BEYOND;
use super::program::{Part, Place, Program, Run, Shape, Shown, Slot, Step};
use crate::cpu::argument::Argument;
use crate::cpu::buffer::BufferMemory;
use crate::cpu::surface::SurfaceMemory;
use crate::cpu::thread::{Around, Current, Launch};
use crate::cpu::{group, places, printing};

/// Kernel threads that run at once, at most: more would not fit the caches.
const MOST: usize = 64;

/// What the number of threads is a multiple of, if there are several.
const THREADS: usize = 8;

/// Bytes that registers of all threads have, about.
const ARENA: usize = 1 << 18;

/// Memory that a parameter is.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    Surface(SurfaceMemory),
    Buffer(BufferMemory),
    None,
}

/// Registers and arguments of kernel threads that run at once.
pub(in crate::cpu) struct Machine<'a> {
    program: &'static Program,
    args: &'a [Argument<'a>],
    pub(super) launch: Launch,
    pub(super) grid: Grid,
    /// How many threads registers have room for.
    pub(super) threads: usize,
    /// The registers.
    arena: Box<[u128]>,
    /// What accesses read or write, thread by thread.
    pub(super) stage: Box<[u64]>,
    pub(super) origins: Vec<[u32; 3]>,
    /// Whether a thread is here: 0 or 1.
    pub(super) here: Vec<u8>,
    /// How many are.
    running: usize,
    /// The block that a thread has left, and whose end it waits for.
    left: Vec<Option<Label>>,
    pub(super) memory: Vec<Memory>,
}

impl Program {
    /// Of `all` kernel threads that may run at the same time, how many do.
    pub(in crate::cpu) fn side_by_side(&self, all: usize) -> usize {
        let room = ARENA / self.bytes.max(1) / THREADS * THREADS;
        all.next_multiple_of(THREADS).min(room.clamp(THREADS, MOST))
    }
}

impl<'a> Machine<'a> {
    /// For so many threads: one, or a multiple of 8.
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
            arena: vec![0; (program.bytes * threads + BEYOND).div_ceil(size_of::<u128>())].into(),
            stage: vec![0; program.staged.div_ceil(size_of::<u64>()) * threads].into(),
            origins: vec![[0; 3]; threads],
            here: vec![0; threads],
            running: 0,
            left: vec![None; threads],
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

    /// Gives all threads a register of the same elements.
    fn fill(&mut self, slot: Slot, Shape { count, size }: Shape, element: &dyn Fn(usize) -> [u8; 8]) {
        let threads = self.threads;
        let bytes = self.bytes_mut(slot, count * size * threads);
        for (k, row) in bytes.chunks_exact_mut(size * threads).enumerate() {
            let element = element(k);
            row.chunks_exact_mut(size).for_each(|bytes| bytes.copy_from_slice(&element[..size]));
        }
    }

    /// Runs the kernel threads with these coordinates, at most as many as there is room for.
    pub(in crate::cpu) fn run(&mut self, origins: &[[u32; 3]]) {
        let Some(&first) = origins.first() else { return };
        self.enter(first);
        self.origins.fill(first);
        self.origins[..origins.len()].copy_from_slice(origins);
        self.here.fill(0);
        self.here[..origins.len()].fill(1);
        self.running = origins.len();
        for (memory, place) in self.memory.iter_mut().zip(&self.program.places) {
            *memory = bound(*place, self.args, self.launch);
        }
        self.block(&self.program.body);
    }

    /// Makes this OS thread run the kernel thread with these coordinates.
    pub(super) fn enter(&self, [x, y, z]: [u32; 3]) {
        Around::enter(self.grid, z);
        Current::enter(self.launch, x, y);
    }

    /// Where a register starts.
    fn at(&mut self, slot: Slot) -> *mut u8 {
        self.arena.as_mut_ptr().cast::<u8>().wrapping_add(slot.0 * self.threads)
    }

    /// Bytes of a register.
    pub(super) fn bytes(&self, slot: Slot, len: usize) -> &[u8] {
        let start = slot.0 * self.threads;
        &bytemuck::cast_slice(&self.arena)[start..start + len]
    }

    pub(super) fn bytes_mut(&mut self, slot: Slot, len: usize) -> &mut [u8] {
        let start = slot.0 * self.threads;
        &mut bytemuck::cast_slice_mut(&mut self.arena)[start..start + len]
    }

    /// A number of each thread: a register of one element.
    pub(super) fn numbers(&self, slot: Slot) -> &[u32] {
        bytemuck::cast_slice(self.bytes(slot, self.threads * size_of::<u32>()))
    }

    /// All registers.
    pub(super) fn registers(&mut self) -> &mut [u128] {
        &mut self.arena
    }

    /// The same, and what accesses read or write.
    pub(super) fn registers_and_stage(&mut self) -> (&mut [u128], &mut [u64]) {
        (&mut self.arena, &mut self.stage)
    }

    fn copy(&mut self, to: Slot, from: Slot, bytes: usize) {
        let start = from.0 * self.threads;
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.arena);
        all.copy_within(start..start + bytes * self.threads, to.0 * self.threads);
    }

    fn block(&mut self, steps: &'static [Step]) {
        for step in steps {
            if self.running == 0 {
                return;
            }
            self.step(step);
        }
    }

    fn step(&mut self, step: &'static Step) {
        match *step {
            Step::Compute { run, to, from, count, other } => {
                let (to, from) = (self.at(to), from.map(|slot| self.at(slot).cast_const()));
                // SAFETY: preparing gave every register a place of its own that has its elements, for all threads, and
                // whose start is a multiple of 16; that of the result is none of the operands'.
                unsafe { run(to, from, Extent { count, other, threads: self.threads }) };
            }
            Step::Copy { to, from, bytes } => self.copy(to, from, bytes),
            Step::Clear { to, bytes } => {
                let bytes = bytes * self.threads;
                self.bytes_mut(to, bytes).fill(0);
            }
            Step::Store { to, from, shape } => self.store(to, from, shape),
            Step::Thread { to, id } => {
                let (grid, start) = (self.grid, to.0 * self.threads / size_of::<u32>());
                let all: &mut [u32] = bytemuck::cast_slice_mut(&mut self.arena);
                for (to, &origin) in all[start..].iter_mut().zip(&self.origins) {
                    *to = match id {
                        ThreadId::Origin(axis) => origin[axis as usize],
                        _ => grid.id(origin, id),
                    };
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
                    // SAFETY: as for `Compute`: `first` elements are before the upper ones, and the registers in
                    // between have room for as many as there are at first.
                    unsafe { run(target, [lower, upper, upper].map(<*mut u8>::cast_const), extent) };
                    // Those without a partner.
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
            Step::Insert { to, from, value, ref part, shape } => {
                self.copy(to, from, shape.bytes());
                self.insert(to, value, part, shape.size);
            }
            Step::Access(ref access) => self.access(access),
            Step::Clock { to } => {
                let time = Detached::clock();
                let numbers = [time as u32, (time >> 32) as u32, 0, 0];
                self.fill(to, Shape { count: 4, size: 4 }, &|k| u64::from(numbers[k]).to_le_bytes());
            }
            // Several threads at once are of no group.
            Step::Sync { kind, at } => group::sync(kind, at.into()),
            Step::Print { template, ref values } => {
                for thread in (0..self.threads).filter(|&thread| self.here[thread] != 0) {
                    let values: Vec<_> = values.iter().map(|value| self.shown(value, thread)).collect();
                    let [x, y, _] = self.origins[thread];
                    printing::print(self.launch, [x, y], template, &values);
                }
            }
            Step::If { condition, ref then, ref otherwise } => self.branch(condition, then, otherwise),
            Step::Loop { ref first, condition, ref body } => self.repeat(first, condition, body),
            Step::Labelled { label, ref body } => {
                self.block(body);
                for (left, here) in self.left.iter_mut().zip(&mut self.here) {
                    if *left == Some(label) {
                        (*left, *here) = (None, 1);
                        self.running += 1;
                    }
                }
            }
            Step::Break(label) => {
                for (left, here) in self.left.iter_mut().zip(&mut self.here) {
                    if std::mem::take(here) != 0 {
                        *left = Some(label);
                    }
                }
                self.running = 0;
            }
        }
    }

    fn store(&mut self, to: Slot, from: Slot, shape: Shape) {
        if self.running == self.threads {
            return self.copy(to, from, shape.bytes());
        }
        // A word of a row has elements of several threads.
        let (side, bits) = (8 / shape.size, 8 * shape.size);
        let (row, words) = (self.threads / side, shape.count * self.threads / side);
        let mut masks = vec![0_u64; row];
        let mut thread = 0;
        while thread < self.threads {
            masks[thread / side] |=
                (u64::from(self.here[thread]) * (u64::MAX >> (64 - bits))) << (thread % side * bits);
            thread += 1;
        }
        let (to, from) = (to.0 * self.threads / 8, from.0 * self.threads / 8);
        let all: &mut [u64] = bytemuck::cast_slice_mut(&mut self.arena);
        let mut n = 0;
        while n < words {
            let mask = masks[n % row];
            all[to + n] = all[to + n] & !mask | all[from + n] & mask;
            n += 1;
        }
    }

    /// Copies elements of a thread.
    fn move_elements(&mut self, to: Slot, from: Slot, run: Run, size: usize, thread: usize) {
        let (threads, all) = (self.threads, bytemuck::cast_slice_mut::<u128, u8>(&mut self.arena));
        let (to, from) = (to.0 * threads + thread * size, from.0 * threads + thread * size);
        for k in 0..run.count {
            let (to, from) = (to + (run.to + k) * threads * size, from + (run.from + k) * threads * size);
            all.copy_within(from..from + size, to);
        }
    }

    fn region(&mut self, to: Slot, from: Slot, part: &'static Part, size: usize) {
        let bytes = size * self.threads;
        let (target, source) = (self.at(to), self.at(from));
        self.each_run(part, |machine, run, thread| match thread {
            // SAFETY: the registers differ, and preparing has seen that the runs lie inside of both.
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

    /// The runs of a part, of all threads at once if they are the same for all, else of each thread.
    fn each_run(&mut self, part: &'static Part, mut each: impl FnMut(&mut Self, Run, Option<usize>)) {
        let (start, last, runs) = match part {
            Part::Known(runs) => return runs.iter().for_each(|&run| each(self, run, None)),
            Part::From { start, last, runs } => (*start, *last, runs),
        };
        // The recording limits them; threads that are not here may have anything.
        let limited = |machine: &Self, thread: usize| (machine.numbers(start)[thread] as usize).min(last);
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
        let mut others = self.bytes(condition, self.threads).to_vec();
        let (mut thread, mut apart) = (0, 0);
        while thread < self.threads {
            let other = self.here[thread] & (others[thread] ^ 1);
            others[thread] = other;
            apart += usize::from(other);
            thread += 1;
        }
        if apart == 0 {
            return self.block(then);
        }
        if apart == self.running {
            return self.block(otherwise);
        }
        self.here.iter_mut().zip(&others).for_each(|(here, other)| *here &= !other);
        self.running -= apart;
        self.block(then);
        let came = std::mem::replace(&mut self.here, others);
        self.running = apart;
        self.block(otherwise);
        self.here.iter_mut().zip(came).for_each(|(here, came)| *here |= came);
        self.count();
    }

    fn repeat(&mut self, first: &'static [Step], condition: Slot, body: &'static [Step]) {
        let mut ended = vec![0; self.threads];
        loop {
            self.block(first);
            let start = condition.0 * self.threads;
            let goes_on = &bytemuck::cast_slice::<u128, u8>(&self.arena)[start..start + self.threads];
            let (mut thread, mut running) = (0, 0);
            while thread < self.threads {
                let (here, goes_on) = (self.here[thread], goes_on[thread]);
                ended[thread] |= here & (goes_on ^ 1);
                self.here[thread] = here & goes_on;
                running += usize::from(here & goes_on);
                thread += 1;
            }
            self.running = running;
            self.block(body);
            if self.running == 0 {
                break;
            }
        }
        self.here = ended;
        self.count();
    }

    fn count(&mut self) {
        self.running = self.here.iter().map(|&here| usize::from(here)).sum();
    }
}

/// The memory that a parameter is, as threads of a launch have it.
fn bound(place: Place, args: &[Argument<'_>], launch: Launch) -> Memory {
    match place {
        Place::Surface { of, plane, field } => {
            let Some(Argument::Surface(surface)) = args.get(of) else {
                unreachable!("the launch has checked its arguments")
            };
            let plane = surface.during(launch).part(SurfacePart::Plane(plane));
            Memory::Surface(field.map_or(plane, |field: Field| plane.part(SurfacePart::Field(field))))
        }
        Place::Buffer(index) => {
            let Some(Argument::Buffer(buffer)) = args.get(index) else {
                unreachable!("the launch has checked its arguments")
            };
            Memory::Buffer(buffer.during(launch))
        }
        Place::Shared(bytes) => Memory::Buffer(BufferMemory::of_group(bytes)),
        Place::Value => Memory::None,
    }
}

/// Makes accesses to the memory of groups those of a place in the kernel.
pub(super) fn named<T>(at: &'static cm_compiler::ir::Location, access: impl FnOnce() -> T) -> T {
    places::named(at.into(), access)
}
