//! The built-ins of OpenCL's cl_intel_subgroups: a sub-group of N work items is one kernel thread with
//! vectors of N lanes.
//!
//! | In OpenCL | In cm |
//! |---|---|
//! | a value per work item | [`Vector<T, N>`](crate::registers::Vector) |
//! | a vector per work item | [`Matrix<T, K, N>`](crate::registers::Matrix); row `k` is component `k` |
//! | a value that is the same for all | [`Scalar<T>`](crate::registers::Scalar) or a condition |

mod block;
mod exchange;
mod queries;
mod reduce;
mod shuffle;

pub use crate::limits::{Len, SubGroup};
pub use block::{
    BlockRead, BlockWrite, sub_group_block_read, sub_group_block_read2, sub_group_block_read4,
    sub_group_block_read8, sub_group_block_write, sub_group_block_write2, sub_group_block_write4,
    sub_group_block_write8,
};
pub use exchange::{Partner, SubGroupData};
pub use queries::{
    MemFence, MemoryScope, enqueued_num_sub_groups, max_sub_group_size, num_sub_groups, sub_group_barrier,
    sub_group_barrier_scope, sub_group_id, sub_group_local_id, sub_group_size,
};
pub use reduce::{
    sub_group_all, sub_group_any, sub_group_broadcast, sub_group_reduce_add, sub_group_reduce_max,
    sub_group_reduce_min, sub_group_scan_exclusive_add, sub_group_scan_exclusive_max,
    sub_group_scan_exclusive_min, sub_group_scan_inclusive_add, sub_group_scan_inclusive_max,
    sub_group_scan_inclusive_min,
};
pub use shuffle::{
    LaneNumber, WorkItems, sub_group_shuffle, sub_group_shuffle_down, sub_group_shuffle_up,
    sub_group_shuffle_xor,
};
