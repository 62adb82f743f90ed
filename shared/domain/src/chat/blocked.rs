//! Blocked users of a chat phone number.

/// The highest number of users per request. The platform accepts 1,000, but the outcome of each user must fit into the
/// one item that keeps the response for a repeated request.
pub const USERS_PER_REQUEST: usize = 200;
