//! Channels of far pixels that are treated alike and computed at once.

use std::fmt::Write;

use cm::ir::Function;

use super::compared::{SURFACES, assert_same, kernel_of};

/// Elements of the block that is read.
const ELEMENTS: usize = 256;

/// What is done with each channel.
struct Treatment<'a> {
    /// The elements, and the lines that make `%2` of them of the bytes `%1`.
    elem: &'a str,
    made: &'a str,
    /// The lines of a channel, with its elements `%c1` and those of the next pixel `%c2`. `%3` are numbers that all channels share.
    lines: &'a str,
    /// The elements of the result `%c9`.
    result: &'a str,
}

/// The bytes of an element.
fn bytes(elem: &str) -> usize {
    elem[1..].parse::<usize>().expect("the bits of an element") / 8
}

/// A kernel that treats `channels` channels of pixels that are `step` elements apart.
fn kernel(of: &Treatment<'_>, channels: usize, step: usize) -> Function {
    let &Treatment { elem, made, lines, result } = of;
    let pixels = ELEMENTS / step;
    let all = pixels * channels;
    let mut text = format!(
        "%0: i32 = constant 0; %1: u8<4x64> = read #0 %0, %0; {made} %3: {elem}<1x{pixels}> = region %2[7| {step}, 1, 1];
         %10: {result}<1x{all}> = constant 77; "
    );
    for channel in 0..channels {
        let first = 20 + 10 * channel;
        let own = (1..10)
            .fold(lines.to_owned(), |own, n| own.replace(&format!("%c{n}"), &format!("%{}", first + n)));
        write!(
            text,
            "%{}: {elem}<1x{pixels}> = region %2[{channel}| {step}, 1, 1]; %{}: {elem}<1x{pixels}> = region %2[{}| {step}, 1, 1];
             {own} %{first}: {result}<1x{all}> = insert %{}[{channel}| {channels}, 1, 1], %{};",
            first + 1,
            first + 2,
            channel + 4,
            first - 10,
            first + 9
        )
        .unwrap();
    }
    let length = (all * bytes(result)).min(64);
    let rows = all * bytes(result) / length;
    write!(
        text,
        "%99: u8<{rows}x{length}> = format %{}; write #1 %0, %0, %99: u8<{rows}x{length}>;",
        10 + 10 * channels
    )
    .unwrap();
    kernel_of(SURFACES, &text.replace("PIXELS", &pixels.to_string()))
}

const TREATMENTS: [Treatment<'_>; 12] = [
    Treatment {
        elem: "u8",
        made: "%2: u8<4x64> = convert %1;",
        lines: "%c3: i32<1xPIXELS> = add.i32 %c1, %c2; %c4: i32<1xPIXELS> = constant 1; %c5: i32<1xPIXELS> = shr.i32 %c3, %c4;
            %c9: u8<1xPIXELS> = convert %c5;",
        result: "u8",
    },
    Treatment {
        elem: "i8",
        made: "%2: i8<4x64> = format %1;",
        lines: "%c3: i32<1xPIXELS> = mul.i32 %c1, %c2; %c4: i32<1xPIXELS> = sub.i32 %c3, %3; %c9: u8<1xPIXELS> = saturate %c4;",
        result: "u8",
    },
    Treatment {
        elem: "u8",
        made: "%2: u8<4x64> = convert %1;",
        lines: "%c3: u16<1xPIXELS> = lt.u8 %c1, %3; %c9: u8<1xPIXELS> = merge %c3, %c2, %3;",
        result: "u8",
    },
    Treatment {
        elem: "u8",
        made: "%2: u8<4x64> = convert %1;",
        lines: "%c3: i8<1xPIXELS> = format %c1; %c4: i16<1xPIXELS> = sub.i16 %c3, %c2; %c5: u16<1xPIXELS> = abs.i16 %c4;
            %c9: u8<1xPIXELS> = saturate %c5;",
        result: "u8",
    },
    Treatment {
        elem: "u16",
        made: "%5: u16<4x64> = convert %1; %2: u16<4x64> = mul.u16 %5, %5;",
        lines: "%c3: i32<1xPIXELS> = add.i32 %c1, %c2; %c4: i32<1xPIXELS> = constant 9; %c5: i32<1xPIXELS> = shr.i32 %c3, %c4;
            %c9: u8<1xPIXELS> = convert %c5;",
        result: "u8",
    },
    Treatment {
        elem: "i16",
        made: "%5: i8<4x64> = format %1; %6: i16<4x64> = constant 255; %2: i16<4x64> = mul.i16 %5, %6;",
        lines: "%c3: i16<1xPIXELS> = add_sat.i16 %c1, %c2; %c9: i16<1xPIXELS> = max.i16 %c3, %3;",
        result: "i16",
    },
    Treatment {
        elem: "i16",
        made: "%5: i8<4x64> = format %1; %6: i16<4x64> = constant 255; %2: i16<4x64> = mul.i16 %5, %6;",
        lines: "%c3: i32<1xPIXELS> = mul.i32 %c1, %3; %c9: i16<1xPIXELS> = saturate %c3;",
        result: "i16",
    },
    Treatment {
        elem: "u32",
        made: "%5: i8<4x64> = format %1; %6: u32<4x64> = constant 123456789; %2: u32<4x64> = mul.u32 %5, %6;",
        lines: "%c3: u32<1xPIXELS> = avg.u32 %c1, %c2; %c9: u32<1xPIXELS> = xor.u32 %c3, %3;",
        result: "u32",
    },
    Treatment {
        elem: "i32",
        made: "%5: i8<4x64> = format %1; %6: i32<4x64> = constant 9876543; %2: i32<4x64> = mul.i32 %5, %6;",
        lines: "%c3: i32<1xPIXELS> = sub_sat.i32 %c1, %c2; %c4: u16<1xPIXELS> = ge.i32 %c3, %3; %c9: u8<1xPIXELS> = convert %c4;",
        result: "u8",
    },
    // Zeros of both signs.
    Treatment {
        elem: "f16",
        made: "%5: i8<4x64> = format %1; %6: f16<4x64> = constant 0.0; %7: f16<4x64> = mul.f16 %5, %6; %8: i8<4x64> = constant 3;
            %9: u16<4x64> = lt.i8 %5, %8; %11: f16<4x64> = convert %5; %2: f16<4x64> = merge %9, %7, %11;",
        lines: "%c3: f16<1xPIXELS> = min.f16 %c1, %c2; %c9: f16<1xPIXELS> = max.f16 %3, %c3;",
        result: "f16",
    },
    Treatment {
        elem: "f32",
        made: "%5: i8<4x64> = format %1; %6: f32<4x64> = constant 0.37; %2: f32<4x64> = mul.f32 %5, %6;",
        lines: "%c3: f32<1xPIXELS> = mul.f32 %c1, %c2; %c4: f32<1xPIXELS> = sub.f32 %3, %c3; %c9: f32<1xPIXELS> = add.f32 %c4, %c1;",
        result: "f32",
    },
    Treatment {
        elem: "f32",
        made: "%5: i8<4x64> = format %1; %6: f32<4x64> = constant -0.0; %7: f32<4x64> = mul.f32 %5, %6; %8: i8<4x64> = constant 3;
            %9: u16<4x64> = lt.i8 %5, %8; %11: f32<4x64> = convert %5; %2: f32<4x64> = merge %9, %7, %11;",
        lines: "%c3: f32<1xPIXELS> = min.f32 %c1, %c2; %c4: u16<1xPIXELS> = lt.f32 %c3, %3; %c9: f32<1xPIXELS> = merge %c4, %c3, %3;",
        result: "f32",
    },
];

#[test]
fn channels_of_far_pixels() {
    let mut kernels = vec![];
    for of in &TREATMENTS {
        for (channels, step) in [(4, 8), (4, 16), (2, 8), (2, 16)] {
            // Blocks of 256 bytes are written.
            if ELEMENTS / step * channels * bytes(of.result) <= 256 {
                kernels.push(kernel(of, channels, step));
            }
        }
    }
    assert!(kernels.len() > 36, "{}", kernels.len());
    assert_same(&kernels);
}

/// The results replace some of the elements that they are made of.
#[test]
fn channels_that_replace_their_elements() {
    let mut kernels = vec![];
    for (elem, kind) in [("u8", "sub"), ("u8", "mul"), ("i16", "mul"), ("u32", "add"), ("f32", "mul")] {
        for (step, channels) in [(8, 4), (16, 4), (8, 2)] {
            let (pixels, rows) = (64 / step, bytes(elem));
            let mut text = format!(
                "%0: i32 = constant 0; %1: u8<1x64> = read #0 %0, %0; %11: {elem}<1x64> = convert %1;
                 %10: {elem}<1x64> = add.{elem} %11, %11;"
            );
            for channel in 0..channels {
                let first = 20 + 10 * channel;
                write!(
                    text,
                    "%{}: {elem}<1x{pixels}> = region %10[{}| {step}, 1, 1]; %{}: {elem}<1x{pixels}> = {kind}.{elem} %{}, %{};
                     %{first}: {elem}<1x64> = insert %{}[{}| {channels}, 1, 1], %{};",
                    first + 1,
                    channel + 1,
                    first + 2,
                    first + 1,
                    first + 1,
                    first - 10,
                    channel + 3,
                    first + 2
                )
                .unwrap();
            }
            write!(
                text,
                "%99: u8<{rows}x64> = format %{}; write #1 %0, %0, %99: u8<{rows}x64>;",
                10 + 10 * channels
            )
            .unwrap();
            kernels.push(kernel_of(SURFACES, &text));
        }
    }
    assert_same(&kernels);
}
