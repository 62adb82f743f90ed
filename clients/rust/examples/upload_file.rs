//! Uploads a file, and prints how far it is: `cargo run --example upload_file photo.png`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use messaging_client::{Client, Error, UploadSource};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let path = std::env::args().nth(1).unwrap_or_else(|| "photo.png".to_owned());
    let upload = client.media().upload(UploadSource::path(path));
    let media = upload.on_progress(|at| println!("{} of {} bytes", at.loaded, at.total)).await?;
    println!("{} {} {}", media.id, media.file_size, media.mime_type);
    Ok(())
}
