//! Anchors of headings, and the links in the document's texts, which are made for the rendered page.

use super::{Group, event};

/// Returns what a heading is linked to by: its words in lower case, with hyphens.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Where a text stands, as seen from which links lead elsewhere.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Introduction,
    Page,
    /// The page with the bodies of events.
    Events,
}

impl Place {
    pub(super) fn page(self, name: &str) -> String {
        match self {
            Place::Introduction => format!("api_reference/{name}.md"),
            Place::Page | Place::Events => format!("{name}.md"),
        }
    }

    /// Returns the text with links to these pages instead of those to places of the rendered page.
    pub(super) fn linked(self, text: &str, groups: &[Group<'_>]) -> String {
        let mut parts = text.split("](");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |linked, part| match part.split_once(')') {
            Some((target, rest)) => format!("{linked}]({}){rest}", self.target(target, groups)),
            None => format!("{linked}]({part}"),
        })
    }

    fn target(self, target: &str, groups: &[Group<'_>]) -> String {
        if let Some(place) = target.strip_prefix("#tag/") {
            return self.operation(place, groups);
        }
        if let Some(heading) = target.strip_prefix("#description/") {
            let introduction = if matches!(self, Place::Introduction) { "" } else { "../api_reference.md" };
            return format!("{introduction}#{heading}");
        }
        if target == event::link() && !matches!(self, Place::Events) {
            return self.page("events") + target;
        }
        match target.strip_prefix("api_reference/error-codes") {
            Some(code) => self.page("error-codes") + code,
            None => target.to_owned(),
        }
    }

    /// Returns the target for a group, or for an operation such as `media/POST/v1/media/uploads`.
    fn operation(self, place: &str, groups: &[Group<'_>]) -> String {
        let (page, rest) = place.split_once('/').unwrap_or((place, ""));
        let Some((method, path)) = rest.split_once('/') else { return self.page(page) };
        let mut operations = groups.iter().flat_map(|group| &group.operations);
        let found = operations.find(|each| each.method == method && each.path.trim_start_matches('/') == path);
        let heading = found.and_then(|operation| operation.value["summary"].as_str());
        heading.map_or_else(|| self.page(page), |heading| format!("{}#{}", self.page(page), anchor(heading)))
    }
}
