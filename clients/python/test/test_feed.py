"""Following the feed, and waiting for a message."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

import httpx

import messaging_api
from messaging_api import Event
from standin import Answer, Hurry, OnStandIn


class TestFeed(OnStandIn):
    def setUp(self) -> None:
        def page(after: str, *numbers: int) -> Answer:
            data = [{"id": f"evt_{at}", "type": "messages.sms.sent", "sequence": at, "data": {}} for at in numbers]
            return Answer(json={"data": data, "nextAfter": after})

        self.seen: list[object] = []
        self.clock = Hurry()
        self.stand_in.script(
            page("p0"), page("p1", 1, 2), Answer(is_lost=True), Answer(is_lost=True), Answer(is_lost=True), Answer(500),
            page("p1"), page("p2", 3),
        )

    def check(self) -> None:
        # The position after the last event is not reported: its processing had not ended.
        self.assertEqual(self.seen, ["p0", 1, 2, "p1", 3])
        queries = [httpx.URL(request.path).params for request in self.stand_in.received]
        self.assertEqual([query.get("after") for query in queries], [None, "p0", *["p1"] * 6])
        self.assertEqual({query["types"] for query in queries}, {"messages.sms.sent"})
        self.assertIn(7.0, self.clock.waits)

    def is_last(self, event: Event) -> bool:
        self.assertIsInstance(event, messaging_api.MessagesSmsSentEvent)
        self.seen.append(event.sequence)
        return event.sequence == 3

    def test_positions_follow_the_events_before_them(self) -> None:
        follow = self.client(clock=self.clock).events.follow
        for event in follow(types=["messages.sms.sent"], on_position=self.seen.append, interval=7):
            if self.is_last(event):
                break
        self.check()

    def test_positions_of_the_awaited_feed(self) -> None:
        async def store(position: str) -> None:
            await asyncio.sleep(0)
            self.seen.append(position)

        async def read(on_position: Any) -> None:
            async with self.stand_in.async_client(clock=self.clock) as client:
                follow = client.events.follow(types=["messages.sms.sent"], on_position=on_position, interval=7)
                async for event in follow:
                    if self.is_last(event):
                        break

        asyncio.run(read(store))
        self.check()
        self.setUp()
        asyncio.run(read(self.seen.append))
        self.check()

    def test_what_a_callback_raises_comes_out(self) -> None:
        def fail(position: str) -> None:
            raise OSError("disk full")

        with self.assertRaisesRegex(OSError, "disk full"):
            next(self.client().events.follow(on_position=fail))

    def test_an_error_that_stays_ends_it(self) -> None:
        self.stand_in.script(Answer(410, {"error": {"message": "Gone.", "additional_info": ["p9"]}}))
        with self.assertRaises(messaging_api.NotFoundError) as caught:
            next(self.client().events.follow(after="p1"))
        self.assertEqual(caught.exception.additional_info, ["p9"])

    def test_waiting_has_an_end(self) -> None:
        self.stand_in.script(Answer(json={"status": "QUEUED", "outcome": "UNKNOWN"}))
        with self.assertRaises(messaging_api.TimeoutError) as caught:
            self.client(clock=self.clock).sms.wait_for("m", status="SENT", patience=5, interval=2)
        self.assertIsInstance(caught.exception.body, messaging_api.SmsMessage)
        self.assertEqual((caught.exception.message_id, caught.exception.body.outcome), ("m", "UNKNOWN"))
        self.assertEqual(self.clock.waits, [2, 2, 1])


if __name__ == "__main__":
    unittest.main()
