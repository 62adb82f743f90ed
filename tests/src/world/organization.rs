//! Organizations and their apps.

use operator::Request;
use serde_json::{Value, json};

use super::{Service as _, World};
use crate::request::{Call, text};

/// An organization with a live app, a test app, and every kind of credential.
#[derive(Clone, Debug)]
pub struct Organization {
    pub id: String,
    pub admin: String,
    pub test_admin: String,
    pub session: String,
    pub app: String,
    pub app_key: String,
    pub test_app: String,
    pub test_app_key: String,
}

impl Organization {
    /// Stands in until the first organization is created.
    pub(super) fn nobody() -> Self {
        let empty = String::new;
        Organization {
            id: empty(),
            admin: empty(),
            test_admin: empty(),
            session: empty(),
            app: empty(),
            app_key: empty(),
            test_app: empty(),
            test_app_key: empty(),
        }
    }
}

impl World {
    /// Sends the operator a request.
    pub async fn operate(&self, request: Value) -> Result<Value, String> {
        let request: Request = serde_json::from_value(request).map_err(|error| error.to_string())?;
        let reply = self.operator.perform(request).await.map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(reply).unwrap())
    }

    /// Creates another organization in the same installation.
    pub async fn organization(&self, name: &str) -> Organization {
        let made = self.operate(json!({"operation": "createOrganization", "name": name})).await.unwrap();
        let admin = text(&made, "adminKey");
        let (app, app_key) = self.app(&admin, &json!({"name": "Live"})).await;
        let (test_app, test_app_key) = self.app(&admin, &json!({"name": "Test", "test": true})).await;

        Organization {
            id: text(&made, "organizationId"),
            test_admin: text(&made, "testAdminKey"),
            session: text(&made, "sessionToken"),
            admin,
            app,
            app_key,
            test_app,
            test_app_key,
        }
    }

    /// Creates an app and a key for it.
    pub async fn app(&self, admin: &str, body: &Value) -> (String, String) {
        let app = text(&self.send(Call::post("/v1/organization/apps").key(admin).json(body)).await.expect(201), "id");
        let key = self.send(Call::post(format!("/v1/organization/apps/{app}/keys")).key(admin)).await.expect(201);
        (app, text(&key, "key"))
    }
}
