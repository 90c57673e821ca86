//! The element-wise operations: one row each.

/// Calls a macro with the table of element-wise operations.
///
/// A row is the operation's docs, its marker type and [`MapKind`](crate::ops::MapKind), its name in the text
/// of kernels, its operands with the [`Domain`](crate::ops::Domain) of the type in which it is computed, its
/// [`Outcome`](crate::ops::Outcome), its [`Class`](crate::ops::Class), its
/// [`Accuracy`](crate::ops::Accuracy), and what it means on one element of type `P`.
///
/// From these rows are made: the kinds, the marker types of the language and their meaning on the CPU, the
/// printer, the parser, the verifier, the generators of random kernels and the conformance tests. By hand
/// stand the interpreter's meaning, which is to be independent, and the recipe for SPIR-V; both are matches
/// that do not compile without a new row.
#[macro_export]
macro_rules! map_operations {
    ($callback:ident) => {
        $callback! {
            unary {
                /// Rust's `as`; CM's `SAT` conversion where the operation saturates.
                Convert "convert" (source: Elem) -> same, Conversion, [exact], |x: P| x;
                /// `-`, on promoted elements.
                Neg "neg" (own: Elem) -> same, Sign, [exact], P::neg;
                /// CM's `~`, in Rust `!`, on promoted elements.
                Not "complement" (own: Int) -> same, Sign, [exact], P::not;
                /// The size without the sign, of integers as an unsigned number. CM: `cm_abs`.
                Abs "abs" (common: Elem) -> unsigned, Sign, [exact], |x: P| P::Unsigned::cast_from(P::abs(x));
            }
            binary {
                /// `+`
                Add "add" (common, common: Elem) -> same, Sum, [exact], P::add;
                /// `-`
                Sub "sub" (common, common: Elem) -> same, Sum, [exact], P::sub;
                /// `*`
                Mul "mul" (common, common: Elem) -> same, Product, [exact], P::mul;
                /// `/`
                Div "div" (common, common: Elem) -> same, Quotient, [exact], P::div;
                /// `%`
                Rem "rem" (common, common: Int) -> same, Quotient, [exact], P::rem;
                /// `&`
                And "and" (common, common: Int) -> same, Bitwise, [exact], P::and;
                /// `|`
                Or "or" (common, common: Int) -> same, Bitwise, [exact], P::or;
                /// `^`
                Xor "xor" (common, common: Int) -> same, Bitwise, [exact], P::xor;
                /// `<<`
                Shl "shl" (common, common: Int) -> same, ShiftLeft, [exact], P::shl;
                /// `>>`
                Shr "shr" (common, common: Int) -> same, ShiftRight, [exact], P::shr;
                /// The sum, limited to the range of the type; of floats to 0..=1. CM: `cm_add` with `SAT`.
                AddSat "add_sat" (common, common: Elem) -> same, Limited, [exact], P::add_sat;
                /// The difference, limited to the range of the type; of floats to 0..=1. CM: `cm_add` with `SAT`.
                SubSat "sub_sat" (common, common: Elem) -> same, Limited, [exact], P::sub_sat;
                /// `a << b`, limited to the range of the type. CM: `cm_shl` with `SAT`.
                ShlSat "shl_sat" (common, common: Int) -> same, Limited, [exact], P::shl_sat;
                /// The smaller one; the first of equal ones; of a NaN and a number the number. CM: `cm_min`.
                Min "min" (common, common: Elem) -> same, Between, [exact], P::min;
                /// The larger one; the first of equal ones; of a NaN and a number the number. CM: `cm_max`.
                Max "max" (common, common: Elem) -> same, Between, [exact], P::max;
                /// The average, rounded up, of which no sum overflows. CM: `cm_avg`.
                Avg "avg" (common, common: Int) -> same, Between, [exact],
                    |a: P, b: P| P::sub(P::or(a, b), P::shr(P::xor(a, b), P::cast_from(1u8)));
                /// `<`
                Lt "lt" (common, common: Elem) -> mask, Order, [exact], |a: P, b: P| (a < b) as u16;
                /// `<=`
                Le "le" (common, common: Elem) -> mask, Order, [exact], |a: P, b: P| (a <= b) as u16;
                /// `>`
                Gt "gt" (common, common: Elem) -> mask, Order, [exact], |a: P, b: P| (a > b) as u16;
                /// `>=`
                Ge "ge" (common, common: Elem) -> mask, Order, [exact], |a: P, b: P| (a >= b) as u16;
                /// `==`
                Eq "eq" (common, common: Elem) -> mask, Equality, [exact], |a: P, b: P| (a == b) as u16;
                /// `!=`
                Ne "ne" (common, common: Elem) -> mask, Equality, [exact], |a: P, b: P| (a != b) as u16;
            }
            ternary {
                /// The second where the lowest bit of the first, a mask, is set, else the third.
                Merge "merge" (mask, own, own: Elem) -> same, Selection, [exact], |mask, a: P, b: P| if mask { a } else { b };
            }
        }
    };
}
