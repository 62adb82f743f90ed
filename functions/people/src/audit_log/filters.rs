use api::filter_values::{one_of, period, time};
use api::list::{Filters, SentFilters};
use domain::audit::Outcome;
use domain::id::KSUID_LENGTH;
use domain::{Failure, Timestamp};
use store::{AuditFilter, WantedActor};
use utoipa::IntoParams;

/// The longest id of an object, an ARN included.
const ID_LENGTH: usize = 300;
/// The longest prefix of the id of a key, member or link.
const PREFIX_LENGTH: usize = 30;
/// The longest id of an operation.
const ACTION_LENGTH: usize = 100;

/// The filters of the audit log, as the document shows them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
pub(crate) struct AuditParams {
    /// Only what this actor did: the id of a key, member or link, or a kind: `KEY`, `MEMBER`, `LINK`, `OPERATOR` or `SYSTEM`.
    #[param(pattern = "^(KEY|MEMBER|LINK|OPERATOR|SYSTEM|[a-z_]{1,30}_[a-zA-Z0-9]{27})$")]
    actor: Option<String>,
    /// Only this operation, such as `organization.adminKeys.create`.
    #[param(pattern = "^[a-zA-Z.]{1,100}$")]
    action: Option<String>,
    /// Only changes of the object with this id.
    #[param(pattern = "^[!-~]{1,300}$")]
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
            action: sent.get("action", action)?,
            target: sent.get("target", target)?,
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
    let known = one_of(sent, name, "KEY, MEMBER, LINK, OPERATOR, SYSTEM, or the id of a key, member or link");
    let is_id = |sent: &str| {
        let (prefix, ksuid) = sent.rsplit_once('_')?;
        let has_prefix = (1..=PREFIX_LENGTH).contains(&prefix.len())
            && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        Some(has_prefix && ksuid.len() == KSUID_LENGTH && ksuid.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    match is_id(sent) {
        Some(true) => Ok(WantedActor::WithId(sent.to_owned())),
        _ => known.map(WantedActor::OfKind),
    }
}

fn action(sent: &str, name: &str) -> Result<String, Failure> {
    let is_name = sent.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.');
    if is_name && (1..=ACTION_LENGTH).contains(&sent.len()) {
        return Ok(sent.to_owned());
    }
    let message = format!("{name} must be the id of an operation, such as organization.adminKeys.create.");
    Err(Failure::invalid(name, message))
}

fn target(sent: &str, name: &str) -> Result<String, Failure> {
    if (1..=ID_LENGTH).contains(&sent.len()) && sent.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(sent.to_owned());
    }
    Err(Failure::invalid(
        name,
        format!("{name} must be the id of an object: 1 to {ID_LENGTH} visible ASCII characters."),
    ))
}
