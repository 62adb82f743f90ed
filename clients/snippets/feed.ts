import { Messaging } from "@messaging-api/client";

const client = new Messaging();
// snippet
import { readFile, writeFile } from "node:fs/promises";

const after = await readFile("position.txt", "utf8").catch(() => "oldest");
const onPosition = (position: string) => writeFile("position.txt", position);
for await (const event of client.events.follow({ after, onPosition })) {
  if (event.type !== "messages.chat.read") continue;
  console.log("Read:", event.data.textBody);
  break;
}
