//! The properties that the device reports: parameters, and answers to queries.

use super::abi::{Errno, QueryItem};
use crate::log::{Level, note};
use crate::product::Product;

/// A parameter of `I915_GETPARAM`: its number, its name after `I915_PARAM_`, and its value.
type Parameter = (i32, &'static str, fn(&Product) -> i32);

const PARAMETERS: [Parameter; 37] = [
    (4, "CHIPSET_ID", |product| product.id),
    (8, "HAS_PAGEFLIPPING", |_| 1),
    (9, "HAS_EXECBUF2", |_| 1),
    (10, "HAS_BSD", |_| 1),
    (11, "HAS_BLT", |_| 1),
    (12, "HAS_RELAXED_FENCING", |_| 1),
    (14, "HAS_EXEC_CONSTANTS", |_| 1),
    (17, "HAS_LLC", |_| 1),
    (18, "HAS_ALIASING_PPGTT", |_| 1),
    (19, "HAS_WAIT_TIMEOUT", |_| 1),
    (22, "HAS_VEBOX", |_| 1),
    (24, "HAS_PINNED_BATCHES", |_| 1),
    (25, "HAS_EXEC_NO_RELOC", |_| 1),
    (28, "CMD_PARSER_VERSION", |_| 10),
    (30, "MMAP_VERSION", |_| 1),
    (32, "REVISION", |product| product.revision),
    (33, "SUBSLICE_TOTAL", |product| (product.slices * product.subslices) as i32),
    (34, "EU_TOTAL", |product| (product.slices * product.subslices * product.units) as i32),
    (35, "HAS_GPU_RESET", |_| 2),
    (37, "HAS_EXEC_SOFTPIN", |_| 1),
    (38, "HAS_POOLED_EU", |_| 0),
    (39, "MIN_EU_IN_POOL", |_| 0),
    (40, "MMAP_GTT_VERSION", |_| 4),
    (41, "HAS_SCHEDULER", |_| 0b1111), // enabled, priorities, preemption, semaphores
    (43, "HAS_EXEC_ASYNC", |_| 1),
    (44, "HAS_EXEC_FENCE", |_| 1),
    (45, "HAS_EXEC_CAPTURE", |_| 1),
    (46, "SLICE_MASK", |product| (1 << product.slices) - 1),
    (47, "SUBSLICE_MASK", |product| (1 << product.subslices) - 1),
    (48, "HAS_EXEC_BATCH_FIRST", |_| 1),
    (49, "HAS_EXEC_FENCE_ARRAY", |_| 1),
    (50, "HAS_CONTEXT_ISOLATION", |_| 0b1111),
    (51, "CS_TIMESTAMP_FREQUENCY", |_| 12_000_000),
    (52, "MMAP_GTT_COHERENT", |_| 1),
    (53, "HAS_EXEC_SUBMIT_FENCE", |_| 1),
    (54, "PERF_REVISION", |_| 0),
    (56, "HAS_USERPTR_PROBE", |_| 1),
];

/// The value of a parameter.
pub(super) fn parameter(product: &Product, number: i32) -> Result<i32, Errno> {
    let found = PARAMETERS.iter().find(|(known, ..)| *known == number);
    let (_, name, value) = found.ok_or_else(|| {
        note(Level::Submissions, format_args!("I915_GETPARAM {number}: not supported"));
        Errno(libc::EINVAL)
    })?;
    note(Level::Buffers, format_args!("I915_PARAM_{name} is {}", value(product)));
    Ok(value(product))
}

/// The numbers of queries.
const QUERY_TOPOLOGY: u64 = 1;
const QUERY_ENGINES: u64 = 2;
const QUERY_MEMORY: u64 = 4;

/// Answers an item of a query: writes its data, or only its size if the program requests that.
pub(super) fn query(product: &Product, item: &mut QueryItem) -> Result<(), Errno> {
    let answer = match item.id {
        QUERY_TOPOLOGY => topology(product),
        QUERY_ENGINES => engines(product),
        QUERY_MEMORY => memory(product),
        other => {
            note(Level::Submissions, format_args!("I915_QUERY {other}: not supported"));
            item.length = -libc::EINVAL;
            return Ok(());
        }
    };
    let length = answer.len() as i32;
    if item.length == 0 {
        item.length = length;
    } else if item.length < length {
        item.length = -libc::EINVAL;
    } else {
        item.data.write_bytes(&answer)?;
        item.length = length;
    }
    Ok(())
}

/// A mask with `count` bits set, as bytes.
fn ones(count: usize) -> Vec<u8> {
    (0..count.div_ceil(8)).map(|byte| ((1u16 << (count - 8 * byte).min(8)) - 1) as u8).collect()
}

fn words<const N: usize>(words: [usize; N]) -> impl Iterator<Item = u8> {
    words.into_iter().flat_map(|word| (word as u16).to_le_bytes())
}

/// `drm_i915_query_topology_info`: masks of slices, of subslices for each slice, of units for each subslice.
fn topology(product: &Product) -> Vec<u8> {
    let Product { slices, subslices, units, .. } = *product;
    let (slice_mask, subslice_mask, unit_mask) = (ones(slices), ones(subslices), ones(units));
    let subslice_offset = slice_mask.len();
    let unit_offset = subslice_offset + slices * subslice_mask.len();
    let mut answer: Vec<u8> = words([
        0,
        slices,
        subslices,
        units,
        subslice_offset,
        subslice_mask.len(),
        unit_offset,
        unit_mask.len(),
    ])
    .collect();
    answer.extend(slice_mask);
    answer.extend(subslice_mask.repeat(slices));
    answer.extend(unit_mask.repeat(slices * subslices));
    answer
}

/// `drm_i915_query_engine_info`: one engine of each class (render, copy, video, video enhancement, compute).
fn engines(product: &Product) -> Vec<u8> {
    const INFO: usize = 56;
    // If there is a copy engine, the driver fills local memory with it.
    let classes = if product.has_local_memory() { [0, 2, 3, 4] } else { [0, 1, 2, 3] };
    let mut answer = vec![classes.len() as u8];
    answer.resize(16, 0);
    for class in classes {
        let begin = answer.len();
        answer.push(class);
        answer.resize(begin + INFO, 0);
    }
    answer
}

/// `drm_i915_query_memory_regions`: the memory of the machine (class 0), and of the GPU (class 1), which are
/// the same here.
fn memory(product: &Product) -> Vec<u8> {
    const INFO: usize = 88;
    let size = machine_memory().to_le_bytes();
    let regions = 1 + u8::from(product.has_local_memory());
    let mut answer = vec![regions];
    answer.resize(16, 0);
    for class in 0..regions {
        let begin = answer.len();
        answer.push(class);
        answer.resize(begin + 8, 0);
        answer.extend(size);
        answer.extend(size);
        answer.resize(begin + INFO, 0);
    }
    answer
}

/// Bytes of the machine's memory.
pub(super) fn machine_memory() -> u64 {
    let value = |name| {
        // SAFETY: `sysconf` only reads.
        u64::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0)
    };
    value(libc::_SC_PHYS_PAGES) * value(libc::_SC_PAGESIZE)
}

#[cfg(test)]
mod tests {
    use super::super::abi::Pointer;
    use super::*;
    use crate::product::{PRODUCTS, find};

    #[test]
    fn parameters_are_sorted_and_found() {
        assert!(PARAMETERS.is_sorted_by(|left, right| left.0 < right.0));
        assert_eq!(parameter(&PRODUCTS[0], 4), Ok(0x1912));
        assert_eq!(parameter(&PRODUCTS[0], 34), Ok(24));
        assert_eq!(parameter(&PRODUCTS[0], 47), Ok(0b111));
        assert_eq!(parameter(&PRODUCTS[0], 1000), Err(Errno(libc::EINVAL)));
    }

    #[test]
    fn masks() {
        assert_eq!(ones(3), [0b111]);
        assert_eq!(ones(8), [0xff]);
        assert_eq!(ones(10), [0xff, 0b11]);
    }

    #[test]
    fn a_query_asks_for_the_length_first() {
        let mut bytes = [0u8; 64];
        // SAFETY: the bytes live until the end of this test.
        let data = unsafe { Pointer::new(bytes.as_mut_ptr() as u64) };
        let ask = |id, length| {
            let mut item = QueryItem { id, length, flags: 0, data };
            query(&PRODUCTS[0], &mut item).expect("an answer");
            item.length
        };
        assert_eq!(ask(QUERY_TOPOLOGY, 0), 16 + 1 + 1 + 3);
        assert_eq!(ask(QUERY_TOPOLOGY, 20), -libc::EINVAL);
        assert_eq!(ask(QUERY_TOPOLOGY, 64), 21);
        assert_eq!(ask(QUERY_ENGINES, 0), 16 + 4 * 56);
        assert_eq!(ask(QUERY_MEMORY, 0), 16 + 88);
        assert_eq!(ask(99, 0), -libc::EINVAL);
        let lengths = |id| {
            let mut bytes = [0u8; 512];
            // SAFETY: the bytes live until the end of this closure.
            let data = unsafe { Pointer::new(bytes.as_mut_ptr() as u64) };
            let mut item = QueryItem { id, length: 512, flags: 0, data };
            query(find(0x56a0).expect("a card"), &mut item).expect("an answer");
            (item.length, bytes)
        };
        // A card has its own memory, and compute engines.
        let (length, bytes_of_memory) = lengths(QUERY_MEMORY);
        assert_eq!((length, bytes_of_memory[0]), (16 + 2 * 88, 2));
        assert_eq!((bytes_of_memory[16], bytes_of_memory[16 + 88]), (0, 1));
        let (length, bytes_of_engines) = lengths(QUERY_ENGINES);
        assert_eq!(
            (length, [0, 1, 2, 3].map(|n| bytes_of_engines[16 + 56 * n])),
            (16 + 4 * 56, [0, 2, 3, 4])
        );
        assert_eq!(bytes[..21], [0, 0, 1, 0, 3, 0, 8, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0b111, 255, 255, 255]);
    }
}
