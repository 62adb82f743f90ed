//! Phone numbers as the API shows them.

use domain::id::PhoneNumberId;
use domain::identity::app::App;
use domain::number::PhoneNumber;
use domain::number::country::Country;
use domain::sms::carrier_link::{Capability, CarrierStatus};
use domain::{E164, Open, Timestamp};
use serde::Serialize;
use store::AnyNumber;
use utoipa::ToSchema;
use views::{AppReference, ChatPhoneNumberView, app_references};

/// A phone number of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PhoneNumber)]
pub(crate) struct PhoneNumberView {
    pub(super) id: PhoneNumberId,
    number: E164,
    /// Whether test apps may use the number.
    is_test_number: bool,
    /// What the number can be used for. Empty unless it is linked to the carrier.
    #[schema(value_type = Vec<Capability>)]
    capabilities: Vec<Open<Capability>>,
    /// The country of the number; `null` if its digits belong to none.
    country: Option<Country>,
    /// Whether the number sends and receives: `ACTIVE` if it is linked to the carrier, which the operator of the
    /// installation does, `RELEASING` while it is being unlinked. Test numbers are simulated and always `ACTIVE`.
    carrier_status: CarrierStatus,
    /// The apps that the number is assigned to, sorted by slug.
    apps: Vec<AppReference>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl PhoneNumberView {
    pub(super) fn new(number: PhoneNumber, apps: Vec<App>) -> Self {
        PhoneNumberView {
            is_test_number: number.id.mode().is_test(),
            capabilities: number.capabilities(),
            country: number.country(),
            carrier_status: number.carrier_status(),
            id: number.id,
            number: number.number,
            apps: app_references(apps),
            created_at: number.created_at,
            updated_at: number.updated_at,
        }
    }
}

/// The number that was assigned or unassigned, of either kind.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = AssignedNumber)]
pub(crate) enum AssignedNumberView {
    Phone(PhoneNumberView),
    Chat(Box<ChatPhoneNumberView>),
}

impl AssignedNumberView {
    pub(super) fn new(number: AnyNumber, apps: Vec<App>) -> Self {
        match number {
            AnyNumber::Phone(number) => AssignedNumberView::Phone(PhoneNumberView::new(number, apps)),
            AnyNumber::Chat(number) => {
                AssignedNumberView::Chat(Box::new(ChatPhoneNumberView::new(*number, app_references(apps))))
            }
        }
    }
}

/// A number of an app, of either kind.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = AppNumber)]
pub(crate) enum AppNumberView {
    Sms(AppPhoneNumberView),
    Chat(Box<AppChatPhoneNumberView>),
}

/// A phone number of an app.
#[derive(Serialize, ToSchema)]
#[schema(as = AppPhoneNumber)]
pub(crate) struct AppPhoneNumberView {
    kind: SmsKind,
    #[serde(flatten)]
    number: PhoneNumberView,
}

/// A chat phone number of an app.
#[derive(Serialize, ToSchema)]
#[schema(as = AppChatPhoneNumber)]
pub(crate) struct AppChatPhoneNumberView {
    kind: ChatKind,
    #[serde(flatten)]
    number: ChatPhoneNumberView,
}

/// The kind of a phone number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = PhoneNumberKind)]
pub(crate) enum SmsKind {
    Sms,
}

/// The kind of a chat phone number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ChatPhoneNumberKind)]
pub(crate) enum ChatKind {
    Chat,
}

impl AppNumberView {
    pub(super) fn ksuid(&self) -> &str {
        match self {
            AppNumberView::Sms(view) => view.number.id.ksuid(),
            AppNumberView::Chat(view) => view.number.id.ksuid(),
        }
    }

    pub(super) fn new(number: AnyNumber, apps: Vec<App>) -> Self {
        match AssignedNumberView::new(number, apps) {
            AssignedNumberView::Phone(number) => AppNumberView::Sms(AppPhoneNumberView { kind: SmsKind::Sms, number }),
            AssignedNumberView::Chat(number) => {
                AppNumberView::Chat(Box::new(AppChatPhoneNumberView { kind: ChatKind::Chat, number: *number }))
            }
        }
    }
}
