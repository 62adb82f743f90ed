// Where the reader is: `#/webhooks/whk_1/deliveries?status=FAILED` is the screen `webhooks`, its parts, and its query.
class Route {
  #hash = $state(location.hash);

  constructor() {
    addEventListener("hashchange", () => (this.#hash = location.hash));
  }

  get #address(): URL {
    // With leading slashes, what follows them would be parsed as a host.
    return new URL(`http://console/${this.#hash.replace(/^#?[/\\]*/, "")}`);
  }

  get parts(): string[] {
    return this.#address.pathname.split("/").filter(Boolean).map(decode);
  }

  get screen(): string {
    return this.parts[0] ?? "start";
  }

  /** What follows the screen. */
  get rest(): string[] {
    return this.parts.slice(1);
  }

  query(name: string): string | undefined {
    return this.#address.searchParams.get(name) ?? undefined;
  }

  /** Changes parameters of the query, without a step in the history. Empty ones are left out. */
  set(changes: Record<string, string | undefined>): void {
    const address = this.#address;
    for (const [name, value] of Object.entries(changes)) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    history.replaceState(null, "", `#${address.pathname}${address.search}`);
    this.#hash = location.hash;
  }
}

export const route = new Route();

/** The address of a place in the console: `to("apps", appId)`. */
export function to(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The same with a query. */
export function toWith(parts: string[], query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return to(...parts) + (given.length ? `?${new URLSearchParams(given)}` : "");
}

export function go(...parts: string[]): void {
  location.hash = to(...parts);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A malformed escape stays as it was typed.
    return part;
  }
}
