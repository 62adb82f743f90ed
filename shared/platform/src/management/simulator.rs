//! The management operations of the simulated platform.

use async_trait::async_trait;
use domain::E164;
use domain::chat::{NumberProfile, NumberProfileChange};
use domain::simulated_recipient::SimulatedRecipient;

use super::{BlockChange, Decided, Effect, GroupChange, JoinDecision, JoinRequest, ListPage, Management, Outcomes};
use crate::error::{PlatformResult, failure_of_code};
use crate::simulator::{
    APPROVAL_GROUP, CONVERSATION_WINDOW, Simulator, WINDOW_CLOSED, invite_link, random_hex, requested_error,
    requested_error_in_text,
};
use crate::types::{AccessToken, SourceFile};

/// The fictional numbers that ask to join a simulated group.
const JOINING: [&str; 2] = ["+12015550191", "+12015550192"];
const NO_SUCH_JOIN_REQUEST: i64 = 131_213;

#[async_trait]
impl Management for Simulator {
    async fn blocked_users(
        &self,
        _token: &AccessToken,
        number: &str,
        limit: usize,
        after: Option<&str>,
    ) -> PlatformResult<ListPage<String>> {
        let blocked = self.memory()?.organization.blocked_simulated_contacts(number).await?;
        let rest: Vec<String> = blocked
            .iter()
            .filter(|user| after.is_none_or(|after| user.digits() > after))
            .map(ToString::to_string)
            .collect();
        let items = rest[..limit.min(rest.len())].to_vec();
        let last = items.last().filter(|_| rest.len() > limit);
        Ok(ListPage { after: last.map(|last| last.trim_start_matches('+').to_owned()), items })
    }

    async fn change_blocked_users(
        &self,
        _token: &AccessToken,
        number: &str,
        change: BlockChange,
        users: &[E164],
    ) -> PlatformResult<Outcomes<E164>> {
        let memory = self.memory()?;
        let refused = |user: &&E164| matches!(SimulatedRecipient::of(user), SimulatedRecipient::Refused(_));
        let (refused, others): (Vec<&E164>, Vec<&E164>) = users.iter().partition(refused);
        let others: Vec<E164> = others.into_iter().cloned().collect();

        let changed = match change {
            BlockChange::Block => {
                let since = memory.now.minus(CONVERSATION_WINDOW);
                memory.organization.block_simulated_contacts(number, &others, since, memory.now).await?
            }
            BlockChange::Unblock => {
                memory.organization.unblock_simulated_contacts(number, &others).await?;
                vec![true; others.len()]
            }
        };

        let changed = others
            .into_iter()
            .zip(changed)
            .map(|(user, is_changed)| (user, if is_changed { Ok(()) } else { Err(failure_of_code(WINDOW_CLOSED)) }));
        let refused = refused.into_iter().filter_map(|user| match SimulatedRecipient::of(user) {
            SimulatedRecipient::Refused(code) => Some((user.clone(), Err(failure_of_code(code)))),
            _ => None,
        });
        Ok(changed.chain(refused).collect())
    }

    async fn number_profile(&self, _token: &AccessToken, number: &str) -> PlatformResult<NumberProfile> {
        Ok(self.memory()?.organization.simulated_number_profile(number).await?)
    }

    async fn change_number_profile(
        &self,
        _token: &AccessToken,
        number: &str,
        change: &NumberProfileChange,
    ) -> PlatformResult<()> {
        requested_error_in_text(change.about.as_deref().unwrap_or_default())?;
        Ok(self.memory()?.organization.change_simulated_number_profile(number, change).await?)
    }

    async fn upload(&self, _token: &AccessToken, _file: &SourceFile) -> PlatformResult<String> {
        Ok(format!("simulated-{}", random_hex()))
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
