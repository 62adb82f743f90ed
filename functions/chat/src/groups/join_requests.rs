//! Requests to join a group, which the platform keeps. New participants are reported by a notification; the simulated
//! platform admits people immediately.

use api::{AppCaller, List, ListQuery};
use domain::Failure;
use domain::chat::{Group, GroupStatus, Member};
use platform::{Decided, JoinDecision, Outcomes};

use super::join_requests_http::JoinRequestView;
use super::manage::{platform_id, write};
use super::{expect_own, line};
use crate::ChatContext;

/// Returns a page of the requests to join a group.
pub(super) async fn list(
    chat: &ChatContext,
    caller: &AppCaller,
    query: &ListQuery,
    group: Option<Group>,
) -> Result<List<JoinRequestView>, Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let (organization, name) = (&caller.organization, format!("join-requests/{}", group.id));
    let after = query.after_at_platform(organization, &name)?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;

    let mut limit = query.limit;
    loop {
        let page = match line.platform.join_requests(&line.token, platform_id, limit, after.as_deref()).await {
            Ok(page) => page,
            Err(error) => return Err(line.failure(error, &number.provider_phone_number_id).await),
        };

        let requests = page.items.into_iter().map(JoinRequestView::from);
        if let Some(list) = List::at_platform(requests, limit, page.after.as_deref(), organization, &name)? {
            return Ok(list);
        }
        limit /= 2;
    }
}

/// Approves or rejects requests to join a group.
pub(super) async fn decide(
    chat: &ChatContext,
    caller: &AppCaller,
    decision: JoinDecision,
    requests: &[String],
    group: Option<Group>,
) -> Result<Outcomes<Decided>, Failure> {
    let (group, number) = expect_own(chat, caller, group).await?;
    let platform_id = platform_id(&group, &[GroupStatus::Active])?;
    let line = line(chat, caller, &number).await?;
    let outcomes = match line.platform.decide_join_requests(&line.token, platform_id, decision, requests).await {
        Ok(outcomes) => outcomes,
        Err(error) => return Err(line.failure(error, &number.provider_phone_number_id).await),
    };

    let joined: Vec<_> = outcomes.done.iter().filter_map(|decided| decided.joined.clone()).collect();
    if !joined.is_empty() {
        let at = chat.context.now();
        let edit = |group: &mut Group| {
            for number in &joined {
                group.note_member(Member { phone_number: Some(number.clone()), user_id: None, is_in: true, at });
            }
        };
        write(chat, caller, group, edit).await?;
    }
    Ok(outcomes)
}
