//! Recipients that decide what the simulated carrier does with a message: +99940001 to +99940017. +999 is no country's
//! code; docs/test-mode.md lists them.

use domain::E164;

/// The behaviour of the simulated carrier towards a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedRecipient {
    /// Accepts the message; it is sent and delivered.
    Ordinary,
    /// Refuses the message with this exception, and its reason if it has one.
    Refused { exception: &'static str, reason: &'static str },
    /// Refuses three messages to this recipient, because the account sends too many, and accepts the fourth.
    Throttled,
    /// Cannot be reached.
    Unreachable,
    /// Accepts the message, but its response is lost.
    LostResponse,
    /// Accepts the message and reports this result, either after the message was sent or instead of sending it.
    Reported { was_sent: bool, result: &'static str },
}

impl SimulatedRecipient {
    pub fn of(number: &E164) -> Self {
        use SimulatedRecipient::{LostResponse, Ordinary, Refused, Reported, Throttled, Unreachable};
        let refused = |exception, reason| Refused { exception, reason };
        let after_sent = |result| Reported { was_sent: true, result };
        let unsent = |result| Reported { was_sent: false, result };
        match number.as_str() {
            "+99940001" => refused("ConflictException", "DESTINATION_PHONE_NUMBER_OPTED_OUT"),
            "+99940002" => after_sent("UNREACHABLE"),
            "+99940003" => unsent("BLOCKED"),
            "+99940004" => refused("ServiceQuotaExceededException", "MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT"),
            "+99940005" => Throttled,
            "+99940006" => after_sent("TTL_EXPIRED"),
            "+99940007" => unsent("INVALID"),
            "+99940008" => after_sent("CARRIER_UNREACHABLE"),
            "+99940009" => after_sent("UNKNOWN"),
            "+99940010" => after_sent("CARRIER_BLOCKED"),
            "+99940011" => unsent("SPAM"),
            "+99940012" => unsent("INVALID_MESSAGE"),
            "+99940013" => unsent("PROTECT_BLOCKED"),
            "+99940014" => refused("AccessDeniedException", "ACCOUNT_DISABLED"),
            "+99940015" => refused("ValidationException", "PRICE_OVER_THRESHOLD"),
            "+99940016" => LostResponse,
            "+99940017" => Unreachable,
            _ => Ordinary,
        }
    }
}
