import os

from messaging_api import Messaging

client = Messaging()
from_ = os.environ["FROM"]
# snippet
sent = client.chat.messages.send(from_=from_, to="+99930006", type="text", text={"body": "Hello!"})
print(sent.outcome)
if sent.outcome == "UNKNOWN":
    known = client.chat.messages.wait_for(sent.id, outcome="ACCEPTED", patience=120)
    print(known.outcome)
