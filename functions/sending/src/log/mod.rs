//! The log of SMS messages. Callers of the organization read the messages of every number; an app key reads those of the
//! app's numbers, from the time of their assignment on.

pub(crate) mod http;
pub(crate) mod own_http;

use api::caller::Sees as _;
use api::{Admin, AppCaller, List, ListBy, OfApp, OfNumber, OrgMember};
use domain::Failure;
use domain::id::{OrganizationId, PhoneNumberId, SmsMessageId};
use domain::number::PhoneNumber;
use domain::sms::SmsMessage;
use store::{MessageFilter, OrganizationStore, Page, PageRequest, SmsRecord};

use crate::SendingContext;

const NUMBER: &str = "phoneNumberId";

fn no_such_number() -> Failure {
    Failure::not_found(NUMBER, "phone number")
}

fn no_such_message() -> Failure {
    Failure::not_found("messageId", "SMS message")
}

/// Returns a message that has not ended.
async fn find(
    sending: &SendingContext,
    organization: &OrganizationId,
    id: &SmsMessageId,
) -> Result<SmsMessage, Failure> {
    let stored = sending.context().store.of(organization).unended_message(id, sending.context().now()).await?;
    stored.map(|stored| stored.record.message).ok_or_else(no_such_message)
}

async fn page(
    sending: &SendingContext,
    organization: &OrganizationId,
    number: &PhoneNumberId,
    filter: &MessageFilter,
    page: &PageRequest,
) -> Result<Page<SmsMessage>, Failure> {
    let org = sending.context().store.of(organization);
    let page = org.messages::<SmsRecord>(&number.clone().into(), filter, page, sending.context().now()).await?;
    Ok(page.map(|stored| stored.record.message))
}

/// Returns a message of the organization.
async fn details(sending: &SendingContext, caller: &Admin, id: &SmsMessageId) -> Result<SmsMessage, Failure> {
    caller.expect_visible(id.mode(), "messageId", "SMS message")?;
    Ok(caller.may_see.view(find(sending, &caller.organization, id).await?))
}

/// Returns a page of a number's messages.
async fn list(
    sending: &SendingContext,
    caller: &OrgMember,
    list: &ListBy<OfNumber<PhoneNumberId>>,
) -> Result<List<SmsMessage>, Failure> {
    let organization = &caller.organization;
    let OfNumber { number, filters } = &list.filters;
    let name = filters.name(&format!("sms-messages/{number}"));
    let request = list.query.page(organization, &name)?;
    caller.expect_visible(number.mode(), NUMBER, "phone number")?;

    let page = page(sending, organization, number, &filters.from(None), &request).await?;
    if page.items.is_empty() && sending.context().store.of(organization).phone_number(number).await?.is_none() {
        return Err(no_such_number());
    }
    let page = page.map(|message| caller.may_see.view(message));
    List::new(page, organization, &name, |message| message.id.ksuid())
}

/// Returns the only phone number of the app.
async fn only_number(org: &OrganizationStore, caller: &AppCaller) -> Result<PhoneNumber, Failure> {
    let mut numbers = org.phone_numbers_of_app(&caller.app_id).await?.into_iter();
    match (numbers.next(), numbers.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            let message =
                "The app has several phone numbers. Pass the id of one of them; GET /v1/phone-numbers lists them.";
            Err(Failure::invalid(NUMBER, message))
        }
        (None, _) => {
            let message = "The app has no phone number. Assign one with POST /v1/phone-numbers.";
            Err(Failure::invalid(NUMBER, message))
        }
    }
}

/// Returns a page of the messages of one of the app's numbers. `read` is the number that the query names.
async fn list_of_app(
    sending: &SendingContext,
    caller: &AppCaller,
    list: &ListBy<OfApp<PhoneNumberId>>,
    read: Option<PhoneNumber>,
) -> Result<List<SmsMessage>, Failure> {
    let AppCaller { organization, app_id, .. } = caller;
    let OfApp { number, filters } = &list.filters;
    let named = number.as_ref().map(|number| format!("/{number}")).unwrap_or_default();
    let name = filters.name(&format!("sms-messages/{app_id}{named}"));
    let request = list.query.page(organization, &name)?;

    let number = match number {
        Some(_) => read.ok_or_else(no_such_number)?,
        None => only_number(&sending.context().store.of(organization), caller).await?,
    };
    let since = number.assigned_since(app_id).ok_or_else(no_such_number)?;

    let page = page(sending, organization, &number.id, &filters.from(Some(since)), &request).await?;
    let page = page.map(|message| caller.may_see.view(message));
    List::new(page, organization, &name, |message| message.id.ksuid())
}

/// Returns a message of one of the app's numbers.
async fn details_of_app(
    sending: &SendingContext,
    caller: &AppCaller,
    id: &SmsMessageId,
) -> Result<SmsMessage, Failure> {
    let AppCaller { organization, app_id, .. } = caller;
    let message = find(sending, organization, id).await?;
    let number = sending.context().store.of(organization).phone_number(&message.phone_number_id).await?;
    let since = number.and_then(|number| number.assigned_since(app_id));
    if since.is_none_or(|since| message.created_at < since) {
        return Err(no_such_message());
    }
    Ok(caller.may_see.view(message))
}
