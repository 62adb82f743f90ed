//! The query parameters of an event feed.

use axum::extract::FromRequestParts;
use domain::Failure;
use domain::events::event::EventName;
use domain::events::feed::Position;
use domain::events::webhook::event_name;
use domain::id::{AppId, OrganizationId};
use http::request::Parts;
use utoipa::IntoParams;

use crate::answer::Rejection;
use crate::cursor;
use crate::list::Sent;

const NAMES: &[&str] = &["after", "types"];
const OLDEST: &str = "oldest";

/// The query parameters of an event feed.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeedQuery {
    /// `nextAfter` of the previous page, or `oldest` to start with the oldest event that can be read. Without it, the
    /// page has no events, and its `nextAfter` is the position of the next event.
    #[param(required = false, max_length = 512)]
    after: Option<String>,
    /// Only events with these names, separated by commas.
    #[param(required = false, max_length = 1000, value_type = String, example = "messages.sms.received,messages.chat.received")]
    pub types: Option<Vec<EventName>>,
    /// The maximum number of events on the page.
    #[param(minimum = 1, maximum = 100, default = 25, required = false)]
    pub limit: usize,
}

/// Where a page of a feed begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Events from now on.
    Now,
    /// The oldest event that can be read.
    Oldest,
    Position(Position),
}

impl FeedQuery {
    /// Returns where the page begins. Fails for a damaged position or one of another app.
    pub fn after(&self, organization: &OrganizationId, app: &AppId) -> Result<After, Failure> {
        match self.after.as_deref() {
            None => Ok(After::Now),
            Some(OLDEST) => Ok(After::Oldest),
            Some(sent) => {
                let position = cursor::decode(organization, &feed_of(app), sent).and_then(|text| text.parse().ok());
                let message = "after is damaged or belongs to another app. Pass nextAfter of the previous page unchanged, \
                               or oldest.";
                position.map(After::Position).ok_or_else(|| Failure::invalid("after", message))
            }
        }
    }
}

/// Returns the text of a position, as the parameter `after` accepts it.
pub fn feed_position(organization: &OrganizationId, app: &AppId, position: Position) -> String {
    cursor::encode(organization, &feed_of(app), &position.to_string())
}

fn feed_of(app: &AppId) -> String {
    format!("feed/{app}")
}

fn types(sent: &str, param: &str) -> Result<Vec<EventName>, Failure> {
    sent.split(',').map(|name| event_name(name.trim(), param)).collect()
}

impl<S: Send + Sync> FromRequestParts<S> for FeedQuery {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Rejection> {
        let (limit, filters) = Sent::read(parts, NAMES).without_cursor(NAMES)?;
        Ok(FeedQuery {
            after: filters.get("after", |text, _| Ok(text.to_owned()))?,
            types: filters.get("types", types)?,
            limit,
        })
    }
}
