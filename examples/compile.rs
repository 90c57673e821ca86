//! `compile`: compiles kernels for other programs, so that a crash of the driver's compiler does not kill
//! those programs.
//!
//! ```text
//! cargo build --release --example compile
//! CM_COMPILER=target/release/examples/compile a-program-that-uses-cm
//! ```

fn main() -> std::io::Result<()> {
    cm::compile_for_parent()
}
