"""The guard: a proxy in front of the local AWS emulator that rejects what AWS would reject (docs/aws-limits.md)."""

from .connections import allow_connections
from .guard import Guard

__all__ = ["Guard", "allow_connections"]
