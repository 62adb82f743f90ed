//! Sends a WhatsApp message and an SMS in test mode, and waits until they have arrived.
//!
//! `MESSAGING_API_KEY` is the key of a test app, and `MESSAGING_BASE_URL` the address of the installation.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use messaging_client::queries::PageQuery;
use messaging_client::types::{AppNumber, SendSms, SendText, SendTextMessage};
use messaging_client::{Client, Error, Until};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let to = "+12025550123";

    let mut numbers = client.phone_numbers().list(&PageQuery::default()).items();
    while let Some(number) = numbers.next().await? {
        match number.value {
            AppNumber::Chat(number) => {
                let text = SendText { body: "Hello!".into(), ..SendText::default() };
                let message = SendTextMessage { from: number.id, to: Some(to.into()), text, ..Default::default() };
                let sent = client.chat().messages().send(&message.into()).await?;
                let read = client.chat().messages().wait_for(&sent.id, Until::Read).await?;
                println!("WhatsApp: {:?} {:?}", read.outcome, read.recipients[0].status);
            }
            AppNumber::Sms(number) => {
                let sms = SendSms { from: number.id, to: to.into(), text: Some("Hello!".into()), ..Default::default() };
                let sent = client.sms().send(&sms).await?;
                let delivered = client.sms().wait_for(&sent.id, Until::Delivered).await?;
                println!("SMS: {:?} {:?}", delivered.outcome, delivered.status);
            }
            AppNumber::Unknown(_) => {}
        }
    }

    let invalid = SendSms { from: "+12025550100".into(), to: "12025550123".into(), ..Default::default() };
    if let Err(error) = client.sms().send(&invalid).await {
        println!("{:?} {:?} {:?} {:?}", error.kind(), error.code(), error.param(), error.request_id());
    }
    Ok(())
}
