//! Scattered accesses and atomic operations: the table of their forms, and the elements that they access.

use cm_macros::op;

use crate::address::{ByteBase, ElementBase};
use crate::backend::{Backend, merge};
use crate::elem::{Elem, Int};
use crate::limits::Len;
use crate::operators::Mask;
use crate::registers::{Offset, Scalar, Vector};

/// `base + offsets`, in elements.
#[op]
pub(crate) fn elements<I: Int, const L: usize, B: Backend>(
    base: impl Offset<ElementBase, B>,
    offsets: &Vector<I, L, B>,
) -> Vector<u32, L, B> {
    sums(base.value(), offsets)
}

/// The elements `T` at the bytes `base + offsets`, rounded down to whole elements.
#[op]
pub(crate) fn scaled<T: Elem, I: Int, const L: usize, B: Backend>(
    base: impl Offset<ByteBase, B>,
    offsets: &Vector<I, L, B>,
) -> Vector<u32, L, B> {
    let bytes = sums(base.value(), offsets);
    match T::TYPE.bytes() {
        1 => bytes,
        size => bytes >> size.trailing_zeros(),
    }
}

#[op]
fn sums<I: Int, const L: usize, B: Backend>(
    base: Option<Scalar<u32, B>>,
    offsets: &Vector<I, L, B>,
) -> Vector<u32, L, B> {
    let offsets = offsets.convert::<u32>();
    match base {
        None => offsets,
        // Wraps in 32 bits, like the addresses of the hardware.
        Some(base) => offsets + base,
    }
}

/// The number of an element that is outside every buffer, like the elements of its channels.
const OUTSIDE: u32 = u32::MAX - 3;

/// The element numbers where the mask is set; elsewhere a number outside every buffer.
#[op]
pub(crate) fn masked<M: Mask<1, L, B, Len<L>>, const L: usize, B: Backend>(
    mask: M,
    elements: Vector<u32, L, B>,
) -> Vector<u32, L, B> {
    let outside = B::constant([[OUTSIDE; L]]);
    Vector::from_reg(merge::<B, M::Elem, u32, 1, L>(mask.into_mask(), elements.into_reg(), outside))
}

/// Calls a macro with the scattered accesses of buffers and shared memory: those that read, and those that write.
///
/// A row has the documentation, the method and its form without bounds, its generic arguments in addition to the
/// number of lanes, its arguments, its result, its bounds, and what it does with the buffer. Methods that write have a
/// second documentation and second bounds, for shared memory.
macro_rules! scattered_forms {
    ($callback:ident) => {
        $callback! {
            reads {
                /// Reads the elements `base + offsets[k]`: a gather. CM: `read(buffer, base, offsets, v)`.
                ///
                /// - There are 1, 2, 4, 8, 16 or 32 offsets; elements have 1, 2 or 4 bytes. `cargo check` enforces
                ///   both.
                /// - `base` and `offsets` count elements. They are unsigned 32-bit numbers. The resulting byte address
                ///   wraps in 32 bits.
                /// - Elements outside the buffer read as 0.
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
                    (base: impl Offset<ElementBase, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: ScatteredElem] |buffer| buffer.gather(elements(base, offsets));

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
                    (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ElementBase, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: ScatteredElem] |buffer| buffer.gather(masked(mask, elements(base, offsets)));

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
                    (base: impl Offset<ByteBase, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: ScatteredElem] |buffer| buffer.gather(scaled::<T, I, L, B>(base, offsets));

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
                    (mask: impl Mask<1, L, B, Len<L>>, base: impl Offset<ByteBase, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: ScatteredElem]
                    |buffer| buffer.gather(masked(mask, scaled::<T, I, L, B>(base, offsets)));

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
                    |buffer| buffer.gather_channels(MASK, elements(0, offsets));

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
                    |buffer| buffer.gather_channels(MASK, masked(mask, elements(0, offsets)));
            }
            writes {
                /// Writes the elements `base + offsets[k]`: a scatter. CM: `write(buffer, base, offsets, v)`.
                ///
                /// - The limits are those of [`read_scattered`](Self::read_scattered).
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
                    (base: impl Offset<ElementBase, B>, offsets: &Vector<I, L, B>, values: &Vector<V, L, B>) -> ()
                    where [T: ScatteredElem + SameElement<V>] [T: ScatteredElem + SameElement<V>]
                    |buffer| buffer.scatter(elements(base, offsets), values);

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
                        offsets: &Vector<I, L, B>,
                        values: &Vector<V, L, B>
                    ) -> ()
                    where [T: ScatteredElem + SameElement<V>] [T: ScatteredElem + SameElement<V>]
                    |buffer| buffer.scatter(masked(mask, elements(base, offsets)), values);

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
                    (base: impl Offset<ByteBase, B>, offsets: &Vector<I, L, B>, values: &Vector<V, L, B>) -> ()
                    where [T: ScatteredElem + SameElement<V>] [T: ScatteredElem + SameElement<V>]
                    |buffer| buffer.scatter(scaled::<T, I, L, B>(base, offsets), values);

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
                        offsets: &Vector<I, L, B>,
                        values: &Vector<V, L, B>
                    ) -> ()
                    where [T: ScatteredElem + SameElement<V>] [T: ScatteredElem + SameElement<V>]
                    |buffer| buffer.scatter(masked(mask, scaled::<T, I, L, B>(base, offsets)), values);

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
                /// The limits are those of [`LinearBuffer::write_atomic`], but elements have 16 or 32 bits. The module
                /// [`atomic`](crate::atomic) has the operations.
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
                    (operation: impl Atomic<T, L, B>, offsets: &Vector<I, L, B>) -> ()
                    where [T: AtomicElem] [T: SharedAtomicElem] |buffer| { let _ = buffer.update(operation, elements(0, offsets)); };

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
                    (mask: impl Mask<1, L, B, Len<L>>, operation: impl Atomic<T, L, B>, offsets: &Vector<I, L, B>) -> ()
                    where [T: AtomicElem] [T: SharedAtomicElem]
                    |buffer| { let _ = buffer.update(operation, masked(mask, elements(0, offsets))); };

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
                    (operation: impl Atomic<T, L, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: AtomicElem] [T: SharedAtomicElem] |buffer| buffer.update(operation, elements(0, offsets));

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
                    (mask: impl Mask<1, L, B, Len<L>>, operation: impl Atomic<T, L, B>, offsets: &Vector<I, L, B>) -> Vector<T, L, B>
                    where [T: AtomicElem] [T: SharedAtomicElem]
                    |buffer| buffer.update(operation, masked(mask, elements(0, offsets)));

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
                    [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                    |buffer| buffer.scatter_channels(MASK, elements(0, offsets), values);

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
                    [T: UntypedElem, Channels<MASK>: ChannelRows<R>]
                    |buffer| buffer.scatter_channels(MASK, masked(mask, elements(0, offsets)), values);
            }
        }
    };
}
pub(crate) use scattered_forms;
