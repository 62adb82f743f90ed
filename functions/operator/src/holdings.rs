//! What only the deletion of an organization needs.

use aws::bucket::Bucket;
use platform::Vault;

/// The bucket and the secrets, of which only a deletion needs anything.
pub struct Holdings {
    pub bucket: Bucket,
    pub vault: Vault,
}
