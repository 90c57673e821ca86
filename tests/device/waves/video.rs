//! The integral image of CM's tutorial, prediction and deblocking of H.264, and error diffusion, each against
//! plain loops.

use cm::DependencyPattern;
use cm::prelude::*;
use cm_test_kernels::error_diffusion::{BLOCK, BORDER, SLANT, error_diffusion};
use cm_test_kernels::integral_image::integral_image;
use cm_test_kernels::waves::{ALPHA, BETA, TC0, deblock, intra_16x16};
use cm_test_support::noise::stream;
use cm_test_support::numbers::elements;

use super::devices;

/// Smooth areas with steps and some noise.
fn picture(width: usize, height: usize, seed: u32) -> Vec<u8> {
    let mut next = stream(seed);
    let texel = |x: usize, y: usize, noise: u32| {
        60 + x / 3 + y / 2 + x / 16 % 3 * 5 + y / 16 % 2 * 7 + (noise >> 29) as usize
    };
    (0..width * height).map(|n| texel(n % width, n / width, next()) as u8).collect()
}

#[test]
fn integral_images() -> cm::Result<()> {
    // The last blocks are partly outside.
    for [width, height] in [[16, 16], [128, 72], [304, 40]] {
        let texels = picture(width, height, 5);
        let mut expected = vec![0u32; width * height];
        for y in 0..height {
            let mut row = 0;
            for x in 0..width {
                row += u32::from(texels[y * width + x]);
                expected[y * width + x] = row + if y > 0 { expected[(y - 1) * width + x] } else { 0 };
            }
        }
        for device in devices() {
            let input = Surface2D::from_bytes(&device, Format::R8, width, height, &texels)?;
            let mut sums = Surface2D::new(&device, Format::Bgra8, width, height)?;
            let space = ThreadSpace::new(width / 16, height.div_ceil(16))?
                .with_dependencies(DependencyPattern::WAVEFRONT);
            integral_image::launch(&device, space, &input, &mut sums)?;
            let found: Vec<u32> = elements(&sums.to_vec()?);
            assert!(found == expected, "{width} x {height} on {}", device.name());
        }
    }
    Ok(())
}

/// The tutorial's size runs on several cores.
#[test]
fn integral_images_run_on_all_cores() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    let input = Surface2D::new(&cpu, Format::R8, 1920, 1080)?;
    let mut sums = Surface2D::new(&cpu, Format::Bgra8, 1920, 1080)?;
    let space = ThreadSpace::new(120, 68)?.with_dependencies(DependencyPattern::WAVEFRONT);
    assert_eq!(integral_image::launch(&cpu, space, &input, &mut sums)?.workers(), 2);
    Ok(())
}

/// Intra prediction as described in the standard, one texel at a time.
fn predicted(modes: &[u8], residual: &[i16], columns: usize, rows: usize) -> Vec<u8> {
    let width = columns * 16;
    let mut picture = vec![0u8; width * rows * 16];
    for (number, mode) in modes.iter().enumerate() {
        let (left, top) = (number % columns * 16, number / columns * 16);
        let p = {
            let picture = &picture;
            move |x: i32, y: i32| {
                let (x, y) = (left as i32 + x, top as i32 + y);
                i32::from(picture[y as usize * width + x as usize])
            }
        };
        let sum_above = || (0..16).map(|x| p(x, -1)).sum::<i32>();
        let sum_left = || (0..16).map(|y| p(-1, y)).sum::<i32>();
        let mut block = [[0; 16]; 16];
        for (y, row) in block.iter_mut().enumerate() {
            for (x, texel) in row.iter_mut().enumerate() {
                let (x, y) = (x as i32, y as i32);
                *texel = match (mode, left > 0, top > 0) {
                    (0, ..) => p(x, -1),
                    (1, ..) => p(-1, y),
                    (2, true, true) => (sum_above() + sum_left() + 16) >> 5,
                    (2, true, false) => (sum_left() + 8) >> 4,
                    (2, false, true) => (sum_above() + 8) >> 4,
                    (2, ..) => 128,
                    _ => {
                        let h: i32 = (0..8).map(|k| (k + 1) * (p(8 + k, -1) - p(6 - k, -1))).sum();
                        let v: i32 = (0..8).map(|k| (k + 1) * (p(-1, 8 + k) - p(-1, 6 - k))).sum();
                        let (b, c) = ((5 * h + 32) >> 6, (5 * v + 32) >> 6);
                        let a = 16 * (p(-1, 15) + p(15, -1));
                        ((a + b * (x - 7) + c * (y - 7) + 16) >> 5).clamp(0, 255)
                    }
                };
            }
        }
        for (y, row) in block.iter().enumerate() {
            for (x, texel) in row.iter().enumerate() {
                let at = (top + y) * width + left + x;
                picture[at] = (texel + i32::from(residual[at])).clamp(0, 255) as u8;
            }
        }
    }
    picture
}

#[test]
fn intra_prediction() -> cm::Result<()> {
    let (columns, rows) = (12, 9);
    let mut next = stream(3);
    let modes: Vec<u8> = (0..columns * rows)
        .map(|n| match (n % columns > 0, n / columns > 0) {
            (true, true) => (next() >> 30) as u8,
            (true, false) => 1 + (next() >> 31) as u8,
            (false, true) => (next() >> 31) as u8 * 2,
            (false, false) => 2,
        })
        .collect();
    let residual: Vec<i16> = (0..columns * rows * 256).map(|_| (next() >> 26) as i16 - 31).collect();
    let expected = predicted(&modes, &residual, columns, rows);
    for device in devices() {
        let modes = Surface2D::from_bytes(&device, Format::R8, columns, rows, &modes)?;
        let bytes = bytemuck::cast_slice(&residual);
        let residual = Surface2D::from_bytes(&device, Format::R16, columns * 16, rows * 16, bytes)?;
        let mut picture = Surface2D::new(&device, Format::R8, columns * 16, rows * 16)?;
        let space = ThreadSpace::new(columns, rows)?.with_dependencies(DependencyPattern::WAVEFRONT);
        let event = intra_16x16::launch(&device, space, &modes, &residual, &mut picture)?;
        assert!(picture.to_vec()? == expected, "on {}", device.name());
        assert!(event.workers() != 1 || device.name().contains("1 thread"), "{}", device.name());
    }
    Ok(())
}

/// One line across an edge: the texels from p3 to q3, as described in the standard.
fn filter_line(t: &mut [i32; 8], strength: u8, quantiser: usize) {
    let (alpha, beta) = (i32::from(ALPHA[quantiser]), i32::from(BETA[quantiser]));
    let [p3, p2, p1, p0, q0, q1, q2, q3] = *t;
    if strength == 0 || (p0 - q0).abs() >= alpha || (p1 - p0).abs() >= beta || (q1 - q0).abs() >= beta {
        return;
    }
    let (ap, aq) = ((p2 - p0).abs(), (q2 - q0).abs());
    if strength < 4 {
        let tc0 = i32::from(TC0[usize::from(strength) - 1][quantiser]);
        let tc = tc0 + i32::from(ap < beta) + i32::from(aq < beta);
        let delta = ((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3).clamp(-tc, tc);
        t[3] = (p0 + delta).clamp(0, 255);
        t[4] = (q0 - delta).clamp(0, 255);
        if ap < beta {
            t[2] = p1 + ((p2 + ((p0 + q0 + 1) >> 1) - (p1 << 1)) >> 1).clamp(-tc0, tc0);
        }
        if aq < beta {
            t[5] = q1 + ((q2 + ((p0 + q0 + 1) >> 1) - (q1 << 1)) >> 1).clamp(-tc0, tc0);
        }
        return;
    }
    let small = (p0 - q0).abs() < (alpha >> 2) + 2;
    if ap < beta && small {
        t[3] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
        t[2] = (p2 + p1 + p0 + q0 + 2) >> 2;
        t[1] = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
    } else {
        t[3] = (2 * p1 + p0 + q1 + 2) >> 2;
    }
    if aq < beta && small {
        t[4] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
        t[5] = (p0 + q0 + q1 + q2 + 2) >> 2;
        t[6] = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
    } else {
        t[4] = (2 * q1 + q0 + p1 + 2) >> 2;
    }
}

/// Deblocking of a whole picture, block by block in raster order.
fn deblocked(picture: &mut [u8], quantisers: &[u8], strengths: &[u8], columns: usize) {
    let width = columns * 16;
    for (number, own) in quantisers.iter().enumerate() {
        let (left, top) = (number % columns * 16, number / columns * 16);
        for edge in 0..8 {
            let (vertical, offset) = (edge < 4, edge % 4 * 4);
            let other = match (vertical, offset) {
                (true, 0) if left > 0 => quantisers[number - 1],
                (false, 0) if top > 0 => quantisers[number - columns],
                _ => *own,
            };
            let quantiser = (usize::from(*own) + usize::from(other)).div_ceil(2);
            for line in 0..16 {
                let strength = strengths[number * 32 + edge * 4 + line / 4];
                if strength == 0 {
                    continue;
                }
                let at = |n: usize| match vertical {
                    true => (top + line) * width + left + offset + n - 4,
                    false => (top + offset + n - 4) * width + left + line,
                };
                let mut texels = std::array::from_fn(|n| i32::from(picture[at(n)]));
                filter_line(&mut texels, strength, quantiser);
                (0..8).for_each(|n| picture[at(n)] = texels[n] as u8);
            }
        }
    }
}

#[test]
fn deblocking() -> cm::Result<()> {
    let (columns, rows) = (11, 8);
    let (width, height) = (columns * 16, rows * 16);
    let texels = picture(width, height, 8);
    let mut next = stream(21);
    let quantisers: Vec<u8> = (0..columns * rows).map(|_| 24 + (next() >> 28) as u8).collect();
    let strengths: Vec<u8> = (0..columns * rows * 32)
        .map(|n| {
            let (block, edge) = (n / 32, n / 4 % 8);
            let outside = edge == 0 && block % columns == 0 || edge == 4 && block < columns;
            if outside { 0 } else { (next() >> 16) as u8 % 5 }
        })
        .collect();
    let mut expected = texels.clone();
    deblocked(&mut expected, &quantisers, &strengths, columns);
    let changed = expected.iter().zip(&texels).filter(|(a, b)| a != b).count();
    assert!(changed > width * height / 8, "{changed} texels change");
    for device in devices() {
        let quantisers = Surface2D::from_bytes(&device, Format::R8, columns, rows, &quantisers)?;
        let strengths = Buffer::from_slice(&device, &strengths)?;
        let launched = |pattern| {
            let mut picture = Surface2D::from_bytes(&device, Format::R8, width, height, &texels)?;
            let space = ThreadSpace::new(columns, rows)?.with_dependencies(pattern);
            let columns = columns as u32;
            let event = deblock::launch(&device, space, &quantisers, &strengths, columns, &mut picture)?;
            Ok::<_, cm::Error>((picture.to_vec()?, event.workers()))
        };
        let (found, _) = launched(DependencyPattern::WAVEFRONT26)?;
        assert!(found == expected, "on {}", device.name());
        // With fewer dependencies, two blocks of a wave access the same texels, so the CPU runs them in
        // raster order.
        if !device.is_gpu() {
            assert!(launched(DependencyPattern::WAVEFRONT)? == (expected.clone(), 1), "on {}", device.name());
        }
    }
    let cpu = Device::cpu_with_threads(2)?;
    let (quantisers, strengths) =
        (Surface2D::new(&cpu, Format::R8, 24, 24)?, Buffer::<u8>::new(&cpu, 24 * 24 * 32)?);
    let mut picture = Surface2D::new(&cpu, Format::R8, 384, 384)?;
    let space = ThreadSpace::new(24, 24)?.with_dependencies(DependencyPattern::WAVEFRONT26);
    assert_eq!(deblock::launch(&cpu, space, &quantisers, &strengths, 24, &mut picture)?.workers(), 2);
    Ok(())
}

/// Error diffusion, one texel at a time.
fn diffused(picture: &[u8], width: usize) -> Vec<u8> {
    let mut errors = vec![0i32; picture.len()];
    let mut out = vec![0; picture.len()];
    for n in 0..picture.len() {
        let (x, y) = ((n % width) as isize, n / width);
        let error = |dx: isize, above: usize| match (0..width as isize).contains(&(x + dx)) && y >= above {
            true => errors[(y - above) * width + (x + dx) as usize],
            false => 0,
        };
        let share = error(-1, 0) * 7 + error(-1, 1) + error(0, 1) * 5 + error(1, 1) * 3;
        let value = i32::from(picture[n]) + (share >> 4);
        out[n] = if value > 127 { 255 } else { 0 };
        errors[n] = value - i32::from(out[n]);
    }
    out
}

#[test]
fn errors_are_diffused() -> cm::Result<()> {
    let [[block, rows], [left, above]] = [BLOCK, BORDER];
    for (width, height) in [(64, 24), (20, 9), (180, 40)] {
        let texels = picture(width, height, 77);
        let expected = diffused(&texels, width);
        for device in devices() {
            let input = Surface2D::from_bytes(&device, Format::R8, width, height, &texels)?;
            let slanted = width + (rows - 1) * SLANT;
            let space = ThreadSpace::new(slanted.div_ceil(block), height.div_ceil(rows))?
                .with_dependencies(DependencyPattern::WAVEFRONT26);
            let mut output = Surface2D::new(&device, Format::R8, width, height)?;
            let mut errors = Surface2D::new(
                &device,
                Format::R16,
                left + space.width() * block + left,
                above + space.height() * rows,
            )?;
            error_diffusion::launch(&device, space, &input, width as i32, &mut output, &mut errors)?;
            let found = output.to_vec()?;
            assert!(found == expected, "{width} x {height} on {}", device.name());
            assert!(found.contains(&0) && found.contains(&255));
        }
    }
    Ok(())
}
