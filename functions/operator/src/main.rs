// The nested future types of the operations exceed the default limit.
#![recursion_limit = "256"]

use operator::Operator;
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Operator::from_environment, Operator::perform)
}
