//! Reconciles media items with the objects in the bucket.

use std::collections::BTreeSet;
use std::io::Write;

use aws::objects::{self as keys, Owner};
use domain::Failure;
use domain::id::{ChatMessageId, OrganizationId};
use domain::media::{Media, MediaState};
use store::InboundRecord;
use store::keys::{Key, KeyClass};
use store::maintenance::{Items, Maintenance};

use crate::Reconciliation;
use crate::objects::Objects;

/// Media with a download URL: an upload, or the inbound media of a message.
enum Visible {
    Media(OrganizationId, Media),
    Inbound(OrganizationId, ChatMessageId, InboundRecord),
}

impl Visible {
    fn object(&self) -> String {
        match self {
            Visible::Media(o, media) => keys::checked(o, &media.id),
            Visible::Inbound(o, message, _) => keys::inbound(o, message),
        }
    }

    fn id(&self) -> String {
        match self {
            Visible::Media(_, media) => media.id.to_string(),
            Visible::Inbound(_, message, _) => message.to_string(),
        }
    }
}

fn owner_key(owner: &Owner) -> Key {
    match owner {
        Owner::Media(o, id) => Maintenance::media_key(o, id),
        Owner::Message(o, id) => Maintenance::message_key(o, id),
    }
}

impl<W: Write> Reconciliation<W> {
    pub(crate) async fn reconcile_media(
        &mut self,
        objects: &Objects,
        names: BTreeSet<String>,
        delete_objects: bool,
    ) -> Result<(), Failure> {
        let visible = self.visible()?;
        let in_old = match &self.old {
            Some(old) => Some(old.existing(&visible.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()).await?),
            None => None,
        };
        let (mut restorable, mut keeps_versions) = (Vec::new(), None);

        for (key, medium) in visible {
            let name = medium.object();
            let is_deleted = in_old.as_ref().map(|old| is_deleted(old, &key)).transpose()?.unwrap_or(false);
            if names.contains(&name) || objects.exists(&name).await? {
                if is_deleted {
                    self.hide(&medium, "its owner deleted it since").await?;
                }
                continue;
            }
            if keeps_versions.is_none() {
                keeps_versions = Some(objects.keeps_versions().await?);
            }
            // Without the old table, deleted objects cannot be distinguished from lost ones: all count as lost.
            let was_there = in_old.as_ref().is_none_or(|old| old.contains(&key));
            if keeps_versions == Some(true) && was_there && !is_deleted {
                restorable.push(name);
            } else {
                self.hide(&medium, "its bytes are gone").await?;
            }
        }

        if !restorable.is_empty() {
            let title = "Media whose bytes may be recoverable from an object version (docs/restore.md)";
            self.steps.list(title, restorable);
        }
        self.orphans(objects, names, delete_objects).await
    }

    fn visible(&self) -> Result<Vec<(Key, Visible)>, Failure> {
        let mut visible = Vec::new();
        for found in self.items.all::<Media>(KeyClass::Media)? {
            if found.entity.state == MediaState::Ready && found.entity.expires_at > self.now {
                let o = found.organization()?;
                visible.push((found.key, Visible::Media(o, found.entity)));
            }
        }
        for found in self.items.all::<InboundRecord>(KeyClass::Message)? {
            let Some(media) = &found.entity.reported.inbound_media else { continue };
            let message = found.key.parse().and_then(|key| key.id());
            if let Some(message) = message.filter(|_| !media.is_removed && media.expires_at > Some(self.now)) {
                let o = found.organization()?;
                visible.push((found.key, Visible::Inbound(o, message, found.entity)));
            }
        }
        Ok(visible)
    }

    async fn hide(&mut self, medium: &Visible, why: &str) -> Result<(), Failure> {
        let hiding = async {
            match medium {
                Visible::Media(o, media) => self.table.hide_media(o, media, self.now).await,
                Visible::Inbound(o, message, kept) => self.table.hide_inbound(o, message, kept, self.now).await,
            }
        };
        if self.steps.take(&format!("hide {}: {why}", medium.id()), hiding).await? == Some(false) {
            self.steps.say("      changed concurrently; left unchanged");
        }
        Ok(())
    }

    async fn orphans(
        &mut self,
        objects: &Objects,
        names: BTreeSet<String>,
        delete_objects: bool,
    ) -> Result<(), Failure> {
        let owned: Vec<(String, Key)> =
            names.into_iter().filter_map(|name| keys::owner(&name).map(|owner| (name, owner_key(&owner)))).collect();
        let doubtful: BTreeSet<Key> =
            owned.iter().map(|(_, key)| key.clone()).filter(|key| !self.items.contains(key)).collect();
        let known = self.table.existing(&doubtful.into_iter().collect::<Vec<_>>()).await?;
        let is_orphan = |key: &Key| !self.items.contains(key) && !known.contains(key);
        let orphans: Vec<String> = owned.into_iter().filter(|(_, key)| is_orphan(key)).map(|(name, _)| name).collect();
        self.steps.list("Objects without an item", orphans.clone());
        if !orphans.is_empty() && delete_objects {
            let what = format!("delete these {} objects", orphans.len());
            self.steps.take(&what, objects.delete(&orphans)).await?;
        } else if !orphans.is_empty() {
            self.steps.say("   Left unchanged: they cannot be read, and the bucket's lifecycle rule deletes them. Use --delete-objects to delete them now.");
        }
        Ok(())
    }
}

fn is_deleted(old: &Items, key: &Key) -> Result<bool, Failure> {
    if key.class() != Some(KeyClass::Media) {
        return Ok(false);
    }
    Ok(old.get::<Media>(key)?.is_some_and(|media| media.state == MediaState::Deleted))
}
