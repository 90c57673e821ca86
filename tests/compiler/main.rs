//! From a kernel to machine code: recording, the IR and what it means, modules, and what Intel's compiler
//! makes of them.

mod dpas;
mod golden;
mod instructions;
mod interpreter;
mod machine_code;
mod newest;
mod ocloc;
mod programs;
mod recording;
mod simt;
