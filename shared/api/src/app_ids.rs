//! `appIds`: the apps that a new phone number is assigned to.

use std::collections::BTreeSet;

use domain::id::{AppId, Identifier as _};
use domain::identity::app::App;
use domain::number::APPS_PER_NUMBER;
use domain::{Failure, Mode};
use runtime::Context;

use crate::caller::{Admin, Sees as _};

fn param(index: usize) -> String {
    format!("appIds[{index}]")
}

/// Parses the ids: at most 40, well-formed and without duplicates.
pub fn parse(sent: &[String]) -> Result<Vec<AppId>, Failure> {
    if sent.len() > APPS_PER_NUMBER as usize {
        let message = format!("A phone number may be assigned to at most {APPS_PER_NUMBER} apps.");
        return Err(Failure::limit("appIds", message));
    }
    let mut seen = BTreeSet::new();
    let mut ids = Vec::with_capacity(sent.len());
    for (index, text) in sent.iter().enumerate() {
        let param = param(index);
        let id = AppId::in_param(text, &param)?;
        if !seen.insert(id.clone()) {
            return Err(Failure::invalid(&param, format!("{param} repeats an app. List each app once.")));
        }
        ids.push(id);
    }
    Ok(ids)
}

/// Reads the apps and validates them in order: each exists, is visible to the caller and has the number's mode.
pub async fn find(context: &Context, caller: &Admin, mode: Mode, ids: &[AppId]) -> Result<Vec<App>, Failure> {
    let apps = context.store.of(&caller.organization).apps_by_id(ids).await?;
    for (index, id) in ids.iter().enumerate() {
        let param = param(index);
        caller.expect_visible(id.mode(), &param, "app")?;
        if !apps.iter().any(|app| app.id == *id) {
            return Err(Failure::not_found(param, "app"));
        }
        if id.mode() != mode {
            return Err(Failure::invalid(
                param,
                "A phone number and its apps must have the same mode: all live or all test. Choose apps of the number's mode.",
            ));
        }
    }
    Ok(apps)
}

/// Returns each id with the `param` of a failure about it.
pub fn with_params(ids: &[AppId]) -> Vec<(AppId, String)> {
    ids.iter().enumerate().map(|(index, app)| (app.clone(), param(index))).collect()
}
