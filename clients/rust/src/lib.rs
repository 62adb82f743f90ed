//! A client of the messaging API.
//!
//! ```no_run
//! # async fn example() -> Result<(), messaging_client::Error> {
//! use messaging_client::Client;
//! use messaging_client::types::SendSms;
//!
//! let client = Client::new("https://api.example.com", "sk_test_app_...")?;
//! let sms = SendSms { from: "+12015550101".into(), to: "+12015550123".into(), text: Some("Hello".into()), ..SendSms::default() };
//! let message = client.send_sms(&sms).await?;
//! println!("{} {:?}", message.id, message.outcome);
//! # Ok(())
//! # }
//! ```
//!
//! Operations that have no method of their own are sent with [`Client::request`], typed with any of [`types`] or with
//! [`serde_json::Value`]. A failed request is repeated only where that has no second effect: reads and replacements, POSTs
//! (each carries an `Idempotency-Key`), and requests that the service has not executed (429).

mod apps;
mod base_url;
mod client;
mod connection;
mod error;
mod events;
mod forward;
mod list;
mod media;
mod messages;
mod open_enum;
mod pages;
mod request;
mod response;
mod retry;
mod transport;
#[rustfmt::skip]
pub mod types;
mod webhooks;

pub use client::Client;
pub use error::{ApiError, Error};
pub use events::{EventPage, Feed, FeedEvent};
pub use forward::Forwarder;
pub use list::List;
pub use media::Progress;
pub use messages::MessageFilter;
pub use pages::Pages;
pub use request::{Request, segment};
pub use response::Response;
pub use webhooks::Scope;
