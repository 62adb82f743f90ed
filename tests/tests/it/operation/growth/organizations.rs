//! Other organizations in the same installation.

use tests::chat::connect;
use tests::samples::PNG;
use tests::{Call, Service as _, World};

use super::models::{Model, Own, string};
use super::seeding::added;

const ACCOUNT: &str = "3141592";

/// An organization with keys, apps, a connected account, and a media file that will expire.
pub(super) async fn model(world: &World) -> Model {
    let make = async {
        let other = world.organization("Other 0000000").await;
        connect(world, &other, ACCOUNT).await;
        let upload = Call::post("/v1/media").key(&other.app_key).file("a.png", Some("image/png"), PNG);
        world.send(upload).await.expect(201);
        other
    };
    let (other, items) = added(world, make).await;

    let credentials = items.iter().map(|item| string(item, "PK")).filter(|key| key.starts_with("CRED#"));
    let own = [Own::ksuid_of(&other.id), Own::counted("other-0000000"), Own::counted(ACCOUNT)];
    let own = own.into_iter().chain(credentials.map(|key| Own::counted(&key["CRED#".len()..]))).collect();
    Model { items, own }
}
