//! What SNS delivers to a queue.

use domain::Timestamp;
use serde::Deserialize;

use super::job::{Job, QueuedJob, VERSION};

/// A message of a topic in its envelope. The carrier's topics are the only ones that lead to a queue of this service.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Notice {
    message: String,
    timestamp: Timestamp,
}

impl QueuedJob {
    /// Reads the body of a message: a job of this service, or the envelope of an update that the carrier has published.
    pub fn read(body: &str) -> serde_json::Result<Self> {
        serde_json::from_str(body).or_else(|error| match serde_json::from_str(body) {
            Ok(Notice { message, timestamp }) => {
                let job = Job::CarrierUpdate { v: VERSION, organization_id: None, at: timestamp, update: message };
                Ok(QueuedJob { job, origin: None })
            }
            Err(_) => Err(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_envelope_is_a_job_and_stays_one() {
        let envelope = json!({
            "Type": "Notification", "MessageId": "1", "TopicArn": "arn:aws:sns:eu-central-1:123456789012:inbound",
            "Message": "{\"messageBody\": \"Hi\"}", "Timestamp": "2026-11-23T03:00:00.123Z", "SignatureVersion": "1",
            "Signature": "x", "SigningCertURL": "x", "UnsubscribeURL": "x",
        });
        let read = QueuedJob::read(&envelope.to_string()).expect("a job");
        let Job::CarrierUpdate { organization_id: None, at, update, .. } = &read.job else { panic!("{:?}", read.job) };
        assert_eq!((at.millis() % 1000, update.as_str()), (123, r#"{"messageBody": "Hi"}"#));
        // A copy that a retry puts back is a job of its own.
        let copy = serde_json::to_string(&read).expect("JSON");
        assert_eq!(QueuedJob::read(&copy).expect("a job").job, read.job);
    }

    #[test]
    fn what_is_neither_is_malformed() {
        for body in ["", "{}", r#"{"Message": "x"}"#, r#"{"Message": "x", "Timestamp": "now"}"#, r#"{"job": "later"}"#]
        {
            assert!(QueuedJob::read(body).is_err(), "{body}");
        }
    }
}
