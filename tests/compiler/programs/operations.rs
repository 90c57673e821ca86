//! The operations of the tables on registers of random programs. A new row of a table is included
//! automatically.

use cm::Backend;
use cm::compiler::ops::{GroupKind, MapKind};
use cm::dsl::elem::{Dword, Single};
use cm::dsl::math::Register;
use cm::dsl::ops;
use cm::prelude::*;

/// The variables of programs.
pub(super) type M<T, B> = Matrix<T, 4, 16, B>;

/// A type in which programs compute.
pub(super) trait Computes: Numeric {
    fn unary<B: Backend>(kind: MapKind, x: M<Self, B>) -> M<Self, B>;
    fn binary<U: Numeric, B: Backend>(kind: MapKind, a: M<Self, B>, b: M<Self, B>) -> M<U, B>;
    fn group<B: Backend>(kind: GroupKind, a: M<Self, B>, b: M<Self, B>) -> M<Self, B>;
    fn reduce<B: Backend>(kind: MapKind, x: M<Self, B>) -> Scalar<Self, B>;
}

impl Computes for f32 {
    fn unary<B: Backend>(kind: MapKind, x: M<Self, B>) -> M<Self, B> {
        unary_of_single(kind, x)
    }
    fn binary<U: Numeric, B: Backend>(kind: MapKind, a: M<Self, B>, b: M<Self, B>) -> M<U, B> {
        binary_of_single(kind, a, b)
    }
    fn group<B: Backend>(kind: GroupKind, a: M<Self, B>, b: M<Self, B>) -> M<Self, B> {
        group_of_elem(kind, a, b)
    }
    fn reduce<B: Backend>(kind: MapKind, x: M<Self, B>) -> Scalar<Self, B> {
        reduced(kind, x).unwrap_or_else(|| unreachable!("`{}` of floats", kind.name()))
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Computes for $t {
            fn unary<B: Backend>(kind: MapKind, x: M<Self, B>) -> M<Self, B> {
                unary_of_dword(kind, x)
            }
            fn binary<U: Numeric, B: Backend>(kind: MapKind, a: M<Self, B>, b: M<Self, B>) -> M<U, B> {
                binary_of_dword(kind, a, b)
            }
            fn group<B: Backend>(kind: GroupKind, a: M<Self, B>, b: M<Self, B>) -> M<Self, B> {
                group_of_int(kind, a, b)
            }
            fn reduce<B: Backend>(kind: MapKind, x: M<Self, B>) -> Scalar<Self, B> {
                match kind {
                    MapKind::And => x.reduce::<ops::And, Self, Self, false>(),
                    MapKind::Or => x.reduce::<ops::Or, Self, Self, false>(),
                    MapKind::Xor => x.reduce::<ops::Xor, Self, Self, false>(),
                    kind => reduced(kind, x).unwrap_or_else(|| unreachable!("`{}` reduces", kind.name())),
                }
            }
        }
    )*};
}

integers! { u32 i32 }

/// Reduces all elements to one, by functions that all number types have.
fn reduced<P: Numeric, B: Backend>(kind: MapKind, x: M<P, B>) -> Option<Scalar<P, B>> {
    Some(match kind {
        MapKind::Add => x.reduce::<ops::Add, P, P, false>(),
        MapKind::Mul => x.reduce::<ops::Mul, P, P, false>(),
        MapKind::Min => x.reduce::<ops::Min, P, P, false>(),
        MapKind::Max => x.reduce::<ops::Max, P, P, false>(),
        _ => return None,
    })
}

/// An operation, if types of this kind have it. Programs never select any other.
macro_rules! in_domain {
    (of Int, Int, $kind:ident: $result:expr) => {
        $result
    };
    (of Dword, Int, $kind:ident: $result:expr) => {
        $result
    };
    (of Dword, Dword, $kind:ident: $result:expr) => {
        $result
    };
    (of Single, Single, $kind:ident: $result:expr) => {
        $result
    };
    (of $of:ident, Elem, $kind:ident: $result:expr) => {
        $result
    };
    (of $of:ident, Numeric, $kind:ident: $result:expr) => {
        $result
    };
    (of $of:ident, $domain:ident, $kind:ident: $result:expr) => {
        unreachable!("`{}` of such elements", $kind.name())
    };
}

macro_rules! element_wise {
    (
        unary { $($(#[$doc1:meta])* $k1:ident $t1:literal
            ($a1:ident: $d1:ident) -> $r1:ident, $c1:ident, [$($e1:tt)*], $m1:expr;)* }
        binary { $($(#[$doc2:meta])* $k2:ident $t2:literal
            ($a2:ident, $b2:ident: $d2:ident) -> $r2:ident, $c2:ident, [$($e2:tt)*], $m2:expr;)* }
        ternary { $($rest:tt)* }
    ) => {
        fn unary_of_single<P: Single, B: Backend>(kind: MapKind, x: M<P, B>) -> M<P, B> {
            match kind {
                $(MapKind::$k1 => in_domain!(of Single, $d1, kind: x.map1::<ops::$k1, P, P, false>()),)*
                _ => unreachable!("`{}` of one operand", kind.name()),
            }
        }

        fn unary_of_dword<P: Dword, B: Backend>(kind: MapKind, x: M<P, B>) -> M<P, B> {
            match kind {
                $(MapKind::$k1 => in_domain!(of Dword, $d1, kind: x.map1::<ops::$k1, P, P, false>()),)*
                _ => unreachable!("`{}` of one operand", kind.name()),
            }
        }

        fn binary_of_single<P: Single, U: Numeric, B: Backend>(kind: MapKind, a: M<P, B>, b: M<P, B>) -> M<U, B> {
            match kind {
                $(MapKind::$k2 => in_domain!(of Single, $d2, kind: a.map2::<ops::$k2, P, P, U, false>(b)),)*
                _ => unreachable!("`{}` of two operands", kind.name()),
            }
        }

        fn binary_of_dword<P: Dword, U: Numeric, B: Backend>(kind: MapKind, a: M<P, B>, b: M<P, B>) -> M<U, B> {
            match kind {
                $(MapKind::$k2 => in_domain!(of Dword, $d2, kind: a.map2::<ops::$k2, P, P, U, false>(b)),)*
                _ => unreachable!("`{}` of two operands", kind.name()),
            }
        }
    };
}

cm::compiler::map_operations!(element_wise);

macro_rules! of_groups {
    (
        binary { $($(#[$doc:meta])* $kind:ident $name:literal $width:literal
            ($a:ident, $b:ident: $domain:ident) -> $outcome:ident, $class:ident, [$($accuracy:tt)*], $meaning:expr;)* }
    ) => {
        fn group_of_elem<P: Numeric, B: Backend>(kind: GroupKind, a: M<P, B>, b: M<P, B>) -> M<P, B> {
            match kind {
                $(GroupKind::$kind => in_domain!(
                    of Elem, $domain, kind: a.group2::<ops::$kind, P, P, P, $width, false>(b)
                ),)*
            }
        }

        fn group_of_int<P: Int, B: Backend>(kind: GroupKind, a: M<P, B>, b: M<P, B>) -> M<P, B> {
            match kind {
                $(GroupKind::$kind => in_domain!(
                    of Int, $domain, kind: a.group2::<ops::$kind, P, P, P, $width, false>(b)
                ),)*
            }
        }
    };
}

cm::compiler::group_operations!(of_groups);
