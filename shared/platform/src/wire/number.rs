//! A phone number of an account.

use domain::chat::ReviewOutcome;
use domain::{E164, Open};
use serde::Deserialize;

use crate::PlatformNumber;

pub(crate) const NUMBER_FIELDS: &str = "id,display_phone_number,verified_name,quality_rating,code_verification_status,\
    platform_type,throughput,name_status,status,is_on_biz_app";

#[derive(Deserialize)]
pub(crate) struct NumberResponse {
    #[serde(deserialize_with = "super::id")]
    id: String,
    display_phone_number: Option<String>,
    verified_name: Option<String>,
    quality_rating: Option<String>,
    code_verification_status: Option<String>,
    platform_type: Option<String>,
    throughput: Option<Throughput>,
    name_status: Option<String>,
    status: Option<String>,
    #[serde(default)]
    is_on_biz_app: bool,
}

#[derive(Deserialize)]
struct Throughput {
    level: Option<String>,
}

impl NumberResponse {
    /// Returns the number, or `None` if the platform shows no digits, so that it cannot be used.
    pub(crate) fn number(self) -> Option<PlatformNumber> {
        let display_phone_number = E164::from_digits_in(self.display_phone_number.as_deref().unwrap_or_default())?;
        Some(PlatformNumber {
            id: self.id,
            display_phone_number,
            is_verified: self.code_verification_status.as_deref() == Some("VERIFIED"),
            is_connected: is_connected(self.status.as_deref(), self.platform_type.as_deref()),
            is_in_use: self.status.as_deref() == Some("CONNECTED"),
            is_on_business_app: self.is_on_biz_app,
            quality_rating: self.quality_rating,
            throughput_tier: self.throughput.and_then(|throughput| throughput.level),
            name_status: self.name_status.as_deref().and_then(name_status),
            verified_name: self.verified_name,
        })
    }
}

/// Returns whether the number is registered with the platform's API; `None` for states such as `FLAGGED`, which do not
/// say.
fn is_connected(status: Option<&str>, platform_type: Option<&str>) -> Option<bool> {
    match status? {
        "CONNECTED" => Some(platform_type == Some("CLOUD_API")),
        "PENDING" | "DISCONNECTED" | "UNVERIFIED" | "DELETED" | "MIGRATED" => Some(false),
        _ => None,
    }
}

/// Returns the outcome of a display name's review; `NONE` means that there was no review.
fn name_status(platform: &str) -> Option<Open<ReviewOutcome>> {
    (platform != "NONE").then(|| ReviewOutcome::of_platform(platform))
}
