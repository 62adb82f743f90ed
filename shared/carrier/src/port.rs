//! The operations of the carrier that this API uses to send.

use async_trait::async_trait;
use domain::E164;
use domain::id::{OrganizationId, SmsMessageId};

use crate::error::CarrierError;

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sms {
    /// The organization and the message, which every receipt repeats.
    pub organization: OrganizationId,
    pub message: SmsMessageId,
    pub from: E164,
    pub to: E164,
    pub text: Option<String>,
    /// The medium of an MMS, as `s3://<bucket>/<key>`.
    pub media_url: Option<String>,
}

/// The carrier. The mode of a number selects the implementation: `AwsCarrier` or `Simulator`.
#[async_trait]
pub trait Carrier: Send + Sync {
    /// Makes one attempt to send a message, and returns the carrier's id of it. Never retried;
    /// [`CarrierError::is_outcome_unknown`] shows whether a failed attempt may have sent the message.
    async fn send(&self, sms: &Sms) -> Result<String, CarrierError>;
}
