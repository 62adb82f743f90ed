//! Reading lists page by page.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::list::List;
use crate::request::Request;
use crate::response::Response;

impl<'a> Request<'a> {
    /// Returns the pages of a list.
    pub fn pages(self) -> Pages<'a> {
        Pages { request: self, is_done: false }
    }
}

/// The pages of a list, made by [`Request::pages`].
pub struct Pages<'a> {
    request: Request<'a>,
    is_done: bool,
}

impl Pages<'_> {
    /// Returns the next page, or `None` after the last one.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Response<List<T>>>, Error> {
        if self.is_done {
            return Ok(None);
        }
        let page: Response<List<T>> = self.request.clone().send().await?;
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
