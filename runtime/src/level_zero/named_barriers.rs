//! Whether the driver's compiler supports named barriers.
//!
//! Older compilers (IGC 1.0.12504) compile the instructions for GPUs that have named barriers, but leave
//! their number out of the binary, so that a launch hangs. They also crash on the signal of a single role.
//! Therefore a small kernel, which every compiler accepts, is compiled first, and its binary is read.

use cm_compiler::spirv::BARRIERS_OF_PROBE;

/// Whether the binary of [`barrier_probe`](cm_compiler::spirv::barrier_probe) states its named barriers.
pub(super) fn is_counted(binary: &[u8]) -> bool {
    const KEY: &[u8] = b"barrier_count:";
    // The description of kernels is text in a section of the binary.
    let Some(at) = binary.windows(KEY.len()).position(|part| part == KEY) else { return false };
    let text = binary[at + KEY.len()..].iter().skip_while(|byte| **byte == b' ');
    let digits: String =
        text.take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
    digits.parse().is_ok_and(|count: u32| count >= BARRIERS_OF_PROBE)
}

#[cfg(test)]
mod tests {
    use cm_compiler::spirv::{Target, barrier_probe, lower};
    use cm_compiler::verify::verify;

    use super::*;

    #[test]
    fn the_probe_is_a_kernel() {
        assert_eq!(verify(&barrier_probe()), Ok(()));
        for &target in Target::ALL {
            assert_eq!(lower(&barrier_probe(), target).is_ok(), target.has_named_barriers(), "{target}");
        }
    }

    #[test]
    fn binaries_state_their_barriers() {
        for (binary, counted) in [
            ("- name: k\n  execution_env:\n    barrier_count:   2\n    grf_count: 128\n", true),
            ("barrier_count:   8\n", true),
            ("barrier_count: 1\n", false),
            ("barrier_count:\n", false),
            ("barrier_count", false),
            ("grf_count: 128\n", false),
        ] {
            assert_eq!(is_counted(binary.as_bytes()), counted, "{binary}");
        }
    }
}
