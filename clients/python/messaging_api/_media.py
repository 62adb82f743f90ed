"""Uploading files: small ones through the API, larger ones directly to storage."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from ._content import Body, Content, Report, UploadSource, content_of, type_of
from ._core import Rules, is_this_machine
from ._errors import MessagingError
from ._generated.errors import InternalError
from ._generated.types import Media
from ._options import PostOptions
from ._namespace import AsyncNamespace, Namespace, resource_of
from ._request import Plan, Result, Steps, path

SMALL = 4 * 1024 * 1024
"""The largest file that the API takes in one request, in bytes; larger ones go to storage."""
TIMEOUT = 30 * 60.0
"""The time limit of an upload to storage, in seconds."""


class Uploads(Namespace):
    """The methods of ``media`` with several requests."""

    def upload(
        self, source: UploadSource, *, file_name: str | None = None, mime_type: str | None = None,
        size: int | None = None, on_progress: Report = None, options: PostOptions | None = None,
    ) -> Media:
        """Upload a file. Up to 4 MiB are one request; more goes to storage directly, without being held in memory.

        Args:
            source: The file's bytes, its path, or an open file or other stream.
            file_name: By default, the name of the file.
            mime_type: By default, what the ending of the name says.
            size: The exact size in bytes, which only streams that cannot seek need.
            on_progress: Called with a ``Progress`` as bytes are sent.

        Raises:
            InvalidRequestError: 413, 415: the file is too large for its kind, or not of an accepted type.
        """
        steps = _upload(self._client.rules, content_of(source, size), file_name, mime_type, on_progress, options or {})
        return resource_of(Media, self._client.run(steps))


class AsyncUploads(AsyncNamespace):
    """The methods of ``media`` with several requests."""

    async def upload(
        self, source: UploadSource, *, file_name: str | None = None, mime_type: str | None = None,
        size: int | None = None, on_progress: Report = None, options: PostOptions | None = None,
    ) -> Media:
        """Like ``Uploads.upload``."""
        steps = _upload(self._client.rules, content_of(source, size), file_name, mime_type, on_progress, options or {})
        return resource_of(Media, await self._client.run(steps))


def _upload(
    rules: Rules, content: Content, file_name: str | None, mime_type: str | None, report: Report,
    options: Mapping[str, Any],
) -> Steps[Result]:
    name = file_name or content.name or "file"
    kind = mime_type or type_of(name)
    if content.size <= SMALL:
        return (yield from _post(rules, content, name, kind, report, options))
    announced = {"fileName": name, "mimeType": kind, "fileSize": content.size}
    upload = yield from rules.call("POST", "/v1/media/uploads", body=announced, keyed=True, options=options)
    each = {key: value for key, value in options.items() if key != "idempotency_key"}
    yield from _put(rules, upload.data, content, report, each)
    return (yield from rules.call("POST", path("/v1/media/{}/complete", upload.data["id"]), keyed=True, options=each))


def _post(
    rules: Rules, content: Content, name: str, kind: str, report: Report, options: Mapping[str, Any]
) -> Steps[Result]:
    """Sends a file as the part of a form. The bytes are the same in each attempt, which the key requires."""
    boundary = uuid.uuid4().hex
    quoted = "".join(quote(letter) if letter in '"\r\n' else letter for letter in name)
    disposition = f'content-disposition: form-data; name="file"; filename="{quoted}"'
    head, tail = f"--{boundary}\r\n{disposition}\r\ncontent-type: {kind}\r\n\r\n", f"\r\n--{boundary}--\r\n"
    file = b"".join(content.chunks())
    headers = {
        "content-type": f"multipart/form-data; boundary={boundary}",
        "idempotency-key": options.get("idempotency_key") or str(uuid.uuid4()),
    }

    def body() -> Body:
        return Body(iter((file,)), content.size, report, head.encode(), tail.encode())

    return rules.send(Plan("POST", f"{rules.base_url}/v1/media", headers, True, body, options=options))


def _put(
    rules: Rules, upload: Mapping[str, Any], content: Content, report: Report, options: Mapping[str, Any]
) -> Steps[None]:
    """Sends a file to the presigned address, which needs no credential."""
    url = urlsplit(upload["uploadUrl"])
    if url.scheme != "https" and not is_this_machine(url.hostname):
        raise InternalError("uploadUrl is not https.")
    headers = {name: value for name, value in upload["headers"].items() if name.lower() != "content-length"}
    plan = Plan(
        "PUT", upload["uploadUrl"], headers, content.is_repeatable,
        lambda: Body(content.chunks(), content.size, report), is_for_storage=True,
        options={"timeout": TIMEOUT, **options},
    )
    try:
        yield from rules.send(plan)
    except MessagingError as error:
        # An earlier attempt has stored the file, but its response was lost. The completion checks the size.
        if error.status != 412:
            raise
