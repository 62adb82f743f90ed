//! The formats of messages in the worker's queues.

use aws::queue::Notice;
use domain::job::{Job, QueuedJob, VERSION};

/// Reads the body of a message: a job, or the envelope of an update that the carrier has published. Only the carrier's
/// topics deliver to a queue of this service.
pub(crate) fn read(body: &str) -> serde_json::Result<QueuedJob> {
    serde_json::from_str(body).or_else(|error| match serde_json::from_str(body) {
        Ok(Notice { message, timestamp }) => {
            let job = Job::CarrierUpdate { v: VERSION, organization_id: None, at: timestamp, update: message };
            Ok(QueuedJob { job, origin: None })
        }
        Err(_) => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_envelope_is_read_as_a_job_and_put_back_as_one() {
        let envelope = json!({
            "Type": "Notification", "MessageId": "1", "TopicArn": "arn:aws:sns:eu-central-1:123456789012:inbound",
            "Message": "{\"messageBody\": \"Hi\"}", "Timestamp": "2026-11-23T03:00:00.123Z", "SignatureVersion": "1",
            "Signature": "x", "SigningCertURL": "x", "UnsubscribeURL": "x",
        });
        let queued = read(&envelope.to_string()).expect("a job");
        let Job::CarrierUpdate { organization_id: None, at, update, .. } = &queued.job else {
            panic!("{:?}", queued.job)
        };
        assert_eq!((at.millis() % 1000, update.as_str()), (123, r#"{"messageBody": "Hi"}"#));
        // A copy that a retry puts back is a job of its own.
        let copy = serde_json::to_string(&queued).expect("JSON");
        assert_eq!(read(&copy).expect("a job").job, queued.job);
    }

    #[test]
    fn other_messages_are_malformed() {
        for body in ["", "{}", r#"{"Message": "x"}"#, r#"{"Message": "x", "Timestamp": "now"}"#, r#"{"job": "later"}"#]
        {
            assert!(read(body).is_err(), "{body}");
        }
    }
}
