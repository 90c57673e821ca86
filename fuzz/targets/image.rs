//! Bytes become a picture or an error. Headers are checked against the limits of the filter before memory is
//! allocated.
#![no_main]
#![allow(dead_code, reason = "the parts of the example that read files")]

#[path = "../../examples/linear/files.rs"]
mod files;
#[path = "../../examples/linear/filter.rs"]
mod filter;
#[path = "../../examples/linear/kernels.rs"]
mod kernels;
#[path = "../../examples/linear/options.rs"]
mod options;

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;

/// Larger pictures would only take longer.
const PIXELS: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let reader = image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().expect("no file is read");
    let claimed = reader.into_dimensions().map_or(0, |(width, height)| u64::from(width) * u64::from(height));
    let legal = filter::check_size;
    match files::decode(bytes, if claimed > PIXELS { usize::MAX } else { 0 }) {
        Ok(picture) => {
            let (width, height) = picture.rgb.dimensions();
            legal(width as usize, height as usize).expect("a size that the filter takes");
            assert!(picture.alpha.is_none_or(|alpha| alpha.dimensions() == (width, height)));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
