//! The wire format of event feeds.

use api::feed_query::{FeedQuery, feed_position};
use api::{Admin, Answer, AppCaller, AppScope, Claim, Deferred, Objects, Path, Rejection};
use axum::extract::State;
use domain::Failure;
use domain::events::feed::FeedHead;
use domain::id::AppId;
use runtime::Context;
use serde::Serialize;
use utoipa::ToSchema;
use views::EventBody;

use super::{FeedPage, Wanted, page};
use crate::apps::expect_app;

/// A page of an app's events, oldest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventPage)]
pub(crate) struct FeedPageView {
    /// The events, oldest first.
    #[schema(inline, value_type = Vec<EventBody>)]
    data: Objects,
    /// Pass it as `after` to continue. If it differs from the `after` that was sent, there may be more events already.
    next_after: String,
}

/// List the app's events
///
/// Returns the events of the app in the order of their sequence numbers, oldest first, for receivers that poll instead
/// of using a webhook, and for catching up after an outage. All events are listed, whether or not a webhook subscribes
/// to them. Sequence numbers are consecutive, so no event is left out and none comes twice.
///
/// Start with `after=oldest` for the events that are there already, or without `after` for those to come: that page is empty, and
/// its `nextAfter` is the present. Store `nextAfter` when you have processed a page, and pass it as `after` of the next one. If it
/// differs from the `after` that you have sent, ask again at once, also if a filter by `types` has left the page empty; otherwise
/// after a second or a few. Events can be read for 30 days. `events.follow` of the libraries does all this.
///
/// Test apps have a feed. That of a live app is off until an admin key sets the app's `eventFeed` to `true`.
#[utoipa::path(get, path = "/v1/events", operation_id = "events.list", tag = "Events",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(FeedQuery), responses((status = 200, description = "A page of events", body = FeedPageView),
        (status = 409, description = "The event feed of the app is off"),
        (status = 410, description = "Events after this position can no longer be read. `additional_info` has the oldest valid position")))]
pub(crate) async fn list_own_events(
    State(context): State<Context>,
    caller: AppCaller,
    query: FeedQuery,
) -> Result<Answer<FeedPageView>, Rejection> {
    let scope = AppScope::from(caller);
    let after = query.after(&scope.organization, &scope.app)?;
    let head = context.store.of(&scope.organization).feed_head(&scope.app).await?;
    let wanted = Wanted { after, types: query.types.as_deref(), limit: query.limit };
    Ok(shown(&scope, page(&context, &scope, head, &wanted).await?))
}

/// List an app's events
///
/// Returns the events of the app in the order of their sequence numbers, oldest first, for receivers that poll instead
/// of using a webhook, and for catching up after an outage. All events are listed, whether or not a webhook subscribes
/// to them. Sequence numbers are consecutive, so no event is left out and none comes twice.
///
/// Start with `after=oldest` for the events that are there already, or without `after` for those to come: that page is empty, and
/// its `nextAfter` is the present. Store `nextAfter` when you have processed a page, and pass it as `after` of the next one. If it
/// differs from the `after` that you have sent, ask again at once, also if a filter by `types` has left the page empty; otherwise
/// after a second or a few. Events can be read for 30 days. `events.follow` of the libraries does all this.
///
/// Test apps have a feed. That of a live app is off until an admin key sets the app's `eventFeed` to `true`.
#[utoipa::path(get, path = "/v1/organization/apps/{appId}/events",
    operation_id = "organization.apps.events.list", tag = "Events", security(("adminKey" = [])),
    params(("appId" = AppId, Path), FeedQuery), responses((status = 200, description = "A page of events", body = FeedPageView),
        (status = 409, description = "The event feed of the app is off"),
        (status = 410, description = "Events after this position can no longer be read. `additional_info` has the oldest valid position")))]
pub(crate) async fn list_events(
    State(context): State<Context>,
    claim: Claim<Admin>,
    input: Deferred<(Path<(AppId,)>, FeedQuery)>,
) -> Result<Answer<FeedPageView>, Rejection> {
    let read = claim.with(input, |reads, (Path((app,)), query)| async move {
        let head: Result<Option<FeedHead>, Failure> = reads.feed_head(&app).await;
        Ok((app, query, head))
    });
    let (caller, (app, query, head)) = read.await?;
    let after = query.after(&caller.organization, &app)?;
    let scope = AppScope::of_path(&caller, app)?;
    let head = head?;
    if head.is_none() {
        expect_app(&context.store.of(&scope.organization), &scope.app).await?;
    }
    let wanted = Wanted { after, types: query.types.as_deref(), limit: query.limit };
    Ok(shown(&scope, page(&context, &scope, head, &wanted).await?))
}

fn shown(scope: &AppScope, page: FeedPage) -> Answer<FeedPageView> {
    let next_after = feed_position(&scope.organization, &scope.app, page.next);
    Answer::ok(FeedPageView { data: page.events, next_after })
}
