//! Memory accesses of programs. They run thread by thread, with all checks that a kernel thread makes.

use std::ops::Range;

use cm_compiler::ops::{Address, Carries, ChannelMask, Effect, vector_element};
use cm_dsl::cpu::{
    read_block, read_bytes, read_elements, read_texels, update_elements, update_texels, write_block,
    write_bytes, write_elements, write_texels,
};
use cm_dsl::elem::Elem;

use super::elements::Change;
use super::machine::{Machine, Memory, named};
use super::moves::{Rows, transpose};
use super::program::{Access, Slot};
use crate::cpu::buffer::BufferMemory;
use crate::cpu::surface::SurfaceMemory;

impl Machine<'_> {
    /// Runs an access for the active threads.
    pub(super) fn access(&mut self, access: &'static Access) {
        match access.spec.effect {
            Effect::Read => {
                self.each(access, Self::read);
                self.take_stage(access, access.to);
            }
            Effect::Write => {
                self.put_stage(access, access.data[0]);
                self.each(access, Self::write);
            }
            Effect::Update(_) => self.each(access, Self::update),
            Effect::Prefetch => {}
        }
    }

    /// Calls `run` for each active thread.
    fn each(&mut self, access: &'static Access, run: impl Fn(&mut Self, &'static Access, usize)) {
        let has_parts = match &self.memory[access.param] {
            Memory::Surface(surface) => surface.has_parts(),
            Memory::Buffer(buffer) => buffer.has_parts(),
            Memory::None => false,
        };
        let mut here = self.here;
        while let Some(thread) = here.pop() {
            if has_parts {
                self.enter(self.origins[thread]);
            }
            run(self, access, thread);
        }
    }

    /// The surface of an access, and the data of a thread in the stage.
    fn surface(&mut self, access: &Access, thread: usize) -> (&mut SurfaceMemory, &mut [u8]) {
        match &mut self.memory[access.param] {
            Memory::Surface(surface) => (surface, staged(&mut self.stage, access, thread)),
            Memory::Buffer(_) | Memory::None => {
                unreachable!("a verified function accesses memory of the right kind")
            }
        }
    }

    /// The buffer of an access, and the data of a thread in the stage.
    fn buffer(&mut self, access: &Access, thread: usize) -> (&mut BufferMemory, &mut [u8]) {
        match &mut self.memory[access.param] {
            Memory::Buffer(buffer) => (buffer, staged(&mut self.stage, access, thread)),
            Memory::Surface(_) | Memory::None => {
                unreachable!("a verified function accesses memory of the right kind")
            }
        }
    }

    fn position(&self, access: &Access, thread: usize) -> [i32; 2] {
        let [x, y, ..] = access.address;
        [self.number(x, thread) as i32, self.number(y, thread) as i32]
    }

    fn offset(&self, access: &Access, thread: usize) -> u32 {
        let alignment = match access.spec.address {
            Address::Bytes { alignment } => alignment.bytes() as u32,
            Address::Block | Address::Elements | Address::Vectors | Address::Texels(_) | Address::Pitched => {
                1
            }
        };
        self.number(access.address[0], thread) & !(alignment - 1)
    }

    /// The first bytes of elements, or of those of vectors. They wrap, as on the hardware. The caller returns the vector to
    /// `self.numbers`.
    fn starts(&mut self, access: &Access, thread: usize) -> Vec<u32> {
        let mut starts = match access.spec.address {
            Address::Vectors => self.elements_of_vectors(access, thread),
            _ => self.elements(access, thread),
        };
        let size = access.shape.size as u32;
        let mut k = 0;
        while k < starts.len() {
            starts[k] = starts[k].wrapping_mul(size);
            k += 1;
        }
        starts
    }

    /// The channels of a typed access, and the columns, rows and slices of its texels.
    fn texels(&self, access: &Access, thread: usize) -> (ChannelMask, Vec<[u32; 3]>) {
        let Carries::Texels(channels) = access.spec.carries else {
            unreachable!("typed accesses are what has such addresses")
        };
        let mut places = vec![[0; 3]; access.columns];
        for (n, slot) in access.address.iter().take(access.spec.address.operands().len()).enumerate() {
            let bytes = self.bytes(*slot, access.columns * self.threads * size_of::<u32>());
            let numbers: &[u32] = bytemuck::cast_slice(bytes);
            for (k, place) in places.iter_mut().enumerate() {
                place[n] = numbers[k * self.threads + thread];
            }
        }
        (channels, places)
    }

    /// The elements of a 2-D block that are inside: the first byte of each in the buffer, and in the block.
    fn pitched(&self, access: &Access, thread: usize) -> Vec<(u32, usize)> {
        let Carries::Block2d(form) = access.spec.carries else {
            unreachable!("2-D blocks are what has such addresses")
        };
        let [width, height, pitch, x, y] =
            access.address.map(|slot| i64::from(self.number(slot, thread) as i32));
        let (columns, size) = (access.columns, access.shape.size);
        let shape = [access.shape.count / columns, columns];
        let starts = form.starts(shape, size, [width, height, pitch], [x, y]);
        starts.into_iter().enumerate().filter_map(|(k, start)| Some((start?, k * size))).collect()
    }

    fn read(&mut self, access: &'static Access, thread: usize) {
        let alone = self.threads == 1;
        let (width, size) = (access.columns * access.shape.size, access.shape.size);
        match access.spec.address {
            Address::Block => {
                let position = self.position(access, thread);
                let (surface, bytes) = self.surface(access, thread);
                read_block(surface, position, width, bytes);
            }
            Address::Texels(_) => {
                let (channels, places) = self.texels(access, thread);
                let (surface, bytes) = self.surface(access, thread);
                read_texels(surface, channels, &places, bytes);
            }
            Address::Bytes { .. } => {
                let offset = self.offset(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                named(alone, access.at, || read_bytes(buffer, offset, bytes));
            }
            Address::Elements | Address::Vectors => {
                let starts = self.starts(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                named(alone, access.at, || read_elements(buffer, &starts, size, bytes));
                self.numbers = starts;
            }
            Address::Pitched => {
                let elements = self.pitched(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                bytes.fill(0);
                for (offset, run) in runs(&elements, size, width) {
                    named(alone, access.at, || read_bytes(buffer, offset, &mut bytes[run]));
                }
            }
        }
    }

    fn write(&mut self, access: &'static Access, thread: usize) {
        let alone = self.threads == 1;
        let (width, size) = (access.columns * access.shape.size, access.shape.size);
        match access.spec.address {
            Address::Block => {
                let position = self.position(access, thread);
                let (surface, bytes) = self.surface(access, thread);
                write_block(surface, position, width, bytes);
            }
            Address::Texels(_) => {
                let (channels, places) = self.texels(access, thread);
                let (surface, bytes) = self.surface(access, thread);
                write_texels(surface, channels, &places, bytes);
            }
            Address::Bytes { .. } => {
                let offset = self.offset(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                named(alone, access.at, || write_bytes(buffer, offset, bytes));
            }
            Address::Elements | Address::Vectors => {
                let starts = self.starts(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                named(alone, access.at, || write_elements(buffer, &starts, size, bytes));
                self.numbers = starts;
            }
            Address::Pitched => {
                let elements = self.pitched(access, thread);
                let (buffer, bytes) = self.buffer(access, thread);
                for (offset, run) in runs(&elements, size, width) {
                    named(alone, access.at, || write_bytes(buffer, offset, &bytes[run]));
                }
            }
        }
    }

    fn update(&mut self, access: &'static Access, thread: usize) {
        if matches!(access.spec.address, Address::Texels(_)) {
            return self.update_texels(access, thread);
        }
        match access.shape.size {
            1 => self.update_elements::<u8>(access, thread),
            2 => self.update_elements::<u16>(access, thread),
            4 => self.update_elements::<u32>(access, thread),
            _ => self.update_elements::<u64>(access, thread),
        }
    }

    /// Updates elements that have the size of a `T`.
    fn update_elements<T: Elem>(&mut self, access: &'static Access, thread: usize) {
        let (Memory::Buffer(mut buffer), Some(change)) = (self.memory[access.param], access.change) else {
            unreachable!("a verified function has atomic operations on buffers");
        };
        let (threads, alone) = (self.threads, self.threads == 1);
        let numbers = self.elements(access, thread);
        let changed = changed::<T>(self.registers(), access, change, (threads, thread));
        named(alone, access.at, || update_elements(&mut buffer, &numbers, changed));
        self.numbers = numbers;
    }

    /// Updates texels of one dword.
    fn update_texels(&mut self, access: &'static Access, thread: usize) {
        let (Memory::Surface(mut surface), Some(change)) = (self.memory[access.param], access.change) else {
            unreachable!("a verified function has atomic operations on texels of surfaces");
        };
        let (threads, (_, places)) = (self.threads, self.texels(access, thread));
        let changed = changed::<u32>(self.registers(), access, change, (threads, thread));
        update_texels(&mut surface, &places, changed);
    }

    /// The element indices of the vectors of a thread, row by row. The caller returns the vector to `self.numbers`.
    fn elements_of_vectors(&mut self, access: &Access, thread: usize) -> Vec<u32> {
        let (columns, size) = (access.columns, access.shape.size);
        let mut elements = std::mem::take(&mut self.numbers);
        elements.clear();
        let bytes = self.bytes(access.address[0], columns * self.threads * size_of::<u32>());
        let firsts: &[u32] = bytemuck::cast_slice(bytes);
        let (rows, mut k) = (access.shape.count / columns, 0);
        while k < access.shape.count {
            let first = firsts[k % columns * self.threads + thread];
            elements.push(vector_element(first, k / columns, rows, size));
            k += 1;
        }
        elements
    }

    /// The element indices of a thread. The caller returns the vector to `self.numbers`.
    fn elements(&mut self, access: &Access, thread: usize) -> Vec<u32> {
        let (count, threads) = (access.shape.count, self.threads);
        let mut elements = std::mem::take(&mut self.numbers);
        elements.resize(count, 0);
        let all: &[u32] = bytemuck::cast_slice(self.registers());
        let (mut at, mut k) = (access.address[0].start(threads) / size_of::<u32>() + thread, 0);
        while k < count {
            elements[k] = all[at];
            (at, k) = (at + threads, k + 1);
        }
        elements
    }

    /// Moves the data that was read to a register.
    fn take_stage(&mut self, access: &Access, to: Slot) {
        let (shape, threads, pitch) = (access.shape, self.threads, pitch(access));
        let (registers, stage) = self.registers_and_stage();
        let start = to.start(threads);
        if threads == 1 {
            let to: &mut [u8] = &mut bytemuck::cast_slice_mut(registers)[start..start + shape.bytes()];
            to.copy_from_slice(&bytemuck::cast_slice(stage)[..shape.bytes()]);
        } else {
            let to = &mut bytemuck::cast_slice_mut::<u128, u64>(registers)[start / size_of::<u64>()..];
            let (from, mut to) =
                (Rows { words: &*stage, pitch }, Rows { words: to, pitch: threads * shape.size });
            transpose(&from, &mut to, [threads, shape.count], shape.size);
        }
    }

    /// Moves the data of a register to the stage.
    fn put_stage(&mut self, access: &Access, from: Slot) {
        let (shape, threads, pitch) = (access.shape, self.threads, pitch(access));
        let (registers, stage) = self.registers_and_stage();
        let start = from.start(threads);
        if threads == 1 {
            let from: &[u8] = &bytemuck::cast_slice(registers)[start..start + shape.bytes()];
            bytemuck::cast_slice_mut(stage)[..shape.bytes()].copy_from_slice(from);
        } else {
            let from = &bytemuck::cast_slice::<u128, u64>(registers)[start / size_of::<u64>()..];
            let (from, mut to) =
                (Rows { words: from, pitch: threads * shape.size }, Rows { words: stage, pitch });
            transpose(&from, &mut to, [shape.count, threads], shape.size);
        }
    }
}

/// The new element for the index of an element and the old one, which becomes the result. The registers are those of
/// `threads` threads, next to each other; the sources and the result are of `thread`. Elements have the size of a `T`.
fn changed<T: Elem>(
    registers: &mut [u128],
    access: &'static Access,
    change: Change,
    (threads, thread): (usize, usize),
) -> impl FnMut(usize, T) -> T {
    let first = |slot: Slot| slot.start(threads) / size_of::<T>() + thread;
    let (to, x, compare) = (first(access.to), first(access.data[0]), first(access.data[1]));
    let all: &mut [T] = bytemuck::cast_slice_mut(registers);
    move |place, old| {
        let at = place * threads;
        let mut element = old;
        let (x, compare) = (&raw const all[x + at], &raw const all[compare + at]);
        // SAFETY: preparing chose the function for elements of this size.
        unsafe { change((&raw mut element).cast(), x.cast(), compare.cast()) };
        all[to + at] = old;
        element
    }
}

/// The data of a thread in the stage.
fn staged<'a>(stage: &'a mut [u64], access: &Access, thread: usize) -> &'a mut [u8] {
    let (bytes, pitch) = (access.shape.bytes(), pitch(access));
    &mut bytemuck::cast_slice_mut(stage)[thread * pitch..thread * pitch + bytes]
}

/// The bytes from the data of a thread to that of the next one in the stage.
fn pitch(access: &Access) -> usize {
    access.shape.bytes().next_multiple_of(size_of::<u64>())
}

/// Joins elements of `size` bytes of a row of `row` bytes of the block that are contiguous in the buffer, too. Returns the start
/// in the buffer, and the bytes in the block. Rows stay apart, wherever the next one is: the proof that kernel threads access
/// different bytes is about single rows.
fn runs(elements: &[(u32, usize)], size: usize, row: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
    let side_by_side = move |a: &(u32, usize), b: &(u32, usize)| {
        (b.0, b.1) == (a.0.wrapping_add(size as u32), a.1 + size) && a.1 / row == b.1 / row
    };
    elements.chunk_by(side_by_side).map(move |run| (run[0].0, run[0].1..run[0].1 + run.len() * size))
}
