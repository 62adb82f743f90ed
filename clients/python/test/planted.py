"""Mistakes that mypy and pyright must find: each line that ends with the comment has one, and no other line has any."""

from collections.abc import Iterator

from messaging_api import AsyncMessaging, Event, List, Messaging, SmsMessage, webhooks

client = Messaging()
text = client.chat.messages.send(
    from_="wapn_1", to="+12025550123", type="text", text={"body": "Hello", "previewUrl": True}
)

# The body of a text is missing.
client.chat.messages.send(from_="wapn_1", to="+12025550123", type="text", text={"previewUrl": True})  # mistake
# A text has no caption.
client.chat.messages.send(from_="wapn_1", to="+12025550123", type="text", text={"body": "A", "caption": "B"})  # mistake
# An image has no body.
client.chat.messages.send(from_="wapn_1", to="+12025550123", type="image", image={"body": "Hello"})  # mistake
# There is no such type.
client.chat.messages.send(from_="wapn_1", to="+12025550123", type="txt")  # mistake
# There is no such argument: the name is from_.
client.sms.send(sender="ph_1", from_="ph_1", to="+12025550123", text="Hello")  # mistake
# The sender is missing.
client.sms.send(to="+12025550123", text="Hello")  # mistake
# There is no such event.
client.webhooks.create(url="https://example.com", events=["messages.chat.recieved"])  # mistake
# There is no such field.
print(text.text_bodi)  # mistake
# A field that may be missing.
print(text.text_body.upper())  # mistake
# A list of recipients has no status.
print(text.recipients.status)  # mistake
# The id is missing.
client.organization.apps.get()  # mistake
# A list needs its number.
client.organization.chat.messages.list()  # mistake
# An update takes no key.
client.organization.apps.update("app_1", name="A", options={"idempotency_key": "k"})  # mistake
# There is no such option.
client.organization.apps.create(name="A", options={"time_out": 1})  # mistake
# Numbers are of two kinds.
for number in client.phone_numbers.list():
    print(number.id, number.kind)
    print(number.display_phone_number)  # mistake
    if number.kind == "chat":
        print(number.display_phone_number)
    else:
        print(number.number)
# Only SMS events have this field.
for event in client.events.follow(types=["messages.chat.read"]):
    if event.type == "messages.chat.read":
        print(event.data.recipients)
        print(event.data.parts)  # mistake
# A name is no list of names.
client.events.follow(types="messages.chat.read")  # mistake
# A parsed body cannot be verified.
webhooks.verify({"id": "evt_1"}, {}, "whsec_")  # mistake
# There is no such status.
client.sms.wait_for("msg_sms_1", status="SEEN")  # mistake
# The key is no number.
Messaging(api_key=7)  # mistake
# A list is not its page.
print(client.sms.list().data)  # mistake


async def of_async() -> None:
    awaited = AsyncMessaging()
    # The call was not awaited.
    print(awaited.health.get().status)  # mistake
    print((await awaited.health.get()).status)
    # The list is not read with async.
    for _ in awaited.sms.list():  # mistake
        pass
    async for message in awaited.sms.list():
        print(message.text)


# What they must accept.
def texts(messages: List[SmsMessage]) -> Iterator[str]:
    return (message.text for message in messages if message.text is not None)


def handle(event: Event) -> str | None:
    if event.type == "messages.chat.received":
        return event.data.text_body
    return event.data.name if event.type == "templates.chat.created" else None


sent = client.sms.send(
    from_="ph_1", to="+12025550123", text="Hello", queue=True, valid_for_seconds=60,
    options={"idempotency_key": "order-7", "timeout": 5, "headers": {"x-trace": "1"}},
)
print(sent.outcome == "A VALUE OF A LATER VERSION", sent["newField"], sent.last_response)
print(list(texts(client.sms.list())), client.openapi.get()["paths"])
buttons = client.chat.messages.send(
    from_="wapn_1", to="+12025550123", type="interactive",
    interactive={"kind": "buttons", "body": "Well?", "buttons": [{"id": "yes", "title": "Yes"}]},
)
client.chat.messages.wait_for(buttons.id, outcome="ACCEPTED", patience=5)
