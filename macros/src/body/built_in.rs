//! The treatment of one name that the macros know: the columns of the table in `built_ins.rs`.

use Generics::{Block, Usual};

/// How a name is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// `x.name(..)`
    Method,
    /// `name(..)`
    Function,
    /// `Type::name(..)`
    Constructor,
}

/// The kind of an argument. Literals of all kinds except values become types, which `cargo check` can check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    Value,
    /// A number for each lane. A single number is a literal with its default type: the shape follows from it.
    Lanes,
    /// A number of rows, columns or elements.
    Offset,
    /// A number of bytes.
    Bytes,
    /// A number of bytes that may be negative.
    Column,
    /// The start of a block: an offset in bytes, or the coordinates of a surface.
    Start {
        /// Whether the block must start at a whole dword of its row.
        aligned: bool,
    },
}

/// The arguments that are not values.
#[derive(Clone, Copy)]
pub(super) enum Arguments {
    All(Argument),
    At(usize, Argument),
    /// The first one, in calls with as many arguments as this.
    FirstOf(usize, Argument),
}

/// The generic arguments of a function after the written ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Generics {
    /// The backend, after constants.
    Usual,
    /// The type of the start of the block, and the backend, after constants.
    Block,
    /// The backend alone: no argument names it.
    FromBackend,
    /// The size of the sub-group, which may be left to inference, and the backend: no argument names it.
    FromSize,
}

/// The type of the elements that a function computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultElements {
    /// It follows from the types of the operands.
    OfOperands,
    /// It is the first generic argument.
    Named,
}

/// The type of literals without one among the operands of a function after the first, if it is called as `math::name`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Literals {
    /// Rust's default.
    Own,
    /// That of the elements of the other operands.
    OfOperands,
    /// The same for integers. Floats are a mistake, which rustc reports.
    OfIntegers,
    /// `f32` for floats: the function takes no `f64`.
    Single,
}

/// CM has one name where Rust needs one name per number of constants.
#[derive(Clone, Copy)]
pub(super) struct Overloads {
    pub(super) names: &'static [(usize, &'static str)],
    /// The message for other numbers.
    pub(super) message: &'static str,
}

/// The treatment of one name.
#[derive(Clone, Copy)]
pub(super) struct BuiltIn {
    pub(super) call: Call,
    pub(super) name: &'static str,
    /// Whether the row applies to every name with this prefix.
    pub(super) family: bool,
    pub(super) arguments: Arguments,
    pub(super) overloads: Option<Overloads>,
    pub(super) generics: Generics,
    /// The number of arguments of a function that gets its backend here; a call with another number is one of the user's own.
    pub(super) count: usize,
    /// The name that it has in kernels, if that is another.
    pub(super) renamed: Option<&'static str>,
    /// Whether it has a form `name_any` that is checked when the kernel is recorded, for functions with
    /// generic sizes.
    pub(super) checked: bool,
    /// The number of its generic parameters, if its result must fit the register file: it has a form `name_in` with the size
    /// of the register file as one more parameter.
    pub(super) of_file: Option<usize>,
    /// Whether surfaces, buffers, shared memory or barriers have it, and no registers.
    pub(super) of_memory: bool,
    /// Whether only registers and staged scalars have it, so that a literal in its receiver meets one of
    /// these.
    pub(super) of_registers: bool,
    /// Whether it converts every element.
    pub(super) converts: bool,
    /// Whether it returns a value, which cannot be changed.
    pub(super) gives_value: bool,
    /// Whether it returns part of a surface, which functions take by `&mut` like surfaces.
    pub(super) gives_surface: bool,
    /// Whether it changes the elements of its receiver.
    pub(super) assigns: bool,
    /// Whether it has a form `assign_tree`, which converts a tree of operators while it computes it.
    pub(super) converts_trees: bool,
    /// Whether its last operand is a mask, which may be a tree.
    pub(super) takes_mask: bool,
    /// Whether its first operand may be a tree of operators, if the function is called as `math::name`.
    pub(super) takes_trees: bool,
    /// The type of the operator that it is in trees, if the function is called as `math::name`, and whether its result is limited.
    pub(super) in_trees: Option<(&'static str, bool)>,
    /// The elements of its result, if the function is called as `math::name` and the result has the shape of its first
    /// operand.
    pub(super) elementwise: Option<ResultElements>,
    pub(super) literals: Literals,
    /// Whether it swaps the referents of its arguments.
    pub(super) exchanges: bool,
    /// Whether it moves a block, which no mask divides.
    pub(super) blocks: bool,
    /// Constants for the sizes of the block that it reads, by the number of its arguments: an example for messages. The
    /// result has these sizes, so that the call or the destination must show them.
    pub(super) sizes: &'static [(usize, &'static str)],
    /// Whether it returns a staged number. A function of `math` counts only if it is called as `math::name`.
    pub(super) gives_scalar: bool,
    /// Whether it writes elements by their numbers: it has a form `name_masked`, or is one.
    pub(super) scatters: bool,
    /// The number of arguments with which the last one may have elements of any type, so that a conversion in it must
    /// name its type.
    pub(super) any_elements_of: Option<usize>,
}

impl BuiltIn {
    pub(super) const fn new(call: Call, name: &'static str) -> Self {
        Self {
            call,
            name,
            family: false,
            arguments: Arguments::All(Argument::Value),
            overloads: None,
            generics: Usual,
            count: 0,
            renamed: None,
            checked: false,
            of_file: None,
            of_memory: false,
            of_registers: false,
            converts: false,
            gives_value: false,
            gives_surface: false,
            assigns: false,
            converts_trees: false,
            takes_mask: false,
            takes_trees: false,
            in_trees: None,
            elementwise: None,
            literals: Literals::Own,
            exchanges: false,
            blocks: false,
            sizes: &[],
            gives_scalar: false,
            scatters: false,
            any_elements_of: None,
        }
    }

    pub(super) const fn arguments(self, arguments: Arguments) -> Self {
        Self { arguments, ..self }
    }

    pub(super) const fn offsets(self) -> Self {
        self.arguments(Arguments::All(Argument::Offset))
    }

    /// A method of buffers; that of surfaces has one argument more.
    pub(super) const fn bytes_first_of(self, count: usize) -> Self {
        self.arguments(Arguments::FirstOf(count, Argument::Bytes))
    }

    /// The offsets of a scattered access.
    pub(super) const fn lanes(self, at: usize) -> Self {
        self.arguments(Arguments::At(at, Argument::Lanes))
    }

    pub(super) const fn start(self, aligned: bool) -> Self {
        Self { generics: Block, ..self.arguments(Arguments::At(1, Argument::Start { aligned })) }
    }

    pub(super) const fn overloads(
        self,
        names: &'static [(usize, &'static str)],
        message: &'static str,
    ) -> Self {
        Self { overloads: Some(Overloads { names, message }), ..self }
    }

    pub(super) const fn generics(self, generics: Generics) -> Self {
        Self { generics, ..self }
    }

    pub(super) const fn takes(self, count: usize) -> Self {
        Self { count, ..self }
    }

    pub(super) const fn renamed(self, name: &'static str) -> Self {
        Self { renamed: Some(name), ..self }
    }

    pub(super) const fn family(self) -> Self {
        Self { family: true, ..self }
    }

    pub(super) const fn checked(self) -> Self {
        Self { checked: true, ..self }
    }

    pub(super) const fn of_file(self, generics: usize) -> Self {
        Self { of_file: Some(generics), ..self }
    }

    pub(super) const fn of_registers(self) -> Self {
        Self { of_registers: true, ..self }
    }

    pub(super) const fn converts(self) -> Self {
        Self { converts: true, ..self }
    }

    pub(super) const fn gives_value(self) -> Self {
        Self { gives_value: true, ..self }
    }

    pub(super) const fn assigns(self) -> Self {
        Self { assigns: true, ..self }
    }

    pub(super) const fn converts_trees(self) -> Self {
        Self { converts_trees: true, ..self }
    }

    pub(super) const fn takes_mask(self) -> Self {
        Self { takes_mask: true, ..self }
    }

    pub(super) const fn takes_trees(self) -> Self {
        Self { takes_trees: true, ..self }
    }

    /// The operator `name` of trees.
    pub(super) const fn in_trees(self, name: &'static str) -> Self {
        Self { in_trees: Some((name, false)), ..self.takes_trees() }
    }

    /// The operator `name` of trees, whose result is limited.
    pub(super) const fn in_trees_limited(self, name: &'static str) -> Self {
        Self { in_trees: Some((name, true)), ..self.takes_trees() }
    }

    pub(super) const fn elementwise(self, elements: ResultElements) -> Self {
        Self { elementwise: Some(elements), ..self }
    }

    pub(super) const fn literals(self, literals: Literals) -> Self {
        Self { literals, ..self }
    }

    pub(super) const fn blocks(self) -> Self {
        Self { blocks: true, ..self }
    }

    pub(super) const fn scatters(self) -> Self {
        Self { scatters: true, ..self }
    }

    pub(super) const fn gives_surface(self) -> Self {
        Self { gives_surface: true, ..self }
    }

    pub(super) const fn sizes(self, sizes: &'static [(usize, &'static str)]) -> Self {
        Self { sizes, ..self }
    }

    pub(super) const fn gives_scalar(self) -> Self {
        Self { gives_scalar: true, ..self }
    }

    pub(super) const fn exchanges(self) -> Self {
        Self { exchanges: true, ..self }
    }

    pub(super) const fn any_elements_of(self, count: usize) -> Self {
        Self { any_elements_of: Some(count), ..self }
    }

    pub(super) fn is(&self, call: Call, name: &str) -> bool {
        self.call == call && if self.family { name.starts_with(self.name) } else { name == self.name }
    }

    /// Whether the last of this number of arguments may have elements of any type.
    pub(super) fn takes_any_elements(&self, count: usize) -> bool {
        self.any_elements_of == Some(count)
    }

    /// Whether a call with this number of arguments may be one of the function, whose backend the macros name.
    pub(super) fn may_take(&self, count: usize) -> bool {
        matches!(self.generics, Usual | Block) || self.count == count
    }

    /// Whether one of so many arguments is not a value.
    pub(super) fn takes_literals(&self, count: usize) -> bool {
        (0..count).any(|n| self.argument(n, count) != Argument::Value)
    }

    /// Whether it is not one of these names.
    pub(super) fn is_other(&self) -> bool {
        self.name.is_empty()
    }

    /// An example of the sizes of the block that it reads with this number of arguments.
    pub(super) fn sizes_of(&self, count: usize) -> Option<&'static str> {
        self.sizes.iter().find(|(of, _)| *of == count).map(|(_, sizes)| *sizes)
    }

    /// The kind of argument number `n` of `count`.
    pub(super) fn argument(&self, n: usize, count: usize) -> Argument {
        match self.arguments {
            Arguments::All(argument) => argument,
            Arguments::At(at, argument) if n == at => argument,
            Arguments::FirstOf(of, argument) if n == 0 && count == of => argument,
            _ => Argument::Value,
        }
    }

    /// The name of the form for this number of constants, or the message for a wrong number; `None` if there is only
    /// one form.
    pub(super) fn overload(&self, constants: usize) -> Option<Result<&'static str, &'static str>> {
        let overloads = self.overloads?;
        let found = overloads.names.iter().find(|(of, _)| *of == constants);
        Some(found.map(|(_, name)| *name).ok_or(overloads.message))
    }
}

pub(super) const fn method(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Method, name)
}

pub(super) const fn of_memory(name: &'static str) -> BuiltIn {
    BuiltIn { of_memory: true, ..method(name) }
}

pub(super) const fn function(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Function, name)
}

pub(super) const fn constructor(name: &'static str) -> BuiltIn {
    BuiltIn::new(Call::Constructor, name)
}
