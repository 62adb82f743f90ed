//! Sending messages.
//!
//! [`Platforms::line_for_sending`] returns the [`SendingLine`] of a profile: the platform of its mode with the access
//! token and the app secret, which are read in advance, so that only the platform can delay or fail an attempt. A token
//! is kept for a minute, in [`TokenCache`]. [`Messaging`] is the part of the port that sends; the body of a message is
//! written by `render`. With the live platform, a message is one POST on a connection of its own, which is never
//! repeated (docs/adr/0025-send-once.md). Its response is the platform's id of the message, or an error;
//! [`PlatformError::is_outcome_unknown`] shows whether the message may have been sent nevertheless. The simulated
//! platform is in `simulator.rs`.

mod simulator;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::chat::ChatBusinessProfile;
use domain::id::ChatBusinessProfileId;
use domain::identity::credential::Secret;
use domain::{Failure, Timestamp};
use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::OrganizationStore;

use crate::error::{PlatformError, PlatformResult};
use crate::graph::{Call, Graph, Http, Reply, segment};
use crate::inspection::failure_with_health;
use crate::platforms::{Platform, Platforms};
use crate::vault::AccessToken;

pub use simulator::simulated_message_id;

/// The field of a message that the platform repeats in all its statuses.
const CALLBACK_DATA: &str = "biz_opaque_callback_data";

/// The part of the port that sends messages.
#[async_trait]
pub trait Messaging: Send + Sync {
    /// Makes one attempt to send a message in the platform's format, and returns the platform's id of it. Never
    /// retried; [`PlatformError::is_outcome_unknown`] shows whether a failed attempt may have sent the message.
    async fn send(
        &self,
        token: &AccessToken,
        app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String>;
    /// Marks an inbound message as read and, if `is_typing`, shows the user that a reply is being written.
    async fn mark_read(&self, token: &AccessToken, number: &str, message: &str, is_typing: bool) -> PlatformResult<()>;
}

/// Access to the platform on behalf of a profile that sends messages, with all that an attempt needs.
pub struct SendingLine {
    platform: Arc<dyn Platform>,
    token: AccessToken,
    app_secret: Secret,
}

impl SendingLine {
    /// Makes one attempt to send a message; see [`Messaging::send`]. The platform repeats the callback data in all
    /// statuses of the message.
    pub async fn send(
        &self,
        number: &str,
        mut body: Map<String, Value>,
        callback_data: &str,
    ) -> Result<String, PlatformError> {
        body.insert(CALLBACK_DATA.to_owned(), json!(callback_data));
        self.platform.send(&self.token, &self.app_secret, number, &Value::Object(body)).await
    }

    /// Marks an inbound message as read; see [`Messaging::mark_read`].
    pub async fn mark_read(&self, number: &str, message: &str, is_typing: bool) -> Result<(), PlatformError> {
        self.platform.mark_read(&self.token, number, message, is_typing).await
    }

    /// Returns the API failure for an error of the platform, with the health status of `node` if something is blocked.
    pub async fn failure(&self, error: PlatformError, node: &str) -> Failure {
        failure_with_health(error, &*self.platform, &self.token, node).await
    }
}

impl Platforms {
    /// Returns access on behalf of a profile for sending. `None` if there is no token.
    pub async fn line_for_sending(
        &self,
        organization: &OrganizationStore,
        profile: &ChatBusinessProfile,
        now: Timestamp,
    ) -> Result<Option<SendingLine>, Failure> {
        if profile.mode.is_test() {
            return simulator::line(organization, profile, now).map(Some);
        }

        let Some(token) = self.kept_token(profile).await? else { return Ok(None) };
        let app_secret = self.graph.app_secret().await?;
        Ok(Some(SendingLine { platform: self.graph.clone(), token, app_secret }))
    }

    /// Returns the access token of a live profile: the one that was kept for this revision of the profile, so that a new
    /// signup takes effect at once, or else that of the vault.
    async fn kept_token(&self, profile: &ChatBusinessProfile) -> Result<Option<AccessToken>, Failure> {
        if let Some(token) = self.tokens.get(&profile.id, profile.revision, Instant::now()) {
            return Ok(Some(token));
        }

        let Some(secret) = self.vault.profile(&profile.id).await? else { return Ok(None) };
        self.tokens.keep(&profile.id, profile.revision, &secret.access_token, Instant::now());
        Ok(Some(secret.access_token))
    }
}

#[async_trait]
impl Messaging for Graph {
    async fn send(
        &self,
        token: &AccessToken,
        app_secret: &Secret,
        number: &str,
        message: &Value,
    ) -> PlatformResult<String> {
        let call = Call::with_body(Method::POST, messages_of(number), message.clone());
        let reply = self.attempt(token, app_secret, call).await?;
        if reply.names_a_code() {
            return Err(reply.error(&[token.expose(), app_secret.expose()]));
        }

        let sent = serde_json::from_slice::<SendResponse>(&reply.body).ok().filter(|_| reply.status.is_success());
        sent.and_then(SendResponse::id).ok_or_else(|| PlatformError::unreadable(reply.status.as_u16()))
    }

    async fn mark_read(&self, token: &AccessToken, number: &str, message: &str, is_typing: bool) -> PlatformResult<()> {
        let mut body = json!({"messaging_product": "whatsapp", "status": "read", "message_id": message});
        if is_typing {
            body["typing_indicator"] = json!({"type": "text"});
        }
        self.change(token, Call::with_body(Method::POST, messages_of(number), body)).await
    }
}

impl Graph {
    /// Makes one attempt at a call, on a connection of its own. The caller passes the app secret, so that only the
    /// platform can delay or fail the attempt.
    async fn attempt(&self, token: &AccessToken, app_secret: &Secret, call: Call<'_>) -> PlatformResult<Reply> {
        let http = self.attempts.as_ref().map_err(|error| Failure::internal(error.clone()))?;
        let request = self.request(&call, Some((token, app_secret)))?;
        Http::within(self.settings.limits.call, http.exchange(request)).await
    }
}

fn messages_of(number: &str) -> String {
    format!("{}/messages", segment(number))
}

/// The response to a message. Each message has one recipient or group, and so one entry.
#[derive(Deserialize)]
struct SendResponse {
    messages: Vec<SentMessage>,
}

#[derive(Deserialize)]
struct SentMessage {
    id: String,
}

impl SendResponse {
    /// Returns the platform's id of the message; `None` if the response has none.
    fn id(self) -> Option<String> {
        self.messages.into_iter().map(|message| message.id).find(|id| !id.is_empty())
    }
}

/// How long a token is kept.
const KEPT: Duration = Duration::from_secs(60);
/// The highest number of cached tokens. When it is reached, expired tokens are dropped or, if there are none, all.
const MOST: usize = 1000;

/// The tokens that this process has read, each for the revision of its profile.
#[derive(Clone, Default)]
pub(crate) struct TokenCache(Arc<Mutex<HashMap<ChatBusinessProfileId, KeptToken>>>);

struct KeptToken {
    read_at: Instant,
    revision: u64,
    token: AccessToken,
}

impl KeptToken {
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) < KEPT
    }
}

impl TokenCache {
    /// Returns the token of this revision of a profile, unless it was read a minute ago.
    fn get(&self, profile: &ChatBusinessProfileId, revision: u64, now: Instant) -> Option<AccessToken> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = |kept: &&KeptToken| kept.revision == revision && kept.is_fresh(now);
        kept.get(profile).filter(is_current).map(|kept| kept.token.clone())
    }

    /// Keeps a token that was read at this time.
    fn keep(&self, profile: &ChatBusinessProfileId, revision: u64, token: &AccessToken, read_at: Instant) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, kept| kept.is_fresh(read_at));
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(profile.clone(), KeptToken { read_at, revision, token: token.clone() });
    }
}
