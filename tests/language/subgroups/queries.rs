//! Sizes, ids and the barrier.

use cm::dsl::cpu::Cpu;
use cm::prelude::*;
use cm::subgroups::*;

use super::executions::check;
use cm_test_kernels::subgroups as kernels;

#[test]
fn work_items_know_their_numbers() {
    macro_rules! sizes {
        ($($n:literal)*) => {$({
            let mut expected = vec![];
            for (_, x) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
                expected.extend(0..$n);
                expected.extend([$n * 101; $n]);
                expected.extend([110; $n]);
                expected.extend((0..$n).map(|id| x * $n + id));
                expected.extend([0u32; 3 * $n]);
            }
            check!(kernels::ids::<$n>, (2, 3), [], vec![0u32; 6 * 7 * $n], [], expected);
            assert_eq!(sub_group_size::<$n, Cpu>().value(), $n);
            assert_eq!(max_sub_group_size::<$n, Cpu>().value(), $n);
            assert_eq!(sub_group_local_id::<$n, Cpu>().to_array(), std::array::from_fn(|id| id as u32));
        })*};
    }
    sizes! { 8 16 32 }
    assert_eq!(num_sub_groups::<Cpu>().value(), 1);
    assert_eq!(enqueued_num_sub_groups::<Cpu>().value(), 1);
    assert_eq!(sub_group_id::<Cpu>().value(), 0);
}

#[test]
fn barriers_take_every_flag_and_scope() {
    let all = MemFence::LOCAL | MemFence::GLOBAL | MemFence::IMAGE;
    assert!(
        [MemFence::LOCAL, MemFence::GLOBAL, MemFence::IMAGE]
            .iter()
            .all(|one| all != *one && all == (all | *one))
    );
    sub_group_barrier(all);
    sub_group_barrier_scope(MemFence::IMAGE, MemoryScope::SubGroup);
    sub_group_barrier_scope(MemFence::GLOBAL, MemoryScope::WorkGroup);
}

/// Data that is written before a barrier is read after it, in buffers and surfaces.
#[kernel]
fn by_way_of_memory(surface: &mut Surface2D, buffer: &mut Buffer<u32>) {
    let id = sub_group_local_id::<16>();
    sub_group_block_write(surface, (0, 0), id * id);
    sub_group_barrier(MemFence::IMAGE);
    sub_group_block_write(buffer, 0, sub_group_block_read::<16>(surface, (4, 0)));
    sub_group_barrier_scope(MemFence::GLOBAL, MemoryScope::WorkGroup);
    sub_group_block_write(buffer, 0, sub_group_block_read::<16>(buffer, 4));
}

#[test]
fn accesses_are_in_order() {
    let device = Device::cpu().unwrap();
    let mut surface = Surface2D::new(&device, Format::R32, 16, 1).unwrap();
    let mut buffer = Buffer::from_slice(&device, &[7u32; 17]).unwrap();
    by_way_of_memory::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut surface, &mut buffer).unwrap();
    let mut expected: Vec<u32> = (2..16).map(|id| id * id).collect();
    expected.extend([225, 7, 7]);
    assert_eq!(buffer.to_vec().unwrap(), expected);
}
