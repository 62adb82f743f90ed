//! Tests of the cache of access tokens.

use super::*;

fn profile(n: usize) -> ChatBusinessProfileId {
    format!("wabp_a{n}").parse().expect("an id")
}

fn token() -> AccessToken {
    Secret::new("t")
}

#[test]
fn a_token_is_kept_for_the_revision_with_which_it_was_read() {
    let (cache, now) = (TokenCache::default(), Instant::now());
    cache.keep(&profile(1), 3, &token(), now);
    assert!(cache.get(&profile(1), 3, now).is_some());
    assert!(cache.get(&profile(1), 4, now).is_none());
    assert!(cache.get(&profile(2), 3, now).is_none());
}

#[test]
fn a_token_is_kept_for_a_minute() {
    let (cache, now) = (TokenCache::default(), Instant::now());
    cache.keep(&profile(1), 3, &token(), now);
    assert!(cache.get(&profile(1), 3, now + Duration::from_millis(59_999)).is_some());
    assert!(cache.get(&profile(1), 3, now + Duration::from_secs(60)).is_none());
}

#[test]
fn tokens_that_have_expired_make_room() {
    let (cache, now) = (TokenCache::default(), Instant::now());
    for n in 0..MOST - 1 {
        cache.keep(&profile(n), 3, &token(), now);
    }
    let later = now + Duration::from_secs(60);
    cache.keep(&profile(MOST), 3, &token(), later);
    cache.keep(&profile(MOST + 1), 3, &token(), later);
    assert_eq!(cache.0.lock().expect("no panic").len(), 2);
    assert!(cache.get(&profile(MOST), 3, later).is_some());
}
