//! Hand-written batches: the effects of commands, and the message of each fault.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::{Error, Host, Streamer};
use crate::memory::{Block, Memory, Span};
use crate::settings::Settings;

/// The start and size of the memory of these tests.
pub(super) const BASE: u64 = 0x7000_0000_0000;
const BYTES: usize = 1 << 16;
/// Offsets of the batch, of a second batch, and of data.
const BATCH: usize = 0;
const SECOND: usize = 0x1000;
const DATA: usize = 0x2000;

const END: u32 = 0x0a << 23;

pub(super) struct Flat {
    block: Block,
    begin: usize,
}

impl Flat {
    pub(super) fn new() -> Self {
        // Aligned to 64 bytes.
        let block = Block::filled(BYTES + 64, 0);
        let begin =
            (0..64).find(|begin| block.span().part(*begin, 8).is_some_and(|part| part.eight(0).is_some()));
        Self { block, begin: begin.expect("an aligned byte") }
    }

    pub(super) fn put(&self, offset: usize, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(self.block.span().write(self.begin + offset, &bytes));
    }

    pub(super) fn word(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.block.span().get(self.begin + offset).expect("a word"))
    }
}

impl Memory for Flat {
    fn at(&self, address: u64) -> Option<Span<'_>> {
        let offset = usize::try_from(address.checked_sub(BASE)?).ok()?;
        let left = BYTES.checked_sub(offset).filter(|left| *left > 0)?;
        self.block.span().part(self.begin + offset, left)
    }
}

#[derive(Default)]
pub(super) struct Watched {
    stalls: AtomicUsize,
    stopped: AtomicBool,
}

impl Host for Watched {
    fn stalled(&self, _stalled: bool) {
        self.stalls.fetch_add(1, Ordering::SeqCst);
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// The two words of an address.
fn address(offset: usize) -> [u32; 2] {
    let address = BASE + offset as u64;
    [address as u32, (address >> 32) as u32]
}

fn streamer() -> Streamer {
    static SETTINGS: LazyLock<Settings> =
        LazyLock::new(|| Settings::read(&|_| None).expect("no bad setting"));
    Streamer::new(&SETTINGS)
}

/// Runs commands, which must end the batch.
fn run(memory: &Arc<Flat>, commands: &[&[u32]]) -> Result<(), Error> {
    memory.put(BATCH, &commands.concat());
    let memory = Arc::clone(memory);
    streamer().run(memory, BASE + BATCH as u64, Arc::new(Watched::default()))
}

/// The message of a batch that faults.
fn fault(commands: &[&[u32]]) -> String {
    run(&Arc::new(Flat::new()), commands).expect_err("a fault").to_string()
}

#[test]
fn numbers_go_to_memory_and_registers() {
    let memory = Arc::new(Flat::new());
    let [low, high] = address(DATA);
    run(
        &memory,
        &[
            &[0x20 << 23 | 2, low, high, 7],                          // MI_STORE_DATA_IMM
            &[0x20 << 23 | 1 << 21 | 3, low + 8, high, 1, 2],         // of 64 bits
            &[0x29 << 23 | 2, 0x2600, low, high],                     // MI_LOAD_REGISTER_MEM
            &[0x22 << 23 | 1, 0x2608, 35],                            // MI_LOAD_REGISTER_IMM
            &[0x1a << 23 | 2, 0x0800_8000, 0x0800_8401, 0x1000_0000], // MI_MATH: the sum of both, kept nowhere
            &[0x2a << 23 | 1, 0x2608, 0x2610],                        // MI_LOAD_REGISTER_REG
            &[0x24 << 23 | 2, 0x2610, low + 16, high],                // MI_STORE_REGISTER_MEM
            &[0x2e << 23 | 3, low + 20, high, low, high],             // MI_COPY_MEM_MEM
            &[0x2f << 23 | 0x07 << 8 | 2, low, high, 5],              // MI_ATOMIC: add
            &[0x7a00_0004, 1 << 14, low + 24, high, 8, 9],            // PIPE_CONTROL with a write
            &[0x7a00_0004, 3 << 14, low + 32, high, 0, 0],            // with the time
            &[0x26 << 23 | 1 << 14 | 3, low + 40, high, 10, 11],      // MI_FLUSH_DW with a write
            &[END],
        ],
    )
    .expect("no fault");
    let found: Vec<_> = (0..8).map(|word| memory.word(DATA + 4 * word)).collect();
    assert_eq!(found, [12, 0, 1, 2, 35, 7, 8, 9]);
    assert_ne!(memory.word(DATA + 32), 0, "a time");
    assert_eq!((memory.word(DATA + 40), memory.word(DATA + 44)), (10, 11));
}

#[test]
fn batches_start_others_and_return() {
    let memory = Arc::new(Flat::new());
    let ([low, high], [data, data_high]) = (address(SECOND), address(DATA));
    memory.put(SECOND, &[0x20 << 23 | 2, data, data_high, 1, END]);
    let call = [0x31 << 23 | 1 << 22 | 1, low, high];
    let after = [0x20 << 23 | 2, data + 4, data_high, 2];
    run(&memory, &[&call, &after, &[END]]).expect("no fault");
    assert_eq!((memory.word(DATA), memory.word(DATA + 4)), (1, 2));
    // A jump does not return.
    let memory = Arc::new(Flat::new());
    memory.put(SECOND, &[END]);
    let jump = [0x31 << 23 | 1, low, high];
    run(&memory, &[&jump, &after, &[END]]).expect("no fault");
    assert_eq!(memory.word(DATA + 4), 0);
    // A batch ends early if a condition on memory fails.
    let memory = Arc::new(Flat::new());
    run(&memory, &[&[0x36 << 23 | 2, 0, data, data_high], &after, &[END]]).expect("no fault");
    assert_eq!(memory.word(DATA + 4), 0, "0 is not greater than 0");
}

#[test]
fn a_semaphore_waits_for_another_and_says_so() {
    let (memory, host) = (Arc::new(Flat::new()), Arc::new(Watched::default()));
    let [low, high] = address(DATA);
    memory.put(BATCH, &[0x1c << 23 | 4 << 12 | 2, 3, low, high, END]);
    let (own, watched) = (Arc::clone(&memory), Arc::clone(&host));
    let waiting = std::thread::spawn(move || streamer().run(own, BASE, watched));
    while host.stalls.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!waiting.is_finished());
    memory.put(DATA, &[3]);
    assert_eq!(waiting.join().expect("no panic"), Ok(()));
    assert_eq!(host.stalls.load(Ordering::SeqCst), 2, "it waited, and went on");
    // A batch that waits forever ends with its device.
    memory.put(DATA, &[0]);
    host.stopped.store(true, Ordering::SeqCst);
    assert_eq!(streamer().run(memory, BASE, host), Err(Error::Stopped));
}

#[test]
fn each_fault_has_its_message() {
    let ([low, high], [second, second_high]) = (address(DATA), address(SECOND));
    let no_buffer = "no buffer of this submission is there";
    let nowhere = [0x20 << 23 | 2, 0x1000, 0, 7];
    let again = [0x31 << 23 | 1 << 22 | 1, BASE as u32, (BASE >> 32) as u32];
    let over = [0x31 << 23 | 1, BASE as u32 + BYTES as u32, (BASE >> 32) as u32];
    let mut walker = [0; 15];
    (walker[0], walker[7], walker[10], walker[12]) = (0x7105_000d, 1, 1, 1);
    for (commands, said) in [
        (&[&nowhere[..]][..], format!("word of a command at 0x1000: {no_buffer}")),
        (&[&over], format!("command at {:#x}: {no_buffer}", BASE + BYTES as u64)),
        (&[&[0x3f << 23]], "command 0x1f800000 is not supported".to_owned()),
        (&[&[0x7003_0002]], "command 0x70030002 is not supported".to_owned()),
        (&[&[0x7a00_0001]], "PIPE_CONTROL 0x7a000001 is not supported".to_owned()),
        (&[&[0x2f << 23 | 0x7f << 8 | 1, low, high]], "MI_ATOMIC 0x17807f01 is not supported".to_owned()),
        (&[&[0x1a << 23, 0x7ff0_0000]], "MI_MATH instruction 0x7ff00000 is not supported".to_owned()),
        (&[&again], format!("batch buffers are nested too deep at {BASE:#x}")),
        (&[&walker], format!("interface descriptor at 0x0: {no_buffer}")),
    ] {
        assert_eq!(fault(commands), said);
    }
    // A walker whose descriptor is mapped, but not its kernel.
    let mut bases = [0; 19];
    (bases[0], bases[6], bases[7]) = (0x6101_0011, second | 1, second_high);
    assert_eq!(fault(&[&bases, &walker]), format!("kernel at 0x0: {no_buffer}"));
    // The same with the command since Xe-HPG, which contains its descriptor; scratch space needs a surface.
    let mut compute = [0; 39];
    (compute[0], compute[7], compute[8], compute[9]) = (0x7208_0025, 1, 1, 1);
    assert_eq!(fault(&[&compute]), format!("kernel at 0x0: {no_buffer}"));
    let front_end = [0x7200_0004, 1 << 10, 0, 0, 0, 0];
    let missing = format!("state of the surface of scratch space at 0x40: {no_buffer}");
    assert_eq!(fault(&[&front_end, &compute]), missing);
    let mut state = [0; 16];
    state[0] = 4 << 29;
    (bases[4], bases[5], bases[6], bases[7]) = (second | 1, second_high, 0, 0);
    let memory = Arc::new(Flat::new());
    let found = |state: &[u32; 16]| {
        memory.put(SECOND + 64, state);
        run(&memory, &[&bases, &front_end, &compute]).expect_err("a fault").to_string()
    };
    assert_eq!(
        found(&state),
        format!("state of the surface of scratch space at {:#x}: {no_buffer}", BASE + SECOND as u64 + 64)
    );
    state[0] = 6 << 29;
    assert_eq!(found(&state), format!("kernel at 0x0: {no_buffer}"));
    // The write after it has ended, here without a group.
    let memory = Arc::new(Flat::new());
    compute[7] = 0;
    (compute[26], compute[27], compute[28], compute[29]) = (1, low, high, 7);
    run(&memory, &[&compute, &[END]]).expect("no fault");
    assert_eq!(memory.word(DATA), 7);
    compute[26] = 3;
    run(&memory, &[&compute, &[END]]).expect("no fault");
    let times = [0, 4, 8, 12].map(|offset| memory.word(DATA + offset));
    assert!(times[0] == times[1] && times[2] == times[3] && times[2] >= times[0], "{times:?}");
    // A walker without groups needs nothing.
    walker[7] = 0;
    assert_eq!(run(&Arc::new(Flat::new()), &[&walker, &[END]]), Ok(()));
}
