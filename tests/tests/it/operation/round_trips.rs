//! The meter counts round trips by what waits for what, however long a call takes.

use domain::id::AppId;
use futures_util::future::{join, join_all};
use futures_util::{StreamExt as _, stream};
use tests::World;

#[tokio::test]
async fn a_round_trip_waits_for_the_one_before() {
    let world = World::new().await;
    let (organization, app): (_, AppId) = (world.org.id.parse().unwrap(), world.org.app.parse().unwrap());
    let (store, meter) = (world.account.store(), &world.faults.meter);
    let org = store.of(&organization);
    let read = async || {
        org.app(&app).await.unwrap().unwrap();
    };
    let measured = async |work: &mut (dyn Future<Output = ()> + Unpin)| {
        let ((), cost) = meter.of(work).await;
        (cost.calls.len(), cost.depth)
    };
    let at_once = async {
        join_all((0..60).map(|_| read())).await;
    };
    assert_eq!(measured(&mut Box::pin(at_once)).await, (60, 1));
    let one_by_one = async {
        read().await;
        read().await;
    };
    assert_eq!(measured(&mut Box::pin(one_by_one)).await, (2, 2));
    let sixteen_at_once = stream::iter((0..40).map(|_| read())).buffer_unordered(16).for_each(async |()| {});
    assert_eq!(measured(&mut Box::pin(sixteen_at_once)).await, (40, 3));
    let one_more_beside = async {
        join(join_all((0..60).map(|_| read())), async {
            read().await;
            read().await;
        })
        .await;
    };
    assert_eq!(measured(&mut Box::pin(one_more_beside)).await, (62, 2));
}
