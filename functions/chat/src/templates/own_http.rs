//! Templates for app keys.

use api::{Answer, AppCaller, Claim, Deferred, List, ListBy, ListQuery, Rejection};
use axum::extract::State;
use domain::chat::Template;
use domain::id::ChatPhoneNumberId;
use domain::schema::TemplateStatus;

use super::own::{self, OfNumber};
use crate::ChatContext;

/// List the WhatsApp templates of a number
///
/// Returns the templates that can be sent from a WhatsApp number of the key's app: those of the number's account with
/// the status `APPROVED` or, if it is set, `status`. They are sorted in descending order by their ids as text or, with
/// `name`, by language. A page looks at up to 100 templates, so it can be short or empty although more follow.
#[utoipa::path(get, path = "/v1/chat/templates", operation_id = "chat.templates.list", tag = "Templates",
    security(("liveAppKey" = []), ("testAppKey" = [])),
    params(ListQuery, ("chatPhoneNumberId" = ChatPhoneNumberId, Query),
        ("name" = Option<String>, Query, description = "Only the templates of this name, one per language."),
        ("status" = Option<TemplateStatus>, Query, description = "Only templates with this status. `APPROVED` by default.")),
    responses((status = 200, description = "A page of templates", body = List<Template>),
        (status = 404, description = "No such chat phone number, or it is not assigned to the app")))]
pub(crate) async fn list_own_templates(
    State(chat): State<ChatContext>,
    claim: Claim<AppCaller>,
    list: Deferred<ListBy<OfNumber>>,
) -> Result<Answer<List<Template>>, Rejection> {
    let read = claim.with(list, |reads, list| async move {
        let number = reads.chat_phone_number(&list.filters.number).await?;
        Ok((list, number))
    });
    let (caller, (list, number)) = read.await?;
    Ok(Answer::ok(own::list(&chat, &caller, &list, number).await?))
}
