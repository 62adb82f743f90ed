//! Access to AWS: the connection and its clients, queues, the media bucket and presigned URLs. Each service is a
//! feature, so that a function links only the SDK crates that it uses.

#[cfg(feature = "bucket")]
pub mod bucket;
pub mod connection;
#[cfg(feature = "dynamodb")]
mod dynamodb;
pub mod failure;
mod http;
#[cfg(any(feature = "bucket", feature = "presign"))]
pub mod objects;
pub mod origin;
#[cfg(feature = "presign")]
pub mod presign;
#[cfg(feature = "queue")]
pub mod queue;

pub use connection::Connection;
