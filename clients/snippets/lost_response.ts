import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
// snippet
const lost = { from, to: "+99930006", type: "text", text: { body: "Hello" } } as const;
const idempotencyKey = `lost-${crypto.randomUUID()}`;
const sent = await client.chat.messages.send(lost, { idempotencyKey });
const resolved = await client.chat.messages.waitFor(sent.id, { outcome: "ACCEPTED" });
const repeated = await client.chat.messages.send(lost, { idempotencyKey });
console.log(sent.outcome, "resolved:", resolved.outcome, repeated.id === sent.id ? "one message" : "two messages");
