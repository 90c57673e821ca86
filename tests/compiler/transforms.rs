//! The length of transposed, mirrored and rotated matrices in machine code.

use cm::spirv::lower;
use cm_test_kernels::transforms as kernels;
use cm_test_support::ocloc::{DEVICES, compile, is_counted};

use crate::kernels::recorded;

/// The instructions of a kernel for each device, without those of a kernel that only copies the block.
macro_rules! moves {
    ($kernel:ident, $copy:ident) => {
        DEVICES.map(|(device, target)| {
            let instructions = |kernel: &cm::ir::Function| {
                let module = lower(kernel, target).unwrap();
                compile(&module, &kernel.name, device)
                    .unwrap_or_else(|e| panic!("{}: {e}", kernel.name))
                    .instructions
            };
            instructions(&recorded::<kernels::$kernel>()) - instructions(&recorded::<kernels::$copy>())
        })
    };
}

/// CM's template library transposes 16 x 16 elements by 32 moves of 16 elements, and rotates them by 32 or 48.
#[test]
fn matrices_are_moved_in_regions() {
    if !is_counted() {
        return;
    }
    // skl, tgllp, dg2-g10, pvc
    assert_eq!(moves!(transposed_16, copied_16), [32; 4]);
    assert_eq!(moves!(reverse_transposed_16, copied_16), [48; 4]);
    assert_eq!(moves!(mirrored_vertically_16, copied_16), [16; 4]);
    assert_eq!(moves!(mirrored_horizontally_16, copied_16), [32, 32, 32, 24]);
    assert_eq!(moves!(rotated_by_90_16, copied_16), [48; 4]);
    assert_eq!(moves!(rotated_by_180_16, copied_16), [48, 48, 48, 40]);
    assert_eq!(moves!(rotated_by_270_16, copied_16), [32; 4]);
    assert_eq!(moves!(transposed_8, copied_8), [8, 8, 8, 17]);
    assert_eq!(moves!(transposed_words_16, copied_words_16), [64; 4]);
    assert_eq!(moves!(transposed_dwords_8, copied_dwords_8), [24, 24, 24, 12]);
    assert_eq!(moves!(mirrored_dwords_8, copied_dwords_8), [33, 33, 33, 25]);
}
