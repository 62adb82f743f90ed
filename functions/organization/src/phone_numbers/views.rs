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
    /// The country of the number; `null` if its digits belong to no country.
    country: Option<Country>,
    /// Whether the number can send and receive: `ACTIVE` if the operator of the installation has linked it to the
    /// carrier, `RELEASING` while it is being unlinked, else `UNLINKED`. Test numbers are simulated and always
    /// `ACTIVE`.
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

/// A phone number for SMS and MMS or a WhatsApp number, with the apps that it is assigned to. `kind` is the kind of number.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = AppNumber, discriminator(property_name = "kind", mapping(
    ("sms" = "#/components/schemas/AppPhoneNumber"),
    ("chat" = "#/components/schemas/AppChatPhoneNumber"),
)))]
pub(crate) enum AppNumberView {
    Sms(AppPhoneNumberView),
    Chat(Box<AppChatPhoneNumberView>),
}

/// A phone number for SMS and MMS, in a list of both kinds of numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = AppPhoneNumber)]
pub(crate) struct AppPhoneNumberView {
    #[schema(inline)]
    kind: SmsKind,
    #[serde(flatten)]
    number: PhoneNumberView,
}

/// A WhatsApp number, in a list of both kinds of numbers.
#[derive(Serialize, ToSchema)]
#[schema(as = AppChatPhoneNumber)]
pub(crate) struct AppChatPhoneNumberView {
    #[schema(inline)]
    kind: ChatKind,
    #[serde(flatten)]
    number: ChatPhoneNumberView,
}

/// The kind of number: one for SMS and MMS.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SmsKind {
    Sms,
}

/// The kind of number: one for WhatsApp messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
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
        match number {
            AnyNumber::Phone(number) => {
                let number = PhoneNumberView::new(number, apps);
                AppNumberView::Sms(AppPhoneNumberView { kind: SmsKind::Sms, number })
            }
            AnyNumber::Chat(number) => {
                let number = ChatPhoneNumberView::new(*number, app_references(apps));
                AppNumberView::Chat(Box::new(AppChatPhoneNumberView { kind: ChatKind::Chat, number }))
            }
        }
    }
}
