import os

from messaging_api import Messaging

client = Messaging()
from_ = os.environ["FROM"]
# snippet
import uuid

from messaging_api import ChatMessageDetails, PostOptions


def send_once(options: PostOptions) -> ChatMessageDetails:
    return client.chat.messages.send(from_=from_, to="+99930006", type="text", text={"body": "Hello"}, options=options)


options: PostOptions = {"idempotency_key": f"lost-{uuid.uuid4()}"}
sent = send_once(options)
resolved = client.chat.messages.wait_for(sent.id, outcome="ACCEPTED")
repeated = send_once(options)
print(sent.outcome, "resolved:", resolved.outcome, "one message" if repeated.id == sent.id else "two messages")
