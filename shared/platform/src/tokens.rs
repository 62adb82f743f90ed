//! The access tokens of profiles that send messages, kept for a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::id::ChatBusinessProfileId;

use crate::vault::ProfileSecret;

const KEPT: Duration = Duration::from_secs(60);
/// The most tokens that are kept. When it is reached, those that have expired are dropped, or else all.
const MOST: usize = 1000;

/// The tokens that this process has read, each for the revision of its profile.
#[derive(Clone, Default)]
pub(crate) struct TokenCache(Arc<Mutex<HashMap<ChatBusinessProfileId, Kept>>>);

struct Kept {
    read_at: Instant,
    revision: u64,
    secret: ProfileSecret,
}

impl Kept {
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) < KEPT
    }
}

impl TokenCache {
    /// Returns the token of this revision of a profile, unless it was read a minute ago.
    pub(crate) fn get(&self, profile: &ChatBusinessProfileId, revision: u64, now: Instant) -> Option<ProfileSecret> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = |kept: &&Kept| kept.revision == revision && kept.is_fresh(now);
        kept.get(profile).filter(is_current).map(|kept| kept.secret.clone())
    }

    /// Keeps a token that was read at this time.
    pub(crate) fn keep(
        &self,
        profile: &ChatBusinessProfileId,
        revision: u64,
        secret: &ProfileSecret,
        read_at: Instant,
    ) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, kept| kept.is_fresh(read_at));
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(profile.clone(), Kept { read_at, revision, secret: secret.clone() });
    }
}

#[cfg(test)]
mod tests {
    use domain::credential::Secret;

    use super::*;

    fn profile(n: usize) -> ChatBusinessProfileId {
        format!("wabp_a{n}").parse().expect("an id")
    }

    fn secret() -> ProfileSecret {
        ProfileSecret { access_token: Secret::new("t".to_owned()), pin: Secret::new("1".to_owned()) }
    }

    #[test]
    fn a_token_is_kept_for_the_revision_with_which_it_was_read() {
        let (cache, now) = (TokenCache::default(), Instant::now());
        cache.keep(&profile(1), 3, &secret(), now);
        assert!(cache.get(&profile(1), 3, now).is_some());
        assert!(cache.get(&profile(1), 4, now).is_none());
        assert!(cache.get(&profile(2), 3, now).is_none());
    }

    #[test]
    fn a_token_is_kept_for_a_minute() {
        let (cache, now) = (TokenCache::default(), Instant::now());
        cache.keep(&profile(1), 3, &secret(), now);
        assert!(cache.get(&profile(1), 3, now + Duration::from_millis(59_999)).is_some());
        assert!(cache.get(&profile(1), 3, now + Duration::from_secs(60)).is_none());
    }

    #[test]
    fn tokens_that_have_expired_make_room() {
        let (cache, now) = (TokenCache::default(), Instant::now());
        for n in 0..MOST - 1 {
            cache.keep(&profile(n), 3, &secret(), now);
        }
        let later = now + Duration::from_secs(60);
        cache.keep(&profile(MOST), 3, &secret(), later);
        cache.keep(&profile(MOST + 1), 3, &secret(), later);
        assert_eq!(cache.0.lock().expect("no panic").len(), 2);
        assert!(cache.get(&profile(MOST), 3, later).is_some());
    }
}
