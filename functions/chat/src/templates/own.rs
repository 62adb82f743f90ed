//! The templates that an app can send.

use api::{AppCaller, Filters, List, ListBy, SentFilters};
use domain::Failure;
use domain::chat::{ChatPhoneNumber, Template};
use domain::id::{ChatPhoneNumberId, Identifier as _};

use super::filter::TemplateFilter;
use crate::ChatContext;
use crate::messages::own::assigned;

const NUMBER: &str = "chatPhoneNumberId";

/// The query parameters of the list.
#[derive(Debug)]
pub(crate) struct OfNumber {
    pub(super) number: ChatPhoneNumberId,
    filter: TemplateFilter,
}

impl Filters for OfNumber {
    const NAMES: &'static [&'static str] = &[NUMBER, "name", "status"];
    const REQUIRED: &'static [&'static str] = &[NUMBER];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let number = sent.get(NUMBER, ChatPhoneNumberId::in_param)?;
        let number = number.ok_or_else(|| Failure::missing(NUMBER))?;
        Ok(OfNumber { number, filter: TemplateFilter::parse(sent, NUMBER)?.or_sendable() })
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
    let OfNumber { number: id, filter } = &list.filters;
    let name = filter.list_name(id);
    let request = list.query.page(organization, &name)?;
    let (number, _) = assigned(number, caller)?;
    let org = chat.context.store.of(organization);
    let page = filter.page(&org, &number.business_profile.id, &request).await?;
    List::new(page, organization, &name, |template| filter.place(template))
}
