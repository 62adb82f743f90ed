use std::convert::Infallible;

use runtime::serve_events;
use serde::de::IgnoredAny;
use sweep::Sweeper;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Sweeper::from_environment, async |sweeper: &Sweeper, _: IgnoredAny| {
        Ok::<_, Infallible>(sweeper.sweep().await)
    })
}
