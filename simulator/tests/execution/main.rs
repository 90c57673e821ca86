//! Execution units, compared with the meaning of each instruction and with a recorded corpus, and run on
//! invalid code.

mod barriers;
mod control_flow;
mod corpus;
mod exec;
mod faults;
mod floats;
mod integers;
mod lsc;
mod matrices;
mod messages;
mod newer;
mod number;
mod scoreboard;
mod scratch;
mod stage;
mod types;
