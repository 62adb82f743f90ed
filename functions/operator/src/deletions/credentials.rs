//! The credentials of an organization, which are deleted before everything else: of every kind, in both modes. If one
//! kind fails, the others are deleted nevertheless.

use domain::Mode;
use domain::deletion::DeletionStep;
use domain::id::AppId;

use super::steps::{Exhausted, Run, Stopped};

impl Run<'_> {
    /// Deletes all credentials. Returns whether all are deleted. Members with their sessions are deleted first, and then admin
    /// keys, because they can create others.
    pub(super) async fn end_access(&mut self) -> Result<bool, Exhausted> {
        let members = self.members().await;
        let mut is_done = self.note(DeletionStep::Members, members)?;
        let admin_keys = self.admin_keys().await;
        is_done &= self.note(DeletionStep::AdminKeys, admin_keys)?;
        let app_keys = self.app_keys().await;
        is_done &= self.note(DeletionStep::AppKeys, app_keys)?;
        let sessions = self.sessions().await;
        is_done &= self.note(DeletionStep::Sessions, sessions)?;
        let links = self.onboarding_links().await;
        is_done &= self.note(DeletionStep::OnboardingLinks, links)?;
        Ok(is_done)
    }

    async fn admin_keys(&mut self) -> Result<bool, Stopped> {
        for mode in Mode::ALL {
            while self.org.delete_admin_keys(mode).await? {
                self.page()?;
            }
        }
        Ok(true)
    }

    /// Deletes the keys of all apps, as far as they can be deleted.
    async fn app_keys(&mut self) -> Result<bool, Stopped> {
        let mut is_done = true;
        for mode in Mode::ALL {
            for app in self.org.app_ids(mode).await? {
                let deleted = self.keys_of(&app).await;
                is_done &= self.note(DeletionStep::AppKeys, deleted)?;
            }
        }
        Ok(is_done)
    }

    async fn keys_of(&mut self, app: &AppId) -> Result<bool, Stopped> {
        while self.org.delete_app_keys(app).await? {
            self.page()?;
        }
        Ok(true)
    }

    async fn sessions(&mut self) -> Result<bool, Stopped> {
        while self.org.delete_sessions().await? {
            self.page()?;
        }
        Ok(true)
    }

    /// Deletes members with their sessions. Sign-in links end by themselves within minutes, and open nothing without a member.
    async fn members(&mut self) -> Result<bool, Stopped> {
        while self.org.delete_members().await? {
            self.page()?;
        }
        Ok(true)
    }

    async fn onboarding_links(&mut self) -> Result<bool, Stopped> {
        for mode in Mode::ALL {
            while self.org.delete_onboarding_links(mode).await? {
                self.page()?;
            }
        }
        self.org.delete_open_links().await?;
        Ok(true)
    }
}
