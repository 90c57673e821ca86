//! The operations on command lists: by the program, and by the device when the program waits for it.

use std::collections::BTreeMap;

use level_zero_sys as ze;

use super::lists::{Command, List, Region};
use super::objects::{Kind, Model};

/// The ticks that a launch takes for each column of groups.
pub(super) const TICKS_PER_COLUMN: u64 = 21;

type Outcome<T = ()> = Result<T, ze::ze_result_t>;

/// A handle or an address among the arguments of a kernel.
fn handle(value: &[u8]) -> Option<usize> {
    value.try_into().ok().map(|bytes| u64::from_ne_bytes(bytes) as usize)
}

impl Model {
    fn list(&mut self, handle: usize) -> Outcome<&mut List> {
        self.expect(handle, |kind| matches!(kind, Kind::List(_)))?;
        match self.get(handle)? {
            Kind::List(list) => Ok(list),
            _ => unreachable!("it is a list"),
        }
    }

    /// The object of a kernel argument: the object of a handle, or the memory at an address.
    pub(super) fn object(&mut self, value: &[u8]) -> Option<usize> {
        let value = handle(value)?;
        Some(self.allocation(value).unwrap_or(value))
    }

    /// Appends a command to an open list.
    pub(super) fn append(&mut self, list: usize, command: Command) -> Outcome {
        if self.list(list)?.closed {
            return Err(self.misuse(format_args!("list {list:#x} is closed")));
        }
        for handle in command.handles() {
            self.get(handle)?;
        }
        self.list(list)?.commands.push(command);
        Ok(())
    }

    pub(super) fn close(&mut self, list: usize) -> Outcome {
        if std::mem::replace(&mut self.list(list)?.closed, true) {
            return Err(self.misuse(format_args!("list {list:#x} is closed twice")));
        }
        Ok(())
    }

    pub(super) fn reset(&mut self, list: usize) -> Outcome {
        if self.list(list)?.running {
            return Err(self.misuse(format_args!("list {list:#x} is running")));
        }
        *self.list(list)? = List::default();
        Ok(())
    }

    pub(super) fn destroy_list(&mut self, list: usize) -> Outcome {
        if self.list(list)?.running {
            return Err(self.misuse(format_args!("list {list:#x} is running")));
        }
        self.destroy(list, |kind| matches!(kind, Kind::List(_)))
    }

    pub(super) fn submit(&mut self, list: usize, fence: usize) -> Outcome {
        let order = self.calls.len();
        if fence != 0
            && let Kind::Fence { signalled: true } = self.get(fence)?
        {
            return Err(self.misuse(format_args!("fence {fence:#x} is signalled already")));
        }
        let found = self.list(list)?;
        if !found.closed || found.running {
            return Err(self.misuse(format_args!("list {list:#x} is not closed, or running")));
        }
        (found.running, found.order, found.fence) = (true, order, fence);
        let commands = found.commands.clone();
        let race = found.race().map(|pair| format!("{pair:?}"));
        if let Some(race) = race {
            self.misuse(format_args!("commands of list {list:#x} may overlap: {race}"));
        }
        // Commands may also overlap with those of the next list.
        if !matches!(commands.last(), Some(Command::Barrier { .. })) {
            self.misuse(format_args!("list {list:#x} does not end with a barrier"));
        }
        for handle in commands.iter().flat_map(Command::handles) {
            self.get(handle)?;
        }
        Ok(())
    }

    /// The device executes the submitted lists, up to the list that signals the awaited fence.
    pub(super) fn synchronize(&mut self, fence: Option<usize>) -> Outcome {
        if let Some(fence) = fence
            && !self.lists().any(|(_, list)| list.running && list.fence == fence)
        {
            return Err(self.misuse(format_args!("nothing signals fence {fence:#x}")));
        }
        let mut running: Vec<_> = self
            .lists()
            .filter(|(_, list)| list.running)
            .map(|(handle, list)| (list.order, handle))
            .collect();
        running.sort_unstable();
        for (_, handle) in running {
            for command in self.list(handle)?.commands.clone() {
                self.run(command)?;
            }
            let list = self.list(handle)?;
            (list.running, list.order) = (false, 0);
            let signals = std::mem::take(&mut list.fence);
            if signals != 0
                && let Kind::Fence { signalled } = self.get(signals)?
            {
                *signalled = true;
            }
            if fence == Some(signals) {
                break;
            }
        }
        Ok(())
    }

    fn run(&mut self, command: Command) -> Outcome {
        match command {
            Command::Barrier { event } => {
                self.clock[0] = self.clock[1];
                self.signal(event, [self.clock[0]; 2])
            }
            Command::Upload { image, memory, region } => {
                self.done.push("upload".to_owned());
                self.copy(image, memory, region, true)
            }
            Command::Download { image, memory, region } => {
                self.done.push("download".to_owned());
                self.copy(image, memory, region, false)
            }
            Command::Copy { to, from, bytes, .. } => {
                self.done.push("copy".to_owned());
                // SAFETY: `append` and `submit` have checked that both are in memory with this number of bytes;
                // see `copy`.
                unsafe { (to as *mut u8).copy_from(from as *const u8, bytes) };
                Ok(())
            }
            Command::Fill { to, pattern, bytes, .. } => {
                self.done.push("fill".to_owned());
                // SAFETY: as above.
                unsafe { (to as *mut u8).write_bytes(pattern, bytes) };
                Ok(())
            }
            Command::Launch { name, arguments, columns, event, .. } => {
                self.done.push(name.clone());
                // Launches overlap, unless there is a barrier between them.
                let [start, others] = self.clock;
                let end = start + TICKS_PER_COLUMN * u64::from(columns);
                self.clock[1] = others.max(end);
                self.signal(event, [start, end])?;
                self.kernel(&name, &arguments)
            }
        }
    }

    /// Signals an event with the start and the end of a command, if there is one.
    fn signal(&mut self, event: usize, of_command: [u64; 2]) -> Outcome {
        if event != 0
            && let Kind::Event { times } = self.get(event)?
            && times.replace(of_command).is_some()
        {
            self.misuse(format_args!("event {event:#x} is signalled already"));
        }
        Ok(())
    }

    /// Copies between an image and memory, where rows are packed tightly.
    fn copy(&mut self, image: usize, memory: usize, region: Region, to_image: bool) -> Outcome {
        let Kind::Image { texel, width, height, depth, bytes } = self.get(image)? else {
            return Err(self.wrong(image));
        };
        let (texel, width, height, depth) = (*texel, *width, *height, *depth);
        let Region { x, y, z, width: columns, height: rows, depth: slices } = region;
        if x + columns > width || y + rows > height || z + slices > depth {
            return Err(self.misuse(format_args!("{region:?} is not inside {width} x {height} x {depth}")));
        }
        for (n, (slice, row)) in
            (0..slices).flat_map(|slice| (0..rows).map(move |row| (slice, row))).enumerate()
        {
            let start = (((z + slice) * height + y + row) * width + x) * texel;
            let piece = &mut bytes[start..start + columns * texel];
            let there = (memory + n * columns * texel) as *mut u8;
            // SAFETY: `append` and `submit` have checked that the memory exists and contains the region, and it
            // is not freed while the list runs; the waiting thread does not access it, nor does any other
            // thread.
            unsafe {
                if to_image {
                    piece.as_mut_ptr().copy_from_nonoverlapping(there, piece.len());
                } else {
                    there.copy_from_nonoverlapping(piece.as_ptr(), piece.len());
                }
            }
        }
        Ok(())
    }

    /// Of the arguments of a kernel those that it writes.
    pub(super) fn written(name: &str) -> u32 {
        match name {
            "raise" | "padding" => 0,
            _ => 1,
        }
    }

    /// Executes a kernel: `step` adds its number to each byte, `raise` to each byte up to the end of memory; `show`
    /// prints its number; `tile` copies a row of 64 bytes by its pointers; `padding` does not change the downloaded
    /// bytes.
    fn kernel(&mut self, name: &str, arguments: &BTreeMap<u32, Vec<u8>>) -> Outcome {
        let image = |index| arguments.get(&index).and_then(|value| handle(value));
        match (name, image(0), image(1), arguments.get(&2).map(Vec::as_slice)) {
            ("step", Some(input), Some(output), Some(&[n])) => {
                let Kind::Image { bytes, .. } = self.get(input)? else { return Err(self.wrong(input)) };
                let result: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_add(n)).collect();
                let Kind::Image { bytes, .. } = self.get(output)? else { return Err(self.wrong(output)) };
                *bytes = result;
                Ok(())
            }
            ("raise", Some(start), None, None) => {
                let Some(&[n]) = arguments.get(&1).map(Vec::as_slice) else {
                    return Err(self.misuse("no number to raise by"));
                };
                let memory = self.memory(start, 1)?;
                let Kind::Memory { layout } = self.get(memory)? else { return Err(self.wrong(memory)) };
                for address in start..memory + layout.size() {
                    // SAFETY: it is inside the memory, see `copy`.
                    unsafe { *(address as *mut u8) = (*(address as *mut u8)).wrapping_add(n) };
                }
                Ok(())
            }
            ("show", None, Some(start), None) => {
                let Some(&[n]) = arguments.get(&0).map(Vec::as_slice) else {
                    return Err(self.misuse("no number to show"));
                };
                // The used space and the number of records, then the record.
                let dwords = [4, 1, 0, 0, 0, 0, 0, u32::from(n)];
                self.memory(start, size_of_val(&dwords))?;
                let bytes = dwords.map(u32::to_ne_bytes).concat();
                // SAFETY: it is inside the memory, see `copy`.
                unsafe { (start as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Ok(())
            }
            ("tile", Some(input), Some(output), Some(_)) => {
                let pointers = [2, 3].map(image);
                if pointers != [Some(input), Some(output)] || input % 64 != 0 || output % 64 != 0 {
                    return Err(
                        self.misuse(format_args!("pointers {pointers:?} to {input:#x} and {output:#x}"))
                    );
                }
                self.memory(input, 64)?;
                self.memory(output, 64)?;
                // SAFETY: both are inside the memory, see `copy`.
                unsafe { (output as *mut u8).copy_from(input as *const u8, 64) };
                Ok(())
            }
            ("padding", Some(image), None, None) if arguments.len() == 2 => {
                self.expect(image, |kind| matches!(kind, Kind::Image { .. }))
            }
            _ => Err(self.misuse(format_args!("kernel {name} with {arguments:?}"))),
        }
    }
}
