//! Commands of the media pipeline: Intel's PRM, Skylake, volume 2a.

use std::time::Instant;

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
        // Bit 0 says whether this one changes.
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
    let settings = target.settings;
    let command = words.first_chunk().ok_or(Error::Unsupported { what: "GPGPU_WALKER", number: words[0] })?;
    let Some(walk) = target.state.walk(&target.memory, command, settings.poison)? else {
        return Ok(Next::Following);
    };
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
        Err(why) if !settings.faults_hang && why != Error::Stopped => error(format_args!("{why}")),
        result => result?,
    }
    Ok(Next::Following)
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
    // The second operation counts pixels, of which there are none.
    if operation == 2 {
        target.store_long(at, 0)?;
    }
    write_after(target, operation, at, long(&words[4..]))?;
    Ok(Next::Following)
}
