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
                Neg "neg" (own: Numeric) -> same, Sign, [exact], P::neg;
                /// CM's `~`, in Rust `!`, on promoted elements.
                Not "complement" (own: Int) -> same, Sign, [exact], P::not;
                /// The size without the sign, of integers as an unsigned number. CM: `cm_abs`.
                Abs "abs" (common: Numeric) -> unsigned, Sign, [exact], |x: P| P::Unsigned::cast_from(P::abs(x));
                /// 2 to the power of it. CM: `cm_exp`.
                Exp "exp" (own: Single) -> same, Function, [4 ulp or 1.2e-38], P::exp;
                /// The logarithm to base 2. CM: `cm_log`.
                Log "log" (own: Single) -> same, Function, [4 ulp or 4.8e-7], P::log;
                /// About `1 / x`. CM: `cm_inv`.
                Inv "inv" (own: Single) -> same, Function, [2 ulp or 1.2e-38], P::inv;
                /// About the square root. CM: `cm_sqrt`.
                Sqrt "sqrt" (own: Single) -> same, Function, [2 ulp or 0.0], P::sqrt;
                /// About `1 / sqrt(x)`. CM: `cm_rsqrt`.
                Rsqrt "rsqrt" (own: Single) -> same, Function, [2 ulp or 0.0], P::rsqrt;
                /// The sine of radians. CM: `cm_sin`.
                Sin "sin" (own: Single) -> same, Function, [1 ulp or 8e-4], P::sin;
                /// The cosine of radians. CM: `cm_cos`.
                Cos "cos" (own: Single) -> same, Function, [1 ulp or 8e-4], P::cos;
                /// The square root, rounded to nearest. CM: `cm_sqrt_ieee`.
                SqrtIeee "sqrt_ieee" (own: Single) -> same, Function, [exact], P::sqrt;
                /// To the integer below. CM: `cm_rndd`.
                Rndd "rndd" (own: Single) -> same, Function, [exact], P::rndd;
                /// To the integer above. CM: `cm_rndu`.
                Rndu "rndu" (own: Single) -> same, Function, [exact], P::rndu;
                /// To the nearest integer, of two the even one. CM: `cm_rnde`.
                Rnde "rnde" (own: Single) -> same, Function, [exact], P::rnde;
                /// To the integer towards zero. CM: `cm_rndz`.
                Rndz "rndz" (own: Single) -> same, Function, [exact], P::rndz;
                /// The zeros above the highest bit that is set; of 0 32. CM: `cm_lzd`.
                Lzd "lzd" (common: Dword) -> unsigned, Function, [exact], P::lzd;
                /// The bits that are set. CM: `cm_cbit`.
                Cbit "cbit" (common: Dword) -> unsigned, Function, [exact], P::cbit;
                /// The lowest bit that is set; of 0 all ones. CM: `cm_fbl`.
                Fbl "fbl" (common: Dword) -> unsigned, Function, [exact], P::fbl;
                /// From the highest bit down the first that is set, of negative numbers the first that is
                /// not; all ones if there is none. CM: `cm_fbh`.
                Fbh "fbh" (common: Dword) -> unsigned, Function, [exact], P::fbh;
                /// The bits in reverse order. CM: `cm_bf_reverse`.
                BfReverse "bf_reverse" (common: Dword) -> same, Function, [exact], P::bf_reverse;
            }
            binary {
                /// `+`
                Add "add" (common, common: Numeric) -> same, Sum, [exact], P::add;
                /// `-`
                Sub "sub" (common, common: Numeric) -> same, Sum, [exact], P::sub;
                /// `*`
                Mul "mul" (common, common: Numeric) -> same, Product, [exact], P::mul;
                /// `/`
                Div "div" (common, common: Numeric) -> same, Quotient, [exact], P::div;
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
                AddSat "add_sat" (common, common: Numeric) -> same, Limited, [exact], P::add_sat;
                /// The difference, limited to the range of the type; of floats to 0..=1. CM: `cm_add` with `SAT`.
                SubSat "sub_sat" (common, common: Numeric) -> same, Limited, [exact], P::sub_sat;
                /// `a << b`, limited to the range of the type. CM: `cm_shl` with `SAT`.
                ShlSat "shl_sat" (common, common: Int) -> same, Limited, [exact], P::shl_sat;
                /// The smaller one; the first of equal ones; of a NaN and a number the number. CM: `cm_min`.
                Min "min" (common, common: Numeric) -> same, Between, [exact], P::min;
                /// The larger one; the first of equal ones; of a NaN and a number the number. CM: `cm_max`.
                Max "max" (common, common: Numeric) -> same, Between, [exact], P::max;
                /// The sum of the products of the four bytes, all of them unsigned. CM: `cm_dp4a` of an
                /// accumulator of 0, as the three after it.
                DotUu "dot_uu" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, false, false);
                /// The same, those of the second operand signed.
                DotUs "dot_us" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, false, true);
                /// The same, those of the first operand signed.
                DotSu "dot_su" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, true, false);
                /// The same, all of them signed.
                DotSs "dot_ss" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, true, true);
                /// The bits moved to higher places, and from above to the lowest. CM: `cm_rol`.
                Rol "rol" (common, common: Int) -> same, Function, [exact], P::rol;
                /// The bits moved to lower places, and from below to the highest. CM: `cm_ror`.
                Ror "ror" (common, common: Int) -> same, Function, [exact], P::ror;
                /// The average, rounded up, of which no sum overflows. CM: `cm_avg`.
                Avg "avg" (common, common: Int) -> same, Between, [exact],
                    |a: P, b: P| P::sub(P::or(a, b), P::shr(P::xor(a, b), P::cast_from(1u8)));
                /// The size of the first to the power of the second; 1 where that is 0, or the size 1. CM: `cm_pow`.
                Pow "pow" (common, common: Single) -> same, Function, [512 ulp or 1.2e-38], P::pow;
                /// `<`
                Lt "lt" (common, common: Numeric) -> mask, Order, [exact], |a: P, b: P| (a < b) as u16;
                /// `<=`
                Le "le" (common, common: Numeric) -> mask, Order, [exact], |a: P, b: P| (a <= b) as u16;
                /// `>`
                Gt "gt" (common, common: Numeric) -> mask, Order, [exact], |a: P, b: P| (a > b) as u16;
                /// `>=`
                Ge "ge" (common, common: Numeric) -> mask, Order, [exact], |a: P, b: P| (a >= b) as u16;
                /// `==`
                Eq "eq" (common, common: Numeric) -> mask, Equality, [exact], |a: P, b: P| (a == b) as u16;
                /// `!=`
                Ne "ne" (common, common: Numeric) -> mask, Equality, [exact], |a: P, b: P| (a != b) as u16;
            }
            ternary {
                /// The bits of the first from the place that is the second on, as many as the third says, by
                /// sign. CM: `cm_bf_extract`.
                BfExtract "bf_extract" (common, common, common: Dword) -> same, Function, [exact],
                    P::bf_extract;
                /// The second where the lowest bit of the first, a mask, is set, else the third.
                Merge "merge" (mask, own, own: Elem) -> same, Selection, [exact], |mask, a: P, b: P| if mask { a } else { b };
            }
        }
    };
}
