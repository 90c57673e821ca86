//! Typed messages to surfaces: channels of texels, and atomic operations. Up to Xe-HPC these are data port
//! messages of eight texels. Xe2 and later lack them and use load/store cache messages of sixteen texels.

use crate::ops::ChannelMask;

use super::buffer::{Elements, Part};
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Val};
use crate::spirv::target::Target;
use crate::spirv::types::Ty;

/// The texels of an access: the surface, the channels, and the coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Texels {
    pub(crate) surface: Val,
    pub(crate) channels: ChannelMask,
    /// Columns and rows.
    pub(crate) place: [Val; 2],
    /// Slices, on 3-D surfaces.
    pub(crate) slices: Option<Val>,
    pub(crate) target: Target,
}

impl Texels {
    /// Whether the messages are those of the load/store cache.
    const fn cached(self) -> bool {
        self.target.at_least(Target::Xe2)
    }

    /// Texels of one message.
    const fn lanes(self) -> usize {
        if self.cached() { 16 } else { 8 }
    }

    fn parts(self) -> impl Iterator<Item = Part> {
        let (count, lanes) = (self.place[0].ty.count, self.lanes());
        let part = move |start| Part { start, count: lanes.min(count - start), lanes };
        (0..count).step_by(lanes).map(part)
    }

    /// The data of a message: a row of lanes for each channel.
    fn carried(self) -> Ty {
        Ty::I32.times(self.channels.count() * self.lanes())
    }

    /// For each channel of a part: its row in the message, which may have more channels, and its row in the
    /// whole register.
    fn rows(self, message: Self, part: Part) -> impl Iterator<Item = (FixedRegion, FixedRegion)> {
        let (lanes, count) = (self.lanes(), self.place[0].ty.count);
        self.channels.channels().enumerate().map(move |(row, channel)| {
            let region = |start| FixedRegion::row(start, part.count);
            let before = message.channels.channels().take_while(|other| *other < channel).count();
            (region(before * lanes), region(row * count + part.start))
        })
    }

    /// Whether the access is a single message that takes the register as it is.
    fn is_message(self) -> bool {
        self.place[0].ty.count == self.lanes()
    }

    /// The channels that a message writes. A message of the load/store cache writes all channels up to the
    /// last one.
    fn written(self) -> Self {
        let channels = if self.cached() { self.channels.up_to_last() } else { self.channels };
        Self { channels, ..self }
    }
}

impl Builder {
    /// Reads channels, one row each, as a register of type `ty`.
    pub(crate) fn typed_read(&mut self, texels: Texels, ty: Ty) -> Val {
        let mut whole = self.undefined(Ty::I32.times(ty.count));
        for part in texels.parts() {
            let read = self.typed_read_part(texels, part);
            if texels.is_message() {
                whole = read;
                continue;
            }
            for (from, to) in texels.rows(texels, part) {
                let channel = self.region(read, from, part.count, None);
                whole = self.insert(whole, to, channel, None);
            }
        }
        self.format(whole, ty)
    }

    fn typed_read_part(&mut self, texels: Texels, part: Part) -> Val {
        let carried = texels.carried();
        let intrinsic = if texels.cached() { Intrinsic::CachedTypedRead } else { Intrinsic::TypedRead };
        let mut arguments = self.typed(texels, part);
        arguments.push(self.undefined(carried));
        self.value(intrinsic, carried, &arguments)
    }

    /// Writes channels; `values` has a row for each.
    pub(crate) fn typed_write(&mut self, texels: Texels, values: Val) {
        let message = texels.written();
        let gaps = message.channels != texels.channels;
        let intrinsic = if texels.cached() { Intrinsic::CachedTypedWrite } else { Intrinsic::TypedWrite };
        let dwords = self.format(values, Ty::I32.times(values.ty.count));
        for part in texels.parts() {
            let mut data = dwords;
            if gaps || !texels.is_message() {
                // Channels in gaps keep their contents. The mask disables the lanes after the part.
                data = if gaps {
                    self.typed_read_part(message, part)
                } else {
                    self.undefined(message.carried())
                };
                for (to, from) in texels.rows(message, part) {
                    let channel = self.region(dwords, from, part.count, None);
                    data = self.insert(data, to, channel, None);
                }
            }
            let mut arguments = self.typed(message, part);
            arguments.push(data);
            self.call(intrinsic, None, &arguments);
        }
    }

    /// Updates texels by a message. Returns the old values as a register of type `ty`.
    pub(crate) fn typed_atomic(
        &mut self,
        message: Intrinsic,
        texels: Texels,
        sources: &[Val],
        ty: Ty,
    ) -> Val {
        let (dwords, carried) = (Ty::I32.times(ty.count), texels.carried());
        let sources: Vec<Val> = sources.iter().map(|source| self.format(*source, dwords)).collect();
        let mut whole = self.undefined(dwords);
        for part in texels.parts() {
            let [u, v, r] = self.coordinates(texels, part);
            let mask = self.mask(part, Elements { starts: u, last: None });
            let mut arguments = vec![mask, texels.surface];
            arguments.extend(sources.iter().map(|source| self.lanes(*source, part)));
            arguments.extend([u, v, r, self.constant(u.ty, 0)]);
            let old = self.value(message, carried, &arguments);
            if texels.is_message() {
                whole = old;
                continue;
            }
            let old = self.region(old, FixedRegion::row(0, part.count), part.count, None);
            whole = self.insert(whole, FixedRegion::row(part.start, part.count), old, None);
        }
        self.format(whole, ty)
    }

    /// The arguments of a message before its data.
    fn typed(&mut self, texels: Texels, part: Part) -> Vec<Val> {
        let [u, v, r] = self.coordinates(texels, part);
        let mask = self.mask(part, Elements { starts: u, last: None });
        let channels = texels.channels.bits();
        if !texels.cached() {
            return vec![self.i32(channels), mask, texels.surface, u, v, r];
        }
        let (default, channels) = (self.constant(Ty::I8, 0), self.constant(Ty::I8, channels as u64));
        vec![mask, default, default, channels, texels.surface, u, v, r, self.constant(u.ty, 0)]
    }

    /// The columns, rows and slices of a part; 0 for the slices of a 2-D surface.
    fn coordinates(&mut self, texels: Texels, part: Part) -> [Val; 3] {
        let [u, v] = texels.place.map(|place| self.lanes(place, part));
        let r = match texels.slices {
            Some(slices) => self.lanes(slices, part),
            None => self.constant(u.ty, 0),
        };
        [u, v, r]
    }
}
