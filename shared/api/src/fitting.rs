//! How many objects fit on a page, for all lists and feeds.

use domain::Failure;
use domain::page::MOST_BYTES_PER_PAGE;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// An upper bound on the size of the rest of a response: its status and headers, and the cursor of the next page.
const REST: usize = 8 * 1024;

/// The objects of a page, as JSON.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Objects(Vec<Box<RawValue>>);

impl Objects {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Collects the objects of a page, which ends before the response is too large for Lambda.
pub struct Fitting {
    objects: Vec<Box<RawValue>>,
    left: usize,
}

impl Default for Fitting {
    fn default() -> Self {
        Fitting { objects: Vec::new(), left: MOST_BYTES_PER_PAGE - REST }
    }
}

impl Fitting {
    /// Adds an object, or returns `false` if it does not fit any more.
    ///
    /// The first one is always added, so that a reader never waits for an object that is too large by itself. It cannot
    /// be larger than Lambda accepts: it is an item of the table, which has at most 400 KB, and one byte of an item takes
    /// at most seven bytes here (a control character becomes `\\\\u0001`).
    pub fn add(&mut self, object: &impl Serialize) -> Result<bool, Failure> {
        let json = to_raw_value(object).map_err(Failure::internal)?;
        let size = size_for_lambda(json.get()) + ",".len();
        if size > self.left && !self.objects.is_empty() {
            return Ok(false);
        }
        self.left = self.left.saturating_sub(size);
        self.objects.push(json);
        Ok(true)
    }

    /// Returns the objects that were added.
    pub fn into_objects(self) -> Objects {
        Objects(self.objects)
    }
}

/// Returns the number of bytes that some JSON takes in a response to Lambda.
fn size_for_lambda(json: &str) -> usize {
    json.len() + json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_size_is_that_of_the_json_as_a_string_in_json() {
        for value in [json!({"a": "plain"}), json!(["\"\\\"", "\u{1}\n\u{7f}", "Grüße 😀"]), json!("\\".repeat(100))]
        {
            let json = value.to_string();
            let quotes_around = 2;
            assert_eq!(size_for_lambda(&json) + quotes_around, json!(json).to_string().len(), "{json}");
        }
    }

    #[test]
    fn a_page_ends_before_it_is_too_large() {
        let mut page = Fitting::default();
        let object = "\"".repeat(MOST_BYTES_PER_PAGE / 40);
        let added = (0..20).take_while(|_| page.add(&object).expect("JSON")).count();
        assert_eq!((added, page.into_objects().0.len()), (9, 9), "ten with the rest of the response are too many");
    }

    /// The largest item of the table is less than a page.
    #[test]
    fn the_largest_item_fits() {
        let item = "\u{1}".repeat(400 * 1024);
        let mut page = Fitting::default();
        assert!(page.add(&item).expect("JSON"));
        let left = page.left;
        assert!(left > MOST_BYTES_PER_PAGE / 3, "{left}");
        let mut page = Fitting::default();
        assert!(page.add(&"\"".repeat(MOST_BYTES_PER_PAGE)).expect("JSON"), "the first object, whatever its size");
        assert!(!page.add(&0).expect("JSON"));
    }
}
