//! The timeline of a message: everything that has happened to it, oldest first. The message itself says what was recorded of it,
//! and which events report it; their deliveries say the rest.

mod entry;
pub(crate) mod http;
pub(crate) mod own_http;
mod steps;

use api::caller::Sees as _;
use api::{Admin, AppCaller, List, ListQuery};
use domain::chat::ChatPhoneNumber;
use domain::events::delivery::{Delivery, delivery_of_event, event_of_app, has_ended};
use domain::id::{AppId, ChatMessageId, DeliveryId, Identifier as _, OrganizationId, SmsMessageId, WebhookId};
use domain::identity::app::{APPS_PER_ORGANIZATION, App};
use domain::number::PhoneNumber;
use domain::{Failure, Mode};
use futures_util::future::{try_join, try_join_all};
use runtime::Context;
use store::{MessageKind, MessageKindId, OrganizationStore, Page, PageRequest, Stored};

use self::entry::Entry;
use self::steps::{Reported, Said};

fn no_such_chat_message() -> Failure {
    Failure::not_found("messageId", "chat message")
}

fn no_such_sms_message() -> Failure {
    Failure::not_found("messageId", "SMS message")
}

/// An app with its webhooks.
type Follower = (AppId, Vec<WebhookId>);

/// Returns a message that has not ended.
async fn found<I: MessageKindId>(
    context: &Context,
    org: &OrganizationStore,
    id: &I,
    missing: fn() -> Failure,
) -> Result<Stored<I::Kind>, Failure> {
    let stored = org.message(id).await?;
    stored.filter(|stored| !stored.has_ended(context.now())).ok_or_else(missing)
}

async fn webhooks_of(org: &OrganizationStore, app: &AppId) -> Result<Follower, Failure> {
    let webhooks = org.webhooks_of_app(app).await?;
    Ok((app.clone(), webhooks.into_iter().map(|webhook| webhook.id).collect()))
}

/// Returns the timeline of a chat message to an app that its number is assigned to.
async fn own_chat(
    context: &Context,
    caller: &AppCaller,
    id: &ChatMessageId,
    query: &ListQuery,
) -> Result<List<Entry>, Failure> {
    let org = &context.store.of(&caller.organization);
    let found = found(context, org, id, no_such_chat_message);
    let (stored, follower) = try_join(found, webhooks_of(org, &caller.app_id)).await?;
    let (said, followers) = (Said::of_chat(&stored), [follower]);
    let number = org.chat_phone_number(&stored.message().chat_phone_number_id);
    let (number, deliveries) = try_join(number, deliveries(context, org, &said.events, &followers)).await?;
    let shows = |number: &ChatPhoneNumber| number.shows(&caller.app_id, stored.message());
    number.filter(shows).ok_or_else(no_such_chat_message)?;
    let said = said.seen_by(&caller.app_id, stored.app());
    timeline(&caller.organization, id.as_str(), query, said, &followers, deliveries)
}

/// Returns the timeline of an SMS message to an app that its number is assigned to.
async fn own_sms(
    context: &Context,
    caller: &AppCaller,
    id: &SmsMessageId,
    query: &ListQuery,
) -> Result<List<Entry>, Failure> {
    let org = &context.store.of(&caller.organization);
    let found = found(context, org, id, no_such_sms_message);
    let (stored, follower) = try_join(found, webhooks_of(org, &caller.app_id)).await?;
    let (said, followers) = (Said::of_sms(&stored), [follower]);
    let number = org.phone_number(&stored.record.message.phone_number_id);
    let (number, deliveries) = try_join(number, deliveries(context, org, &said.events, &followers)).await?;
    let since = number.and_then(|number: PhoneNumber| number.assigned_since(&caller.app_id));
    since.filter(|since| stored.created_at() >= *since).ok_or_else(no_such_sms_message)?;
    let said = said.seen_by(&caller.app_id, stored.app());
    timeline(&caller.organization, id.as_str(), query, said, &followers, deliveries)
}

/// Returns the timeline of a chat message of the organization.
async fn chat(
    context: &Context,
    caller: &Admin,
    id: &ChatMessageId,
    query: &ListQuery,
) -> Result<List<Entry>, Failure> {
    caller.expect_visible(id.mode(), "messageId", "chat message")?;
    let org = &context.store.of(&caller.organization);
    let found = found(context, org, id, no_such_chat_message);
    let (stored, apps) = try_join(found, all_apps(org, id.mode())).await?;
    of_organization(context, caller, id.as_str(), query, Said::of_chat(&stored), &stored, apps).await
}

/// Returns the timeline of an SMS message of the organization.
async fn sms(context: &Context, caller: &Admin, id: &SmsMessageId, query: &ListQuery) -> Result<List<Entry>, Failure> {
    caller.expect_visible(id.mode(), "messageId", "SMS message")?;
    let org = &context.store.of(&caller.organization);
    let found = found(context, org, id, no_such_sms_message);
    let (stored, apps) = try_join(found, all_apps(org, id.mode())).await?;
    of_organization(context, caller, id.as_str(), query, Said::of_sms(&stored), &stored, apps).await
}

async fn all_apps(org: &OrganizationStore, mode: Mode) -> Result<Vec<App>, Failure> {
    let all = PageRequest { limit: APPS_PER_ORGANIZATION as usize, before: None };
    Ok(org.apps(&[mode], &all).await?.items)
}

/// Completes the timeline with the deliveries to all apps that the number has now, and to the one that has sent the message.
async fn of_organization<M: MessageKind>(
    context: &Context,
    caller: &Admin,
    id: &str,
    query: &ListQuery,
    said: Said,
    stored: &Stored<M>,
    apps: Vec<App>,
) -> Result<List<Entry>, Failure> {
    let org = &context.store.of(&caller.organization);
    let number = stored.number();
    let follows = |app: &App| app.numbers.contains(number.as_str()) || stored.app() == Some(&app.id);
    let following = apps.iter().filter(|app| follows(app));
    let followers = try_join_all(following.map(|app| webhooks_of(org, &app.id))).await?;
    let deliveries = deliveries(context, org, &said.events, &followers).await?;
    timeline(&caller.organization, id, query, said, &followers, deliveries)
}

/// Returns the deliveries of events to webhooks, as far as they have not ended.
async fn deliveries(
    context: &Context,
    org: &OrganizationStore,
    events: &[Reported],
    followers: &[Follower],
) -> Result<Vec<Delivery>, Failure> {
    let kept = events.iter().filter(|event| !has_ended(&event.id, context.now()));
    let ids: Vec<(WebhookId, DeliveryId)> = kept
        .flat_map(|event| followers.iter().map(move |follower| (event, follower)))
        .flat_map(|(event, (app, webhooks))| {
            let id = event_of_app(&event.id, app);
            webhooks.iter().filter_map(move |webhook| Some((webhook.clone(), delivery_of_event(&id, webhook)?)))
        })
        .collect();
    org.deliveries_by_id(&ids).await
}

/// Returns a page of everything, oldest first.
fn timeline(
    organization: &OrganizationId,
    id: &str,
    query: &ListQuery,
    said: Said,
    followers: &[Follower],
    deliveries: Vec<Delivery>,
) -> Result<List<Entry>, Failure> {
    let name = format!("timeline/{id}");
    let request = query.page(organization, &name)?;
    let mut entries = said.entries;
    entries.extend(said.events.iter().flat_map(|event| followers.iter().map(|(app, _)| Entry::of_event(event, app))));
    entries.extend(deliveries.iter().flat_map(Entry::of_delivery));
    // Stable: what was recorded at the same time stays in the order in which it was.
    entries.sort_by_key(|entry| entry.recorded_at);
    for (index, entry) in entries.iter_mut().enumerate() {
        entry.place = (index + 1).to_string();
    }

    let skipped = request.before.and_then(|place| place.parse().ok()).unwrap_or(0).min(entries.len());
    let mut items = entries.split_off(skipped);
    let next = (items.len() > request.limit).then(|| items[request.limit - 1].place.clone());
    items.truncate(request.limit);
    List::new(Page { items, next }, organization, &name, |entry| &entry.place)
}

impl Said {
    /// Returns what an app sees: who has requested a message only if it was itself.
    fn seen_by(mut self, app: &AppId, sender: Option<&AppId>) -> Self {
        if sender != Some(app) {
            self.entries.iter_mut().for_each(Entry::hide_requester);
        }
        self
    }
}
