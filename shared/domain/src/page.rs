//! How much a page of a list holds.

/// How many bytes the response with a page has at most, as Lambda gets it: JSON in which the body is a string, so that
/// quotation marks and backslashes of the body are escaped again. Lambda rejects responses of more than 6 MB.
pub const MOST_BYTES_PER_PAGE: usize = 5 * 1024 * 1024;
