//! Recipients that decide what the simulated platform does with a message. They are numbers below +999, which is no
//! country's code; docs/test-mode.md lists them.

use crate::E164;

/// The digits of a recipient that is refused, or fails, with one of the platform's codes: a prefix and seven digits.
const REFUSED: &str = "9991";
const FAILED: &str = "9992";
const CODE_DIGITS: usize = 7;

/// The behaviour of the simulated platform towards a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedRecipient {
    /// Accepts the message; it is sent, delivered and read.
    Ordinary,
    /// Refuses the message with this code of the platform.
    Refused(i64),
    /// Accepts the message, then reports that it failed with this code.
    Failed(i64),
    /// Reports that the message was sent, and nothing more.
    SentOnly,
    /// Reports that the message was delivered, but never that it was read.
    NeverRead,
    /// Reports everything before it responds.
    Early,
    /// Reports every status three times.
    Repeated,
    /// Reports the statuses in reverse order.
    Reversed,
    /// Accepts the message, but the response is lost.
    LostResponse,
    /// Neither responds nor reports anything.
    Silent,
    /// Refuses three messages, because too many were sent from this number to this recipient, and accepts the fourth.
    PairLimited,
    /// Reports that the message was delivered, and later that it failed.
    FailedAfterDelivery,
}

impl SimulatedRecipient {
    pub fn of(number: &E164) -> Self {
        let digits = number.digits();
        let code = |prefix: &str| {
            let code = digits.strip_prefix(prefix).filter(|code| code.len() == CODE_DIGITS)?;
            code.parse::<i64>().ok()
        };
        if let Some(code) = code(REFUSED) {
            return SimulatedRecipient::Refused(code);
        }
        if let Some(code) = code(FAILED) {
            return SimulatedRecipient::Failed(code);
        }
        match digits {
            "99930001" => SimulatedRecipient::SentOnly,
            "99930002" => SimulatedRecipient::NeverRead,
            "99930003" => SimulatedRecipient::Early,
            "99930004" => SimulatedRecipient::Repeated,
            "99930005" => SimulatedRecipient::Reversed,
            "99930006" => SimulatedRecipient::LostResponse,
            "99930007" => SimulatedRecipient::Silent,
            "99930008" => SimulatedRecipient::PairLimited,
            "99930009" => SimulatedRecipient::FailedAfterDelivery,
            _ => SimulatedRecipient::Ordinary,
        }
    }

    /// Returns the number of the recipient that refuses messages with a code of the platform.
    pub fn refusing(code: i64) -> String {
        format!("+{REFUSED}{code:0CODE_DIGITS$}")
    }

    /// Returns the number of the recipient to whom messages fail with a code of the platform.
    pub fn failing(code: i64) -> String {
        format!("+{FAILED}{code:0CODE_DIGITS$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_decide() {
        let of = |number: &str| SimulatedRecipient::of(&number.parse().expect("E.164"));
        assert_eq!(of("+99910131026"), SimulatedRecipient::Refused(131_026));
        assert_eq!(of("+99910000368"), SimulatedRecipient::Refused(368));
        assert_eq!(of("+99920131049"), SimulatedRecipient::Failed(131_049));
        assert_eq!(of("+99930008"), SimulatedRecipient::PairLimited);
        assert_eq!(of(&SimulatedRecipient::refusing(368)), SimulatedRecipient::Refused(368));
        assert_eq!(of(&SimulatedRecipient::failing(131_026)), SimulatedRecipient::Failed(131_026));
        for ordinary in ["+12015550123", "+9991131026", "+999101310260", "+99930010", "+99830001"] {
            assert_eq!(of(ordinary), SimulatedRecipient::Ordinary, "{ordinary}");
        }
    }
}
