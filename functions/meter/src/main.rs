use meter::{Meter, Window};
use runtime::serve_events;

fn main() -> Result<(), lambda_runtime::Error> {
    serve_events(Meter::from_environment, async |meter: &Meter, window: Window| {
        meter.work(window).await.map_err(|failure| failure.log_text())
    })
}
