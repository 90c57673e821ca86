//! Kernels in machine code with the arguments of their functions.

use cm::Target;
use cm::compiler::elem::ElemType;
use cm::compiler::ops::Texel;
use cm::ir::{Function, Grid, ParamKind, Type};
use cm::spirv::{LinearShape, pointers, pointers_with_linear_surfaces};
use cm_simulator::dispatch::{Prefetch, Shape};
use cm_simulator::launch::World;

use crate::arguments::{Argument, HEIGHT, WIDTH, grid};
use crate::code::{Code, single};

/// The locations of the arguments of a kernel in its binary.
#[derive(Clone, Debug)]
pub struct Binding {
    arguments: Vec<Bound>,
    /// The buffer parameters whose address the kernel also takes, and the location of the address.
    addresses: Vec<(usize, usize)>,
}

impl Binding {
    /// The address of a buffer and its location, if the kernel takes the address.
    fn address(&self, parameter: usize) -> Option<(u64, usize)> {
        let (_, offset) = self.addresses.iter().find(|(addressed, _)| *addressed == parameter)?;
        Some((0x6000_0000_0000 + ((parameter as u64) << 32), *offset))
    }
}

/// An argument, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Bound {
    parameter: usize,
    /// The index of a surface or buffer, unless the kernel does not use it.
    index: Option<u32>,
    /// The location of a part of a value, its size, and its offset in the value.
    offset: usize,
    size: usize,
    from: usize,
}

impl Code {
    /// The entry of the binding table of a parameter that is a surface or buffer, if the kernel uses it.
    #[must_use]
    pub fn entry(&self, parameter: usize) -> Option<u32> {
        let mut arguments = self.kernel.arguments.iter();
        let found = arguments.find(|argument| argument.number as usize == parameter)?;
        u32::try_from(found.surface).ok()
    }

    /// The locations of the arguments of its function, if it was compiled for this target.
    ///
    /// # Errors
    /// If it has arguments that are not parameters.
    pub fn binding(&self, function: &Function, target: Target) -> Result<Binding, String> {
        self.bound(function.params.len(), &pointers(function, target))
    }

    /// The same if it was compiled with surfaces in buffers.
    ///
    /// # Errors
    /// As [`binding`](Self::binding).
    pub fn linear_binding(&self, function: &Function, target: Target) -> Result<Binding, String> {
        // The shapes of surfaces follow the parameters.
        let is_surface = |kind| {
            matches!(kind, ParamKind::Surface { .. } | ParamKind::Surface3d { .. } | ParamKind::View { .. })
        };
        let surfaces = function.params.iter().filter(|param| is_surface(param.kind)).count();
        self.bound(function.params.len() + surfaces, &pointers_with_linear_surfaces(function, target))
    }

    /// The locations of `count` parameters and of the addresses of some of them, which follow.
    fn bound(&self, count: usize, addressed: &[usize]) -> Result<Binding, String> {
        let (mut arguments, mut addresses) = (vec![], vec![]);
        for argument in &self.kernel.arguments {
            let (parameter, offset) = (argument.number as usize, argument.offset as usize);
            if let Some(buffer) = parameter.checked_sub(count).and_then(|n| addressed.get(n)) {
                addresses.push((*buffer, offset));
                continue;
            }
            if parameter >= count {
                return Err(format!("an argument without a parameter: {argument:?}"));
            }
            let (size, from) = (argument.size as usize, argument.source as usize);
            arguments.push(Bound {
                parameter,
                index: u32::try_from(argument.surface).ok(),
                offset,
                size,
                from,
            });
        }
        Ok(Binding { arguments, addresses })
    }

    /// Executes it on the arguments of its function, for each thread of [`grid`] in raster order. Returns the
    /// arguments afterwards.
    ///
    /// # Errors
    /// The reason why it stopped: a fault, or an instruction count so high that the program seems to run
    /// forever.
    pub fn execute(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        self.execute_on(grid(function), binding, arguments)
    }

    /// The same if it was compiled with surfaces in buffers: `binding` is the [linear one](Self::linear_binding).
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_in_buffers(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        let shape = LinearShape {
            pitch: WIDTH,
            width: WIDTH,
            height: HEIGHT,
            slices: None,
            period: 1,
            replaced: None,
            texel: Texel::Byte,
        };
        let is_surface = |argument: &Argument| matches!(argument, Argument::Surface(_));
        let in_buffer = |argument: &Argument| match argument {
            Argument::Surface(bytes) => Argument::Buffer(bytes.clone()),
            other => other.clone(),
        };
        let mut all: Vec<Argument> = arguments.iter().map(in_buffer).collect();
        all.extend(arguments.iter().filter(|argument| is_surface(argument)).map(|_| shape_argument(shape)));
        let after = self.execute((function, binding), &all)?;
        let as_before = |(before, after): (&Argument, Argument)| match after {
            Argument::Buffer(bytes) if is_surface(before) => Argument::Surface(bytes),
            other => other,
        };
        Ok(arguments.iter().zip(after).map(as_before).collect())
    }

    /// The same for `columns` times `rows` threads.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn execute_on(
        &self,
        threads: (usize, usize),
        binding: &Binding,
        arguments: &[Argument],
    ) -> Result<Vec<Argument>, String> {
        let run = (single(threads), binding);
        self.run_in(&mut World::default(), run, arguments).map(|(after, _)| after)
    }

    /// The bytes that an execution brings to caches: the parameter, its first byte, and the number of bytes.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub fn prefetched(
        &self,
        (function, binding): (&Function, &Binding),
        arguments: &[Argument],
    ) -> Result<Vec<(usize, u64, usize)>, String> {
        let mut world = World::default();
        world.record_prefetches();
        self.run_in(&mut world, (single(grid(function)), binding), arguments)?;
        let place = |Prefetch { surface, address, bytes }| {
            let of = |bound: &&Bound| bound.index.is_some() && bound.index == surface;
            if let Some(bound) = binding.arguments.iter().find(of) {
                return Ok((bound.parameter, address, bytes));
            }
            let found = binding.addresses.iter().find_map(|&(parameter, _)| {
                let (start, _) = binding.address(parameter)?;
                let offset = address.checked_sub(start).filter(|offset| *offset < 1 << 32)?;
                Some((parameter, offset, bytes))
            });
            found.ok_or_else(|| format!("a prefetch of {bytes} bytes from {address:#x} of no argument"))
        };
        world.prefetched().into_iter().map(place).collect()
    }

    pub(crate) fn run_in(
        &self,
        world: &mut World,
        (grid, binding): (Grid, &Binding),
        arguments: &[Argument],
    ) -> Result<(Vec<Argument>, u64), String> {
        let (mut uniforms, mut places) = (vec![], vec![]);
        for &Bound { parameter, index, offset, size, from } in &binding.arguments {
            match (&arguments[parameter], index) {
                (Argument::Surface(bytes), Some(index)) => {
                    world.bind(index, Shape::rows(WIDTH as u32, HEIGHT as u32, WIDTH as u32, 1), bytes);
                    places.push((parameter, Place::Entry(index)));
                }
                (Argument::Buffer(bytes), index) => match (binding.address(parameter), index) {
                    (None, Some(index)) => {
                        world.bind(index, Shape::buffer(bytes.len() as u32), bytes);
                        places.push((parameter, Place::Entry(index)));
                    }
                    (Some((address, offset)), index) => {
                        world.map(address, bytes);
                        uniforms.push((offset, address.to_le_bytes().to_vec()));
                        let bound = index.is_none_or(|index| world.alias(index, address, bytes.len() as u32));
                        assert!(bound, "a buffer over memory that was just mapped");
                        places.push((parameter, Place::Address(address)));
                    }
                    // Not used by the kernel.
                    (None, None) => {}
                },
                (Argument::Uniform(_, bytes), _) => {
                    let part = (from..from + size).map(|n| bytes.get(n).copied().unwrap_or(0));
                    uniforms.push((offset, part.collect()));
                }
                (Argument::Surface(_), None) => {}
            }
        }
        let values: Vec<(usize, &[u8])> =
            uniforms.iter().map(|(offset, bytes)| (*offset, &bytes[..])).collect();
        let count = self.launch(grid, &values, world)?;
        let mut after = arguments.to_vec();
        for (parameter, place) in places {
            let bytes = match place {
                Place::Entry(entry) => world.bound(entry),
                Place::Address(address) => world.mapped(address),
            };
            match &mut after[parameter] {
                Argument::Surface(old) | Argument::Buffer(old) | Argument::Uniform(_, old) => {
                    *old = bytes.expect("a bound argument");
                }
            }
        }
        Ok((after, count))
    }
}

/// The argument with the layout of a surface in a buffer.
pub(crate) fn shape_argument(shape: LinearShape) -> Argument {
    let ty = Type::new(ElemType::I32, 1, LinearShape::BYTES / 4);
    Argument::Uniform(ty, shape.bytes().to_vec())
}

/// The location of the bytes of an argument during a launch.
enum Place {
    Entry(u32),
    Address(u64),
}
