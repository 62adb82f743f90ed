//! A clock that advances by waits only, and reports them.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use messaging_client::{Clock, Pause};
use serde_json::{Value, json};

use crate::server::ask;

#[derive(Debug)]
pub(crate) struct TheClock {
    /// Where waits are reported.
    url: String,
    random: f64,
    now: Mutex<Duration>,
}

impl TheClock {
    pub(crate) fn new(url: String, vector: &Value) -> TheClock {
        let now = Duration::from_millis(vector["now"].as_u64().unwrap());
        TheClock { url, random: vector["random"].as_f64().unwrap(), now: Mutex::new(now) }
    }
}

impl Clock for TheClock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + *self.now.lock().unwrap()
    }

    fn random(&self) -> f64 {
        self.random
    }

    fn sleep(&self, duration: Duration) -> Pause<'_> {
        *self.now.lock().unwrap() += duration;
        let milliseconds = (duration.as_secs_f64() * 1000.0).round();
        let url = self.url.clone();
        Box::pin(async move {
            ask(url, "POST".to_owned(), Some(json!({"milliseconds": milliseconds}))).await;
        })
    }
}
