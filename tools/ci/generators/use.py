"""Repeats a request, reads pages and errors, and uploads a file, with the client of openapi-python-client."""

import os
import urllib.request
from io import BytesIO

from messaging_api_client import AuthenticatedClient, models
from messaging_api_client.api.apps_and_keys import (
    organization_apps_create,
    organization_apps_get,
    organization_apps_keys_create,
    organization_apps_list,
)
from messaging_api_client.api.media import media_upload
from messaging_api_client.api.templates import organization_chat_templates_list, organization_chat_templates_sync
from messaging_api_client.api.whats_app_accounts import organization_chat_business_profiles_complete_signup
from messaging_api_client.types import UNSET, File


def make_app(admin: AuthenticatedClient) -> models.App:
    """Creates an app with a request that is repeated."""
    request = {"body": models.CreateApp(name="Generated", test=True), "idempotency_key": "generated-client"}
    made = organization_apps_create.sync_detailed(client=admin, **request)
    assert made.status_code == 201 and isinstance(made.parsed, models.App) and made.parsed.is_test_app, made
    again = organization_apps_create.sync_detailed(client=admin, **request)
    assert again.parsed == made.parsed and again.headers["idempotency-replayed"] == "true", again
    return made.parsed


def read_pages(admin: AuthenticatedClient, made: models.App) -> None:
    apps, cursor = [], UNSET
    while cursor is not None:
        page = organization_apps_list.sync(client=admin, limit=1, cursor=cursor)
        assert isinstance(page, models.AppList) and all(isinstance(app, models.App) for app in page.data), page
        apps += page.data
        cursor = page.next_cursor
    assert made.id in [app.id for app in apps] and len(apps) >= 3, apps


def sync_templates(admin: AuthenticatedClient) -> None:
    signup = models.CompleteSignup(code="code.88001", waba_id="88001", test=True)
    profile = organization_chat_business_profiles_complete_signup.sync(client=admin, body=signup)
    body = models.SyncChatTemplates(chat_business_profile_id=profile.id)
    assert organization_chat_templates_sync.sync(client=admin, body=body).added > 0
    page = organization_chat_templates_list.sync(client=admin, chat_business_profile_id=profile.id)
    assert models.KnownTemplateStatus.APPROVED in [template.status for template in page.data], page


def upload(app: AuthenticatedClient) -> None:
    body = models.UploadMedia(file=File(payload=BytesIO(b"Hello"), file_name="hello.txt", mime_type="text/plain"))
    media = media_upload.sync(client=app, body=body)
    assert isinstance(media, models.Media) and media.file_size == 5, media
    with urllib.request.urlopen(media.url, timeout=30) as answer:
        assert answer.read() == b"Hello"


def read_errors(admin: AuthenticatedClient, base_url: str) -> None:
    refused = organization_apps_get.sync_detailed("app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", client=admin)
    assert refused.status_code == 404 and refused.parsed.error.param == "appId", refused
    stranger = AuthenticatedClient(base_url=base_url, token="sk_admin_wrong")
    assert isinstance(organization_apps_list.sync(client=stranger), models.PlainErrorBody)


def main() -> None:
    base_url = os.environ["BASE_URL"]
    admin = AuthenticatedClient(base_url=base_url, token=os.environ["ADMIN_KEY"])
    made = make_app(admin)
    read_pages(admin, made)
    sync_templates(admin)
    key = organization_apps_keys_create.sync(made.id, client=admin, body=models.CreateAppKey(name="Generated"))
    assert isinstance(key, models.CreatedAppKey), key
    upload(AuthenticatedClient(base_url=base_url, token=key.key))
    read_errors(admin, base_url)


if __name__ == "__main__":
    main()
