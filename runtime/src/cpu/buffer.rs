//! The memory of buffers that kernel threads share during a launch.
//!
//! As in `surface`, it is a raw pointer. Accesses are refused outside the launch, outside the part of a thread, and if
//! they write memory that was borrowed for reading.

use std::mem::MaybeUninit;
use std::ptr;

use cm_compiler::ir::{Axis, ThreadId};
use cm_dsl::cpu::{
    Avx2, BufferAccess, CheckedBuffer, CheckedBytes, Memory, Window, not_deterministic, opaque,
    opaque_address,
};
use cm_dsl::elem::Elem;
use cm_macros::inlined;

use super::buffer_borrow::{BufferBorrow, Bytes, Right};
use super::copy::{AHEAD, SMALL_BLOCK, copy_row, copy_rows, prefetch};
use super::gather::{self, Gathers};
use super::group::{self, Array};
use super::thread::{Current, CurrentIds, Launch, RowOfThreads, refuse_write};

/// A buffer for kernel threads: the borrowed memory, and its launch.
///
/// # Safety
/// The borrow outlives the launch. `check` and `check_elements` refuse the buffer outside that launch; every access takes
/// [`CheckedBytes`] or a [`CheckedBuffer`], which are created only after one of them. The executor runs kernel threads on several
/// OS threads only if
/// each thread owns its part of every written buffer, or if no thread of a wave writes what another thread
/// accesses. That part is the segment or the neighbourhood, and every access is checked against it, or against the parts of
/// the threads that the same OS thread runs one after the other ([`Reach`]), whatever the kernel's host code does. The memory of a
/// group is as old as its launch, or younger, and exists until the launch ends (`Teams`); each access asks whether it is that of the
/// running group: that of the running thread, which has one group, or by address ([`group::memory`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferMemory {
    pub(super) bytes: Bytes,
    launch: Launch,
    reach: Reach,
    gathers: Option<Gathers>,
}

/// What kernel threads that one OS thread runs one after the other may access of a buffer, in any way: bytes from one up to
/// but not including another, or none if only [`is_own`] knows.
#[derive(Clone, Copy, Debug)]
struct Reach {
    threads: RowOfThreads,
    bytes: [u32; 2],
}

impl Reach {
    const NONE: Self = Self { threads: RowOfThreads::NONE, bytes: [0; 2] };

    #[inlined]
    fn of(right: Right, threads: RowOfThreads) -> Self {
        if matches!(right, Right::Segment(_)) { Self::of_part(right, threads) } else { Self::NONE }
    }

    /// Not inlined: most kernels write few arguments, and few launches divide them.
    #[inline(never)]
    fn of_part(right: Right, threads: RowOfThreads) -> Self {
        let Right::Segment(segment) = right else { return Self::NONE };
        // SAFETY: the borrow keeps it on the heap, and outlives its launch.
        let segment = unsafe { &*segment };
        let own = segment.of_row([threads.x, threads.y], threads.count).filter(|_| segment.writes());
        // Offsets are followed as signed numbers; negative offsets are outside every buffer.
        let bytes = own.unwrap_or_default().map(|end| end.clamp(0, i32::MAX.into()) as u32);
        Self { threads, bytes }
    }

    /// Whether these blocks are, for the running thread: safe code may have kept a buffer from other threads.
    #[inlined]
    fn contains(&self, current: Current, offsets: &[u32], bytes: usize) -> bool {
        let mut all = self.threads.contains(current);
        for &offset in offsets {
            all &= offset >= self.bytes[0] && u64::from(offset) + bytes as u64 <= self.bytes[1].into();
        }
        all
    }
}

impl BufferBorrow<'_> {
    /// The buffer for these threads of a launch, which ends before the borrow does, in code that may use AVX2 if that is proven.
    #[inlined]
    pub(super) fn during(&self, launch: Launch, threads: RowOfThreads, avx2: Option<Avx2>) -> BufferMemory {
        let reach = Reach::of(self.bytes.right, threads);
        BufferMemory { bytes: self.bytes, launch, reach, gathers: avx2.map(Gathers::of) }
    }
}

/// Whether a thread may access a block while others run. Cold, as for surfaces.
///
/// # Safety
/// The right is that of a borrow for a launch that runs.
#[cold]
#[inline(never)]
unsafe fn is_own(
    right: Right,
    memory: *mut u8,
    origin: [u32; 2],
    offset: u32,
    bytes: usize,
    writes: bool,
) -> bool {
    match right {
        Right::Segment(segment) => {
            // SAFETY: the borrow keeps it on the heap, and outlives its launch.
            let segment = unsafe { &*segment };
            // A write that is not in the recording is refused.
            writes <= segment.writes() && segment.covers(origin, CurrentIds::z, offset, bytes)
        }
        Right::Neighbourhood(neighbourhood) => {
            // SAFETY: as above.
            let neighbourhood = unsafe { &*neighbourhood };
            // Offsets are followed as signed numbers; negative offsets are outside every buffer.
            neighbourhood.covers(origin, [offset as i32, 0], [bytes, 1], writes)
        }
        Right::Group(len) => {
            group::memory(memory, len);
            true
        }
        Right::Read | Right::Alone => right.is_free(writes),
    }
}

impl BufferMemory {
    /// The next array of the running kernel thread in the memory of its group.
    ///
    /// # Panics
    /// If the host code of the kernel asks for more arrays or bytes than when it was recorded.
    pub(super) fn of_group(bytes: usize) -> Self {
        let Some(array) = group::take(bytes) else { not_deterministic("shared memory") };
        let (Array { start, gathers, watched }, current) = (array, Current::get());
        let len = if watched { 0 } else { bytes };
        let [x, y] = current.origin();
        // A thread does not outlive its group. Threads with the same two coordinates are of one group if there is one layer of groups.
        let flat = CurrentIds::get().id([x, y], ThreadId::GroupCount(Axis::Z)) == 1;
        let threads = RowOfThreads { x, y, count: flat.into() };
        let reach = Reach { threads, bytes: [0, len as u32] };
        Self {
            bytes: Bytes { start, len, right: Right::Group(bytes) },
            launch: current.launch(),
            reach,
            gathers,
        }
    }

    /// Whether threads have parts of it, so that [`check`](BufferAccess::check) depends on the running thread.
    pub(super) fn has_parts(&self) -> bool {
        match self.bytes.right {
            Right::Read | Right::Alone | Right::Group(_) => false,
            Right::Segment(_) | Right::Neighbourhood(_) => true,
        }
    }

    /// Whether every thread may access everything in this way; otherwise threads have parts.
    ///
    /// # Panics
    /// Outside of the launch, and for a write if the buffer was borrowed for reading.
    #[inlined]
    fn is_free(&self, writes: bool) -> bool {
        self.launch.running("buffer");
        let free = self.bytes.right.is_free(writes);
        if !free && let Right::Read = self.bytes.right {
            refuse_write("buffer");
        }
        free
    }

    /// Refuses blocks that are not in the parts of threads; see [`check`](BufferAccess::check).
    #[inlined]
    fn check_part<const N: usize>(&self, thread: usize, offsets: [u32; N], bytes: usize, writes: bool) {
        // Not what `running` gave: most accesses are free, and should not load it.
        let current = Current::get();
        if self.reach.contains(current, &offsets, bytes) {
            return;
        }
        let [column, row] = current.origin();
        // What the accesses need anyway, and not `self`: the compiler would keep all of it in registers for this.
        let (right, memory) = (self.bytes.right, self.bytes.start);
        let mut covered = true;
        // Not by a closure: it would keep `self` in memory, which each thread would have to fill.
        for (n, &offset) in offsets.iter().enumerate() {
            let column = column + (thread + n) as u32;
            // SAFETY: this is a kernel thread of the launch that it was borrowed for.
            covered &= unsafe { is_own(right, memory, [column, row], offset, bytes, writes) };
        }
        if !covered {
            not_deterministic("offsets");
        }
    }
}

impl Memory for BufferMemory {
    type Kept = Launch;

    #[inlined]
    fn kept(&self) -> Launch {
        self.launch
    }

    #[inlined]
    fn is_constant(&self) -> bool {
        matches!(self.bytes.right, Right::Read)
    }
}

impl BufferAccess for BufferMemory {
    #[inlined]
    fn check<const N: usize>(&self, thread: usize, offsets: [u32; N], bytes: usize, writes: bool) {
        if !self.is_free(writes) {
            self.check_part(thread, offsets, bytes, writes);
        }
    }

    #[inlined]
    fn check_elements<S: Iterator<Item = (usize, u32)>>(
        &self,
        starts: impl FnOnce() -> S,
        bytes: usize,
        writes: bool,
    ) {
        if !self.is_free(writes) {
            check_inside(*self, starts(), bytes, writes);
        }
    }

    #[inlined]
    fn inside<'a>(from: &CheckedBytes<&'a Self>) -> Option<Window<'a>> {
        let (memory, offset, len) = (from.memory().bytes, from.offset(), from.len());
        if !memory.contain(offset, len) {
            return None;
        }
        // SAFETY: the buffer has all of these bytes, for the launch. They are kept only if it is constant, and
        // `check_again` refuses to go on after the launch.
        unsafe { Some(Window::from_raw(memory.start.add(offset as usize), len, len, 1)) }
    }

    #[inlined]
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
        assert!(bytes.len() == from.len(), "what was checked is what is read");
        let (memory, offset) = (from.memory().bytes, from.offset());
        // A block that is not completely inside goes to a cold function, so the compiler knows the length of
        // most copies.
        if !memory.contain(offset, bytes.len()) {
            return from.memory().read_outside(offset, bytes, from.unit());
        }
        // SAFETY: the buffer has all of these bytes; `bytes` is memory of this thread. Races are excluded by the
        // contract of the type.
        unsafe {
            memory.start.add(offset as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len());
        }
    }

    #[inlined]
    fn write(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        assert!(bytes.len() == to.len(), "what was checked is what is written");
        let (memory, offset) = (to.memory().bytes, to.offset());
        if !memory.contain(offset, bytes.len()) {
            return to.memory().write_outside(offset, bytes, to.unit());
        }
        // SAFETY: as in `read`, the target is inside the buffer; `check` refuses writes to a buffer that was not
        // borrowed exclusively. Races are excluded by the contract of the type.
        unsafe {
            memory.start.add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }

    fn read_any(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
        assert!(bytes.len() == from.len(), "what was checked is what is read");
        let (memory, offset, len) = (from.memory().bytes, from.offset(), bytes.len());
        if !memory.contain(offset, len) {
            return from.memory().read_outside(offset, bytes, from.unit());
        }
        // SAFETY: as in `read`.
        unsafe { copy_rows(memory.start.add(offset as usize), bytes.as_mut_ptr(), [0; 2], [1, len]) };
    }

    fn write_any(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        assert!(bytes.len() == to.len(), "what was checked is what is written");
        let (memory, offset, len) = (to.memory().bytes, to.offset(), bytes.len());
        if !memory.contain(offset, len) {
            return to.memory().write_outside(offset, bytes, to.unit());
        }
        // SAFETY: as in `write`.
        unsafe { copy_rows(bytes.as_ptr(), memory.start.add(offset as usize), [0; 2], [1, len]) };
    }

    #[inlined]
    fn load_rows<T: Elem, const R: usize, const C: usize>(
        from: &CheckedBytes<&Self>,
        mut row: impl FnMut(usize, [T; C]),
    ) {
        assert!(size_of::<[[T; C]; R]>() == from.len(), "what was checked is what is read");
        let (memory, offset) = (from.memory().bytes, from.offset());
        let mut outside = MaybeUninit::<[[T; C]; R]>::uninit();
        let at = if !memory.contain(offset, from.len()) {
            let rows = outside.write([[T::default(); C]; R]);
            let bytes = bytemuck::cast_slice_mut(rows.as_flattened_mut());
            from.memory().read_outside(offset, bytes, from.unit());
            // If it knew the address, the compiler would load the elements here, too, one by one.
            opaque_address(ptr::from_mut(rows)).cast::<[T; C]>().cast_const()
        } else {
            // SAFETY: the buffer has all of these bytes.
            unsafe { memory.start.add(offset as usize) }.cast::<[T; C]>().cast_const()
        };
        // A single load from one of two addresses: with two loads, the elements would be merged in memory. In vectors:
        // the compiler would load elements, and seldom puts them together well.
        for r in 0..R {
            let mut elements = MaybeUninit::<[T; C]>::uninit();
            // SAFETY: as in `read`, or rows of this function; any bytes are elements.
            let elements = unsafe {
                let at = at.add(r).cast();
                if const { size_of::<[T; C]>() <= SMALL_BLOCK } {
                    prefetch::<AHEAD>(at);
                }
                copy_row(at, elements.as_mut_ptr().cast(), size_of::<[T; C]>(), 0);
                elements.assume_init()
            };
            row(r, elements);
        }
    }

    #[inlined]
    fn store_rows<T: Elem, const R: usize, const C: usize>(
        to: &mut CheckedBytes<&mut Self>,
        row: impl Fn(usize) -> [T; C],
    ) {
        assert!(size_of::<[[T; C]; R]>() == to.len(), "what was checked is what is written");
        let (memory, offset) = (to.memory().bytes, to.offset());
        let whole = memory.contain(offset, to.len());
        let mut outside = MaybeUninit::<[[T; C]; R]>::uninit();
        let at = match whole {
            // SAFETY: the buffer has all of these bytes.
            true => unsafe { memory.start.add(offset as usize) }.cast::<[T; C]>(),
            false => opaque_address(outside.as_mut_ptr()).cast(),
        };
        // A single store to one of two addresses, so the elements need no memory of their own; in vectors, and to an
        // address that the compiler does not know, as in `load_rows`.
        for r in 0..R {
            let elements = row(r);
            // SAFETY: as in `write`, or to memory of this function; elements are plain bytes.
            unsafe { copy_row(ptr::from_ref(&elements).cast(), at.add(r).cast(), size_of::<[T; C]>(), 0) };
        }
        if !whole {
            // SAFETY: it has just been written.
            let rows = unsafe { outside.assume_init_ref() };
            to.memory().write_outside(offset, bytemuck::cast_slice(rows.as_flattened()), to.unit());
        }
    }

    #[inlined]
    fn gather<T: Elem, const C: usize>(from: &CheckedBuffer<&Self>, elements: &[u32; C], row: &mut [T; C]) {
        let memory = from.memory().bytes;
        let (start, count) = (memory.start.cast::<T>(), memory.count(size_of::<T>()));
        if count == 0 {
            *row = from.memory().gather_outside(*elements);
            return;
        }
        // Nobody else writes a buffer with these rights, also not the neighbours of elements, which vectors of short ones load.
        let alone = matches!(memory.right, Right::Read | Right::Alone | Right::Group(_));
        let gathers = if const { size_of::<T>() >= 4 } || alone { from.memory().gathers } else { None };
        // SAFETY: as in `load_rows`: the buffer has these elements.
        unsafe { gather::gather(start, count, elements, row, gathers) };
    }

    #[inlined]
    fn scatter<T: Elem, const C: usize>(
        to: &mut CheckedBuffer<&mut Self>,
        elements: &[u32; C],
        values: &[T; C],
    ) {
        if !Self::change(to, elements, |k, _| values[k]) {
            to.memory().scatter_outside(*elements, *values);
        }
    }

    #[inlined]
    fn change<T: Elem, const C: usize>(
        to: &mut CheckedBuffer<&mut Self>,
        elements: &[u32; C],
        mut changed: impl FnMut(usize, T) -> T,
    ) -> bool {
        let memory = to.memory().bytes;
        if !memory.has(elements, size_of::<T>()) {
            return false;
        }
        let start = memory.start.cast::<T>();
        macro_rules! change {
            ($place:expr, $element:expr) => {
                // SAFETY: as in `load_rows` and `store_rows`; `has` says that all of them are inside.
                unsafe {
                    let at = start.add($element);
                    at.write_unaligned(changed($place, at.read_unaligned()));
                }
            };
        }
        for (part, pair) in elements.chunks(2).enumerate() {
            match *pair {
                // Two leave a vector together. Loads from memory where the vector was stored would wait for the addresses of all
                // stores before them, which are those of other elements.
                [first, second] if const { usize::BITS > u32::BITS } => {
                    let both = opaque(first as usize | (second as usize).rotate_left(u32::BITS));
                    change!(part * 2, both & u32::MAX as usize);
                    change!(part * 2 + 1, both.rotate_right(u32::BITS) & u32::MAX as usize);
                }
                _ => {
                    for (k, element) in pair.iter().enumerate() {
                        change!(part * 2 + k, *element as usize);
                    }
                }
            }
        }
        true
    }

    fn change_first<T: Elem>(
        to: &mut CheckedBuffer<&mut Self>,
        elements: &[u32],
        mut changed: impl FnMut(usize, T) -> T,
    ) -> usize {
        let memory = to.memory().bytes;
        let (start, count) = (memory.start.cast::<T>(), memory.len / size_of::<T>());
        if !start.is_aligned() {
            return 0;
        }
        let mut place = 0;
        while place < elements.len() && (elements[place] as usize) < count {
            let at = start.wrapping_add(elements[place] as usize);
            // Plain loads and stores are not function calls, even if this crate is not optimised.
            // SAFETY: as in `load_rows` and `store_rows`: the element is inside, and is aligned like all elements.
            unsafe { *at = changed(place, *at) };
            place += 1;
        }
        place
    }
}

/// Refuses elements that are not in the parts of threads, but only those that are inside of the buffer.
#[cold]
#[inline(never)]
fn check_inside(
    memory: BufferMemory,
    starts: impl Iterator<Item = (usize, u32)>,
    bytes: usize,
    writes: bool,
) {
    if let Right::Group(len) = memory.bytes.right {
        group::memory(memory.bytes.start, len);
        return;
    }
    // Also where all elements are outside.
    if writes
        && let Right::Segment(segment) = memory.bytes.right
        // SAFETY: the borrow keeps it on the heap, and outlives its launch.
        && !unsafe { &*segment }.writes()
    {
        not_deterministic("offsets");
    }
    for (thread, start) in starts {
        if memory.bytes.inside(start, bytes) > 0 {
            memory.check_part(thread, [start], bytes, writes);
        }
    }
}
