//! The texels of a surface: addressing, filtering and component order.

use crate::dispatch::{Surface, SurfaceKind};
use crate::messages::{Format, place_in_slice};

/// A surface that is sampled.
pub(crate) struct Texture<'a> {
    pub(crate) surface: Surface<'a>,
    /// `None` for a null surface.
    pub(crate) format: Option<&'static Format>,
}

/// How coordinates outside of the surface are treated: `TCX`, `TCY`, `TCZ` of `SAMPLER_STATE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrap {
    Repeat,
    Mirror,
    /// The border colour is used.
    Border,
    MirrorOnce,
    Clamp,
}

/// A sampler's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    linear: bool,
    /// Whether coordinates are in texels; otherwise the surface extends from 0 to 1.
    in_texels: bool,
    wrap: [Wrap; 3],
}

impl Filter {
    pub(crate) fn of(state: [u32; 4]) -> Self {
        let wrap = |first: u32| match state[3] >> first & 7 {
            0 => Wrap::Repeat,
            1 => Wrap::Mirror,
            4 => Wrap::Border,
            5 => Wrap::MirrorOnce,
            _ => Wrap::Clamp,
        };
        Self {
            linear: state[0] >> 17 & 7 == 1 || state[0] >> 14 & 7 == 1,
            in_texels: state[3] >> 10 & 1 != 0,
            wrap: [wrap(6), wrap(3), wrap(0)],
        }
    }
}

impl Wrap {
    /// The texel of a coordinate; `None` if it is the border.
    fn of(self, at: i64, count: i64) -> Option<i64> {
        if count <= 0 {
            return None;
        }
        Some(match self {
            Self::Repeat => at.rem_euclid(count),
            Self::Mirror => {
                let at = at.rem_euclid(2 * count);
                if at >= count { 2 * count - 1 - at } else { at }
            }
            Self::Border => return (0..count).contains(&at).then_some(at),
            Self::MirrorOnce => (if at < 0 { -1 - at } else { at }).min(count - 1),
            Self::Clamp => at.clamp(0, count - 1),
        })
    }
}

impl Texture<'_> {
    fn is_buffer(&self) -> bool {
        matches!(self.surface.kind, SurfaceKind::Buffer | SurfaceKind::StructuredBuffer)
    }

    /// Width, height, depth and levels.
    pub(crate) fn size(&self) -> [u32; 4] {
        let height = if self.surface.kind == SurfaceKind::Buffer { 0 } else { self.surface.height };
        [self.surface.width, height, self.surface.depth, 1]
    }

    /// A texel inside of the surface.
    fn texel(&self, [x, y, z]: [i64; 3]) -> [u32; 4] {
        let Some(format) = self.format else { return [0; 4] };
        let surface = &self.surface;
        let size = u64::from(format.bytes());
        let [x, y, z] = [x, y, z].map(|at| at as u64);
        let at = if self.is_buffer() {
            x * u64::from(surface.pitch)
        } else {
            let [x, y] = [x + u64::from(surface.offset.0), y + u64::from(surface.offset.1)];
            place_in_slice(surface, [x * size, y, z])
        };
        let mut bytes = [0; 16];
        let bytes = &mut bytes[..format.bytes() as usize];
        let inside = usize::try_from(at).is_ok_and(|at| surface.bytes.read(at, bytes));
        if inside { [0, 1, 2, 3].map(|component| format.load(bytes, component)) } else { [0; 4] }
    }

    /// The texel at integer coordinates; 0 outside of the surface.
    pub(crate) fn load(&self, [x, mut y, mut z]: [i64; 3]) -> [u32; 4] {
        let surface = &self.surface;
        if surface.kind == SurfaceKind::D1 {
            (y, z) = (0, y);
        }
        if surface.kind == SurfaceKind::D2 && !surface.is_array {
            z = 0;
        }
        let within = |at: i64, count: u32| (0..i64::from(count)).contains(&at);
        let inside = surface.kind != SurfaceKind::Null
            && within(x, surface.width)
            && (self.is_buffer() || within(y, surface.height) && within(z, surface.depth));
        if inside { self.texel([x, y, z]) } else { [0; 4] }
    }

    /// A texel after wrapping its coordinates; the border is transparent black.
    fn wrapped(&self, filter: &Filter, [x, y, z]: [i64; 3], layer: i64) -> [u32; 4] {
        let surface = &self.surface;
        let wrapped = |n: usize, at: i64, count: u32, is_used: bool| {
            if is_used { filter.wrap[n].of(at, count.into()) } else { Some(at) }
        };
        let is_3d = surface.kind == SurfaceKind::D3;
        let place = (
            wrapped(0, x, surface.width, true),
            wrapped(1, y, surface.height, surface.kind != SurfaceKind::D1),
            wrapped(2, z, surface.depth, is_3d),
        );
        match place {
            (Some(x), Some(y), Some(z)) if surface.kind != SurfaceKind::Null => {
                self.texel([x, y, if is_3d { z } else { layer }])
            }
            _ => [0; 4],
        }
    }

    /// The filtered texels at coordinates.
    pub(crate) fn sample(&self, filter: &Filter, [mut x, mut y, mut z]: [f32; 3]) -> [u32; 4] {
        let surface = &self.surface;
        let is_3d = surface.kind == SurfaceKind::D3;
        if !filter.in_texels {
            x *= surface.width as f32;
            y *= surface.height as f32;
            if is_3d {
                z *= surface.depth as f32;
            }
        }
        if surface.kind == SurfaceKind::D1 {
            (y, z) = (0.0, y);
        }
        let layer = if surface.is_array && !is_3d {
            (z.round_ties_even() as i64).max(0).min(i64::from(surface.depth) - 1)
        } else {
            0
        };
        let is_float = self.format.is_some_and(|format| !format.is_integer());
        if !filter.linear || !is_float {
            return self.wrapped(filter, [x, y, z].map(|at| at.floor() as i64), layer);
        }
        // Weights have eight bits.
        let split = |at: f32| {
            let at = at - 0.5;
            let first = at.floor();
            (first as i64, ((at - first) * 256.0).round_ties_even() / 256.0)
        };
        let used = |is_used: bool, at: f32| if is_used { split(at) } else { (0, 0.0) };
        let axes = [split(x), used(surface.kind != SurfaceKind::D1, y), used(is_3d, z)];
        let mut sum = [0_f32; 4];
        for corner in 0..if is_3d { 8 } else { 4 } {
            let far = |n: usize| corner >> n & 1 != 0;
            let weight = |n: usize| if far(n) { axes[n].1 } else { 1.0 - axes[n].1 };
            let weight = weight(0) * weight(1) * if is_3d { weight(2) } else { 1.0 };
            if weight == 0.0 {
                continue;
            }
            let at = [0, 1, 2].map(|n| axes[n].0.saturating_add(far(n).into()));
            for (sum, value) in sum.iter_mut().zip(self.wrapped(filter, at, layer)) {
                *sum += weight * f32::from_bits(value);
            }
        }
        sum.map(f32::to_bits)
    }

    /// Components in the order of the surface state: zero, one, or one of the four.
    pub(crate) fn swizzled(&self, texel: [u32; 4]) -> [u32; 4] {
        let state = self.surface.state;
        if state == [0; 16] {
            return texel;
        }
        let is_float = self.format.is_some_and(|format| !format.is_integer());
        [0, 1, 2, 3].map(|n| match state[7] >> (25 - 3 * n) & 7 {
            0 => 0,
            1 if is_float => 1_f32.to_bits(),
            1 => 1,
            select if select >= 4 => texel[select as usize - 4],
            _ => texel[n],
        })
    }
}
