//! Commands of the memory interface (`MI_*`): Intel's PRM, Skylake, volume 2a.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::error::Error;
use super::target::{Next, Target, address, long};
use crate::log::{Level, note};
use crate::time;

/// The number of reads of a semaphore after which its batch counts as waiting.
const POLLS: u32 = 200;
/// How long a waiting batch sleeps between two reads: at first, and after ten times as many polls.
const SHORT_SLEEP: Duration = Duration::from_micros(20);
const LONG_SLEEP: Duration = Duration::from_micros(200);

type Done = Result<Next, Error>;

/// The comparison in bits 14 to 12 of a command.
fn compare(operation: u32, left: u32, right: u32) -> bool {
    match operation & 7 {
        0 => left > right,
        1 => left >= right,
        2 => left < right,
        3 => left <= right,
        4 => left == right,
        _ => left != right,
    }
}

pub(super) fn math(target: &mut Target<'_>, words: &[u32]) -> Done {
    target.state.registers.math(&words[1..])?;
    Ok(Next::Following)
}

pub(super) fn semaphore_wait(target: &mut Target<'_>, words: &[u32]) -> Done {
    let (at, operation) = (address(&words[2..]), words[0] >> 12);
    let mut polls = 0;
    let result = loop {
        match target.load(at) {
            Err(error) => break Err(error),
            Ok(value) if compare(operation, value, words[1]) => break Ok(Next::Following),
            Ok(_) if target.host.stopped() => break Err(Error::Stopped),
            Ok(value) => {
                polls += 1;
                if polls == POLLS {
                    let wanted = words[1];
                    note(
                        Level::Walkers,
                        format_args!("MI_SEMAPHORE_WAIT: {at:#x} holds {value:#x}, not yet {wanted:#x}"),
                    );
                    target.host.stalled(true);
                }
                match polls {
                    0..POLLS => std::thread::yield_now(),
                    _ if polls < 10 * POLLS => std::thread::sleep(SHORT_SLEEP),
                    _ => std::thread::sleep(LONG_SLEEP),
                }
            }
        }
    };
    if polls >= POLLS {
        target.host.stalled(false);
    }
    result
}

pub(super) fn store_data(target: &mut Target<'_>, words: &[u32]) -> Done {
    let at = address(&words[1..]);
    match words {
        [_, _, _, low, high] => target.store_long(at, long(&[*low, *high]))?,
        _ => target.store(at, words[3])?,
    }
    Ok(Next::Following)
}

pub(super) fn load_registers(target: &mut Target<'_>, words: &[u32]) -> Done {
    for pair in words[1..].chunks_exact(2) {
        target.state.registers.write(pair[0], pair[1]);
    }
    Ok(Next::Following)
}

pub(super) fn store_register(target: &mut Target<'_>, words: &[u32]) -> Done {
    target.store(address(&words[2..]), target.state.registers.read(words[1]))?;
    Ok(Next::Following)
}

pub(super) fn load_register(target: &mut Target<'_>, words: &[u32]) -> Done {
    let value = target.load(address(&words[2..]))?;
    target.state.registers.write(words[1], value);
    Ok(Next::Following)
}

pub(super) fn copy_register(target: &mut Target<'_>, words: &[u32]) -> Done {
    let value = target.state.registers.read(words[1]);
    target.state.registers.write(words[2], value);
    Ok(Next::Following)
}

pub(super) fn copy_memory(target: &mut Target<'_>, words: &[u32]) -> Done {
    let value = target.load(address(&words[3..]))?;
    target.store(address(&words[1..]), value)?;
    Ok(Next::Following)
}

/// The final write of `MI_FLUSH_DW` and `PIPE_CONTROL`: none, a number, or the time.
pub(super) fn write_after(target: &Target<'_>, operation: u32, at: u64, value: u64) -> Result<(), Error> {
    match operation & 3 {
        1 => target.store_long(at, value),
        3 => target.store_long(at, time::ticks()),
        _ => Ok(()),
    }
}

pub(super) fn flush(target: &mut Target<'_>, words: &[u32]) -> Done {
    let value = long(&[words[3], words.get(4).copied().unwrap_or(0)]);
    write_after(target, words[0] >> 14, address(&words[1..]), value)?;
    Ok(Next::Following)
}

pub(super) fn atomic(target: &mut Target<'_>, words: &[u32]) -> Done {
    let (at, operand) = (address(&words[1..]), words.get(3).copied().unwrap_or(0));
    let order = Ordering::SeqCst;
    // The old value is not returned: that variant of the command is not supported.
    let _old = match words[0] >> 8 & 0xff {
        0x04 => target.with_word(at, |word| word.swap(operand, order))?.into(),
        0x05 => target.with_word(at, |word| word.fetch_add(1, order))?.into(),
        0x06 => target.with_word(at, |word| word.fetch_sub(1, order))?.into(),
        0x07 => target.with_word(at, |word| word.fetch_add(operand, order))?.into(),
        0x25 => target.with_long(at, |long| long.fetch_add(1, order))?,
        0x26 => target.with_long(at, |long| long.fetch_sub(1, order))?,
        _ => return Err(Error::Unsupported { what: "MI_ATOMIC", number: words[0] }),
    };
    Ok(Next::Following)
}

pub(super) fn start_batch(_target: &mut Target<'_>, words: &[u32]) -> Done {
    let at = address(&words[1..]) & !3;
    let second_level = words[0] >> 22 & 1 == 1;
    Ok(if second_level { Next::Call(at) } else { Next::Jump(at) })
}

pub(super) fn end_batch_if(target: &mut Target<'_>, words: &[u32]) -> Done {
    let value = target.load(address(&words[2..]))?;
    Ok(if compare(words[0] >> 12, value, words[1]) { Next::Following } else { Next::Return })
}
