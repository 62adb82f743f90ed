// Uploads a file, prints how far it is, and reads it again: node upload-file.ts photo.png

import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const path = process.argv[2] ?? "photo.png";
const onProgress = ({ loaded, total }: { loaded: number; total: number }) => console.log(`${loaded} of ${total} bytes`);
const media = await client.media.upload(path, { onProgress });
const response = await fetch(media.url);
console.log(media.id, media.fileSize, (await response.arrayBuffer()).byteLength);
