"""How far an upload is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far an upload is, in bytes. A retry begins anew."""

    loaded: int
    total: int
