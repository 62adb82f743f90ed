//! The groups of the simulated platform. It makes changes immediately.

use async_trait::async_trait;
use domain::chat::JoinApprovalMode;

use super::{
    CreatedGroup, Decided, Effect, GroupChange, GroupManagement, GroupRequest, JoinDecision, JoinRequest, NewGroup,
};
use crate::error::{PlatformResult, failure_of_code};
use crate::lists::ListPage;
use crate::outcomes::Outcomes;
use crate::simulator::{Simulator, random_hex, requested_error, requested_error_in_text};
use crate::vault::AccessToken;

/// The beginning of the ids of groups whose participants need approval.
const APPROVAL_GROUP: &str = "group-approval-";
/// The fictional numbers that ask to join a simulated group.
const JOINING: [&str; 2] = ["+12015550191", "+12015550192"];
const NO_SUCH_JOIN_REQUEST: i64 = 131_213;

#[async_trait]
impl GroupManagement for Simulator {
    async fn create_group(
        &self,
        _token: &AccessToken,
        _number: &str,
        group: &NewGroup,
    ) -> PlatformResult<GroupRequest> {
        requested_error_in_text(&group.subject)?;
        let id = random_hex();
        let prefix = match group.join_approval_mode {
            JoinApprovalMode::AutoApprove => "group-",
            JoinApprovalMode::ApprovalRequired => APPROVAL_GROUP,
        };
        Ok(GroupRequest {
            request_id: format!("request-{id}"),
            created: Some(CreatedGroup { invite_link: invite_link(&id), id: format!("{prefix}{id}") }),
        })
    }

    async fn update_group(&self, _token: &AccessToken, _group: &str, change: &GroupChange) -> PlatformResult<Effect> {
        requested_error_in_text(change.subject.as_deref().unwrap_or_default())?;
        Ok(Effect::Now)
    }

    async fn delete_group(&self, _token: &AccessToken, _group: &str) -> PlatformResult<Effect> {
        Ok(Effect::Now)
    }

    async fn replace_invite_link(&self, _token: &AccessToken, _group: &str) -> PlatformResult<String> {
        Ok(invite_link(&random_hex()))
    }

    async fn join_requests(
        &self,
        _token: &AccessToken,
        group: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<JoinRequest>> {
        let decided = self.memory()?.organization.decided_simulated_joins(group).await?;
        let is_open =
            |request: &JoinRequest| !decided.contains(&request.id) && after.is_none_or(|after| *request.id > *after);
        let mut items: Vec<JoinRequest> = requests_of(group).into_iter().filter(is_open).collect();
        let has_more = items.len() > limit;
        items.truncate(limit);
        let after = items.last().filter(|_| has_more).map(|last| last.id.clone());
        Ok(ListPage { items, after })
    }

    async fn decide_join_requests(
        &self,
        _token: &AccessToken,
        group: &str,
        decision: JoinDecision,
        requests: &[String],
    ) -> PlatformResult<Outcomes<Decided>> {
        let memory = self.memory()?;
        let known = requests_of(group);
        let mut outcomes = Vec::with_capacity(requests.len());
        for id in requests {
            let request = known.iter().find(|request| request.id == *id);
            let is_open = match request {
                None => false,
                Some(request) => memory.organization.decide_simulated_join(group, &request.id).await?,
            };
            let outcome = match requested_error(id) {
                Err(error) => Err(error),
                Ok(()) if is_open => Ok(()),
                Ok(()) => Err(failure_of_code(NO_SUCH_JOIN_REQUEST)),
            };
            let joined = request.filter(|_| outcome.is_ok() && decision == JoinDecision::Approve);
            let joined = joined.and_then(|request| request.phone_number.clone());
            outcomes.push((Decided { request: id.clone(), joined }, outcome));
        }
        Ok(outcomes.into_iter().collect())
    }

    async fn add_participants(
        &self,
        _token: &AccessToken,
        _group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect> {
        participants.iter().try_for_each(|participant| requested_error(participant))?;
        Ok(Effect::Now)
    }

    async fn remove_participants(
        &self,
        _token: &AccessToken,
        _group: &str,
        participants: &[String],
    ) -> PlatformResult<Effect> {
        participants.iter().try_for_each(|participant| requested_error(participant))?;
        Ok(Effect::Now)
    }
}

fn invite_link(own_part: &str) -> String {
    format!("https://example.com/invite/{own_part}")
}

/// Returns the people who ask to join a simulated group whose participants need approval: two, from the beginning.
fn requests_of(group: &str) -> Vec<JoinRequest> {
    let Some(own_part) = group.strip_prefix(APPROVAL_GROUP) else { return Vec::new() };
    let request = |(index, number): (usize, &str)| JoinRequest {
        id: format!("join-{}-{own_part}", index + 1),
        phone_number: number.parse().ok(),
        user_id: None,
        created_at: None,
    };
    JOINING.into_iter().enumerate().map(request).collect()
}
