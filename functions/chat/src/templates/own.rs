//! The templates that an app can send.

use api::{AppCaller, Filters, List, ListBy, SentFilters};
use domain::chat::outgoing::check_template_name;
use domain::chat::{ChatPhoneNumber, Template};
use domain::id::{ChatPhoneNumberId, Identifier as _};
use domain::{Failure, text};
use store::PageRequest;

use crate::ChatContext;
use crate::messages::own::assigned;

const NUMBER: &str = "chatPhoneNumberId";
const LONGEST_STATUS: usize = 64;
/// The number of templates that a page looks at if it is filtered by status.
const LOOKS_AT: usize = 100;

/// The query parameters of the list.
#[derive(Debug)]
pub(crate) struct OfNumber {
    pub(super) number: ChatPhoneNumberId,
    name: Option<String>,
    status: Option<String>,
    /// Identifies the filters in cursors.
    digest: Option<String>,
}

impl Filters for OfNumber {
    const NAMES: &'static [&'static str] = &[NUMBER, "name", "status"];
    const REQUIRED: &'static [&'static str] = &[NUMBER];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let number = sent.get(NUMBER, ChatPhoneNumberId::in_param)?;
        Ok(OfNumber {
            number: number.ok_or_else(|| Failure::missing(NUMBER))?,
            name: sent.get("name", |name, param| check_template_name(name, param).map(|()| name.to_owned()))?,
            status: sent.get("status", |text, param| text::bounded(text, param, LONGEST_STATUS))?,
            digest: sent.digest(NUMBER),
        })
    }
}

/// Returns a page of the templates of the account that the number belongs to.
pub(super) async fn list(
    chat: &ChatContext,
    caller: &AppCaller,
    list: &ListBy<OfNumber>,
    number: Option<ChatPhoneNumber>,
) -> Result<List<Template>, Failure> {
    let organization = &caller.organization;
    let OfNumber { number: id, name, status, digest } = &list.filters;
    let list_name = format!("chat-templates/{id}/{}", digest.as_deref().unwrap_or_default());
    let request = list.query.page(organization, &list_name)?;
    let (number, _) = assigned(number, caller)?;
    let looked_at = PageRequest { limit: if status.is_some() { LOOKS_AT } else { request.limit }, ..request.clone() };
    let (org, profile) = (chat.context.store.of(organization), &number.business_profile.id);
    let page = match name {
        None => org.templates(profile, &looked_at).await?,
        Some(name) => org.templates_of_name(profile, name, &looked_at).await?,
    };
    let mut page = page.map(|stored| stored.template);
    page.items.retain(|template| status.as_ref().is_none_or(|status| template.status == *status));
    if page.items.len() > request.limit {
        page.items.truncate(request.limit);
        let last = page.items.last();
        page.next = last.and_then(|last| if name.is_some() { last.language.clone() } else { Some(last.id.clone()) });
    }
    Ok(List::new(page, organization, &list_name))
}
