//! The forms of scattered writes.

/// Calls a macro with the scattered writes of buffers and shared memory.
///
/// The rows are those of `scattered_reads`, with a second documentation for shared memory.
macro_rules! scattered_writes {
    ($callback:ident) => {
        $callback! {
            "Scattered writes" StoreCaching StoreHints::Default;

            /// Writes the elements `base + offsets[k]`: a scatter. CM: `write(buffer, base, offsets, v)`.
            ///
            /// - The limits are those of [`read_scattered`](Self::read_scattered).
            /// - A single offset and its value may be numbers: `y.write_scattered(0, i, x)` writes element `i`.
            /// - Out-of-bounds writes are dropped. The offset `u32::MAX` without a base is outside every buffer, so
            ///   it skips an element.
            /// - If offsets are equal, the CPU keeps the last element. The hardware does not define which element
            ///   it keeps.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// Writes 8 elements in reverse order.
            /// #[kernel]
            /// fn reverse(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let offsets = Vector::from_array([7, 6, 5, 4, 3, 2, 1, 0]);
            ///     y.write_scattered(0, &offsets, &x.read::<8>(0));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[0, 1, 2, 3, 4, 5, 6, 7])?;
            /// let mut y = Buffer::<i32>::new(&device, 8)?;
            /// reverse::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [7, 6, 5, 4, 3, 2, 1, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the elements `base + offsets[k]`: a scatter. CM: `cm_slm_write`.
            ///
            /// The limits are those of [`LinearBuffer::write_scattered`]. The offset `u32::MAX` without a base
            /// skips an element.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let both = slm::<u32, 2>();
            ///     let first = Vector::<u32, 1>::splat(0);
            ///     both.write_scattered(local_id(0), &first, &Vector::<u32, 1>::splat(local_id(0) + 5));
            ///     barrier();
            ///     output.write_scattered(local_id(0), &first, &both.read_scattered(1 - local_id(0), &first));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 2)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [6, 5]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_scattered write_scattered_any [I: Int, V: Elem]
                (base: impl Offset<ElementBase, B>, offsets: impl PerLane<I, L, B>, values: impl PerLane<V, L, B>) -> ()
                where [T: SameElement<V>]
                |buffer, hints| buffer.scatter(hints, elements(base, offsets), values);

            /// Writes the elements `base + offsets[k]` where the mask is set, like
            /// [`write_scattered`](Self::write_scattered).
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// Writes the positive ones of 8 elements.
            /// #[kernel]
            /// fn positive(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let values = x.read::<8>(0);
            ///     let offsets = Vector::from_array([0, 1, 2, 3, 4, 5, 6, 7]);
            ///     y.write_scattered_masked(&(values > 0), 0, &offsets, &values);
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[1, -2, 3, -4, 5, -6, 7, -8])?;
            /// let mut y = Buffer::from_slice(&device, &[9; 8])?;
            /// positive::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [1, 9, 3, 9, 5, 9, 7, 9]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the elements `base + offsets[k]` where the mask is set. CM: `cm_slm_write`.
            ///
            /// The limits are those of [`LinearBuffer::write_scattered_masked`].
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 4>();
            ///     all.write(0, &Vector::<u32, 4>::splat(1));
            ///     let offsets = Vector::from_array([3, 2, 1, 0]);
            ///     all.write_scattered_masked(0b0011, 0, &offsets, &Vector::<u32, 4>::splat(5));
            ///     output.write(0, &all.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [1, 1, 5, 5]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_scattered_masked write_scattered_masked_any [I: Int, V: Elem]
                (
                    mask: impl Mask<1, L, B, Len<L>>,
                    base: impl Offset<ElementBase, B>,
                    offsets: impl PerLane<I, L, B>,
                    values: impl PerLane<V, L, B>
                ) -> ()
                where [T: SameElement<V>]
                |buffer, hints| buffer.scatter(hints, masked(mask, elements(base, offsets)), values);

            /// Writes the elements at the bytes `base + offsets[k]`. CM: `write_scaled(buffer, base, offsets, v)`.
            ///
            /// The limits and the rules for `base` and `offsets` are those of [`read_scaled`](Self::read_scaled);
            /// the other rules are those of [`write_scattered`](Self::write_scattered).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(y: &mut Buffer<u16>) {
            ///     let offsets = Vector::from_array([0, 4, 8, 12]);
            ///     y.write_scaled(2, &offsets, &Vector::<u16, 4>::splat(7));
            /// }
            ///
            /// let mut y = Buffer::<u16>::new(&Device::cpu()?, 6)?;
            /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [0, 7, 0, 7, 0, 7]); // the last one is dropped
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the elements at the bytes `base + offsets[k]`. CM: `cm_slm_write_scaled`.
            ///
            /// The limits are those of [`LinearBuffer::write_scaled`].
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 4>();
            ///     let offsets = Vector::from_array([12, 8, 4, 0]);
            ///     all.write_scaled(0, &offsets, &Vector::from_array([1u32, 2, 3, 4]));
            ///     output.write(0, &all.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [4, 3, 2, 1]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_scaled write_scaled_any [I: Int, V: Elem]
                (base: impl Offset<ByteBase, B>, offsets: impl PerLane<I, L, B>, values: impl PerLane<V, L, B>) -> ()
                where [T: SameElement<V>]
                |buffer, hints| buffer.scatter(hints, scaled::<T, I, L, B>(base, offsets), values);

            /// Writes the elements at the bytes `base + offsets[k]` where the mask is set, like
            /// [`write_scaled`](Self::write_scaled).
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(y: &mut Buffer<u16>) {
            ///     let offsets = Vector::from_array([0, 2, 4, 6]);
            ///     y.write_scaled_masked(0b0101, 0, &offsets, &Vector::<u16, 4>::splat(7));
            /// }
            ///
            /// let mut y = Buffer::<u16>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [7, 0, 7, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the elements at the bytes `base + offsets[k]` where the mask is set. CM:
            /// `cm_slm_write_scaled`.
            ///
            /// The limits are those of [`LinearBuffer::write_scaled_masked`].
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 4>();
            ///     all.write(0, &Vector::<u32, 4>::splat(1));
            ///     let offsets = Vector::from_array([0, 4, 8, 12]);
            ///     all.write_scaled_masked(0b0110, 0, &offsets, &Vector::<u32, 4>::splat(5));
            ///     output.write(0, &all.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [1, 5, 5, 1]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_scaled_masked write_scaled_masked_any [I: Int, V: Elem]
                (
                    mask: impl Mask<1, L, B, Len<L>>,
                    base: impl Offset<ByteBase, B>,
                    offsets: impl PerLane<I, L, B>,
                    values: impl PerLane<V, L, B>
                ) -> ()
                where [T: SameElement<V>]
                |buffer, hints| buffer.scatter(hints, masked(mask, scaled::<T, I, L, B>(base, offsets)), values);

            /// Writes the elements of the channels of a mask for each offset: row `c` goes to the elements
            /// `offsets[k]` plus the number of channel `c`. CM: `write_untyped(buffer, mask, m, offsets)`.
            ///
            /// The limits are those of [`read_untyped`](Self::read_untyped). Out-of-bounds writes are dropped.
            /// Channels are written one after the other.
            ///
            /// ```
            /// use cm::channels::CM_GR;
            /// use cm::prelude::*;
            ///
            /// /// Writes pairs.
            /// #[kernel]
            /// fn pairs(y: &mut Buffer<i32>) {
            ///     let pairs = Matrix::from_array([[1, 2, 3, 4], [10, 20, 30, 40]]);
            ///     y.write_untyped::<CM_GR, 2, 4>(&Vector::from_array([6, 4, 2, 0]), &pairs);
            /// }
            ///
            /// let mut y = Buffer::<i32>::new(&Device::cpu()?, 8)?;
            /// pairs::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [4, 40, 3, 30, 2, 20, 1, 10]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the elements of the channels of a mask for each offset. CM: `cm_slm_write4`.
            ///
            /// The limits are those of [`LinearBuffer::write_untyped`].
            ///
            /// ```
            /// use cm::channels::CM_AR;
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 8>();
            ///     all.write(0, &Vector::<u32, 8>::splat(9));
            ///     all.write_untyped::<CM_AR, 2, 2>(
            ///         &Vector::from_array([0, 4]),
            ///         &Matrix::from_array([[1u32, 2], [3, 4]]),
            ///     );
            ///     output.write(0, &all.read::<8>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [1, 9, 9, 3, 2, 9, 9, 4]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_untyped write_untyped_any [const MASK: usize, const R: usize]
                (offsets: &Vector<impl Int, L, B>, values: &Matrix<T, R, L, B>) -> ()
                where [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                |buffer, hints| buffer.scatter_channels(hints, MASK, elements(0, offsets), values);

            /// Writes the channels where the mask of lanes is set, like [`write_untyped`](Self::write_untyped).
            ///
            /// The mask of lanes is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::channels::CM_GR;
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(y: &mut Buffer<i32>) {
            ///     let pairs = Matrix::from_array([[1, 2], [10, 20]]);
            ///     y.write_untyped_masked::<CM_GR, 2, 2>(0b10, &Vector::from_array([0, 2]), &pairs);
            /// }
            ///
            /// let mut y = Buffer::<i32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [0, 0, 2, 20]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the channels where the mask of lanes is set. CM: `cm_slm_write4`.
            ///
            /// The limits are those of [`LinearBuffer::write_untyped_masked`].
            ///
            /// ```
            /// use cm::channels::CM_R;
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 4>();
            ///     all.write(0, &Vector::<u32, 4>::splat(9));
            ///     let offsets = Vector::from_array([0, 1, 2, 3]);
            ///     all.write_untyped_masked::<CM_R, 1, 4>(0b0101, &offsets, &Matrix::<u32, 1, 4>::splat(1));
            ///     output.write(0, &all.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [1, 9, 1, 9]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            write_untyped_masked write_untyped_masked_any [const MASK: usize, const R: usize]
                (
                    mask: impl Mask<1, L, B, Len<L>>,
                    offsets: &Vector<impl Int, L, B>,
                    values: &Matrix<T, R, L, B>
                ) -> ()
                where [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                |buffer, hints| buffer.scatter_channels(hints, MASK, masked(mask, elements(0, offsets)), values);

            /// Writes the vectors that begin with the elements `base + offsets[k]`: row `r` has element `r` of each. CM:
            /// `cm_store<T, VectorSize::N4>(buffer, offsets, v)`, `cm_ptr_store`.
            ///
            /// The limits and the rules for `base` and `offsets` are those of [`load_vectors`](Self::load_vectors).
            /// Out-of-bounds writes are dropped. If vectors overlap, the bytes hold the data of any of them, on each device of
            /// another one.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn pairs(y: &mut Buffer<i32>) {
            ///     let pairs = Matrix::from_array([[1, 2, 3, 4], [10, 20, 30, 40]]);
            ///     y.store_vectors(0, &Vector::from_array([6, 4, 2, 0]), &pairs);
            /// }
            ///
            /// let mut y = Buffer::<i32>::new(&Device::cpu()?, 8)?;
            /// pairs::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [4, 40, 3, 30, 2, 20, 1, 10]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the vectors that begin with the elements `base + offsets[k]`. CM: `cm_store_slm<T, VectorSize::N4>`.
            ///
            /// The limits are those of [`LinearBuffer::store_vectors`]. On a GPU, vectors that may be outside the array take
            /// a message for each row.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u64>) {
            ///     let all = slm::<u64, 4>();
            ///     all.store_vectors(0, &Vector::from_array([2, 0]), &Matrix::from_array([[1u64, 2], [3, 4]]));
            ///     output.write(0, &all.read::<4>(0));
            /// }
            ///
            /// let mut output = Buffer::<u64>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [2, 4, 1, 3]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            store_vectors store_vectors_any [I: Int, V: Elem, const R: usize]
                (base: impl Offset<ElementBase, B>, offsets: &Vector<I, L, B>, values: &Matrix<V, R, L, B>) -> ()
                where [T: SameElement<V> + VectorElem, Len<R>: VectorRows]
                |buffer, hints| buffer.scatter_vectors(hints, elements(base, offsets), values);

            /// Writes the vectors where the mask is set, like [`store_vectors`](Self::store_vectors). CM: the predicate of
            /// `cm_store`.
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(y: &mut Buffer<i32>) {
            ///     let pairs = Matrix::from_array([[1, 2], [10, 20]]);
            ///     y.store_vectors_masked(0b10, 0, &Vector::from_array([0, 2]), &pairs);
            /// }
            ///
            /// let mut y = Buffer::<i32>::new(&Device::cpu()?, 4)?;
            /// k::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut y)?;
            /// assert_eq!(y.to_vec()?, [0, 0, 2, 20]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            shared
            /// Writes the vectors where the mask is set. CM: the predicate of `cm_store_slm`.
            ///
            /// The limits are those of [`LinearBuffer::store_vectors_masked`].
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(output: &mut Buffer<u32>) {
            ///     let all = slm::<u32, 8>();
            ///     all.write(0, &Vector::<u32, 8>::splat(9));
            ///     let fours = Matrix::<u32, 4, 2>::splat(1);
            ///     all.store_vectors_masked(0b10, 0, &Vector::from_array([0, 4]), &fours);
            ///     output.write(0, &all.read::<8>(0));
            /// }
            ///
            /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
            /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
            /// assert_eq!(output.to_vec()?, [9, 9, 9, 9, 1, 1, 1, 1]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            store_vectors_masked store_vectors_masked_any [I: Int, V: Elem, const R: usize]
                (
                    mask: impl Mask<1, L, B, Len<L>>,
                    base: impl Offset<ElementBase, B>,
                    offsets: &Vector<I, L, B>,
                    values: &Matrix<V, R, L, B>
                ) -> ()
                where [T: SameElement<V> + VectorElem, Len<R>: VectorRows]
                |buffer, hints| buffer.scatter_vectors(hints, masked(mask, elements(base, offsets)), values);
        }
    };
}
pub(crate) use scattered_writes;
