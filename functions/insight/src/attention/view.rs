use domain::attention::{Need, NeedKind, Severity};
use domain::audit::Target;
use domain::{Mode, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// Something that needs attention.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attention)]
pub(crate) struct AttentionView {
    kind: NeedKind,
    severity: Severity,
    target: Target,
    /// The mode of the object.
    mode: Mode,
    /// Since when; `null` if unknown, as for limits.
    #[schema(required)]
    since: Option<Timestamp>,
    /// What is the matter.
    message: String,
    /// What to do about it.
    remedy: &'static str,
    /// The place in the list.
    #[serde(skip)]
    #[schema(ignore)]
    place: String,
}

impl From<Need> for AttentionView {
    fn from(need: Need) -> Self {
        AttentionView {
            kind: need.kind,
            severity: need.kind.severity(),
            place: need.place(),
            mode: need.mode,
            since: need.since,
            remedy: need.kind.remedy(),
            target: Target { kind: need.target_kind, id: need.target },
            message: need.message,
        }
    }
}

impl AttentionView {
    pub(super) fn place(&self) -> &str {
        &self.place
    }
}
