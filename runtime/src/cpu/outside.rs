//! Accesses to buffers that are not completely inside, and to the memory of groups whose races are detected: functions of their
//! own, so that kernels have the code for what is inside only. Buffers and elements are passed by value, because a value with an
//! address would be kept in memory for every access.

use std::panic::Location;

use cm_dsl::cpu::Unit;
use cm_dsl::elem::Elem;

use super::buffer::BufferMemory;
use super::buffer_borrow::Right;
use super::gather::number;
use super::group;
use super::places;
use super::races::How;

impl BufferMemory {
    /// The position of a block of a group's array, if it is completely inside; `None` if this is a buffer. The running
    /// thread accesses it in this way.
    ///
    /// # Panics
    /// If the array is not one of the running group.
    #[track_caller]
    fn in_group(self, offset: u32, len: usize, how: How) -> Option<Option<*mut u8>> {
        let Right::Group(bytes) = self.bytes.right else { return None };
        let (memory, first) = (group::memory(self.bytes.start, bytes), self.bytes.start.addr());
        if bytes.checked_sub(len).is_none_or(|last| offset as usize > last) {
            return Some(None);
        }
        let at = first - memory.addr() + offset as usize;
        group::touch(at, len, how, places::of(Location::caller()));
        // With the pointer of the running group: the array's own pointer may belong to a previous group.
        Some(Some(memory.wrapping_add(at)))
    }

    /// Reads a block that is partly out of bounds: the bytes inside, and 0 for the others, or for a whole element; or reads
    /// the memory of a group.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn read_outside(self, offset: u32, bytes: &mut [u8], unit: Unit) {
        match self.in_group(offset, bytes.len(), How { writes: false, atomic: unit == Unit::Updated }) {
            // SAFETY: these bytes are in the memory of the running group, which `in_group` has checked; one OS thread
            // runs it, and `bytes` is elsewhere: memory of the kernel thread.
            Some(Some(start)) => unsafe { start.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) },
            // A block of a group's memory is accessed as a whole, or not.
            Some(None) => bytes.fill(0),
            None => {
                let (inside, outside) = bytes.split_at_mut(self.bytes.inside_of(unit, offset, bytes.len()));
                if !inside.is_empty() {
                    // SAFETY: as in `read`: some bytes are inside, so `offset` is.
                    unsafe {
                        let start = self.bytes.start.add(offset as usize);
                        start.copy_to_nonoverlapping(inside.as_mut_ptr(), inside.len());
                    }
                }
                outside.fill(0);
            }
        }
    }

    /// Elements of the memory of a group whose races are detected, or of a buffer without any: all of them in one
    /// function, so that those of other buffers are no memory that single ones are read to.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn gather_outside<T: Elem, const C: usize>(self, elements: [u32; C]) -> [T; C] {
        let mut row = [T::default(); C];
        for (x, element) in row.iter_mut().zip(elements) {
            let offset = element.wrapping_mul(const { size_of::<T>() as u32 });
            self.read_outside(offset, bytemuck::bytes_of_mut(x), Unit::Element);
        }
        row
    }

    /// Writes elements some of which are outside, or those of the memory of a group.
    #[inline(never)]
    #[track_caller]
    pub(super) fn scatter_outside<T: Elem, const C: usize>(self, elements: [u32; C], values: [T; C]) {
        let (start, count) = (self.bytes.start.cast::<T>(), self.bytes.count(size_of::<T>()));
        for (x, element) in values.iter().zip(elements) {
            let at = number::<T>(element);
            if at < count {
                // SAFETY: as in `store_rows`; the element is inside.
                unsafe { start.add(at as usize).write_unaligned(*x) };
            } else if count == 0 {
                let offset = element.wrapping_mul(const { size_of::<T>() as u32 });
                self.write_outside(offset, bytemuck::bytes_of(x), Unit::Element);
            }
        }
    }

    /// Writes the part of a block that is inside of the buffer, of an element nothing; or writes to the memory of a group.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn write_outside(self, offset: u32, bytes: &[u8], unit: Unit) {
        match self.in_group(offset, bytes.len(), How { writes: true, atomic: unit == Unit::Updated }) {
            // SAFETY: as in `read_outside`.
            Some(Some(start)) => unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) },
            Some(None) => {}
            None => {
                let inside = &bytes[..self.bytes.inside_of(unit, offset, bytes.len())];
                if !inside.is_empty() {
                    // SAFETY: as in `write`: some bytes are inside, so `offset` is.
                    unsafe {
                        let start = self.bytes.start.add(offset as usize);
                        start.copy_from_nonoverlapping(inside.as_ptr(), inside.len());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use cm_compiler::ir::Grid;
    use cm_dsl::cpu::BufferAccess;

    use super::super::group::{Needs, Team};
    use super::super::thread::{Current, CurrentIds, Interrupted, Launch};
    use super::*;

    fn team(races: bool) -> Team {
        let (kernel, local, bytes) = ("k", [1; 3], 64);
        let needs =
            Needs { kernel, local, meets: true, bytes, named_barriers: 0, stack: None, races, gathers: None };
        Team::new(needs).unwrap()
    }

    /// Host code of a kernel may keep an array: threads of groups with the same memory may use it, and no others.
    #[test]
    fn arrays_are_used_by_groups_with_their_memory() {
        let (_interrupted, launch) = (Interrupted::new(), Launch::new());
        for (layers, races) in [(1, false), (1, true), (2, false), (2, true)] {
            let run = |team: &Team, [y, z]: [u32; 2], thread: &dyn Fn()| {
                let grid = Grid { groups: [1, 3, layers], local: [1; 3] };
                let enter = |[x, ..]: [u32; 3]| {
                    CurrentIds::enter(grid, [x, y, z]);
                    Current::enter(launch, x, y);
                };
                assert!(team.run(0..1, &|_| true, &enter, &|_| thread()).is_ok());
            };
            let (own, other, kept) = (team(races), team(races), Cell::new(None));
            let are_refused = || {
                let memory: BufferMemory = kept.get().unwrap();
                let block = catch_unwind(AssertUnwindSafe(|| memory.check(0, [0], 4, true)));
                let element = catch_unwind(AssertUnwindSafe(|| {
                    memory.check_elements(|| [(0, 0)].into_iter(), 4, true);
                }));
                [block.is_err(), element.is_err()]
            };
            run(&own, [0, 0], &|| {
                kept.set(Some(BufferMemory::of_group(8)));
                assert_eq!(are_refused(), [false; 2], "its own");
            });
            run(&own, [1, 0], &|| assert_eq!(are_refused(), [false; 2], "of the next group"));
            run(&other, [2, 0], &|| assert_eq!(are_refused(), [true; 2], "of another memory"));
            if layers > 1 {
                run(&other, [0, 1], &|| assert_eq!(are_refused(), [true; 2], "of another layer"));
            }
        }
    }
}
