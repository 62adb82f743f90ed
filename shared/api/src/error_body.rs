//! Error bodies; docs/specification.md lists them under "Errors" and "Credentials".

use domain::error::provider::Provider;
use domain::{ErrorCode, ErrorType, Failure};
use serde::Serialize;
use utoipa::ToSchema;

/// The structured error body.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody {
    pub error: ErrorDetails,
}

/// The details of an error: what is wrong, and where.
#[derive(Serialize, ToSchema)]
pub struct ErrorDetails {
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// A machine-readable code; absent if no code fits the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// What is wrong, where, what is allowed, and what to do.
    pub message: String,
    /// The documentation of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "uri")]
    pub doc_url: Option<String>,
    /// The parameter with the error: the path of a field such as `events[2]`, a path or query parameter, or a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub param: Option<String>,
    /// Details of the provider's error, if the error originates at a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Hints that may help to resolve the error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub additional_info: Vec<String>,
}

/// The plain body of authentication errors.
#[derive(Serialize, ToSchema)]
pub struct PlainErrorBody {
    /// What is wrong with the credential.
    pub error: String,
}

impl ErrorBody {
    /// Returns the body for a failure. `docs_url` is the URL of the error reference, without a trailing slash.
    pub fn new(failure: &Failure, docs_url: &str) -> Self {
        ErrorBody {
            error: ErrorDetails {
                error_type: failure.error_type(),
                code: failure.code(),
                message: failure.message().to_owned(),
                doc_url: failure.code().map(|code| code.doc_url(docs_url)),
                param: failure.param().map(str::to_owned),
                provider: failure.provider_details().cloned(),
                additional_info: failure.additional_info().to_vec(),
            },
        }
    }
}
