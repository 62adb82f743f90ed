use api::{Admin, Answer, List, ListBy, ListQuery, MessageFilters, OfNumber, OrgMember, Path, Rejection};
use axum::extract::State;
use domain::id::{PhoneNumberId, SmsMessageId};
use domain::sms::SmsMessage;

use crate::SendingContext;

/// List SMS messages
///
/// Returns the SMS and MMS messages of one phone number, newest first; for session tokens, without their texts and
/// media. A filtered page looks at up to 200 messages, so it can be short or empty although more follow. The list ends
/// when `nextCursor` is `null`.
#[utoipa::path(get, path = "/v1/organization/sms/messages",
    operation_id = "organization.sms.messages.list", tag = "Messages",
    security(("adminKey" = []), ("session" = [])),
    params(ListQuery, ("phoneNumberId" = PhoneNumberId, Query), MessageFilters),
    responses((status = 200, description = "A page of messages", body = List<SmsMessage>),
        (status = 404, description = "No such phone number")))]
pub(crate) async fn list_sms_messages(
    State(sending): State<SendingContext>,
    caller: OrgMember,
    list: ListBy<OfNumber<PhoneNumberId>>,
) -> Result<Answer<List<SmsMessage>>, Rejection> {
    Ok(Answer::ok(super::list(&sending, &caller, &list).await?))
}

/// Get an SMS message
#[utoipa::path(get, path = "/v1/organization/sms/messages/{messageId}",
    operation_id = "organization.sms.messages.get", tag = "Messages", security(("adminKey" = [])),
    params(("messageId" = SmsMessageId, Path)),
    responses((status = 200, description = "The message", body = SmsMessage)))]
pub(crate) async fn get_sms_message(
    State(sending): State<SendingContext>,
    caller: Admin,
    Path((id,)): Path<(SmsMessageId,)>,
) -> Result<Answer<SmsMessage>, Rejection> {
    Ok(Answer::ok(super::details(&sending, &caller, &id).await?))
}
