//! The error classes of the libraries: one for each meaning, with the statuses that have it.

/// A class, the class it extends, its statuses, and what it means.
pub(crate) struct Class(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) &'static [u16],
    pub(crate) &'static str,
);

/// The class of all errors, which is written by hand.
pub(crate) const BASE: &str = "MessagingError";
pub(crate) const CLASSES: [Class; 12] = [
    Class(
        "AuthenticationError",
        BASE,
        &[401],
        "the credential is missing, unknown, revoked or expired, or the operation does not accept its kind.",
    ),
    Class("PermissionError", BASE, &[403], "the credential does not allow this."),
    Class(
        "NotFoundError",
        BASE,
        &[404, 410],
        "the object does not exist, or no longer, or is not visible to the credential.",
    ),
    Class(
        "ConflictError",
        BASE,
        &[409],
        "the state of the object does not allow this, or another request changed it first.",
    ),
    Class("InvalidRequestError", BASE, &[], "400, 413, 415, 422: the request is invalid. `param` names what is."),
    Class("RateLimitError", BASE, &[429], "too many requests, or a quota is used up."),
    Class(
        "ProviderError",
        BASE,
        &[502],
        "WhatsApp failed. With another status, WhatsApp or the carrier rejected the request, and `provider` says why.",
    ),
    Class("UnavailableError", BASE, &[503, 504], "the service or a provider is not available."),
    Class("InternalError", BASE, &[], "Another error of the service, or a response that is none of the API."),
    Class("ConnectionError", BASE, &[], "No connection, or one that broke before the response was complete."),
    Class("TimeoutError", "ConnectionError", &[], "No response within the time limit."),
    Class(
        "WebhookVerificationError",
        BASE,
        &[],
        "A delivery that the service did not sign, or one that is not recent.",
    ),
];

/// Returns the class of a status. A provider's rejection has its own, unless the status has one.
pub(crate) fn class_of(status: &str, kind: Option<&str>) -> &'static str {
    let by_status = CLASSES.iter().find(|class| class.2.iter().any(|known| known.to_string() == status));
    match (by_status, kind) {
        (Some(class), _) => class.0,
        (None, Some("provider_error")) => "ProviderError",
        (None, _) if status.starts_with('4') => "InvalidRequestError",
        (None, _) => "InternalError",
    }
}
