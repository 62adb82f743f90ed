//! What each operation asks of the table.

use tests::catalogue::cases;
use tests::{Service as _, World};

#[tokio::test]
async fn print() {
    let world = World::new().await;
    for case in cases(&world).await {
        world.faults.meter.take();
        let reply = world.send(case.call.clone().key(case.right_key(&world.org))).await;
        let cost = world.faults.meter.take();
        println!(
            "{} {} {} depth {} r {} w {} {:?}",
            case.method(),
            case.template,
            reply.status.as_u16(),
            cost.depth,
            cost.read_units,
            cost.write_units,
            cost.calls
        );
    }
}
