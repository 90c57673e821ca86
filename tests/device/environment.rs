//! `CM_DEVICE`, `CM_NUM_THREADS` and `CM_CPU_ENGINE`: each setting is tested in a separate process, which
//! runs this program again.

use std::ffi::OsString;
use std::process::Command;

use cm::prelude::*;
use cm::{CpuEngine, Device, Format, Surface2D, ThreadSpace};

/// Marks the answer of the other process in the output of the test harness.
const ANSWER: &str = "answer: ";

#[kernel]
fn fill(output: &mut Surface2D) {
    output.write(thread_origin_x() * 4, thread_origin_y(), &Vector::<u8, 4>::splat(1));
}

/// Prints the devices that the environment selects.
#[test]
#[ignore = "`environment_variables` runs it in processes with other environments"]
fn probe() -> cm::Result<()> {
    let show = |device: cm::Result<Device>| match device {
        Ok(device) => device.name().to_owned(),
        Err(error) => super::level_zero_errors::named(&error),
    };
    println!("\n{ANSWER}best {}", show(Device::best()));
    println!("{ANSWER}cpu {}", show(Device::cpu()));
    println!("{ANSWER}five {}", show(Device::cpu_with_threads(5)));
    if let Ok(device) = Device::cpu() {
        let mut output = Surface2D::new(&device, Format::R8, 1024, 64)?;
        let space = ThreadSpace::new(256, 64)?;
        let event = fill::launch(&device, space, &mut output)?;
        println!("{ANSWER}workers {}", event.workers());
        println!("{ANSWER}engine {:?}", event.engine());
        for &engine in CpuEngine::ALL {
            let device = device.with_cpu_engine(engine);
            assert_eq!(fill::launch(&device, space, &mut output)?.engine(), Some(engine));
        }
        // A pool of the user is used unless the variable overrides it.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        let event = pool.install(|| fill::launch(&device, space, &mut output))?;
        println!("{ANSWER}workers-in-pool {}", event.workers());
        assert_eq!(output.to_vec()?, [1; 1024 * 64]);
    }
    Ok(())
}

/// The answers of a process with these variables.
fn probe_with(variables: &[(&str, OsString)]) -> impl Fn(&str) -> String + use<> {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", "environment::probe", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env_remove("CM_DEVICE").env_remove("CM_NUM_THREADS").env_remove("CM_CPU_ISA");
    command.env_remove("CM_CPU_ENGINE");
    // Hide the GPU, so that the test is the same on every machine.
    command.env("CM_LEVEL_ZERO_LOADER", "there is none.so");
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{variables:?}: {output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown = format!("{variables:?}");
    move |what| {
        let answer = format!("{ANSWER}{what} ");
        let line = printed.lines().find_map(|line| line.strip_prefix(&answer));
        line.unwrap_or_else(|| panic!("{shown}: no {what} in {printed}")).to_owned()
    }
}

#[track_caller]
fn says(answer: &str, words: &[&str]) {
    for word in words {
        assert!(answer.contains(word), "`{answer}` does not say `{word}`");
    }
}

#[test]
fn environment_variables() {
    // Without variables: the CPU, with the reason, and the workers of the current pool.
    let answer = probe_with(&[]);
    says(&answer("best"), &["CPU (", "no Level Zero loader"]);
    says(&answer("cpu"), &["CPU ("]);
    says(&answer("five"), &["5 threads"]);
    assert_eq!(answer("workers-in-pool"), "2");

    let answer = probe_with(&[("CM_DEVICE", "cpu".into())]);
    says(&answer("best"), &["CPU (", "CM_DEVICE=cpu"]);

    // A requested device that does not exist is never replaced by another one.
    let answer = probe_with(&[("CM_DEVICE", "level-zero".into())]);
    says(&answer("best"), &["NoLoader", "there is none.so", "libze1", "CM_DEVICE=cpu"]);
    says(&answer("cpu"), &["CPU ("]);

    let answer = probe_with(&[("CM_DEVICE", "level-zero:1".into())]);
    says(&answer("best"), &["NoLoader"]);

    for value in
        ["", "gpu", "CPU", "cpu ", "level_zero", "ze", "level-zero:", "level-zero:one", "level-zero:-1"]
    {
        let answer = probe_with(&[("CM_DEVICE", value.into())]);
        let shown = format!("CM_DEVICE is `{value}`");
        says(&answer("best"), &["Environment", &shown, "`cpu`, `level-zero` or `level-zero:N`"]);
        says(&answer("cpu"), &["CPU ("]);
    }

    for (value, threads, name) in [("1", "1", "1 thread"), ("3", "3", "3 threads"), (" 2 ", "2", "2 threads")]
    {
        let answer = probe_with(&[("CM_NUM_THREADS", value.into())]);
        says(&answer("best"), &["CPU (", name]);
        says(&answer("cpu"), &["CPU (", name]);
        says(&answer("five"), &["5 threads"]);
        assert_eq!(
            (answer("workers"), answer("workers-in-pool")),
            (threads.into(), threads.into()),
            "{value}"
        );
    }

    for value in ["", "0", "-1", "1025", "many", "2.5", "99999999999999999999999"] {
        let answer = probe_with(&[("CM_NUM_THREADS", value.into())]);
        let shown = format!("CM_NUM_THREADS is `{value}`");
        says(&answer("best"), &["Environment", &shown, "1 to 1024"]);
        says(&answer("cpu"), &["Environment", &shown, "1 to 1024"]);
        says(&answer("five"), &["5 threads"]);
    }

    // The default engine depends on whether this code is optimised.
    let own = if <fill as cm::__private::Kernel>::OPTIMISED { "Some(Native)" } else { "Some(Ir)" };
    assert_eq!(probe_with(&[])("engine"), own);
    for (value, engine) in [("native", "Some(Native)"), ("ir", "Some(Ir)")] {
        assert_eq!(probe_with(&[("CM_CPU_ENGINE", value.into())])("engine"), engine);
    }
    for value in ["", "IR", "native ", "interpreter"] {
        let answer = probe_with(&[("CM_CPU_ENGINE", value.into())]);
        let shown = format!("CM_CPU_ENGINE is `{value}`");
        says(&answer("cpu"), &["Environment", &shown, "`native` or `ir`"]);
        says(&answer("five"), &["Environment", &shown, "`native` or `ir`"]);
    }

    // If both are set, the device is chosen first.
    let answer = probe_with(&[("CM_DEVICE", "cpu".into()), ("CM_NUM_THREADS", "0".into())]);
    says(&answer("best"), &["CM_NUM_THREADS is `0`"]);
}

#[cfg(unix)]
#[test]
fn environment_variables_that_are_not_text() {
    use std::os::unix::ffi::OsStringExt;

    let broken = OsString::from_vec(vec![b'c', 0xff]);
    let answer = probe_with(&[("CM_DEVICE", broken.clone())]);
    says(&answer("best"), &["Environment", "CM_DEVICE", "`cpu`, `level-zero` or `level-zero:N`"]);
    let answer = probe_with(&[("CM_NUM_THREADS", broken)]);
    says(&answer("cpu"), &["Environment", "CM_NUM_THREADS", "1 to 1024"]);
}
