use api::filter_values::{one_of, period, time};
use api::list::{Filters, SentFilters};
use domain::page::USAGE_ROWS_PER_PAGE;
use domain::usage::{Dimension, Period, UsageKind};
use domain::{Failure, Mode, Timestamp};
use utoipa::IntoParams;

/// By how much usage can be grouped at once.
const MOST_DIMENSIONS: usize = 2;

/// The parameters of usage, as the document shows them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct UsageParams {
    /// What is counted.
    #[param(default = "messages", required = false)]
    kind: UsageKind,
    /// The length of the periods, which begin at full hours and days of UTC. Hours are kept for 90 days, days for three years.
    #[param(default = "day", required = false)]
    period: Period,
    /// What to group by: at most two, separated by a comma, such as `channel,country`. Of messages: `app`, `number`, `channel`, `direction`, `category`,
    /// `country`, `code`; of deliveries: `app`, `webhook`, `event`.
    #[param(rename = "groupBy", required = false, max_length = 40)]
    group_by: String,
    /// From which period on: the one in which this time lies. Without it, 30 days or 24 hours before `until`.
    since: Option<Timestamp>,
    /// Until which period: the last one that begins before this time. Without it, now. A request covers at most 400 days, or 31
    /// days of hours.
    until: Option<Timestamp>,
    /// Whether messages of live or of test mode are counted; without it, those of the mode of the key.
    #[param(required = false, pattern = "^(live|test)$")]
    mode: String,
    /// The maximum number of rows on the page.
    #[param(minimum = 1, maximum = 400, default = 400, required = false)]
    limit: usize,
    /// `nextCursor` of the previous page.
    #[param(required = false)]
    cursor: String,
}

/// The parameters of usage.
#[derive(Debug)]
pub(crate) struct UsageFilters {
    pub(super) kind: UsageKind,
    pub(super) period: Period,
    pub(super) group_by: Vec<Dimension>,
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) mode: Option<Mode>,
    /// Identifies the parameters in cursors.
    digest: Option<String>,
}

impl UsageFilters {
    /// Returns the name of the list with its parameters, which its cursors contain.
    pub(super) fn name(&self, list: &str) -> String {
        self.digest.as_ref().map_or(list.to_owned(), |digest| format!("{list}/{digest}"))
    }
}

impl Filters for UsageFilters {
    const NAMES: &'static [&'static str] = &["kind", "period", "groupBy", "since", "until", "mode"];
    const LIMIT: (usize, usize) = (USAGE_ROWS_PER_PAGE, USAGE_ROWS_PER_PAGE);

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let kind = sent.get("kind", |text, name| one_of(text, name, "messages or deliveries"))?;
        let kind = kind.unwrap_or(UsageKind::Messages);
        let filters = UsageFilters {
            kind,
            period: sent.get("period", |text, name| one_of(text, name, "hour or day"))?.unwrap_or(Period::Day),
            group_by: sent.get("groupBy", |text, name| dimensions(text, name, kind))?.unwrap_or_default(),
            since: sent.get("since", time)?,
            until: sent.get("until", time)?,
            mode: sent.get("mode", |text, name| one_of(text, name, "live or test"))?,
            digest: sent.digest(""),
        };
        period(filters.since, filters.until)?;
        Ok(filters)
    }
}

fn dimensions(sent: &str, name: &str, kind: UsageKind) -> Result<Vec<Dimension>, Failure> {
    let allowed = kind.dimensions();
    let known = |text: &str| allowed.iter().copied().find(|dimension| dimension.as_str() == text);
    let mut dimensions = Vec::new();
    for text in sent.split(',') {
        match known(text.trim()) {
            Some(dimension) if !dimensions.contains(&dimension) => dimensions.push(dimension),
            _ => dimensions.clear(),
        }
        if dimensions.is_empty() || dimensions.len() > MOST_DIMENSIONS {
            let names: Vec<_> = allowed.iter().map(|dimension| dimension.as_str()).collect();
            let message = format!(
                "{name} must be one or two different ones of {}, separated by a comma, for kind {}.",
                names.join(", "),
                kind.as_str()
            );
            return Err(Failure::invalid(name, message));
        }
    }
    Ok(dimensions)
}
