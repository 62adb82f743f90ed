//! Media: uploads through the API and directly to the bucket, downloads, and the end of media.

mod direct_uploads;
mod ends;
mod uploads;

use tests::{Call, Reply, Service as _, World};

const PATH: &str = "/v1/media";

/// Uploads a file to the live app.
async fn upload(world: &World, name: &str, mime: Option<&str>, content: &[u8]) -> Reply {
    world.send(Call::post(PATH).key(&world.org.app_key).file(name, mime, content)).await
}

/// Requests the media with this id.
async fn get(world: &World, id: &str) -> Reply {
    world.send(Call::get(format!("{PATH}/{id}")).key(&world.org.app_key)).await
}
