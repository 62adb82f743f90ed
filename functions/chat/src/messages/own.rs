//! The message log of an app.

use api::{AppCaller, List, ListBy, OfApp};
use domain::chat::{ChatMessage, ChatMessageDetails, ChatPhoneNumber};
use domain::id::{ChatMessageId, ChatPhoneNumberId};
use domain::{Failure, Timestamp};
use store::OrganizationStore;

use super::{find, no_such_message, page, show};
use crate::ChatContext;
use crate::numbers::no_such_number;

const NUMBER: &str = "chatPhoneNumberId";

/// Returns the number if it is assigned to the app, with the time of its assignment.
pub(crate) fn assigned(
    number: Option<ChatPhoneNumber>,
    caller: &AppCaller,
) -> Result<(ChatPhoneNumber, Timestamp), Failure> {
    let number = number.ok_or_else(|| no_such_number(NUMBER))?;
    let since = number.assigned_since(&caller.app_id).ok_or_else(|| no_such_number(NUMBER))?;
    Ok((number, since))
}

/// Returns the only chat number of the app.
pub(crate) async fn only_number(org: &OrganizationStore, caller: &AppCaller) -> Result<ChatPhoneNumberId, Failure> {
    let app = org.app(&caller.app_id).await?;
    let numbers = app.map(|app| app.numbers).unwrap_or_default();
    let mut numbers = numbers.iter().filter_map(|id| id.parse::<ChatPhoneNumberId>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            let message =
                "The app has several chat phone numbers. Pass the id of one of them; GET /v1/phone-numbers lists them.";
            Err(Failure::invalid(NUMBER, message))
        }
        (None, _) => {
            let message = "The app has no chat phone number. Assign one with POST /v1/phone-numbers.";
            Err(Failure::invalid(NUMBER, message))
        }
    }
}

/// Returns a page of the messages of one of the app's numbers. `read` is the number that the query names.
pub(super) async fn list(
    chat: &ChatContext,
    caller: &AppCaller,
    list: &ListBy<OfApp<ChatPhoneNumberId>>,
    read: Option<ChatPhoneNumber>,
) -> Result<List<ChatMessage>, Failure> {
    let AppCaller { organization, app_id, .. } = caller;
    let OfApp { number, filters } = &list.filters;
    let named = number.as_ref().map(|number| format!("/{number}")).unwrap_or_default();
    let name = filters.name(&format!("chat-messages/{app_id}{named}"));
    let request = list.query.page(organization, &name)?;
    let org = chat.context.store.of(organization);
    let read = match number {
        Some(_) => read,
        None => org.chat_phone_number(&only_number(&org, caller).await?).await?,
    };
    let (number, since) = assigned(read, caller)?;
    let page = page(chat, organization, &number.id, &filters.from(Some(since)), &request).await?;
    let page = page.map(|message| caller.may_see.view(message));
    List::new(page, organization, &name, |message| message.id.ksuid())
}

pub(super) async fn details(
    chat: &ChatContext,
    caller: &AppCaller,
    id: &ChatMessageId,
) -> Result<ChatMessageDetails, Failure> {
    let AppCaller { organization, app_id, .. } = caller;
    let stored = find(chat, organization, id).await?;
    let number = &stored.message().chat_phone_number_id;
    let number = chat.context.store.of(organization).chat_phone_number(number).await?;
    if !number.is_some_and(|number| number.shows(app_id, stored.message())) {
        return Err(no_such_message());
    }
    Ok(caller.may_see.view(show(chat, organization, stored).await?))
}
