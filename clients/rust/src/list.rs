//! Lists, which come in pages: a page, page by page, or object by object.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Request, Resource, Response};

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    /// The objects on this page. It may have fewer than asked for, or none, although more follow.
    pub data: Vec<T>,
    /// The cursor of the next page; `None` on the last page only.
    pub next_cursor: Option<String>,
}

impl Request<Value> {
    /// Makes the result a page of a list, so that its objects can be read one after another.
    pub fn into_list(self) -> Request<List<Value>> {
        self.with_result()
    }
}

impl<T> Request<List<T>> {
    /// Returns the pages of the list. Each is read when it is needed.
    pub fn pages(self) -> Pages<T> {
        Pages { request: Some(self) }
    }

    /// Returns the objects of all pages. Each page is read when it is needed.
    pub fn items(self) -> Items<T> {
        Items { pages: self.untyped_list().pages(), read: Vec::new().into_iter(), kind: PhantomData }
    }

    /// Makes the objects of the list JSON instead of a type.
    pub fn untyped_list(self) -> Request<List<Value>> {
        self.with_result()
    }
}

/// The pages of a list.
#[derive(Debug)]
pub struct Pages<T> {
    /// The request of the next page, if there is one.
    request: Option<Request<List<T>>>,
}

impl<T: DeserializeOwned + 'static> Pages<T> {
    /// Returns the next page, or `None` after the last one. A page may be empty although more follow.
    ///
    /// # Errors
    ///
    /// Those of any request. Called again, it asks for the same page again.
    pub async fn next(&mut self) -> Result<Option<Response<List<T>>>, Error> {
        let Some(request) = &self.request else { return Ok(None) };
        let page = request.clone().await?;
        let request = self.request.take();
        self.request = request.zip(page.next_cursor.as_ref()).map(|(request, cursor)| request.query("cursor", cursor));
        Ok(Some(page))
    }
}

/// The objects of a list.
#[derive(Debug)]
pub struct Items<T> {
    pages: Pages<Value>,
    read: std::vec::IntoIter<Value>,
    kind: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Items<T> {
    /// Returns the next object, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// Those of any request. Called again, it asks for the same page again.
    pub async fn next(&mut self) -> Result<Option<Resource<T>>, Error> {
        loop {
            if let Some(raw) = self.read.next() {
                return Resource::read(raw).map(Some);
            }
            match self.pages.next().await? {
                Some(page) => self.read = page.value.data.into_iter(),
                None => return Ok(None),
            }
        }
    }

    /// Returns all objects that are left. For lists that fit into memory.
    ///
    /// # Errors
    ///
    /// Those of any request.
    pub async fn all(mut self) -> Result<Vec<Resource<T>>, Error> {
        let mut all = Vec::new();
        while let Some(item) = self.next().await? {
            all.push(item);
        }
        Ok(all)
    }
}
