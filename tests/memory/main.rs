//! Surfaces and buffers: reads and writes of kernels, edges, errors, and borrows for the duration of a
//! launch.

/// Checks that a call fails with this error, and that its message contains these words. Returns the message.
macro_rules! fails {
    ($call:expr, $pattern:pat, $($word:expr),+) => {{
        let error = $call.map(|_| ()).expect_err(stringify!($call));
        assert!(matches!(error, $pattern), "{}: {error:?}", stringify!($call));
        let message = error.to_string();
        $(assert!(message.contains($word), "{}: `{message}` does not say `{}`", stringify!($call), $word);)+
        message
    }};
}

mod arguments;
mod atomics;
mod borrows;
mod buffers;
mod samplers;
mod split;
mod structures;
mod surfaces;
mod typed;
mod typed_3d;
mod typed_atomics;
