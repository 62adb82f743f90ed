"""Tests of the fuzzer's stock of objects."""

import unittest

from tools.ci.fuzz_api import hardly_tried, never_accepted, table
from tools.ci.fuzz_stock import LEFT, Stock, can_end

APP = "app_test_0ujtsYcgvSTl8PAuAdqWYSMnLOv"
HOOK_PATH = "/v1/organization/apps/{appId}/webhooks"


def hook(number: int) -> str:
    return f"whk_test_{number:027}"


class Learning(unittest.TestCase):
    def setUp(self):
        self.stock = Stock()
        for number in range(LEFT + 1):
            self.learn("POST", HOOK_PATH, 201, {"id": hook(number), "appId": APP})

    def learn(self, method, path, status, body, **parameters):
        self.stock.learn(method, path, {}, {"appId": APP, **parameters}, status, body)

    def test_an_object_is_named_with_those_above_it(self):
        values = self.stock.path("organization.apps.webhooks.get", ["appId", "webhookId"], can_end=False)
        self.assertEqual(values["appId"], APP)
        self.assertIn(values["webhookId"], [hook(number) for number in range(LEFT + 1)])

    def test_entries_of_lists_are_learned(self):
        self.learn("GET", HOOK_PATH, 200, {"data": [{"id": hook(9), "appId": APP}], "nextCursor": None})
        self.assertIn(hook(9), [known.values()["webhookId"] for known in self.stock.objects])

    def test_deletions_leave_some_and_take_the_newest(self):
        values = self.stock.path("organization.apps.webhooks.delete", ["appId", "webhookId"], can_end=True)
        self.assertEqual(values["webhookId"], hook(LEFT))
        self.learn("DELETE", f"{HOOK_PATH}/{{webhookId}}", 200, {"message": "Webhook deleted"}, webhookId=hook(LEFT))
        self.assertIsNone(self.stock.path("organization.apps.webhooks.delete", ["appId", "webhookId"], can_end=True))

    def test_protected_objects_are_not_deleted(self):
        self.stock.protected = frozenset([hook(LEFT)])
        self.assertIsNone(self.stock.path("organization.apps.webhooks.delete", ["appId", "webhookId"], can_end=True))

    def test_limits_of_protected_keys_are_not_changed(self):
        key = "/v1/organization/apps/{appId}/keys/{keyId}"
        self.assertTrue(can_end("PATCH", key) and can_end("POST", f"{key}/rotate") and can_end("DELETE", key))
        self.assertTrue(can_end("PATCH", "/v1/organization/admin-keys/{id}"))
        self.assertFalse(can_end("POST", "/v1/organization/apps/{appId}/keys") or can_end("PATCH", HOOK_PATH))

    def test_an_app_key_gets_webhooks_of_its_app(self):
        self.stock.own_app = APP
        self.stock.learn("POST", HOOK_PATH, {}, {"appId": APP[:-1] + "w"}, 201, {"id": hook(9)})
        given = {self.stock.path("webhooks.get", ["webhookId"], can_end=False)["webhookId"] for _ in range(50)}
        self.assertEqual(given, {hook(number) for number in range(LEFT + 1)})

    def test_a_rejected_request_teaches_nothing(self):
        before = dict(self.stock.objects)
        self.learn("POST", HOOK_PATH, 400, {"id": hook(9)})
        self.assertEqual(self.stock.objects, before)

    def test_a_cursor_belongs_to_its_list_and_filter(self):
        self.stock.learn("GET", "/list", {"limit": 1, "status": "FAILED"}, {}, 200, {"data": [], "nextCursor": "c"})
        self.assertEqual(self.stock.cursors[self.stock.list_of("/list", {}, {"status": "FAILED", "cursor": "x"})], "c")
        self.assertNotIn(self.stock.list_of("/list", {}, {}), self.stock.cursors)

    def test_a_stock_is_read_as_it_was_written(self):
        self.stock.protected = frozenset([APP])
        again = Stock.read(self.stock.written())
        self.assertEqual((again.objects, again.protected), (self.stock.objects, self.stock.protected))


class Filling(unittest.TestCase):
    def test_a_simulated_sms_message_goes_to_a_system_number(self):
        stock = Stock(system_numbers=["+12015550100"], user_numbers=["+12015550199"])
        body = stock.filled("playground.sms.simulateInbound", {"from": "+4420", "to": "+4421", "text": "x"})
        self.assertEqual((body["from"], body["to"]), ("+12015550199", "+12015550100"))

    def test_a_message_has_one_recipient_and_a_sender_that_exists(self):
        body = {"from": "+1", "to": "+2", "groupId": "grp_wa_x", "replyTo": "x", "type": "text", "text": {"body": "x"}}
        filled = Stock(own_number="wapn_x", user_numbers=["+3"]).filled("chat.messages.send", body)
        self.assertEqual(filled, {"from": "wapn_x", "to": "+3", "type": "text", "text": {"body": "x"}})

    def test_keys_differ(self):
        stock = Stock()
        self.assertNotEqual(stock.key(), stock.key())

    def test_each_registration_is_used_once(self):
        stock = Stock(registrations=[{"displayPhoneNumber": "+447700900001"}])
        empty = {"displayPhoneNumber": "+1"}
        self.assertEqual(stock.filled("organization.chat.phoneNumbers.register", empty)["displayPhoneNumber"], "+447700900001")
        self.assertEqual(stock.filled("organization.chat.phoneNumbers.register", empty), empty)


class Report(unittest.TestCase):
    COUNTS = {
        "GET /a": {"valid": 4, "accepted": 1},
        "GET /b": {"valid": 2, "accepted": 0, "rejection": "404 No such app."},
    }

    def test_an_operation_without_an_accepted_request_is_reported_with_its_rejection(self):
        missing = never_accepted(self.COUNTS, ["GET /a", "GET /b", "GET /c", "GET /v1/openapi.json"])
        self.assertEqual(missing, {"GET /b": "404 No such app.", "GET /c": "no valid request"})

    def test_what_was_hardly_tried_is_known(self):
        self.assertEqual(hardly_tried(self.COUNTS), {"GET /b"})

    def test_the_table_begins_with_the_lowest_share(self):
        lines = table(self.COUNTS, ["GET /a", "GET /b"]).splitlines()
        self.assertEqual(lines[1].split(), ["0%", "0", "of", "2", "GET", "/b"])
        self.assertEqual(lines[-1].split()[:4], ["17%", "1", "of", "6"])


if __name__ == "__main__":
    unittest.main()
