//! The profiles of the simulated platform's numbers.

use domain::Failure;
use domain::chat::{NumberProfile, NumberProfileChange};

use crate::engine::expression::Update;
use crate::engine::item::{entity, value};
use crate::{OrganizationStore, Reads, keys};

impl Reads {
    /// Returns the profile of a number of the simulated platform, which is empty at first.
    pub async fn simulated_number_profile(&self, platform_number: &str) -> Result<NumberProfile, Failure> {
        let item = self.table.get(&keys::simulated_number_profile(&self.organization, platform_number)).await?;
        item.map(entity).transpose().map(Option::unwrap_or_default)
    }
}

impl OrganizationStore {
    /// Changes the profile of a number of the simulated platform.
    pub async fn change_simulated_number_profile(
        &self,
        platform_number: &str,
        change: &NumberProfileChange,
    ) -> Result<(), Failure> {
        let NumberProfileChange { about, address, description, email, websites, vertical, picture_handle } = change;
        let mut update = Update::new(keys::simulated_number_profile(&self.organization, platform_number));
        let texts = [("about", about), ("address", address), ("description", description), ("email", email)];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            update = if text.is_empty() { update.remove(name) } else { update.set(name, text)? };
        }
        if let Some(websites) = websites {
            update = update.set_value("websites", value(websites)?);
        }
        if let Some(vertical) = vertical {
            update = update.set("vertical", vertical)?;
        }
        if let Some(handle) = picture_handle {
            // The simulated platform serves no pictures.
            update = update.set("profilePictureUrl", &format!("https://example.com/profile-pictures/{handle}"))?;
        }

        let unconditional = || Failure::internal("DynamoDB rejected an unconditional write");
        self.table.update(update, unconditional).await.map(|_| ())
    }
}
