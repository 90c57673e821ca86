//! Registers of several kernel threads side by side, and the loops over them: row by row, the rows of the
//! threads one beside the other. Registers of a few elements are no loops ([`each`]), so that the compiler
//! sees through them before it looks at loops.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::mem::MaybeUninit;

use cm_macros::inlined;

use crate::elem::Elem;

/// The registers of `N` kernel threads: for each row, the rows of the threads one after the other.
pub type Lanes<T, const N: usize, const R: usize, const C: usize> = [[[T; C]; N]; R];

/// Whether a loop has more than `THAN` rounds.
///
/// A constant of a type that names nothing else: rustc evaluates a constant in a function for every instance of the function,
/// which takes time and memory.
#[cfg(not(debug_assertions))]
pub(super) struct More<const COUNT: usize, const THAN: usize>;

#[cfg(not(debug_assertions))]
impl<const COUNT: usize, const THAN: usize> More<COUNT, THAN> {
    pub(super) const ROUNDS: bool = COUNT > THAN;
}

/// The same of `R * N * C` rounds.
#[cfg(not(debug_assertions))]
pub(super) struct MoreElements<const R: usize, const N: usize, const C: usize, const THAN: usize>;

#[cfg(not(debug_assertions))]
impl<const R: usize, const N: usize, const C: usize, const THAN: usize> MoreElements<R, N, C, THAN> {
    pub(super) const ROUNDS: bool = R * N * C > THAN;
}

/// `body` for `i` from 0 to `count`, which the compiler knows. A few rounds are no loop: what they compute is
/// seen through before loops are looked at.
#[cfg(not(debug_assertions))]
macro_rules! each {
    // The number of rounds, and whether there are more than 0, 1, 2, 3 and 4.
    (@ $i:ident < $count:expr, $some:expr, $two:expr, $three:expr, $four:expr, $many:expr => $body:block) => {
        if $many {
            for $i in 0..$count $body
        } else {
            if $some {
                let $i = 0;
                $body
            }
            if $two {
                let $i = 1;
                $body
            }
            if $three {
                let $i = 2;
                $body
            }
            if $four {
                let $i = 3;
                $body
            }
        }
    };
    ($i:ident < $n:tt => $body:block) => {
        $crate::cpu::arrays::each!(@ $i < $n,
            $crate::cpu::arrays::More::<$n, 0>::ROUNDS,
            $crate::cpu::arrays::More::<$n, 1>::ROUNDS,
            $crate::cpu::arrays::More::<$n, 2>::ROUNDS,
            $crate::cpu::arrays::More::<$n, 3>::ROUNDS,
            $crate::cpu::arrays::More::<$n, 4>::ROUNDS => $body)
    };
    ($i:ident < $r:ident * $n:ident * $c:ident => $body:block) => {
        $crate::cpu::arrays::each!(@ $i < $r * $n * $c,
            $crate::cpu::arrays::MoreElements::<$r, $n, $c, 0>::ROUNDS,
            $crate::cpu::arrays::MoreElements::<$r, $n, $c, 1>::ROUNDS,
            $crate::cpu::arrays::MoreElements::<$r, $n, $c, 2>::ROUNDS,
            $crate::cpu::arrays::MoreElements::<$r, $n, $c, 3>::ROUNDS,
            $crate::cpu::arrays::MoreElements::<$r, $n, $c, 4>::ROUNDS => $body)
    };
    // With constants of `$more<$of, THAN>`, where the body has such a loop again.
    ($i:ident < $count:expr, $more:ident<$of:ident> $rounds:ident => $body:block) => {
        $crate::cpu::arrays::each!(@ $i < $count,
            $more::<$of, 0>::$rounds,
            $more::<$of, 1>::$rounds,
            $more::<$of, 2>::$rounds,
            $more::<$of, 3>::$rounds,
            $more::<$of, 4>::$rounds => $body)
    };
    ($i:ident < $count:expr => $body:block) => {
        $crate::cpu::arrays::each!(@ $i < $count,
            const { $count > 0 },
            const { $count > 1 },
            const { $count > 2 },
            const { $count > 3 },
            const { $count > 4 } => $body)
    };
}
/// With debug assertions a plain loop, because copies of `body` take time to compile.
#[cfg(debug_assertions)]
macro_rules! each {
    ($i:ident < $n:tt => $body:block) => {
        for $i in 0..$n $body
    };
    ($i:ident < $count:expr $(, $more:ident<$of:ident> $rounds:ident)? => $body:block) => {
        for $i in 0..const { $count } $body
    };
}
pub(super) use each;

/// A function for a call under the constant condition. rustc prepares every function that a call names, even where the
/// condition does not hold, and all that this function calls. It does not prepare functions that constants do not choose.
macro_rules! function_if {
    ($condition:expr => $function:expr) => {
        match const { if $condition { Some($function) } else { None } } {
            Some(function) => function,
            None => unreachable!("the call is under the condition"),
        }
    };
}
pub(super) use function_if;

/// Registers of zeros. Not `[[[T::default(); C]; N]; R]`, which is three loops until the compiler has seen through
/// them.
#[inlined]
pub(super) fn zeroed<T: Elem, const N: usize, const R: usize, const C: usize>() -> Lanes<T, N, R, C> {
    // SAFETY: elements are plain numbers, for which all bits may be 0.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Bytes of registers that the compiler keeps in vector registers: all that AVX2 has.
const KEPT: usize = 512;

/// Registers whose elements will all be written.
///
/// Small ones are zeros first. Without that, the compiler, which does not know that a loop over elements has a round at all,
/// keeps the elements of the kernel thread before in case that it has none. The zeros are no instructions: all are replaced.
#[inlined]
pub(super) fn unwritten<T>() -> MaybeUninit<T> {
    if const { size_of::<T>() <= KEPT } { MaybeUninit::zeroed() } else { MaybeUninit::uninit() }
}

/// An object that starts at the start of a cache line, so that no vector in it lies in two.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

/// Whether registers of `T`, of whole cache lines, begin with one: those that the compiler keeps in memory.
pub(super) const fn is_aligned<T>() -> bool {
    size_of::<T>() > KEPT && size_of::<T>().is_multiple_of(align_of::<Aligned<T>>())
}

/// Registers of type `$lanes`, to all elements of which `$write` writes as `$results`.
///
/// A place for them that is larger would be copied, so those that are not whole cache lines have the alignment of their
/// elements.
macro_rules! written {
    ($lanes:ty; |$results:ident| $write:expr) => {
        if const { $crate::cpu::arrays::is_aligned::<$lanes>() } {
            let mut all = $crate::cpu::arrays::Aligned(MaybeUninit::<$lanes>::uninit());
            let $results = &mut all.0;
            $write;
            // SAFETY: every element has been written.
            unsafe { all.0.assume_init() }
        } else {
            let mut all = $crate::cpu::arrays::unwritten::<$lanes>();
            let $results = &mut all;
            $write;
            // SAFETY: every element has been written.
            unsafe { all.assume_init() }
        }
    };
}
pub(super) use written;

/// The same register for each thread.
#[inlined]
pub(super) fn repeated<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: [[T; C]; R],
) -> Lanes<T, N, R, C> {
    let mut lanes = MaybeUninit::<Lanes<T, N, R, C>>::uninit();
    let rows = lanes.as_mut_ptr().cast::<[T; C]>();
    each!(r < R => {
        each!(n < N => {
            // SAFETY: `Lanes<_, N, R, C>` is `R * N` rows without gaps.
            unsafe { rows.add(r * N + n).write(x[r]) };
        });
    });
    // SAFETY: every row has been written.
    unsafe { lanes.assume_init() }
}

/// The elements of all threads. `as_flattened` is not inlined before all of the program is linked, which is
/// too late.
#[inlined]
pub(super) fn flat<T, const N: usize, const R: usize, const C: usize>(x: &Lanes<T, N, R, C>) -> &[T] {
    // SAFETY: arrays of arrays are their elements without gaps.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(x).cast(), R * N * C) }
}

/// The same, to be written.
#[inlined]
pub(super) fn flat_mut<T, const N: usize, const R: usize, const C: usize>(
    x: &mut Lanes<T, N, R, C>,
) -> &mut [T] {
    // SAFETY: as in `flat`.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(x).cast(), R * N * C) }
}

/// The same number, which the compiler does not know.
#[inlined]
#[must_use]
pub fn opaque(x: usize) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut x = x;
        // SAFETY: no instruction. Unlike `black_box` this stores nothing.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    std::hint::black_box(x)
}

/// The same address, which the compiler does not know.
#[cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(clippy::pointers_in_nomem_asm_block, reason = "nothing is read or written there")
)]
#[inlined]
#[must_use]
pub fn opaque_address<T>(x: *mut T) -> *mut T {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut x = x;
        // SAFETY: as in `opaque`. Unlike `black_box` this neither reads nor writes memory, so that the compiler keeps
        // what it has loaded.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    std::hint::black_box(x)
}

/// `count`, a power of two, as the number of rounds of a loop that is not unrolled: the compiler vectorises loops well,
/// and badly what it has unrolled. It still knows that the number is a multiple of `count`, and not larger.
#[inlined]
pub(super) fn rounds(count: usize) -> usize {
    opaque(count) & count
}

/// `copy_from_slice`, inlined at once.
#[inlined]
pub(super) fn copy(from: &[u8], to: &mut [u8]) {
    assert!(from.len() == to.len(), "as many bytes");
    // SAFETY: both are as long, and do not overlap, since one is borrowed mutably.
    unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from.as_ptr(), from.len()) };
}

/// Every element by an expression of those at the same place in the sources. Not by a closure: closures stay
/// functions of their own, compiled for the baseline instruction set.
macro_rules! map {
    ($t:ty; |$($x:ident of $source:ident),+| $value:expr) => {{
        $(let $source = flat(&$source).as_ptr();)+
        $crate::cpu::arrays::written!(Lanes<$t, N, R, C>; |results| {
            let first = results.as_mut_ptr().cast::<$t>();
            each!(i < R * N * C => {
                // SAFETY: `Lanes<_, N, R, C>` is `R * N * C` elements without gaps, and `i` is below that.
                $(let $x = unsafe { *$source.add(i) };)+
                let value = $value;
                // SAFETY: as above.
                unsafe { first.add(i).write(value) };
            });
        })
    }};
}
pub(super) use map;

/// `at / row`. In a loop over columns the compiler knows that `at` is less than `row`, but does not conclude
/// that the quotient is 0, and then does not vectorise the loop. Where both branches are the plain quotient
/// it removes the comparison, so the second one has another form.
#[inlined]
pub(super) fn rows(at: usize, row: usize) -> usize {
    if at < row { 0 } else { (at - row) / row + 1 }
}
