//! Texels of surfaces as typed accesses see them: four channels of a dword each.

use crate::elem::ElemType;

/// How many coordinates a texel has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dims {
    /// Column and row: texels of 2-D surfaces.
    Two,
    /// Column, row and slice: texels of 3-D surfaces.
    Three,
}

impl Dims {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Two, Self::Three];

    /// The number of coordinates.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

/// Channels of a typed access: red is bit 0, alpha bit 3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChannelMask(u8);

/// The masks in their order, with the names of the accesses that read and write their channels.
macro_rules! masks {
    ($($mask:literal $channels:literal)*) => {
        impl ChannelMask {
            /// All of them: every set of channels but the empty one.
            pub const ALL: [Self; 15] = [$(Self($mask)),*];

            /// The name of the access that reads these channels.
            #[must_use]
            pub const fn read_name(self, dims: Dims) -> &'static str {
                match (dims, self.0) {
                    $(
                        (Dims::Two, $mask) => concat!("typed_read_", $channels),
                        (Dims::Three, $mask) => concat!("typed_3d_read_", $channels),
                    )*
                    _ => "typed_read",
                }
            }

            /// The name of the access that writes these channels.
            #[must_use]
            pub const fn write_name(self, dims: Dims) -> &'static str {
                match (dims, self.0) {
                    $(
                        (Dims::Two, $mask) => concat!("typed_write_", $channels),
                        (Dims::Three, $mask) => concat!("typed_3d_write_", $channels),
                    )*
                    _ => "typed_write",
                }
            }
        }
    };
}

masks! {
    1 "r" 2 "g" 3 "gr" 4 "b" 5 "br" 6 "bg" 7 "bgr"
    8 "a" 9 "ar" 10 "ag" 11 "agr" 12 "ab" 13 "abr" 14 "abg" 15 "abgr"
}

impl ChannelMask {
    /// Red alone.
    pub const RED: Self = Self(1);

    /// The mask with these bits; `None` if it has no channel, or others.
    #[must_use]
    pub const fn new(bits: usize) -> Option<Self> {
        if 1 <= bits && bits < 1 << Texel::CHANNELS { Some(Self(bits as u8)) } else { None }
    }

    /// A bit for each channel.
    #[must_use]
    pub const fn bits(self) -> usize {
        self.0 as usize
    }

    /// How many channels it has.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Its channels, and all before the last one of them.
    #[must_use]
    pub const fn up_to_last(self) -> Self {
        Self(u8::MAX >> self.0.leading_zeros())
    }

    /// Its channels, in their order.
    pub fn channels(self) -> impl Iterator<Item = usize> + Clone {
        (0..Texel::CHANNELS).filter(move |channel| self.0 >> channel & 1 != 0)
    }
}

/// How a texel lies in memory: channels of equal size, red first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Texel {
    /// Red alone, a `u8`.
    Byte,
    /// Red alone, a `u16`.
    Word,
    /// Red alone, a `u32`.
    Dword,
    /// Red alone, an `f32`.
    Float,
    /// Red, green, blue and alpha, each a `u8`.
    Bytes,
}

impl Texel {
    /// The channels that typed accesses see: red, green, blue, alpha.
    pub const CHANNELS: usize = 4;
    /// The last of them.
    pub const ALPHA: usize = Self::CHANNELS - 1;

    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
            Self::Dword | Self::Float | Self::Bytes => 4,
        }
    }

    /// Bytes of a channel.
    #[must_use]
    pub const fn channel_bytes(self) -> usize {
        match self {
            Self::Byte | Self::Bytes => 1,
            Self::Word => 2,
            Self::Dword | Self::Float => 4,
        }
    }

    /// The byte of the texel at which a channel starts; `None` if the texel lacks it.
    #[must_use]
    pub const fn start(self, channel: usize) -> Option<usize> {
        let start = channel * self.channel_bytes();
        if start < self.bytes() { Some(start) } else { None }
    }

    /// What a channel that the texel lacks reads as: 1 in alpha, 0 in the others.
    #[must_use]
    pub const fn missing(self, channel: usize) -> u32 {
        match self {
            Self::Float if channel == Self::ALPHA => 1.0_f32.to_bits(),
            _ => (channel == Self::ALPHA) as u32,
        }
    }

    /// What a channel holds after a dword was written to it: the nearest integer that it can hold.
    #[must_use]
    pub const fn limited(self, dword: u32) -> u32 {
        let most = u32::MAX >> (32 - 8 * self.channel_bytes());
        if dword < most { dword } else { most }
    }

    /// Whether it is a single integer of 32 bits, which atomic operations take.
    #[must_use]
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::Dword)
    }

    /// Whether its channels are of this type; signed integers are taken for unsigned ones.
    #[must_use]
    pub const fn takes(self, elem: ElemType) -> bool {
        match self {
            Self::Float => matches!(elem, ElemType::F32),
            _ => matches!(elem, ElemType::U32 | ElemType::I32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_channels_of_their_names() {
        for (bits, mask) in (1..).zip(ChannelMask::ALL) {
            assert_eq!(ChannelMask::new(bits), Some(mask));
            let channels: String = mask.channels().map(|channel| ['r', 'g', 'b', 'a'][channel]).collect();
            let backwards: String = channels.chars().rev().collect();
            assert_eq!(mask.read_name(Dims::Two), format!("typed_read_{backwards}"));
            assert_eq!(mask.write_name(Dims::Two), format!("typed_write_{backwards}"));
            assert_eq!(mask.read_name(Dims::Three), format!("typed_3d_read_{backwards}"));
            assert_eq!(mask.write_name(Dims::Three), format!("typed_3d_write_{backwards}"));
            assert_eq!((mask.bits(), mask.count()), (bits, channels.len()));
            let last = mask.channels().last();
            assert!(mask.up_to_last().channels().eq((0..=3).take_while(|n| Some(*n) <= last)), "{mask:?}");
        }
        assert_eq!([0, 16].map(ChannelMask::new), [None; 2]);
        assert!(ChannelMask::RED.channels().eq([0]));
    }
}
