//! `printf!` in kernels: the CPU, the interpreter and Level Zero print the same lines, in the order of the
//! kernel threads. Also the clock, which differs between executions.

use std::sync::{Arc, Mutex};

use cm::interpret::{BUDGET, InterpretArg, interpret_printing};
use cm::ir::{Function, Location, Op};
use cm::prelude::*;
use cm::{CpuEngine, PrintfLine, PrintfOutput};
use cm_test_kernels::printf::{control_flow, every_kind, loud, timed};
use cm_test_support::devices::devices;
use cm_test_support::memory::Memory;

/// The device, with a handler that stores its output.
fn kept(device: &Device) -> (Device, Arc<Mutex<Vec<PrintfOutput>>>) {
    let outputs = Arc::new(Mutex::new(Vec::new()));
    let all = Arc::clone(&outputs);
    (device.with_printf_handler(move |output| all.lock().unwrap().push(output.clone())), outputs)
}

fn line(x: u32, y: u32, text: impl Into<String>) -> PrintfLine {
    PrintfLine { thread: [x, y], text: text.into() }
}

/// The lines of the interpreter, on a surface of 16 x 4 bytes.
fn interpreted(function: &Function, bytes: &[u8], threads: [u32; 2]) -> Vec<PrintfLine> {
    let mut surface = Memory::new(1, 16, 4, bytes);
    let mut lines = Vec::new();
    for (x, y) in (0..threads[1]).flat_map(|y| (0..threads[0]).map(move |x| (x, y))) {
        let args = &mut [InterpretArg::Surface(&mut surface)];
        let mut print = |text| lines.push(PrintfLine { thread: [x, y], text });
        interpret_printing(function, args, [x, y], BUDGET, &mut print).unwrap();
    }
    lines
}

/// Checks that every execution of a kernel of one surface prints these lines.
macro_rules! prints {
    ($kernel:ident, [$width:literal, $height:literal], $expected:expr) => {{
        let bytes: Vec<u8> = (0..64).map(|n| n * 3).collect();
        let expected: Vec<PrintfLine> = $expected;
        let function = $kernel::ir().unwrap();
        assert_eq!(interpreted(&function, &bytes, [$width, $height]), expected, "the interpreter");
        let text = function.to_string();
        assert_eq!(cm::text::parse(&text).unwrap().to_string(), text);
        for device in devices(2) {
            let (device, outputs) = kept(&device);
            let surface = Surface2D::from_bytes(&device, Format::R8, 16, 4, &bytes).unwrap();
            let space = ThreadSpace::new($width, $height).unwrap();
            $kernel::launch(&device, space, &surface).unwrap();
            // Scopes print as well, once for each launch.
            device.scope(|scope| $kernel::enqueue(scope, space, &surface)).unwrap();
            let outputs = std::mem::take(&mut *outputs.lock().unwrap());
            assert_eq!(outputs.len(), 2, "{}", device.name());
            for output in outputs {
                assert_eq!(output.lines, expected, "{}", device.name());
                assert_eq!((output.kernel, output.dropped), (stringify!($kernel), 0));
            }
        }
    }};
}

#[test]
fn every_kind_of_value_is_printed() {
    let expected = |x: u32, y: u32| {
        let at = |r: u32, c: u32| (((y * 2 + r) * 16 + x * 8 + c) * 3) as u8;
        let row = |r: u32, from: u32, count: u32, step: u32| -> Vec<u8> {
            (0..count).map(|k| at(r, from + k * step)).collect()
        };
        let e = at(1, 2);
        let f: Vec<f32> = row(0, 0, 3, 1).into_iter().map(|x| f32::from(x) * 0.25).collect();
        let wide: Vec<i64> = row(0, 0, 2, 1).into_iter().map(|x| -i64::from(x)).collect();
        let mask: Vec<u16> = row(0, 0, 8, 1).into_iter().map(|x| u16::from(x > 10)).collect();
        let corner = [row(0, 0, 2, 1), row(1, 0, 2, 1)];
        vec![
            line(x, y, format!("({x}, {y}) host 007 and 1.5")),
            line(
                x,
                y,
                format!(
                    "m = {:?}, {:x?}, {:?}, {:?}",
                    [row(0, 0, 8, 1), row(1, 0, 8, 1)],
                    row(1, 0, 8, 1),
                    [row(0, 1, 2, 2), row(1, 1, 2, 2)],
                    [[at(0, 3)], [at(1, 3)]]
                ),
            ),
            line(x, y, format!("{{{e:>5}|{e:<5}|{e:^5}|{e:+}|{e:#06x}|{e:08b}}}")),
            line(x, y, format!("{f:?} {f:.1?} {f:?} {:e} {:8.3}", f[1], f[2])),
            line(x, y, format!("{f:?} {f:?} {}", f[2])),
            line(x, y, format!("{wide:?} {} mask {mask:?}", wide[1] as u64)),
            line(x, y, format!("[\n    {:?},\n    {:?},\n]", corner[0], corner[1])),
            line(x, y, format!("{1} {0} {1}", x, y + 1)),
        ]
    };
    prints!(every_kind, [2, 2], [expected(0, 0), expected(1, 0), expected(0, 1), expected(1, 1)].concat());
}

#[test]
fn staged_control_flow_decides_what_is_printed() {
    let of = |x: u8| {
        let row: Vec<u8> = (0..4).map(|k| (x * 4 + k) * 3).collect();
        let twice: Vec<u8> = row.iter().map(|x| x * 2).collect();
        let mut texts = vec!["host round 0".to_owned(), "host round 1".to_owned()];
        texts.extend((1..=x).rev().map(|n| format!("{n} left")));
        texts.extend(["none", "some", "some"].get(usize::from(x)).map(|text| (*text).to_owned()));
        texts.extend((x > 1).then(|| format!("loud {x}: {twice:?}")));
        texts.push(if row[0] > 20 { format!("then {}", twice[0]) } else { format!("else {twice:?}") });
        let more: Vec<u8> = row.iter().map(|x| x + u8::from(*x > 20)).collect();
        texts.extend(row.iter().any(|x| *x > 20).then(|| format!("lanes {more:?}")));
        texts.extend((x > 0).then(|| "staged round 0".to_owned()));
        texts.into_iter().map(move |text| line(x.into(), 0, text)).collect::<Vec<_>>()
    };
    prints!(control_flow, [4, 1], (0..4).flat_map(of).collect());
}

/// Only a region of the block is used, unless the name in the format string counts as a use.
#[kernel]
fn named_in_the_text(input: &Surface2D) {
    let block = input.read::<u8, 1, 8>(thread_origin_x() * 8, 1);
    let part = block.select::<1, 1, 4, 1>(0, 2);
    printf!("{block:?} {part:?}");
}

#[test]
fn names_in_the_text_are_uses() {
    let row = |x: u32, from: u32, count: u32| -> Vec<u8> {
        (0..count).map(|k| ((16 + x * 8 + from + k) * 3) as u8).collect()
    };
    let of = |x| line(x, 0, format!("[{:?}] [{:?}]", row(x, 0, 8), row(x, 2, 4)));
    prints!(named_in_the_text, [2, 1], vec![of(0), of(1)]);
}

#[test]
fn lines_have_their_place_in_the_source() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/printf.rs");
    let source = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    for kernel in [every_kind::ir().unwrap(), control_flow::ir().unwrap()] {
        let prints = kernel.body.instructions().filter(|inst| matches!(inst.op, Op::Print { .. }));
        let places: Vec<&Location> = prints.map(|inst| &inst.location).collect();
        assert!(places.len() >= 7);
        for place in places {
            let shown = &lines[place.line as usize - 1][place.column as usize - 1..];
            assert!(
                place.file.ends_with("kernels/printf.rs") && shown.starts_with("printf!"),
                "{place}: {shown}"
            );
        }
    }
}

/// Prints one line for each thread. In memory order, the last thread would come first.
#[kernel]
fn position(input: &Surface2D) {
    let (x, y) = (thread_origin_x(), thread_origin_y());
    let first = input.read::<u8, 1, 4>(0, 0).get(0, 0);
    printf!("{x} {y} {}", first + x + y * 100);
}

#[test]
fn lines_are_in_the_order_of_threads() {
    let line_of = |n: u32| line(n % 61, n / 61, format!("{} {} {}", n % 61, n / 61, n % 61 + n / 61 * 100));
    for threads in [1, 2, 4] {
        let device = Device::cpu_with_threads(threads).unwrap();
        let (device, outputs) = kept(&device);
        let surface = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
        let event = position::launch(&device, ThreadSpace::new(61, 40).unwrap(), &surface).unwrap();
        assert_eq!(event.workers(), threads);
        let expected: Vec<PrintfLine> = (0..61 * 40).map(line_of).collect();
        assert_eq!(outputs.lock().unwrap()[0].lines, expected);
    }
    prints!(
        position,
        [13, 3],
        (0..39)
            .map(|n| {
                let (x, y) = (n % 13, n / 13);
                line(x, y, format!("{x} {y} {}", x + y * 100))
            })
            .collect()
    );
}

/// Prints lines of 515 dwords.
#[kernel]
fn long_lines(times: u32) {
    let v = Vector::<u32, 512>::splat(thread_origin_x());
    for _ in 0..times {
        printf!("{v:?}");
    }
}

#[test]
fn lines_that_do_not_fit_are_counted() {
    // 1 MiB has space for 509 lines.
    for device in devices(2) {
        let (device, outputs) = kept(&device);
        long_lines::launch(&device, ThreadSpace::new(32, 4).unwrap(), 5).unwrap();
        let output = outputs.lock().unwrap().pop().unwrap();
        assert_eq!((output.lines.len(), output.dropped), (509, 131), "{}", device.name());
        for line in &output.lines {
            assert_eq!(line.text, format!("{:?}", [line.thread[0]; 512]));
        }
        let text = output.to_string();
        assert!(
            text.ends_with(
                "[131 more lines of kernel `long_lines` did not fit into the buffer of `printf!`]\n"
            )
        );
        // The next launch has the whole space again.
        long_lines::launch(&device, ThreadSpace::new(2, 1).unwrap(), 1).unwrap();
        let output = outputs.lock().unwrap().pop().unwrap();
        assert_eq!((output.lines.len(), output.dropped), (2, 0), "{}", device.name());
    }
}

#[kernel]
fn places() {
    printf!("{} {}", thread_origin_x(), thread_origin_y());
}

/// However the threads are launched: one by one, in pairs, or in waves.
#[test]
fn lines_have_the_coordinates_of_their_threads() {
    for device in devices(2) {
        let (device, outputs) = kept(&device);
        let plain = [(2, 1), (1, 2), (3, 3), (4, 3)].map(|(width, height)| ThreadSpace::new(width, height));
        let waves = [(3, 3), (2, 4)].map(|(width, height)| {
            Ok(ThreadSpace::new(width, height)?.with_dependencies(DependencyPattern::WAVEFRONT))
        });
        for space in plain.into_iter().chain(waves) {
            let space = space.unwrap();
            let [width, height] = [space.width() as u32, space.height() as u32];
            places::launch(&device, space).unwrap();
            let output = outputs.lock().unwrap().pop().unwrap();
            let threads = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
            let expected: Vec<PrintfLine> =
                threads.map(|[x, y]| PrintfLine { thread: [x, y], text: format!("{x} {y}") }).collect();
            assert_eq!(output.lines, expected, "{width} x {height}, {}", device.name());
        }
    }
}

#[kernel]
fn with_results(input: &Surface2D, sums: &mut Buffer<u32>, by: i32, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 16>(0, 0);
    printf!("by {by}, row = {:?}", m.row(2));
    sums.write(0, &Vector::<u32, 4>::splat(math::sum::<u32, _>(m)));
    output.write(0, 0, &(m + by).convert::<u8>());
}

#[test]
fn a_kernel_that_prints_computes_the_same() {
    for device in devices(1) {
        let (device, outputs) = kept(&device);
        let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[9; 64]).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
        let mut sums = Buffer::<u32>::new(&device, 4).unwrap();
        let space = ThreadSpace::new(1, 1).unwrap();
        with_results::launch(&device, space, &input, &mut sums, -2, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), [7; 64]);
        assert_eq!(sums.to_vec().unwrap(), [9 * 64; 4]);
        assert_eq!(outputs.lock().unwrap()[0].to_string(), format!("by -2, row = {:?}\n", [9; 16]));
    }
}

#[test]
fn a_handler_is_of_one_device_and_its_clones() {
    let device = Device::cpu_with_threads(1).unwrap();
    let ((one, outputs), (other, others)) = (kept(&device), kept(&device));
    let surface = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
    position::launch(&one.clone(), ThreadSpace::new(1, 1).unwrap(), &surface).unwrap();
    assert_eq!((outputs.lock().unwrap().len(), others.lock().unwrap().len()), (1, 0));
    // Nothing is printed, so no handler is called.
    long_lines::launch(&other, ThreadSpace::new(1, 1).unwrap(), 0).unwrap();
    assert_eq!(others.lock().unwrap().len(), 0);
}

/// The handler is called once for each launch that prints, in the launching thread, before the launch
/// returns, also in a scope.
#[test]
fn a_launch_that_prints_is_waited_for() {
    for device in devices(2) {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&calls);
        let device = device.with_printf_handler(move |output| {
            all.lock().unwrap().push((std::thread::current().id(), output.kernel, output.lines.len()));
        });
        let call = |lines: usize| (std::thread::current().id(), "position", lines);
        let surface = Surface2D::new(&device, Format::R8, 16, 4).unwrap();
        let space = |width: usize| ThreadSpace::new(width, 1).unwrap();
        position::launch(&device, space(3), &surface).unwrap();
        assert_eq!(*calls.lock().unwrap(), [call(3)], "{}", device.name());
        device
            .scope(|scope| {
                position::enqueue(scope, space(4), &surface)?;
                assert_eq!(*calls.lock().unwrap(), [call(3), call(4)], "{}", device.name());
                position::enqueue(scope, space(5), &surface)
            })
            .unwrap();
        assert_eq!(*calls.lock().unwrap(), [call(3), call(4), call(5)], "{}", device.name());
    }
}

#[kernel]
fn planes(output: &mut Buffer<u32>) {
    let [x, z] = [group_id(0), group_id(2)];
    printf!("a {x} {z}");
    output.write((z * 2 + x) * 16, &Vector::<u32, 4>::splat(1));
    printf!("b {x} {z}");
}

/// On the CPU threads that differ only in the third coordinate print one after the other, too.
#[test]
fn threads_of_several_planes_print_in_order() {
    let (groups, planes_of) = (ThreadGroups::new([2, 1, 70], [1, 1, 1]).unwrap(), |x| {
        (0..70).flat_map(move |z| ["a", "b"].map(|name| line(x, 0, format!("{name} {x} {z}"))))
    });
    let expected: Vec<PrintfLine> = (0..2).flat_map(planes_of).collect();
    for (workers, engine) in [1, 2].into_iter().flat_map(|n| CpuEngine::ALL.iter().map(move |e| (n, *e))) {
        let device = Device::cpu_with_threads(workers).unwrap().with_cpu_engine(engine);
        let (device, outputs) = kept(&device);
        let mut output = Buffer::<u32>::new(&device, 140 * 4).unwrap();
        planes::launch(&device, groups, &mut output).unwrap();
        assert_eq!(outputs.lock().unwrap()[0].lines, expected, "{workers} {engine}");
    }
}

#[test]
fn helpers_print_in_plain_rust() {
    // This prints to the standard output, which the test harness captures.
    let v = Vector::from_array([1u8, 2, 3, 4]);
    assert_eq!(loud(v, 2).to_array(), [2, 4, 6, 8]);
    cm::printf!("plain {v:?} {}", v.get(1));
}

#[test]
fn the_clock_counts_up() {
    for device in devices(1) {
        let mut times = Buffer::<u64>::new(&device, 2).unwrap();
        let mut stamps = Buffer::<u32>::new(&device, 8).unwrap();
        timed::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut times, &mut stamps).unwrap();
        let (times, stamps) = (times.to_vec().unwrap(), stamps.to_vec().unwrap());
        assert!(times[0] > 0 && times[0] < times[1], "{}: {times:?}", device.name());
        assert_eq!(stamps[4], 1000);
        let stamp = u64::from(stamps[1]) << 32 | u64::from(stamps[0]);
        assert!((times[0]..=times[1]).contains(&stamp), "{}: {times:?} {stamps:?}", device.name());
    }
}
