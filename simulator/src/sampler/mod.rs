//! The sampler: texels at integer coordinates, and filtered texels at float coordinates.
//!
//! Messages are implemented from Intel's public "Programmer's Reference Manual" for Skylake, volume 2d
//! (`SAMPLER_STATE`) and volume 7 (sampler messages): `ld`, `ld_lz`, `sample`, `sample_l`, `sample_lz` and
//! `resinfo`, for the first level of a surface, in the modes SIMD8 and SIMD16 with 32-bit components.

mod filter;

use self::filter::{Filter, Texture};
use crate::dispatch::SurfaceKind;
use crate::isa::{Registers, Trouble};
use crate::messages::{Format, Message, Port};

/// Numbers of messages.
const SAMPLE: u32 = 0x00;
const SAMPLE_L: u32 = 0x02;
const LD: u32 = 0x07;
const RESINFO: u32 = 0x0a;
const SAMPLE_LZ: u32 = 0x18;
const LD_LZ: u32 = 0x1a;

/// Executes a message.
pub(crate) fn sample(
    port: &mut Port<'_>,
    message: &Message<'_>,
    registers: &mut Registers,
) -> Result<(), Trouble> {
    let fields = message.fields;
    let channels = match (fields.bits(17, 2), fields.bits(29, 2)) {
        (1, 0) => 8,
        (2, 0) => 16,
        (mode, returns) => {
            return Err(
                message.bad(format!("not supported: sampler mode {mode} with return format {returns}"))
            );
        }
    };
    // The bits of components that are not returned.
    let off = if message.header.is_some() { message.header(2)? >> 12 & 15 } else { 0 };
    let surface = port.surface(fields.entry())?;
    let format = Format::of(surface.format);
    if format.is_none() && surface.kind != SurfaceKind::Null {
        return Err(message.bad(format!("not supported: texels of format {:#x}", surface.format)));
    }
    let texture = Texture { surface, format };
    let kind = fields.bits(12, 5);
    let filter = match kind {
        SAMPLE | SAMPLE_L | SAMPLE_LZ => {
            let number = fields.bits(8, 4);
            let state = port.around.sampler(number);
            Some(Filter::of(state.ok_or_else(|| message.bad(format!("no sampler of number {number}")))?))
        }
        LD | LD_LZ | RESINFO => None,
        kind => return Err(message.bad(format!("not supported: sampler message {kind:#x}"))),
    };
    let rows = channels / 8;
    let parameter = |n: usize, channel: usize| message.dword(n * rows, channel).unwrap_or_default();
    let integer = |n, channel| i64::from(parameter(n, channel).cast_signed());
    for channel in message.channels(channels) {
        let texel = match kind {
            RESINFO => texture.size(),
            LD => texture.swizzled(texture.load([0, 1, 3].map(|n| integer(n, channel)))),
            LD_LZ => texture.swizzled(texture.load([0, 1, 2].map(|n| integer(n, channel)))),
            _ => {
                let first = usize::from(kind == SAMPLE_L);
                let place = [0, 1, 2].map(|n| f32::from_bits(parameter(first + n, channel)));
                filter.as_ref().map_or([0; 4], |filter| texture.swizzled(texture.sample(filter, place)))
            }
        };
        let returned = texel.into_iter().enumerate().filter(|(n, _)| off >> n & 1 == 0);
        for (n, (_, value)) in returned.enumerate() {
            // The response may have fewer components.
            if n * rows + channel / 8 < fields.response() {
                message.respond(registers, n * rows, channel, value)?;
            }
        }
    }
    Ok(())
}
