//! Invalid input of any kind gets a 4xx response, never a 5xx. `param` names the part of the request that is wrong.
//! Invalid bodies change no data.

mod bodies;
mod fields;
mod gateway;
mod paths_and_queries;
