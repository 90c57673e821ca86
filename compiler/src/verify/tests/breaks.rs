//! Labelled blocks, and the breaks that leave them.

use super::{accepted, refused, refused_at};

#[test]
fn breaks_leave_a_block_around_them() {
    accepted(
        "%0: condition = known true
        labelled ^1 {
        labelled ^0 {
        if %0 {
        break ^1
        } else {
        break ^0
        }
        }
        loop {
        labelled ^3 {
        if %0 {
        break ^3
        }
        }
        } while %0 {
        break ^1
        }
        }
        %1: condition = not %0",
    );
    refused("break ^0", "`break ^0` is not inside of the block that `^0` labels");
    refused("labelled ^0 {\n}\nbreak ^0", "`break ^0` is not inside of the block that `^0` labels");
    refused_at(2, "labelled ^0 {\nlabelled ^0 {\n}\n}", "`^0` labels two blocks");
    refused_at(3, "labelled ^0 {\n}\nlabelled ^0 {\n}", "`^0` labels two blocks");
    refused_at(
        4,
        "labelled ^0 {
        %0: condition = known true
        labelled ^1 {
        %1: u8 = break ^0
        }
        }",
        "`break` has no result",
    );
}

#[test]
fn values_of_a_labelled_block_live_in_it() {
    refused(
        "labelled ^0 {
        %0: u8 = constant 1
        }
        %1: u8 = convert %0",
        "`%0` is used outside of the block that defines it",
    );
}

#[test]
fn every_instruction_is_reached() {
    let message = "the instruction is never reached: the one before it leaves the block";
    refused_at(3, "labelled ^0 {\nbreak ^0\n%0: u8 = constant 1\n}", message);
    refused_at(
        8,
        "labelled ^0 {
        %0: condition = known true
        if %0 {
        break ^0
        } else {
        break ^0
        }
        %1: u8 = constant 1
        }",
        message,
    );
    refused_at(
        5,
        "labelled ^0 {
        labelled ^1 {
        break ^0
        }
        %1: u8 = constant 1
        }",
        message,
    );
    refused_at(
        3,
        "%0: condition = known true
        labelled ^0 {
        loop {
        break ^0
        } while %0 {
        }
        }",
        "the condition of the loop is never reached: its first block is left",
    );
}
