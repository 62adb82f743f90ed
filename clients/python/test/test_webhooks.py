"""Verifying deliveries: what the vectors do not cover."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import unittest
from email.message import Message
from typing import Any

import httpx

import messaging_api
from messaging_api import MessagingError, WebhookVerificationError, webhooks

SECRET = "whsec_" + base64.b64encode(bytes([7] * 24)).decode()
OTHER = "whsec_" + base64.b64encode(bytes([8] * 24)).decode()
BODY = '{"id":"evt_1","type":"messages.sms.sent","data":{"text":"Grüße"},"later":1}'
NOW = 1_800_000_000


def sign(secret: str, at: int | str = NOW, text: str = BODY) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.digest(key, f"evt_1.{at}.{text}".encode(), hashlib.sha256)).decode()


def headers(signature: str, at: int | str = NOW) -> dict[str, str]:
    return {"webhook-id": "evt_1", "webhook-timestamp": str(at), "webhook-signature": signature}


class OfFramework:
    """Headers that are no mapping, such as Flask's."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs

    def items(self) -> list[tuple[str, str]]:
        return self._pairs


class TestVerify(unittest.TestCase):
    def test_bodies_and_headers_of_any_server(self) -> None:
        good = headers(sign(SECRET))
        message = Message()
        for name, value in good.items():
            message[name.title()] = value
        pairs = [("Host", "example.com"), *((name.upper(), value) for name, value in good.items())]
        lists = {name.title(): [value] for name, value in good.items()}
        forms: list[Any] = [good, lists, httpx.Headers(good), message, OfFramework(pairs)]
        bodies: list[Any] = [BODY, BODY.encode(), bytearray(BODY.encode())]
        for form in forms:
            for body in bodies:
                with self.subTest(headers=type(form).__name__, body=type(body).__name__):
                    event = webhooks.verify(body, form, SECRET, now=NOW)
                    self.assertEqual(event.to_dict(), json.loads(BODY))

    def test_the_event_is_typed(self) -> None:
        event = webhooks.verify(BODY, headers(sign(SECRET)), SECRET, now=NOW)
        self.assertIsInstance(event, messaging_api.MessagesSmsSentEvent)
        assert event.type == "messages.sms.sent"
        self.assertIsInstance(event.data, messaging_api.SmsMessage)
        self.assertEqual((event.data.text, event["later"]), ("Grüße", 1))
        self.assertIsNone(event.last_response)

    def test_an_event_of_a_later_version(self) -> None:
        body = '{"id":"evt_1","type":"messages.rcs.sent","data":{"newField":1}}'
        event = webhooks.verify(body, headers(sign(SECRET, text=body)), SECRET, now=NOW)
        self.assertEqual((event.id, event.type, event.to_dict()), ("evt_1", "messages.rcs.sent", json.loads(body)))

    def test_while_a_secret_is_replaced_either_will_do(self) -> None:
        both = headers(f"v1a,AAAA {sign(OTHER)} {sign(SECRET)}")
        secrets: list[Any] = [SECRET, OTHER, [OTHER, SECRET], (SECRET,), ["whsec_AAAA", SECRET]]
        for secret in secrets:
            with self.subTest(secret=secret):
                self.assertEqual(webhooks.verify(BODY, both, secret, now=NOW).id, "evt_1")
        old = headers(sign(OTHER))
        self.assertEqual(webhooks.verify(BODY, old, [SECRET, OTHER], now=NOW).id, "evt_1")
        with self.assertRaises(WebhookVerificationError):
            webhooks.verify(BODY, old, [SECRET], now=NOW)
        with self.assertRaises(WebhookVerificationError):
            webhooks.verify(BODY, old, [], now=NOW)

    def test_tolerance(self) -> None:
        for at in (NOW - 300, NOW + 300):
            self.assertEqual(webhooks.verify(BODY, headers(sign(SECRET, at), at), SECRET, now=NOW).id, "evt_1")
        for at in (NOW - 301, NOW + 301):
            with self.assertRaisesRegex(WebhookVerificationError, "not recent"):
                webhooks.verify(BODY, headers(sign(SECRET, at), at), SECRET, now=NOW)
            event = webhooks.verify(BODY, headers(sign(SECRET, at), at), SECRET, tolerance=301, now=NOW)
            self.assertEqual(event.id, "evt_1")
        with self.assertRaises(WebhookVerificationError):
            webhooks.verify(BODY, headers(sign(SECRET, NOW - 1), NOW - 1), SECRET, tolerance=0.5, now=NOW)

    def test_the_time_is_that_of_the_machine(self) -> None:
        now = int(time.time())
        self.assertEqual(webhooks.verify(BODY, headers(sign(SECRET, now), now), SECRET).id, "evt_1")
        with self.assertRaises(WebhookVerificationError):
            webhooks.verify(BODY, headers(sign(SECRET, now - 400), now - 400), SECRET)

    def test_what_the_service_did_not_sign_is_rejected(self) -> None:
        good = headers(sign(SECRET))
        cases: dict[str, tuple[str, dict[str, str]]] = {
            "another body": (BODY.replace("evt_1", "evt_2"), good),
            "another secret": (BODY, headers(sign(OTHER))),
            "another id": (BODY, {**good, "webhook-id": "evt_2"}),
            "another time": (BODY, headers(sign(SECRET), NOW + 1)),
            "no number": (BODY, headers(sign(SECRET, "now"), "now")),
            "other digits": (BODY, headers(sign(SECRET, "١٨"), "١٨")),
            "no signature": (BODY, headers("")),
            "another version": (BODY, headers(sign(SECRET).replace("v1,", "v2,"))),
            "no base64": (BODY, headers("v1,%%%")),
            "no ASCII": (BODY, headers("v1,ü")),
            "a prefix of the signature": (BODY, headers(sign(SECRET)[:-4])),
            "no headers": (BODY, {}),
        }
        for title, (body, head) in cases.items():
            with self.subTest(title), self.assertRaises(WebhookVerificationError) as caught:
                webhooks.verify(body, head, SECRET, now=NOW)
            self.assertIsInstance(caught.exception, MessagingError)
            self.assertNotIn(sign(SECRET), str(caught.exception))

    def test_what_is_signed_but_no_event(self) -> None:
        for body in (b"hello", b"\xff", b"[]", b"null", b'"text"'):
            key = base64.b64decode(SECRET.removeprefix("whsec_"))
            signed = hmac.digest(key, f"evt_1.{NOW}.".encode() + body, hashlib.sha256)
            signature = "v1," + base64.b64encode(signed).decode()
            with self.subTest(body=body), self.assertRaisesRegex(WebhookVerificationError, "not the JSON object"):
                webhooks.verify(body, headers(signature), SECRET, now=NOW)

    def test_mistakes_are_named(self) -> None:
        parsed: Any = json.loads(BODY)
        with self.assertRaisesRegex(MessagingError, "before it is parsed") as caught:
            webhooks.verify(parsed, headers(sign(SECRET)), SECRET, now=NOW)
        self.assertNotIsInstance(caught.exception, WebhookVerificationError)
        unset: Any = None
        for secret in ("", "whsec_", "whsec_%", unset):
            with self.subTest(secret=secret), self.assertRaisesRegex(MessagingError, "signing secret"):
                webhooks.verify(BODY, headers(sign(SECRET)), secret, now=NOW)


if __name__ == "__main__":
    unittest.main()
