//! The feed of an app's events.

use serde::{Deserialize, Serialize};

use crate::pages::PageSize;
use crate::types::Event;
use crate::{Client, Error, Response, Scope};

/// An event with its position in the feed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FeedEvent {
    /// Counts the app's events without a gap.
    pub sequence: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// A page of the feed, oldest event first.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    pub data: Vec<FeedEvent>,
    /// The position after this page. If it is another than that of the request, there may be more events.
    pub next_after: String,
}

/// Follows a feed. It moves on only with [`Feed::advance`], so that a page that was not processed comes again.
#[derive(Clone, Debug)]
pub struct Feed {
    client: Client,
    path: String,
    types: Vec<String>,
    after: Option<String>,
    size: PageSize,
}

impl Client {
    /// Follows the events after a position: one of [`EventPage::next_after`], `oldest`, or from now on.
    pub fn feed(&self, scope: &Scope, types: &[String], after: Option<String>) -> Feed {
        Feed { client: self.clone(), path: scope.events(), types: types.to_vec(), after, size: PageSize::new(100) }
    }
}

impl Feed {
    /// Limits pages to so many events, at most 100.
    pub fn limit(self, limit: u32) -> Feed {
        Feed { size: PageSize::new(limit), ..self }
    }

    /// Returns the page after the position; an empty one if nothing is new. A page that fails with status 500 is read in
    /// smaller ones.
    pub async fn page(&mut self) -> Result<Response<EventPage>, Error> {
        let types = (!self.types.is_empty()).then(|| self.types.join(","));
        let request = self.client.get(&self.path).query_opt("after", self.after.as_ref()).query_opt("types", types);
        let request = request.query("limit", self.size.wanted);
        self.size.send(&request).await
    }

    /// Moves on, after the events of a page were processed. Returns whether the position is another one now.
    pub fn advance(&mut self, page: &EventPage) -> bool {
        let before = self.after.replace(page.next_after.clone());
        before.as_ref() != Some(&page.next_after)
    }

    /// The position, if there is one yet.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }
}
