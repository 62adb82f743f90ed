//! Who is doing something, from where, and what it is called.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::identity::holder::{Holder, OnBehalf};

/// The longest `User-Agent` that is kept, in characters.
const USER_AGENT_LENGTH: usize = 200;

/// Who did something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AuditActor)]
pub struct Actor {
    pub kind: ActorKind,
    /// The id of the key, member or link, or of the operator's session. The service has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The address of the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// The kind of who did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = AuditActorKind)]
pub enum ActorKind {
    /// A key of the organization.
    Key,
    /// A member, with a key of a session.
    Member,
    /// A person with an onboarding link.
    Link,
    /// Whoever operates the installation.
    Operator,
    /// The service itself.
    System,
}

impl Actor {
    /// Returns the actor with a credential: the member for keys of a session. Sessions without a member are the operator's.
    pub fn with(holder: &Holder) -> Self {
        if let Some(member) = holder.member() {
            return Actor::member(member);
        }
        let (kind, id) = match holder {
            Holder::AdminKey { key_id, .. } => (ActorKind::Key, key_id.to_string()),
            Holder::AppKey { key_id, .. } => (ActorKind::Key, key_id.to_string()),
            Holder::Session { session_id } | Holder::MemberSession { session_id, .. } => {
                (ActorKind::Operator, session_id.to_string())
            }
            Holder::OnboardingLink { link_id } => (ActorKind::Link, link_id.to_string()),
            Holder::SignInLink { member_id, .. } => (ActorKind::Member, member_id.to_string()),
        };
        Actor { kind, id: Some(id), email: None }
    }

    pub fn member(member: &OnBehalf) -> Self {
        Actor { kind: ActorKind::Member, id: Some(member.id.to_string()), email: Some(member.email.clone()) }
    }
}

/// Who is doing something.
#[derive(Clone, Debug)]
pub struct Trail {
    pub actor: Actor,
    /// The id of the operation.
    pub action: &'static str,
    pub source_ip: Option<IpAddr>,
    pub user_agent: Option<String>,
}

impl Trail {
    /// Returns the trail of the operator.
    pub fn of_operator(action: &'static str) -> Self {
        Trail::without_request(ActorKind::Operator, action)
    }

    /// Returns the trail of the service itself.
    pub fn of_system(action: &'static str) -> Self {
        Trail::without_request(ActorKind::System, action)
    }

    fn without_request(kind: ActorKind, action: &'static str) -> Self {
        Trail { actor: Actor { kind, id: None, email: None }, action, source_ip: None, user_agent: None }
    }
}

/// Returns what is kept of a `User-Agent`: its beginning, without characters that terminals interpret.
pub(super) fn shortened_agent(agent: &str) -> String {
    agent
        .chars()
        .map(|sent| if sent.is_ascii() && !sent.is_control() { sent } else { '?' })
        .take(USER_AGENT_LENGTH)
        .collect()
}
