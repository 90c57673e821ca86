//! From a kernel to machine code: recording, the IR and its meaning, modules, and the output of Intel's
//! compiler.

mod dpas;
mod golden;
mod instructions;
mod interpreter;
mod kernels;
mod machine_code;
mod newest;
mod ocloc;
mod programs;
mod recording;
mod regressions;
mod simt;
mod transforms;
mod unsupported;
