"""The error of a response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ._errors import MessagingError
from ._generated.errors import BY_STATUS, InternalError, InvalidRequestError, ProviderError
from ._generated.types import ErrorProvider
from ._response import request_id_of


def error_of(status: int, headers: Mapping[str, str], body: Any, now: float) -> MessagingError:
    """Makes the error of a response. ``body`` is what its text says as JSON, or the text. It has one of three forms:
    ``{error: {…}}``, ``{error: "…"}``, and the gateway's ``{message: "…"}``; what is between may send any other."""
    fields: dict[str, Any] = body if isinstance(body, dict) else {}
    error = fields.get("error")
    details: dict[str, Any] = error if isinstance(error, dict) else {}
    text = details.get("message") or (error if isinstance(error, str) else fields.get("message"))
    provider = details.get("provider")
    other = ProviderError if details.get("type") == "provider_error" else InvalidRequestError
    kind = BY_STATUS.get(status) or (other if 400 <= status < 500 else InternalError)
    return kind(
        text if isinstance(text, str) else f"The service responded with status {status}.",
        status=status,
        code=details.get("code"),
        param=details.get("param"),
        provider=ErrorProvider(provider) if isinstance(provider, dict) else None,
        request_id=request_id_of(headers),
        message_id=headers.get("x-message-id"),
        doc_url=details.get("doc_url"),
        additional_info=details.get("additional_info"),
        retry_after=_retry_after_of(headers, now),
        headers=headers,
        body=body,
    )


def _retry_after_of(headers: Mapping[str, str], now: float) -> float | None:
    """Returns the seconds of ``Retry-After``, which is a number or a date."""
    text = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError):
        return None
