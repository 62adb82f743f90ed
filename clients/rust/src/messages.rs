//! Waiting for what becomes of a message.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::generated::kinds::ErrorKind;
use crate::methods::{ChatMessagesApi, OrganizationChatMessagesApi, OrganizationSmsMessagesApi, SmsApi};
use crate::options::{Options, option_methods};
use crate::types::{ChatMessageDetails, MessageOutcome, SmsMessage};
use crate::{Client, Error, Response};

const PATIENCE: Duration = Duration::from_secs(60);
const INTERVAL: Duration = Duration::from_secs(1);

/// What to wait for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Until {
    /// The provider has taken the message for every recipient.
    Queued,
    /// It was sent to every recipient.
    Sent,
    /// Every recipient has it.
    Delivered,
    /// Every recipient has read it.
    Read,
    /// It has failed for every recipient.
    Failed,
    /// Sending had this outcome, such as `ACCEPTED`.
    Outcome(MessageOutcome),
}

/// The statuses of a recipient, in their order.
const STEPS: [(&str, Until); 4] =
    [("QUEUED", Until::Queued), ("SENT", Until::Sent), ("DELIVERED", Until::Delivered), ("READ", Until::Read)];

/// A wait, made by `wait_for` of a namespace of messages. It begins when it is awaited.
#[derive(Debug)]
#[must_use = "a wait begins when it is awaited"]
pub struct WaitFor<T> {
    client: Client,
    template: &'static str,
    message_id: String,
    until: Until,
    patience: Duration,
    interval: Duration,
    options: Options,
    result: PhantomData<fn() -> T>,
}

macro_rules! waiting {
    ($($namespace:ident, $message:ident, $template:literal;)*) => {
        $(impl $namespace {
            /// Gets a message again until it has a status or a later one, or an outcome. It also returns a message that
            /// can no longer get there, because it failed: look at what is returned.
            ///
            /// # Errors
            ///
            /// - `Timeout`: the message did not get there in time. The error's body is the message as it was last.
            pub fn wait_for(&self, message_id: &str, until: Until) -> WaitFor<$message> {
                WaitFor {
                    client: self.0.clone(),
                    template: $template,
                    message_id: message_id.to_owned(),
                    until,
                    patience: PATIENCE,
                    interval: INTERVAL,
                    options: Options::default(),
                    result: PhantomData,
                }
            }
        })*
    };
}

waiting! {
    ChatMessagesApi, ChatMessageDetails, "/v1/chat/messages/{}";
    OrganizationChatMessagesApi, ChatMessageDetails, "/v1/organization/chat/messages/{}";
    SmsApi, SmsMessage, "/v1/sms/{}";
    OrganizationSmsMessagesApi, SmsMessage, "/v1/organization/sms/messages/{}";
}

impl<T: DeserializeOwned + 'static> WaitFor<T> {
    option_methods!();

    /// How long to wait at most; a minute by default.
    pub fn patience(self, patience: Duration) -> Self {
        WaitFor { patience, ..self }
    }

    /// The time between two requests; a second by default.
    pub fn interval(self, interval: Duration) -> Self {
        WaitFor { interval, ..self }
    }

    async fn run(self) -> Result<Response<T>, Error> {
        let mut request = self.client.call::<Value>(Method::GET, self.template, &[&self.message_id]);
        request.options = self.options;
        let end = self.client.now() + self.patience;
        loop {
            let message = request.clone().await?;
            if is_over(&message.raw, &self.until) {
                return Response::read(message);
            }
            let left = end.duration_since(self.client.now()).unwrap_or_default();
            if left.is_zero() {
                let text = format!("{} did not get there within {} s.", self.message_id, self.patience.as_secs_f64());
                let mut error = Error::new(ErrorKind::Timeout, text).with_body(message.raw);
                error.0.message_id = Some(self.message_id);
                return Err(error);
            }
            self.client.0.clock.sleep(self.interval.min(left)).await;
        }
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for WaitFor<T> {
    type Output = Result<Response<T>, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

fn is_over(message: &Value, until: &Until) -> bool {
    let known = message["outcome"].as_str().unwrap_or_default();
    if ["REFUSED", "EXPIRED"].contains(&known) {
        return true;
    }
    if let Until::Outcome(outcome) = until {
        return known == outcome.as_str() || known == "ACCEPTED";
    }
    let statuses: Vec<&Value> = match &message["status"] {
        Value::Null => message["recipients"].as_array().into_iter().flatten().map(|each| &each["status"]).collect(),
        own => vec![own],
    };
    !statuses.is_empty() && statuses.into_iter().all(|status| has_reached(status.as_str().unwrap_or_default(), until))
}

fn has_reached(status: &str, until: &Until) -> bool {
    let reached = STEPS.iter().position(|(name, _)| *name == status);
    let wanted = STEPS.iter().position(|(_, step)| step == until);
    status == "FAILED" || (wanted.is_some() && reached >= wanted)
}
