//! The steps of a connection that request what the business shares of its business app: the contacts, and the history. Each
//! can be requested once, within 24 hours after the business signed up.

use domain::chat::{AppData, ChatBusinessProfile, ChatPhoneNumber, Share};
use domain::{Failure, Timestamp};
use inbound::{shared_by_simulator, update_jobs};
use platform::{PlatformError, PlatformNumber};

use super::steps::Run;
use crate::numbers;

impl Run<'_> {
    /// Requests both for each number that is used in the business app. A rejection does not fail the signup: the number shows
    /// it.
    pub(super) async fn request_app_data(
        &mut self,
        profile: &ChatBusinessProfile,
        found: &[PlatformNumber],
    ) -> Result<(), Failure> {
        if !profile.is_coexistence {
            return Ok(());
        }
        if !self.state.has_contacts {
            self.request(profile, found, AppData::Contacts).await?;
            self.note(|state| state.has_contacts = true).await?;
        }
        if !self.state.has_history {
            self.request(profile, found, AppData::History).await?;
            self.note(|state| state.has_history = true).await?;
        }
        Ok(())
    }

    async fn request(
        &mut self,
        profile: &ChatBusinessProfile,
        found: &[PlatformNumber],
        data: AppData,
    ) -> Result<(), Failure> {
        let line = self.line().await?;
        let context = &self.chat.context;
        let org = &context.store.of(self.organization);
        for number in org.whole_numbers_of_profile(&profile.id).await? {
            let is_in_app =
                |found: &PlatformNumber| found.id == number.provider_phone_number_id && found.is_on_business_app;
            if !found.iter().any(is_in_app) {
                continue;
            }
            let platform_id = &number.provider_phone_number_id;
            let outcome = match line.platform.request_app_data(&line.token, platform_id, data).await {
                Ok(is_first) => Outcome::Requested { is_first },
                Err(error) => match refusal(&error) {
                    Some(code) => Outcome::Refused(code),
                    None => return Err(line.failure(error, platform_id).await),
                },
            };
            let now = context.now();
            numbers::amend(context, org, &number.id, |number| {
                outcome.record(number, data, now);
                Ok(())
            })
            .await?;
            if self.mode.is_test() {
                self.share_simulated(&number, data).await?;
            }
        }

        Ok(())
    }

    /// Lets the simulated platform send what the business shares.
    async fn share_simulated(&self, number: &ChatPhoneNumber, data: AppData) -> Result<(), Failure> {
        let updates = shared_by_simulator(self.organization, number, data, self.chat.context.now())?;
        self.chat.queue.send(&update_jobs(updates)).await
    }
}

/// What the platform made of a request.
enum Outcome {
    /// It has accepted the request, or an earlier one.
    Requested {
        is_first: bool,
    },
    Refused(i64),
}

impl Outcome {
    fn record(&self, number: &mut ChatPhoneNumber, data: AppData, now: Timestamp) {
        let share = number.business_app.get_or_insert_default().share(data);
        match self {
            // What has come since the first request stays.
            Outcome::Requested { is_first: false } if share.is_some() => {}
            Outcome::Requested { .. } => *share = Some(Share::requested(now)),
            Outcome::Refused(code) => *share = Some(Share::refused(now, *code)),
        }
    }
}

/// Returns the platform's code if it has rejected the request for good.
fn refusal(error: &PlatformError) -> Option<i64> {
    match error {
        PlatformError::Rejected(provider) if !error.is_throttling() => Some(provider.number()),
        _ => None,
    }
}
