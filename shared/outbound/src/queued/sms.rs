//! Queued SMS messages.

use domain::id::PhoneNumberId;
use domain::message::pace::sms_per_second;
use domain::number::PhoneNumber;
use domain::sms::outgoing::OutgoingSms;
use domain::{ErrorCode, Failure, Timestamp};
use store::{OrganizationStore, SmsRecord, StoredSms};

use super::{QueuedChannel, queued_content};
use crate::attempt::Outbound;
use crate::sms::{ReadySms, SmsChannel, assigned_number, sent_medium};

impl QueuedChannel for SmsChannel {
    type NumberId = PhoneNumberId;
    type Number = PhoneNumber;

    fn number_id(message: &SmsRecord) -> &PhoneNumberId {
        &message.message.phone_number_id
    }

    async fn number(org: &OrganizationStore, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        org.phone_number(id).await
    }

    fn lost(number: Option<&PhoneNumber>, message: &StoredSms) -> Option<Failure> {
        let Some(number) = number else {
            let reason = "The phone number of this message no longer exists.";
            return Some(Failure::of_code(ErrorCode::PhoneNumberNotAssigned, reason));
        };
        let app = message.message.app_id.as_ref()?;
        if message.has_lost_number(number.assigned_since(app)) {
            return assigned_number(None, app).err();
        }
        number.expect_linked().err()
    }

    fn line_reset_at(number: &PhoneNumber) -> Option<Timestamp> {
        number.line_reset_at
    }

    async fn slots(_: &OrganizationStore, number: &PhoneNumber, _: Timestamp) -> Result<u32, Failure> {
        Ok(sms_per_second(&number.number))
    }

    async fn check_again(
        outbound: &Outbound,
        org: &OrganizationStore,
        number: &PhoneNumber,
        message: &StoredSms,
    ) -> Result<Result<ReadySms, Failure>, Failure> {
        let (outgoing, app): (OutgoingSms, _) = queued_content(message)?;
        let medium = async {
            match &outgoing.media_id {
                Some(id) => org.media(id).await,
                None => Ok(None),
            }
        };
        let (found, medium) = futures_util::try_join!(org.app(app), medium)?;

        let checked = || {
            let number = assigned_number(found.and(Some(number)), app)?;
            let carrier = outbound.carriers.of_mode(number.id.mode(), &outbound.context.store)?;
            number.expect_may_send_to(&outgoing.to)?;
            let medium = sent_medium(&outgoing, medium.as_ref(), app, outbound.context.now())?;
            Ok(ReadySms { carrier, sms: outbound.sms(org.organization_id(), &message.message, medium) })
        };
        Ok(checked())
    }

    fn recipient(_: &SmsRecord) -> Option<String> {
        None
    }
}
