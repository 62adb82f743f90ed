//! Reads for a caller who is not proven yet. The organization stands in the credential's value, so that credential and object
//! can be read at once; this type cannot write, and reads one organization's partition only.

use domain::app::App;
use domain::chat::{ChatBusinessProfile, ChatPhoneNumber, Group, ProfileNumber};
use domain::delivery::Delivery;
use domain::id::{
    AdminKeyId, AppId, AppKeyId, ChatBusinessProfileId, ChatGroupId, ChatMessageId, ChatPhoneNumberId, DeliveryId,
    MediaId, OrganizationId, PhoneNumberId, WebhookId,
};
use domain::key::{AdminKey, AppKey};
use domain::media::Media;
use domain::number::{NumberId, PhoneNumber};
use domain::organization::Organization;
use domain::webhook::{Webhook, WebhookSecrets};
use domain::{E164, Failure};

use crate::{
    AnyNumber, MessagePage, Page, PageOfEachMode, PageRequest, PlaygroundUser, Store, StoredMessage, SystemNumber,
};

/// What it reads must not be used before the credential is proven: `api::Claim` holds it back until then.
#[derive(Clone)]
pub struct Lookup {
    store: Store,
    claimed: OrganizationId,
}

impl Store {
    pub fn lookup(&self, claimed: &OrganizationId) -> Lookup {
        Lookup { store: self.clone(), claimed: claimed.clone() }
    }
}

impl Lookup {
    /// What the credential says; cursors are of an organization.
    pub fn claimed(&self) -> &OrganizationId {
        &self.claimed
    }

    pub async fn organization(&self) -> Result<Option<Organization>, Failure> {
        self.store.organization(&self.claimed).await
    }

    pub async fn admin_key(&self, id: &AdminKeyId) -> Result<Option<AdminKey>, Failure> {
        self.store.admin_key(&self.claimed, id).await
    }

    pub async fn app_key(&self, app: &AppId, id: &AppKeyId) -> Result<Option<AppKey>, Failure> {
        self.store.app_key(&self.claimed, app, id).await
    }

    pub async fn app_dependents(&self, id: &AppId) -> Result<(Vec<AppKey>, Vec<Webhook>), Failure> {
        self.store.app_dependents(&self.claimed, id).await
    }

    pub async fn delivery(&self, webhook: &WebhookId, id: &DeliveryId) -> Result<Option<Delivery>, Failure> {
        self.store.delivery(&self.claimed, webhook, id).await
    }

    pub async fn app(&self, id: &AppId) -> Result<Option<App>, Failure> {
        self.store.app(&self.claimed, id).await
    }

    /// Those that exist.
    pub async fn apps_by_id(&self, ids: &[AppId]) -> Result<Vec<App>, Failure> {
        self.store.apps_by_id(&self.claimed, ids).await
    }

    pub async fn webhook_with_secrets(
        &self,
        app: &AppId,
        id: &WebhookId,
    ) -> Result<(Webhook, WebhookSecrets), Failure> {
        self.store.webhook_with_secrets(&self.claimed, app, id).await
    }

    pub async fn phone_number(&self, id: &PhoneNumberId) -> Result<Option<PhoneNumber>, Failure> {
        self.store.phone_number(&self.claimed, id).await
    }

    pub async fn phone_numbers(&self, page: &PageRequest) -> Result<PageOfEachMode<PhoneNumber>, Failure> {
        self.store.phone_numbers(&self.claimed, page).await
    }

    pub async fn any_number(&self, id: &NumberId) -> Result<Option<AnyNumber>, Failure> {
        self.store.any_number(&self.claimed, id).await
    }

    /// Which of these are SMS numbers of playground apps, and of which.
    pub async fn system_numbers(&self, among: &[&E164]) -> Result<Vec<SystemNumber>, Failure> {
        self.store.system_numbers(&self.claimed, among).await
    }

    pub async fn playground_user(&self, number: &E164) -> Result<Option<PlaygroundUser>, Failure> {
        self.store.playground_user(&self.claimed, number).await
    }

    pub async fn chat_phone_number(&self, id: &ChatPhoneNumberId) -> Result<Option<ChatPhoneNumber>, Failure> {
        self.store.chat_phone_number(&self.claimed, id).await
    }

    pub async fn chat_phone_numbers(&self, page: &PageRequest) -> Result<PageOfEachMode<ChatPhoneNumber>, Failure> {
        self.store.chat_phone_numbers(&self.claimed, page).await
    }

    pub async fn chat_phone_numbers_of_profile(
        &self,
        profile: &ChatBusinessProfileId,
        page: &PageRequest,
    ) -> Result<Page<ChatPhoneNumber>, Failure> {
        self.store.chat_phone_numbers_of_profile(&self.claimed, profile, page).await
    }

    pub async fn chat_business_profiles(
        &self,
        page: &PageRequest,
    ) -> Result<PageOfEachMode<ChatBusinessProfile>, Failure> {
        self.store.chat_business_profiles(&self.claimed, page).await
    }

    pub async fn chat_business_profile(
        &self,
        id: &ChatBusinessProfileId,
    ) -> Result<Option<ChatBusinessProfile>, Failure> {
        self.store.chat_business_profile(&self.claimed, id).await
    }

    /// Oldest first.
    pub async fn numbers_of_profile(&self, profile: &ChatBusinessProfileId) -> Result<Vec<ProfileNumber>, Failure> {
        self.store.numbers_of_profile(&self.claimed, profile).await
    }

    pub async fn chat_message(&self, id: &ChatMessageId) -> Result<Option<StoredMessage>, Failure> {
        self.store.chat_message(&self.claimed, id).await
    }

    /// A page of a number's messages, or whether there is such a number.
    pub async fn chat_messages(&self, number: &ChatPhoneNumberId, page: &PageRequest) -> Result<MessagePage, Failure> {
        self.store.chat_messages(&self.claimed, number, page).await
    }

    pub async fn group(&self, id: &ChatGroupId) -> Result<Option<Group>, Failure> {
        self.store.group(&self.claimed, id).await
    }

    pub async fn media(&self, id: &MediaId) -> Result<Option<Media>, Failure> {
        self.store.media(&self.claimed, id).await
    }
}
