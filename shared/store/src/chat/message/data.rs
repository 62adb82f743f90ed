//! Reading the related records of a message, and the one that holds JSON.

use domain::chat::{MessageData, Recipient};
use domain::{Failure, Json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::engine::item::entity;
use crate::keys;
use crate::message::Related;

/// JSON that the platform produced, kept as text.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataItem {
    contacts_data: Option<String>,
    template_data: Option<String>,
    interactive_data: Option<String>,
    system_data: Option<String>,
}

impl From<&MessageData> for DataItem {
    fn from(data: &MessageData) -> Self {
        let text = |json: &Option<Json>| json.as_ref().map(ToString::to_string);
        DataItem {
            contacts_data: text(&data.contacts_data),
            template_data: text(&data.template_data),
            interactive_data: text(&data.interactive_data),
            system_data: text(&data.system_data),
        }
    }
}

impl TryFrom<DataItem> for MessageData {
    type Error = Failure;

    fn try_from(item: DataItem) -> Result<Self, Failure> {
        let json = |text: Option<String>| text.map(|text| text.parse::<Json>()).transpose();
        Ok(MessageData {
            contacts_data: json(item.contacts_data).map_err(Failure::internal)?,
            template_data: json(item.template_data).map_err(Failure::internal)?,
            interactive_data: json(item.interactive_data).map_err(Failure::internal)?,
            system_data: json(item.system_data).map_err(Failure::internal)?,
        })
    }
}

/// Removes and returns the related record of this name.
pub(super) fn part<T: DeserializeOwned>(related: &mut Related, name: &str) -> Result<Option<T>, Failure> {
    related.remove(name).map(entity).transpose()
}

/// Returns the recipients among the related records, in the order of their ids.
pub(super) fn recipients(related: Related) -> Result<Vec<Recipient>, Failure> {
    let of_recipients = related.into_iter().filter(|(sort, _)| keys::is_recipient_part(sort));
    let mut recipients = of_recipients.map(|(_, item)| entity(item)).collect::<Result<Vec<Recipient>, _>>()?;
    recipients.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(recipients)
}
