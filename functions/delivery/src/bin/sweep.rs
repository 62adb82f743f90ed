use std::convert::Infallible;

use delivery::Sweeper;
use runtime::serve_events;
use serde::de::IgnoredAny;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Sweeper::from_environment, async |sweeper: &Sweeper, _: IgnoredAny| {
        Ok::<_, Infallible>(sweeper.sweep().await)
    })
}
