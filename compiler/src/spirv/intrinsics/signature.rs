//! The names and types of intrinsics.

use crate::spirv::types::{ImageKind, ParameterAccess, Ty};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::spirv) enum Param {
    /// A value.
    Value(Ty),
    /// An image.
    Image(ImageKind, ParameterAccess),
    /// A buffer.
    Buffer(ParameterAccess),
}

impl Param {
    /// The spelling in names of intrinsics.
    fn mangled(self) -> String {
        match self {
            Self::Value(ty) => ty.mangled(),
            Self::Image(kind, access) => format!("p1opencl.{}_{}_t", kind.mangled(), access.mangled()),
            Self::Buffer(access) => format!("p1intel.buffer_{}_t", access.mangled()),
        }
    }
}

/// A type in a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A fixed type.
    Fixed(Ty),
    /// Any type; all slots with the same number have the same type.
    Var(usize),
    /// Any image.
    Image,
    /// Any buffer.
    Buffer,
}

/// The most type variables of a signature.
pub(super) const VARS: usize = 3;

/// A row of the table.
pub(super) struct Row {
    /// The name without its type suffixes.
    pub(super) name: &'static str,
    /// The type suffixes.
    pub(super) spelt: &'static [Slot],
    pub(super) arguments: &'static [Slot],
    pub(super) result: Option<Slot>,
    /// The condition for the type variables.
    pub(super) rule: fn(Vars) -> bool,
}

/// The types that the type variables stand for.
pub(super) type Vars = [Ty; VARS];

impl Row {
    /// The slots of a signature with their actual types.
    fn filled(&self, result: Option<Ty>, parameters: &[Param]) -> impl Iterator<Item = (Slot, Param)> {
        let arguments = self.arguments.iter().copied().zip(parameters.iter().copied());
        arguments.chain(self.result.zip(result.map(Param::Value)))
    }

    /// The values of the type variables, each from its first slot.
    fn vars(&self, result: Option<Ty>, parameters: &[Param]) -> Vars {
        let mut vars = [None; VARS];
        for filled in self.filled(result, parameters) {
            if let (Slot::Var(n), Param::Value(ty)) = filled {
                vars[n].get_or_insert(ty);
            }
        }
        vars.map(|ty| ty.unwrap_or(Ty::BOOL))
    }

    pub(super) fn name(&self, result: Option<Ty>, parameters: &[Param]) -> String {
        let vars = self.vars(result, parameters);
        let mut name = self.name.to_owned();
        for slot in self.spelt {
            let spelt = match slot {
                Slot::Fixed(ty) => Some(Param::Value(*ty)),
                Slot::Var(n) => Some(Param::Value(vars[*n])),
                Slot::Image | Slot::Buffer => parameters.first().copied(),
            };
            if let Some(spelt) = spelt {
                name.push('.');
                name.push_str(&spelt.mangled());
            }
        }
        name
    }

    pub(super) fn fits(&self, result: Option<Ty>, parameters: &[Param]) -> bool {
        let vars = self.vars(result, parameters);
        let same = |(slot, param): (Slot, Param)| match (slot, param) {
            (Slot::Fixed(expected), Param::Value(ty)) => ty == expected,
            (Slot::Var(n), Param::Value(ty)) => ty == vars[n],
            (Slot::Image, Param::Image(..)) | (Slot::Buffer, Param::Buffer(_)) => true,
            _ => false,
        };
        self.result.is_some() == result.is_some()
            && self.arguments.len() == parameters.len()
            && self.filled(result, parameters).all(same)
            && (self.rule)(vars)
    }
}
