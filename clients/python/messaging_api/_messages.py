"""Waiting for what becomes of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar, get_args

from ._clients import AsyncClient, SyncClient
from ._generated.errors import TimeoutError
from ._generated.types import MessageOutcome
from ._options import Options
from ._namespace import AsyncNamespace, Namespace, resource_of
from ._request import Sleep, Steps, path
from ._resource import Maker, Resource

M = TypeVar("M", bound=Resource)
Status = Literal["QUEUED", "SENT", "DELIVERED", "READ"]
_STEPS = ("QUEUED", "SENT", "DELIVERED", "READ")
_OUTCOMES = get_args(MessageOutcome)


class _Waiting(Generic[M]):
    _kind: Maker[M]
    _path: str

    def _wait(
        self, client: SyncClient | AsyncClient, message_id: str, status: str | None, outcome: str | None,
        patience: float, interval: float, options: Mapping[str, Any],
    ) -> Steps[M]:
        if (status is None) == (outcome is None):
            raise TypeError("wait_for needs either status or outcome")
        # Nobody sees that an SMS was read.
        known = (*(_STEPS[:-1] if "/sms" in self._path else _STEPS), "FAILED")
        if status is not None and status not in known:
            raise ValueError(f"status must be one of {', '.join(known)}, not {status!r}")
        if outcome is not None and outcome not in _OUTCOMES:
            raise ValueError(f"outcome must be one of {', '.join(_OUTCOMES)}, not {outcome!r}")
        clock = client.rules.settings.clock
        end = clock.now() + patience
        while True:
            result = yield from client.rules.call("GET", path(self._path, message_id), options=options)
            if _is_over(result.data, status, outcome):
                return resource_of(self._kind, result)
            left = end - clock.now()
            if left <= 0:
                message = resource_of(self._kind, result)
                text = f"{message_id} did not get there within {patience} s."
                raise TimeoutError(text, message_id=message_id, body=message)
            yield Sleep(min(interval, left))


class Messages(_Waiting[M], Namespace):
    """The methods of messages."""

    def wait_for(
        self, message_id: str, *, status: Status | None = None, outcome: MessageOutcome | None = None,
        patience: float = 60, interval: float = 1, options: Options | None = None,
    ) -> M:
        """Gets a message again until it has a status or a later one, or an outcome. It also returns a message that can
        no longer get there, because it failed: look at what is returned.

        Args:
            message_id: The message.
            status: A status that every recipient reaches, such as ``"DELIVERED"``.
            outcome: An outcome, such as ``"ACCEPTED"``.
            patience: How long to wait at most, in seconds.
            interval: The time between two requests, in seconds.

        Raises:
            TimeoutError: The message did not get there in time. ``body`` is the message as it was last.
        """
        steps = self._wait(self._client, message_id, status, outcome, patience, interval, options or {})
        return self._client.run(steps)


class AsyncMessages(_Waiting[M], AsyncNamespace):
    """The methods of messages."""

    async def wait_for(
        self, message_id: str, *, status: Status | None = None, outcome: MessageOutcome | None = None,
        patience: float = 60, interval: float = 1, options: Options | None = None,
    ) -> M:
        """Like ``Messages.wait_for``."""
        steps = self._wait(self._client, message_id, status, outcome, patience, interval, options or {})
        return await self._client.run(steps)


def _is_over(message: Mapping[str, Any], status: str | None, outcome: str | None) -> bool:
    known = message.get("outcome")
    if known in ("REFUSED", "EXPIRED"):
        return True
    if outcome is not None:
        return known in (outcome, "ACCEPTED")
    own = message.get("status")
    statuses = [each.get("status") for each in message.get("recipients", [])] if own is None else [own]
    return bool(statuses) and all(_has_reached(each, status) for each in statuses)


def _has_reached(known: str | None, wanted: str | None) -> bool:
    if known in (wanted, "FAILED"):
        return True
    return known in _STEPS and wanted in _STEPS and _STEPS.index(known) >= _STEPS.index(wanted)
