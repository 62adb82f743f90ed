use api::Answer;
use serde::Serialize;
use utoipa::ToSchema;

/// The health of the service.
#[derive(Serialize, ToSchema)]
#[schema(as = ServiceHealth)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
    /// The version of the service.
    version: &'static str,
}

/// Check the health of the service
///
/// Returns 200 if the service responds to requests. The storage is not checked.
#[utoipa::path(get, path = "/v1/health", operation_id = "health.get", tag = "Reference",
    security(()),
    responses((status = 200, description = "The service responds", body = Health)))]
pub(crate) async fn get_health() -> Answer<Health> {
    Answer::ok(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}
