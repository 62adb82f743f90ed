from messaging_api import Messaging

client = Messaging()
user = "+12015550123"
order = client.playground.chat.simulate_inbound(
    from_=user, profile_name="Ann", type="order", order={
        "catalogId": "c-1",
        "items": [{"productRetailerId": "sku-1", "quantity": 2, "itemPrice": 9.5, "currency": "EUR"}],
    },
)
reacted = client.playground.chat.simulate_inbound(
    from_=user, type="reaction", reaction={"messageId": order.id, "emoji": "🎉"}
)
print(order.type, reacted.type)
