// Follows the events of an app, and goes on where it stopped when it is started again.

import { readFile, writeFile } from "node:fs/promises";
import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const file = process.argv[2] ?? "position.txt";
const after = await readFile(file, "utf8").catch(() => "oldest");
const onPosition = (position: string) => writeFile(file, position);

for await (const event of client.events.follow({ after, onPosition })) {
  console.log(event.sequence, event.id, event.type);
  // The type tells what the data is. Later versions of the service have more types.
  if (event.type === "messages.chat.read") console.log("Read:", event.data.textBody);
  if (event.type === "messages.sms.delivered") console.log("Delivered:", event.data.text);
  if (process.argv.includes("--once")) break;
}
