//! Option prices by the Black-Scholes formula: `cargo run --release --example black_scholes -- [SIZE]`.
//!
//! It computes the prices of `SIZE` options with functions that GPUs approximate (`exp`, `log`, `sqrt`,
//! `inv`), compares them with plain loops in `f64`, and prints some of them. `CM_DEVICE` selects the device.

pub mod kernels;

use std::process::ExitCode;

use cm::prelude::*;
use cm_examples::{Arguments, Computed, bytes, ensure_close, numbers, on_devices, timed};
use kernels::{INTEREST, VOLATILITY, black_scholes};

/// The allowed error of prices, relative to those above 1: differences of numbers up to 100 have lost digits,
/// and the bounds of `exp` and `log` are 4 units.
const BOUND: f32 = 5e-4;

fn main() -> ExitCode {
    let fits = |size: usize| size.is_power_of_two() && (16..=1 << 24).contains(&size);
    on_devices(Arguments::size(1 << 20, "a power of two from 16 to 2^24", fits), |device, size| {
        let mut numbers = numbers(10).map(|n| (n >> 8) as f32 / 16_777_216.0);
        let mut between = |low: f32, high: f32| -> Vec<f32> {
            numbers.by_ref().take(size).map(|n| low + n * (high - low)).collect()
        };
        let (prices, strikes, years) = (between(10.0, 100.0), between(10.0, 100.0), between(0.25, 5.0));
        let [price, strike, time] =
            [&prices, &strikes, &years].map(|numbers| Buffer::from_slice(device, numbers));
        let (price, strike, time) = (price?, strike?, time?);
        let mut calls = Buffer::<f32>::new(device, size)?;
        let mut puts = Buffer::<f32>::new(device, size)?;
        let threads = ThreadSpace::new((size / 16).min(1024), (size / 16).div_ceil(1024))?;
        let event = black_scholes::launch(device, threads, &price, &strike, &time, &mut calls, &mut puts)?;
        let found = [calls.to_vec()?, puts.to_vec()?].concat();

        let options = || prices.iter().zip(&strikes).zip(&years);
        let price = |((&price, &strike), &years): ((&f32, &f32), &f32)| by_formula(price, strike, years);
        let (expected, loops) = timed(|| {
            let (calls, puts): (Vec<f32>, Vec<f32>) = options().map(price).unzip();
            [calls, puts].concat()
        });
        ensure_close(&found, &expected, BOUND)?;
        let mut table = "   price  strike   years    call     put\n".to_owned();
        for (n, ((price, strike), years)) in options().enumerate().take(4) {
            let (call, put) = (found[n], found[size + n]);
            table += &format!("{price:8.2}{strike:8.2}{years:8.2}{call:8.2}{put:8.2}\n");
        }
        let what = format!("prices of {size} options");
        let bytes = bytes(&found, f32::to_le_bytes);
        Ok(Computed::new(what, bytes, event.elapsed(), loops)
            .with_floats_within(2.0 * BOUND)
            .with_table(table))
    })
}

/// The prices of the call and of the put.
fn by_formula(price: f32, strike: f32, years: f32) -> (f32, f32) {
    let [price, strike, years] = [price, strike, years].map(f64::from);
    let [interest, volatility] = [INTEREST, VOLATILITY].map(f64::from);
    let deviation = volatility * years.sqrt();
    let d1 = ((price / strike).ln() + (interest + volatility * volatility / 2.0) * years) / deviation;
    let (below1, below2) = (normal(d1), normal(d1 - deviation));
    let discounted = strike * (-interest * years).exp();
    let call = price * below1 - discounted * below2;
    // The prices of call and put differ by the difference of the stock price and the discounted strike.
    (call as f32, (call - price + discounted) as f32)
}

/// The cumulative normal distribution, by the series of Marsaglia.
fn normal(x: f64) -> f64 {
    let (mut sum, mut term, mut n) = (x, x, 3.0);
    while term.abs() > 1e-14 {
        term *= x * x / n;
        sum += term;
        n += 2.0;
    }
    0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}
