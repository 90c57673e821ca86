//! Memory for the interpreter: surfaces, with an independent edge rule, and buffers.

use cm::compiler::ops::Texel;
use cm::interpret::{InterpretBuffer, InterpretSurface};

/// Rows of texels of equal size.
#[derive(Debug)]
pub struct Memory {
    texel: usize,
    rows: Vec<Vec<u8>>,
    /// The texels of typed accesses.
    texels: Option<Texel>,
    /// The slices whose rows these are; 1 for 2-D surfaces.
    slices: usize,
}

impl Memory {
    /// Rows of `width` bytes, in texels of `texel` bytes.
    pub fn new(texel: usize, width: usize, height: usize, bytes: &[u8]) -> Self {
        assert_eq!(bytes.len(), width * height);
        Self { texel, rows: bytes.chunks(width).map(<[u8]>::to_vec).collect(), texels: None, slices: 1 }
    }

    /// The same with texels for typed accesses.
    #[must_use]
    pub fn of_texels(texel: Texel, width: usize, height: usize, bytes: &[u8]) -> Self {
        Self { texels: Some(texel), ..Self::new(texel.bytes(), width, height, bytes) }
    }

    /// A 3-D surface: `width` bytes, `height` rows of a slice, and slices.
    #[must_use]
    pub fn of_slices(texel: Texel, [width, height, depth]: [usize; 3], bytes: &[u8]) -> Self {
        Self { slices: depth, ..Self::of_texels(texel, width, height * depth, bytes) }
    }

    /// The bytes, row by row.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.rows.concat()
    }
}

impl InterpretSurface for Memory {
    fn texels(&self) -> (Texel, [u32; 3]) {
        let texel = self.texels.expect("a surface of texels");
        let rows = self.rows.len() / self.slices;
        (texel, [self.rows[0].len() / texel.bytes(), rows, self.slices].map(|n| n as u32))
    }

    fn read_row(&self, x: i32, y: i32, row: &mut [u8]) {
        let source = &self.rows[(y.max(0) as usize).min(self.rows.len() - 1)];
        // The row, with the texels at its edges repeated as often as needed.
        let texels: Vec<&[u8]> = source.chunks(self.texel).collect();
        for (n, byte) in row.iter_mut().enumerate() {
            let x = i64::from(x) + n as i64;
            let texel = x.div_euclid(self.texel as i64).clamp(0, texels.len() as i64 - 1);
            *byte = texels[texel as usize][x.rem_euclid(self.texel as i64) as usize];
        }
    }

    fn write_row(&mut self, x: i32, y: i32, row: &[u8]) {
        let target = usize::try_from(y).ok().and_then(|y| self.rows.get_mut(y));
        let Some(target) = target else { return };
        for (x, byte) in (i64::from(x)..).zip(row) {
            if let Some(target) = usize::try_from(x).ok().and_then(|x| target.get_mut(x)) {
                *target = *byte;
            }
        }
    }
}

/// A buffer in memory for the interpreter.
#[derive(Debug)]
pub struct Linear(Vec<u8>);

impl Linear {
    /// A buffer with these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl InterpretBuffer for Linear {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read(&self, offset: u32, bytes: &mut [u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            *byte = *self.0.get(at).unwrap_or(&0);
        }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) {
        for (at, byte) in (offset as usize..).zip(bytes) {
            if let Some(target) = self.0.get_mut(at) {
                *target = *byte;
            }
        }
    }
}
