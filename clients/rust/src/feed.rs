//! Following the feed of an app's events.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use http::Method;
use serde_json::Value;

use crate::methods::EventsApi;
use crate::options::{Options, option_methods};
use crate::retry::backoff;
use crate::types::{Event, EventName, EventPage};
use crate::{Client, Error, Resource, Response};

const INTERVAL: Duration = Duration::from_secs(1);
const PAGE: u32 = 100;

type Report = Box<dyn FnMut(&str) + Send>;

/// Reads the events of an app for ever, made by `client.events().follow()`.
pub struct Follow {
    client: Client,
    after: Option<String>,
    types: Vec<EventName>,
    interval: Duration,
    on_position: Option<Report>,
    options: Options,
    read: VecDeque<Value>,
    /// The position after the events that were read, until it is reported.
    reached: Option<String>,
}

impl EventsApi {
    /// Follows the events of the app whose key the client has: those after a position, and new ones as they come. Failures
    /// that pass are waited out.
    pub fn follow(&self) -> Follow {
        Follow {
            client: self.0.clone(),
            after: None,
            types: Vec::new(),
            interval: INTERVAL,
            on_position: None,
            options: Options::default(),
            read: VecDeque::new(),
            reached: None,
        }
    }
}

impl Follow {
    option_methods!();

    /// The position to continue after, or `oldest`. Without one, the events from now on.
    pub fn after(self, position: &str) -> Self {
        Follow { after: Some(position.to_owned()), ..self }
    }

    /// Only events with these names.
    pub fn types(self, types: &[EventName]) -> Self {
        Follow { types: types.to_vec(), ..self }
    }

    /// The time between two requests without news; a second by default.
    pub fn interval(self, interval: Duration) -> Self {
        Follow { interval, ..self }
    }

    /// Is called with a position as soon as all events before it were processed, that is when the next one is asked for.
    /// Store it, and continue [`Follow::after`] it when the program starts again.
    pub fn on_position(self, report: impl FnMut(&str) + Send + 'static) -> Self {
        Follow { on_position: Some(Box::new(report)), ..self }
    }

    /// Returns the next event, and waits for it if there is none yet.
    ///
    /// # Errors
    ///
    /// Those that do not pass, such as `Authentication`, `Conflict` (the app's feed is off) and `NotFound` 410 (the
    /// position is too old).
    pub async fn next(&mut self) -> Result<Resource<Event>, Error> {
        loop {
            if let Some(event) = self.read.pop_front() {
                return Resource::read(event);
            }
            if let Some(position) = self.reached.take() {
                self.after = Some(position.clone());
                if let Some(report) = &mut self.on_position {
                    report(&position);
                }
            }
            let page = self.page().await?;
            self.read = page.raw["data"].as_array().cloned().unwrap_or_default().into();
            match self.after.as_ref() == Some(&page.next_after) {
                true if self.read.is_empty() => self.client.0.clock.sleep(self.interval).await,
                true => {}
                false => self.reached = Some(page.value.next_after),
            }
        }
    }

    /// Reads the next page, and waits out failures that pass.
    async fn page(&mut self) -> Result<Response<EventPage>, Error> {
        let mut request = self.client.call::<EventPage>(Method::GET, "/v1/events", &[]).query("limit", PAGE);
        if let Some(after) = &self.after {
            request = request.query("after", after);
        }
        if !self.types.is_empty() {
            let names: Vec<&str> = self.types.iter().map(EventName::as_str).collect();
            request = request.query("types", names.join(","));
        }
        request.options = self.options.clone();
        let mut failures = 0;
        loop {
            match request.clone().await {
                Err(error) if error.is_temporary() => {}
                ended => return ended,
            }
            let clock = &self.client.0.clock;
            clock.sleep(self.interval + backoff(failures, &**clock)).await;
            failures += 1;
        }
    }
}

impl fmt::Debug for Follow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Follow").field("after", &self.after).finish_non_exhaustive()
    }
}
