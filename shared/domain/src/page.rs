//! The limits on a page of a list.

/// The largest response with a page, in bytes, as Lambda receives it: JSON in which the body is a string, so that
/// quotation marks and backslashes of the body are escaped again. Lambda rejects responses of more than 6 MB.
pub const MOST_BYTES_PER_PAGE: usize = 5 * 1024 * 1024;
/// The maximum and default number of objects per page.
pub const MOST_PER_PAGE: usize = 100;
pub const DEFAULT_PER_PAGE: usize = 25;
/// The same for rows of usage, which are short.
pub const USAGE_ROWS_PER_PAGE: usize = 400;
/// How many times that may not be counted are remembered.
pub const USAGE_GAPS_KEPT: usize = 100;

/// The number of entries that a page with filters reads at most, however few of them match.
pub const MESSAGES_LOOKED_AT: usize = 200;
pub const AUDIT_ENTRIES_LOOKED_AT: usize = 200;
pub const TEMPLATES_LOOKED_AT: usize = 100;
pub const NEEDS_LOOKED_AT: usize = 200;
pub const FEED_ENTRIES_LOOKED_AT: usize = 400;
pub const DELIVERIES_LOOKED_AT: usize = 400;
/// The number of bytes of deliveries that a page with filters reads at most.
pub const DELIVERY_BYTES_LOOKED_AT: usize = 1024 * 1024;
