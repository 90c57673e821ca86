//! Functions: a name, parameters, and a body.

use rustc_hash::FxHashMap;

use super::inst::{Block, Inst, Op};
use super::view::View;
use crate::elem::ElemType;
use crate::limits;
use crate::ops::{Address, MemoryKind};

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in the source.
    pub name: String,
    /// The kind of argument.
    pub kind: ParamKind,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// The number of named barriers of a group.
    pub named_barriers: usize,
    /// Bytes of the register file that it is written for: its objects are smaller, and so it needs a register file of
    /// this size.
    pub register_file: usize,
    /// Its body.
    pub body: Block,
}

impl Function {
    /// A kernel without named barriers, for the register file that every GPU has: 4096 bytes.
    ///
    /// ```
    /// use cm::ir::{Block, Function};
    ///
    /// let empty = Function::new("empty", vec![], Block::default());
    /// assert_eq!(empty.register_file, 4096);
    /// assert_eq!(empty.named_barriers, 0);
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, params: Vec<Param>, body: Block) -> Self {
        Self { name: name.into(), params, named_barriers: 0, register_file: limits::REGISTER_FILE, body }
    }

    /// Whether it uses the division of threads into groups. If not, each thread can be a separate group.
    #[must_use]
    pub fn uses_groups(&self) -> bool {
        let shows = |op: &Op| match op {
            Op::Thread(id) => id.is_of_groups(),
            Op::Sync(..) => true,
            _ => false,
        };
        self.shared().next().is_some() || self.body.instructions().any(|inst| shows(&inst.op))
    }

    /// Whether the threads of a group wait for each other.
    #[must_use]
    pub fn has_barriers(&self) -> bool {
        self.named_barriers > 0 || self.has_group_barriers()
    }

    /// Whether all threads of a group wait for each other.
    #[must_use]
    pub fn has_group_barriers(&self) -> bool {
        self.body.instructions().any(|inst| inst.op.is_group_barrier())
    }

    /// The parameters that modules and the interpreter take an argument for: those of the source, then the views.
    pub fn passed(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| !matches!(param.kind, ParamKind::Shared { .. }))
    }

    /// The views of surfaces, with their parameters.
    pub fn views(&self) -> impl Iterator<Item = (usize, View)> {
        self.params.iter().enumerate().filter_map(|(param, declared)| match declared.kind {
            ParamKind::View { view, .. } => Some((param, view)),
            _ => None,
        })
    }

    /// The parameter for this view; `None` if the kernel does not use it.
    #[must_use]
    pub fn shows(&self, wanted: View) -> Option<usize> {
        let mut views = self.views();
        if wanted == View::whole(wanted.of) {
            return Some(wanted.of);
        }
        views.find(|(_, view)| *view == wanted).map(|(param, _)| param)
    }

    /// The view of a surface parameter.
    #[must_use]
    pub fn shown(&self, param: usize) -> View {
        match self.params.get(param).map(|param| param.kind) {
            Some(ParamKind::View { view, .. }) => view,
            _ => View::whole(param),
        }
    }

    /// Whether a parameter is a surface with typed accesses.
    #[must_use]
    pub fn is_typed(&self, param: usize) -> bool {
        self.surface_accesses().any(|(_, of, typed)| typed && of == param)
    }

    /// An access to a surface that has typed accesses and others: the first that is not like those before.
    #[must_use]
    pub fn mixed_accesses(&self) -> Option<&Inst> {
        let mut found = FxHashMap::default();
        let mut accesses = self.surface_accesses();
        accesses.find(|(_, of, typed)| *found.entry(*of).or_insert(*typed) != *typed).map(|(inst, ..)| inst)
    }

    /// The accesses to surfaces, which surface each is to, and whether it is a typed one.
    fn surface_accesses(&self) -> impl Iterator<Item = (&Inst, usize, bool)> {
        self.body.instructions().filter_map(|inst| {
            let Op::Access { kind, param, .. } = &inst.op else { return None };
            let spec = kind.spec();
            let typed = matches!(spec.address, Address::Texels(_));
            (spec.memory == MemoryKind::Surface).then(|| (inst, self.shown(*param).of, typed))
        })
    }

    /// The arrays that the threads of a group share, each aligned to an oword.
    pub fn shared(&self) -> impl Iterator<Item = SharedArray> {
        let mut end = 0_usize;
        self.params.iter().enumerate().filter_map(move |(param, declared)| {
            let ParamKind::Shared { elem, elements } = declared.kind else { return None };
            let (start, bytes) = (end, elements.saturating_mul(elem.bytes()));
            end = limits::shared_end(start, bytes);
            Some(SharedArray { param, start, bytes })
        })
    }

    /// Bytes of the largest scattered elements of each parameter; 0 if it has no such accesses. A buffer that ends inside
    /// of such an element needs a module with ends (`spirv::Options::ends`).
    #[must_use]
    pub fn largest_elements(&self) -> Vec<usize> {
        let mut largest = vec![0; self.params.len()];
        for inst in self.body.instructions() {
            if let Op::Access { kind, param, .. } = &inst.op
                && matches!(kind.spec().address, Address::Elements | Address::Vectors)
                && let (Some(most), Some(elem)) = (largest.get_mut(*param), inst.ty.elem())
            {
                *most = elem.bytes().max(*most);
            }
        }
        largest
    }

    /// Bytes of shared local memory of a group.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        self.shared().last().map_or(0, |array| limits::shared_end(array.start, array.bytes))
    }
}

/// The kind of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParamKind {
    /// A surface, written `&Surface2D` or `&mut Surface2D`.
    Surface {
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// A 3-D surface, written `&Surface3D` or `&mut Surface3D`.
    Surface3d {
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// A buffer, written `&Buffer<T>` or `&mut Buffer<T>`.
    Buffer {
        /// Its element type.
        elem: ElemType,
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// A value that is the same for all threads.
    Uniform {
        /// Its element type.
        elem: ElemType,
        /// Its rows; 1 for vectors and scalars.
        rows: usize,
        /// Its columns; 1 for scalars.
        columns: usize,
    },
    /// Part of the surface of another parameter, `s.plane(..)` or `s.top_field()`. The launch passes it after its other
    /// arguments.
    View {
        /// The part and its parameter.
        view: View,
        /// Whether the kernel may write it.
        writable: bool,
    },
    /// An array that the threads of a group share, `slm::<T, N>()`. The launch creates it; nothing is passed.
    Shared {
        /// Its element type.
        elem: ElemType,
        /// Its elements.
        elements: usize,
    },
}

/// The position of an array of shared local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedArray {
    /// Its parameter.
    pub param: usize,
    /// Its first byte in the memory of the group.
    pub start: usize,
    /// Its bytes.
    pub bytes: usize,
}

impl ParamKind {
    /// The kind of memory; `None` for a value.
    #[must_use]
    pub const fn memory(self) -> Option<MemoryKind> {
        match self {
            Self::Surface { .. } | Self::View { .. } => Some(MemoryKind::Surface),
            Self::Surface3d { .. } => Some(MemoryKind::Surface3d),
            Self::Buffer { .. } | Self::Shared { .. } => Some(MemoryKind::Buffer),
            Self::Uniform { .. } => None,
        }
    }

    /// Whether the kernel may write the memory.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        match self {
            Self::Surface { writable }
            | Self::Surface3d { writable }
            | Self::View { writable, .. }
            | Self::Buffer { writable, .. } => writable,
            Self::Shared { .. } => true,
            Self::Uniform { .. } => false,
        }
    }

    /// The kind of the parameter passed by `&mut`, or otherwise.
    #[must_use]
    pub const fn by(self, exclusive: bool) -> Self {
        match self {
            Self::Surface { .. } => Self::Surface { writable: exclusive },
            Self::Surface3d { .. } => Self::Surface3d { writable: exclusive },
            Self::Buffer { elem, .. } => Self::Buffer { elem, writable: exclusive },
            other => other,
        }
    }
}
