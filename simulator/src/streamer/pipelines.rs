//! Commands of the media pipeline (Intel's PRM, Skylake, volume 2a), and of the compute pipeline that
//! replaces it from Xe-HPG on (`hw_cmds_generated_xe_hpg_core.inl` of Intel's compute-runtime).

use std::time::Instant;

use super::compute_walker::{After, ComputeWalker};
use super::dump::dump;
use super::error::Error;
use super::groups;
use super::media::Scoreboard;
use super::memory_interface::write_after;
use super::statistics::NANOSECONDS;
use super::target::{Next, Target, address, long};
use super::walk::Walk;
use crate::dispatch::Surroundings;
use crate::log::{Level, error, note, on};
use crate::time;

type Done = Result<Next, Error>;

pub(super) fn base_addresses(target: &mut Target<'_>, words: &[u32]) -> Done {
    let bases = &mut target.state.bases;
    let places = [
        (1, &mut bases.general),
        (4, &mut bases.surface),
        (6, &mut bases.dynamic),
        (8, &mut bases.indirect),
        (10, &mut bases.instruction),
    ];
    for (index, base) in places {
        // Bit 0 says whether this base changes.
        if words[index] & 1 == 1 {
            *base = address(&words[index..]) & !0xfff;
        }
    }
    note(Level::Buffers, format_args!("STATE_BASE_ADDRESS: {:x?}", target.state.bases));
    Ok(Next::Following)
}

pub(super) fn front_end(target: &mut Target<'_>, words: &[u32]) -> Done {
    let front_end = &mut target.state.front_end;
    front_end.scratch = address(&[words[1] & !1023, words[2]]);
    front_end.scratch_exponent = words[1] & 0xf;
    front_end.has_scratch = words[1] & !1023 != 0 || words[2] != 0;
    front_end.threads = (words[3] >> 16) + 1;
    front_end.scoreboard = Scoreboard::decode(words);
    note(Level::Buffers, format_args!("MEDIA_VFE_STATE: {front_end:x?}"));
    Ok(Next::Following)
}

pub(super) fn load_payload(target: &mut Target<'_>, words: &[u32]) -> Done {
    target.state.payload = words[3];
    Ok(Next::Following)
}

pub(super) fn load_descriptors(target: &mut Target<'_>, words: &[u32]) -> Done {
    target.state.descriptors = words[3];
    Ok(Next::Following)
}

pub(super) fn walk(target: &mut Target<'_>, words: &[u32]) -> Done {
    let command = words.first_chunk().ok_or(Error::Unsupported { what: "GPGPU_WALKER", number: words[0] })?;
    if let Some(walk) = target.state.walk(&target.memory, command, target.settings.poison)? {
        run(target, walk)?;
    }
    Ok(Next::Following)
}

pub(super) fn compute_front_end(target: &mut Target<'_>, words: &[u32]) -> Done {
    let front_end = &mut target.state.front_end;
    // The offset of a surface state.
    front_end.scratch = (words[1] & !1023).into();
    front_end.has_scratch = front_end.scratch != 0;
    front_end.threads = words[3] >> 16;
    note(Level::Buffers, format_args!("CFE_STATE: {front_end:x?}"));
    Ok(Next::Following)
}

pub(super) fn compute_mode(target: &mut Target<'_>, words: &[u32]) -> Done {
    // The upper half says which bits of the lower half change.
    const LARGE_REGISTER_FILE: u32 = 1 << 15;
    if words[1] >> 16 & LARGE_REGISTER_FILE != 0 {
        target.state.set_large_registers(words[1] & LARGE_REGISTER_FILE != 0);
    }
    Ok(Next::Following)
}

pub(super) fn binding_tables(target: &mut Target<'_>, words: &[u32]) -> Done {
    target.state.bases.binding_tables = address(&words[1..]) & !0xfff;
    Ok(Next::Following)
}

pub(super) fn compute(target: &mut Target<'_>, words: &[u32]) -> Done {
    let command =
        words.first_chunk().ok_or(Error::Unsupported { what: "COMPUTE_WALKER", number: words[0] })?;
    let command = ComputeWalker::decode(command)?;
    let begin = time::ticks();
    if let Some(walk) = target.state.compute(&target.memory, &command, target.settings.poison)? {
        run(target, walk)?;
    }
    match command.after {
        After::Nothing => {}
        After::Number { address, number } => target.store_long(address, number)?,
        After::Times { address } => {
            // The begin and the end, each as context timestamp and as global timestamp.
            let end = time::ticks();
            for (n, ticks) in [begin, begin, end, end].into_iter().enumerate() {
                target.store(address + 4 * n as u64, ticks as u32)?;
            }
        }
    }
    Ok(Next::Following)
}

/// Runs the threads of a walker.
fn run(target: &Target<'_>, walk: Walk) -> Result<(), Error> {
    let settings = target.settings;
    if on(Level::Walkers) {
        report(&walk);
    }
    if let Some(folder) = &settings.dump {
        dump(&walk, folder);
    }
    let begin = Instant::now();
    let result = groups::run(walk, settings, target.host.clone());
    NANOSECONDS.add(begin.elapsed().as_nanos() as u64);
    match result {
        Err(why) if !settings.faults_hang && why != Error::Stopped => {
            error(format_args!("{why}"));
            Ok(())
        }
        result => result,
    }
}

pub(super) fn report(walk: &Walk) {
    note(
        Level::Walkers,
        format_args!(
            "walker {}: kernel at {:#x}, {:?}, {:?}, scratch {:?}",
            walk.number, walk.kernel, walk.walker, walk.descriptor, walk.scratch
        ),
    );
    for entry in 0..walk.descriptor.prefetched {
        if let Some(surface) = walk.surface(entry) {
            note(
                Level::Walkers,
                format_args!(
                    "  surface {entry}: {:?}, format {:#x}, {:?}, {} x {} x {}, pitch {}, at {:#x}, {} bytes mapped",
                    surface.kind,
                    surface.format,
                    surface.tiling,
                    surface.width,
                    surface.height,
                    surface.depth,
                    surface.pitch,
                    surface.address,
                    surface.bytes.len()
                ),
            );
        }
    }
}

pub(super) fn pipe_control(target: &mut Target<'_>, words: &[u32]) -> Done {
    let operation = words[1] >> 14 & 3;
    let at = address(&words[2..]) & !3;
    // The second operation counts pixels, and there are none.
    if operation == 2 {
        target.store_long(at, 0)?;
    }
    write_after(target, operation, at, long(&words[4..]))?;
    Ok(Next::Following)
}
