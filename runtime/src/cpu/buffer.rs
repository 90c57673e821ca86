//! The memory of buffers that kernel threads share during a launch.
//!
//! As in `surface`, it is a raw pointer. Accesses are refused outside the launch, outside the part of a thread, and if
//! they write memory that was borrowed for reading.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;

use cm_compiler::access::{Neighbourhood, Segment};
use cm_dsl::cpu::{BufferAccess, CheckedBuffer, CheckedBytes, not_deterministic};
use cm_dsl::elem::Elem;

use super::copy::copy_rows;
use super::group;
use super::places;
use super::races::How;
use super::thread::{Around, Current, Launch};
use crate::parts::Shared;

/// A buffer, borrowed for a launch.
#[derive(Debug)]
pub(crate) struct BufferBorrow<'a> {
    bytes: Bytes,
    /// The part of each thread.
    segment: Option<Box<Segment>>,
    /// The part that each thread may access in its wave.
    neighbourhood: Option<Box<Neighbourhood>>,
    /// The bytes, if they are a copy.
    own: Option<Vec<u8>>,
    borrow: PhantomData<&'a mut [u8]>,
}

/// The bytes of a buffer, and the access rights of kernel threads.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    start: *mut u8,
    len: usize,
    right: Right,
}

/// The access rights of a kernel thread to a buffer. Every kernel thread copies this, so large data is behind a pointer
/// into the borrow.
#[derive(Clone, Copy, Debug)]
enum Right {
    /// Read it: the buffer is also borrowed by others.
    Read,
    /// Read and write all of it: kernel threads run one after the other.
    Alone,
    /// Read and write all of it, this number of bytes: the memory of a group, whose threads one OS thread runs. Its
    /// [`Bytes`] have no length, so that accesses to buffers do not check for it.
    Group(usize),
    /// Read and write its own part: kernel threads run at the same time.
    Segment(*const Segment),
    /// Read and write the part that no other thread of its wave writes: these threads run at the same time.
    Neighbourhood(*const Neighbourhood),
}

impl Right {
    /// Whether every thread may access everything in this way.
    #[inline(always)]
    fn is_free(self, writes: bool) -> bool {
        matches!(self, Self::Alone | Self::Group(_)) || !writes && matches!(self, Self::Read)
    }
}

// SAFETY: the pointer is to plain bytes that outlive the launch. Which threads may use it at a time is the
// contract of `BufferMemory`: concurrent reads of a shared borrow, or accesses of an exclusive borrow to
// different bytes.
unsafe impl Sync for Bytes {}
// SAFETY: as above; it contains no thread-local data.
unsafe impl Send for Bytes {}

/// A buffer for kernel threads: the borrowed memory, and its launch.
///
/// # Safety
/// The borrow outlives the launch. `check` refuses the buffer outside that launch; every access takes
/// [`CheckedBytes`], which only `check` creates. The executor runs kernel threads on several OS threads only if
/// each thread owns its part of every written buffer, or if no thread of a wave writes what another thread
/// accesses. That part is the segment or the neighbourhood, and every access is checked against it, whatever the
/// kernel's host code does.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferMemory {
    bytes: Bytes,
    launch: Launch,
}

impl<'a> BufferBorrow<'a> {
    /// A read-only buffer.
    pub(crate) fn shared(bytes: &'a [u8]) -> Self {
        Self::new(bytes.as_ptr().cast_mut(), bytes.len(), Right::Read)
    }

    /// A buffer for reading and writing.
    pub(crate) fn exclusive(bytes: &'a mut [u8]) -> Self {
        Self::new(bytes.as_mut_ptr(), bytes.len(), Right::Alone)
    }

    fn new(start: *mut u8, len: usize, right: Right) -> Self {
        Self {
            bytes: Bytes { start, len, right },
            segment: None,
            neighbourhood: None,
            own: None,
            borrow: PhantomData,
        }
    }

    /// The same buffer with the same rights; valid until this one is freed.
    pub(super) fn again(&self) -> BufferBorrow<'_> {
        BufferBorrow { bytes: self.bytes, segment: None, neighbourhood: None, own: None, borrow: PhantomData }
    }

    /// A copy, or zeros of the same length.
    pub(super) fn copy(&self, zeros: bool) -> BufferBorrow<'static> {
        let mut own = match zeros {
            true => vec![0; self.bytes.len],
            // SAFETY: these are the bytes that were borrowed, and no thread writes them while there are copies.
            false => unsafe { std::slice::from_raw_parts(self.bytes.start, self.bytes.len) }.to_vec(),
        };
        let bytes = Bytes { start: own.as_mut_ptr(), len: own.len(), right: Right::Alone };
        BufferBorrow { bytes, segment: None, neighbourhood: None, own: Some(own), borrow: PhantomData }
    }

    /// Takes the bytes of a copy.
    pub(super) fn take_own(&mut self) -> Option<Vec<u8>> {
        self.bytes.len = 0;
        self.own.take()
    }

    /// The bytes, if threads may write all of them.
    pub(super) fn bytes(&mut self) -> Option<&mut [u8]> {
        let Bytes { start, len, right } = self.bytes;
        // SAFETY: they were borrowed for writing, and no kernel thread runs: those have shared references to this.
        matches!(right, Right::Alone).then(|| unsafe { std::slice::from_raw_parts_mut(start, len) })
    }

    /// How threads may conflict. Buffers of up to `copied` bytes may be copied.
    pub(super) fn sharing(&self, copied: usize) -> Shared {
        match self.bytes.right {
            Right::Read => Shared::Constant,
            Right::Alone | Right::Segment(_) | Right::Neighbourhood(_) | Right::Group(_) => {
                Shared::Buffer { copied: self.bytes.len <= copied }
            }
        }
    }

    /// Limits each thread to its part of a written buffer.
    pub(super) fn divide(&mut self, segment: Segment) {
        if let Right::Alone = self.bytes.right {
            let segment: &Segment = self.segment.insert(Box::new(segment));
            self.bytes.right = Right::Segment(segment);
        }
    }

    /// Limits each thread to the part that no other thread of its wave writes.
    pub(super) fn divide_in_waves(&mut self, neighbourhood: Neighbourhood) {
        if let Right::Alone = self.bytes.right {
            let neighbourhood: &Neighbourhood = self.neighbourhood.insert(Box::new(neighbourhood));
            self.bytes.right = Right::Neighbourhood(neighbourhood);
        }
    }

    /// The buffer for the threads of a launch, which ends before the borrow does.
    #[inline(always)]
    pub(super) fn during(&self, launch: Launch) -> BufferMemory {
        BufferMemory { bytes: self.bytes, launch }
    }
}

/// Whether a thread may access a block, or elements that can be anywhere, while others of its wave run.
///
/// # Safety
/// The neighbourhood is that of a borrow for a launch that runs.
#[inline(never)]
unsafe fn in_wave(
    neighbourhood: *const Neighbourhood,
    origin: [u32; 2],
    block: Option<(u32, usize)>,
    writes: bool,
) -> bool {
    // SAFETY: the borrow keeps it on the heap, and outlives its launch.
    let neighbourhood = unsafe { &*neighbourhood };
    match block {
        // Offsets are followed as signed numbers; negative offsets are outside every buffer.
        Some((offset, bytes)) => neighbourhood.covers(origin, [offset as i32, 0], [bytes, 1], writes),
        None => !writes && neighbourhood.is_read(),
    }
}

/// Refuses an access that no thread may make.
#[cold]
#[inline(never)]
fn refuse(read_only: bool) -> ! {
    if read_only {
        panic!("a kernel writes a buffer that it was given to read");
    }
    panic!(
        "the host code of a kernel computes other offsets than when it was recorded: kernels must be deterministic"
    )
}

impl BufferMemory {
    /// The next array of the running kernel thread in the memory of its group.
    ///
    /// # Panics
    /// If the host code of the kernel asks for more arrays than when it was recorded.
    pub(super) fn of_group(bytes: usize) -> Self {
        let Some(start) = group::take(bytes) else { not_deterministic() };
        let bytes = Bytes { start, len: 0, right: Right::Group(bytes) };
        Self { bytes, launch: Current::get().launch() }
    }

    /// Whether threads have parts of it, so that [`check`](BufferAccess::check) depends on the running thread.
    pub(super) fn has_parts(&self) -> bool {
        match self.bytes.right {
            Right::Read | Right::Alone | Right::Group(_) => false,
            Right::Segment(_) | Right::Neighbourhood(_) => true,
        }
    }

    /// The position of a block of a group's array, if it is completely inside; `None` if this is a buffer. The running
    /// thread accesses it in this way.
    ///
    /// # Panics
    /// If the array is not one of the running group.
    #[track_caller]
    fn in_group(&self, offset: u32, len: usize, how: How) -> Option<Option<*mut u8>> {
        let Right::Group(bytes) = self.bytes.right else { return None };
        let first = self.bytes.start.addr();
        let own = group::memory()
            .filter(|(start, all)| start.addr() <= first && first + bytes <= start.addr() + all);
        let Some((memory, _)) = own else {
            panic!("shared memory of a group is used outside of it: kernels do not keep it")
        };
        if bytes.checked_sub(len).is_none_or(|last| offset as usize > last) {
            return Some(None);
        }
        let at = first - memory.addr() + offset as usize;
        group::touch(at, len, how, places::of(Location::caller()));
        // With the pointer of the running group: the array's own pointer may belong to a previous group.
        Some(Some(memory.wrapping_add(at)))
    }
}

impl Bytes {
    /// The number of bytes that are inside, of `len` bytes from `offset` on.
    #[inline(always)]
    fn inside(&self, offset: u32, len: usize) -> usize {
        self.len.saturating_sub(offset as usize).min(len)
    }

    /// Whether all of `len` bytes from `offset` on are inside.
    #[inline(always)]
    fn contain(&self, offset: u32, len: usize) -> bool {
        u64::from(offset) + len as u64 <= self.len as u64
    }

    /// Whether all elements of this size are completely inside.
    #[inline(always)]
    fn has<const C: usize>(&self, elements: &[u32; C], size: usize) -> bool {
        let count = u32::try_from(self.len / size).unwrap_or(u32::MAX);
        // Without a branch for each element, this is one vector comparison.
        elements.iter().fold(true, |all, element| all & (*element < count))
    }
}

impl BufferAccess for BufferMemory {
    #[inline(always)]
    fn check<const N: usize>(&self, thread: usize, blocks: Option<([u32; N], usize)>, writes: bool) {
        self.launch.running("buffer");
        // The most frequent rights first: one `match` would be a table of jumps.
        let right = self.bytes.right;
        if right.is_free(writes) {
            return;
        }
        // Not what `running` gave: most accesses end above, and should not load it.
        let [column, row] = Current::get().origin();
        let covered = if let Right::Segment(segment) = right {
            // SAFETY: this is a kernel thread of the launch that it was borrowed for, and the borrow keeps it on the
            // heap.
            let segment = unsafe { &*segment };
            // A write that is not in the recording is refused.
            let mut covered = writes <= segment.writes();
            match blocks {
                Some((offsets, bytes)) => {
                    for (n, offset) in offsets.into_iter().enumerate() {
                        covered &=
                            segment.covers([column + (thread + n) as u32, row], Around::z, offset, bytes);
                    }
                }
                // Elements can be anywhere: while other threads run, no thread owns them.
                None => covered &= !segment.writes(),
            }
            covered
        } else if let Right::Neighbourhood(neighbourhood) = right {
            let own = |n: usize, block| {
                // SAFETY: as above.
                unsafe { in_wave(neighbourhood, [column + n as u32, row], block, writes) }
            };
            match blocks {
                Some((offsets, bytes)) => {
                    (thread..).zip(offsets).all(|(n, offset)| own(n, Some((offset, bytes))))
                }
                None => own(0, None),
            }
        } else {
            refuse(matches!(right, Right::Read))
        };
        if !covered {
            refuse(false);
        }
    }

    #[inline(always)]
    fn check_elements(&self, elements: impl Iterator<Item = (usize, u32)>, size: usize, writes: bool) {
        match self.bytes.right {
            // Check the elements one by one, but only those that are inside of the buffer.
            Right::Segment(_) | Right::Neighbourhood(_) => elements
                .filter(|(_, start)| self.bytes.inside(*start, size) > 0)
                .for_each(|(thread, start)| self.check(thread, Some(([start], size)), writes)),
            Right::Read | Right::Alone | Right::Group(_) => {}
        }
        self.check::<0>(0, Some(([], size)), writes);
    }

    #[inline(always)]
    fn read(from: &CheckedBytes<&Self>, bytes: &mut [u8]) {
        assert!(bytes.len() == from.len(), "what was checked is what is read");
        let (memory, offset) = (from.memory().bytes, from.offset());
        // A block that is not completely inside goes to a cold function, so the compiler knows the length of
        // most copies.
        if !memory.contain(offset, bytes.len()) {
            return read_outside(**from.memory(), offset, bytes, from.is_atomic());
        }
        // SAFETY: the buffer has all of these bytes; `bytes` is memory of this thread. Races are excluded by the
        // contract of the type.
        unsafe {
            memory.start.add(offset as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len());
        }
    }

    #[inline(always)]
    fn write(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        assert!(bytes.len() == to.len(), "what was checked is what is written");
        let (memory, offset) = (to.memory().bytes, to.offset());
        if !memory.contain(offset, bytes.len()) {
            return write_outside(**to.memory(), offset, bytes, to.is_atomic());
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
            return read_outside(**from.memory(), offset, bytes, from.is_atomic());
        }
        // SAFETY: as in `read`.
        unsafe { copy_rows(memory.start.add(offset as usize), bytes.as_mut_ptr(), [0; 2], [1, len]) };
    }

    fn write_any(to: &mut CheckedBytes<&mut Self>, bytes: &[u8]) {
        assert!(bytes.len() == to.len(), "what was checked is what is written");
        let (memory, offset, len) = (to.memory().bytes, to.offset(), bytes.len());
        if !memory.contain(offset, len) {
            return write_outside(**to.memory(), offset, bytes, to.is_atomic());
        }
        // SAFETY: as in `write`.
        unsafe { copy_rows(bytes.as_ptr(), memory.start.add(offset as usize), [0; 2], [1, len]) };
    }

    #[inline(always)]
    fn load<T: Elem, const C: usize>(from: &CheckedBytes<&Self>) -> [T; C] {
        assert!(size_of::<[T; C]>() == from.len(), "what was checked is what is read");
        let (memory, offset) = (from.memory().bytes, from.offset());
        let mut outside = MaybeUninit::<[T; C]>::uninit();
        let at = if !memory.contain(offset, from.len()) {
            let elements = outside.write([T::default(); C]);
            read_outside(**from.memory(), offset, bytemuck::cast_slice_mut(elements), from.is_atomic());
            ptr::from_ref(elements)
        } else {
            // SAFETY: the buffer has all of these bytes.
            unsafe { memory.start.add(offset as usize) }.cast::<[T; C]>().cast_const()
        };
        // A single load from one of two addresses: with two loads, the elements would be merged in memory.
        // SAFETY: as in `read`, or elements of this function; any bytes are elements.
        unsafe { at.read_unaligned() }
    }

    #[inline(always)]
    fn store<T: Elem, const C: usize>(to: &mut CheckedBytes<&mut Self>, elements: [T; C]) {
        assert!(size_of::<[T; C]>() == to.len(), "what was checked is what is written");
        let (memory, offset) = (to.memory().bytes, to.offset());
        let whole = memory.contain(offset, to.len());
        let mut outside = MaybeUninit::<[T; C]>::uninit();
        let at = match whole {
            // SAFETY: the buffer has all of these bytes.
            true => unsafe { memory.start.add(offset as usize) }.cast::<[T; C]>(),
            false => outside.as_mut_ptr(),
        };
        // A single store to one of two addresses, so the elements need no memory of their own.
        // SAFETY: as in `write`, or to memory of this function; elements are plain bytes.
        unsafe { at.write_unaligned(elements) };
        if !whole {
            // SAFETY: it has just been written.
            let elements = unsafe { outside.assume_init_ref() };
            write_outside(**to.memory(), offset, bytemuck::cast_slice(elements), to.is_atomic());
        }
    }

    #[inline(always)]
    fn gather<T: Elem, const C: usize>(
        from: &CheckedBuffer<&Self>,
        elements: &[u32; C],
        row: &mut [T; C],
    ) -> bool {
        let memory = from.memory().bytes;
        let inside = memory.has(elements, size_of::<T>());
        if inside {
            let start = memory.start.cast::<T>();
            for (x, element) in row.iter_mut().zip(elements) {
                // SAFETY: as in `load`; `has` says that all of them are inside.
                *x = unsafe { start.add(*element as usize).read_unaligned() };
            }
        }
        inside
    }

    #[inline(always)]
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
        for (place, element) in elements.iter().enumerate() {
            // SAFETY: as in `load` and `store`; `has` says that all of them are inside.
            unsafe {
                let at = start.add(*element as usize);
                at.write_unaligned(changed(place, at.read_unaligned()));
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
            // SAFETY: as in `load` and `store`: the element is inside, and is aligned like all elements.
            unsafe { *at = changed(place, *at) };
            place += 1;
        }
        place
    }
}

/// Reads a block that is partly out of bounds: the bytes inside, and 0 for the others; or reads the memory of
/// a group. The buffer is passed by value, because a value with an address would be kept in memory for every
/// access.
#[cold]
#[inline(never)]
#[track_caller]
fn read_outside(memory: BufferMemory, offset: u32, bytes: &mut [u8], atomic: bool) {
    match memory.in_group(offset, bytes.len(), How { writes: false, atomic }) {
        // SAFETY: these bytes are in the memory of the running group, which `in_group` has checked; one OS thread
        // runs it, and `bytes` is elsewhere: memory of the kernel thread.
        Some(Some(start)) => unsafe { start.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) },
        Some(None) | None => {
            let (inside, outside) = bytes.split_at_mut(memory.bytes.inside(offset, bytes.len()));
            if !inside.is_empty() {
                // SAFETY: as in `read`: some bytes are inside, so `offset` is.
                unsafe {
                    let start = memory.bytes.start.add(offset as usize);
                    start.copy_to_nonoverlapping(inside.as_mut_ptr(), inside.len());
                }
            }
            outside.fill(0);
        }
    }
}

/// Writes the part of a block that is inside of the buffer; or writes to the memory of a group.
#[cold]
#[inline(never)]
#[track_caller]
fn write_outside(memory: BufferMemory, offset: u32, bytes: &[u8], atomic: bool) {
    match memory.in_group(offset, bytes.len(), How { writes: true, atomic }) {
        // SAFETY: as in `read_outside`.
        Some(Some(start)) => unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) },
        Some(None) | None => {
            let inside = &bytes[..memory.bytes.inside(offset, bytes.len())];
            if !inside.is_empty() {
                // SAFETY: as in `write`: some bytes are inside, so `offset` is.
                unsafe {
                    let start = memory.bytes.start.add(offset as usize);
                    start.copy_from_nonoverlapping(inside.as_ptr(), inside.len());
                }
            }
        }
    }
}
