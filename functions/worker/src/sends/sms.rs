//! Queued SMS messages.

use std::sync::Arc;

use carrier::{Carrier, Sms};
use domain::id::{OrganizationId, PhoneNumberId};
use domain::number::PhoneNumber;
use domain::pace::sms_per_second;
use domain::{Failure, Timestamp};
use outbound::{Posted, Ready as _, ReadySms, lost_phone_number};
use store::{OrganizationStore, StoredSms};

use super::channel::Channel;
use crate::Worker;

pub(crate) struct SmsChannel;

impl Channel for SmsChannel {
    type Message = StoredSms;
    type NumberId = PhoneNumberId;
    type Number = PhoneNumber;
    type Checked = (Arc<dyn Carrier>, Sms);

    async fn number(org: &OrganizationStore, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        org.phone_number(id).await
    }

    fn lost(number: Option<&PhoneNumber>, stored: &StoredSms) -> Option<Failure> {
        lost_phone_number(number, stored)
    }

    fn line_reset_at(number: &PhoneNumber) -> Option<Timestamp> {
        number.line_reset_at
    }

    async fn slots(_: &OrganizationStore, number: &PhoneNumber, _: Timestamp) -> Result<u32, Failure> {
        Ok(sms_per_second(&number.number))
    }

    async fn check_again(
        worker: &Worker,
        org: &OrganizationStore,
        number: &PhoneNumber,
        stored: &StoredSms,
    ) -> Result<Result<Self::Checked, Failure>, Failure> {
        worker.outbound.check_sms_again(org, number, stored).await
    }

    fn recipient(_: &StoredSms) -> Option<String> {
        None
    }

    async fn post(
        worker: &Worker,
        organization: &OrganizationId,
        _: &PhoneNumber,
        (carrier, sms): Self::Checked,
        message: StoredSms,
    ) -> Posted {
        let mut ready = ReadySms { organization, carrier, message, sms };
        ready.post(&worker.outbound).await
    }
}
