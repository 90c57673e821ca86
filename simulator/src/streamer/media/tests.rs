//! Batches of the media pipeline: the initial state of threads, when they start, and the message of each
//! fault.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use super::super::tests::{BASE, Flat, Watched};
use super::super::{Error, Streamer};
use super::loops::Loops;
use super::patterns::{raster, vertical, wavefront, wavefront26, wavefront26x, words};
use crate::eu::Program;
use crate::generation::{Generation, Machine};
use crate::settings::Settings;

/// Offsets of the inputs of batches, and of data.
const DESCRIPTORS: usize = 0x1000;
const KERNELS: usize = 0x1400;
const CONSTANTS: usize = 0x1800;
const INDIRECT: usize = 0x1c00;
const DATA: usize = 0x2000;

const END: u32 = 0x0a << 23;
/// The flag that enables the scoreboard.
const USE: u32 = 1 << 21;
/// The flag for a scoreboard that does not stall.
const NON_STALLING: u32 = 1 << 30;

/// The descriptor of a message without a surface: type, other bits, registers of payload and response.
fn message(kind: u32, bits: u32, length: u32, response: u32) -> u32 {
    0xff | bits | kind << 14 | response << 20 | length << 25
}

const EOT: &str = "(W) send (8|M0) null r0 0x27 0x2000010 {EOT}";

/// Appends the position and the colour to a list, which shows the order of threads.
fn lists() -> String {
    let count = message(2, 5 << 8 | 1 << 13 | 1 << 12, 1, 1);
    let write = message(9, 2 << 12 | 0xc << 8, 3, 0);
    format!(
        "(W) mov (1|M0) r10.0<1>:ud {DATA:#x}:ud
         (W) send (1|M0) r11 r10 0xc {count:#x}
         (W) shl (1|M0) r12.0<1>:ud r11.0<0;1,0>:ud 0x3:ud
         (W) add (1|M0) r12.0<1>:ud r12.0<0;1,0>:ud {:#x}:ud
         (W) mov (1|M0) r13.0<1>:ud r0.1<0;1,0>:ud
         (W) mov (1|M0) r14.0<1>:ud r0.2<0;1,0>:ud
         (W) send (1|M0) null r12 0xc {write:#x}
         {EOT}",
        DATA + 8
    )
}

/// The result of a thread, from its neighbours to the left, above, to the upper right and to the upper left.
fn mixed([left, up, right, corner]: [i32; 4]) -> i32 {
    let product = |value: i32, factor: i32| value.wrapping_mul(factor);
    let sum = product(left, 3).wrapping_add(product(up, 5)).wrapping_add(product(right, 7));
    sum.wrapping_add(product(corner, 11)).wrapping_add(1)
}

/// Bytes from one row of results to the next. There is a margin of zeros.
const PITCH: usize = 128;

/// A thread that reads the results of its neighbours and writes its own. Without the neighbour to the upper
/// right, it uses the left one twice. `read` is the message that reads: `send`, or `sendc`, which first waits
/// for dependencies.
fn mixes(upper_right: bool, read: &str) -> String {
    let third = if upper_right { PITCH as i32 - 4 } else { 4 };
    let (gather, write) = (message(1, 2 << 12 | 0xe << 8, 1, 1), message(9, 2 << 12 | 0xe << 8, 2, 0));
    format!(
        "(W) and (1|M0) r10.0<1>:ud r0.2<0;1,0>:uw 0x7ff:uw
         (W) and (1|M0) r10.1<1>:ud r0.3<0;1,0>:uw 0x7ff:uw
         (W) shl (1|M0) r11.0<1>:ud r10.1<0;1,0>:ud 0x7:ud
         (W) shl (1|M0) r12.0<1>:ud r10.0<0;1,0>:ud 0x2:ud
         (W) add (1|M0) r11.0<1>:ud r11.0<0;1,0>:ud r12.0<0;1,0>:ud
         (W) add (1|M0) r11.0<1>:ud r11.0<0;1,0>:ud {:#x}:ud
         (W) add (1|M0) r13.0<1>:d r11.0<0;1,0>:d -4:d
         (W) add (1|M0) r13.1<1>:d r11.0<0;1,0>:d -{PITCH}:d
         (W) add (1|M0) r13.2<1>:d r11.0<0;1,0>:d -{third}:d
         (W) add (1|M0) r13.3<1>:d r11.0<0;1,0>:d -{}:d
         (W) {read} (4|M0) r14 r13 0xc {gather:#x}
         (W) mul (1|M0) r15.0<1>:d r14.0<0;1,0>:d 3:w
         (W) mul (1|M0) r16.0<1>:d r14.1<0;1,0>:d 5:w
         (W) mul (1|M0) r17.0<1>:d r14.2<0;1,0>:d 7:w
         (W) mul (1|M0) r18.0<1>:d r14.3<0;1,0>:d 11:w
         (W) add (1|M0) r15.0<1>:d r15.0<0;1,0>:d r16.0<0;1,0>:d
         (W) add (1|M0) r15.0<1>:d r15.0<0;1,0>:d r17.0<0;1,0>:d
         (W) add (1|M0) r15.0<1>:d r15.0<0;1,0>:d r18.0<0;1,0>:d
         (W) add (1|M0) r12.0<1>:d r15.0<0;1,0>:d 1:w
         (W) send (1|M0) null r11 0xc {write:#x}
         {EOT}",
        DATA + PITCH + 4,
        PITCH + 4,
    )
}

/// The results of all threads of a width and a height, computed one after the other.
fn expected(width: usize, height: usize, upper_right: bool) -> Vec<i32> {
    let mut results = BTreeMap::new();
    for (y, x) in (1..=height).flat_map(|y| (1..=width).map(move |x| (y, x))) {
        let at = |x: usize, y: usize| results.get(&(y, x)).copied().unwrap_or(0);
        let third = if upper_right { at(x + 1, y - 1) } else { at(x - 1, y) };
        results.insert((y, x), mixed([at(x - 1, y), at(x, y - 1), third, at(x - 1, y - 1)]));
    }
    results.into_values().collect()
}

/// Copies registers 0 to 7 to a place that depends on the x of the thread.
fn copies() -> String {
    let write = message(8, 4 << 8 | 1 << 19, 5, 0);
    format!(
        "(W) mov (8|M0) r20.0<1>:ud 0x0:ud
         (W) shl (1|M0) r20.2<1>:ud r0.2<0;1,0>:uw 0x4:uw
         (W) add (1|M0) r20.2<1>:ud r20.2<0;1,0>:ud {:#x}:ud
         (W) mov (16|M0) r21.0<1>:ud r0.0<8;8,1>:ud
         (W) mov (16|M0) r23.0<1>:ud r2.0<8;8,1>:ud
         (W) send (8|M0) null r20 0xa {write:#x}
         (W) add (1|M0) r20.2<1>:ud r20.2<0;1,0>:ud 0x8:ud
         (W) mov (16|M0) r21.0<1>:ud r4.0<8;8,1>:ud
         (W) mov (16|M0) r23.0<1>:ud r6.0<8;8,1>:ud
         (W) send (8|M0) null r20 0xa {write:#x}
         {EOT}",
        DATA / 16
    )
}

/// Kernels by the numbers of their descriptors, and settings.
struct Stage {
    streamer: Streamer,
    memory: Arc<Flat>,
}

impl Stage {
    fn new(kernels: &[&str], settings: &[(&str, &str)]) -> Self {
        let value = |name: &str| settings.iter().find(|(known, _)| *known == name);
        let settings = Settings::read(&|name| value(name).map(|(_, value)| OsString::from(value)));
        let mut streamer = Streamer::new(Box::leak(Box::new(settings.expect("no bad setting"))));
        let memory = Arc::new(Flat::new());
        for (number, text) in kernels.iter().enumerate() {
            let (at, code) = (KERNELS + 64 * number, [0xa0 + number as u8; 16]);
            let program = Program::assemble(text, Machine::of(Generation::Gen9)).expect("a kernel");
            streamer.state.programs.take_for(BASE + at as u64, code.to_vec(), program);
            memory.put(at, &[u32::from_le_bytes([code[0]; 4]); 4]);
            memory.put(DESCRIPTORS + 32 * number, &[at as u32]);
        }
        Self { streamer, memory }
    }

    /// One host thread, with turns in random order by a seed.
    fn shuffled(kernel: &str, seed: u64) -> Self {
        Self::new(&[kernel], &[("CM_SIMULATOR_SHUFFLE", &seed.to_string())])
    }

    /// Runs commands after those that set the state.
    fn run(&mut self, commands: &[Vec<u32>]) -> Result<(), Error> {
        let (low, high) = (BASE as u32, (BASE >> 32) as u32);
        let mut batch = vec![0x6101_0011, low | 1, high, 0];
        (0..4).for_each(|_| batch.extend([low | 1, high]));
        batch.resize(19, 0);
        batch.extend([0x7001_0002, 0, 0, CONSTANTS as u32]);
        batch.extend([0x7002_0002, 0, 0, DESCRIPTORS as u32]);
        batch.extend(commands.concat());
        batch.push(END);
        self.memory.put(0, &batch);
        self.streamer.run(self.memory.clone(), BASE, Arc::new(Watched::default()))
    }

    /// The contents of the list of `lists`.
    fn list(&self) -> Vec<(u32, u32, u32)> {
        let entry = |n: usize| {
            let (place, colour) = (self.memory.word(DATA + 8 + 8 * n), self.memory.word(DATA + 12 + 8 * n));
            (place & 0xffff, place >> 16, colour)
        };
        (0..self.memory.word(DATA) as usize).map(entry).collect()
    }

    /// The results of threads of `mixes`.
    fn results(&self, width: usize, height: usize) -> Vec<i32> {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let at = |(x, y): (usize, usize)| DATA + PITCH * (y + 1) + 4 * (x + 1);
        places.map(|place| self.memory.word(at(place)) as i32).collect()
    }
}

/// `MEDIA_VFE_STATE` with a scoreboard of these distances.
fn front_end(flags: u32, distances: &[(i32, i32)]) -> Vec<u32> {
    let mut words = vec![0x7000_0007, 0, 0, 223 << 16, 0, 0, 1 << 31 | flags, 0, 0];
    words[6] |= (1 << distances.len()) - 1;
    for (entry, (x, y)) in distances.iter().enumerate() {
        words[7 + entry / 4] |= ((x & 0xf) as u32 | ((y & 0xf) as u32) << 4) << (8 * (entry % 4));
    }
    words
}

/// `MEDIA_OBJECT_WALKER` with the scoreboard entries of a mask.
fn walker(loops: &Loops, mask: u32) -> Vec<u32> {
    let mut words = words(loops).to_vec();
    (words[2], words[5]) = (USE, mask);
    words
}

/// `MEDIA_OBJECT` at a position, with a kernel and inline data.
fn object(kernel: u32, (x, y): (u32, u32), mask: u32, inline: &[u32]) -> Vec<u32> {
    let words = [0x7100_0004 + inline.len() as u32, kernel, USE, 0, x | y << 16, mask];
    [&words[..], inline].concat()
}

const WAVEFRONT: [(i32, i32); 2] = [(-1, 0), (0, -1)];
const WAVEFRONT26: [(i32, i32); 3] = [(-1, 0), (0, -1), (1, -1)];

#[test]
fn walkers_run_their_threads_in_order() {
    for (name, loops) in [
        ("raster", raster(5, 3)),
        ("vertical", vertical(5, 3)),
        ("45 degrees", wavefront(6, 4)),
        ("26 degrees", wavefront26(6, 4)),
        ("colours", Loops { colours: 3, ..wavefront26x(6, 4) }),
    ] {
        let mut stage = Stage::new(&[&lists()], &[("CM_SIMULATOR_THREADS", "1")]);
        stage.run(&[walker(&loops, 0)]).expect("no fault");
        let order = loops.positions().expect("a walk");
        let order: Vec<_> = order
            .iter()
            .map(|position| (position.x.into(), position.y.into(), position.colour.into()))
            .collect();
        assert_eq!(stage.list(), order, "{name}");
        // With more host threads or with a seed, all of them run, but in another order.
        for setting in [("CM_SIMULATOR_THREADS", "2"), ("CM_SIMULATOR_SHUFFLE", "5")] {
            let mut stage = Stage::new(&[&lists()], &[setting]);
            stage.run(&[walker(&loops, 0)]).expect("no fault");
            let mut found = stage.list();
            assert!(setting.0 != "CM_SIMULATOR_SHUFFLE" || found != order, "{name}");
            let mut all = order.clone();
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!(found, all, "{name}");
        }
    }
    let mut stage = Stage::new(&[&lists()], &[]);
    stage.run(&[walker(&Loops { resolution: Default::default(), ..raster(3, 2) }, 0)]).expect("no fault");
    assert_eq!(stage.list(), [], "a walk without threads");
}

#[test]
fn threads_wait_for_their_neighbours() {
    let (width, height) = (11, 9);
    for (name, loops, distances, upper_right, flags, read) in [
        ("45 degrees", wavefront(11, 9), &WAVEFRONT[..], false, 0, "send"),
        ("45 degrees in rows", raster(11, 9), &WAVEFRONT, false, 0, "send"),
        ("26 degrees", wavefront26(11, 9), &WAVEFRONT26, true, 0, "send"),
        ("26 degrees in rows", raster(11, 9), &WAVEFRONT26, true, 0, "send"),
        ("45 degrees, two rows", wavefront26x(11, 9), &WAVEFRONT, false, 0, "send"),
        ("45 degrees, waits", wavefront(11, 9), &WAVEFRONT, false, NON_STALLING, "sendc"),
        ("26 degrees, waits", wavefront26(11, 9), &WAVEFRONT26, true, NON_STALLING, "sendc"),
        ("26 degrees in rows, waits", raster(11, 9), &WAVEFRONT26, true, NON_STALLING, "sendc"),
    ] {
        let commands = [front_end(flags, distances), walker(&loops, 0xff)];
        let kernel = mixes(upper_right, read);
        let all = expected(width, height, upper_right);
        for seed in 0..8 {
            let mut stage = Stage::shuffled(&kernel, seed);
            stage.run(&commands).expect("no fault");
            assert_eq!(stage.results(width, height), all, "{name}, seed {seed}");
        }
        for threads in ["1", "4"] {
            let mut stage = Stage::new(&[&kernel], &[("CM_SIMULATOR_THREADS", threads)]);
            stage.run(&commands).expect("no fault");
            assert_eq!(stage.results(width, height), all, "{name}, {threads} threads");
        }
    }
}

#[test]
fn a_seed_shows_what_is_wrong_with_dependencies() {
    let (width, height) = (11, 9);
    let walk = wavefront26(11, 9);
    let off = {
        let mut words = front_end(0, &WAVEFRONT26);
        words[6] &= !(1 << 31);
        words
    };
    let unused = {
        let mut words = walker(&walk, 0xff);
        words[2] &= !USE;
        words
    };
    let on = front_end(0, &WAVEFRONT26);
    for (name, commands, read) in [
        ("no scoreboard", [off, walker(&walk, 0xff)], "send"),
        ("a walker that does not use it", [on.clone(), unused], "send"),
        ("a distance that the walker leaves out", [on.clone(), walker(&walk, 0b011)], "send"),
        ("a pattern without the upper right", [front_end(0, &WAVEFRONT), walker(&walk, 0xff)], "send"),
        ("a walk in which neighbours come later", [on, walker(&wavefront26x(11, 9), 0xff)], "send"),
        ("a kernel that does not wait", [front_end(NON_STALLING, &WAVEFRONT26), walker(&walk, 0xff)], "send"),
    ] {
        let right = expected(width, height, true);
        let wrong = |seed: &u64| {
            let mut stage = Stage::shuffled(&mixes(true, read), *seed);
            stage.run(&commands).expect("no fault");
            stage.results(width, height) != right
        };
        let found = (0..8).filter(wrong).count();
        assert!(found >= 6, "{name}: {found} of 8 seeds show it");
    }
}

#[test]
fn a_kernel_may_clear_dependencies_before_it_waits() {
    // Like `cm_wait` with a mask: the left neighbour is ignored, so rows run independently.
    let kernel = format!(
        "(W) mov (1|M0) f0.0<1>:uw 0x1:uw
         (W&f0.0) and (8|M0) tdr0.0<1>:uw tdr0.0<8;8,1>:uw 0x7fff:uw
         {}",
        mixes(false, "sendc")
    );
    let commands =
        |distances: &[(i32, i32)]| [front_end(NON_STALLING, distances), walker(&raster(11, 9), 0xff)];
    let right = expected(11, 9, false);
    let wrong = |distances: &[(i32, i32)], seed: u64| {
        let mut stage = Stage::shuffled(&kernel, seed);
        stage.run(&commands(distances)).expect("no fault");
        stage.results(11, 9) != right
    };
    assert!((0..8).any(|seed| wrong(&WAVEFRONT, seed)), "it needs its left neighbour");
    // The second entry is not cleared, and may be equal.
    assert!((0..8).all(|seed| !wrong(&[(-1, 0), (-1, 0), (0, -1)], seed)));
}

#[test]
fn threads_begin_with_constants_and_inline_and_indirect_data() {
    let copies = copies();
    let mut stage = Stage::new(&[&copies, &copies], &[("CM_SIMULATOR_POISON", "1")]);
    // The first kernel has two registers of constants from the second one on, the other has none; also
    // samplers and surfaces.
    stage.memory.put(DESCRIPTORS + 12, &[0x60, 0x1240, 2 << 16 | 1]);
    let numbers: Vec<u32> = (0..24).collect();
    stage.memory.put(CONSTANTS, &numbers);
    stage.memory.put(INDIRECT + 64, &[100, 101, 102, 103, 104, 105, 106, 107, 108]);
    let mut walk = walker(&Loops { colours: 1, ..raster(2, 1) }, 0);
    (walk[2], walk[3], walk[0]) = (36, INDIRECT as u32 + 64, 0x7103_0011);
    walk.extend([51, 52]);
    stage.run(&[walk, object(1, (3, 9), 0xd << 16, &[61]), object(0, (4, 8), 0, &[])]).expect("no fault");
    let registers = |x: usize| -> Vec<Vec<u32>> {
        let register =
            |n: usize| (0..8).map(|word| stage.memory.word(DATA + 256 * x + 32 * n + 4 * word)).collect();
        (0..8).map(register).collect()
    };
    let rubbish = 0xcdcd_cdcd_u32;
    let after = |known: &[u32]| [known, &vec![rubbish; 8 - known.len()]].concat();
    let header = registers(1)[0].clone();
    assert_eq!((&header[..5], header[6], header[7]), (&[0, 1, 0, 0x60, 0x1240][..], 0, 0));
    for x in [0, 1] {
        let found = registers(x);
        assert_eq!((&found[1], &found[2]), (&numbers[8..16].to_vec(), &numbers[16..].to_vec()));
        assert_eq!(found[3], after(&[51, 52]));
        assert_eq!(found[4], [100, 101, 102, 103, 104, 105, 106, 107]);
        assert_eq!((&found[5], &found[6]), (&after(&[108]), &after(&[])));
    }
    let found = registers(3);
    assert_eq!(found[0][..5], [0, 9 << 16 | 3, 0xd, 0, 0]);
    assert_eq!((&found[1], &found[2]), (&after(&[61]), &after(&[])));
    let found = registers(4);
    assert_eq!((found[0][1], found[0][3], &found[1]), (8 << 16 | 4, 0x60, &numbers[8..16].to_vec()));
    assert_eq!(found[3], after(&[]));
}

#[test]
fn objects_of_several_kernels_depend_on_each_other() {
    // Two kernels compute odd and even rows.
    let (waits, does_not) = (mixes(true, "sendc"), mixes(true, "send"));
    let places: Vec<_> = (0..9).flat_map(|y| (0..11).map(move |x| (x, y))).collect();
    for (flags, kernels, seeds_show) in [
        (0, [&does_not, &does_not], false),
        (NON_STALLING, [&waits, &waits], false),
        (NON_STALLING, [&waits, &does_not], true),
    ] {
        let objects = places.iter().map(|(x, y)| object(y % 2, (*x, *y), 0xff, &[]));
        let commands: Vec<_> = std::iter::once(front_end(flags, &WAVEFRONT26)).chain(objects).collect();
        let mut shown = 0;
        for seed in 0..6 {
            let settings = [("CM_SIMULATOR_SHUFFLE", seed.to_string())];
            let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
            let mut stage = Stage::new(&kernels.map(String::as_str), &settings);
            stage.run(&commands).expect("no fault");
            shown += u32::from(stage.results(11, 9) != expected(11, 9, true));
        }
        assert_eq!(shown > 0, seeds_show, "{flags:#x}: {shown} of 6 seeds");
    }
    // Another command in between waits for the commands before it.
    let mut stage = Stage::new(&[&lists()], &[("CM_SIMULATOR_SHUFFLE", "3")]);
    let (low, high) = ((BASE + DATA as u64) as u32, (BASE >> 32) as u32);
    let store = vec![0x2e << 23 | 3, low + 0x1000, high, low, high];
    let objects: Vec<_> = (0..7).map(|x| object(0, (x, 0), 0, &[])).collect();
    stage.run(&[objects.concat(), store, object(0, (7, 0), 0, &[])]).expect("no fault");
    assert_eq!((stage.memory.word(DATA + 0x1000), stage.list().len()), (7, 8));
    assert_eq!(stage.list()[7], (7, 0, 0));
}

#[test]
fn each_fault_has_its_message() {
    let barrier = format!(
        "(W) send (1|M0) null r0 0x3 0x2000004
         (W) wait (1|M0) n0.0<0;1,0>:ud
         {EOT}"
    );
    let depends_on_itself = format!(
        "(W) mov (8|M0) tdr0.0<1>:uw 0x8000:uw
         (W) sendc (4|M0) r14 r13 0xc {:#x}
         {EOT}",
        message(1, 2 << 12 | 0xe << 8, 1, 1)
    );
    let endless = "again:\n(W) jmpi (1|M0) again";
    let limit = ("CM_SIMULATOR_INSTRUCTIONS", "1000");
    let walk = walker(&raster(3, 2), 0);
    let with = |word: usize, value: u32| {
        let mut words = walk.clone();
        words[word] = value;
        words
    };
    let mut large = object(0, (0, 0), 0, &[0; 900]);
    large[2] |= 15 * 32;
    let no_buffer = "no buffer of this submission is there";
    for (kernel, command, said) in [
        (&barrier[..], walk.clone(), "thread (0, 0) of colour 0: at byte 16 of the kernel"),
        (&barrier, walk.clone(), "a barrier in a kernel that was dispatched without one"),
        (
            &depends_on_itself,
            walk.clone(),
            "waits until it depends on no other thread, and says itself in tdr0",
        ),
        (endless, walk.clone(), "1000 instructions without an end"),
        (&lists(), with(2, 1 << 22), "MEDIA_OBJECT_WALKER with masked dispatch 0x400000 is not supported"),
        (&lists(), with(5, 1 << 8), "MEDIA_OBJECT_WALKER with groups 0x100 is not supported"),
        (&lists(), with(2, 0x1_0020), &format!("indirect data of threads at {BASE:#x}: {no_buffer}")),
        (&lists(), large, "a payload of 129 registers, more than a thread has"),
        (&lists(), vec![0x7102_000e], "command 0x7102000e is not supported"),
    ] {
        let mut stage = Stage::new(&[kernel], &[("CM_SIMULATOR_THREADS", "1"), limit]);
        let found = stage.run(&[command]).expect_err("a fault").to_string();
        assert!(found.contains(said), "{found}: {said}");
    }
    // A group with shared data.
    let mut stage = Stage::new(&[&lists()], &[]);
    stage.memory.put(DESCRIPTORS + 28, &[2]);
    let found = stage.run(std::slice::from_ref(&walk)).expect_err("a fault").to_string();
    assert_eq!(found, "media thread with data of a group 0x2 is not supported");
    // If faults do not hang, the next command runs.
    let settings = [("CM_SIMULATOR_FAULT", "continue"), ("CM_SIMULATOR_THREADS", "2")];
    let mut stage = Stage::new(&[&barrier, &lists()], &settings);
    stage.run(&[walk.clone(), with(1, 1)]).expect("no fault");
    assert_eq!(stage.list().len(), 6);
}
