use delivery::{SweepEvent, Sweeper};
use lambda_runtime::Error;
use runtime::serve_events;

fn main() -> Result<(), Error> {
    serve_events(Sweeper::from_environment, async |sweeper: &Sweeper, event: SweepEvent| {
        sweeper.serve(event).await.map_err(Error::from)
    })
}
