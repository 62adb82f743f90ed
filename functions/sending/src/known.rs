//! What this process knows from earlier requests. With it, a request reads everything at once; without it, one after
//! another: the credential, then the number that it names, then the account behind the number. What is known is only
//! where to read: everything is read again and checked in every request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::id::{AppId, ChatBusinessProfileId, ChatPhoneNumberId};

use crate::messages::Sender;

/// The most senders and apps that are remembered. Beyond it, the memory starts anew.
const MOST: usize = 1024;

/// The keys of what a sender leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SenderKeys {
    pub(crate) app: AppId,
    pub(crate) number: ChatPhoneNumberId,
    pub(crate) profile: ChatBusinessProfileId,
}

#[derive(Clone, Default)]
pub(crate) struct Known {
    /// By the hash of the credential and `from`.
    senders: Arc<Mutex<HashMap<(String, String), SenderKeys>>>,
    /// The days on which an app has used up its quota.
    spent: Arc<Mutex<HashMap<AppId, i64>>>,
}

fn text(from: &Sender) -> String {
    match from {
        Sender::Id(id) => id.to_string(),
        Sender::Number(number) => number.to_string(),
    }
}

impl Known {
    pub(crate) fn sender(&self, credential: &str, from: &Sender) -> Option<SenderKeys> {
        let senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders.get(&(credential.to_owned(), text(from))).cloned()
    }

    pub(crate) fn remember_sender(&self, credential: &str, from: &Sender, keys: SenderKeys) {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if senders.len() >= MOST {
            senders.clear();
        }
        senders.insert((credential.to_owned(), text(from)), keys);
    }

    /// Returns whether the app has used up its quota of this day. A day's count never falls, so this needs no read.
    pub(crate) fn is_spent(&self, app: &AppId, day: i64) -> bool {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).get(app) == Some(&day)
    }

    pub(crate) fn remember_spent(&self, app: &AppId, day: i64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if spent.len() >= MOST {
            spent.clear();
        }
        spent.insert(app.clone(), day);
    }
}
