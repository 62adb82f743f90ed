"""Resources and pages."""

from __future__ import annotations

import asyncio
import copy
import pickle
import unittest
from typing import Any

import messaging_api
from messaging_api import Resource
from messaging_api._resource import one_of
from standin import Answer, OnStandIn

MESSAGE = {
    "id": "msg_wa_1",
    "outcome": "ACCEPTED",
    "textBody": "Hello",
    "from": "+12015550123",
    "recipients": [{"id": "12025550123", "status": "READ", "provider": {"code": 131026, "later": True}}],
    "laterField": {"innerField": [1]},
}


class TestResources(OnStandIn):
    def message(self) -> messaging_api.ChatMessageDetails:
        self.stand_in.script(Answer(json=MESSAGE, headers={"x-request-id": "r1"}))
        return self.client().chat.messages.get("msg_wa_1")

    def test_fields_are_attributes_and_what_is_inside_is_a_resource(self) -> None:
        message = self.message()
        self.assertIsInstance(message, messaging_api.ChatMessageDetails)
        self.assertEqual((message.id, message.outcome, message.text_body), ("msg_wa_1", "ACCEPTED", "Hello"))
        (recipient,) = message.recipients
        self.assertIsInstance(recipient, messaging_api.ChatMessageRecipient)
        self.assertEqual(recipient.status, "READ")
        assert recipient.provider
        self.assertIsInstance(recipient.provider, messaging_api.MessageProvider)
        self.assertEqual(recipient.provider.code, 131026)
        self.assertIsNone(recipient.last_response)
        self.assertIs(message.recipients, message.recipients)

    def test_a_known_field_that_is_missing_is_none_and_an_unknown_name_an_error(self) -> None:
        message = self.message()
        self.assertIsNone(message.client_reference)
        self.assertIsNone(message.conversation_window)
        unknown: Any = message
        with self.assertRaisesRegex(AttributeError, "ChatMessageDetails has no field 'text_bodi'"):
            unknown.text_bodi
        self.assertFalse(hasattr(message, "text_bodi"))

    def test_unknown_fields_survive(self) -> None:
        message = self.message()
        unknown: Any = message
        self.assertEqual(unknown.later_field, {"innerField": [1]})
        self.assertEqual(unknown.from_, "+12015550123")
        self.assertEqual(message["laterField"], {"innerField": [1]})
        self.assertIn("laterField", message)
        self.assertNotIn("later_field", message)
        with self.assertRaises(KeyError):
            message["later_field"]
        self.assertEqual(message.to_dict(), MESSAGE)

    def test_a_resource_cannot_be_changed(self) -> None:
        message = self.message()
        for name in ("text_body", "later_field", "new"):
            with self.assertRaisesRegex(AttributeError, "cannot be changed"):
                setattr(message, name, "Bye")
        message.to_dict()["recipients"].clear()
        self.assertEqual(message.to_dict(), MESSAGE)

    def test_resources_with_the_same_fields_are_equal(self) -> None:
        message, same = self.message(), self.message()
        self.assertEqual(message, same)
        self.assertNotEqual(message, messaging_api.ChatMessageDetails({**MESSAGE, "id": "msg_wa_2"}))
        self.assertNotEqual(message, messaging_api.ChatMessage(MESSAGE))
        self.assertNotEqual(message, MESSAGE)
        with self.assertRaises(TypeError):
            hash(message)
        self.assertIn("ChatMessageDetails({'id': 'msg_wa_1'", repr(message))

    def test_resources_can_be_pickled_and_copied(self) -> None:
        message = self.message()
        assert message.last_response
        for other in (pickle.loads(pickle.dumps(message)), copy.copy(message), copy.deepcopy(message)):
            self.assertEqual(other, message)
            self.assertIs(type(other), type(message))
            self.assertEqual(other.recipients[0].status, "READ")
            self.assertIsNone(other.last_response)

    def test_the_response_is_within_reach(self) -> None:
        self.stand_in.script(Answer(201, {"id": "app_1"}, {"X-Request-Id": "r1", "Idempotency-Replayed": "true"}))
        response = self.client().organization.apps.create(name="A").last_response
        assert response
        self.assertEqual((response.status, response.request_id, response.is_replayed), (201, "r1", True))
        self.assertEqual(response.headers["x-request-id"], "r1")

    def test_members_of_unions_are_told_apart(self) -> None:
        numbers = [{"id": "wapn_1", "kind": "chat"}, {"id": "ph_1", "kind": "sms"}, {"id": "new_1", "kind": "new"}]
        self.stand_in.script(Answer(json={"data": numbers, "nextCursor": None}))
        chat, sms, new = self.client().phone_numbers.list()
        self.assertIsInstance(chat, messaging_api.AppChatPhoneNumber)
        self.assertIsInstance(sms, messaging_api.AppPhoneNumber)
        self.assertIsInstance(new, Resource)
        self.assertEqual((new.id, new.to_dict()), ("new_1", numbers[2]))

    def test_without_constants_the_member_that_knows_most_fields_is_taken(self) -> None:
        make = one_of(messaging_api.ChatTemplateDraft, messaging_api.ChatTemplate)
        draft = {"name": "a", "language": "en", "category": "UTILITY", "chatBusinessProfileId": "wabp_1"}
        self.assertIsInstance(make(draft, None), messaging_api.ChatTemplateDraft)
        self.assertIsInstance(make({**draft, "id": "1", "status": "PENDING"}, None), messaging_api.ChatTemplate)

    def test_events_inside_other_objects_are_events(self) -> None:
        event = {"id": "evt_1", "type": "messages.chat.read", "data": {"textBody": "Hello"}}
        later = {"id": "evt_2", "type": "messages.rcs.read", "data": {"textBody": "Hello"}}
        self.stand_in.script(Answer(json={"data": [event, later], "nextAfter": "p1"}))
        known, unknown = self.client().events.list(after="oldest").data
        self.assertIsInstance(known, messaging_api.MessagesChatReadEvent)
        self.assertIsInstance(known.data, messaging_api.ChatMessageDetails)
        self.assertEqual((unknown.id, unknown.type, unknown.data), ("evt_2", "messages.rcs.read", later["data"]))
        self.stand_in.script(Answer(json={"id": "dlv_1", "payload": event}))
        delivery = self.client().webhooks.deliveries.get("whk_1", "dlv_1")
        self.assertIsInstance(delivery.payload, messaging_api.MessagesChatReadEvent)


class TestPages(OnStandIn):
    def setUp(self) -> None:
        pages = [([{"id": "a"}], "1"), ([], "2"), ([{"id": "b"}], None)]
        self.stand_in.script(*(Answer(json={"data": data, "nextCursor": cursor}) for data, cursor in pages))

    def test_a_page(self) -> None:
        page = self.client().organization.apps.list(limit=1).page()
        self.assertEqual(page.data, [messaging_api.App({"id": "a"})])
        self.assertEqual((page.next_cursor, page.last_response.status), ("1", 200))

    def test_pages_are_read_when_they_are_needed(self) -> None:
        apps = self.client().organization.apps.list(limit=1)
        self.assertEqual(len(self.stand_in.received), 0)
        self.assertEqual([(app.id, len(self.stand_in.received)) for app in apps], [("a", 1), ("b", 3)])
        queries = [request.path.partition("?")[2] for request in self.stand_in.received]
        self.assertEqual(queries, ["limit=1", "limit=1&cursor=1", "limit=1&cursor=2"])

    def test_a_list_can_be_read_again(self) -> None:
        apps = self.client().organization.apps.list()
        self.assertEqual([len(page.data) for page in apps.pages()], [1, 0, 1])
        self.setUp()
        self.assertEqual([app.id for app in apps], ["a", "b"])

    def test_awaited_pages(self) -> None:
        async def read() -> None:
            async with self.stand_in.async_client() as client:
                apps = client.organization.apps.list(limit=1)
                self.assertEqual([(app.id, len(self.stand_in.received)) async for app in apps], [("a", 1), ("b", 3)])
                self.setUp()
                self.assertEqual([page.next_cursor async for page in apps.pages()], ["1", "2", None])
                self.setUp()
                self.assertEqual((await apps.page()).data[0].id, "a")

        asyncio.run(read())


if __name__ == "__main__":
    unittest.main()
