//! Kernels with named barriers.

use cm::prelude::*;

/// Thread 0 of a group fills slots, and each of the others empties all of them: `steps` blocks of 4 numbers
/// go through 2 slots. Barriers 0 and 1 say that a slot is full, barriers 2 and 3 that it is empty again.
#[kernel]
pub fn pipeline(input: &Buffer<u32>, output: &mut Buffer<u32>, steps: u32) {
    let slots = slm::<u32, 8>();
    let barriers = named_barriers::<4>();
    let (thread, consumers) = (linear_local_id(), linear_local_size() - 1);
    for step in 0..steps {
        let slot = step % 2;
        if thread == 0 {
            if step >= 2 {
                barriers.signal(slot + 2, BarrierRole::Consumer, consumers, 1);
                barriers.wait(slot + 2);
            }
            let block = input.read::<4>((linear_group_id() * steps + step) * 16);
            slots.write(slot * 16, &(block * 3));
            barriers.signal(slot, BarrierRole::Producer, 1, consumers);
        } else {
            barriers.signal(slot, BarrierRole::Consumer, 1, consumers);
            barriers.wait(slot);
            let block = slots.read::<4>(slot * 16);
            if step + 2 < steps {
                barriers.signal(slot + 2, BarrierRole::Producer, consumers, 1);
            }
            output
                .write(((linear_group_id() * consumers + thread - 1) * steps + step) * 16, &(block + thread));
        }
    }
}

/// Pairs of threads exchange numbers `rounds` times, each pair at its own barrier and as often as its number says.
#[kernel]
pub fn pairs(output: &mut Buffer<u32>, rounds: u32) {
    let cells = slm::<u32, 16>();
    let barriers = named_barriers::<8>();
    let own = linear_local_id();
    let first = Vector::<u32, 1>::splat(0);
    let mut number: Vector<u32, 1> = first + own;
    for _round in 0..rounds + own / 2 {
        cells.write_scattered(own, &first, &number);
        barriers.signal(own / 2, BarrierRole::ProducerConsumer, 2, 2);
        barriers.wait(own / 2);
        number = cells.read_scattered(own ^ 1, &first) * 2 + 1;
        // The cells are free.
        barriers.signal(own / 2, BarrierRole::ProducerConsumer, 2, 2);
        barriers.wait(own / 2);
    }
    output.write_scattered(linear_global_id(), &first, &number);
}

/// Named barriers beside the barrier of all threads: the halves of a group add their numbers separately, and
/// then see both sums. Two threads of each half are producers, and the others consume.
#[kernel]
pub fn halves(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let sums = slm::<u32, 4>();
    let barriers = named_barriers::<2>();
    let (own, half) = (linear_local_id(), linear_local_size() / 2);
    let first = Vector::<u32, 1>::splat(0);
    if own < 2 {
        sums.write_scattered(own * 2, &Vector::from_array([0u32, 1]), &Vector::<u32, 2>::splat(0));
    }
    barrier();
    let which = own / half;
    let number: Vector<u32, 1> = input.read_scattered(linear_global_id(), &first).convert();
    if own % half < 2 {
        sums.write_atomic(atomic::Add(&number), &(first + which));
        barriers.signal(which, BarrierRole::Producer, 2, half - 2);
    } else {
        barriers.signal(which, BarrierRole::Consumer, 2, half - 2);
        barriers.wait(which);
        output.write_scattered(linear_global_id(), &first, &(sums.read_scattered(which, &first) + number));
    }
    barrier();
    if own % half < 2 {
        output.write_scattered(
            linear_global_id(),
            &first,
            &(sums.read_scattered(0, &first) - sums.read_scattered(1, &first)),
        );
    }
}
