//! What is said while the run that is shown is a log: of a topic, and of the groups that read it.
//!
//! It goes as for a queue: facts first ([`remark`]), words second ([`words`]). Of what stands still,
//! was deleted or is out of step only what is so now is said; how it goes on is only told where every
//! record takes the same time and every partition has a reader that works ([`flow`]).

pub mod facts;
pub mod flow;
pub(super) mod holds;
pub(super) mod memory;
pub mod reached;
pub mod remark;
mod second_line;
pub mod team_name;
pub(super) mod telling;
mod trouble;
pub(super) mod words;
