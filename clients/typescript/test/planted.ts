// Mistakes that the compiler must find. Each line after a directive has one; CI also removes the directives and counts the errors.

import { Messaging, webhooks } from "@messaging-api/client";

const client = new Messaging();
const text = { from: "wapn_1", to: "+12025550123", type: "text", text: { body: "Hello" } } as const;
// @ts-expect-error: the body of a text is missing.
await client.chat.messages.send({ from: "wapn_1", to: "+12025550123", type: "text" });
// @ts-expect-error: an image has no body.
await client.chat.messages.send({ from: "wapn_1", to: "+12025550123", type: "image", image: { body: "Hello" } });
// @ts-expect-error: there is no such event.
await client.webhooks.create({ url: "https://example.com", events: ["messages.chat.recieved"] });
// @ts-expect-error: there is no such field.
console.log((await client.chat.messages.send(text)).txtBody);
// @ts-expect-error: the id is missing.
await client.organization.apps.get();
// @ts-expect-error: a list needs its number.
client.organization.chat.messages.list({});
// @ts-expect-error: an update takes no key.
await client.organization.apps.update("app_1", { name: "A" }, { idempotencyKey: "k" });
// @ts-expect-error: numbers are of two kinds.
for await (const number of client.phoneNumbers.list()) console.log(number.displayPhoneNumber);
// @ts-expect-error: only SMS events have this field.
for await (const event of client.events.follow({ types: ["messages.chat.read"] })) console.log(event.data.parts);
// @ts-expect-error: a parsed body cannot be verified.
await webhooks.verify({ id: "evt_1" }, new Headers(), "whsec_");
// @ts-expect-error: there is no such status.
await client.sms.waitFor("msg_sms_1", { status: "SEEN" });
