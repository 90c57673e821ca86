//! What atomic operations make of an element.

use cm_compiler::ops::AtomicKind;

use crate::elem::Int;

macro_rules! meanings {
    ($($(#[$doc:meta])* $kind:ident $name:literal ($($source:ident),*), $meaning:expr;)*) => {
        /// What the element becomes. `x` is the first source and `compare` the second one, where there are
        /// such.
        #[inline(always)]
        pub fn changed<T: Int>(kind: AtomicKind, old: T, x: T, compare: T) -> T {
            match kind {
                $(AtomicKind::$kind => meanings!(@call ($meaning) old, x, compare; $($source)*),)*
            }
        }
    };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident;) => { $meaning($old) };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident; $a:ident) => { $meaning($old, $x) };
    (@call $meaning:tt $old:ident, $x:ident, $compare:ident; $a:ident $b:ident) => { $meaning($old, $x, $compare) };
}

cm_compiler::atomic_operations!(meanings);
