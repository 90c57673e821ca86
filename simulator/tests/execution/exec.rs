//! `cm-simulator exec` on files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use cm_simulator::binary::Kernel;
use cm_simulator::eu::Program;
use cm_simulator::generation::{Generation, Machine};
use cm_simulator::launch::{Groups, World};

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cm-simulator-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn exec(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cm-simulator"));
        command.current_dir(&self.0).arg("exec").args(arguments).output().unwrap()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Adds an argument to the four bytes of each row of a block of the second surface, at the position of the
/// group.
const KERNEL: &str = "
(W) mov (8|M0) r10.0<1>:ud 0x0:ud
(W) shl (1|M0) r10.0<1>:ud r0.1<0;1,0>:ud 0x2:ud
(W) mov (1|M0) r10.1<1>:ud r0.6<0;1,0>:ud
(W) mov (1|M0) r10.2<1>:ud 0x3:ud
(W) send (8|M0) r11 r10 0xC 0x2190001
(W) add (4|M0) r11.0<1>:ub r11.0<4;4,1>:ub r1.0<0;1,0>:ub
(W) send (8|M0) null r10 0xC 0x40A8002
(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send (8|M0) null r127 0x27 0x2000010 {EOT}
";

#[test]
fn a_kernel_reads_and_writes_files() {
    let folder = Folder::new("files");
    folder.write("kernel.asm", KERNEL);
    let input: Vec<u8> = (0..32).collect();
    folder.write("in", &input);
    let output = folder.exec(&[
        "kernel.asm",
        "--grid",
        "2",
        "4",
        "1",
        "--surface",
        "1=in,8,4,8,1",
        "--surface",
        "2=-,8,4,8,1,out",
        "--arg",
        "0=100:b",
        "--stats",
    ]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "cm-simulator: 8 thread groups, 1 threads each, 72 instructions\n");
    assert_eq!(folder.read("out"), input.iter().map(|byte| byte + 100).collect::<Vec<_>>());
    assert_eq!(folder.read("in"), input);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("errors");
    folder.write("kernel.asm", KERNEL);
    folder.write("bad.asm", "mov (8|M0) r1.0<1>:ud 0x1:ud\nhurry (8|M0)\n");
    folder.write("elf", b"\x7fELF\x02\x01\x01");
    let cases: [(&[&str], &str); 21] = [
        (&["kernel.asm"], "no surface at entry 1 of the binding table"),
        (&["bad.asm"], "(`hurry (8|M0)`, line 2): not supported: opcode hurry"),
        (&["nothing"], "cannot read nothing"),
        (&["elf"], "elf is no program binary"),
        (&["kernel.asm", "--info"], "--info is for program binaries"),
        (&["kernel.asm", "--surface", "1=in,8,4"], "a surface is ENTRY=FILE"),
        (&["kernel.asm", "--arg", "0=1:z"], "`z` is no type"),
        (&["kernel.asm", "--arg", "100000=1"], "offset 100000: the data has at most 65536 bytes"),
        (&["kernel.asm", "--scratch", "4294967295"], "at most 2 MiB of scratch space"),
        (&["kernel.asm", "--local", "65536", "65536"], "groups of 65536 x 65536 x 1 work items"),
        (
            &["kernel.asm", "--local", "65536"],
            "groups of 65536 x 1 x 1 work items: use at most 1024, which are 1024 threads of 1",
        ),
        (&["kernel.asm", "--simd", "8", "--local", "8193"], "use at most 8192, which are 1024 threads of 8"),
        (&["kernel.asm", "--threads", "0"], "1 to 512 host threads expected"),
        (&["kernel.asm", "--threads", "513"], "1 to 512 host threads expected"),
        (
            &["kernel.asm", "--surface", "1=-,1,4294967295,4294967295,1"],
            "a surface has at most 4294967295 bytes",
        ),
        (
            &["kernel.asm", "--surface", "1=-,1,4294967295,1,1,tile=64"],
            "a surface has at most 4294967295 bytes",
        ),
        (&["kernel.asm", "--surface", "1=in,8,4,8,1,out,typo"], "a surface is ENTRY=FILE"),
        (&["kernel.asm", "--buffer", "1=in,64,out,typo"], "a buffer is ENTRY=FILE,BYTES[,OUTPUT]"),
        (&["kernel.asm", "--mem", "0x1000=in,64,out,typo"], "memory is ADDRESS=FILE,BYTES[,OUTPUT]"),
        (&["kernel.asm", "--grid", "4294967295", "4294967295", "2"], "groups: use fewer than 2^64"),
        (&["kernel.asm", "--alias", "1=0x1000,4"], "there is no --mem at 0x1000"),
    ];
    for (arguments, why) in cases {
        let output = folder.exec(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
    }
}

#[test]
fn output_that_nobody_reads_is_lost() {
    let folder = Folder::new("closed");
    folder.write("kernel.asm", KERNEL);
    for (arguments, status) in
        [(&["exec", "kernel.asm", "--disasm"][..], Some(0)), (&["exec", "kernel.asm"], Some(1))]
    {
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let mut command = Command::new(env!("CARGO_BIN_EXE_cm-simulator"));
        command.current_dir(&folder.0).args(arguments).stdout(write.try_clone().unwrap()).stderr(write);
        assert_eq!(command.status().unwrap().code(), status, "{arguments:?}");
    }
}

/// Threads with much scratch space, on more host threads than have room for it.
#[test]
fn scratch_space_does_not_hide_the_arguments() {
    let folder = Folder::new("scratch");
    // The argument is at the address in the header.
    folder.write(
        "kernel.asm",
        "(W) send.ugm (1|M0) r14 r0 null:0 0xff000000 0x62100500 {$2}
         (W) shl (1|M0) r15.0<1>:ud r0.1<0;1,0>:ud 0x2:ud
         sync.allwr null
         (W) send.ugm (1|M0) null r15 r14:1 0x1000000 0x62000504 {A@1,$3}
         (W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud
         (W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}",
    );
    let options = ["--generation", "xe-hpg", "--scratch", "2097152", "--local", "33", "--grid", "64"];
    let argument = ["--arg", "0=7", "--threads", "64", "--buffer", "1=-,256,out"];
    let output = folder.exec(&[&["kernel.asm"], &options[..], &argument].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.read("out"), [7_u32; 64].map(u32::to_le_bytes).concat());
}

#[test]
fn groups_that_no_gpu_has_are_refused() {
    let machine = Machine::of(Generation::XeHpg);
    let program = Program::assemble("sync.nop null", machine).unwrap();
    let groups = Groups::new(&Kernel::new(machine), program, [1; 3], vec![]);
    let refused = |groups: Groups| groups.run(&mut World::default(), 1).unwrap_err().to_string();
    let of = |simd| refused(Groups { simd, local: [64, 1, 1], ..groups.clone() });
    assert_eq!(of(64), "threads of 64 work items: a thread has 1, 8, 16 or 32");
    assert_eq!(of(0), "threads of 0 work items: a thread has 1, 8, 16 or 32");
    let scratch = refused(Groups { scratch: 1 << 31, local: [3, 1, 1], ..groups });
    let why = "2147483648 bytes of scratch space for each of 3 threads: use at most 2147483648 for a group";
    assert_eq!(scratch, why);
}

#[test]
fn an_endless_loop_is_stopped() {
    let folder = Folder::new("loop");
    folder.write("loop.asm", "again:\n(W) jmpi (1|M0) again\n");
    let output = folder.exec(&["loop.asm", "--instructions", "1000"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("group (0, 0, 0) thread 0: at byte ") && said.contains("): 1000 instructions have run"),
        "{said}"
    );
}

/// A kernel with groups, barriers and shared local memory: work items add their ids, and the first one writes
/// the sum.
#[test]
fn groups_share_memory_between_barriers() {
    let folder = Folder::new("groups");
    folder.write(
        "sum.asm",
        "mov (8|M0) r20.0<1>:ud 0x0:ud
         mov (8|M0) r21.0<1>:ud r1.0<8;8,1>:uw
         send (8|M0) null r20 0xC 0x40097FE
         (W) send (8|M0) null r0 0x3 0x2000004
         (W) wait n0.0<0;1,0>:ud
         (W) send (8|M0) r22 r20 0xC 0x2106EFE
         (W) mov (8|M0) r23.0<1>:ud 0x0:ud
         (W) shl (1|M0) r23.0<1>:ud r0.1<0;1,0>:ud 0x2:ud
         (W) mov (8|M0) r24.0<1>:ud r22.0<0;1,0>:ud
         (W) mov (1|M0) f0.0<1>:ud 0x1:ud
         (f0.0) send (8|M0) null r23 0xC 0x4026E01
         (W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
         (W) send (8|M0) null r127 0x27 0x2000010 {EOT}",
    );
    let output = folder.exec(&[
        "sum.asm",
        "--simd",
        "8",
        "--local",
        "32",
        "--grid",
        "3",
        "--local-ids",
        "--slm",
        "64",
        "--buffer",
        "1=-,12,out",
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sum: u32 = (0..32).sum();
    assert_eq!(folder.read("out"), [sum; 3].map(u32::to_le_bytes).concat());
}

/// Threads of Xe-HPC add to shared local memory, signal, and wait for the others; `count` sets the number of
/// threads.
fn sum_of_threads(count: &str) -> String {
    format!(
        "(W) and (1|M0) r10.0<1>:ud r0.2<0;1,0>:ud 0xff:ud
         (W) add (1|M0) r11.0<1>:ud r10.0<0;1,0>:ud 0x1:ud {{I@1}}
         (W) mov (1|M0) r12.0<1>:ud 0x0:ud
         (W) send.slm (1|M0) null r12 r11:1 0x0 0x0200050c {{A@1,$0}}
         (W) mov (1|M0) r13.2<1>:ud 0x0:ud
         {count}
         sync.allwr null
         (W) send.gtwy (1|M0) null r13 null:0 0x0 0x02000004 {{A@1,$1}}
         (W) sync.bar null
         (W) send.slm (1|M0) r14 r12 null:0 0x0 0x02100500 {{$2}}
         (W) shl (1|M0) r15.0<1>:ud r10.0<0;1,0>:ud 0x2:ud
         sync.allwr null
         (W) send.ugm (1|M0) null r15 r14:1 0x1000000 0x62000504 {{A@1,$3}}
         (W) mov (16|M0) r127.0<1>:ud r0.0<1;1,0>:ud
         (W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {{EOT,A@1}}"
    )
}

#[test]
fn threads_of_newer_generations_signal_and_wait() {
    let folder = Folder::new("barriers");
    // The header contains the number of threads of the group.
    folder.write("all.asm", sum_of_threads("(W) mov (2|M0) r13.10<1>:ub r0.11<0;1,0>:ub {I@1}"));
    folder.write("more.asm", sum_of_threads("(W) mov (1|M0) r13.2<1>:ud 0x05050000:ud {I@1}"));
    let run = |file: &str| {
        let options = ["--generation", "xe-hpc", "--simd", "1", "--local", "4", "--slm", "64"];
        folder.exec(&[&[file], &options[..], &["--buffer", "1=-,16,out"]].concat())
    };
    let output = run("all.asm");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(folder.read("out"), [1 + 2 + 3 + 4_u32; 4].map(u32::to_le_bytes).concat());
    let output = run("more.asm");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("a barrier to which no other thread comes"), "{said}");
}
