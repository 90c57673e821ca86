//! Every message of the macros, and the list that collects them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Macro, Type};

/// All mistakes: one compilation shows every mistake.
#[derive(Default)]
pub(crate) struct Errors {
    before: Option<syn::Error>,
    in_place: bool,
}

impl Errors {
    /// A mistake that is reported next to the function.
    pub(crate) fn add(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.before {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// A mistake in place of the refused expression. Its type is unknown to rustc, so one mistake is one error, and the
    /// rest of the body is unchanged for rustc and editors.
    pub(crate) fn in_place(&mut self, span: Span, message: impl std::fmt::Display) -> Expr {
        self.in_place = true;
        let error = syn::Error::new(span, message).to_compile_error();
        // In parentheses it is an expression even at the start of a statement.
        Expr::Verbatim(quote_spanned!(span=> (#error)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_none() && !self.in_place
    }

    /// The mistakes that are reported next to the function.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.before.map(|error| error.to_compile_error()).unwrap_or_default()
    }
}

/// Whether an expression has been replaced by its mistake.
pub(crate) fn is_mistake(tokens: &TokenStream) -> bool {
    tokens.to_string().contains("compile_error")
}

/// The mistake in a macro call, with its span.
pub(crate) fn macro_call(call: &Macro) -> (Span, &'static str) {
    let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let message = match &*name {
        "print" | "println" | "eprint" | "eprintln" | "dbg" => PRINT,
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne"
        | "panic" | "unreachable" => ASSERT,
        "vec" => HEAP,
        "format" | "write" | "writeln" => STRING,
        _ => MACRO,
    };
    (call.path.span(), message)
}

/// A trait that is no operator, for a structure.
pub(crate) fn registers_trait(structure: &Type) -> String {
    let structure = structure.to_token_stream();
    format!(
        "only operator traits, such as `Add` and `MulAssign`, are implemented for a structure on every backend: write the \
         functions in `#[registers] impl {structure} {{ .. }}`"
    )
}

/// A conversion where any type is possible.
pub(crate) fn untyped(method: &syn::Ident) -> String {
    format!("the type to convert to is not known here: write `.{method}::<T>()`")
}

/// `v(i)` or `m(i, j)` of CM, with this number of indices.
pub(crate) fn called(indices: usize) -> &'static str {
    if indices == 1 {
        "a register cannot be called: an element is `v.get(i)`, or `v.get_mut(i)` to write it"
    } else {
        "a register cannot be called: an element is `m.get(i, j)`, or `m.get_mut(i, j)` to write it"
    }
}

/// `v(i) = e` or `m(i, j) = e` of CM, with this number of indices.
pub(crate) fn assigned_call(indices: usize) -> &'static str {
    if indices == 1 {
        "an element is not assigned with `(..) =`: write `v.get_mut(i).assign(..)`"
    } else {
        "an element is not assigned with `(..) =`: write `m.get_mut(i, j).assign(..)`"
    }
}

pub(crate) fn unsized_read(method: &syn::Ident, sizes: &str) -> String {
    let what = if sizes.contains(',') {
        "the element type, the rows and the columns"
    } else {
        "the number of elements"
    };
    format!("the size of the block is not known here: write {what}, as in `.{method}::<{sizes}>(..)`")
}

pub(crate) const RETURN: &str = "`return` cannot leave a closure, the condition of a loop, the right side of \
     `&&` or `||`, or a guard: end the closure with its value, or use an `if`";
pub(crate) const RETURN_NOTHING: &str = "this function returns a value: write `return value`";
pub(crate) const BREAK: &str = "there is nothing here for `break` to leave: write it inside a loop or a \
     labelled block, but not in a closure, in the condition of a loop, on the right of `&&` or `||`, or in a guard: \
     use an `if`";
pub(crate) const BREAKS_DIFFER: &str =
    "another `break` leaves the same loop or block in another way: give all of them a value, or none";
pub(crate) const BREAK_VALUE: &str = "`break` with a value leaves `loop` or a labelled block: here assign the \
     value to a variable first";
pub(crate) const CONTINUE: &str = "there is no loop here for `continue`: write it inside a loop, but not in a \
     closure, in the condition of a loop, on the right of `&&` or `||`, or in a guard: use an `if`";
pub(crate) const LEAVES: &str = "`return`, `break` and `continue` cannot be part of an expression here: they \
     are statements, or the end of an arm of an `if` or `match`";
pub(crate) const QUESTION: &str =
    "`?` cannot leave a kernel early: kernels have no errors; check arguments before the launch";
pub(crate) const LOOP: &str = "nothing ends this `loop`: leave it with `break` or `return`";
pub(crate) const MERGE_OF_TWO: &str =
    "`merge` takes one source and a mask: for two sources write `merge_else(x, y, &mask)`";
pub(crate) const RECURSION: &str = "numbers and registers do not end a recursion, as their values are known only when the \
     kernel runs: write a loop, `while n > 0 { .. }`, or count the calls by a parameter of type `usize`";
pub(crate) const UNSAFE: &str = "`unsafe` code cannot be staged: a kernel sees only its arguments";
pub(crate) const ASYNC: &str = "`async` code cannot be staged: a kernel cannot wait";
const MACRO: &str = "macro calls cannot be staged, because their tokens are opaque: write out the code \
     that the macro produces";
const HEAP: &str =
    "a kernel has no heap: write an array, `[a, b, c]`, or a register, `Vector::from_array([1, 2, 3, 4])`";
const STRING: &str =
    "a kernel has no strings: it prints with `printf!(\"x = {}\", x)`, which takes the same text";
pub(crate) const VARIABLE_AS_SIZE: &str = "this is known only when the kernel runs, and sizes are constants: take it as a const \
     parameter, `fn k<const N: usize>(..)`, or write `const N: usize = 8;`";
pub(crate) const NEW_REGISTER: &str = "a register is made of its elements: write `Matrix::<u8, 8, 32>::splat(0)`, \
     `Vector::from_array([1, 2, 3, 4])`, or `Vector::from_array(TABLE)`";
pub(crate) const MATRIX_ROWS: &str = "a matrix is made of its rows: write `Matrix::from_array([[1, 2], [3, 4]])`, or a vector \
     of all elements in the form of the matrix, `Vector::from_array([1, 2, 3, 4]).format::<i32, 2, 2>()`";
pub(crate) const ARRAY_ITERATOR: &str = "elements that change are the iterator of a `for` loop: write `for a in &mut acc { *a += 1; }`, \
     or `acc[i] += 1`";
pub(crate) const ARRAY_SUM: &str = "registers are not added or compared by iterators: write a loop, \
     `for a in acc { total += a; }`, or `.reduce(|a, b| math::max::<i32, _>(a, b))`";
const PRINT: &str =
    "this is for the host: a kernel prints with `printf!(\"x = {}\", x)`, which takes the same text";
const ASSERT: &str = "a kernel cannot panic: check arguments before the launch and results after it; \
     constants are checked by `const { assert!(..) }`";
pub(crate) const SIMD_WHILE_ELSE: &str =
    "`simd_while!` has no `else`: write the next statement after the loop";
pub(crate) const PRINTF_FORM: &str =
    "not a line to print: write `printf!(\"x = {}\", x)`, a literal text and its values";
pub(crate) const SIMD_FORM: &str = "expected a mask, `=>` and a block: write `simd_if! { mask => { .. } else { .. } }` or \
     `simd_while! { mask => { .. } }`";
pub(crate) const SIMD_LEAVE: &str = "lanes leave `simd_while!` only: to leave an ordinary loop, end the SIMD control \
     flow and write `if mask.any() { break; }`";
pub(crate) const SIMD_UNROLLED: &str = "this loop is unrolled, and lanes cannot leave it: write it as `simd_while!`, or \
     as `simd_if!` inside the loop";
pub(crate) const SIMD_CONTROL: &str = "ordinary control flow takes all lanes one way and is not allowed \
     inside SIMD control flow: use `simd_if!`, `simd_while!` and `for` over host numbers, or end the SIMD \
     control flow first";
pub(crate) const SIMD_REFERENCE: &str = "a function that takes `&mut` would change all lanes: assign inside \
     SIMD control flow, and call the function outside";
pub(crate) const SIMD_CLOSURE: &str = "a closure that changes variables or memory would change all lanes: write its statements \
     here, or call it outside of SIMD control flow";
pub(crate) const SIMD_SHARED: &str = "a function that takes shared memory would write it for all lanes: use `write_scattered` or \
     atomic operations here, and call the function outside of SIMD control flow";
pub(crate) const SIMD_ARGUMENT: &str = "a function would write the memory of an argument for all lanes, and this field may be \
     memory: call the function outside of SIMD control flow, or give a number or register a name with `let` before it";
pub(crate) const SIMD_BLOCK: &str = "a block moves all lanes: inside SIMD control flow use `read_scattered`, \
     `write_scattered` or atomic operations, and move blocks outside";
pub(crate) const SIMD_ACROSS: &str = "this function takes elements of several lanes, of which some may not be \
     active: call it outside of SIMD control flow";
pub(crate) const SIMD_STATEMENT: &str = "this statement is not allowed inside SIMD control flow: use \
     `let`, assignments, `.assign`, `.merge`, scattered writes and atomic operations";
pub(crate) const SIMD_VALUE: &str = "an assignment inside an expression would change all lanes: inside SIMD control flow write it \
     as a statement of its own";
pub(crate) const SIMD_TARGET: &str = "inside SIMD control flow it must be seen which variable changes: write the variable \
     itself, declared with `let mut`, or a `&mut` parameter, or a place of them such as `x.row_mut(0)`";
pub(crate) const WHILE_LET: &str =
    "`while let` cannot be staged: use `while` with a condition, or `for` over a host iterator";
pub(crate) const LET_ELSE: &str = "the block of this `let .. else` does not leave as a kernel does: end it with `return`, \
     `break` or `continue`";
pub(crate) const LET_ELSE_TYPE: &str = "the pattern of `let .. else` has no type in a kernel: leave it out, or give the value a name \
     with this type before, `let value: Option<u32> = ..;`";
pub(crate) const LET_CHAIN: &str =
    "`let` inside a condition cannot be staged: nest an `if let` on a host value";
pub(crate) const UNINITIALISED: &str =
    "a variable of a kernel needs a value where it is declared: `Matrix::<u8, 8, 32>::splat(0)`";
pub(crate) const UNSUPPORTED: &str = "this expression cannot be staged: a kernel has operators, calls, blocks, `if`, `match`, \
     loops and closures";
pub(crate) const ITEM: &str = "an item is not allowed in a kernel: declare it outside";
pub(crate) const REF_BINDING: &str = "`ref` bindings cannot be staged: registers are `Copy`, bind the value";
pub(crate) const ASSIGN_PLACE: &str = "a place is not assigned with `=`: write `m.row_mut(i).assign(..)`, with a method that ends in `_mut`; it converts the \
     elements as CM does";
pub(crate) const ASSIGN_STAR: &str =
    "a place is changed without `*`: write `m.row_mut(i) += e`, or `m.row_mut(i).assign(e)` for `=`";
pub(crate) const ASSIGN_ELEMENT: &str =
    "an element is not assigned with `[..] =`: write `.get_mut(i).assign(..)`, in a matrix `.get_mut(i, j)`";
pub(crate) const UNTYPED_FORMAT: &str = "the new element type is not known here: write `.format::<T>()` for a vector, `.format::<T, R, C>()` for a matrix";
pub(crate) const BLOCK_BY_VALUE: &str =
    "a block is written by reference: write `&m`, or `&(a + b)` for the result of an operator";
pub(crate) const ASSIGN_TARGET: &str =
    "only a variable of this kernel can be assigned: declare it with `let mut`";
pub(crate) const NOT_MUTABLE: &str =
    "cannot assign twice to an immutable name of a kernel: declare it with `let mut`";
pub(crate) const VALUE: &str = "this is a value, not a place: places are taken with `select_mut`, `row_mut`, \
     `column_mut`, `get_mut` and `format_mut`";
pub(crate) const TWO_PLACES: &str = "two places of one register: a function may change one before it reads \
     the other; pass the register, or a copy, `let mut row = m.row(1);`";
pub(crate) const SHARED_PART: &str = "this is borrowed by `&`, which only reads: take it by `&mut`";
pub(crate) const ARRAY_SLICE: &str = "an array of registers has no slices: take its elements one by one, \
     `for i in 0..4 { .. acc[i] .. }`";
pub(crate) const ARRAY_CHANGE: &str = "registers and arrays of registers do not have this method: read the \
     elements of an array by `acc[i]`, and assign them, `acc[i] = ..` or `for a in &mut acc { *a = .. }`";
pub(crate) const TWO_ELEMENTS: &str = "a function cannot change one element of an array while it borrows another: pass \
     `&mut` of the array and the index of each element, or a copy, `let mut line = acc[1];`";
pub(crate) const NEGATIVE_OFFSET: &str =
    "a negative offset: rows, columns, elements and bytes are counted from 0";
pub(crate) const REPLICATE: &str =
    "`replicate` takes 1 to 4 constants: <REP>, <REP, W>, <REP, VS, W> or <REP, VS, W, HS>";
pub(crate) const MATCH_FLOAT: &str =
    "`match` compares integers: compare floats with `if`, e.g. `if x == 0.0 { .. } else { .. }`";
pub(crate) const MATCH_REST: &str =
    "every arm of this `match` has a guard, and no arm takes the rest: add a last arm, `_ => ..`";
pub(crate) const MATCH_TWICE: &str = "this pattern binds the name twice: give each number its own name";
pub(crate) const MATCH_ALTERNATIVES: &str = "the alternatives of a pattern must bind the same names: write an \
                                             arm for each";
pub(crate) const MATCH_CFG: &str = "an arm of a `match` on staged values has no `#[cfg]`: write it at a statement in the arm, \
                                    `0 => { #[cfg(..)] { .. } }`";
pub(crate) const CFG_PLACE: &str =
    "a statement of this form has no `#[cfg]`: write it at a block, `#[cfg(..)] { .. }`";
pub(crate) const CFG_PART: &str = "a part of an expression has no `#[cfg]` in a kernel: write the expression twice, in statements \
                                   with `#[cfg(..)]` and `#[cfg(not(..))]`";
pub(crate) const CFG_PARAMETER: &str = "a parameter has no `#[cfg]` in a kernel or function: write the function twice, with `#[cfg(..)]` \
                                        and `#[cfg(not(..))]`";
pub(crate) const CFG_FIELD: &str = "a field has no `#[cfg]` in a structure of registers: write the structure twice, with `#[cfg(..)]` \
                                    and `#[cfg(not(..))]`";
pub(crate) const CFG_KIND: &str = "if `#[cfg]` removes this `let`, the name is an earlier one of another kind, as a `let` and a \
                                   `let mut` are: use another name";
pub(crate) const FORMAT: &str =
    "`format` takes an element type, or one and two sizes: `format::<T>()` or `format::<T, R, C>()`";

pub(crate) const NOT_A_FUNCTION: &str = "`#[kernel]` and `#[function]` are for functions: \
     `fn name(input: &Surface2D, output: &mut Surface2D) { .. }`";
pub(crate) const KERNEL_RETURNS: &str =
    "a kernel returns nothing: write results to a `&mut Surface2D` or a `&mut Buffer<T>`";
pub(crate) const SURFACE_BY_VALUE: &str = "a kernel borrows its surfaces: take `&Surface2D` to read one, \
     `&mut Surface2D` to read and write it";
pub(crate) const SURFACE_3D_BY_VALUE: &str = "a kernel borrows its surfaces: take `&Surface3D` to read one, \
     `&mut Surface3D` to read and write it";
pub(crate) const BUFFER_BY_VALUE: &str = "a kernel borrows its buffers: take `&Buffer<T>` to read one, \
     `&mut Buffer<T>` to read and write it";
pub(crate) const VALUE_BY_REFERENCE: &str = "numbers and registers are passed to a kernel by value: \
     leave out the `&`, and write results to a `&mut Surface2D` or a `&mut Buffer<T>`";
pub(crate) const HOST_SIZE_ARGUMENT: &str = "a kernel has no arguments of type `usize` or `isize`, whose size differs \
     between devices: take `u32`, or a const generic for a size, `fn k<const N: usize>(..)`";
pub(crate) const BOOL_ARGUMENT: &str = "a kernel has no arguments of type `bool`: take `u32` and compare, \
     `if flag != 0 { .. }`, or a const generic, `fn k<const FLAG: bool>(..)`";
pub(crate) const ARRAY_ARGUMENT: &str = "a kernel has no arrays as arguments: take a `Vector<T, N>`, which \
     `Vector::from_array` makes, or a `&Buffer<T>` for a table; of surfaces or buffers, take one parameter for each, and write \
     `[a, b]` in the kernel";
pub(crate) const HOST_ARGUMENT: &str = "this is a type of the host: kernels take numbers up to 64 bits, \
     `Vector` and `Matrix` by value, surfaces and buffers by reference";
pub(crate) const SLICE_ARGUMENT: &str =
    "a kernel takes no slices: take `&Buffer<T>` to read memory, `&mut Buffer<T>` to read and write it";
pub(crate) const POINTER_ARGUMENT: &str = "a kernel has no pointers: take `&Buffer<T>` to read memory, `&mut Buffer<T>` to read \
     and write it, and count its elements from 0";
pub(crate) const CALLED_ARGUMENT: &str = "a kernel calls only functions that are known when it is compiled: take a number and choose \
     by `match`, or a const parameter, `fn k<const FILTER: u32>(..)`";
pub(crate) const ARGUMENTS_FIELDS: &str = "`Arguments` is derived for structures with named fields, each of \
     which is an argument: `struct Images<'a> { input: &'a Surface2D, output: &'a mut Surface2D }`";
pub(crate) const ARGUMENTS_GENERICS: &str = "a structure of arguments is generic over lifetimes and constants \
     only: name the type of each field";
pub(crate) const REGISTERS_FIELDS: &str = "`#[registers]` is for structures with named fields: \
     `struct Motion { cost: i32, line: Vector<i16, 16> }`";
pub(crate) const ENUM_FIELDS: &str = "the fields of an `enum` are values of the host, known when the kernel is recorded: registers are \
     in structures, and in tuples beside the `enum`";
pub(crate) const ENUM_GENERICS: &str = "`#[registers]` is for an `enum` with variants and without generics, on which a function decides \
     by `match`: its values are known when the kernel is recorded";
pub(crate) const REGISTERS_GENERICS: &str = "a structure of registers is generic over constants only: name the type of \
     each field";
pub(crate) const REGISTERS_ITEMS: &str = "an `impl` block with `#[registers]` has functions and constants: write other items beside \
     it";
pub(crate) const OPERATOR_ITEMS: &str = "an operator of a structure has the function of its trait and, unless it assigns, its result: \
     write `type Output = ..;`, and other items in a block without a trait";
pub(crate) const OPERATOR_SIGNATURE: &str = "the function of an operator has the parameters of its trait: `self` or `mut self`, and \
     the right operand if there is one; that of an assignment has `&mut self`";
pub(crate) const OPERATOR_LEFT: &str = "the left operand of an operator is the structure: write `impl Mul<i32> for Motion`, \
     and `motion * 2` in kernels";
pub(crate) const OPERATOR_REFERENCE: &str =
    "an operator of a structure takes its right operand by value: registers are `Copy`";
pub(crate) const REGISTERS_OWNER: &str =
    "methods are those of a structure with `#[registers]`: `#[registers] impl Motion { .. }`";
pub(crate) const ORDER_OF_NUMBERS: &str = "`min`, `max` and `clamp` of a host number take host numbers: write \
     `math::min::<u32, _>(n, 4)` or `math::max::<u32, _>(n, 4)`, with the type of the result, and a staged number first; \
     `clamp` is both: `math::min::<u32, _>(math::max::<u32, _>(n, 4), 9)`";
pub(crate) const INTO_OF_NUMBERS: &str = "staged numbers have no `.into()`: write `x as u64`, or leave the conversion out \
     where any number is taken";
pub(crate) const METHOD_NAME: &str = "registers have a method of this name, for which the macros have rules: \
     give this one another name";
pub(crate) const CONSTRUCTOR_NAME: &str = "`Matrix` and `Vector` have a function of this name, for which the macros have rules: give \
     this one another name";
pub(crate) const METHOD_SELF: &str =
    "a method of kernels takes its structure as such: write `self`, `mut self`, `&self` or `&mut self`";
pub(crate) const FUNCTION_SELF: &str = "a method of kernels is in an `impl` block with `#[registers]`, which takes the place of \
     `#[function]`: `#[registers] impl Motion { fn cost(&self) -> i32 { .. } }`";
pub(crate) const REGISTERS_REFERENCE: &str = "a field is a value: a number, a register, an array, or another structure \
     with `#[registers]`; functions take surfaces and buffers as separate parameters";
pub(crate) const REGISTERS_DERIVE: &str = "this trait cannot be derived for a structure of registers: compare its fields in \
     the kernel, and write a function that returns the first value; `Clone` and `Copy` are implemented already";
pub(crate) const IMPL_TRAIT: &str = "`impl Trait` cannot be staged: name the type";
pub(crate) const SELF: &str = "a kernel is a free function: it has no `self`";
pub(crate) const RETURNS_REFERENCE: &str = "functions of kernels return values, not references: return a copy, or nothing after a change \
     by `&mut self`";
pub(crate) const PATTERN: &str =
    "parameters of a kernel are plain names: write `name: Type`, and take it apart by `let` in the body";
pub(crate) const SIGNATURE: &str = "kernels and functions are plain `fn`: without `const`, `async`, `unsafe`, `extern` or variadic arguments";
pub(crate) const LIFETIME: &str =
    "kernels and functions have no lifetime parameters: references in them are elided";
pub(crate) const KERNEL_MUT_VALUE: &str = "a parameter of a kernel cannot be `mut`: write `let mut x = name;` in the \
     body";
pub(crate) const ATTRIBUTE: &str = "unknown argument of this attribute: it takes none, or \
     `crate = path::to::cm` and `register_file = 8192`";
pub(crate) const ARGUMENTS_FILE: &str =
    "`register_file` is for kernels and functions: write it at the kernel that takes this structure";
pub(crate) const REGISTER_FILE: &str = "the size of a register file in bytes: 4096, 8192 or 16384";
pub(crate) const EXCHANGE: &str = "variables of a kernel cannot be swapped by reference, because a swap \
     under a staged condition would always happen: assign through a third one, `let old = a; a = b; b = \
     old;`";
