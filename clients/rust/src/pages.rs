//! Reading lists page by page.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::list::List;
use crate::request::Request;
use crate::response::Response;

impl<'a> Request<'a> {
    /// Returns the pages of a list.
    pub fn pages(self) -> Pages<'a> {
        let wanted = self.query_value("limit").and_then(|limit| limit.parse().ok());
        Pages { size: PageSize::new(wanted.unwrap_or(DEFAULT_SIZE)), request: self, is_done: false }
    }
}

/// The number of objects on a page if the request does not say.
const DEFAULT_SIZE: u32 = 25;

/// The pages of a list, made by [`Request::pages`].
pub struct Pages<'a> {
    request: Request<'a>,
    size: PageSize,
    is_done: bool,
}

/// How many objects a reader asks for. The objects of a page can be so large together that the service cannot respond: a
/// page that fails with status 500 is asked for again with half the size, and each page that arrives doubles it, up to
/// what the caller wants.
#[derive(Clone, Debug)]
pub(crate) struct PageSize {
    pub(crate) wanted: u32,
    now: u32,
}

impl PageSize {
    pub(crate) fn new(wanted: u32) -> Self {
        PageSize { wanted, now: wanted }
    }

    /// Sends a request for a page. It says the size if it is not the wanted one, or if `request` says one.
    pub(crate) async fn send<T: DeserializeOwned>(&mut self, request: &Request<'_>) -> Result<Response<T>, Error> {
        loop {
            let mut sized = request.clone();
            if self.now != self.wanted || request.query_value("limit").is_some() {
                sized.set_query("limit", &self.now.to_string());
            }
            let is_divisible = self.now > 1;
            let sent = if is_divisible { sized.without_repeating_500().send().await } else { sized.send().await };
            match sent {
                Err(error) if is_divisible && error.status() == Some(500) => self.now /= 2,
                Err(error) => return Err(error),
                Ok(page) => {
                    self.now = self.wanted.min(self.now.saturating_mul(2));
                    return Ok(page);
                }
            }
        }
    }
}

impl Pages<'_> {
    /// Returns the next page, or `None` after the last one.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Response<List<T>>>, Error> {
        if self.is_done {
            return Ok(None);
        }
        let page: Response<List<T>> = self.size.send(&self.request).await?;
        match &page.next_cursor {
            Some(cursor) => self.request.set_query("cursor", cursor),
            None => self.is_done = true,
        }
        Ok(Some(page))
    }

    /// Returns the entries of all pages.
    pub async fn all<T: DeserializeOwned>(mut self) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        while let Some(page) = self.next::<T>().await? {
            all.extend(page.value.data);
        }
        Ok(all)
    }
}
