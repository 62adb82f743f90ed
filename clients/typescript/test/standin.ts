// A server for tests. It answers as a test says, and remembers what it was sent.

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Messaging, type ClientOptions, type Clock } from "../src/index.ts";

/** A request as it came. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** What to send for a request: a response, its bytes as they are, or nothing and the end of the connection. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | { bytes: Buffer }
  | "hang"
  | "lose";

export class StandIn {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answer: (request: Received, nth: number) => Answer = () => ({ json: {} });

  private constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<StandIn> {
    const standIn = new StandIn();
    await new Promise<void>((listening) => standIn.#server.listen(0, "127.0.0.1", listening));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the requests one after another, and the last answer again and again. */
  script(...answers: Answer[]): void {
    this.received.length = 0;
    this.answer = (_, nth) => answers[Math.min(nth, answers.length - 1)] ?? {};
  }

  client(options: ClientOptions = {}): Messaging {
    return new Messaging({ apiKey: "sk_test_app_1", baseUrl: this.url, clock: new Hurry(), ...options });
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #respond(request: IncomingMessage, response: import("node:http").ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body: Buffer.concat(chunks) };
    const answer = this.answer(received, this.received.push(received) - 1);
    if (answer === "hang") return;
    if (answer === "lose") return void request.socket.destroy();
    if ("bytes" in answer) {
      request.socket.write(answer.bytes, () => request.socket.destroy());
      return;
    }
    const { status = 200, headers: more = {}, json, text } = answer;
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(text ?? JSON.stringify(json ?? {}));
  }
}

/** A clock that does not wait, but remembers for how long it should have. */
export class Hurry implements Clock {
  readonly waits: number[] = [];
  time = 1_800_000_000_000;

  now(): number {
    return this.time;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.waits.push(milliseconds);
    this.time += milliseconds;
    await new Promise((next) => setImmediate(next));
  }

  random(): number {
    return 0.5;
  }
}
