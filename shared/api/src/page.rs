//! The responses of lists: `data` and `nextCursor`.

use std::marker::PhantomData;

use domain::Failure;
use domain::id::OrganizationId;
use serde::Serialize;
use store::Page;
use utoipa::ToSchema;

use crate::cursor;
use crate::fitting::{Fitting, Objects};

/// One page of a list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    /// The objects on this page.
    #[schema(value_type = Vec<T>)]
    data: Objects,
    /// The cursor of the next page; `null` on the last page only.
    #[schema(required)]
    next_cursor: Option<String>,
    #[serde(skip)]
    #[schema(ignore)]
    objects: PhantomData<T>,
}

impl<T: Serialize> List<T> {
    /// Returns the response for a page, with as many of its objects as fit. `list` names the list and its filter, and
    /// `place` returns the sort key of an object, after which the list continues if the next object does not fit.
    pub fn new(
        page: Page<T>,
        organization: &OrganizationId,
        list: &str,
        place: impl Fn(&T) -> &str,
    ) -> Result<Self, Failure> {
        let (mut fitting, mut next) = (Fitting::default(), page.next.as_deref());
        let mut last = None;
        for object in &page.items {
            if !fitting.add(object)? {
                next = last.map(&place);
                break;
            }
            last = Some(object);
        }
        Ok(List::of(fitting, next.map(|last| cursor::encode(organization, list, last))))
    }

    /// Returns the response for a page of `limit` objects of a list that the platform keeps. `after` is the platform's own
    /// cursor. Returns `None` if the objects do not fit: a page with half the limit has to be requested from the platform,
    /// because only the platform knows the cursors between the objects.
    pub fn at_platform(
        objects: impl IntoIterator<Item = T>,
        limit: usize,
        after: Option<&str>,
        organization: &OrganizationId,
        list: &str,
    ) -> Result<Option<Self>, Failure> {
        let mut fitting = Fitting::default();
        for object in objects {
            if !fitting.add(&object)? && limit > 1 {
                return Ok(None);
            }
        }
        Ok(Some(List::of(fitting, after.map(|after| cursor::encode_platform(organization, list, after)))))
    }

    fn of(fitting: Fitting, next_cursor: Option<String>) -> Self {
        List { data: fitting.into_objects(), next_cursor, objects: PhantomData }
    }
}

impl<T> List<T> {
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
}
