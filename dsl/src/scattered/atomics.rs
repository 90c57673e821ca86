//! The forms of atomic operations.

/// Calls a macro with the atomic operations of buffers and shared memory.
///
/// The rows are those of `scattered_reads`, with a second documentation for shared memory.
macro_rules! atomic_operations {
    ($callback:ident) => {
        $callback! {
            "Atomic operations" AtomicCaching AtomicHints::Default;

            /// Updates the elements `offsets[k]` atomically. CM: `write_atomic<op>(buffer, offsets, sources)`.
            ///
            /// - There are 1, 2, 4, 8, 16 or 32 offsets; elements have 16, 32 or 64 bits. `cargo check` tests
            ///   both.
            /// - `offsets` count elements, like those of [`read_scattered`](Self::read_scattered). Elements outside
            ///   the buffer are skipped.
            /// - If offsets are equal, the element is updated once for each of them. On a GPU the order of threads
            ///   and elements is not defined, so sums of floats may differ in their last bits.
            ///
            /// The module [`atomic`](crate::atomic) has the operations.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// A histogram of 16 bytes per kernel thread.
            /// #[kernel]
            /// fn histogram(values: &Buffer<u8>, bins: &mut Buffer<u32>) {
            ///     bins.write_atomic(atomic::Inc, &values.read::<16>(thread_origin_x() * 16));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let values = Buffer::from_slice(&device, &[7u8; 32])?;
            /// let mut bins = Buffer::<u32>::new(&device, 256)?;
            /// histogram::launch(&device, ThreadSpace::new(2, 1)?, &values, &mut bins)?;
            /// assert_eq!(bins.to_vec()?[7], 32);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Updates the elements `offsets[k]` atomically. CM: `cm_slm_atomic`.
            ///
            /// The limits are those of [`LinearBuffer::write_atomic`], but on a GPU before Xe2 elements have 16 or 32 bits.
            /// The module [`atomic`](crate::atomic) has the operations.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let count = slm::<u32, 1>();
            ///     count.write_atomic(atomic::Inc, &Vector::<u32, 8>::splat(0));
            ///     barrier();
            ///     let first = Vector::<u32, 1>::splat(0);
            ///     output.write_scattered(local_id(0), &first, &count.read_scattered(0, &first));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 2)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [16, 16]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_atomic write_atomic_any [I: Int]
                (operation: impl Atomic<T, L, B>, offsets: impl PerLane<I, L, B>) -> ()
                where [T: AtomicElem] |buffer, hints| { let _ = buffer.update(hints, operation, elements(0, offsets)); };

            /// Updates the elements `offsets[k]` atomically where the mask is set, like
            /// [`write_atomic`](Self::write_atomic). CM: `write_atomic<op>(mask, buffer, offsets, sources)`.
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// Counts the bytes above 100.
            /// #[kernel]
            /// fn bright(values: &Buffer<u8>, count: &mut Buffer<u32>) {
            ///     let values = values.read::<16>(thread_origin_x() * 16);
            ///     count.write_atomic_masked(&(values > 100), atomic::Inc, &Vector::<u32, 16>::splat(0));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let values: Vec<u8> = (90..122).collect();
            /// let values = Buffer::from_slice(&device, &values)?;
            /// let mut count = Buffer::<u32>::new(&device, 1)?;
            /// bright::launch(&device, ThreadSpace::new(2, 1)?, &values, &mut count)?;
            /// assert_eq!(count.to_vec()?, [21]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Updates the elements `offsets[k]` atomically where the mask is set. CM: `cm_slm_atomic`.
            ///
            /// The limits are those of [`LinearBuffer::write_atomic_masked`].
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let count = slm::<u32, 4>();
            ///     count.write_atomic_masked(0b0111, atomic::Inc, &Vector::<u32, 4>::splat(0));
            ///     barrier();
            ///     output.write(0, &count.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [6, 0, 0, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_atomic_masked write_atomic_masked_any [I: Int]
                (mask: impl Mask<1, L, B, Len<L>>, operation: impl Atomic<T, L, B>, offsets: impl PerLane<I, L, B>) -> ()
                where [T: AtomicElem]
                |buffer, hints| { let _ = buffer.update(hints, operation, masked(mask, elements(0, offsets))); };

            /// Updates the elements like [`write_atomic`](Self::write_atomic) and returns their old values; 0
            /// outside the buffer. CM: the form with a result, `write_atomic<op>(buffer, offsets, sources, old)`.
            ///
            /// On a GPU the order of threads and elements is not defined. If several of them update one element, it
            /// is not defined which old value each of them receives.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// Gives each kernel thread a ticket.
            /// #[kernel]
            /// fn tickets(next: &mut Buffer<u32>, taken: &mut Buffer<u32>) {
            ///     let ticket = next.fetch_atomic(atomic::Inc, &Vector::<u32, 1>::splat(0));
            ///     taken.write_scattered(thread_origin_x(), &Vector::<u32, 1>::splat(0), &ticket);
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let mut next = Buffer::<u32>::new(&device, 1)?;
            /// let mut taken = Buffer::<u32>::new(&device, 4)?;
            /// tickets::launch(&device, ThreadSpace::new(4, 1)?, &mut next, &mut taken)?;
            /// let mut taken = taken.to_vec()?;
            /// taken.sort();
            /// assert_eq!(taken, [0, 1, 2, 3]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Updates the elements like [`write_atomic`](Self::write_atomic) and returns their old values; 0
            /// outside the array. CM: `cm_slm_atomic` with a result.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let next = slm::<u32, 1>();
            ///     let first = Vector::<u32, 1>::splat(0);
            ///     let ticket = next.fetch_atomic(atomic::Inc, &first);
            ///     output.write_scattered(0, &ticket, &Vector::<u32, 1>::splat(7));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 2)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [7, 7]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            fetch_atomic fetch_atomic_any [I: Int]
                (operation: impl Atomic<T, L, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: AtomicElem] |buffer, hints| buffer.update(hints, operation, elements(0, offsets));

            /// Updates the elements like [`write_atomic_masked`](Self::write_atomic_masked) and returns their old
            /// values; 0 outside the buffer and where the mask is not set. CM:
            /// `write_atomic<op>(mask, buffer, offsets, sources, old)`.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(cells: &mut Buffer<u32>, old: &mut Buffer<u32>) {
            ///     let offsets = Vector::from_array([0, 1, 2, 3]);
            ///     old.write(0, &cells.fetch_atomic_masked(0b0110, atomic::Dec, &offsets));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let mut cells = Buffer::from_slice(&device, &[5u32; 4])?;
            /// let mut old = Buffer::<u32>::new(&device, 4)?;
            /// k::launch(&device, ThreadSpace::new(1, 1)?, &mut cells, &mut old)?;
            /// assert_eq!(cells.to_vec()?, [5, 4, 4, 5]);
            /// assert_eq!(old.to_vec()?, [0, 5, 5, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Updates the elements like [`write_atomic_masked`](Self::write_atomic_masked) and returns their old
            /// values; 0 outside the array and where the mask is not set. CM: `cm_slm_atomic` with a result.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let cells = slm::<u32, 4>();
            ///     cells.write(0, &Vector::<u32, 4>::splat(5));
            ///     let offsets = Vector::from_array([0, 1, 2, 3]);
            ///     output.write(0, &cells.fetch_atomic_masked(0b1000, atomic::Inc, &offsets));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [0, 0, 0, 5]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            fetch_atomic_masked fetch_atomic_masked_any [I: Int]
                (mask: impl Mask<1, L, B, Len<L>>, operation: impl Atomic<T, L, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: AtomicElem]
                |buffer, hints| buffer.update(hints, operation, masked(mask, elements(0, offsets)));
        }
    };
}
pub(crate) use atomic_operations;
