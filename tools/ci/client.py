"""Generates a client from the served OpenAPI document and uses it, to prove that the document suits generators.

Usage: python -m tools.ci.client BASE_URL   (in the virtual environment of the client tools, with the
credentials in environment variables)
"""

import importlib
import os
import subprocess
import sys
import tempfile
import urllib.request
from io import BytesIO
from pathlib import Path


def generate(base_url: str, folder: Path) -> None:
    """Generates the package `messaging_api_client` in a folder."""
    document = folder / "openapi.json"
    with urllib.request.urlopen(f"{base_url}/v1/openapi.json", timeout=60) as answer:
        document.write_bytes(answer.read())
    configuration = folder / "config.yaml"
    configuration.write_text(
        "project_name_override: messaging-api-client\npackage_name_override: messaging_api_client\npost_hooks: []\n"
    )
    generator = Path(sys.executable).parent / "openapi-python-client"
    command = [
        generator,
        "generate",
        "--path",
        document,
        "--config",
        configuration,
        "--output-path",
        folder / "client",
        "--fail-on-warning",
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"The client could not be generated:\n{done.stdout}{done.stderr}")
    sys.path.insert(0, str(folder / "client"))


def operation(tag: str, name: str):
    return importlib.import_module(f"messaging_api_client.api.{tag}.{name}")


def use(base_url: str) -> None:
    from messaging_api_client import AuthenticatedClient, models
    from messaging_api_client.types import File

    admin = AuthenticatedClient(base_url=base_url, token=os.environ["ADMIN_KEY"])
    made = operation("apps", "create_app").sync_detailed(
        client=admin, body=models.CreateApp(name="Generated", test=True), idempotency_key="generated-client"
    )
    assert made.status_code == 201 and isinstance(made.parsed, models.App) and made.parsed.is_test_app, made
    again = operation("apps", "create_app").sync_detailed(
        client=admin, body=models.CreateApp(name="Generated", test=True), idempotency_key="generated-client"
    )
    assert again.parsed == made.parsed and again.headers["idempotency-replayed"] == "true", again
    key = operation("app_keys", "create_app_key").sync(
        made.parsed.id, client=admin, body=models.CreateAppKey(name="Generated")
    )
    assert isinstance(key, models.CreatedAppKey), key

    apps, cursor = [], None
    while True:
        page = operation("apps", "list_apps").sync(client=admin, limit=1, **({"cursor": cursor} if cursor else {}))
        assert isinstance(page, models.AppList) and all(isinstance(app, models.App) for app in page.data), page
        apps += page.data
        if (cursor := page.next_cursor) is None:
            break
    assert made.parsed.id in [app.id for app in apps] and len(apps) >= 3, apps

    signup = models.CompleteSignup(code="code.88001", waba_id="88001", test=True)
    profile = operation("chat", "complete_signup").sync(client=admin, body=signup)
    sync = models.SyncChatTemplates(chat_business_profile_id=profile.id)
    assert operation("chat", "sync_templates").sync(client=admin, body=sync).added > 0
    templates = operation("chat", "list_templates").sync(client=admin, chat_business_profile_id=profile.id)
    assert models.KnownTemplateStatus.APPROVED in [template.status for template in templates.data], templates

    app = AuthenticatedClient(base_url=base_url, token=key.key)
    body = models.UploadMedia(file=File(payload=BytesIO(b"Hello"), file_name="hello.txt", mime_type="text/plain"))
    media = operation("media", "upload_media").sync(client=app, body=body)
    assert isinstance(media, models.Media) and media.file_size == 5, media
    with urllib.request.urlopen(media.url, timeout=30) as answer:
        assert answer.read() == b"Hello"

    refused = operation("apps", "get_app").sync_detailed("app_0ujtsYcgvSTl8PAuAdqWYSMnLOv", client=admin)
    assert refused.status_code == 404 and refused.parsed.error.param == "appId", refused
    stranger = AuthenticatedClient(base_url=base_url, token="sk_admin_wrong")
    assert isinstance(operation("apps", "list_apps").sync(client=stranger), models.PlainErrorBody)


def main() -> None:
    base_url = sys.argv[1].rstrip("/")
    with tempfile.TemporaryDirectory() as folder:
        generate(base_url, Path(folder))
        use(base_url)


if __name__ == "__main__":
    main()
