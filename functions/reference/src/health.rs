use api::Answer;
use serde::Serialize;
use utoipa::ToSchema;

/// That the service answers, and which version.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`
    status: &'static str,
    version: &'static str,
}

/// Check that the service answers
///
/// Does not touch storage.
#[utoipa::path(get, path = "/v1/health", tag = "Reference", security(()),
    responses((status = 200, description = "It does", body = Health)))]
pub(crate) async fn get_health() -> Answer<Health> {
    Answer::ok(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}
