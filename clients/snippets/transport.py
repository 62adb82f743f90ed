import httpx
from messaging_api import Clock, Messaging

sent: list[bytes] = []


def respond(request: httpx.Request) -> httpx.Response:
    sent.append(request.content)
    if len(sent) == 1:
        return httpx.Response(503, json={"message": "Service Unavailable"})
    return httpx.Response(202, json={"id": "msg_sms_1", "outcome": "PENDING"})


class Instant(Clock):
    time = 1_800_000_000.0

    def now(self) -> float:
        return self.time

    def random(self) -> float:
        return 0.5

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    async def async_sleep(self, seconds: float) -> None:
        self.time += seconds


http = httpx.Client(transport=httpx.MockTransport(respond))
tested = Messaging(api_key="k", base_url="https://api.example.com", http_client=http, clock=Instant())
sms = tested.sms.send(from_="ph_1", to="+12025550123", text="Hello!", queue=True)
print(sms.outcome, "after", len(sent), "requests")
