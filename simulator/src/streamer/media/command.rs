//! `MEDIA_OBJECT` and `MEDIA_OBJECT_WALKER`. Sources: Intel's PRM, Skylake, volume 2a; `gen9.xml` of Mesa and
//! `mhw_render_hwcmd_g9_X.h` of Intel's media-driver.
//!
//! The subslice of a thread is not simulated, so fields that select it are ignored.

use super::super::error::Error;
use super::loops::{Loops, Position};

/// The fields that both commands share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::streamer) struct Common {
    /// The number of the interface descriptor.
    pub(in crate::streamer) descriptor: u32,
    /// Bytes of indirect data, and their offset.
    pub(in crate::streamer) indirect: (u32, u32),
    /// The scoreboard entries of these threads.
    pub(in crate::streamer) mask: u8,
    /// The inline data.
    pub(in crate::streamer) inline: Vec<u8>,
}

/// The positions of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::streamer) struct Object {
    pub(in crate::streamer) common: Common,
    pub(in crate::streamer) position: Position,
}

/// The walker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::streamer) struct MediaWalker {
    pub(in crate::streamer) common: Common,
    pub(in crate::streamer) loops: Loops,
}

/// Fields that change the behaviour of threads and are not supported: word, lowest bit, number of bits, name.
type Missing = (usize, u32, u32, &'static str);

const MISSING_OF_OBJECTS: [Missing; 2] = [
    (2, 24, 1, "MEDIA_OBJECT with threads that another thread lets begin"),
    (2, 31, 1, "MEDIA_OBJECT with children"),
];

const MISSING_OF_WALKERS: [Missing; 3] = [
    (2, 22, 0b11, "MEDIA_OBJECT_WALKER with masked dispatch"),
    (2, 24, 1, "MEDIA_OBJECT_WALKER with threads that another thread lets begin"),
    (5, 8, 0xff_ffff, "MEDIA_OBJECT_WALKER with groups"),
];

impl Common {
    /// `begin` is the word at which inline data begin.
    fn decode(words: &[u32], begin: usize, missing: &[Missing]) -> Result<Self, Error> {
        for (word, low, bits, what) in missing {
            if words[*word] >> low & bits != 0 {
                return Err(Error::Unsupported { what, number: words[*word] });
            }
        }
        let uses_scoreboard = words[2] >> 21 & 1 == 1;
        Ok(Self {
            descriptor: words[1] & 0x3f,
            indirect: (words[2] & 0x1_ffff, words[3]),
            mask: if uses_scoreboard { words[5] as u8 } else { 0 },
            inline: words[begin..].iter().flat_map(|word| word.to_le_bytes()).collect(),
        })
    }
}

impl Object {
    /// Words before the inline data.
    const WORDS: usize = 6;

    pub(in crate::streamer) fn decode(words: &[u32]) -> Result<Self, Error> {
        if words.len() < Self::WORDS {
            return Err(Error::Unsupported { what: "MEDIA_OBJECT", number: words[0] });
        }
        let common = Common::decode(words, Self::WORDS, &MISSING_OF_OBJECTS)?;
        let position = Position {
            x: (words[4] & 0x1ff) as u16,
            y: (words[4] >> 16 & 0x1ff) as u16,
            colour: (words[5] >> 16 & 0xf) as u8,
        };
        Ok(Self { common, position })
    }
}

impl MediaWalker {
    pub(in crate::streamer) fn decode(words: &[u32]) -> Result<Self, Error> {
        let Some(command) = words.first_chunk() else {
            return Err(Error::Unsupported { what: "MEDIA_OBJECT_WALKER", number: words[0] });
        };
        let common = Common::decode(words, Loops::WORDS, &MISSING_OF_WALKERS)?;
        Ok(Self { common, loops: Loops::decode(command)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::patterns::{raster, words};
    use super::*;

    #[test]
    fn an_object() {
        let words = [0x7100_0006, 0x45, 1 << 21 | 64, 0x1040, 0x1ff_0102, 0x7_0003, 8, 9];
        let Object { common, position } = Object::decode(&words).expect("an object");
        assert_eq!((common.descriptor, common.indirect, common.mask), (5, (64, 0x1040), 3));
        assert_eq!(common.inline, [8, 0, 0, 0, 9, 0, 0, 0]);
        assert_eq!(position, Position { x: 0x102, y: 0x1ff, colour: 7 });
        let without = [0x7100_0004, 5, 0, 0, 0, 0xff];
        assert_eq!(Object::decode(&without).expect("an object").common.mask, 0, "it uses no scoreboard");
    }

    #[test]
    fn a_walker() {
        let mut words = words(&raster(3, 2)).to_vec();
        (words[1], words[2], words[5]) = (2, 1 << 21, 0x83);
        words.push(7);
        let MediaWalker { common, loops } = MediaWalker::decode(&words).expect("a walker");
        assert_eq!((common.descriptor, common.indirect, common.mask), (2, (0, 0), 0x83));
        assert_eq!((common.inline, loops), (vec![7, 0, 0, 0], raster(3, 2)));
    }

    #[test]
    fn what_is_not_there_is_said() {
        for (word, bits, said) in [
            (2, 1 << 22, "MEDIA_OBJECT_WALKER with masked dispatch 0x400000 is not supported"),
            (2, 3 << 22, "MEDIA_OBJECT_WALKER with masked dispatch 0xc00000 is not supported"),
            (
                2,
                1 << 24,
                "MEDIA_OBJECT_WALKER with threads that another thread lets begin 0x1000000 is not supported",
            ),
            (5, 1 << 8, "MEDIA_OBJECT_WALKER with groups 0x100 is not supported"),
        ] {
            let mut words = words(&raster(3, 2));
            words[word] = bits;
            assert_eq!(MediaWalker::decode(&words).expect_err("a fault").to_string(), said);
        }
        for (bits, said) in [
            (1 << 24, "MEDIA_OBJECT with threads that another thread lets begin 0x1000000 is not supported"),
            (1 << 31, "MEDIA_OBJECT with children 0x80000000 is not supported"),
        ] {
            let words = [0x7100_0004, 0, bits, 0, 0, 0];
            assert_eq!(Object::decode(&words).expect_err("a fault").to_string(), said);
        }
        assert!(Object::decode(&[0x7100_0000, 0]).is_err());
        assert!(MediaWalker::decode(&[0x7103_0000, 0]).is_err());
    }
}
