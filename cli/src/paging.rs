//! Reads lists and feeds. The objects of a page can be so large together that the service cannot respond.

use messaging_client::{Error, List, Request, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The number of objects on a page of a list if the request does not say.
const DEFAULT_SIZE: u32 = 25;

/// How many objects are asked for. A page that fails with status 500 is asked for again with half the size, and each page that
/// arrives doubles it, up to what is wanted.
#[derive(Debug)]
pub(crate) struct PageSize {
    wanted: u32,
    now: u32,
}

impl PageSize {
    pub(crate) fn new(wanted: u32) -> Self {
        PageSize { wanted, now: wanted }
    }

    /// Sends a request for a page.
    pub(crate) async fn send<T: DeserializeOwned + 'static>(
        &mut self,
        request: &Request<T>,
    ) -> Result<Response<T>, Error> {
        loop {
            match request.clone().query("limit", self.now).await {
                Err(error) if error.status() == Some(500) && self.now > 1 => self.now /= 2,
                Err(error) => return Err(error),
                Ok(page) => {
                    self.now = self.wanted.min(self.now.saturating_mul(2));
                    return Ok(page);
                }
            }
        }
    }
}

/// Reads a list page by page.
#[derive(Debug)]
pub(crate) struct Pages {
    /// The request of the next page, if there is one.
    request: Option<Request<List<Value>>>,
    size: PageSize,
}

impl Pages {
    pub(crate) fn new<T>(list: Request<List<T>>, limit: Option<u32>) -> Pages {
        Pages { request: Some(list.untyped_list()), size: PageSize::new(limit.unwrap_or(DEFAULT_SIZE)) }
    }

    /// Returns the next page, or `None` after the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<List<Value>>, Error> {
        let Some(request) = self.request.take() else { return Ok(None) };
        let page = self.size.send(&request).await?.value;
        self.request = page.next_cursor.as_ref().map(|cursor| request.query("cursor", cursor));
        Ok(Some(page))
    }

    /// Returns the objects of all pages.
    pub(crate) async fn all(mut self) -> Result<Vec<Value>, Error> {
        let mut all = Vec::new();
        while let Some(page) = self.next().await? {
            all.extend(page.data);
        }
        Ok(all)
    }
}
