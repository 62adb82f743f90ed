//! Numbers of simulated users, and the system numbers of an app.

pub(crate) mod http;

use api::TestApp;
use domain::playground::fictional_number;
use domain::{E164, Failure};
use runtime::Context;
use store::Change;

/// A number never given out before in the organization: one that was makes the change stale.
fn give_out(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<(E164, Change), Failure> {
    let number = fictional_number(context.random());
    let mut change = Change::new(&caller.organization);
    change.give_out_user_number(&number)?;
    Ok((number, change))
}

async fn system_numbers(context: &Context, TestApp { app: caller, .. }: &TestApp) -> Result<Vec<E164>, Failure> {
    let app = context.store.of(&caller.organization).app(&caller.app_id).await?;
    // The key was proven a moment ago; an app deleted since has no numbers.
    Ok(app.map(|app| app.system_numbers).unwrap_or_default())
}
