// The types of what serves an invocation lie deep in each other.
#![recursion_limit = "256"]

use operator::Operator;
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Operator::from_environment, Operator::perform)
}
