//! The messages that reached nobody, over all numbers and both channels.

mod filters;
pub(crate) mod http;
mod view;

use std::collections::HashMap;

use api::caller::Sees as _;
use api::{AppCaller, List, ListBy, OrgMember};
use domain::id::{ChatMessageId, OrganizationId, SmsMessageId};
use domain::message::MessageId;
use domain::{Failure, Mode};
use futures_util::future::try_join;
use runtime::Context;
use store::{FailedMessage, FailureFilter, OrganizationStore};

use self::filters::FailureFilters;
use self::view::FailureView;

/// Returns a page of the failures of all apps.
async fn list(
    context: &Context,
    caller: &OrgMember,
    list: &ListBy<FailureFilters>,
) -> Result<List<FailureView>, Failure> {
    let name = list.filters.name("failures");
    page(context, &caller.organization, caller.mode().visible(), list, &name, list.filters.wanted.clone()).await
}

/// Returns a page of the failures of what an app has sent.
async fn list_of_app(
    context: &Context,
    caller: &AppCaller,
    list: &ListBy<FailureFilters>,
) -> Result<List<FailureView>, Failure> {
    let name = list.filters.name(&format!("failures/{}", caller.app_id));
    let wanted = FailureFilter { app: Some(caller.app_id.clone()), ..list.filters.wanted.clone() };
    page(context, &caller.organization, &[caller.app_id.mode()], list, &name, wanted).await
}

async fn page(
    context: &Context,
    organization: &OrganizationId,
    modes: &[Mode],
    list: &ListBy<FailureFilters>,
    name: &str,
    wanted: FailureFilter,
) -> Result<List<FailureView>, Failure> {
    let request = list.query.page(organization, name)?;
    let org = &context.store.of(organization);
    let page = org.failed_messages(modes, &wanted, &request, context.now()).await?;
    let shown = shown(org, &page.items).await?;
    let page = page.map(|failed| FailureView::of(&failed, shown.get(&failed.message_id)));
    List::new(page, organization, name, |failure| failure.place())
}

/// What a message itself says of its failure.
struct Shown {
    to: Option<String>,
    client_reference: Option<String>,
    message: Option<String>,
    provider: Option<domain::message::reason::MessageProvider>,
}

/// Reads the messages of a page. One that was erased meanwhile is not among them.
async fn shown(org: &OrganizationStore, failed: &[FailedMessage]) -> Result<HashMap<MessageId, Shown>, Failure> {
    let ids = failed.iter().map(|failed| failed.message_id.clone());
    let chat: Vec<ChatMessageId> = ids.clone().filter_map(|id| id.try_into().ok()).collect();
    let sms: Vec<SmsMessageId> = ids.filter_map(|id| id.try_into().ok()).collect();
    let (chat, sms) = try_join(org.messages_by_id(&chat), org.messages_by_id(&sms)).await?;

    let of_chat = chat.into_iter().map(|stored| {
        let message = stored.record.into_message();
        let to = message.to_phone_number.map(|to| to.to_string()).or(message.to_user_id).or(message.group_id);
        let (client_reference, provider) = (message.client_reference, message.provider);
        (message.id.into(), Shown { to, client_reference, message: message.error_message, provider })
    });
    let of_sms = sms.into_iter().map(|stored| {
        let message = stored.record.message;
        let (client_reference, provider) = (message.client_reference, message.provider);
        let to = Some(message.to.to_string());
        (message.id.into(), Shown { to, client_reference, message: message.error_message, provider })
    });
    Ok(of_chat.chain(of_sms).collect())
}
