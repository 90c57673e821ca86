//! Generates a kernel, its meaning on exact numbers, and a test from each row of a table of operations.

use cm::compiler::ops::Accuracy;
use cm::interpret::element::allowed;
use cm::ir::{Function, Op};
use cm::prelude::*;

use super::exact::{Exact, SIDE, bits, pairs};
use super::executions::executions;

type Launch<T, V, U> = fn(&Device, ThreadSpace, &Buffer<T>, &Buffer<V>, &mut Buffer<U>) -> cm::Result<Event>;

/// The kernel of a row, and the conversions between its elements, exact numbers `N`, and results.
pub(crate) struct Row<T: Elem, V: Elem, U: Elem, N> {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    pub(crate) launch: Launch<T, V, U>,
    pub(crate) left: fn(T) -> N,
    pub(crate) right: fn(V) -> N,
    pub(crate) result: fn(N) -> U,
}

impl<T: Exact, V: Exact, U: Elem, N: Copy> Row<T, V, U, N> {
    /// Checks that the recording contains the operation, and that all executions give the result of the
    /// meaning for each group of elements.
    pub(crate) fn check(
        &self,
        has: impl Fn(&Op) -> bool,
        (width, accuracy): (usize, Accuracy),
        model: impl Fn(&[N], &[N]) -> N,
    ) {
        let (a, b) = pairs::<T, V>();
        let left: Vec<N> = a.iter().map(|&x| (self.left)(x)).collect();
        let right: Vec<N> = b.iter().map(|&y| (self.right)(y)).collect();
        let groups = left.chunks(width).zip(right.chunks(width));
        let expected: Vec<U> =
            groups.flat_map(|(x, y)| vec![model(x, y); width]).map(|exact| (self.result)(exact)).collect();

        let (name, function) = (self.name, &self.function);
        assert!(function.body.insts.iter().any(|inst| has(&inst.op)), "{name} is not recorded\n{function}");
        let inputs = [bytemuck::cast_slice(&a), bytemuck::cast_slice(&b)];
        let found = executions(function, &inputs, (SIDE, expected.len()), |device, space, out| {
            let (left, right) = (Buffer::from_slice(device, &a)?, Buffer::from_slice(device, &b)?);
            (self.launch)(device, space, &left, &right, out)
        });
        for (device, found) in found {
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let nan = found.partial_cmp(found).is_none() && expected.partial_cmp(expected).is_none();
                assert!(
                    nan || allowed(accuracy, U::TYPE, bits(found), bits(expected)),
                    "{name} of {} and {} in element {n} on {device}: {found}, not {expected}\n{function}",
                    a[n],
                    b[n]
                );
            }
        }
    }
}

/// A test for each kind of a table. A row has kernels of `a` and `b`; for each kernel the types of `a` and
/// `b`, the type of the computation, the type of the result, and the meaning on the exact numbers of a group.
///
/// The header `Map(MapKind), one, of_elements` names the operation of the IR with its kinds, the number of
/// elements of a group, and the function that extends a meaning to slices.
macro_rules! rows {
    (
        $op:ident($kinds:ident), $width:expr, $meaning:ident;
        $($kind:ident $test:ident { $($name:ident($t:ident, $v:ident; $p:ident) -> $u:ident
            { |$a:ident, $b:ident| $kernel:expr } = |$x:ident, $y:ident| $model:expr;)+ })*
        ; no functions: $($internal:ident)*
    ) => {
        $(
            #[test]
            fn $test() {
                $(
                    mod $name {
                        use cm::prelude::*;
                        use $crate::exact::SIDE;

                        const A: u32 = (SIDE * size_of::<$t>()) as u32;
                        const B: u32 = (SIDE * size_of::<$v>()) as u32;
                        const OUT: u32 = (SIDE * size_of::<$u>()) as u32;

                        #[kernel]
                        pub(super) fn conforms(left: &Buffer<$t>, right: &Buffer<$v>, out: &mut Buffer<$u>) {
                            let $a = left.read::<16>(thread_origin_x() * A);
                            let $b = right.read::<16>(thread_origin_x() * B);
                            let result: Vector<$u, 16> = $kernel;
                            out.write(thread_origin_x() * OUT, &result);
                        }
                    }
                    let row = $crate::rows::Row {
                        name: concat!(stringify!($kind), " ", stringify!($name)),
                        function: $name::conforms::ir().unwrap(),
                        launch: $name::conforms::launch,
                        left: |x: $t| $crate::exact::Exact::number(x as $p),
                        right: |y: $v| $crate::exact::Exact::number(y as $p),
                        result: |exact| $crate::rows::converted(<$p as $crate::exact::Exact>::round(exact)),
                    };
                    let has = |op: &Op| matches!(op, Op::$op { kind: $kinds::$kind, .. });
                    let model = $meaning::<<$p as $crate::exact::Exact>::Number>(|$x, $y| $model);
                    row.check(has, ($width($kinds::$kind), $kinds::$kind.accuracy()), model);
                )+
            }
        )*

        /// The operations of the rows.
        pub(crate) const EXECUTED: &[$crate::table::Executed] = &[$($(
            $crate::table::Executed {
                operation: $kinds::$kind.name(),
                text: stringify!($kernel),
                operands: &[<$t as Elem>::TYPE, <$v as Elem>::TYPE],
                accuracy: $kinds::$kind.accuracy(),
            },
        )+)*];

        /// Every kind has exactly one row.
        const _: fn($kinds) = |kind| match kind {
            $($kinds::$kind)|* => {}
            $($kinds::$internal => {})*
        };
    };
}
pub(crate) use rows;

/// Rust's `as`, which `f16` does not have.
pub(crate) fn converted<T: Elem, U: Elem>(x: T) -> U {
    U::cast_from(x)
}
