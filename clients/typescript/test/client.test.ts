// Construction, credentials, results, errors, and lists.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { VERSION } from "../src/core.ts";
import * as sdk from "../src/index.ts";
import { type Answer, StandIn } from "./standin.ts";

let standIn: StandIn;
before(async () => void (standIn = await StandIn.start()));
after(() => standIn.stop());

test("key and address come from options or from the environment", async () => {
  standIn.script({ json: { status: "ok", version: "1" } });
  Object.assign(process.env, { MESSAGING_API_KEY: "sk_of_env", MESSAGING_BASE_URL: `${standIn.url}/stage/` });
  const client = new sdk.Messaging();
  delete process.env["MESSAGING_API_KEY"];
  delete process.env["MESSAGING_BASE_URL"];
  await client.health.get();
  assert.equal(standIn.received[0]?.path, "/stage/v1/health");
  assert.equal(standIn.received[0]?.headers.authorization, "Bearer sk_of_env");
  assert.throws(() => new sdk.Messaging({ baseUrl: standIn.url }), /apiKey/);
  assert.throws(() => new sdk.Messaging({ apiKey: "k" }), /baseUrl/);
  await new sdk.Messaging({ baseUrl: standIn.url, apiKey: null }).health.get();
  assert.equal(standIn.received[1]?.headers.authorization, undefined);
});

test("a key travels encrypted or stays on this machine", () => {
  const make = (baseUrl: string) => () => new sdk.Messaging({ apiKey: "k", baseUrl });
  const good = ["https://api.example.com/", "http://localhost:1/a", "http://[::1]:1", "http://127.0.0.2", "http://a.localhost"];
  const bad = ["http://api.example.com", "http://localhost.example.com", "ftp://localhost", "api.example.com"];
  for (const url of good) assert.doesNotThrow(make(url), url);
  for (const url of [...bad, "https://k@api.example.com", "https://api.example.com?x"]) assert.throws(make(url), url);
});

test("a function for the key is called again after a 401, once", async () => {
  let asked = 0;
  const client = standIn.client({ apiKey: async () => `key-${(asked += 1)}` });
  standIn.answer = ({ headers }) =>
    headers.authorization === "Bearer key-1" ? { status: 401, json: { error: "Invalid API key" } } : { json: {} };
  standIn.received.length = 0;
  await Promise.all([client.organization.apps.delete("app_1"), client.health.get(), client.health.get()]);
  assert.equal(asked, 2);
  await client.health.get();
  assert.equal(asked, 2);
  standIn.script({ status: 401, json: { error: "Invalid API key" } });
  await assert.rejects(client.health.get(), sdk.AuthenticationError);
  assert.equal(standIn.received.length, 2);
});

test("results have their response, and unknown fields", async () => {
  const headers = { "x-request-id": "r1", "idempotency-replayed": "true" };
  standIn.script({ status: 201, headers, json: { id: "app_1", later: { kept: true } } });
  const { data, ...response } = await standIn.client().organization.apps.create({ name: "A" }).withResponse();
  assert.deepEqual(data, { id: "app_1", later: { kept: true } });
  assert.equal(response.status, 201);
  assert.equal(response.requestId, "r1");
  assert.equal(response.isReplayed, true);
  assert.equal(response.headers.get("x-request-id"), "r1");
});

test("ids cannot leave their place in the path", async () => {
  standIn.script({ json: {} });
  const client = standIn.client();
  await client.organization.apps.get("a/../b?c");
  assert.equal(standIn.received[0]?.path, "/v1/organization/apps/a%2F..%2Fb%3Fc");
  for (const id of ["", ".", "..", undefined as unknown as string])
    assert.throws(() => client.organization.apps.get(id), sdk.MessagingError);
});

test("every error has its class", async () => {
  const structured = (type: string) => ({
    error: { type, code: "invalid_phone_number", message: "Bad.", param: "to", doc_url: "https://d", additional_info: ["hint"] },
  });
  const headers = { "x-request-id": "r1", "x-message-id": "msg_sms_1" };
  const html = "<html><body>Bad gateway</body></html>";
  const cases: [Answer, typeof sdk.MessagingError, Partial<sdk.MessagingError>][] = [
    [{ status: 400, json: structured("invalid_request_error"), headers }, sdk.InvalidRequestError,
      { code: "invalid_phone_number", param: "to", message: "Bad.", requestId: "r1", messageId: "msg_sms_1", docUrl: "https://d" }],
    [{ status: 401, json: { error: "Invalid API key" } }, sdk.AuthenticationError, { message: "Invalid API key", status: 401 }],
    [{ status: 403, json: structured("invalid_request_error") }, sdk.PermissionError, {}],
    [{ status: 404, json: structured("invalid_request_error") }, sdk.NotFoundError, {}],
    [{ status: 410, json: structured("invalid_request_error") }, sdk.NotFoundError, { additionalInfo: ["hint"] }],
    [{ status: 409, json: structured("invalid_request_error") }, sdk.ConflictError, {}],
    [{ status: 413, json: { message: "Too large" }, headers: { "apigw-requestid": "g1" } }, sdk.InvalidRequestError,
      { message: "Too large", requestId: "g1" }],
    [{ status: 422, json: structured("provider_error") }, sdk.ProviderError, {}],
    [{ status: 422, json: structured("invalid_request_error") }, sdk.InvalidRequestError, {}],
    [{ status: 429, json: { message: "Slow" }, headers: { "retry-after": "90" } }, sdk.RateLimitError, { retryAfter: 90 }],
    [{ status: 500, json: structured("api_error") }, sdk.InternalError, {}],
    [{ status: 502, text: html, headers: { "content-type": "text/html" } }, sdk.ProviderError, { status: 502, body: html }],
    [{ status: 503, json: { message: "Service Unavailable" } }, sdk.UnavailableError, {}],
    [{ status: 504, text: "" }, sdk.UnavailableError, {}],
    [{ status: 302, headers: { location: "/elsewhere" } }, sdk.InternalError, {}],
    [{ status: 200, text: html, headers: { "content-type": "text/html" } }, sdk.InternalError, { status: 200, body: html }],
  ];
  for (const [answer, Class, expected] of cases) {
    standIn.script(answer);
    const error = await standIn.client().organization.apps.get("app_1").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Class && error instanceof sdk.MessagingError, JSON.stringify(answer));
    assert.equal(error.constructor, Class);
    assert.equal(error.name, Class.name);
    for (const [name, value] of Object.entries(expected)) assert.deepEqual((error as never)[name], value, name);
  }
});

test("lists follow their cursors lazily, past empty pages", async () => {
  const pages = [{ data: [{ id: "a" }], nextCursor: "1" }, { data: [], nextCursor: "2" }, { data: [{ id: "b" }], nextCursor: null }];
  standIn.script(...pages.map((json) => ({ json })));
  const list = standIn.client().organization.apps.list({ limit: 1 });
  assert.equal(standIn.received.length, 0);
  const found = [];
  for await (const app of list) found.push([app.id, standIn.received.length]);
  assert.deepEqual(found, [["a", 1], ["b", 3]]);
  const paths = standIn.received.map((received) => received.path.split("?")[1]);
  assert.deepEqual(paths, ["limit=1", "limit=1&cursor=1", "limit=1&cursor=2"]);
  standIn.script(...pages.map((json) => ({ json })));
  for await (const _ of list) break;
  assert.equal(standIn.received.length, 1);
  const page = await standIn.client().organization.apps.list({ cursor: "1" }).page();
  assert.deepEqual(page, { data: [], nextCursor: "2" });
});

test("the version is that of the package", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(VERSION, version);
});
