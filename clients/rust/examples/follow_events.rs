//! Follows the events of an app, and goes on where it stopped when it is started again:
//! `cargo run --example follow_events position.txt`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use messaging_client::types::Event;
use messaging_client::{Client, Error};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let path = std::env::args().nth(1).unwrap_or_else(|| "position.txt".to_owned());
    let after = std::fs::read_to_string(&path).unwrap_or_else(|_| "oldest".to_owned());

    let mut events = client.events().follow().after(after.trim()).on_position(move |position| {
        if let Err(error) = std::fs::write(&path, position) {
            eprintln!("{path} cannot be written: {error}");
        }
    });
    loop {
        let event = events.next().await?;
        println!("{} {} {}", event.raw["sequence"], event.raw["id"], event.raw["type"]);
        // The type tells what the data is. Later versions of the service have more types.
        match &event.value {
            Event::MessagesChatRead(read) => println!("Read: {:?}", read.data.text_body),
            Event::MessagesSmsDelivered(delivered) => println!("Delivered: {:?}", delivered.data.text),
            _ => {}
        }
        if std::env::args().any(|argument| argument == "--once") {
            return Ok(());
        }
    }
}
