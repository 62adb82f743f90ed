//! `appIds`: the apps that a number about to be made is assigned to.

use std::collections::BTreeSet;

use domain::app::App;
use domain::id::AppId;
use domain::number::APPS_PER_NUMBER;
use domain::{Failure, Mode};
use runtime::Context;

use crate::caller::{Admin, Sees as _};

fn param(index: usize) -> String {
    format!("appIds[{index}]")
}

/// At most 40 well-formed ids, each once.
pub fn parse(sent: &[String]) -> Result<Vec<AppId>, Failure> {
    if sent.len() > APPS_PER_NUMBER as usize {
        let message = format!("A phone number may be assigned to at most {APPS_PER_NUMBER} apps.");
        return Err(Failure::limit("appIds", message));
    }
    let mut seen = BTreeSet::new();
    let mut ids = Vec::with_capacity(sent.len());
    for (index, text) in sent.iter().enumerate() {
        let param = param(index);
        let id: AppId =
            text.parse().map_err(|_| Failure::invalid(&param, format!("{param} is not the id of an app.")))?;
        if !seen.insert(id.clone()) {
            return Err(Failure::invalid(&param, format!("{param} repeats an app.")));
        }
        ids.push(id);
    }
    Ok(ids)
}

/// The apps left to right: each there, visible and of the number's mode.
pub async fn find(context: &Context, caller: &Admin, mode: Mode, ids: &[AppId]) -> Result<Vec<App>, Failure> {
    validate(caller, mode, ids, context.store.of(&caller.organization).apps_by_id(ids).await?)
}

/// The same for apps that were read already, as far as they exist.
pub fn validate(caller: &Admin, mode: Mode, ids: &[AppId], apps: Vec<App>) -> Result<Vec<App>, Failure> {
    for (index, id) in ids.iter().enumerate() {
        let param = param(index);
        caller.expect_visible(id.mode(), &param, "app")?;
        if !apps.iter().any(|app| app.id == *id) {
            return Err(Failure::not_found(param, "app"));
        }
        if id.mode() != mode {
            return Err(Failure::invalid(param, "A number and its apps must be of one mode, all live or all test."));
        }
    }
    Ok(apps)
}

/// Each id with the parameter that a failure about it names.
pub fn with_params(ids: &[AppId]) -> Vec<(AppId, String)> {
    ids.iter().enumerate().map(|(index, app)| (app.clone(), param(index))).collect()
}
