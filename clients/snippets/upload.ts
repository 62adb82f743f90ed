import { Messaging } from "@messaging-api/client";

// snippet
const client = new Messaging();
const media = await client.media.upload("/tmp/dot.png");
const picture = await (await fetch(media.url)).arrayBuffer();
console.log(media.id, media.fileSize, picture.byteLength);
