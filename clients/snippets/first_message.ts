import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
const message = await client.chat.messages.send({ from, to: "+12025550123", type: "text", text: { body: "Hello!" } });
const read = await client.chat.messages.waitFor(message.id, { status: "READ" });
console.log(read.outcome, read.textBody, read.recipients[0]?.status);
