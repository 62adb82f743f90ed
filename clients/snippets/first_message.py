import os

from messaging_api import Messaging

client = Messaging()
from_ = os.environ["FROM"]
message = client.chat.messages.send(from_=from_, to="+12025550123", type="text", text={"body": "Hello!"})
read = client.chat.messages.wait_for(message.id, status="READ")
print(read.outcome, read.text_body, read.recipients[0].status)
