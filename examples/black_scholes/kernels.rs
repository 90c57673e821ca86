//! Option prices by the Black-Scholes formula.

use cm::prelude::*;

/// The annual interest rate.
pub const INTEREST: f32 = 0.02;
/// The annual volatility.
pub const VOLATILITY: f32 = 0.3;

/// Prices of calls and puts, 16 for each thread: with the strike prices `strikes` after `years`, for stocks
/// that cost `prices` today.
#[kernel]
pub fn black_scholes(
    prices: &Buffer<f32>,
    strikes: &Buffer<f32>,
    years: &Buffer<f32>,
    calls: &mut Buffer<f32>,
    puts: &mut Buffer<f32>,
) {
    let at = (thread_origin_x() + thread_origin_y() * 1024) * 64;
    let (price, strike, time) = (prices.read::<16>(at), strikes.read::<16>(at), years.read::<16>(at));
    let deviation = math::sqrt(time) * VOLATILITY;
    // `math::log` and `math::exp` are to base 2.
    let growth = math::log(price * math::inv(strike)) * std::f32::consts::LN_2;
    let d1 = (growth + time * (INTEREST + VOLATILITY * VOLATILITY / 2.0)) * math::inv(deviation);
    let d2 = d1 - deviation;
    let discounted = strike * math::exp(time * (-INTEREST * std::f32::consts::LOG2_E));
    let (below1, below2) = (normal(d1), normal(d2));
    calls.write(at, &(price * below1 - discounted * below2));
    puts.write(at, &(discounted * (1.0f32 - below2) - price * (1.0f32 - below1)));
}

/// The cumulative normal distribution, by a polynomial of Abramowitz and Stegun (26.2.17), within 7.5e-8.
#[function]
fn normal(x: Vector<f32, 16>) -> Vector<f32, 16> {
    let away = math::abs::<f32, _>(x);
    let k = math::inv(away * 0.231_641_9f32 + 1.0f32);
    let mut sum: Vector<f32, 16> = k * 1.330_274_4f32 - 1.821_255_9f32;
    sum = sum * k + 1.781_477_9f32;
    sum = sum * k - 0.356_563_78f32;
    sum = sum * k + 0.319_381_54f32;
    let density = math::exp(x * x * (-0.5 * std::f32::consts::LOG2_E)) * 0.398_942_3f32;
    let tail = density * sum * k;
    let mut below: Vector<f32, 16> = 1.0f32 - tail;
    below.merge(tail, &(x < 0.0f32));
    below
}
