//! Apps, their keys, and admin keys.

use crate::Pages;
use crate::types::{
    AdminKeyId, App, AppKeyId, CreateAdminKey, CreateApp, CreateAppKey, CreatedAdminKey, CreatedAppKey,
};
use crate::{Client, Error, Response, segment};

impl Client {
    /// The organization's apps, with an admin key.
    pub fn apps(&self) -> Pages<'_> {
        self.get("/v1/organization/apps").pages()
    }

    pub async fn create_app(&self, app: &CreateApp) -> Result<Response<App>, Error> {
        self.post("/v1/organization/apps").json(app).send().await
    }

    pub fn app_keys(&self, app_id: &str) -> Pages<'_> {
        self.get(&format!("/v1/organization/apps/{}/keys", segment(app_id))).pages()
    }

    /// The response contains the key's value, which is shown only once.
    pub async fn create_app_key(&self, app_id: &str, key: &CreateAppKey) -> Result<Response<CreatedAppKey>, Error> {
        self.post(&format!("/v1/organization/apps/{}/keys", segment(app_id))).json(key).send().await
    }

    /// From then on, every request with the key is rejected.
    pub async fn delete_app_key(&self, app_id: &str, key_id: &AppKeyId) -> Result<(), Error> {
        let path = format!("/v1/organization/apps/{}/keys/{}", segment(app_id), segment(key_id));
        self.delete(&path).send_bytes().await.map(drop)
    }

    pub fn admin_keys(&self) -> Pages<'_> {
        self.get("/v1/organization/admin-keys").pages()
    }

    /// The response contains the key's value, which is shown only once.
    pub async fn create_admin_key(&self, key: &CreateAdminKey) -> Result<Response<CreatedAdminKey>, Error> {
        self.post("/v1/organization/admin-keys").json(key).send().await
    }

    /// From then on, every request with the key is rejected.
    pub async fn delete_admin_key(&self, key_id: &AdminKeyId) -> Result<(), Error> {
        self.delete(&format!("/v1/organization/admin-keys/{}", segment(key_id))).send_bytes().await.map(drop)
    }
}
