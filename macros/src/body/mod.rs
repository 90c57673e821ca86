//! The body: statements and expressions, rewritten in place.
//!
//! Most files add the methods for their part of Rust's syntax to the `Stager`, which call each other along the nesting of the
//! syntax. The others are what these ask: questions about syntax alone, and tables of names.

mod alone;
mod arms;
mod around;
mod assign;
mod built_in;
mod built_ins;
mod call_arguments;
mod calls;
mod captured;
mod conditions;
mod contains;
mod control;
mod elements;
mod exits;
mod expressions;
mod following;
mod functions_in_trees;
mod if_lets;
mod in_place;
mod lanes;
mod lent;
mod let_else;
mod literals;
mod locals;
mod matches;
mod memory;
mod method_calls;
mod numbers;
mod operands;
mod parts;
mod passed;
mod patterns;
mod pending;
mod printing;
mod ranges;
mod simd;
mod sizes;
mod stack_slots;
mod stager;
mod statements;
mod strips;
mod trees;
mod tuples;
mod types;
mod uses;

pub(crate) use built_ins::{
    is_known_constructor, is_method_of_registers, name_in_generics, other_name_of_constructor,
};
pub(crate) use conditions::PartConditions;
pub(crate) use elements::Elements;
pub(crate) use if_lets::IfLets;
pub(crate) use parts::depth_of_array;
pub(crate) use stager::{Nested, Stager};
pub(crate) use types::{OfMasks, is_number_type};
