//! The statuses of messages that were sent to the simulated platform.

use std::time::Duration;

use domain::chat::platform_words::{explanation, title};
use domain::chat::{ChatMessage, ChatPhoneNumber};
use domain::id::OrganizationId;
use domain::job::{Job, StatusReports, VERSION};
use domain::testing::simulated_recipient::SimulatedRecipient;
use domain::{E164, Failure, Timestamp};
use serde_json::{Value, json};

use crate::apply::Inbox;
use crate::route::Routed;

/// A status that the simulated platform reports.
#[derive(Clone, Copy)]
struct Report {
    status: &'static str,
    /// The seconds after which the message has this status, and those after which it is reported.
    reached: u64,
    reported: u64,
    /// The platform's code for a failure.
    error: Option<i64>,
}

const fn report(status: &'static str, reached: u64) -> Report {
    Report { status, reached, reported: reached, error: None }
}

const fn failed(reached: u64, code: i64) -> Report {
    Report { error: Some(code), ..report("failed", reached) }
}

/// The code with which a message fails after it was delivered.
const FAILED_LATE: i64 = 131_026;

/// Returns the statuses of a message to this recipient, in the order in which they are reported.
fn reports(recipient: SimulatedRecipient) -> Vec<Report> {
    let all = || vec![report("sent", 0), report("delivered", 1), report("read", 2)];
    match recipient {
        SimulatedRecipient::Refused(_) | SimulatedRecipient::Silent => Vec::new(),
        SimulatedRecipient::Failed(code) => vec![failed(1, code)],
        SimulatedRecipient::SentOnly => vec![report("sent", 0)],
        SimulatedRecipient::NeverRead => vec![report("sent", 0), report("delivered", 1)],
        SimulatedRecipient::FailedAfterDelivery => {
            vec![report("sent", 0), report("delivered", 1), failed(2, FAILED_LATE)]
        }
        SimulatedRecipient::Repeated => all().into_iter().flat_map(|one| [one; 3]).collect(),
        // A status is reported after it was reached, so the first report waits for the last status.
        SimulatedRecipient::Reversed => {
            let last = all().len() as u64 - 1;
            let reversed = |(index, one): (u64, Report)| Report { reported: last + index, ..one };
            (0..).zip(all().into_iter().rev()).map(reversed).collect()
        }
        SimulatedRecipient::Early => all().into_iter().map(|one| Report { reached: 0, reported: 0, ..one }).collect(),
        SimulatedRecipient::Ordinary | SimulatedRecipient::LostResponse | SimulatedRecipient::PairLimited => all(),
    }
}

/// A message that the simulated platform has accepted.
pub struct SimulatedSend<'a> {
    pub organization: &'a OrganizationId,
    pub number: &'a ChatPhoneNumber,
    pub platform_id: &'a str,
    /// The message as it was sent.
    pub message: &'a ChatMessage,
    /// When the platform accepted it.
    pub at: Timestamp,
}

impl SimulatedSend<'_> {
    /// Returns the statuses that arrive before the platform responds.
    pub fn statuses_at_once(&self) -> Result<Vec<Routed>, Failure> {
        if self.recipient() != SimulatedRecipient::Early {
            return Ok(Vec::new());
        }
        let updates = reports(SimulatedRecipient::Early).into_iter().map(|report| self.updates(&report));
        Ok(updates.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Returns the job that reports the other statuses, with its delay; `None` if there are none.
    pub fn statuses_later(&self) -> Option<(Job, Duration)> {
        let recipient = self.recipient();
        let first = reports(recipient).into_iter().next().filter(|_| recipient != SimulatedRecipient::Early)?;
        Some((self.job(0), Duration::from_secs(first.reported)))
    }

    /// Returns the job that reports statuses from this one on.
    fn job(&self, next: usize) -> Job {
        Job::ReportStatuses(Box::new(StatusReports {
            v: VERSION,
            organization_id: self.organization.clone(),
            number_id: self.number.id.clone(),
            message_id: self.message.id.clone(),
            platform_id: self.platform_id.to_owned(),
            at: self.at,
            next,
        }))
    }

    /// Returns the updates that report a status.
    fn updates(&self, report: &Report) -> Result<Vec<Routed>, Failure> {
        super::updates(self.organization, self.number, &self.notification(report))
    }

    /// Returns the notifications with which the platform reports the statuses, in the order of the reports.
    pub fn notifications(&self) -> Vec<Value> {
        reports(self.recipient()).iter().map(|report| self.notification(report)).collect()
    }

    fn recipient(&self) -> SimulatedRecipient {
        self.message.to_phone_number.as_ref().map_or(SimulatedRecipient::Ordinary, SimulatedRecipient::of)
    }

    /// Returns the notification with which the platform reports a status.
    fn notification(&self, report: &Report) -> Value {
        let (message, at) = (self.message, self.at.plus(Duration::from_secs(report.reached)));
        let mut body = json!({
            "id": self.platform_id,
            "status": report.status,
            "timestamp": at.seconds().to_string(),
            "recipient_id": message.group_id.as_deref().or(message.to_phone_number.as_ref().map(E164::digits)),
            "biz_opaque_callback_data": format!("{}:{}", self.organization, message.id),
        });
        if message.group_id.is_some() {
            body["recipient_type"] = json!("group");
        }
        if let Some(user) = &message.to_user_id {
            body["recipient_user_id"] = json!(user);
        }
        if let Some(code) = report.error {
            let (title, details) = (title(code), explanation(code));
            body["errors"] =
                json!([{"code": code, "title": title, "message": title, "error_data": {"details": details}}]);
        }
        super::notification(self.number, at, json!({"statuses": [body]}))
    }
}

impl Inbox {
    /// Applies the statuses of a simulated message that are due together, from the report `next` on, and queues the job for
    /// the rest.
    pub async fn report_statuses(&self, sent: &SimulatedSend<'_>, next: usize) -> Result<(), Failure> {
        let reports = reports(sent.recipient());
        let left = reports.get(next..).unwrap_or_default();
        let Some(first) = left.first() else { return Ok(()) };
        let due = left.iter().take_while(|report| report.reported == first.reported).count();
        for report in &left[..due] {
            for routed in sent.updates(report)? {
                self.apply(&routed).await?;
            }
        }

        match left.get(due) {
            Some(later) => {
                let wait = Duration::from_secs(later.reported - first.reported);
                self.queue.send_later(&[(sent.job(next + due), wait)]).await
            }
            None => Ok(()),
        }
    }
}
