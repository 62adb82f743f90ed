import { Messaging } from "@messaging-api/client";

const client = new Messaging();
// snippet
for await (const each of client.chat.messages.list({ contact: "+12025550123" })) {
  console.log(each.createdAt, each.direction, each.textBody);
}
const page = await client.chat.messages.list({ limit: 2 }).page();
console.log(page.data.length, page.nextCursor);
