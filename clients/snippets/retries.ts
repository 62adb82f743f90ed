import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
// snippet
const order = { from, to: "+12025550123", type: "text", text: { body: "Order 7 is on its way." } } as const;
const options = { idempotencyKey: "order-7-shipped", maxRetries: 4 };
const first = await client.chat.messages.send(order, options);
const second = await client.chat.messages.send(order, options);
if (first.id === second.id) console.log("One message:", first.id);
