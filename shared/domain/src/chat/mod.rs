//! The chat network: business profiles, phone numbers, templates, groups, contacts and messages (docs/specification.md,
//! "Resources"). Values of sets that the platform may extend are strings.

pub mod platform_error;
pub mod platform_words;

pub mod blocked;
pub mod business_app;
pub mod contact;
pub mod group;
pub mod health;
pub mod message;
pub mod number;
pub mod number_code;
pub mod number_profile;
pub mod onboarding_link;
pub mod outgoing;
pub mod profile;
pub mod review;
pub mod status;
pub mod template;
pub mod template_draft;
pub mod user;

/// The longest id of an account, a phone number or a template at the platform, in digits.
pub const PLATFORM_ID_DIGITS: usize = 32;

pub use crate::message::{Direction, Outcome};
pub use business_app::{AppData, BusinessApp, Share, ShareStatus};
pub use contact::{Contact, MarketingOptOut};
pub use group::{Group, GroupStatus, JoinApprovalMode, Member};
pub use health::{Check, CheckKind, CheckStatus, Finding, ProfileHealth};
pub use message::{
    ChatMessage, ChatMessageDetails, ChatMessageType, ConversationWindow, MessageData, Order, OrderItem, Recipient,
    RecipientStatus, Referral, TEXT_LENGTH, Tracked,
};
pub use number::{ChatPhoneNumber, ProfileNumber};
pub use number_profile::{NumberProfile, NumberProfileChange};
pub use onboarding_link::{LinkAttempt, LinkError, LinkStatus, OnboardingLink};
pub use profile::{ChatBusinessProfile, ProfileSummary};
pub use review::ReviewOutcome;
pub use template::{Template, TemplateId};
pub use template_draft::{TemplateDraft, TemplateEdit};
pub use user::ChatUser;
