//! Organizations and their admin keys.

use domain::audit::TargetKind;
use domain::id::{AdminKeyId, OrganizationId};
use domain::identity::credential::{Bearer, Secret};
use domain::identity::credential_kind::CredentialKind;
use domain::identity::key::{Actor, AdminKey, KeyLimits, KeyState};
use domain::identity::organization::{DEFAULT_MEDIA_RETENTION_DAYS, MessageRetention, Organization};
use domain::port::random_bytes;
use domain::{Failure, Mode, text};
use store::Change;

use crate::{Operator, Reply};

/// How many slugs are tried for the name of a new organization.
const SLUG_ATTEMPTS: u32 = 8;

impl Operator {
    fn admin_key(&self, organization: &OrganizationId, name: &str, mode: Mode) -> (AdminKey, Secret) {
        let now = self.clock.now();
        let bearer = Bearer::mint(CredentialKind::AdminKey, organization, self.random.as_ref());
        let key = AdminKey {
            id: AdminKeyId::mint(mode, now, self.random.as_ref()),
            name: name.to_owned(),
            state: KeyState::new(&bearer.secret, KeyLimits::default(), Actor::operator(), None, now),
        };
        (key, bearer.secret)
    }

    pub(crate) async fn create_organization(&self, name: &str, request_id: Option<String>) -> Result<Reply, Failure> {
        let name = text::name(name, "name")?;
        let request_id = request_id.map(|id| text::name(&id, "requestId")).transpose()?;
        if let Some(request_id) = &request_id
            && let Some(existing) = self.store.organization_of_request(request_id).await?
        {
            return self.create_access(&existing).await;
        }

        let suggested = text::slug_of_name(&name, "organization");
        let mut slug = suggested.clone();
        for _ in 0..SLUG_ATTEMPTS {
            let now = self.clock.now();
            let organization = Organization {
                id: OrganizationId::mint(now, self.random.as_ref()),
                name: name.clone(),
                slug,
                media_retention_days: DEFAULT_MEDIA_RETENTION_DAYS,
                message_retention: MessageRetention::default(),
                created_at: now,
                updated_at: now,
            };
            if self.store.create_organization(&organization, request_id.as_deref()).await? {
                return self.create_access(&organization.id).await;
            }
            if let Some(request_id) = &request_id
                && let Some(existing) = self.store.organization_of_request(request_id).await?
            {
                return self.create_access(&existing).await;
            }
            let suffix = domain::identity::credential::hex(&random_bytes::<3>(self.random.as_ref()));
            slug = text::slug_with_suffix(&suggested, &suffix);
        }

        Err(Failure::conflict("No free slug was found for this name. Retry the request."))
    }

    /// Creates two admin keys and a session in one transaction. A repeated request gets new ones, because the values of the
    /// first ones were only shown once.
    async fn create_access(&self, organization: &OrganizationId) -> Result<Reply, Failure> {
        let (live, live_value) = self.admin_key(organization, "First admin key", Mode::Live);
        let (test, test_value) = self.admin_key(organization, "First test admin key", Mode::Test);
        let mut change = Change::new(organization);
        change.create_admin_keys_without_limit(&[&live, &test])?;
        let (token, session) = self.session(organization, None)?;
        change.create_session(&session)?;
        let entry = self.entry("operator.createOrganization", Mode::Live);
        change.enter(&entry.about(TargetKind::Organization, organization))?;
        self.store.commit(&change).await?;
        Ok(Reply::Organization {
            organization_id: organization.clone(),
            admin_key: live_value.expose().to_owned(),
            test_admin_key: test_value.expose().to_owned(),
            session_token: token.expose().to_owned(),
        })
    }

    pub(crate) async fn create_admin_key(
        &self,
        organization: &OrganizationId,
        name: &str,
        test: bool,
    ) -> Result<Reply, Failure> {
        let name = text::name(name, "name")?;
        let (key, value) = self.admin_key(organization, &name, if test { Mode::Test } else { Mode::Live });
        let mut change = Change::new(organization);
        change.require_organization();
        change.create_admin_keys_without_limit(&[&key])?;
        change.enter(&self.entry("operator.createAdminKey", key.id.mode()).created(&key))?;
        self.store.commit(&change).await?;
        Ok(Reply::AdminKey { id: key.id, admin_key: value.expose().to_owned() })
    }
}
