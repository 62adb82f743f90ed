"""Verifies deliveries without a client: ``webhooks.verify(body, headers, secret)``."""

from ._webhooks import DeliveryHeaders, verify

__all__ = ["DeliveryHeaders", "verify"]
