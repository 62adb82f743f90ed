//! The log of SMS messages for app keys.

use api::{Answer, AppCaller, Claim, Deferred, List, ListBy, ListQuery, MessageFilters, OfApp, Path, Rejection};
use axum::extract::State;
use domain::id::{PhoneNumberId, SmsMessageId};
use domain::sms::SmsMessage;

use crate::SendingContext;

/// List the app's SMS messages
///
/// Returns the SMS and MMS messages of one phone number of the key's app since the number was assigned to the app,
/// newest first. `phoneNumberId` can be omitted if the app has only one phone number. A filtered page looks at up to
/// 200 messages, so it can be short or empty although more follow. The list ends when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/sms", operation_id = "sms.list", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(ListQuery, ("phoneNumberId" = Option<PhoneNumberId>, Query), MessageFilters),
    responses((status = 200, description = "A page of messages", body = List<SmsMessage>),
        (status = 404, description = "No such phone number, or it is not assigned to the app")))]
pub(crate) async fn list_own_sms_messages(
    State(sending): State<SendingContext>,
    claim: Claim<AppCaller>,
    list: Deferred<ListBy<OfApp<PhoneNumberId>>>,
) -> Result<Answer<List<SmsMessage>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let number = match &list.filters.number {
            Some(number) => reads.phone_number(number).await?,
            None => None,
        };
        Ok((list, number))
    });
    let (caller, (list, number)) = read.await?;
    Ok(Answer::ok(super::list_of_app(&sending, &caller, &list, number).await?))
}

/// Get an SMS message of the app
///
/// Returns a message, if it was stored while its number was assigned to the key's app.
#[utoipa::path(get, path = "/v1/sms/{messageId}", operation_id = "sms.get", tag = "Messages",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(("messageId" = SmsMessageId, Path)), responses((status = 200, description = "The message", body = SmsMessage)))]
pub(crate) async fn get_own_sms_message(
    State(sending): State<SendingContext>,
    caller: AppCaller,
    Path((id,)): Path<(SmsMessageId,)>,
) -> Result<Answer<SmsMessage>, Rejection> {
    Ok(Answer::ok(super::details_of_app(&sending, &caller, &id).await?))
}
