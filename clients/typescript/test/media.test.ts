// Uploads: each kind of source, both ways, with progress, and over failures.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import * as sdk from "../src/index.ts";
import { type Answer, type Received, StandIn } from "./standin.ts";

let standIn: StandIn;
let folder: string;
before(async () => {
  standIn = await StandIn.start();
  folder = await mkdtemp(join(tmpdir(), "upload-"));
});
after(async () => {
  await standIn.stop();
  await rm(folder, { recursive: true });
});

const large = Buffer.alloc(4 * 1024 * 1024 + 1, "x");

/** Answers as the service and its storage do, with other answers for some of the requests. */
function serve(others: Record<number, Answer> = {}): void {
  standIn.received.length = 0;
  standIn.answer = ({ path }, nth) => {
    if (others[nth]) return others[nth];
    if (!path.endsWith("/uploads")) return { status: 201, json: { id: "media_1" } };
    const headers = { "content-type": "image/png", "content-length": String(large.length), "if-none-match": "*" };
    return { status: 201, json: { id: "media_1", uploadUrl: `${standIn.url}/storage?signature=1`, headers } };
  };
}

function partOf({ headers, body }: Received): { head: string; content: string } {
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
  const [, head = "", content = ""] = new RegExp(`^--${boundary}\r\n(.*?)\r\n\r\n(.*)\r\n--${boundary}--\r\n$`, "s").exec(body.toString()) ?? [];
  return { head, content };
}

test("a small file is one request, from each source", async () => {
  const path = join(folder, "a.png");
  await writeFile(path, "bytes");
  const png = { mimeType: "image/png", fileName: "a.png" } as const;
  const stream = () => new Blob(["bytes"]).stream();
  const sources: [sdk.UploadSource, sdk.UploadOptions][] = [
    [Buffer.from("bytes"), png],
    [new TextEncoder().encode("bytes").buffer as ArrayBuffer, png],
    [new Blob(["bytes"], { type: "image/png" }), { fileName: "a.png" }],
    [new File(["bytes"], "a.png"), {}],
    [path, {}],
    [stream(), { ...png, size: 5 }],
    [Readable.from([Buffer.from("by"), Buffer.from("tes")]), { ...png, size: 5 }],
  ];
  for (const [source, options] of sources) {
    serve();
    assert.equal((await standIn.client().media.upload(source, options)).id, "media_1");
    const [request] = standIn.received;
    assert.equal(`${request?.method} ${request?.path} ${standIn.received.length}`, "POST /v1/media 1");
    assert.ok(request?.headers["content-length"] && request.headers["idempotency-key"]);
    const head = 'content-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png';
    assert.deepEqual(partOf(request), { head, content: "bytes" });
  }
});

test("a repeated upload sends the same bytes with the same key", async () => {
  serve({ 0: "lose", 1: { status: 503, json: {} } });
  await standIn.client().media.upload(Buffer.from("bytes"), { fileName: "a.txt" });
  assert.equal(standIn.received.length, 3);
  const [first, ...others] = standIn.received;
  for (const other of others) {
    assert.deepEqual(other.body, first?.body);
    assert.equal(other.headers["idempotency-key"], first?.headers["idempotency-key"]);
  }
});

test("a large file goes to storage with its length, and without the credential", async () => {
  const path = join(folder, "large.png");
  await writeFile(path, large);
  const sources: [sdk.UploadSource, sdk.UploadOptions][] = [
    [large, { mimeType: "image/png" }],
    [path, {}],
    [Readable.from([large.subarray(0, 1000), large.subarray(1000)]), { mimeType: "image/png", size: large.length }],
    [new Blob([large]).stream(), { mimeType: "image/png", size: large.length }],
  ];
  for (const onProgress of [false, true]) {
    for (const [source, options] of sources.slice(0, onProgress ? 3 : 4)) {
      const given = source instanceof Readable && onProgress ? Readable.from([large]) : source;
      serve();
      const loaded: number[] = [];
      const report = onProgress ? { onProgress: (progress: sdk.Progress) => void loaded.push(progress.loaded) } : {};
      await standIn.client().media.upload(given, { ...options, ...report });
      const [create, put, complete] = standIn.received;
      assert.equal(standIn.received.length, 3);
      assert.equal(JSON.parse(create?.body.toString() ?? "").fileSize, large.length);
      assert.equal(put?.method, "PUT");
      assert.equal(put.headers["content-length"], String(large.length));
      assert.equal(put.headers["transfer-encoding"], undefined);
      assert.equal(put.headers["if-none-match"], "*");
      assert.equal(put.headers.authorization, undefined);
      assert.ok(put.body.equals(large));
      assert.equal(complete?.path, "/v1/media/media_1/complete");
      if (onProgress) assert.ok(loaded.length > 0 && loaded.at(-1) === large.length && loaded.every((each, at) => at === 0 || each > loaded[at - 1]!));
    }
  }
});

test("an upload to storage is repeated if its bytes can be read again", async () => {
  serve({ 1: "lose", 2: { status: 412, text: "<Error/>" } });
  await standIn.client().media.upload(large, { mimeType: "image/png" });
  assert.deepEqual(standIn.received.map(({ method }) => method), ["POST", "PUT", "PUT", "POST"]);
  serve({ 1: { status: 503, text: "" } });
  const stream = Readable.from([large]);
  await assert.rejects(standIn.client().media.upload(stream, { mimeType: "image/png", size: large.length }), sdk.UnavailableError);
  assert.equal(standIn.received.length, 2);
  serve({ 1: { status: 403, text: "<Error/>" } });
  await assert.rejects(standIn.client().media.upload(large, { mimeType: "image/png" }), sdk.PermissionError);
});

test("progress of a small file counts its bytes, not those of the form", async () => {
  serve();
  const seen: sdk.Progress[] = [];
  await standIn.client().media.upload(Buffer.from("bytes"), { fileName: "a.txt", onProgress: (progress) => void seen.push(progress) });
  assert.deepEqual(seen.at(-1), { loaded: 5, total: 5 });
  assert.ok(seen.every(({ loaded, total }) => loaded <= 5 && total === 5));
});

test("what is not known must be said", async () => {
  const upload = (source: sdk.UploadSource, options?: sdk.UploadOptions) => standIn.client().media.upload(source, options);
  await assert.rejects(upload(Buffer.from("a")), /mimeType/);
  await assert.rejects(upload(Readable.from(["a"]), { fileName: "a.txt" }), /size/);
  await assert.rejects(upload(new Blob(["ab"]).stream(), { fileName: "a.txt", size: 1 }), /exact size/);
  await assert.rejects(upload(join(folder, "missing.png")));
});
