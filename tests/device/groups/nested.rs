//! Launches by the host code of kernels whose threads wait for each other.

use cm::prelude::*;
use cm::{CpuEngine, DependencyPattern};

use super::faults::counted;

#[kernel]
fn launched_inside(output: &mut Buffer<u32>) {
    let shared = slm::<u32, 64>();
    let own = Vector::<u32, 1>::splat(0);
    shared.write_scattered(local_id(0), &own, &(own + 1));
    barrier();
    inner();
    barrier();
    output.write_scattered(linear_global_id(), &own, &shared.read_scattered(63 - local_id(0), &own));
}

/// A launch of a kernel with barriers, by the host code of another one.
fn inner() {
    let cpu = Device::cpu_with_threads(1).expect("a worker");
    let mut output = Buffer::<u32>::new(&cpu, 32).expect("a buffer");
    let space = ThreadGroups::new([2, 1, 1], [16, 1, 1]).expect("groups");
    counted::launch(&cpu, space, &mut output, 1).expect("it counts");
    assert_eq!(output.to_vec().expect("elements"), [16; 32]);
}

#[test]
fn groups_run_inside_of_groups() -> cm::Result<()> {
    let cpu = Device::cpu()?;
    let mut output = Buffer::<u32>::new(&cpu, 64)?;
    launched_inside::launch(&cpu, ThreadGroups::new([1, 1, 1], [64, 1, 1])?, &mut output)?;
    assert_eq!(output.to_vec()?, [1; 64]);
    Ok(())
}

#[kernel]
fn one_thread(output: &mut Buffer<u32>) {
    wait();
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(5));
    signal();
}

/// A launch of a kernel for thread spaces, whose threads wait for nobody.
fn inner_space() {
    let cpu = Device::cpu_with_threads(1).expect("a worker").with_cpu_engine(CpuEngine::Native);
    for space in [
        ThreadSpace::new(3, 1),
        ThreadSpace::new(3, 1).map(|space| space.with_dependencies(DependencyPattern::VERTICAL_WAVE)),
    ] {
        let mut output = Buffer::<u32>::new(&cpu, 12).expect("a buffer");
        one_thread::launch(&cpu, space.expect("a space"), &mut output).expect("no other threads");
        assert_eq!(output.to_vec().expect("elements"), [5; 12]);
    }
}

#[kernel]
fn launches_a_space(output: &mut Buffer<u32>) {
    inner_space();
    barrier();
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(2));
}

/// Such a launch does not meet at the barriers of the group whose host code it is in.
#[test]
fn thread_spaces_run_inside_of_groups() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(1)?.with_cpu_engine(CpuEngine::Native);
    let mut output = Buffer::<u32>::new(&cpu, 16)?;
    launches_a_space::launch(&cpu, ThreadGroups::new([2, 1, 1], [2, 1, 1])?, &mut output)?;
    assert_eq!(output.to_vec()?, [2; 16]);
    Ok(())
}

/// A kernel with more registers than the stack of a thread that waits for others has room for.
#[kernel]
fn large(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let mut sum = Vector::<u32, 4>::splat(0);
    let all: [Matrix<u32, 8, 64>; 14] =
        std::array::from_fn(|n| Matrix::splat(input.read::<4>(0).get(0) + n as u32));
    for some in &all {
        sum += some.row(7).select::<4, 1>(60);
    }
    output.write(linear_global_id() * 16, &sum);
}

fn inner_large() {
    let cpu = Device::cpu_with_threads(2).expect("workers").with_cpu_engine(CpuEngine::Native);
    let input = Buffer::from_slice(&cpu, &[1_u32]).expect("a buffer");
    let mut output = Buffer::<u32>::new(&cpu, 32).expect("a buffer");
    large::launch(&cpu, ThreadSpace::new(8, 1).expect("a space"), &input, &mut output).expect("it adds");
    assert_eq!(output.to_vec().expect("elements"), [14 + 91; 32]);
}

#[kernel]
fn launches_a_large_one(output: &mut Buffer<u32>) {
    barrier();
    inner_large();
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(2));
}

/// Such a launch has a stack of its own.
#[test]
fn large_kernels_run_inside_of_groups() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?.with_cpu_engine(CpuEngine::Native);
    let mut output = Buffer::<u32>::new(&cpu, 64)?;
    launches_a_large_one::launch(&cpu, ThreadGroups::new([4, 1, 1], [4, 1, 1])?, &mut output)?;
    assert_eq!(output.to_vec()?, [2; 64]);
    Ok(())
}
