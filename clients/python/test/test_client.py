"""Clients and errors: what the vectors do not cover."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import time
import unittest
from functools import cached_property
from typing import Any

import httpx

import messaging_api
from messaging_api import AsyncMessaging, Messaging, MessagingError, Options, PostOptions
from standin import Answer, OnStandIn, Received


class TestClients(OnStandIn):
    def setUp(self) -> None:
        self.stand_in.script(Answer(json={"status": "ok"}))

    def test_the_end_of_a_with_statement_closes_the_client(self) -> None:
        with self.stand_in.client() as client:
            self.assertEqual(client.health.get().status, "ok")
        with self.assertRaises(RuntimeError):
            client.health.get()

        async def use() -> None:
            async with self.stand_in.async_client() as client:
                self.assertEqual((await client.health.get()).status, "ok")
            with self.assertRaises(RuntimeError):
                await client.health.get()

        asyncio.run(use())

    def test_an_injected_http_client_is_used_and_not_closed(self) -> None:
        with httpx.Client(headers={"x-from": "mine"}) as http:
            with self.stand_in.client(http_client=http) as client:
                client.health.get()
            self.assertEqual(self.stand_in.received[0].headers["x-from"], "mine")
            self.assertFalse(http.is_closed)

        async def use() -> None:
            async with httpx.AsyncClient(headers={"x-from": "mine"}) as http:
                async with self.stand_in.async_client(http_client=http) as client:
                    await client.health.get()
                self.assertFalse(http.is_closed)

        asyncio.run(use())
        self.assertEqual(self.stand_in.received[1].headers["x-from"], "mine")

    def test_an_injected_transport_needs_no_network(self) -> None:
        transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"status": str(request.url)}))
        address = "https://api.example.com"
        with Messaging(api_key="k", base_url=address, http_client=httpx.Client(transport=transport)) as client:
            self.assertEqual(client.health.get().status, f"{address}/v1/health")

    def test_redirects_are_not_followed_whatever_the_http_client_does(self) -> None:
        self.stand_in.script(Answer(302, headers={"location": "/elsewhere"}))
        with httpx.Client(follow_redirects=True) as http, self.assertRaises(messaging_api.InternalError):
            self.client(http_client=http).health.get()
        self.assertEqual(len(self.stand_in.received), 1)

    def test_a_function_for_the_key_is_called_again_after_a_401(self) -> None:
        keys = iter(["old", "new"])
        self.stand_in.answer = self.only_new
        client = self.client(api_key=lambda: next(keys))
        client.health.get()
        client.health.get()
        self.assertEqual(self.credentials(), ["Bearer old", "Bearer new", "Bearer new"])

    def test_a_coroutine_function_for_the_key(self) -> None:
        keys = iter(["old", "new"])

        async def key() -> str:
            await asyncio.sleep(0)
            return next(keys)

        async def use() -> None:
            async with self.stand_in.async_client(api_key=key) as client:
                await client.health.get()
                await client.health.get()

        self.stand_in.answer = self.only_new
        asyncio.run(use())
        self.assertEqual(self.credentials(), ["Bearer old", "Bearer new", "Bearer new"])

    def test_what_a_function_for_the_key_raises_comes_out(self) -> None:
        def fail() -> str:
            raise OSError("no secret store")

        with self.assertRaisesRegex(OSError, "no secret store"):
            self.client(api_key=fail).health.get()
        self.assertEqual(self.stand_in.received, [])

    def test_mistakes_are_named(self) -> None:
        with self.assertRaisesRegex(MessagingError, "api_key is empty"):
            Messaging(api_key="", base_url="https://api.example.com")
        for address in ("http://api.example.com", "ftp://localhost", "api.example.com"):
            with self.assertRaisesRegex(MessagingError, "base_url"):
                Messaging(api_key="k", base_url=address)
        with self.assertRaisesRegex(MessagingError, "is not an id"):
            self.client().organization.apps.get("..")
        with self.assertRaisesRegex(TypeError, "either status or outcome"):
            self.client().sms.wait_for("msg_sms_1")
        wrong: Any = "read"
        with self.assertRaisesRegex(ValueError, "one of QUEUED, SENT, DELIVERED, READ, FAILED, not 'read'"):
            self.client().chat.messages.wait_for("msg_wa_1", status=wrong)
        with self.assertRaisesRegex(ValueError, "one of QUEUED, SENT, DELIVERED, FAILED, not 'READ'"):
            self.client().sms.wait_for("msg_sms_1", status="READ")
        with self.assertRaisesRegex(ValueError, "one of PENDING, .*, not 'read'"):
            self.client().sms.wait_for("msg_sms_1", outcome=wrong)
        misspelled: Any = {"idempotencyKey": "order-7"}
        with self.assertRaisesRegex(TypeError, "'idempotencyKey'. Known are headers, idempotency_key"):
            self.client().sms.send(from_="ph_1", to="+12025550123", text="Hi", options=misspelled)
        self.assertEqual(self.stand_in.received, [])

    def test_many_calls_at_once(self) -> None:
        async def use() -> None:
            async with self.stand_in.async_client() as client:
                await asyncio.gather(*(client.health.get() for _ in range(20)))

        asyncio.run(use())
        self.assertEqual(len(self.stand_in.received), 20)

    def test_a_call_that_is_cancelled_ends_at_once(self) -> None:
        def slow(request: Received, nth: int) -> Answer:
            time.sleep(3)
            return Answer()

        async def use() -> None:
            async with self.stand_in.async_client() as client:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.health.get(), 0.5)

        self.stand_in.answer = slow
        started = time.monotonic()
        asyncio.run(use())
        self.assertLess(time.monotonic() - started, 2.5)

    def only_new(self, request: Received, nth: int) -> Answer:
        is_new = request.headers["authorization"] == "Bearer new"
        return Answer() if is_new else Answer(401, {"error": "Invalid API key"})

    def credentials(self) -> list[str]:
        return [request.headers["authorization"] for request in self.stand_in.received]


class TestErrors(OnStandIn):
    def test_an_error_has_the_types_that_it_says(self) -> None:
        details = {
            "type": "provider_error", "code": "recipient_not_on_chat", "message": "Not on WhatsApp.", "param": "to",
            "doc_url": "https://d", "additional_info": ["hint"],
            "provider": {"code": 131026, "message": "Undeliverable", "source": "platform", "platform_trace_id": "T"},
        }
        headers = {"x-request-id": "r1", "x-message-id": "msg_wa_1", "retry-after": "90"}
        self.stand_in.script(Answer(422, {"error": details}, headers))
        with self.assertRaises(messaging_api.ProviderError) as caught:
            self.client().chat.messages.send(from_="wapn_1", to="+12025550123", type="text", text={"body": "Hi"})
        error = caught.exception
        self.assertIsInstance(error, MessagingError)
        self.assertEqual((str(error), error.message), ("Not on WhatsApp.", "Not on WhatsApp."))
        self.assertEqual((error.status, error.code, error.param), (422, "recipient_not_on_chat", "to"))
        self.assertEqual((error.request_id, error.message_id), ("r1", "msg_wa_1"))
        self.assertEqual((error.retry_after, error.doc_url, error.additional_info), (90.0, "https://d", ["hint"]))
        self.assertIsInstance(error.provider, messaging_api.ErrorProvider)
        assert error.provider and error.headers
        self.assertEqual((error.provider.code, error.provider.platform_trace_id), (131026, "T"))
        self.assertEqual(error.headers["X-Request-Id"], "r1")
        self.assertEqual(error.body, {"error": details})
        again = pickle.loads(pickle.dumps(error))
        self.assertIs(type(again), messaging_api.ProviderError)
        self.assertEqual((str(again), again.status, again.provider), (str(error), 422, error.provider))

    def test_errors_without_a_response_know_nothing_of_one(self) -> None:
        self.stand_in.script(Answer(is_lost=True))
        with self.assertRaises(messaging_api.ConnectionError) as caught:
            self.client(max_retries=0).health.get()
        error = caught.exception
        self.assertEqual((error.status, error.headers, error.body, error.was_refused), (None, None, None, False))
        self.assertIsInstance(error.__cause__, httpx.HTTPError)

    def test_a_time_limit(self) -> None:
        def slow(request: Received, nth: int) -> Answer:
            time.sleep(3)
            return Answer()

        self.stand_in.received.clear()
        self.stand_in.answer = slow
        with self.assertRaises(messaging_api.TimeoutError):
            self.client(max_retries=0).health.get(options=Options(timeout=1))
        self.assertEqual(len(self.stand_in.received), 1)

    def test_options_of_a_call(self) -> None:
        self.stand_in.script(Answer(503), Answer(201, {"id": "app_1"}))
        options = PostOptions(max_retries=1, headers={"x-trace": "t"}, idempotency_key="order-7")
        self.assertEqual(self.client(max_retries=0).organization.apps.create(name="A", options=options).id, "app_1")
        sent = [(request.headers["x-trace"], request.headers["idempotency-key"]) for request in self.stand_in.received]
        self.assertEqual(sent, [("t", "order-7")] * 2)


class TestBothClients(unittest.TestCase):
    """Whether each method of one client is one of the other, with the same parameters."""

    def test_they_mirror_each_other(self) -> None:
        counted = 0

        def compare(one: type[Any], other: type[Any], where: str) -> None:
            nonlocal counted
            names = {name for name in dir(one) if not name.startswith("_")}
            self.assertEqual(names, {name for name in dir(other) if not name.startswith("_")}, where)
            for name in sorted(names):
                first, second = getattr(one, name), getattr(other, name)
                if isinstance(first, cached_property):
                    kinds = [inspect.get_annotations(each.func, eval_str=True)["return"] for each in (first, second)]
                    compare(kinds[0], kinds[1], f"{where}.{name}")
                elif callable(first):
                    parameters = [list(inspect.signature(each).parameters.values()) for each in (first, second)]
                    self.assertEqual(str(parameters[0]), str(parameters[1]), f"{where}.{name}")
                    counted += 1

        compare(Messaging, AsyncMessaging, "client")
        self.assertGreater(counted, 100)


if __name__ == "__main__":
    unittest.main()
