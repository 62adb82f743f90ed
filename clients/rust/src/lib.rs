//! The client of the messaging API: WhatsApp, SMS and MMS from your own AWS account.
//!
//! ```no_run
//! # async fn example() -> Result<(), messaging_client::Error> {
//! use messaging_client::Client;
//! use messaging_client::types::SendSms;
//!
//! let client = Client::new("https://api.example.com", "sk_test_app_...")?;
//! let sms = SendSms {
//!     from: "+12015550101".into(),
//!     to: "+12015550123".into(),
//!     text: Some("Hello!".into()),
//!     ..SendSms::default()
//! };
//! let message = client.sms().send(&sms).await?;
//! println!("{} {:?}", message.id, message.outcome);
//! # Ok(())
//! # }
//! ```
//!
//! The methods are those of the API reference, which each installation has at `/api_reference`: `chat.messages.send` is
//! `client.chat().messages().send(…)`. They return a [`Request`], which is sent when it is awaited and leads to a
//! [`Response`]. A failed request is repeated only where that has no second effect. The README has a chapter for each subject.

#![warn(missing_docs)]

mod address;
mod builder;
mod client;
mod clock;
mod content;
mod core;
mod credential;
mod error;
mod failure;
mod feed;
mod forward;
#[rustfmt::skip]
mod generated;
mod list;
mod media;
mod messages;
mod mime;
mod nullable;
mod open_enum;
mod options;
mod path;
mod plan;
mod request;
mod response;
mod retry;
mod secret;
mod transport;
pub mod webhooks;

pub use builder::ClientBuilder;
pub use client::Client;
pub use clock::{Clock, Pause, SystemClock};
pub use content::{Progress, UploadSource};
pub use credential::KeyFuture;
pub use error::Error;
pub use feed::Follow;
pub use forward::Forwarder;
pub use generated::kinds::ErrorKind;
pub use generated::{methods, queries, types};
pub use http;
pub use list::{Items, List, Pages};
pub use media::Upload;
pub use messages::{Until, WaitFor};
pub use path::segment;
pub use request::Request;
pub use response::{Http, Resource, Response};
pub use transport::{Body, HttpTransport, Sending, Transport, TransportError};
