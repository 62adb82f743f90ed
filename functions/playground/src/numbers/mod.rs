//! Phone numbers of simulated users, and the SMS system numbers of an app.

pub(crate) mod http;

use api::TestApp;
use domain::playground::fictional_number;
use domain::{E164, Failure};
use runtime::Context;
use store::Change;

/// Decides on a new number. The commit is stale if the organization has the number already.
fn generate(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<(E164, Change), Failure> {
    let number = fictional_number(context.random());
    let mut change = Change::new(&caller.organization);
    change.give_out_user_number(&number)?;
    Ok((number, change))
}

async fn system_numbers(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<Vec<E164>, Failure> {
    let app = context.store.of(&caller.organization).app(&caller.app_id).await?;
    // The app existed when its key was checked. If it was deleted since, it has no numbers.
    Ok(app.map(|app| app.system_numbers).unwrap_or_default())
}
