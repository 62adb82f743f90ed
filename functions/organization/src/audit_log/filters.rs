use api::filter_values::{one_of, period, time};
use api::list::{Filters, SentFilters};
use domain::audit::{ActorKind, Outcome};
use domain::{Failure, Timestamp, text};
use store::{AuditFilter, WantedActor};
use utoipa::IntoParams;

/// The longest id of an object, an ARN included.
const ID_LENGTH: usize = 300;
/// The longest id of an operation.
const ACTION_LENGTH: usize = 100;

/// The filters of the audit log, as the document shows them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct AuditParams {
    /// Only what this actor did: the id of a key or link, or a kind: `KEY`, `LINK`, `OPERATOR` or `SYSTEM`.
    #[param(max_length = 300)]
    actor: Option<String>,
    /// Only this operation, such as `organization.adminKeys.create`.
    #[param(max_length = 100)]
    action: Option<String>,
    /// Only changes of the object with this id.
    #[param(max_length = 300)]
    target: Option<String>,
    /// Only entries with this outcome.
    outcome: Option<Outcome>,
    /// Only entries of this time or later.
    since: Option<Timestamp>,
    /// Only entries from before this time.
    until: Option<Timestamp>,
}

/// The filters of the audit log.
#[derive(Debug)]
pub(crate) struct AuditFilters {
    pub(super) wanted: AuditFilter,
    /// Identifies the filters in cursors.
    digest: Option<String>,
}

impl AuditFilters {
    /// Returns the name of the list with its filters, which its cursors contain.
    pub(super) fn name(&self, list: &str) -> String {
        self.digest.as_ref().map_or(list.to_owned(), |digest| format!("{list}/{digest}"))
    }
}

impl Filters for AuditFilters {
    const NAMES: &'static [&'static str] = &["actor", "action", "target", "outcome", "since", "until"];

    fn parse(sent: &SentFilters) -> Result<Self, Failure> {
        let wanted = AuditFilter {
            actor: sent.get("actor", actor)?,
            action: sent.get("action", |text, name| text::bounded(text, name, ACTION_LENGTH))?,
            target: sent.get("target", |text, name| text::bounded(text, name, ID_LENGTH))?,
            outcome: sent.get("outcome", |text, name| one_of(text, name, "DONE, DENIED or FAILED"))?,
            since: sent.get("since", time)?,
            until: sent.get("until", time)?,
        };
        period(wanted.since, wanted.until)?;
        Ok(AuditFilters { wanted, digest: sent.digest("") })
    }
}

/// Parses a kind of actor, or an id. Ids have lower-case prefixes, so that no kind is one.
fn actor(sent: &str, name: &str) -> Result<WantedActor, Failure> {
    if sent.bytes().all(|byte| byte.is_ascii_uppercase()) {
        let kind: ActorKind = one_of(sent, name, "KEY, LINK, OPERATOR, SYSTEM, or the id of a key or link")?;
        return Ok(WantedActor::OfKind(kind));
    }
    text::bounded(sent, name, ID_LENGTH).map(WantedActor::WithId)
}
