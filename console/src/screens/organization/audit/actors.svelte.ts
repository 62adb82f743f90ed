// Names of those who do something: members and admin keys, as far as the reader may list them.
import type { AuditActor, AuditEntry } from "messaging";

import { allOf } from "../../../core/load.svelte";
import { askIn, type Request } from "../../../core/request";
import { session } from "../../../core/session.svelte";

export interface Choice {
  value: string;
  label: string;
}

const KINDS: Choice[] = [
  { value: "KEY", label: "Any key" },
  { value: "MEMBER", label: "Any member" },
  { value: "LINK", label: "Any onboarding link" },
  { value: "OPERATOR", label: "The operator" },
  { value: "SYSTEM", label: "The service itself" },
];

interface Found {
  id: string;
  name?: string;
  email?: string;
}

export class Actors {
  #members = $state.raw<Found[]>([]);
  #keys = $state.raw<Found[]>([]);
  #isAsked = false;

  /** Kinds, and those who have a name, as choices. */
  readonly choices: Choice[] = $derived([
    ...KINDS,
    ...this.#members.map(({ id, email, name }) => ({ value: id, label: name ? `${name} (${email})` : (email ?? id) })),
    ...this.#keys.map(({ id, name }) => ({ value: id, label: `Key ${name}, …${id.slice(-4)}` })),
  ]);

  /** Reads the names, once. Without them, ids are shown. */
  load = async (): Promise<void> => {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const [keys, members] = await Promise.all([
      all((cursor) => askIn("live", "organization.adminKeys.list", { limit: 100, cursor })),
      all((cursor) => askIn("live", "organization.members.list", { limit: 100, cursor })),
    ]);
    this.#keys = keys;
    this.#add(members);
  };

  /** Keeps the addresses in entries: those of members who were removed are nowhere else. */
  learn(entries: AuditEntry[]): void {
    this.#add(entries.map(({ actor }) => actor).filter((actor): actor is AuditActor & Found => actor.kind === "MEMBER" && actor.id !== undefined && actor.email !== undefined));
  }

  /** What the API calls an actor whom the address of the page names: members can be named by their email address. */
  idOf(text: string | undefined): string | undefined {
    if (!isEmail(text)) return text;
    return this.#members.find(({ email }) => email?.toLowerCase() === text.toLowerCase())?.id ?? text;
  }

  nameOf({ kind, id, email }: AuditActor): string {
    if (email) return email;
    if (kind === "OPERATOR") return "The operator";
    if (kind === "SYSTEM") return "The service";
    if (kind === "LINK") return "A customer with an onboarding link";
    if (kind === "MEMBER") return "A member";
    const name = this.#keys.find((key) => key.id === id)?.name;
    if (name) return `Key ${name}`;
    return id ? `Key …${id.slice(-6)}` : "A key";
  }

  #add(found: Found[]): void {
    const known = new Set(this.#members.map(({ id }) => id));
    const added = found.filter(({ id }) => !known.has(id) && known.add(id));
    if (added.length > 0) this.#members = [...this.#members, ...added];
  }
}

export function isEmail(text: string | undefined): text is string {
  return text?.includes("@") ?? false;
}

/** All items of a list; none if the reader may not see them or they cannot be read. */
async function all(make: (cursor?: string) => Request): Promise<Found[]> {
  return session.may(make().name) ? allOf<Found>(make).catch(() => []) : [];
}
