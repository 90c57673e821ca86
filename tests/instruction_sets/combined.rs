//! Kernels that combine features which are rarely used together, with scalar code for each. A thread reads and writes a
//! tile of 4 rows of 8 bytes.

use cm::prelude::*;
use cm::{Buffer, Device, Event, Surface2D, ThreadGroups, ThreadSpace};

/// The bytes of a thread.
pub(crate) type Tile = [[u8; 8]; 4];
/// What a kernel does to the tile of a thread.
pub(crate) type Model = fn(Tile, usize, usize) -> Tile;

/// Places of places, of a region with gaps and of longer elements; one of them is merged by a mask of other rows.
#[kernel]
pub(crate) fn places_of_places(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let mask = m.row(0) > m.row(1);
    m.select_mut::<2, 2, 4, 2>(0, 1).row_mut(1).assign(m.row(3).select::<4, 2>(0));
    m.row_mut(0).merge(m.row(3) + 1, &mask);
    m.format_mut::<u16, 4, 4>()
        .select_mut::<2, 1, 2, 2>(1, 0)
        .column_mut(1)
        .assign(m.format::<u16, 4, 4>().select::<2, 1, 1, 1>(2, 1).format::<u16, 2, 1>() + 0x0102u16);
    m.format_mut::<u32, 2, 4>().row_mut(1).select_mut::<2, 2>(1).merge(0x0102_0304u32, 0b10);
    output.write(x, y, &m);
}

fn places_of_places_model(mut m: Tile, _: usize, _: usize) -> Tile {
    let mask: [bool; 8] = std::array::from_fn(|k| m[0][k] > m[1][k]);
    for k in 0..4 {
        m[2][1 + 2 * k] = m[3][2 * k];
    }
    for k in (0..8).filter(|k| mask[*k]) {
        m[0][k] = m[3][k].wrapping_add(1);
    }
    let words: [u16; 2] = std::array::from_fn(|r| u16::from_le_bytes([m[2 + r][2], m[2 + r][3]]));
    for r in 0..2 {
        let word = words[r].wrapping_add(0x0102).to_le_bytes();
        (m[1 + r][4], m[1 + r][5]) = (word[0], word[1]);
    }
    m[3][4..].copy_from_slice(&0x0102_0304u32.to_le_bytes());
    m
}

/// Masks as numbers: added, subtracted, selected by themselves, as an index and as bits, in branches on them.
#[kernel]
pub(crate) fn masks_as_numbers(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let mask = m.row(0) < m.row(2);
    let other = m.row(1) >= m.row(3);
    let mut sum: Vector<u16, 8> = (mask * 3 + other).convert();
    if mask.all() || other.any() {
        sum -= mask;
        sum.merge_else(mask, other, &mask);
    } else {
        sum = ((sum ^ 5u16) + mask).convert();
    }
    let picked = m.row(3).iselect((mask + other * 2).convert::<u16>());
    if !(mask & other).any() {
        m.row_mut(3).assign(picked - mask);
    }
    m.row_mut(1).assign(sum + picked);
    m.row_mut(2).merge(picked, &(mask ^ other));
    output.write(x, y, &m);
}

fn masks_as_numbers_model(mut m: Tile, _: usize, _: usize) -> Tile {
    let mask: [u16; 8] = std::array::from_fn(|k| u16::from(m[0][k] < m[2][k]));
    let other: [u16; 8] = std::array::from_fn(|k| u16::from(m[1][k] >= m[3][k]));
    let first = mask.iter().all(|x| *x != 0) || other.iter().any(|x| *x != 0);
    let row = m[3];
    let picked: [u8; 8] = std::array::from_fn(|k| row[usize::from(mask[k] + other[k] * 2)]);
    let both = (0..8).any(|k| mask[k] & other[k] != 0);
    for k in 0..8 {
        let sum = mask[k] * 3 + other[k];
        let sum = match first {
            true if mask[k] != 0 => mask[k],
            true => other[k],
            false => (sum ^ 5) + mask[k],
        };
        if !both {
            m[3][k] = picked[k].wrapping_sub(mask[k] as u8);
        }
        m[1][k] = (sum as u8).wrapping_add(picked[k]);
        if mask[k] ^ other[k] != 0 {
            m[2][k] = picked[k];
        }
    }
    m
}

/// An array of registers in SIMD control flow, in a loop that ends early.
#[kernel]
pub(crate) fn arrays_in_loops(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let mut acc: [Vector<i32, 8>; 3] = std::array::from_fn(|i| m.row(i).convert());
    let count = m.get(3, 0).convert::<i32>() & 7;
    for i in 0..count {
        acc[0] += acc[1];
        if acc[0].get(2) > 400 {
            break;
        }
        simd_if! { acc[0] > 300 => {
            acc[0] -= 300;
            let changed = acc[2] ^ i;
            acc[2].select_mut::<8, 1>(0).assign(changed);
            simd_if! { acc[2] & 1 => { acc = [acc[1], acc[2], acc[0]]; } }
        } else {
            acc[1] += i + 1;
        } }
    }
    for i in 0..3 {
        m.row_mut(i + 1).assign(acc[i]);
    }
    output.write(x, y, &m);
}

fn arrays_in_loops_model(mut m: Tile, _: usize, _: usize) -> Tile {
    let mut acc: [[i32; 8]; 3] = std::array::from_fn(|i| m[i].map(i32::from));
    for i in 0..i32::from(m[3][0]) & 7 {
        for k in 0..8 {
            acc[0][k] += acc[1][k];
        }
        if acc[0][2] > 400 {
            break;
        }
        for k in 0..8 {
            if acc[0][k] > 300 {
                acc[0][k] -= 300;
                acc[2][k] ^= i;
                if acc[2][k] & 1 != 0 {
                    (acc[0][k], acc[1][k], acc[2][k]) = (acc[1][k], acc[2][k], acc[0][k]);
                }
            } else {
                acc[1][k] += i + 1;
            }
        }
    }
    for i in 0..3 {
        m[i + 1] = acc[i].map(|x| x as u8);
    }
    m
}

/// Lanes that leave a loop, in a loop of all lanes that is left early.
#[kernel]
pub(crate) fn lanes_that_leave(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let mut v: Vector<i32, 8> = m.row(0).convert();
    let mut steps = Vector::<i32, 8>::splat(0);
    let mut round = 0i32;
    while round < 6 {
        simd_while! { v > 10 => {
            v -= 7;
            steps += 1;
            simd_if! { (v & 3) == round => { break; } else (v & 7) == 5 => { steps ^= 2; continue; } }
            m.row_mut(3).assign(v);
        } }
        v += m.row(1);
        round += 1;
        if steps.get(5) > 12 && (steps > 8).any() {
            break;
        }
    }
    m.row_mut(1).assign(v);
    m.format_mut::<u32, 4, 2>().row_mut(2).assign(steps.select::<2, 4>(1));
    m.row_mut(0) += round;
    output.write(x, y, &m);
}

fn lanes_that_leave_model(mut m: Tile, _: usize, _: usize) -> Tile {
    let (mut v, mut steps, mut round) = (m[0].map(i32::from), [0i32; 8], 0);
    while round < 6 {
        for k in 0..8 {
            while v[k] > 10 {
                v[k] -= 7;
                steps[k] += 1;
                if v[k] & 3 == round {
                    break;
                }
                if v[k] & 7 == 5 {
                    steps[k] ^= 2;
                    continue;
                }
                m[3][k] = v[k] as u8;
            }
            v[k] += i32::from(m[1][k]);
        }
        round += 1;
        if steps[5] > 12 && steps.iter().any(|x| *x > 8) {
            break;
        }
    }
    m[1] = v.map(|x| x as u8);
    m[2][..4].copy_from_slice(&steps[1].to_le_bytes());
    m[2][4..].copy_from_slice(&steps[5].to_le_bytes());
    m[0] = m[0].map(|x| x.wrapping_add(round as u8));
    m
}

/// Elements of several sizes of one register, at places that the data determines.
#[kernel]
pub(crate) fn formats_of_formats(input: &Surface2D, output: &mut Surface2D) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let dwords = m.format::<u32, 1, 8>().row(0);
    let at = m.row(1) & 7;
    let mut picked = dwords.iselect(at.convert::<u16>());
    picked.format_mut::<u16, 4, 4>().column_mut(2).assign(dwords.format::<u16, 4, 4>().column(1));
    picked.select_mut::<4, 1>(m.get(0, 0) & 3).merge(dwords.select::<4, 2>(1), &(at.select::<4, 1>(2) > 3));
    let halves = picked.format::<u16, 2, 8>().select::<2, 1, 4, 2>(0, m.get(2, 1) & 1);
    m.format_mut::<u16, 4, 4>().select_mut::<2, 2, 4, 1>(0, 0).assign(halves);
    m.row_mut(m.get(3, 3) & 3).assign(picked.format::<u8, 4, 8>().row(1));
    output.write(x, y, &m);
}

fn formats_of_formats_model(mut m: Tile, _: usize, _: usize) -> Tile {
    let before = m;
    let dword = |n: usize| u32::from_le_bytes(before[n / 2][n % 2 * 4..][..4].try_into().unwrap());
    let word = |n: usize| u16::from_le_bytes(before[n / 4][n % 4 * 2..][..2].try_into().unwrap());
    let at = before[1].map(|x| usize::from(x & 7));
    let mut picked: Vec<u8> = at.iter().flat_map(|n| dword(*n).to_le_bytes()).collect();
    for r in 0..4 {
        picked[(r * 4 + 2) * 2..][..2].copy_from_slice(&word(r * 4 + 1).to_le_bytes());
    }
    let first = usize::from(before[0][0] & 3);
    for k in (0..4).filter(|k| at[2 + k] > 3) {
        picked[(first + k) * 4..][..4].copy_from_slice(&dword(1 + 2 * k).to_le_bytes());
    }
    for (r, k) in (0..2).flat_map(|r| (0..4).map(move |k| (r, k))) {
        let from = (r * 8 + 2 * k + usize::from(before[2][1] & 1)) * 2;
        m[2 * r][2 * k..][..2].copy_from_slice(&picked[from..][..2]);
    }
    m[usize::from(m[3][3] & 3)].copy_from_slice(&picked[8..16]);
    m
}

/// Elements of a slice at places inside and outside of it, in SIMD control flow.
#[kernel]
pub(crate) fn slices_in_branches(input: &Surface2D, output: &mut Surface2D, table: &Buffer<u16>) {
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let at: Vector<u32, 8> = m.row(0).convert();
    let mut found = table.read_scattered(thread_origin_x(), &at);
    let whole = table.read::<8>(m.get(1, 0).convert::<u32>() * 16);
    simd_if! { found > 100 => {
        found -= 100;
        m.row_mut(2).assign(table.read_scattered_masked(&(at > 30), 0, &(at ^ 1)));
    } else (m.row(3) & 1) => {
        found = whole;
    } }
    m.row_mut(1).assign(found + whole);
    output.write(x, y, &m);
}

/// Elements of the slice, and of its buffer before it.
const SLICE: [usize; 2] = [131, 32];

fn table() -> Vec<u16> {
    (0..300).map(|n: u32| (n * n * 7 % 251) as u16).collect()
}

/// Launches [`slices_in_branches`] with a slice that ends inside of its buffer.
pub(crate) fn launch_slices(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let table = Buffer::from_slice(device, &table())?;
    let [count, start] = SLICE;
    slices_in_branches::launch(device, space, input, output, &*table.slice(start..start + count)?)
}

fn slices_in_branches_model(mut m: Tile, x: usize, _: usize) -> Tile {
    let table = table();
    let [count, start] = SLICE;
    let element = |n: usize| if n < count { table[start + n] } else { 0 };
    let first = usize::from(m[1][0]) * 8;
    for k in 0..8 {
        let at = usize::from(m[0][k]);
        let (mut found, whole) = (element(x + at), element(first + k));
        if found > 100 {
            found -= 100;
            m[2][k] = if at > 30 { element(at ^ 1) as u8 } else { 0 };
        } else if m[3][k] & 1 != 0 {
            found = whole;
        }
        m[1][k] = found.wrapping_add(whole) as u8;
    }
    m
}

/// The results of atomic operations on shared memory, between barriers in a loop; each thread of a group counts in its own
/// cells, and then reads those of its neighbour.
#[kernel]
pub(crate) fn counted_in_groups(input: &Surface2D, output: &mut Surface2D) {
    let cells = slm::<u32, 40>();
    let own = linear_local_id();
    let (x, y) = (thread_origin_x() * 8, thread_origin_y() * 4);
    let mut m = input.read::<u8, 4, 8>(x, y);
    let lanes = Vector::from_array([0u32, 1, 2, 3, 4, 5, 6, 7]);
    cells.write_scattered(own * 8, &lanes, &m.row(0).convert::<u32>());
    let mut all = Vector::<u32, 8>::splat(0);
    for i in 0..4 {
        let at = own * 8 + (lanes ^ i);
        let old = cells.fetch_atomic_masked(&(m.row(1) > 40), atomic::Add(&m.row(2).convert::<u32>()), &at);
        simd_if! { m.row(3) > 60 => { all += old; } else { all ^= old + 1u32; } }
        barrier();
        all += cells.read_scattered(((own + 1) % 5) * 8, &lanes);
        barrier();
    }
    m.row_mut(1).assign(all);
    output.write(x, y, &m);
}

/// Launches [`counted_in_groups`] in groups of 5 threads of a row.
pub(crate) fn launch_groups(
    device: &Device,
    space: ThreadSpace,
    input: &Surface2D,
    output: &mut Surface2D,
) -> cm::Result<Event> {
    let groups = [space.width() / 5, space.height(), 1];
    counted_in_groups::launch(device, ThreadGroups::new(groups, [5, 1, 1])?, input, output)
}

/// What [`counted_in_groups`] does to the tiles of a group.
pub(crate) fn counted_in_groups_model(tiles: [Tile; 5]) -> [Tile; 5] {
    let mut cells: Vec<u32> = tiles.iter().flat_map(|m| m[0]).map(u32::from).collect();
    let (mut all, mut out) = ([[0u32; 8]; 5], tiles);
    for i in 0..4 {
        for (own, m) in tiles.iter().enumerate() {
            for k in 0..8 {
                let (cell, is_active) = (&mut cells[own * 8 + (k ^ i)], m[1][k] > 40);
                let old = if is_active { *cell } else { 0 };
                *cell = cell.wrapping_add(if is_active { u32::from(m[2][k]) } else { 0 });
                let all = &mut all[own][k];
                *all = if m[3][k] > 60 { all.wrapping_add(old) } else { *all ^ old.wrapping_add(1) };
            }
        }
        for own in 0..5 {
            for k in 0..8 {
                all[own][k] = all[own][k].wrapping_add(cells[(own + 1) % 5 * 8 + k]);
            }
        }
    }
    for (out, all) in out.iter_mut().zip(all) {
        out[1] = all.map(|x| x as u8);
    }
    out
}

/// The kernels whose threads do not depend on others: their names in the list of cases, and what they do.
pub(crate) const MODELS: [(&str, Model); 6] = [
    ("places_of_places", places_of_places_model),
    ("masks_as_numbers", masks_as_numbers_model),
    ("arrays_in_loops", arrays_in_loops_model),
    ("lanes_that_leave", lanes_that_leave_model),
    ("formats_of_formats", formats_of_formats_model),
    ("slices_in_branches", slices_in_branches_model),
];
