//! Parts of the messages of violations.

use crate::limits::block_form::BlockForm;
use crate::limits::numbers::{
    BLOCK_2D_LOADED_ROWS, BLOCK_2D_WIDTH, DWORD, MEDIA_BYTES, MEDIA_WIDTH, media_pitch,
};
use crate::limits::start::last_start;

/// The last legal offset; 0 if there is none.
pub(super) fn region(total: usize, size: usize, stride: usize) -> usize {
    last_start(total, size, stride).unwrap_or(0)
}

/// The limit that a media block breaks.
pub(super) fn media_limit(width: usize) -> String {
    if width > MEDIA_WIDTH {
        return format!("a row has at most {MEDIA_WIDTH} bytes");
    }
    let pitch = media_pitch(width);
    let most = MEDIA_BYTES / pitch;
    format!(
        "a row counts as {pitch} bytes, and a block has at most {MEDIA_BYTES} bytes, which are {most} such rows"
    )
}

/// The form of a 2-D block.
pub(super) fn form_2d(form: BlockForm) -> String {
    let how = match (form.is_transposed(), form.is_packed()) {
        (true, _) => ", transposed",
        (_, true) => ", packed",
        _ => "",
    };
    match form.blocks() {
        1 => how.to_owned(),
        blocks => format!("{how}, of {blocks} blocks"),
    }
}

/// The limit of loaded 2-D blocks.
pub(super) fn limit_2d(form: BlockForm) -> String {
    match (form.is_transposed(), form.is_packed()) {
        (true, _) => format!(
            "a transposed block has 1 to 8 rows of 1 to {BLOCK_2D_LOADED_ROWS} elements of {DWORD} bytes, or 1, 2 or 4 rows \
             of 8 elements of 8 bytes"
        ),
        (_, true) => format!(
            "a packed block has elements of 1 or 2 bytes and, in memory, at most {BLOCK_2D_LOADED_ROWS} rows of {DWORD} \
             bytes to 16 elements, a multiple of {DWORD} bytes; all blocks have rows of at most {BLOCK_2D_WIDTH} bytes"
        ),
        _ => format!(
            "it has 1 to {BLOCK_2D_LOADED_ROWS} rows of {DWORD} to {BLOCK_2D_WIDTH} bytes, a multiple of {DWORD}; all \
             blocks have rows of at most {BLOCK_2D_WIDTH} bytes, and there are 2 at most of elements of 4 bytes, 1 of 8"
        ),
    }
}

/// What is wrong with an index of an array, and the remedy.
pub(super) fn array_elements(count: usize) -> String {
    match count.checked_sub(1) {
        None => "it has no elements; give it the length that the kernel uses".to_owned(),
        Some(last) => format!(
            "the elements are counted from 0, so the last one is element {last}; an index is a host number that is known \
             when the kernel is recorded"
        ),
    }
}

/// The powers of two from one to another.
pub(super) fn powers(least: usize, most: usize) -> String {
    let all = std::iter::successors(Some(least), |n| Some(n * 2)).take_while(|n| *n <= most);
    alternatives(&all.collect::<Vec<_>>())
}

/// Numbers: `1, 2 or 4`.
pub(super) fn alternatives(all: &[usize]) -> String {
    let all: Vec<String> = all.iter().map(usize::to_string).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
