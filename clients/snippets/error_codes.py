import os

from messaging_api import Messaging

client = Messaging()
from_ = os.environ["FROM"]
# snippet
from messaging_api import MessagingError, PostOptions

codes: set[str | None] = set()
for each in client.errors.list().data:
    options: PostOptions = {"headers": {"Playground-Error": each.code}, "max_retries": 0}
    try:
        client.chat.messages.send(from_=from_, to="+12025550123", type="text", text={"body": "Hello"}, options=options)
    except MessagingError as error:
        codes.add(error.code)
print(len(codes), "codes")
