//! The credential of a client: a text, or a function that returns one.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::HeaderValue;
use tokio::sync::Mutex;

use crate::Error;

/// What the function for the key returns.
pub type KeyFuture = Pin<Box<dyn Future<Output = Result<String, Error>> + Send>>;

pub(crate) enum Credential {
    None,
    Fixed(HeaderValue),
    Renewed { fetch: Box<dyn Fn() -> KeyFuture + Send + Sync>, known: Mutex<Option<HeaderValue>> },
}

impl Credential {
    pub(crate) fn fixed(key: &str) -> Result<Credential, Error> {
        Ok(Credential::Fixed(header(key)?))
    }

    pub(crate) fn renewed(fetch: Box<dyn Fn() -> KeyFuture + Send + Sync>) -> Credential {
        Credential::Renewed { fetch, known: Mutex::new(None) }
    }

    pub(crate) fn is_renewed(&self) -> bool {
        matches!(self, Credential::Renewed { .. })
    }

    /// Returns the credential. `refused` is one that was not accepted; requests that run at the same time renew it once.
    pub(crate) async fn get(&self, refused: Option<&HeaderValue>) -> Result<Option<HeaderValue>, Error> {
        let (fetch, known) = match self {
            Credential::None => return Ok(None),
            Credential::Fixed(value) => return Ok(Some(value.clone())),
            Credential::Renewed { fetch, known } => (fetch, known),
        };
        let mut known = known.lock().await;
        if known.is_none() || known.as_ref() == refused {
            *known = Some(header(&fetch().await?)?);
        }
        Ok(known.clone())
    }
}

fn header(key: &str) -> Result<HeaderValue, Error> {
    let key = key.trim();
    if key.is_empty() {
        return Err(Error::usage("The key is empty. Pass a key, or make the client without one."));
    }
    let value = HeaderValue::from_str(&format!("Bearer {key}"));
    let mut value = value.map_err(|_| Error::usage("The key contains characters that no key has."))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Without the key.
impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Credential::None => "None",
            Credential::Fixed(_) => "Fixed",
            Credential::Renewed { .. } => "Renewed",
        })
    }
}
