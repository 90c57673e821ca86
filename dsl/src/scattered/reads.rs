//! The forms of scattered reads.

/// Calls a macro with the scattered reads of buffers and shared memory.
///
/// The table has the trait of its cache hints, and those of methods without hints. A row has the documentation, the method
/// and its form without bounds, its generic arguments in addition to the number of lanes, its arguments, its result, its
/// bounds, and what it does with the buffer and the hints.
macro_rules! scattered_reads {
    ($callback:ident) => {
        $callback! {
            "Scattered reads" LoadCaching LoadHints::Default;

            /// Reads the elements `base + offsets[k]`: a gather. CM: `read(buffer, base, offsets, v)`.
            ///
            /// - There are 1, 2, 4, 8, 16 or 32 offsets; `cargo check` enforces this. Elements of 8 bytes are two
            ///   messages before Xe-HPG.
            /// - `base` and `offsets` count elements. They are unsigned 32-bit numbers. The resulting byte address
            ///   wraps in 32 bits.
            /// - Elements outside the buffer read as 0.
            /// - A single offset may be a number: `table.read_scattered(0, i).get(0)` is element `i`.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// Looks 16 bytes up in a table.
            /// #[kernel]
            /// fn look_up(table: &Buffer<u16>, x: &Buffer<u8>, y: &mut Buffer<u16>) {
            ///     let i = thread_origin_x() * 16;
            ///     y.write(i * 2, &table.read_scattered(0, &x.read::<16>(i)));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let squares: Vec<u16> = (0..256).map(|x| x as u16 * x as u16).collect();
            /// let table = Buffer::from_slice(&device, &squares)?;
            /// let x = Buffer::from_slice(&device, &[9u8; 16])?;
            /// let mut y = Buffer::new(&device, 16)?;
            /// look_up::launch(&device, ThreadSpace::new(1, 1)?, &table, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [81u16; 16]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_scattered read_scattered_any [I: Int]
                (base: impl Offset<ElementBase, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: Elem] |buffer, hints| buffer.gather(hints, elements(base, offsets));

            /// Reads the elements `base + offsets[k]` where the mask is set, like
            /// [`read_scattered`](Self::read_scattered), and 0 elsewhere. CM leaves these lanes undefined.
            ///
            /// The mask is a register of integers with as many elements, of which the lowest bits count, or an
            /// integer with one bit per element.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let offsets = Vector::from_array([3, 2, 1, 0]);
            ///     y.write(0, &x.read_scattered_masked(&(offsets > 1), 0, &offsets));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[5, 6, 7, 8])?;
            /// let mut y = Buffer::<i32>::new(&device, 4)?;
            /// k::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [8, 7, 0, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_scattered_masked read_scattered_masked_any [I: Int]
                (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ElementBase, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: Elem] |buffer, hints| buffer.gather(hints, masked(mask, elements(base, offsets)));

            /// Reads the elements at the bytes `base + offsets[k]`. CM: `read_scaled(buffer, base, offsets, v)`.
            ///
            /// - The limits are those of [`read_scattered`](Self::read_scattered).
            /// - `base` and `offsets` count bytes. They are unsigned 32-bit numbers, and their sum wraps in 32
            ///   bits. The sum is rounded down to a multiple of the element size.
            /// - Elements outside the buffer read as 0.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// The second field of records of 12 bytes.
            /// #[kernel]
            /// fn second(records: &Buffer<u32>, y: &mut Buffer<u32>) {
            ///     let offsets = Vector::from_array([0, 12, 24, 36]);
            ///     y.write(0, &records.read_scaled(4, &offsets));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let records = Buffer::from_slice(&device, &[1, 10, 0, 2, 20, 0, 3, 30, 0, 4, 40, 0])?;
            /// let mut y = Buffer::<u32>::new(&device, 4)?;
            /// second::launch(&device, ThreadSpace::new(1, 1)?, &records, &mut y)?;
            /// assert_eq!(y.to_vec()?, [10, 20, 30, 40]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_scaled read_scaled_any [I: Int]
                (base: impl Offset<ByteBase, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: Elem] |buffer, hints| buffer.gather(hints, scaled::<T, I, L, B>(base, offsets));

            /// Reads the elements at the bytes `base + offsets[k]` where the mask is set, like
            /// [`read_scaled`](Self::read_scaled), and 0 elsewhere.
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
            ///     let offsets = Vector::from_array([0, 2, 4, 6, 8, 10, 12, 14]);
            ///     y.write(0, &x.read_scaled_masked(0b1001, 0, &offsets));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[5u16; 8])?;
            /// let mut y = Buffer::<u16>::new(&device, 8)?;
            /// k::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [5, 0, 0, 5, 0, 0, 0, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_scaled_masked read_scaled_masked_any [I: Int]
                (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ByteBase, B>, offsets: impl PerLane<I, L, B>) -> Vector<T, L, B>
                where [T: Elem]
                |buffer, hints| buffer.gather(hints, masked(mask, scaled::<T, I, L, B>(base, offsets)));

            /// Reads the elements of the channels of a mask for each offset: row `c` has the elements `offsets[k]`
            /// plus the number of channel `c`. CM: `read_untyped(buffer, mask, m, offsets)`.
            ///
            /// - The first constant is the mask, `CM_R` to `CM_ABGR` of [`channels`](../../cm/channels/index.html).
            ///   The second one is the number of rows: as many as the mask has channels. Red is channel 0, green 1,
            ///   blue 2 and alpha 3.
            /// - The third constant is the number of offsets: 1, 2, 4, 8, 16 or 32. Elements have 4 bytes. `cargo
            ///   check` tests all of these.
            /// - `offsets` count elements, like those of [`read_scattered`](Self::read_scattered). Elements outside
            ///   the buffer read as 0.
            ///
            /// ```
            /// use cm::channels::CM_BR;
            /// use cm::prelude::*;
            ///
            /// /// The sums of the first and the third of every four numbers.
            /// #[kernel]
            /// fn sums(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let both = x.read_untyped::<CM_BR, 2, 4>(&Vector::from_array([0, 4, 8, 12]));
            ///     y.write(0, &(both.row(0) + both.row(1)));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])?;
            /// let mut y = Buffer::<i32>::new(&device, 4)?;
            /// sums::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [4, 12, 20, 13]); // element 14 is outside
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_untyped read_untyped_any [const MASK: usize, const R: usize]
                (offsets: &Vector<impl Int, L, B>) -> Matrix<T, R, L, B>
                where [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                |buffer, hints| buffer.gather_channels(hints, MASK, elements(0, offsets));

            /// Reads the channels where the mask of lanes is set, like [`read_untyped`](Self::read_untyped), and 0
            /// elsewhere.
            ///
            /// The mask of lanes is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::channels::CM_G;
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let offsets = Vector::from_array([0, 1, 2, 3]);
            ///     y.write(0, &x.read_untyped_masked::<CM_G, 1, 4>(0b0111, &offsets));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[1, 2, 3, 4, 5])?;
            /// let mut y = Buffer::<i32>::new(&device, 4)?;
            /// k::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [2, 3, 4, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            read_untyped_masked read_untyped_masked_any [const MASK: usize, const R: usize]
                (mask: impl Mask<1, L, B, Len<L>>, offsets: &Vector<impl Int, L, B>) -> Matrix<T, R, L, B>
                where [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                |buffer, hints| buffer.gather_channels(hints, MASK, masked(mask, elements(0, offsets)));

            /// Reads the vectors that begin with the elements `base + offsets[k]`: row `r` has element `r` of each. CM:
            /// `cm_load<T, VectorSize::N4>(buffer, offsets)`, `cm_load_slm`, `cm_ptr_load`.
            ///
            /// - The first constant is the number of elements of a vector, CM's `VectorSize`: 2, 3, 4 or 8. Elements have 4
            ///   or 8 bytes. The second constant is the number of offsets: 1, 2, 4, 8, 16 or 32. `cargo check` tests all
            ///   of these.
            /// - `base` and `offsets` count elements, like those of [`read_scattered`](Self::read_scattered); a vector may
            ///   begin at any element. CM's offsets count bytes. Elements beyond the end of the buffer read as 0. A vector that
            ///   begins before the buffer, at a negative number, reads as 0 as a whole.
            /// - From Xe-HPG on, a message reads up to 4 elements of 16 vectors, unless the kernel writes the buffer and
            ///   also reads, writes or updates it by other scattered messages. Elsewhere each row is a message.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// /// The lengths of vectors.
            /// #[kernel]
            /// fn lengths(points: &Buffer<f32>, y: &mut Buffer<f32>) {
            ///     let points = points.load_vectors::<3, 4>(0, &Vector::from_array([0, 3, 6, 9]));
            ///     let squares = points * points;
            ///     y.write(0, &math::sqrt(squares.row(0) + squares.row(1) + squares.row(2)));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let points = Buffer::from_slice(&device, &[3.0f32, 4.0, 0.0, 0.0, 5.0, 0.0, 2.0, 3.0, 6.0, 1.0, 0.0, 0.0])?;
            /// let mut y = Buffer::<f32>::new(&device, 4)?;
            /// lengths::launch(&device, ThreadSpace::new(1, 1)?, &points, &mut y)?;
            /// assert_eq!(y.to_vec()?, [5.0, 5.0, 7.0, 1.0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            load_vectors load_vectors_any [const R: usize]
                (base: impl Offset<ElementBase, B>, offsets: &Vector<impl Int, L, B>) -> Matrix<T, R, L, B>
                where [T: VectorElem, Len<R>: VectorRows]
                |buffer, hints| buffer.gather_vectors(hints, elements(base, offsets));

            /// Reads the vectors where the mask is set, like [`load_vectors`](Self::load_vectors), and 0 elsewhere. CM: the
            /// predicate of `cm_load`.
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn k(x: &Buffer<i32>, y: &mut Buffer<i32>) {
            ///     let pairs = x.load_vectors_masked::<2, 4>(0b0111, 0, &Vector::from_array([6, 4, 2, 0]));
            ///     y.write(0, &pairs);
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let x = Buffer::from_slice(&device, &[1, 2, 3, 4, 5, 6, 7, 8])?;
            /// let mut y = Buffer::<i32>::new(&device, 8)?;
            /// k::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [7, 5, 3, 0, 8, 6, 4, 0]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            load_vectors_masked load_vectors_masked_any [const R: usize]
                (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ElementBase, B>, offsets: &Vector<impl Int, L, B>) -> Matrix<T, R, L, B>
                where [T: VectorElem, Len<R>: VectorRows]
                |buffer, hints| buffer.gather_vectors(hints, masked(mask, elements(base, offsets)));
        }
    };
}
pub(crate) use scattered_reads;

/// Calls a macro with the scattered prefetches of buffers, like `scattered_reads`.
macro_rules! scattered_prefetches {
    ($callback:ident) => {
        $callback! {
            "Scattered prefetches" PrefetchCaching PrefetchHints::CachedCached;

            /// Loads the elements `base + offsets[k]` into both caches. CM: `cm_prefetch(buffer, offsets)`,
            /// `cm_ptr_prefetch`.
            ///
            /// The limits and the rules for `base` and `offsets` are those of
            /// [`read_scattered`](Self::read_scattered). A prefetch changes only the speed of a kernel. Elements may be
            /// outside the buffer. GPUs before Xe-HPG and the CPU ignore it.
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn look_up(table: &Buffer<u32>, x: &Buffer<u8>, y: &mut Buffer<u32>) {
            ///     let i = x.read::<16>(thread_origin_x() * 16);
            ///     table.prefetch_scattered(0, &i);
            ///     y.write(thread_origin_x() * 64, &table.read_scattered(0, &i));
            /// }
            ///
            /// let device = Device::cpu()?;
            /// let table = Buffer::from_slice(&device, &[5u32; 256])?;
            /// let x = Buffer::from_slice(&device, &[9u8; 16])?;
            /// let mut y = Buffer::new(&device, 16)?;
            /// look_up::launch(&device, ThreadSpace::new(1, 1)?, &table, &x, &mut y)?;
            /// assert_eq!(y.to_vec()?, [5u32; 16]);
            /// # Ok::<(), cm::Error>(())
            /// ```
            prefetch_scattered prefetch_scattered_any [I: Int]
                (base: impl Offset<ElementBase, B>, offsets: impl PerLane<I, L, B>) -> ()
                where [T: Elem] |buffer, hints| buffer.prefetch_elements(hints, elements(base, offsets));

            /// Loads the elements `base + offsets[k]` where the mask is set into the caches, like
            /// [`prefetch_scattered`](Self::prefetch_scattered).
            ///
            /// The mask is that of [`read_scattered_masked`](Self::read_scattered_masked).
            ///
            /// ```
            /// use cm::prelude::*;
            ///
            /// #[kernel]
            /// fn warm(x: &Buffer<u32>) {
            ///     x.prefetch_scattered_masked(0b0101, thread_origin_x(), &Vector::from_array([0, 64, 128, 192]));
            /// }
            ///
            /// let x = Buffer::<u32>::new(&Device::cpu()?, 256)?;
            /// warm::launch(&Device::cpu()?, ThreadSpace::new(4, 1)?, &x)?;
            /// # Ok::<(), cm::Error>(())
            /// ```
            prefetch_scattered_masked prefetch_scattered_masked_any [I: Int]
                (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ElementBase, B>, offsets: impl PerLane<I, L, B>) -> ()
                where [T: Elem]
                |buffer, hints| buffer.prefetch_elements(hints, masked(mask, elements(base, offsets)));
        }
    };
}
pub(crate) use scattered_prefetches;
