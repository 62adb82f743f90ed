from messaging_api import Messaging

client = Messaging()
# snippet
from pathlib import Path

position = Path("position.txt")
after = position.read_text() if position.exists() else "oldest"
for event in client.events.follow(after=after, on_position=position.write_text):
    if event.type == "messages.chat.read":
        print("Read:", event.data.text_body)
        break
