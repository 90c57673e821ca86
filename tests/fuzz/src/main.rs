//! Runs random kernels by every execution and reports the differences.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use cm_fuzz::difference::{Machine, Outcome};
use cm_fuzz::ir;

#[derive(Parser)]
struct Options {
    /// The first seed, and the one after the last: `0..1000`.
    #[arg(long, value_parser = range)]
    seeds: std::ops::Range<u64>,
    #[arg(long)]
    print: bool,
    #[arg(long)]
    reduce: Option<PathBuf>,
}

fn range(text: &str) -> Result<std::ops::Range<u64>, String> {
    let (from, to) = text.split_once("..").ok_or("no `..`")?;
    Ok(from.parse().map_err(|_| "from")?..to.parse().map_err(|_| "to")?)
}

fn main() {
    let options = Options::parse();
    if options.print {
        for seed in options.seeds {
            println!("{}", ir::function(seed));
        }
        return;
    }
    let machine = Machine::find().unwrap();
    let start = Instant::now();
    let (mut n, mut rejected, mut different) = (0, 0, 0);
    let mut last = Duration::ZERO;
    let seeds: Vec<u64> = options.seeds.collect();
    for batch in seeds.chunks(32) {
        let functions: Vec<_> = batch.iter().map(|seed| ir::function(*seed)).collect();
        let outcomes = machine.compare(&functions, batch[0] % 8 == 0);
        for (seed, outcome) in batch.iter().zip(outcomes) {
            n += 1;
            match outcome {
                Outcome::Same => {}
                Outcome::Rejected => rejected += 1,
                Outcome::Different(d) => {
                    different += 1;
                    let what: String = d.to_string().chars().take(400).collect();
                    println!("seed {seed}: {what}");
                }
            }
        }
        if start.elapsed() - last > Duration::from_secs(10) {
            last = start.elapsed();
            println!("{n} cases, {rejected} rejected, {different} different, {:.1} per s", n as f64 / start.elapsed().as_secs_f64());
        }
    }
    println!("{n} cases, {rejected} rejected, {different} different, {:.1} per s", n as f64 / start.elapsed().as_secs_f64());
}
