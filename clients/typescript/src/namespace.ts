// What the classes of methods have in common.
import type { Core } from "./core.ts";
import { MessagingError } from "./errors.ts";

/** A group of methods. */
export class Namespace {
  protected readonly core: Core;

  constructor(core: Core) {
    this.core = core;
  }
}

/** Makes a path with ids, each of which is one segment whatever it contains. */
export function path(texts: TemplateStringsArray, ...ids: string[]): string {
  return texts.reduce((all, text, at) => all + segment(ids[at - 1]) + text);
}

function segment(id: string | undefined): string {
  // URLs take one or two dots for a step in the path.
  if (typeof id === "string" && !["", ".", ".."].includes(id)) return encodeURIComponent(id);
  throw new MessagingError(`${JSON.stringify(id)} is not an id. Pass the id of the object.`);
}
