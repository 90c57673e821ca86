//! The output of `printf!`: a text with placeholders, and the values in them as text.
//!
//! Every execution of a kernel writes its values with [`Template::render`], so that all print the same words.
//!
//! ```text
//! hole <- number <- template <- parse
//! ```

mod hole;
mod number;
mod parse;
mod template;

pub use hole::{Align, Hole, Layout, Style};
pub use parse::TemplateError;
pub use template::{Piece, Printed, Template};

#[cfg(test)]
mod tests;
