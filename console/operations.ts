// Makes the module `virtual:operations` of docs/openapi.json: what the console needs to know of each operation.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const DOCUMENT = new URL("../docs/openapi.json", import.meta.url);
const NAME = "virtual:operations";
const RESOLVED = `\0${NAME}`;

interface Described {
  operationId?: string;
  "x-required-scope"?: string;
  requestBody?: unknown;
  parameters?: ({ in: string } | { $ref: string })[];
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { parameters: Record<string, { in: string }> };
}

export function operations(): Plugin {
  return {
    name: "operations",
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(table())}` : undefined),
  };
}

function table(): Record<string, unknown> {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, "utf8")) as Document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => [method, path, described] as const),
  );
  const named = all.filter(([, , { operationId }]) => operationId?.includes("."));
  return Object.fromEntries(named.map(([method, path, described]) => [described.operationId, entry(method, path, described, components)]));
}

function entry(method: string, path: string, described: Described, { parameters }: Document["components"]): unknown[] {
  const given = described.parameters ?? [];
  const hasQuery = given.some((one) => ("in" in one ? one : parameters[one.$ref.split("/").pop() ?? ""])?.in === "query");
  return [method.toUpperCase(), path, described["x-required-scope"] ?? "", described.requestBody ? 1 : hasQuery ? 2 : 0];
}
