// What the OpenAPI document says about each operation: its method and path, and the scope that a key needs for it.
import table from "virtual:operations";

/** An operation: its method, its path, the scope that it needs, and what it takes beside the ids in its path. */
export interface Operation {
  method: string;
  path: string;
  scope: string | undefined;
  takes: "nothing" | "body" | "query";
}

export function operation(name: string): Operation {
  const found = table[name];
  if (!found) throw new Error(`${name} is not an operation of the API.`);
  const [method, path, scope, takes] = found;
  return { method, path, scope: scope || undefined, takes: (["nothing", "body", "query"] as const)[takes] };
}

/** The names of the parameters in a path, in their order. */
export function idsOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? "");
}
