//! Sign-in links from the operator: the way in for an organization's first owner, and back in when everything else is lost.

use domain::audit::TargetKind;
use domain::id::{MemberId, OrganizationId};
use domain::identity::credential::Bearer;
use domain::identity::credential_kind::CredentialKind;
use domain::identity::holder::Credential;
use domain::identity::key::Actor;
use domain::identity::member::{Member, Role, address};
use domain::{Failure, Mode};
use store::{Change, PageRequest};

use crate::{Operator, Reply};

impl Operator {
    /// Creates a link for the member with an address, and the member if there is none. The role of an existing member stays.
    pub(crate) async fn create_sign_in_link(
        &self,
        organization: &OrganizationId,
        email: &str,
        role: Option<Role>,
    ) -> Result<Reply, Failure> {
        let email = &address(email, "email")?;
        let org = &self.store.of(organization);
        let decide = || async move {
            let now = self.clock.now();
            let known = match org.member_with_address(email).await? {
                Some(id) => org.member(&id).await?,
                None => None,
            };
            let mut change = Change::new(organization);
            change.require_organization();
            let entry = self.entry("operator.createSignInLink", Mode::Live);
            let (member, entry) = match known {
                Some(member) if member.suspended_at.is_some() => return Err(is_suspended()),
                Some(member) => {
                    let entry = entry.about(TargetKind::Member, &member.id).field("email", None, Some(email));
                    (member, entry)
                }
                None => {
                    let first = PageRequest { limit: 1, before: None };
                    let is_first = org.members(&first).await?.items.is_empty();
                    let role = role.unwrap_or(if is_first { Role::Owner } else { Role::Developer });
                    let id = MemberId::mint(now, self.random.as_ref());
                    let member = Member::invited(id, email, None, role, now);
                    change.create_member(&member)?;
                    let entry = entry.created(&member);
                    (member, entry)
                }
            };

            let bearer = Bearer::mint(CredentialKind::SignInLink, organization, self.random.as_ref());
            let issued_by = (Actor::operator(), 0);
            let credential = Credential::of_sign_in_link(organization.clone(), &member, issued_by, now);
            change.create_credential(&bearer.secret.sha256(), &credential)?;
            change.enter(&entry)?;

            let url = format!("{}/sign-in#{}", self.api_url, bearer.secret.expose());
            let expires_at = credential.expires_at.unwrap_or(now);
            Ok((change, Reply::SignInLink { url, expires_at, member_id: member.id, role: member.role }))
        };
        self.store.settle(decide).await
    }
}

fn is_suspended() -> Failure {
    Failure::conflict("This member is suspended. An owner must set the status to ACTIVE first.").with_param("email")
}
