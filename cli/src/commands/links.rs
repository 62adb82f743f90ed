//! `links`: onboarding links, with which customers connect their accounts.

use messaging_client::queries::PageQuery;
use messaging_client::types::CreateOnboardingLink;
use serde_json::Value;

use super::messages::{collect, entries};
use crate::args::{CreateLink, Links};
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Session;

const COLUMNS: &[&str] = &["ID", "STATUS", "MODE", "STATE", "EXPIRES", "RESULT"];

pub(crate) async fn run(output: Output, session: &Session, links: &Links) -> Result<(), Failure> {
    let of_links = session.organization()?.organization().chat().onboarding_links();
    let one = |raw: &Value| output.table(raw, COLUMNS, &[row(raw)]);
    match links {
        Links::List => {
            let raw = collect(of_links.list(&PageQuery::default()), usize::MAX).await?;
            let rows: Vec<_> = entries(&raw).map(row).collect();
            output.table(&raw, COLUMNS, &rows)
        }
        Links::Create(link) => {
            let raw = of_links.create(&request(link)).await?.raw;
            output.fields(&raw)
        }
        Links::Show { id } => one(&of_links.get(id).await?.raw),
        Links::Cancel { id } => one(&of_links.cancel(id).await?.raw),
    }
}

fn request(link: &CreateLink) -> CreateOnboardingLink {
    CreateOnboardingLink {
        success_url: link.success_url.clone(),
        failure_url: link.failure_url.clone(),
        state: link.state.clone(),
        expires_in: link.expires_in,
        is_coexistence: link.coexistence.then_some(true),
        test: link.test.then_some(true),
        ..CreateOnboardingLink::default()
    }
}

fn row(link: &Value) -> Vec<String> {
    let text = |name: &str| link[name].as_str().unwrap_or_default().to_owned();
    let mode = if link["isTestLink"] == true { "test" } else { "live" };
    // The profile of a connected account, or why there is none.
    let result = link["profileId"].as_str().or_else(|| link["error"]["code"].as_str()).unwrap_or("-");
    let expires = text("expiresAt").chars().take(19).collect();
    vec![text("id"), text("status"), mode.to_owned(), text("state"), expires, result.to_owned()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{COLUMNS, row};

    #[test]
    fn a_row_has_the_result_of_a_link() {
        let open = json!({"id": "onb_1", "status": "PENDING", "isTestLink": false, "state": "c7",
            "expiresAt": "2026-12-31T00:00:00.000Z"});
        let expected = ["onb_1", "PENDING", "live", "c7", "2026-12-31T00:00:00", "-"];
        assert_eq!(row(&open), expected);
        assert_eq!(COLUMNS.len(), expected.len());
        let result = |link| row(&link)[5].clone();
        assert_eq!(result(json!({"status": "COMPLETED", "profileId": "wabp_1"})), "wabp_1");
        assert_eq!(result(json!({"status": "FAILED", "error": {"code": "platform_api_error"}})), "platform_api_error");
    }
}
