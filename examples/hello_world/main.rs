//! CM's tutorial 7, `printf!`: `cargo run --release --example hello_world -- [SIZE]`.
//!
//! `SIZE` x 2 threads print one line each, and the program checks the lines. They are in the order of the
//! threads, which CM does not guarantee. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::ensure;
use cm::prelude::*;
use cm_examples::{Arguments, Computed, on_devices, timed};

fn main() -> ExitCode {
    let fits = |size: usize| (1..=1000).contains(&size);
    on_devices(Arguments::size(4, "a number of threads up to 1000", fits), |device, size| {
        let lines = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&lines);
        let device = device.with_printf_handler(move |output| {
            let texts = output.lines.iter().map(|line| line.text.trim_end().to_owned());
            kept.lock().unwrap_or_else(PoisonError::into_inner).extend(texts);
        });
        let event = kernels::hello_world::launch(&device, ThreadSpace::new(size, 2)?, size as u32)?;

        let hello =
            |id: usize| format!("hello from thread {id} of column {} and row {}", id % size, id / size);
        let (expected, loops) = timed(|| (0..size * 2).map(hello).collect::<Vec<_>>());
        let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        ensure!(*lines == expected, "the lines are not those of the threads: {lines:?}");
        let what = format!("{} threads printed a line each", lines.len());
        let text = lines.join("\n") + "\n";
        Ok(Computed::new(what, text.clone().into_bytes(), event.elapsed(), loops).with_table(text))
    })
}
