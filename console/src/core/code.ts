// "Show as code": a request in curl, in the libraries, and on the command line. Keys come from the environment.
import { idsOf, operation } from "./operations";
import type { Request } from "./request";

export const LANGUAGES = ["curl", "TypeScript", "Python", "Command line"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Words that are no names in Python, of those that the API uses; as contract/src/python/text.rs has them. */
const KEYWORDS = ["as", "from", "import", "class", "def", "global", "in", "is", "not", "pass", "raise", "return", "with"];

interface Call {
  name: string;
  method: string;
  path: string;
  ids: string[];
  body?: object | undefined;
  query?: Record<string, unknown> | undefined;
  headers: [string, string][];
  key: string;
}

export function codeOf(request: Request, language: Language, base: string): string {
  const call = callOf(request);
  if (language === "curl") return curl(call, base);
  if (language === "TypeScript") return typeScript(call, base);
  if (language === "Python") return python(call, base);
  return commandLine(call);
}

function callOf({ name, args, app, headers }: Request): Call {
  const { method, path, takes } = operation(name);
  const names = idsOf(path);
  const ids = args.slice(0, names.length).map(String);
  const rest = args[names.length] as Record<string, unknown> | undefined;
  const filled = names.reduce((at, parameter, place) => at.replace(`{${parameter}}`, encodeURIComponent(ids[place] ?? "")), path);
  const given = Object.entries(rest ?? {}).filter(([, value]) => value !== undefined);
  const more = given.length > 0 ? Object.fromEntries(given) : undefined;
  const part = takes === "body" ? { body: more ?? {} } : { query: more };
  return { name, method, path: filled, ids, key: app ? "APP_KEY" : "ADMIN_KEY", headers: Object.entries(headers ?? {}), ...part };
}

function curl({ method, path, body, query, key, headers }: Call, base: string): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(base + path + searchOf(query))}`, `-H "Authorization: Bearer $${key}"`];
  lines.push(...headers.map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`));
  if (body) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function searchOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function typeScript({ name, method, ids, body, query, key, headers }: Call, base: string): string {
  const given = [...ids.map((id) => JSON.stringify(id)), ...(body ?? query ? [literal(body ?? query, 0, false)] : []), ...headersOf(headers, false)];
  const call = `client.${name}(${given.join(", ")})`;
  const isList = method === "GET" && name.endsWith(".list");
  const use = isList ? `for await (const item of ${call}) console.log(item);` : `console.log(await ${call});`;
  const client = `new Messaging({ apiKey: process.env.${key}, baseUrl: ${JSON.stringify(base)} })`;
  return `import { Messaging } from "@messaging-api/client";\n\nconst client = ${client};\n${use}`;
}

function python({ name, method, ids, body, query, key, headers }: Call, base: string): string {
  const more = Object.entries((body ?? query ?? {}) as object);
  const given = [...ids.map((id) => JSON.stringify(id)), ...more.map(([field, value]) => `${snake(field)}=${literal(value, 1, true)}`), ...headersOf(headers, true)];
  const call = `client.${name.split(".").map(snake).join(".")}(${given.length > 2 ? `\n    ${given.join(",\n    ")},\n` : given.join(", ")})`;
  const use = method === "GET" && name.endsWith(".list") ? `for item in ${call}:\n    print(item)` : `print(${call})`;
  const client = `Messaging(api_key=os.environ["${key}"], base_url=${JSON.stringify(base)})`;
  return `import os\n\nfrom messaging_api import Messaging\n\nclient = ${client}\n${use}`;
}

function commandLine({ method, path, body, query, headers }: Call): string {
  // Fields are the query of a GET only.
  const isRead = method === "GET";
  const fields = Object.entries((isRead ? query : body) ?? {}).flatMap(([name, value]) => flat(name, value));
  const more = headers.map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`);
  return [`messaging api ${method} ${quoted(path + searchOf(isRead ? {} : query))}`, ...more, ...fields].join(" \\\n  ");
}

/** Headers as the libraries take them: an option of the call. */
function headersOf(headers: [string, string][], isPython: boolean): string[] {
  if (headers.length === 0) return [];
  const given = `{${headers.map(([header, value]) => `${JSON.stringify(header)}: ${JSON.stringify(value)}`).join(", ")}}`;
  return [isPython ? `options={"headers": ${given}}` : `{ headers: ${given} }`];
}

/** Fields as the command line takes them: `-f` for texts, `-F` for other JSON, and dots for what is nested. */
function flat(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (typeof value === "string") return [`-f ${quoted(`${name}=${value}`)}`];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject && Object.keys(value).length > 0) return Object.entries(value).flatMap(([inner, more]) => flat(`${name}.${inner}`, more));
  return [`-F ${quoted(`${name}=${JSON.stringify(value)}`)}`];
}

/** Quotes for a shell, only where it needs them. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function snake(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return KEYWORDS.includes(words) ? `${words}_` : words;
}

/** A value as TypeScript or Python writes it. */
function literal(value: unknown, depth: number, isPython: boolean): string {
  if (isPython && (value === true || value === false)) return value ? "True" : "False";
  if (isPython && value === null) return "None";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const indent = (isPython ? "    " : "  ").repeat(depth + 1);
  const end = (isPython ? "    " : "  ").repeat(depth);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, depth, isPython)).join(", ")}]`;
  const given = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (given.length === 0) return "{}";
  const named = (name: string) => (isPython || !/^[A-Za-z_$][\w$]*$/.test(name) ? JSON.stringify(name) : name);
  return `{\n${given.map(([name, inner]) => `${indent}${named(name)}: ${literal(inner, depth + 1, isPython)},\n`).join("")}${end}}`;
}
