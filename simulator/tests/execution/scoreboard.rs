//! The waits of instructions on newer generations: code that waits runs, and code that does not is a fault
//! that names both instructions.

use cm_simulator::generation::Generation;

use crate::stage::{ADDRESS, Stage, bytes};

/// A message that reads a dword into r20 and holds token 3.
fn load(generation: Generation) -> &'static str {
    match generation {
        Generation::XeLp => "send.dc1 (8|M0) r20 r10 null 0x0 0x2106EFF {$3}",
        _ => "send.ugm (1|M0) r20 r10 null:0 0x0 0x2108580 {$3}",
    }
}

/// A message that writes r30 to memory and holds token 3.
fn store(generation: Generation) -> &'static str {
    match generation {
        Generation::XeLp => "send.dc1 (8|M0) null r10 r30 0x40 0x2026EFF {$3}",
        _ => "send.ugm (1|M0) null r10 r30:1 0x0 0x2000584 {$3}",
    }
}

fn stage(generation: Generation) -> Stage {
    let address = ADDRESS as u32;
    // 32 bits for each channel, or one 64-bit address.
    let addresses =
        if generation == Generation::XeLp { [address; 8] } else { [address, 0, 0, 0, 0, 0, 0, 0] };
    Stage::of(generation).with(10, &bytes(&addresses))
}

const ADD: &str = "add (8|M0) r20.0<1>:d r11.0<1;1,0>:d 0x1:d";
const FLOAT: &str = "add (8|M0) r21.0<1>:f r11.0<1;1,0>:f r12.0<1;1,0>:f";
const NEWER: [Generation; 4] = [Generation::XeLp, Generation::XeHpg, Generation::XeHpc, Generation::Xe2];

/// The letter of the integer pipe in a distance.
fn integer(generation: Generation) -> &'static str {
    if generation == Generation::XeLp { "" } else { "I" }
}

#[test]
fn results_are_waited_for_by_distance() {
    for generation in NEWER {
        let pipe = integer(generation);
        let read = |distance: &str| format!("{ADD}\nmov (8|M0) r22.0<1>:d r20.0<1;1,0>:d {distance}");
        stage(generation).run(&read(&format!("{{{pipe}@1}}")));
        stage(generation).run(&read("{A@1}"));
        let fault = stage(generation).fault(&read(""));
        assert!(fault.instruction.starts_with("mov (8|M0) r22"), "{fault}");
        let words = ["reads byte 0 of r20", "at byte 0 (`add (8|M0) r20", "does not wait for that"];
        assert!(words.iter().all(|word| fault.why.contains(word)), "{fault}");
        // A distance that is too large refers to an older instruction.
        let between = format!("{ADD}\nmov (8|M0) r23.0<1>:d r13.0<1;1,0>:d\n");
        let far = format!("{between}mov (8|M0) r22.0<1>:d r20.0<1;1,0>:d {{{pipe}@3}}");
        assert!(stage(generation).fault(&far).why.contains("does not wait"));
        stage(generation).run(&far.replace("@3", "@2"));
    }
}

#[test]
fn moves_to_nowhere_wait_for_nothing() {
    for generation in NEWER {
        let read = |to: &str| format!("{}\n(W) mov (1|M0) {to}<1>:ud r20.0<0;1,0>:ud", load(generation));
        stage(generation).run(&read("null"));
        assert!(stage(generation).fault(&read("r22.0")).why.contains("does not wait"));
        // The flag is a result, too.
        let flag = read("null").replace(") null", ") (nz)f0.0 null");
        assert!(stage(generation).fault(&flag).why.contains("does not wait"), "{}", generation.name());
    }
}

#[test]
fn old_instructions_have_ended() {
    let others: String = (0..11).map(|n| format!("mov (8|M0) r{}.0<1>:d 0x1:d\n", 40 + n)).collect();
    for generation in NEWER {
        let text = format!("{ADD}\n{others}mov (8|M0) r22.0<1>:d r20.0<1;1,0>:d");
        stage(generation).run(&text);
        let (_, rest) = others.split_once('\n').unwrap();
        let text = format!("{ADD}\n{rest}mov (8|M0) r22.0<1>:d r20.0<1;1,0>:d");
        assert!(stage(generation).fault(&text).why.contains("does not wait"), "{}", generation.name());
    }
}

#[test]
fn pipes_are_counted_by_themselves() {
    for generation in NEWER.into_iter().skip(1) {
        let text = |distance| format!("{ADD}\n{FLOAT}\nmov (8|M0) r22.0<1>:d r20.0<1;1,0>:d {{{distance}}}");
        stage(generation).run(&text("I@1"));
        stage(generation).run(&text("A@1"));
        assert!(stage(generation).fault(&text("F@1")).why.contains("in pipe Integer"));
        // Registers that another pipe reads or writes need a wait before they are overwritten.
        let over = |distance| format!("{FLOAT}\nmov (8|M0) r21.0<1>:d 0x1:d {distance}");
        assert!(stage(generation).fault(&over("")).why.contains("overwrites byte 0 of r21"));
        stage(generation).run(&over("{F@1}"));
        let over = |distance| format!("{FLOAT}\nmov (8|M0) r12.0<1>:d 0x1:d {distance}");
        let fault = stage(generation).fault(&over(""));
        assert!(fault.why.contains("overwrites byte 0 of r12") && fault.why.contains("reads"), "{fault}");
        stage(generation).run(&over("{F@1}"));
    }
}

#[test]
fn instructions_of_a_pipe_overwrite_in_order() {
    for generation in NEWER {
        stage(generation).run(&format!("{ADD}\n{ADD}\nmov (8|M0) r11.0<1>:d 0x1:d"));
    }
}

#[test]
fn messages_are_waited_for_by_token() {
    for generation in NEWER {
        let load = load(generation);
        let read = |token: &str| format!("{load}\nmov (1|M0) r22.0<1>:d r20.0<0;1,0>:d {token}");
        stage(generation).run(&read("{$3.dst}"));
        for wrong in ["", "{$3.src}", "{$2.dst}", "{A@1}"] {
            let fault = stage(generation).fault(&read(wrong));
            assert!(fault.why.contains("reads byte 0 of r20") && fault.why.contains("$3.dst"), "{fault}");
        }
        let sync = format!("{load}\nsync.allwr null\nmov (1|M0) r22.0<1>:d r20.0<0;1,0>:d");
        stage(generation).run(&sync);
        assert!(stage(generation).fault(&sync.replace("allwr", "allrd")).why.contains("$3.dst"));
        stage(generation).run(&sync.replace("sync.allwr null", "sync.nop null {$3.dst}"));
        // The next holder of a token waits for the previous one.
        let again = format!("{load}\n{}\nmov (1|M0) r22.0<1>:d r20.0<0;1,0>:d", store(generation));
        stage(generation).run(&again);
    }
}

#[test]
fn payloads_are_not_overwritten_before_they_are_read() {
    for generation in NEWER {
        let store = store(generation);
        let over = |token: &str| format!("{store}\nmov (1|M0) r30.0<1>:d 0x1:d {token}");
        stage(generation).run(&over("{$3.src}"));
        stage(generation).run(&over("{$3.dst}"));
        let fault = stage(generation).fault(&over(""));
        let words = ["overwrites byte 0 of r30", "reads", "$3.src"];
        assert!(words.iter().all(|word| fault.why.contains(word)), "{fault}");
        // A payload that is still being written.
        let made = |distance: &str| {
            let store = store.replace("{$3}", &format!("{{{distance}$3}}"));
            format!("mov (1|M0) r30.0<1>:d 0x1:d\n{store}")
        };
        stage(generation).run(&made(if generation == Generation::XeLp { "@1," } else { "A@1," }));
        assert!(stage(generation).fault(&made("")).why.contains("reads byte 0 of r30"));
    }
}

#[test]
fn math_has_tokens_until_it_has_a_pipe() {
    let text = |token: &str, wait: &str| {
        format!(
            "math.inv (8|M0) r20.0<1>:f r11.0<1;1,0>:f {token}
             mov (8|M0) r22.0<1>:d r20.0<1;1,0>:d {wait}"
        )
    };
    for generation in [Generation::XeLp, Generation::XeHpg] {
        stage(generation).run(&text("{$1}", "{$1.dst}"));
        assert!(stage(generation).fault(&text("{$1}", "{A@1}")).why.contains("$1.dst"));
    }
    for generation in [Generation::XeHpc, Generation::Xe2] {
        stage(generation).run(&text("", "{M@1}"));
        assert!(stage(generation).fault(&text("", "{F@1}")).why.contains("in pipe Math"));
    }
}

/// The math unit reads the sources of an instruction before it writes the result of a later one; others do
/// not wait for it.
#[test]
fn math_reads_before_later_math_writes() {
    let over = |with: &str| {
        format!("math.inv (8|M0) r20.0<1>:f r11.0<1;1,0>:f {{$1}}\n{with} (8|M0) r11.0<1>:f r12.0<1;1,0>:f")
    };
    for generation in [Generation::XeLp, Generation::XeHpg] {
        stage(generation).run(&format!("{} {{$2}}", over("math.inv")));
        assert!(stage(generation).fault(&over("mov")).why.contains("$1.src"));
        // The result of the earlier one has to be waited for.
        let result = over("math.inv").replace("r11.0<1>", "r20.0<1>");
        assert!(stage(generation).fault(&format!("{result} {{$2}}")).why.contains("$1.dst"));
    }
}

/// Conversions to floats belong to the float pipe on every generation that has one.
#[test]
fn conversions_are_counted_by_what_they_make() {
    let pipes = [Generation::XeHpg, Generation::XeHpc, Generation::Xe2, Generation::Xe3];
    let makes = [
        ("mov (8|M0) r20.0<1>:f r11.0<1;1,0>:ud", 'F'),
        ("mov (8|M0) r20.0<1>:f r11.0<1;1,0>:w", 'F'),
        ("mov (8|M0) r20.0<1>:d r11.0<1;1,0>:f", 'I'),
    ];
    for generation in pipes {
        for (mov, pipe) in makes {
            let text = |pipe| format!("{mov}\nor (8|M0) r22.0<1>:d r20.0<1;1,0>:d 0x1:d {{{pipe}@1}}");
            stage(generation).run(&text(pipe));
            let other = if pipe == 'F' { 'I' } else { 'F' };
            let fault = stage(generation).fault(&text(other));
            assert!(fault.why.contains("does not wait"), "{mov}: {fault}");
        }
    }
}

#[test]
fn branches_wait_for_pipes_but_not_for_tokens() {
    for generation in NEWER {
        let text =
            |before: &str| format!("{before}\n(W) jmpi (1|M0) on\non:\nmov (1|M0) r22.0<1>:d r20.0<0;1,0>:d");
        stage(generation).run(&text(ADD));
        assert!(stage(generation).fault(&text(load(generation))).why.contains("$3.dst"));
    }
}

#[test]
fn annotations_that_are_none_are_refused() {
    use cm_simulator::eu::Program;

    let machine = Stage::of(Generation::XeHpg).machine;
    for annotation in ["$32", "$1.all", "X@1", "@8", "I@0", "$1,$2", "I@1,F@2"] {
        let error = Program::assemble(&format!("{ADD} {{{annotation}}}"), machine).unwrap_err();
        assert!(error.to_string().contains("not supported: annotation"), "{annotation}: {error}");
    }
}
