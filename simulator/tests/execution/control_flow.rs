//! Diverging channels.

use cm_simulator::dispatch::Stop;

use crate::stage::{Stage, bytes, dwords};

fn lanes() -> Stage {
    Stage::new().with(10, &bytes(&[0, 1, 2, 3, 4, 5, 6, 7]))
}

#[test]
fn branches_run_for_the_channels_that_take_them() {
    let mut stage = lanes();
    stage.mask = 0xff;
    let registers = stage.run(
        "mov (8|M0) r30.0<1>:ud 0x0:ud
         cmp (8|M0) (lt)f0.0 null<1>:ud r10.0<8;8,1>:ud 0x3:ud
         (f0.0) if (8|M0) otherwise done
         add (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud 0x64:ud
         else (8|M0) done done
         otherwise:
         add (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud 0xC8:ud
         done:
         endif (8|M0) end
         end:
         add (8|M0) r30.0<1>:ud r30.0<8;8,1>:ud 0x1:ud",
    );
    assert_eq!(dwords(&registers, 30, 8), [101, 102, 103, 204, 205, 206, 207, 208]);
}

#[test]
fn loops_run_until_their_last_channel_leaves() {
    let mut stage = lanes();
    stage.mask = 0xff;
    let registers = stage.run(
        "mov (8|M0) r30.0<1>:ud 0x0:ud
         mov (8|M0) r31.0<1>:ud r10.0<8;8,1>:ud
         again:
         cmp (8|M0) (eq)f0.0 null<1>:ud r31.0<8;8,1>:ud 0x0:ud
         (f0.0) break (8|M0) last last
         add (8|M0) r30.0<1>:ud r30.0<8;8,1>:ud r31.0<8;8,1>:ud
         add (8|M0) r31.0<1>:d r31.0<8;8,1>:d -1:d
         last:
         while (8|M0) again
         add (8|M0) r30.0<1>:ud r30.0<8;8,1>:ud 0x3E8:ud",
    );
    assert_eq!(dwords(&registers, 30, 8), [1000, 1001, 1003, 1006, 1010, 1015, 1021, 1028]);
}

#[test]
fn calls_return_to_the_next_instruction() {
    let registers = lanes().run(
        "(W) call (8|M0) r20.0<1>:ud twice
         (W) call (8|M0) r20.0<1>:ud twice
         (W) jmpi (1|M0) end
         twice:
         add (8|M0) r10.0<1>:ud r10.0<8;8,1>:ud r10.0<8;8,1>:ud
         (W) ret (8|M0) r20.0<0;1,0>:ud
         end:
         nop",
    );
    assert_eq!(dwords(&registers, 10, 8), [0, 4, 8, 12, 16, 20, 24, 28]);
}

/// A call of 32 channels writes no more than two dwords.
#[test]
fn the_return_address_may_be_in_the_last_dwords_of_a_register() {
    let registers = lanes().run(
        "mov (8|M0) r127.0<1>:ud 0x7:ud
         (W) call (32|M0) r127.6 once
         (W) jmpi (1|M0) end
         once:
         add (8|M0) r10.0<1>:ud r10.0<8;8,1>:ud r10.0<8;8,1>:ud
         (W) ret (32|M0) r127.6
         end:
         nop",
    );
    assert_eq!(dwords(&registers, 10, 8), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(dwords(&registers, 127, 7), [7, 7, 7, 7, 7, 7, 32]);
}

#[test]
fn predicates_combine_flags() {
    let stage = Stage::new();
    let cases = [
        ("f0.0", 0b0110_0101_u32),
        ("~f0.0", 0b1001_1010),
        ("f0.0.any2h", 0b1111_1111),
        ("f0.0.all2h", 0b0000_0000),
        ("f0.1.any4h", 0b0000_1111),
        ("f0.1.all4h", 0b0000_0000),
        ("f0.0.anyv", 0b0110_0111),
        ("f0.0.allv", 0b0000_0001),
    ];
    for (predicate, expected) in cases {
        let registers = stage.run(&format!(
            "mov (1|M0) f0.0<1>:ud 0xF0765:ud
             mov (1|M0) f0.0<1>:uw 0x765:uw
             mov (1|M0) f0.1<1>:uw 0x6:uw
             mov (1|M0) f1.0<1>:ud 0x3:ud
             mov (8|M0) r30.0<1>:ud 0x0:ud
             ({predicate}) mov (8|M0) r30.0<1>:ud 0x1:ud"
        ));
        let lanes = dwords(&registers, 30, 8);
        let is = lanes.iter().enumerate().fold(0, |bits, (lane, on)| bits | on << lane);
        assert_eq!(is, expected, "{predicate}: {is:#010b}");
    }
}

#[test]
fn a_barrier_stops_a_thread_until_it_is_run_again() {
    let stage = Stage::new();
    let mut thread = stage.thread(
        "mov (8|M0) r30.0<1>:ud 0x1:ud
         (W) send (8|M0) null r0 0x3 0x2000004
         (W) wait n0.0<0;1,0>:ud
         mov (8|M0) r30.0<1>:ud 0x2:ud",
    );
    assert_eq!(thread.run(&stage, 100), Stop::Barrier);
    assert_eq!(dwords(thread.registers(), 30, 1), [1]);
    assert_eq!(thread.run(&stage, 100), Stop::Ended);
    assert_eq!(dwords(thread.registers(), 30, 1), [2]);
    assert_eq!(thread.run(&stage, 100), Stop::Ended);
    assert_eq!(thread.instructions(), 5);
}

#[test]
fn a_budget_ends_an_endless_loop() {
    let stage = Stage::new();
    let mut thread = stage.thread("again:\n(W) jmpi (1|M0) again");
    assert_eq!(thread.run(&stage, 10), Stop::Budget);
    assert_eq!(thread.run(&stage, 5), Stop::Budget);
    assert_eq!(thread.instructions(), 15);
}
