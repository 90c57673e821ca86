//! Execution units against the meaning of each instruction, against a recorded corpus, and with bad code.

mod control_flow;
mod corpus;
mod exec;
mod faults;
mod floats;
mod integers;
mod messages;
mod stage;
