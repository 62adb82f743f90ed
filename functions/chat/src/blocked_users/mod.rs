//! The users that a chat phone number has blocked. The platform keeps the list; nothing of it is stored here.

pub(crate) mod http;

use api::{AppCaller, List, ListQuery};
use domain::Failure;
use domain::audit::{Entry, Outcome, TargetKind, last_four};
use domain::chat::{ChatPhoneNumber, ChatUser};
use platform::{BlockChange, Outcomes, PlatformError};

use self::http::BlockedUser;
use crate::numbers::of_app;
use crate::{ChatContext, audit};

/// The platform's code for a list that has changed while it was read page by page.
const LIST_CHANGED: i64 = 139_102;

/// Returns a page of the users that one of the app's numbers has blocked.
async fn list(
    chat: &ChatContext,
    caller: &AppCaller,
    query: &ListQuery,
    number: Option<ChatPhoneNumber>,
) -> Result<List<BlockedUser>, Failure> {
    let number = of_app(number, caller)?;
    let organization = &caller.organization;
    let name = format!("blocked-users/{}", number.id);
    let after = query.after_at_platform(organization, &name)?;

    let org = chat.context.store.of(organization);
    let line = chat.platforms.line_of_number(&org, &number, chat.context.now()).await?;
    let node = &number.provider_phone_number_id;
    let mut limit = query.limit;
    loop {
        let page = match line.platform.blocked_users(&line.token, node, limit, after.as_deref()).await {
            Ok(page) => page,
            Err(error) => {
                let has_changed =
                    matches!(&error, PlatformError::Rejected(provider) if provider.number() == LIST_CHANGED);
                let hint = "The list has changed since its first page. Start again without cursor.".to_owned();
                return Err(line.failure(error, node).await.with_hints(has_changed.then_some(hint)));
            }
        };

        let users = page.items.into_iter().map(|user| BlockedUser { user });
        if let Some(list) = List::at_platform(users, limit, page.after.as_deref(), organization, &name)? {
            return Ok(list);
        }
        limit /= 2;
    }
}

/// Blocks or unblocks users of one of the app's numbers.
async fn change(
    chat: &ChatContext,
    caller: &AppCaller,
    change: BlockChange,
    users: &[ChatUser],
    number: Option<ChatPhoneNumber>,
) -> Result<Outcomes<ChatUser>, Failure> {
    let number = of_app(number, caller)?;
    if let Some(own) = users.iter().position(|user| user.number() == Some(&number.display_phone_number)) {
        let param = format!("users[{own}]");
        let message = format!("{param} is the number itself. A number cannot block itself; leave it out.");
        return Err(Failure::invalid(param, message));
    }
    let org = chat.context.store.of(&caller.organization);
    let line = chat.platforms.line_of_number(&org, &number, chat.context.now()).await?;
    let node = &number.provider_phone_number_id;
    let under_way = audit::begin(chat, &caller.organization, entry(chat, caller, &number, users)).await?;
    let changed = match line.platform.change_blocked_users(&line.token, node, change, users).await {
        Ok(outcomes) => Ok(outcomes),
        Err(error) => Err(line.failure(error, node).await),
    };
    let of_all = |entry: Entry, changed: &Outcomes<ChatUser>| match changed.done.is_empty() {
        true => entry.with_outcome(Some(Outcome::Failed)),
        false => entry,
    };
    under_way.end_with(changed, of_all).await
}

/// Returns the entry of the audit log, which shows the last four characters of each user. It failed if it did so for all.
fn entry(chat: &ChatContext, caller: &AppCaller, number: &ChatPhoneNumber, users: &[ChatUser]) -> Entry {
    let shown: Vec<String> = users.iter().map(|user| last_four(&user.to_string())).collect();
    let entry = chat.context.entry(&caller.trail, number.id.mode()).about(TargetKind::ChatPhoneNumber, &number.id);
    entry.field("users", None, Some(&shown.join(", ")))
}
