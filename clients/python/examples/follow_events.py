"""Follows the events of an app, and goes on where it stopped when it is started again."""

import sys
from pathlib import Path

from messaging_api import Messaging

client = Messaging()
file = Path(sys.argv[1] if len(sys.argv) > 1 else "position.txt")
after = file.read_text() if file.exists() else "oldest"

for event in client.events.follow(after=after, on_position=file.write_text):
    print(event.sequence, event.id, event.type)
    # The type tells what the data is. Later versions of the service have more types.
    if event.type == "messages.chat.read":
        print("Read:", event.data.text_body)
    if event.type == "messages.sms.delivered":
        print("Delivered:", event.data.text)
    if "--once" in sys.argv:
        break
