//! Data that exists only in test mode. The playground allocates fictional numbers, none of them twice, to users, who
//! write to test apps, and to the apps themselves. The messages of users and of test apps go through the same code as
//! in live mode; only the platform and the carrier are simulated.
//!
//! The simulated platform has little state: the profile and the contacts of its numbers (which ones wrote, and which
//! are blocked), the decided requests to join of its groups, and the templates of its accounts. A simulation runs a
//! scenario; only a few run at the same time. Quotas limit the bytes that test apps store and post.

pub(crate) mod playground;
mod quota;
mod simulated_contact;
mod simulated_group;
mod simulated_profile;
mod simulated_template;
mod simulation;

pub use playground::{NewSystemNumber, PlaygroundNumber};
pub use simulated_contact::SimulatedContact;
pub use simulated_template::SimulatedTemplate;
pub use simulation::RunningSimulations;
