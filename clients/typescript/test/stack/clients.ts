// The clients of the local stack, which record what was called.

import { type Fetch, Messaging } from "../../src/index.ts";

interface Document {
  paths: Record<string, Record<string, { operationId: string; "x-internal"?: boolean }>>;
}

const { BASE_URL: baseUrl = "", ADMIN_KEY = "", TEST_APP_KEY = "", TEST_APP_ID = "" } = process.env;
const calls: string[] = [];

const fetchAndRecord: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (response.ok && url.startsWith(baseUrl)) calls.push(`${init.method} ${new URL(url).pathname}`);
  return response;
};

/** What was called with success. */
export const recorded = {
  get count() {
    return calls.length;
  },
  /** Returns the names of the operations that were not called. */
  uncalled({ paths }: Document): string[] {
    const { pathname } = new URL(baseUrl);
    const isCalled = (method: string, path: string) => {
      const form = new RegExp(`^${method.toUpperCase()} ${pathname}${path.replace(/\{\w+\}/g, "[^/]+")}$`);
      return calls.some((call) => form.test(call));
    };
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method, operation]) => !operation["x-internal"] && !isCalled(method, path))
        .map(([, operation]) => operation.operationId),
    );
  },
};

export const withKey = (apiKey: string) => new Messaging({ apiKey, baseUrl, fetch: fetchAndRecord });
export const admin = withKey(ADMIN_KEY);
export const app = new Messaging({ apiKey: TEST_APP_KEY, baseUrl, fetch: fetchAndRecord });
export const appId = TEST_APP_ID;

/** Returns a phone number that nobody has. */
export function phone(): string {
  return `+4930${String(Date.now()).slice(-9)}`;
}

/** Waits for a condition. */
export async function until(title: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    if (await holds()) return;
    await new Promise((next) => setTimeout(next, 250));
  }
  throw new Error(`Not after 30 s: ${title}.`);
}
