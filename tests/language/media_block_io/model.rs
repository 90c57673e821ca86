//! The specification of the extension, byte by byte, implemented without the language.

use cm::Format;
use cm_test_support::noise::stream;

/// Rows of bytes, with the edge rule of a format.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub(crate) format: Format,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) bytes: Vec<u8>,
}

/// A built-in: bytes of an element, components of a work item, sub-group size, and the region in elements and
/// rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltIn {
    pub(crate) element: usize,
    pub(crate) components: usize,
    pub(crate) sub_group: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Picture {
    /// No byte is zero, so that bytes that are read as 0 or not written are noticed.
    pub(crate) fn noise(format: Format, width: usize, height: usize, seed: u32) -> Self {
        let mut next = stream(seed);
        let bytes = (0..width * height).map(|_| (next() >> 9) as u8 | 1).collect();
        Self { format, width, height, bytes }
    }

    /// All bytes are zero, with texels of one byte.
    pub(crate) fn dark(width: usize, height: usize) -> Self {
        Self { format: Format::R8, width, height, bytes: vec![0; width * height] }
    }

    /// The byte that a read gives at any byte column and row.
    fn byte(&self, x: i64, y: i64) -> u8 {
        let row = &self.bytes[y.clamp(0, self.height as i64 - 1) as usize * self.width..][..self.width];
        if let Some(inside) = usize::try_from(x).ok().and_then(|x| row.get(x)) {
            return *inside;
        }
        // The bytes of the boundary texel, or of the boundary dword of packed YUV, in the order in which they
        // are repeated.
        let order: &[usize] = match (self.format, x < 0) {
            (Format::R8, _) => &[0],
            (Format::R16, _) => &[0, 1],
            (Format::R32, _) => &[0, 1, 2, 3],
            // Y0U0Y1V0 becomes Y0U0Y0V0 on the left and Y1U0Y1V0 on the right.
            (Format::Yuyv, true) => &[0, 1, 0, 3],
            (Format::Yuyv, false) => &[2, 1, 2, 3],
            // U0Y0V0Y1 becomes U0Y0V0Y0 on the left and U0Y1V0Y1 on the right.
            (Format::Uyvy, true) => &[0, 1, 2, 1],
            (Format::Uyvy, false) => &[0, 3, 2, 3],
            (other, _) => panic!("no rule for {other}"),
        };
        let boundary = if x < 0 { &row[..order.len()] } else { &row[self.width - order.len()..] };
        boundary[order[x.rem_euclid(order.len() as i64) as usize]]
    }
}

impl BuiltIn {
    /// The values of the work items, component by component, each as the bytes of its elements.
    pub(crate) fn read(&self, image: &Picture, x: i32, y: i32) -> Vec<Vec<u8>> {
        // The region, texel by texel in row-major order.
        let mut region = Vec::new();
        for row in 0..self.height {
            for column in 0..self.width * self.element {
                region.push(image.byte(i64::from(x) + column as i64, i64::from(y) + row as i64));
            }
        }
        // It is rearranged as rows of the sub-group size; excess elements are dropped, missing ones are 0.
        region.resize(self.components * self.sub_group * self.element, 0);
        region.chunks(self.sub_group * self.element).map(<[u8]>::to_vec).collect()
    }

    /// The image after the work items wrote these values; each is a row as from [`read`](Self::read).
    pub(crate) fn write(&self, image: &mut Picture, x: i32, y: i32, values: &[Vec<u8>]) {
        let all = values.concat();
        for row in 0..self.height {
            for column in 0..self.width * self.element {
                let Some(&byte) = all.get(row * self.width * self.element + column) else { continue };
                let (x, y) = (i64::from(x) + column as i64, i64::from(y) + row as i64);
                if (0..image.width as i64).contains(&x) && (0..image.height as i64).contains(&y) {
                    image.bytes[y as usize * image.width + x as usize] = byte;
                }
            }
        }
    }
}
