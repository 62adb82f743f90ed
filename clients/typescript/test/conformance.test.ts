// Plays the vectors of clients/conformance, as its README says.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { type ClientOptions, type Clock, List, Messaging, MessagingError } from "../src/index.ts";

type Json = Record<string, any>;

const FOLDER = process.env["CONFORMANCE"] ?? "";
const DEFAULT_KEY = "sk_test_app_conformance";
/** What JavaScript has of what vectors may need. */
const HAS = new Set(["signal", "blob", "asyncKey"]);

let server: ChildProcess;
let address: string;
let operations: Map<string, { hasBody: boolean; hasQuery: boolean }>;

before(async () => {
  server = spawn("python3", ["-B", join(FOLDER, "server.py")], { stdio: ["pipe", "pipe", "inherit"] });
  address = await new Promise((resolve) => createInterface(server.stdout!).once("line", resolve));
  operations = operationsOf(JSON.parse(await readFile(join(FOLDER, "../../docs/openapi.json"), "utf8")));
});

after(() => server.stdin!.end());

test("every vector", async (context) => {
  const vectors = await ask("GET", "/vectors");
  assert.ok(vectors.length > 100, `${vectors.length} vectors`);
  // One after another: some change the environment.
  for (const { name, needs = [] } of vectors) {
    const skip = !needs.every((each: string) => HAS.has(each));
    await context.test(name, { skip }, () => play(name));
  }
});

async function play(name: string): Promise<void> {
  const { run, baseUrl, vector } = await ask("POST", "/runs", { name });
  const problems: string[] = [];
  const environment = { ...process.env };
  Object.assign(process.env, vector.client?.environment);
  try {
    await new Player(run, baseUrl, vector).play();
  } catch (error) {
    problems.push((error as Error).message);
  } finally {
    process.env = environment;
  }
  const verdict = await ask("DELETE", `/runs/${run}`);
  if (!verdict.passed) problems.push(...verdict.problems);
  assert.deepEqual(problems, []);
}

class Player {
  readonly #run: number;
  readonly #baseUrl: string;
  readonly #vector: Json;
  #now: number;
  #onWait = () => {};

  constructor(run: number, baseUrl: string, vector: Json) {
    this.#run = run;
    this.#baseUrl = baseUrl;
    this.#vector = vector;
    this.#now = vector["now"];
  }

  async play(): Promise<void> {
    let client: Messaging | undefined;
    for (const [at, call] of this.#vector["calls"].entries()) {
      const outcome = await settled(async () => {
        client ??= new Messaging(this.#options());
        return this.#call(client, call);
      });
      compare(outcome, call.result ?? {}, `call ${at + 1}`);
    }
  }

  #options(): ClientOptions {
    const { apiKey, baseUrl, timeout, maxRetries, headers, environment, transport } = this.#vector["client"] ?? {};
    const keys = Array.isArray(apiKey) ? [...apiKey] : undefined;
    const key = keys ? async () => keys.shift() : apiKey === undefined && !environment ? DEFAULT_KEY : apiKey;
    const url = baseUrl ?? (environment ? undefined : this.#baseUrl);
    const injected = (url: string, init: RequestInit) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), "x-transport": "injected" } });
    const options = {
      apiKey: key, baseUrl: url, timeout, maxRetries, headers, clock: this.#clock(),
      fetch: transport === "injected" ? injected : undefined,
    };
    return given(options) as ClientOptions;
  }

  #clock(): Clock {
    return {
      now: () => this.#now,
      random: () => this.#vector["random"],
      sleep: async (milliseconds, signal) => {
        this.#onWait();
        signal?.throwIfAborted();
        this.#now += milliseconds;
        await ask("POST", `/runs/${this.#run}/waits`, { milliseconds });
      },
    };
  }

  async #call(client: Messaging, call: Json): Promise<Json> {
    const { method, cancel } = call;
    if (method === "construct") return { empty: true };
    const controller = new AbortController();
    if (cancel === "before") controller.abort();
    this.#onWait = () => cancel === "wait" && controller.abort();
    const options = { ...call["options"], ...(cancel && { signal: controller.signal }) };
    const name = method.split(".").at(-1);
    const special = { waitFor: this.#waitFor, upload: this.#upload, follow: this.#follow, verify: this.#verify }[name as string];
    try {
      if (special && call["arguments"]) return await special.call(this, owner(client, method), call, options);
      const { hasBody, hasQuery } = operations.get(method)!;
      const parts = [...(hasBody ? [call["body"] ?? {}] : []), ...(hasQuery ? [call["query"] ?? {}] : [])];
      const made = owner(client, method)[name](...Object.values(call["path"] ?? {}), ...parts, options);
      return made instanceof List ? await read(made, call) : { ...(await made.withResponse()), isResponse: true };
    } catch (error) {
      return cancel && error === controller.signal.reason ? { cancelled: true } : { ...(error as Json)["yielded"], error };
    }
  }

  async #waitFor(messages: any, { arguments: { messageId, status, outcome, patience, interval } }: Json, options: Json) {
    const limits = given({ ...options, patience, interval });
    return { data: await messages.waitFor(messageId, status ? { status } : { outcome }, limits) };
  }

  async #upload(media: any, { arguments: { file, as, fileName, mimeType, progress } }: Json, options: Json) {
    const bytes = file.text === undefined
      ? Uint8Array.from({ length: file.size }, (_, at) => at % 251)
      : new TextEncoder().encode(file.text);
    const reports: Json[] = [];
    const onProgress = progress ? (report: Json) => void reports.push(report) : undefined;
    const path = join(await mkdtemp(join(tmpdir(), "upload-")), file.name);
    if (as === "path") await writeFile(path, bytes);
    const source = { bytes, path, stream: once(bytes), blob: new File([bytes], file.name) }[as as "bytes"];
    const name = fileName ?? (as === "bytes" || as === "stream" ? file.name : undefined);
    const size = as === "stream" ? bytes.length : undefined;
    const result = await media.upload(source, given({ ...options, fileName: name, mimeType, size, onProgress })).withResponse();
    if (progress) assert.deepEqual(reports.at(-1), { loaded: bytes.length, total: bytes.length });
    return { ...result, isResponse: true };
  }

  async #follow(events: any, { arguments: { after, types, interval }, take }: Json, options: Json) {
    const trace: Json[] = [];
    const onPosition = (position: string) => void trace.push({ position });
    try {
      let left = take;
      for await (const event of events.follow(given({ ...options, after, types, interval, onPosition }))) {
        trace.push({ event });
        if (--left === 0) break;
      }
      return { trace };
    } catch (error) {
      throw Object.assign(error as Error, { yielded: { trace } });
    }
  }

  async #verify(receiver: any, { arguments: { body, headers, secrets, tolerance } }: Json) {
    const secret = secrets.length === 1 ? secrets[0] : secrets;
    const options = given({ tolerance, now: () => this.#now });
    return { data: await receiver.verify(new TextEncoder().encode(body), headers, secret, options) };
  }
}

async function read(list: List<unknown>, { read: how, take = Infinity }: Json): Promise<Json> {
  if (take === 0) return { [how]: [] };
  if (how === "page") return { ...(await list.page().withResponse()), isResponse: true };
  const yielded: unknown[] = [];
  const name = how === "pages" ? "pages" : "items";
  try {
    for await (const each of how === "pages" ? list.pages() : list) {
      yielded.push(each);
      if (yielded.length === take) break;
    }
    return { [name]: yielded };
  } catch (error) {
    throw Object.assign(error as Error, { yielded: { [name]: yielded } });
  }
}

function compare(outcome: Json, result: Json, where: string): void {
  const { error } = outcome;
  if (result["error"]) {
    assert.ok(error, `${where} did not fail`);
    const found = Object.keys(result["error"]).map((field) => [field, field === "class" ? classOf(error) : (error[field] ?? null)]);
    assert.deepEqual(plain(Object.fromEntries(found)), result["error"], `${where}: ${error.message}`);
  } else if (error) {
    throw new Error(`${where} failed: ${error.message} ${error.cause ?? ""}`);
  }
  if (result["cancelled"]) assert.ok(outcome["cancelled"], `${where} was not cancelled`);
  if ("value" in result) assert.deepEqual(plain(outcome["data"]), result["value"], where);
  for (const field of ["items", "pages", "trace"])
    if (field in result) assert.deepEqual(plain(outcome[field]), result[field], where);
  const { headers, ...facts } = result["response"] ?? {};
  for (const [field, value] of Object.entries(facts)) assert.deepEqual(outcome[field] ?? null, value, `${where}: ${field}`);
  for (const [header, value] of Object.entries(headers ?? {})) assert.equal(outcome["headers"].get(header), value, where);
}

/** Returns the vectors' name of an error's class. */
function classOf(error: unknown): string {
  if (!(error instanceof MessagingError) || error.constructor === MessagingError) return "usage";
  return error.constructor.name.replace(/Error$/, "").replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

async function settled(action: () => Promise<Json>): Promise<Json> {
  try {
    return await action();
  } catch (error) {
    return { error };
  }
}

function owner(client: Messaging, method: string): any {
  return method.split(".").slice(0, -1).reduce((object: any, name) => object[name], client);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function given(options: Json): Json {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

async function ask(method: string, path: string, body?: Json): Promise<any> {
  const response = await fetch(address + path, { method, body: body ? JSON.stringify(body) : null });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return text ? JSON.parse(text) : {};
}

/** Returns which arguments the method of each operation takes. */
function operationsOf(document: Json): typeof operations {
  const resolved = (part: Json) => (part["$ref"] ? document["components"].parameters[part["$ref"].split("/").at(-1)] : part);
  const all = Object.values(document["paths"]).flatMap((item) => Object.values(item as Json));
  return new Map(all.map((operation: Json) => {
    const hasQuery = (operation["parameters"] ?? []).some((each: Json) => resolved(each).in === "query");
    return [operation["operationId"], { hasBody: "requestBody" in operation, hasQuery }];
  }));
}
