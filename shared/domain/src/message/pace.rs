//! The pace of queued messages: how many messages per second the platform or the carrier accepts from a number, and how
//! long a number or a recipient waits after a rate limit was reported.

use std::time::Duration;

use crate::chat::platform_error::is_unlisted_rate_limit;
use crate::error::failure::Failure;
use crate::error::provider::ProviderSource;
use crate::{E164, ErrorCode, Timestamp};

/// Messages per second that the platform accepts from a number, received ones included.
pub const STANDARD: u32 = 80;
/// The same for a number that the business also uses in its business app.
pub const COEXISTENCE: u32 = 20;
pub const HIGH: u32 = 1000;
/// The platform's name of the tier with the higher throughput.
const HIGH_TIER: &str = "HIGH";

/// Returns how many messages per second the platform accepts from a number of this tier, received ones included.
pub fn messages_per_second(throughput_tier: Option<&str>, is_coexistence: bool) -> u32 {
    match throughput_tier {
        _ if is_coexistence => COEXISTENCE,
        Some(HIGH_TIER) => HIGH,
        _ => STANDARD,
    }
}

/// Messages per second that the carrier accepts from an ordinary number, and from a toll-free one.
pub const LONG_CODE: u32 = 1;
pub const TOLL_FREE: u32 = 3;
/// The area codes of toll-free numbers in the North American Numbering Plan.
const TOLL_FREE_CODES: [&str; 7] = ["800", "833", "844", "855", "866", "877", "888"];

/// Returns how many SMS messages per second the carrier accepts from a number. Registered numbers may have more; a
/// number that has less is paused when the carrier reports a rate limit.
pub fn sms_per_second(number: &E164) -> u32 {
    let area = number.digits().strip_prefix('1').and_then(|national| national.get(..3));
    if area.is_some_and(|area| TOLL_FREE_CODES.contains(&area)) { TOLL_FREE } else { LONG_CODE }
}

/// A rate limit of the platform or the carrier that ends by itself, so that a queued message waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimit {
    /// Too many messages per second from the number.
    Throughput,
    /// Too many calls by this installation's app, or for the account.
    Calls,
    /// Too many messages from the number to the same recipient.
    Recipient,
}

impl RateLimit {
    /// Returns the rate limit that the platform reports with this error code. Other codes, such as that of the limit
    /// on spam, are no reason to wait: the message is refused.
    pub fn of_code(platform: i64) -> Option<Self> {
        match platform {
            130_429 => Some(RateLimit::Throughput),
            4 | 17 | 32 | 613 | 80_007 | 80_008 => Some(RateLimit::Calls),
            131_056 => Some(RateLimit::Recipient),
            _ => None,
        }
    }

    /// Returns the rate limit that a refusal reports; `None` if the refusal has another reason.
    pub fn of_refusal(failure: &Failure) -> Option<Self> {
        let provider = failure.provider_details()?;
        match provider.source {
            ProviderSource::Carrier => {
                (failure.code() == Some(ErrorCode::RateLimitExceeded)).then_some(RateLimit::Throughput)
            }
            ProviderSource::Platform | ProviderSource::Rtc => Self::of_code(provider.number())
                .or_else(|| is_unlisted_rate_limit(provider).then_some(RateLimit::Calls)),
        }
    }

    /// Returns the first pause, the factor by which it grows with each further refusal, and the longest pause.
    fn pauses(self) -> (Duration, u32, Duration) {
        let seconds = Duration::from_secs;
        match self {
            RateLimit::Throughput => (seconds(10), 2, seconds(5 * 60)),
            RateLimit::Calls => (seconds(60), 2, seconds(15 * 60)),
            RateLimit::Recipient => (seconds(6), 4, seconds(3600)),
        }
    }
}

/// How long a pause is remembered after it has ended, in addition to its own length: longer than it can take until a
/// message is attempted again, so that its refusal makes the pause grow.
const REMEMBERED: Duration = Duration::from_secs(5 * 60);

/// The pause of a number, or of one recipient of a number, after a rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    pub until: Timestamp,
    pub length: Duration,
}

impl Pause {
    /// Returns the pause after a refusal at `now` of an attempt that began at `began`. It grows with each refusal, and
    /// is reset by some time without one. Refusals of attempts that began before the last pause are ignored, so of many
    /// concurrent ones only the first counts.
    #[must_use]
    pub fn after(last: Option<Pause>, limit: RateLimit, began: Timestamp, now: Timestamp) -> Pause {
        let (first, factor, longest) = limit.pauses();
        let length = match last {
            Some(last) if began < last.until.minus(last.length) => return last,
            Some(last) if now < last.until.plus(last.length + REMEMBERED) => {
                last.length.saturating_mul(factor).clamp(first, longest)
            }
            _ => first,
        };
        Pause { until: now.plus(length), length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(0).plus(Duration::from_secs(seconds))
    }

    #[test]
    fn the_tier_decides_the_platforms_messages_per_second() {
        let rates = [(None, 80), (Some("STANDARD"), 80), (Some("NOT_APPLICABLE"), 80), (Some("HIGH"), 1000)];
        for (tier, rate) in rates {
            assert_eq!((messages_per_second(tier, false), messages_per_second(tier, true)), (rate, 20), "{tier:?}");
        }
    }

    #[test]
    fn the_carrier_accepts_three_messages_per_second_from_toll_free_numbers() {
        let rate = |number: &str| sms_per_second(&number.parse().expect("a number"));
        assert_eq!((rate("+18335550100"), rate("+12015550100"), rate("+4983312345")), (3, 1, 1));
    }

    #[test]
    fn four_codes_are_reasons_to_wait() {
        let waits = |code: &i64| RateLimit::of_code(*code).is_some();
        let codes = [1, 2, 4, 17, 32, 100, 613, 80_007, 80_008, 130_429, 131_047, 131_048, 131_056, 131_208];
        assert_eq!(
            codes.into_iter().filter(waits).collect::<Vec<_>>(),
            [4, 17, 32, 613, 80_007, 80_008, 130_429, 131_056]
        );
    }

    #[test]
    fn a_recipient_waits_six_seconds_and_then_four_times_as_long() {
        let (mut pause, mut now, mut lengths) = (None, at(1000), Vec::new());
        for _ in 0..7 {
            let next = Pause::after(pause, RateLimit::Recipient, now, now);
            lengths.push(next.length.as_secs());
            (pause, now) = (Some(next), next.until);
        }
        assert_eq!(lengths, [6, 24, 96, 384, 1536, 3600, 3600]);
    }

    #[test]
    fn a_pause_that_was_followed_by_quiet_is_forgotten() {
        let last = Pause { until: at(100), length: Duration::from_secs(24) };
        let length = |now| Pause::after(Some(last), RateLimit::Recipient, now, now).length.as_secs();
        assert_eq!((length(at(100)), length(at(423)), length(at(424))), (96, 96, 6));
    }

    #[test]
    fn concurrent_refusals_are_one() {
        let first = Pause::after(None, RateLimit::Throughput, at(10), at(11));
        assert_eq!(first, Pause { until: at(21), length: Duration::from_secs(10) });
        assert_eq!(Pause::after(Some(first), RateLimit::Throughput, at(10), at(12)), first);
        assert_eq!(Pause::after(Some(first), RateLimit::Throughput, at(11), at(12)).length, Duration::from_secs(20));
    }
}
