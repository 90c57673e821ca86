//! The element-wise operations: one row each.

/// Calls a macro with the table of element-wise operations.
///
/// A row is the operation's docs, its marker type and [`MapKind`](crate::ops::MapKind), its name in the text
/// of kernels, its operands with the [`Domain`](crate::ops::Domain) of the type in which it is computed, its
/// [`Outcome`](crate::ops::Outcome), its [`Class`](crate::ops::Class), its
/// [`Accuracy`](crate::ops::Accuracy), and its meaning on one element of type `P`.
///
/// These rows generate the kinds, the marker types of the language and their meaning on the CPU, the printer, the
/// parser, the verifier, the generators of random kernels and the conformance tests. The interpreter's meaning, which
/// must be independent, and the recipe for SPIR-V are written by hand; both are matches that do not compile if a row is
/// missing.
#[macro_export]
macro_rules! map_operations {
    ($callback:ident) => {
        $callback! {
            unary {
                /// Rust's `as`; CM's `SAT` conversion if the operation saturates.
                Convert "convert" (source: Elem) -> same, Conversion, [exact], |x: P| x;
                /// `-`, on promoted elements.
                Neg "neg" (own: Numeric) -> same, Sign, [exact], P::neg;
                /// CM's `~`, in Rust `!`, on promoted elements.
                Not "complement" (own: Int) -> same, Sign, [exact], P::not;
                /// The absolute value; for integers an unsigned number. CM: `cm_abs`.
                Abs "abs" (common: Numeric) -> unsigned, Sign, [exact], |x: P| P::Unsigned::cast_from(P::abs(x));
                /// 2 to the power of the operand. CM: `cm_exp`.
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
                /// Rounds down to an integer. CM: `cm_rndd`.
                Rndd "rndd" (own: Single) -> same, Function, [exact], P::rndd;
                /// Rounds up to an integer. CM: `cm_rndu`.
                Rndu "rndu" (own: Single) -> same, Function, [exact], P::rndu;
                /// Rounds to the nearest integer, ties to even. CM: `cm_rnde`.
                Rnde "rnde" (own: Single) -> same, Function, [exact], P::rnde;
                /// Rounds towards zero to an integer. CM: `cm_rndz`.
                Rndz "rndz" (own: Single) -> same, Function, [exact], P::rndz;
                /// The number of zeros above the highest set bit; 32 for 0. CM: `cm_lzd`.
                Lzd "lzd" (common: Dword) -> unsigned, Function, [exact], P::lzd;
                /// The number of set bits. CM: `cm_cbit`.
                Cbit "cbit" (common: Dword) -> unsigned, Function, [exact], P::cbit;
                /// The number of the lowest set bit; all ones for 0. CM: `cm_fbl`.
                Fbl "fbl" (common: Dword) -> unsigned, Function, [exact], P::fbl;
                /// The number of bits above the highest set bit, or above the highest clear bit for negative
                /// numbers; all ones if there is none. CM: `cm_fbh`.
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
                /// The sum, clamped to the range of the type; for floats to 0..=1. CM: `cm_add` with `SAT`.
                AddSat "add_sat" (common, common: Numeric) -> same, Limited, [exact], P::add_sat;
                /// The difference, clamped to the range of the type; for floats to 0..=1. CM: `cm_add` with `SAT`.
                SubSat "sub_sat" (common, common: Numeric) -> same, Limited, [exact], P::sub_sat;
                /// `a << b`, clamped to the range of the type. CM: `cm_shl` with `SAT`.
                ShlSat "shl_sat" (common, common: Int) -> same, Limited, [exact], P::shl_sat;
                /// The smaller operand, or the first if they are equal; of NaN and a number, the number. CM: `cm_min`.
                Min "min" (common, common: Numeric) -> same, Between, [exact], P::min;
                /// The larger operand, or the first if they are equal; of NaN and a number, the number. CM: `cm_max`.
                Max "max" (common, common: Numeric) -> same, Between, [exact], P::max;
                /// The sum of the products of the four bytes, all of them unsigned. CM: `cm_dp4a` with an
                /// accumulator of 0, like the next three.
                DotUu "dot_uu" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, false, false);
                /// The same, with signed bytes in the second operand.
                DotUs "dot_us" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, false, true);
                /// The same, with signed bytes in the first operand.
                DotSu "dot_su" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, true, false);
                /// The same, with signed bytes in both operands.
                DotSs "dot_ss" (common, common: Dword) -> same, Function, [exact],
                    |a: P, b: P| P::dot(a, b, true, true);
                /// The bits rotated left. CM: `cm_rol`.
                Rol "rol" (common, common: Int) -> same, Function, [exact], P::rol;
                /// The bits rotated right. CM: `cm_ror`.
                Ror "ror" (common, common: Int) -> same, Function, [exact], P::ror;
                /// The average, rounded up, without overflow. CM: `cm_avg`.
                Avg "avg" (common, common: Int) -> same, Between, [exact],
                    |a: P, b: P| P::sub(P::or(a, b), P::shr(P::xor(a, b), P::cast_from(1u8)));
                /// `|a|` to the power of `b`; 1 if `b` is 0 or `|a|` is 1. CM: `cm_pow`.
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
                /// A bit field of the first operand: the second is its offset, the third its width, with sign
                /// extension. CM: `cm_bf_extract`.
                BfExtract "bf_extract" (common, common, common: Dword) -> same, Function, [exact],
                    P::bf_extract;
                /// The product of the first two operands plus the third, rounded once. CM's compiler makes it of
                /// `a * b + c`.
                Fma "fma" (common, common, common: Single) -> same, Function, [exact], P::fma;
                /// The second operand where the lowest bit of the first, a mask, is set, otherwise the third.
                Merge "merge" (mask, own, own: Elem) -> same, Selection, [exact], |mask, a: P, b: P| if mask { a } else { b };
            }
        }
    };
}
