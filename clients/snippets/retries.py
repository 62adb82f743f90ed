import os

from messaging_api import Messaging, PostOptions

client = Messaging()
from_ = os.environ["FROM"]
# snippet
def send_order(options: PostOptions) -> str:
    sent = client.chat.messages.send(
        from_=from_, to="+12025550123", type="text", text={"body": "Order 7 is on its way."}, options=options
    )
    return sent.id


options: PostOptions = {"idempotency_key": "order-7-shipped", "max_retries": 4}
first, second = send_order(options), send_order(options)
if first == second:
    print("One message:", first)
