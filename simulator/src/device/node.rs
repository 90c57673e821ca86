//! An open render node: its objects, and the requests on them.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::abi::*;
use super::address_space::AddressSpace;
use super::buffers::{Buffer, VideoMemory};
use super::contexts::{Context, Job};
use super::parameters;
use crate::log::{Level, error, note};
use crate::settings::Settings;
use crate::time;

/// `EXEC_OBJECT_PINNED`: the program chooses the address of an object.
const PINNED: u64 = 1 << 4;
/// `I915_EXEC_BATCH_FIRST`: the batch is the first object instead of the last one.
const BATCH_FIRST: u64 = 1 << 18;
/// `I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS`
const USE_EXTENSIONS: u32 = 1;
/// `I915_CONTEXT_CREATE_EXT_SETPARAM`
const SET_PARAMETER: u32 = 0;
/// The maximum number of extensions of a context, so that cyclic lists end.
const EXTENSIONS: usize = 64;
/// The bytes that a context can address.
const ADDRESSABLE: u64 = 1 << 48;

#[derive(Debug)]
struct Objects {
    buffers: BTreeMap<u32, Arc<Buffer>>,
    contexts: BTreeMap<u32, Arc<Context>>,
    /// The next number of each kind.
    buffer: u32,
    context: u32,
    address_space: u32,
}

/// An open render node.
#[derive(Debug)]
pub(super) struct Node {
    settings: &'static Settings,
    memory: Arc<VideoMemory>,
    objects: Mutex<Objects>,
}

/// The parameters among the extensions of a context.
fn parameters_of(create: &CreateContext) -> Result<Vec<ContextParameter>, Errno> {
    let mut parameters = Vec::new();
    if create.flags & USE_EXTENSIONS == 0 {
        return Ok(parameters);
    }
    let mut next = create.extensions;
    for _ in 0..EXTENSIONS {
        if next.is_null() {
            return Ok(parameters);
        }
        let extension = next.read(0)?;
        if extension.name == SET_PARAMETER {
            parameters.push(extension.parameter);
        }
        next = extension.next;
    }
    if next.is_null() { Ok(parameters) } else { Err(Errno(libc::E2BIG)) }
}

fn not_found() -> Errno {
    Errno(libc::ENOENT)
}

impl Node {
    /// Opens a node. Also returns the program's descriptor of it.
    pub(super) fn open(settings: &'static Settings) -> Result<(Self, OwnedFd), Errno> {
        let (memory, descriptor) = VideoMemory::new()?;
        // Context 0 always exists.
        let contexts = BTreeMap::from([(0, Arc::new(Context::new(0, settings)))]);
        let objects = Objects { buffers: BTreeMap::new(), contexts, buffer: 1, context: 1, address_space: 1 };
        Ok((Self { settings, memory: Arc::new(memory), objects: Mutex::new(objects) }, descriptor))
    }

    /// Stops its contexts.
    pub(super) fn close(&self) {
        let contexts: Vec<_> = self.lock().contexts.values().cloned().collect();
        for context in contexts {
            context.stop();
        }
    }

    /// Code under this lock does not panic in an inconsistent state.
    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn buffer(&self, handle: u32) -> Result<Arc<Buffer>, Errno> {
        self.lock().buffers.get(&handle).cloned().ok_or_else(not_found)
    }

    fn context(&self, id: u32) -> Result<Arc<Context>, Errno> {
        self.lock().contexts.get(&id).cloned().ok_or_else(not_found)
    }

    /// Assigns the next handle to a new buffer.
    fn add(&self, make: impl FnOnce(u32) -> Result<Buffer, Errno>) -> Result<Arc<Buffer>, Errno> {
        let mut objects = self.lock();
        let handle = objects.buffer;
        let buffer = Arc::new(make(handle)?);
        objects.buffers.insert(handle, Arc::clone(&buffer));
        objects.buffer += 1;
        Ok(buffer)
    }

    // Properties of the device.

    pub(super) fn version(&self, version: &mut Version) -> Answer {
        (version.major, version.minor, version.patch) = (1, 6, 0);
        let put = |to: Pointer<u8>, length: &mut u64, text: &str| {
            let fits = text.len().min(*length as usize);
            *length = text.len() as u64;
            if to.is_null() { Ok(()) } else { to.write_bytes(&text.as_bytes()[..fits]) }
        };
        put(version.name, &mut version.name_length, "i915")?;
        put(version.date, &mut version.date_length, "20201103")?;
        put(version.description, &mut version.description_length, "Intel Graphics")
    }

    pub(super) fn capability(&self, capability: &mut [u64; 2]) -> Answer {
        capability[1] = 0;
        Ok(())
    }

    pub(super) fn get_parameter(&self, asked: &mut GetParameter) -> Answer {
        asked.value.write(0, parameters::parameter(self.settings.product, asked.parameter)?)
    }

    pub(super) fn query(&self, query: &mut Query) -> Answer {
        for index in 0..query.count as usize {
            let mut item = query.items.read(index)?;
            parameters::query(self.settings.product, &mut item)?;
            query.items.write(index, item)?;
        }
        Ok(())
    }

    pub(super) fn aperture(&self, aperture: &mut GetAperture) -> Answer {
        aperture.size = parameters::machine_memory();
        aperture.available = aperture.size;
        Ok(())
    }

    pub(super) fn read_register(&self, register: &mut ReadRegister) -> Answer {
        let ticks = time::ticks() & time::TICK_BITS;
        register.value = match register.offset {
            0x2359 => ticks, // bit 0 asks for all 36 bits
            0x2358 => ticks << 32,
            0x235c => ticks >> 32,
            _ => return Err(Errno(libc::EINVAL)),
        };
        Ok(())
    }

    // Buffers.

    pub(super) fn create(&self, create: &mut Create) -> Answer {
        let buffer = self.add(|handle| Buffer::new(&self.memory, handle, create.size))?;
        (create.handle, create.size) = (buffer.handle, buffer.size);
        Ok(())
    }

    pub(super) fn create_extended(&self, create: &mut CreateExtended) -> Answer {
        let buffer = self.add(|handle| Buffer::new(&self.memory, handle, create.size))?;
        (create.handle, create.size) = (buffer.handle, buffer.size);
        Ok(())
    }

    pub(super) fn user_memory(&self, memory: &mut UserMemory) -> Answer {
        let buffer = self.add(|handle| Buffer::of_program(handle, memory.address, memory.size))?;
        memory.handle = buffer.handle;
        Ok(())
    }

    pub(super) fn close_buffer(&self, close: &mut Close) -> Answer {
        // The buffer is dropped after the lock is released, unless a batch still uses it.
        let removed = self.lock().buffers.remove(&close.handle);
        removed.map(drop).ok_or(Errno(libc::EINVAL))
    }

    pub(super) fn busy(&self, busy: &mut Busy) -> Answer {
        // The engine that reads and the engine that writes: the first one.
        busy.busy = if self.buffer(busy.handle)?.is_busy() { 0x1_0001 } else { 0 };
        Ok(())
    }

    fn transfer(&self, transfer: &Transfer) -> Result<(Arc<Buffer>, *mut u8, usize), Errno> {
        let buffer = self.buffer(transfer.handle)?;
        if transfer.offset.checked_add(transfer.size).is_none_or(|end| end > buffer.size) {
            return Err(Errno(libc::EINVAL));
        }
        if transfer.data.is_null() {
            return Err(Errno(libc::EFAULT));
        }
        let first = buffer.first().wrapping_add(transfer.offset as usize);
        Ok((buffer, first, transfer.size as usize))
    }

    pub(super) fn read_buffer(&self, transfer: &mut Transfer) -> Answer {
        let (buffer, first, size) = self.transfer(transfer)?;
        // SAFETY: the bytes are inside of the buffer, which `buffer` keeps alive, and the program has
        // provided the space.
        unsafe { std::ptr::copy(first, transfer.data.address(), size) };
        drop(buffer);
        Ok(())
    }

    pub(super) fn write_buffer(&self, transfer: &mut Transfer) -> Answer {
        let (buffer, first, size) = self.transfer(transfer)?;
        // SAFETY: as above, in the other direction.
        unsafe { std::ptr::copy(transfer.data.address(), first, size) };
        drop(buffer);
        Ok(())
    }

    pub(super) fn map(&self, map: &mut Map) -> Answer {
        map.address = self.buffer(map.handle)?.map(map.offset, map.size)? as u64;
        Ok(())
    }

    pub(super) fn map_offset(&self, map: &mut MapOffset) -> Answer {
        map.offset = self.buffer(map.handle)?.offset()?;
        Ok(())
    }

    pub(super) fn set_domain(&self, domain: &mut SetDomain) -> Answer {
        self.buffer(domain.handle)?.wait_idle(None);
        Ok(())
    }

    pub(super) fn set_tiling(&self, tiling: &mut SetTiling) -> Answer {
        let buffer = self.buffer(tiling.handle)?;
        *buffer.tiling.lock().unwrap_or_else(PoisonError::into_inner) = (tiling.mode, tiling.stride);
        tiling.swizzle = 0;
        Ok(())
    }

    pub(super) fn get_tiling(&self, tiling: &mut GetTiling) -> Answer {
        let buffer = self.buffer(tiling.handle)?;
        tiling.mode = buffer.tiling.lock().unwrap_or_else(PoisonError::into_inner).0;
        (tiling.swizzle, tiling.physical_swizzle) = (0, 0);
        Ok(())
    }

    pub(super) fn wait(&self, wait: &mut Wait) -> Answer {
        let buffer = self.buffer(wait.handle)?;
        let Ok(nanoseconds) = u64::try_from(wait.timeout) else {
            buffer.wait_idle(None);
            return Ok(());
        };
        let (begin, limit) = (Instant::now(), Duration::from_nanos(nanoseconds));
        let idle = buffer.wait_idle(Some(limit));
        wait.timeout = limit.saturating_sub(begin.elapsed()).as_nanos() as i64;
        if idle { Ok(()) } else { Err(Errno(libc::ETIME)) }
    }

    // Contexts.

    pub(super) fn create_context(&self, create: &mut CreateContext) -> Answer {
        let parameters = parameters_of(create)?;
        let mut objects = self.lock();
        let id = objects.context;
        objects.context += 1;
        objects.contexts.insert(id, Arc::new(Context::new(id, self.settings)));
        drop(objects);
        create.id = id;
        for mut parameter in parameters {
            parameter.context = id;
            self.set_context(&mut parameter)?;
        }
        Ok(())
    }

    pub(super) fn destroy_context(&self, destroy: &mut DestroyContext) -> Answer {
        let removed = self.lock().contexts.remove(&destroy.id);
        removed.ok_or_else(not_found)?.stop();
        Ok(())
    }

    pub(super) fn get_context(&self, asked: &mut ContextParameter) -> Answer {
        let context = self.context(asked.context)?;
        let mut parameters = context.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        asked.value = match asked.parameter {
            3 => ADDRESSABLE, // GTT_SIZE
            5 => 1,           // BANNABLE
            6 => parameters.priority,
            7 => return self.units(asked),
            8 => parameters.recoverable,
            9 => {
                if parameters.address_space == 0 {
                    let mut objects = self.lock();
                    parameters.address_space = objects.address_space;
                    objects.address_space += 1;
                }
                parameters.address_space.into()
            }
            11 => parameters.persistence,
            other => {
                note(Level::Submissions, format_args!("CONTEXT_GETPARAM {other}: not supported"));
                return Err(Errno(libc::EINVAL));
            }
        };
        Ok(())
    }

    /// The parameter SSEU: the slices, subslices and units that a context uses, which are all.
    fn units(&self, asked: &mut ContextParameter) -> Answer {
        let size = size_of::<Units>() as u32;
        if asked.size == 0 {
            asked.size = size;
            return Ok(());
        }
        if asked.size < size {
            return Err(Errno(libc::EINVAL));
        }
        // SAFETY: for this parameter, `value` is the address of a structure of `size` bytes.
        let to = unsafe { Pointer::<Units>::new(asked.value) };
        let product = self.settings.product;
        let slices = (1 << product.slices) - 1;
        let subslices = (1 << product.subslices) - 1;
        let (least, most) = (product.units as u16, product.units as u16);
        to.write(0, Units { slices, subslices, least, most, ..to.read(0)? })?;
        asked.size = size;
        Ok(())
    }

    pub(super) fn set_context(&self, set: &mut ContextParameter) -> Answer {
        let context = self.context(set.context)?;
        let mut parameters = context.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        match set.parameter {
            6 => parameters.priority = set.value,
            8 => parameters.recoverable = set.value,
            9 => parameters.address_space = set.value as u32,
            11 => parameters.persistence = set.value,
            // BAN_PERIOD, NO_ZEROMAP, NO_ERROR_CAPTURE, BANNABLE, SSEU, ENGINES: they have no effect here.
            1 | 2 | 4 | 5 | 7 | 10 => {}
            other => {
                note(Level::Submissions, format_args!("CONTEXT_SETPARAM {other}: not supported"));
                return Err(Errno(libc::EINVAL));
            }
        }
        Ok(())
    }

    pub(super) fn reset_statistics(&self, statistics: &mut ResetStatistics) -> Answer {
        let hung = self.context(statistics.context)?.is_hung();
        (statistics.resets, statistics.active, statistics.pending) = (hung.into(), hung.into(), 0);
        Ok(())
    }

    pub(super) fn create_address_space(&self, space: &mut AddressSpaceControl) -> Answer {
        let mut objects = self.lock();
        space.id = objects.address_space;
        objects.address_space += 1;
        Ok(())
    }

    /// There is nothing to do: every submission gives the addresses of its objects.
    pub(super) fn destroy_address_space(&self, _space: &mut AddressSpaceControl) -> Answer {
        Ok(())
    }

    pub(super) fn execute(&self, execute: &mut Execute) -> Answer {
        let count = execute.count as usize;
        let first = execute.flags & BATCH_FIRST != 0;
        let last = count.checked_sub(1).ok_or(Errno(libc::EINVAL))?;
        let context = self.context(execute.context as u32)?;
        let mut placed = Vec::with_capacity(count);
        for index in 0..count {
            let object = execute.objects.read(index)?;
            let buffer = self.buffer(object.handle).inspect_err(|_| {
                error(format_args!("EXECBUFFER2: no buffer has the handle {}", object.handle));
            })?;
            if object.flags & PINNED == 0 {
                error(format_args!(
                    "EXECBUFFER2: buffer {} has no address of its own: relocations are not supported",
                    object.handle
                ));
                return Err(Errno(libc::EINVAL));
            }
            buffer.check_mapped().inspect_err(|_| {
                note(
                    Level::Submissions,
                    format_args!("EXECBUFFER2: the memory of buffer {} is not mapped", object.handle),
                );
            })?;
            note(
                Level::Buffers,
                format_args!(
                    "  buffer {}: {:#x} + {:#x} at {:p}",
                    object.handle,
                    object.offset,
                    buffer.size,
                    buffer.first()
                ),
            );
            placed.push((object.offset, buffer));
        }
        let batch = placed[if first { 0 } else { last }].0 + u64::from(execute.start);
        let space = AddressSpace::new(placed).map_err(|overlap| {
            error(format_args!("EXECBUFFER2: two buffers at {:#x}", overlap.0));
            Errno(libc::ENOSPC)
        })?;
        note(
            Level::Submissions,
            format_args!("EXECBUFFER2: context {}, {count} buffers, batch at {batch:#x}", context.id),
        );
        context.submit(Job { space: Arc::new(space), batch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters of a list of extensions with these names, which ends or begins again.
    fn parameters(names: &[u32], cyclic: bool) -> Result<Vec<u64>, Errno> {
        // SAFETY: null.
        let none = unsafe { Pointer::new(0) };
        let parameter = |value| ContextParameter { context: 0, size: 0, parameter: 6, value };
        let extension = |(n, &name): (usize, &u32)| ContextExtension {
            next: none,
            name,
            flags: 0,
            reserved: [0; 4],
            parameter: parameter(n as u64),
        };
        let mut list: Vec<_> = names.iter().enumerate().map(extension).collect();
        let first = list.as_mut_ptr();
        for n in 0..list.len() {
            let after = if n + 1 < list.len() { n + 1 } else { 0 };
            if after > 0 || cyclic {
                // SAFETY: an element of the list, which is longer alive than the pointers.
                list[n].next = unsafe { Pointer::new(first.wrapping_add(after) as u64) };
            }
        }
        // SAFETY: as above.
        let extensions = unsafe { Pointer::new(first as u64) };
        let found = parameters_of(&CreateContext { id: 0, flags: USE_EXTENSIONS, extensions })?;
        Ok(found.iter().map(|parameter| parameter.value).collect())
    }

    #[test]
    fn lists_of_extensions_end() {
        assert_eq!(parameters(&[SET_PARAMETER, 1, SET_PARAMETER], false), Ok(vec![0, 2]));
        assert_eq!(parameters(&[1; EXTENSIONS], false), Ok(vec![]));
        assert_eq!(parameters(&[1; EXTENSIONS + 1], false), Err(Errno(libc::E2BIG)));
        for names in [&[SET_PARAMETER][..], &[1], &[1, 1, SET_PARAMETER]] {
            assert_eq!(parameters(names, true), Err(Errno(libc::E2BIG)));
        }
    }
}
