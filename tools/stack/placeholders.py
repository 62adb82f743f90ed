"""Fills the placeholders of sample events.

A sample contains placeholders of the form ${NAME}: a value from `.local/env`, or an object that is created for the sample
(tools/stack/objects).
"""

import hashlib
import hmac
import json
import re
import sys

from tools.stack.objects.chat import ChatObjects
from tools.stack.objects.media import MediaObjects
from tools.stack.objects.onboarding import OnboardingObjects
from tools.stack.objects.organization import OrganizationObjects
from tools.stack.objects.people import PeopleObjects
from tools.stack.objects.webhooks import WebhookObjects

PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
# Filled in last, because it depends on the rest of the body.
SIGNATURE = "${SIGNATURE}"


class Placeholders(OrganizationObjects, PeopleObjects, WebhookObjects, OnboardingObjects, ChatObjects, MediaObjects):
    """The values of placeholders in sample events."""

    def fill(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda match: self.value(match[1]), text)

    def value(self, name: str) -> str:
        made = getattr(self, f"make_{name.lower()}", None)
        if name not in self.values and made is None:
            sys.exit(f"Unknown placeholder ${{{name}}}.")
        return self.values[name] if made is None else made()


def signed(event: str, secret: str) -> str:
    """Returns the event with its body signed as the platform does."""
    parsed = json.loads(event)
    signature = hmac.new(secret.encode(), parsed.get("body", "").encode(), hashlib.sha256).hexdigest()
    return event.replace(SIGNATURE, f"sha256={signature}")


def filled(placeholders: Placeholders, text: str) -> str:
    """Returns the event with all placeholders replaced."""
    event = placeholders.fill(text)
    return signed(event, placeholders.values["PLATFORM_APP_SECRET"]) if SIGNATURE in event else event
