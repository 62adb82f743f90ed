//! The filters of the lists of templates.

use api::{Filters, SentFilters};
use domain::chat::Template;
use domain::chat::outgoing::check_template_name;
use domain::chat::template::APPROVED;
use domain::id::{ChatBusinessProfileId, Identifier as _};
use domain::page::TEMPLATES_LOOKED_AT;
use domain::{Failure, text};
use std::fmt::Display;
use store::{OrganizationStore, Page, PageRequest};

/// The parameter and field that names the account of a template.
pub(super) const PROFILE: &str = "chatBusinessProfileId";
/// The longest value of a filter that the platform defines, in characters.
const LONGEST_VALUE: usize = 64;

/// The filter of a list of templates.
#[derive(Debug)]
pub(crate) struct TemplateFilter {
    name: Option<String>,
    language: Option<String>,
    category: Option<String>,
    status: Option<String>,
    /// Identifies the filters in cursors.
    digest: Option<String>,
}

impl TemplateFilter {
    /// Reads the filters. `of` is the parameter with the profile or number whose templates are listed.
    pub(super) fn parse(sent: &SentFilters, of: &str) -> Result<Self, Failure> {
        let bounded = |text: &str, param: &str| text::bounded(text, param, LONGEST_VALUE);
        Ok(TemplateFilter {
            name: sent.get("name", |name, param| check_template_name(name, param).map(|()| name.to_owned()))?,
            language: sent.get("language", bounded)?,
            category: sent.get("category", bounded)?,
            status: sent.get("status", bounded)?,
            digest: sent.digest(of),
        })
    }

    /// Keeps the templates that can be sent, unless the filters name a status.
    pub(super) fn or_sendable(self) -> Self {
        TemplateFilter { status: self.status.or_else(|| Some(APPROVED.to_owned())), ..self }
    }

    /// Returns the name of the list with its filters, which its cursors contain.
    pub(super) fn list_name(&self, of: &impl Display) -> String {
        match &self.digest {
            None => format!("chat-templates/{of}"),
            Some(digest) => format!("chat-templates/{of}/{digest}"),
        }
    }

    fn matches(&self, template: &Template) -> bool {
        let is =
            |wanted: &Option<String>, found: Option<&str>| wanted.as_deref().is_none_or(|wanted| found == Some(wanted));
        is(&self.language, template.language.as_deref())
            && is(&self.category, template.category.as_deref())
            && is(&self.status, Some(&template.status))
    }

    /// Returns the sort key of a template in the list: the templates of one name are sorted by language.
    pub(super) fn place<'a>(&self, template: &'a Template) -> &'a str {
        match &self.name {
            Some(_) => template.language.as_deref().unwrap_or_default(),
            None => &template.id,
        }
    }

    /// Returns a page of the templates of a profile.
    pub(super) async fn page(
        &self,
        org: &OrganizationStore,
        profile: &ChatBusinessProfileId,
        request: &PageRequest,
    ) -> Result<Page<Template>, Failure> {
        let is_filtered = [&self.language, &self.category, &self.status].iter().any(|wanted| wanted.is_some());
        let looked_at =
            PageRequest { limit: if is_filtered { TEMPLATES_LOOKED_AT } else { request.limit }, ..request.clone() };
        let page = match &self.name {
            None => org.templates(profile, &looked_at).await?,
            Some(name) => org.templates_of_name(profile, name, &looked_at).await?,
        };
        let mut page = page.map(|stored| stored.template);
        page.items.retain(|template| self.matches(template));
        if page.items.len() > request.limit {
            page.items.truncate(request.limit);
            page.next = page.items.last().map(|last| self.place(last).to_owned());
        }
        Ok(page)
    }
}

/// The query parameters of the organization's list.
#[derive(Debug)]
pub(crate) struct OfProfile {
    pub(super) profile: ChatBusinessProfileId,
    pub(super) filter: TemplateFilter,
}

impl Filters for OfProfile {
    const NAMES: &'static [&'static str] = &[PROFILE, "name", "language", "category", "status"];
    const REQUIRED: &'static [&'static str] = &[PROFILE];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let profile = sent.get(PROFILE, ChatBusinessProfileId::in_param)?;
        let profile = profile.ok_or_else(|| Failure::missing(PROFILE))?;
        Ok(OfProfile { profile, filter: TemplateFilter::parse(sent, PROFILE)? })
    }
}
