//! Recoveries of a webhook's deliveries. At most one per webhook is running, and is named in the item that the
//! webhook's recoveries share. A round of a recovery holds it for a while, by its revision; if the round stops, the
//! sweep has it continued.

use std::collections::HashMap;
use std::time::Duration;

use domain::due::DueClass;
use domain::events::delivery::ReceiverHealth;
use domain::events::event::OutboxEvent;
use domain::events::recovery::{KEPT, Recovery, RecoveryHead, RecoveryStatus};
use domain::events::webhook::{Webhook, WebhookSecrets};
use domain::id::{AppId, EventId, RecoveryId, WebhookId};
use domain::{Failure, Timestamp};

use crate::engine::change::{Change, never, stale};
use crate::engine::expression::{Condition, Update};
use crate::engine::item::{NewItem, TTL, entity, key_of, number, value};
use crate::{OrganizationStore, Reads, keys};

/// How long a round holds its recovery: longer than an invocation can take.
const ROUND: Duration = Duration::from_secs(90);

/// The data that a batch of attempts needs.
pub struct ToRecover {
    pub webhook: Option<Webhook>,
    pub secrets: Option<WebhookSecrets>,
    /// `None` if the receiver is healthy.
    pub health: Option<ReceiverHealth>,
    /// The events that are still kept. An event that cannot be read is left out, so that it does not block the others.
    pub events: HashMap<EventId, OutboxEvent>,
}

impl Reads {
    pub async fn recovery(&self, webhook: &WebhookId, id: &RecoveryId) -> Result<Option<Recovery>, Failure> {
        self.table.get(&keys::recovery(&self.organization, webhook, id)).await?.map(entity).transpose()
    }

    /// Returns the item that the recoveries of a webhook share; `None` if it had none in the last 30 days.
    pub async fn recovery_head(&self, webhook: &WebhookId) -> Result<Option<RecoveryHead>, Failure> {
        self.table.get(&keys::recovery_head(&self.organization, webhook)).await?.map(entity).transpose()
    }
}

impl OrganizationStore {
    /// Begins a round of a recovery with this revision, and returns the recovery, with the revision that the round's own
    /// writes name. `None` if it has ended, or if another round has begun since.
    pub async fn begin_recovery_round(
        &self,
        webhook: &WebhookId,
        id: &RecoveryId,
        revision: u64,
        now: Timestamp,
    ) -> Result<Option<Recovery>, Failure> {
        let check_at = now.plus(ROUND);
        let update = Update::new(keys::recovery(&self.organization, webhook, id))
            .set("checkAt", &check_at)?
            .due(DueClass::Deliveries, check_at)
            .add("revision", 1)
            .when("#revision = :seenRevision AND #status = :running")
            .value(":seenRevision", number(revision))
            .value(":running", value(&RecoveryStatus::Running)?);
        self.table.try_update(update).await?.ok().map(entity).transpose()
    }

    /// Returns webhook, secrets, health and events in one read.
    pub async fn to_recover(
        &self,
        app: &AppId,
        webhook: &WebhookId,
        events: impl IntoIterator<Item = &EventId>,
    ) -> Result<ToRecover, Failure> {
        let own = [
            keys::webhook(&self.organization, app, webhook),
            keys::webhook_secrets(&self.organization, app, webhook),
            keys::receiver_health(&self.organization, webhook),
        ];
        let events = events.into_iter().map(|id| keys::event(&self.organization, id));
        let wanted: Vec<_> = own.iter().cloned().chain(events).collect();

        let found = self.table.get_all(&wanted).await?;
        let mut found: HashMap<_, _> = found.into_iter().filter_map(|item| Some((key_of(&item)?, item))).collect();
        let [webhook, secrets, health] = own.map(|key| found.remove(&key));
        let events = found.into_values().filter_map(|item| entity::<OutboxEvent>(item).ok());

        Ok(ToRecover {
            webhook: webhook.map(entity).transpose()?,
            secrets: secrets.map(entity).transpose()?,
            health: health.map(entity).transpose()?,
            events: events.map(|event| (event.id.clone(), event)).collect(),
        })
    }
}

impl Change {
    /// Creates a recovery, which becomes the running one. Stale if the item that the webhook's recoveries share has
    /// changed since `seen` was read.
    pub fn create_recovery(&mut self, recovery: &Recovery, seen: Option<&RecoveryHead>) -> Result<(), Failure> {
        let key = keys::recovery_head(&self.organization, &recovery.webhook_id);
        let expires_at = recovery.created_at.plus(KEPT);
        let head = RecoveryHead {
            running: Some(recovery.id.clone()),
            revision: seen.map_or(0, |seen| seen.revision) + 1,
            ..seen.cloned().unwrap_or_default()
        };
        let condition = match seen {
            None => Condition::absent(),
            Some(seen) => Condition::new("#revision = :seen").value(":seen", number(seen.revision)),
        };
        let head = Update::overwriting(key, &head, &[])?.set(TTL, &expires_at.seconds())?.on(condition);
        self.update(head, stale());

        let key = keys::recovery(&self.organization, &recovery.webhook_id, &recovery.id);
        let item = NewItem::new(&key, recovery)?.expiring(expires_at);
        let item = match recovery.check_at {
            Some(at) => item.due(DueClass::Deliveries, at),
            None => item,
        };
        self.create(item, stale());
        Ok(())
    }

    /// Writes the differences between two states of a recovery. Stale if its revision has changed. When it ends,
    /// another one can begin.
    pub fn update_recovery(&mut self, before: &Recovery, after: &Recovery) -> Result<(), Failure> {
        let key = keys::recovery(&self.organization, &before.webhook_id, &before.id);
        let update = Update::between(key, before, after, &[])?
            .when("#revision = :seenRevision")
            .value(":seenRevision", number(before.revision));
        let update = match after.check_at {
            None => update.not_due(),
            Some(at) if before.check_at != after.check_at => update.due(DueClass::Deliveries, at),
            Some(_) => update,
        };
        self.update(update, stale());
        if before.is_running() && !after.is_running() {
            let head = Update::new(keys::recovery_head(&self.organization, &before.webhook_id))
                .remove("running")
                .set("day", &after.progress.day)?
                .set("recoveredToday", &after.progress.recovered_today)?
                .add("revision", 1);
            self.update(head, never());
        }
        Ok(())
    }
}
