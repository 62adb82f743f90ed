// Who plays: the test app, one of its numbers, and the user who writes to it.
import type { AppNumber, ChatMessage, SmsMessage } from "messaging";

import { Loaded, Pages } from "../../core/load.svelte";
import { recall, remember } from "../../core/remember";
import { ask, askAs, type Request } from "../../core/request";
import { route } from "../../core/route.svelte";
import { session } from "../../core/session.svelte";
import { contactOf } from "./line";

export type Channel = "whatsapp" | "sms";
export const CHANNELS: Record<Channel, string> = { whatsapp: "WhatsApp", sms: "SMS" };
/** What this browser remembers, for readers who come back to this screen without a query in its address. */
const KEPT = { app: "playground-app", user: "playground-user" } as const;
/** The user to begin with if nobody has written yet, as in the documentation. */
const EXAMPLE = "+12015550123";

export function isNumber(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

/** A number in E.164 format, of either kind. */
export function digitsOf(number: AppNumber): string {
  return number.kind === "chat" ? number.displayPhoneNumber : number.number;
}

export class Choice {
  readonly apps = new Loaded(() => ask("organization.apps.list", { limit: 100 }));
  readonly users = new Loaded(() => ask("organization.playground.chat.userNumbers.list"));
  readonly numbers = new Loaded(() => (this.appId ? askAs(this.appId, "phoneNumbers.list", { limit: 100 }) : undefined));
  /** The latest messages of the number: their contact is the user to begin with. */
  readonly #latest = new Pages<ChatMessage | SmsMessage>(() => (this.#chosen || this.#first ? undefined : this.#log({ limit: 20 })));
  /** That contact. It does not change when somebody else writes later. */
  #first = $state<string>();
  /** What is typed into the field of the user, until it is a number. */
  draft = $state<string>();

  readonly testApps = $derived((this.apps.data?.data ?? []).filter(({ isTestApp }) => isTestApp));
  readonly app = $derived(this.testApps.find(({ id }) => id === this.#wanted("app")) ?? this.testApps[0]);
  readonly appId = $derived(this.app?.id);
  readonly channel = $derived<Channel>(this.#wanted("channel") === "sms" ? "sms" : "whatsapp");
  /** Those of another app stay loaded for a moment after the app was changed. */
  readonly all = $derived((this.numbers.data?.data ?? []).filter(({ isTestNumber, apps }) => isTestNumber && apps.some(({ appId }) => appId === this.appId)));
  /** The numbers that the channel can use, the one that was created with the app first. */
  readonly usable = $derived(this.all.filter(({ kind }) => (kind === "chat") === (this.channel === "whatsapp")).reverse());
  readonly number = $derived(this.usable.find(({ id }) => id === this.#wanted("number")) ?? this.usable[0]);
  readonly numberId = $derived(this.number?.id);
  readonly chatNumbers = $derived(this.all.filter((number) => number.kind === "chat").reverse());
  readonly knownUsers = $derived(this.users.data?.numbers ?? []);
  readonly #chosen = $derived(this.#wanted("user"));
  readonly user = $derived(this.#chosen ?? this.#first ?? "");
  /** Why nothing can be sent by this channel; empty while it is not known. */
  readonly noNumber = $derived(this.number ? undefined : this.numbers.data ? "The app has no number for this." : "");
  /** Why this user cannot play. */
  readonly lack = $derived(this.noNumber ?? (isNumber(this.user) ? undefined : this.user ? "Choose a user first." : ""));

  constructor() {
    $effect(() => {
      if (!this.#chosen && !this.#first && this.#isKnown) this.#first = this.#latest.items.map(contactOf).find(isPerson) ?? EXAMPLE;
    });
  }

  set(changes: { app?: string; number?: string; user?: string; channel?: Channel }): void {
    for (const name of ["app", "user"] as const) if (changes[name]) remember(KEPT[name], changes[name]);
    if (changes.user) this.draft = undefined;
    route.set(changes);
  }

  /** The request for a page of the conversation; none while there is no conversation, or the member may not read it. */
  conversation(cursor?: string): Request | undefined {
    if (!isNumber(this.user)) return undefined;
    return this.#log({ contact: this.user, limit: 30, ...(cursor === undefined ? {} : { cursor }) });
  }

  #log(filter: { contact?: string; limit: number; cursor?: string }): Request | undefined {
    const { numberId } = this;
    if (!numberId) return undefined;
    if (this.channel === "sms") return readable(ask("organization.sms.messages.list", { phoneNumberId: numberId, ...filter }));
    return readable(ask("organization.chat.messages.list", { chatPhoneNumberId: numberId, ...filter }));
  }

  /** Whether the latest contact is known, or cannot be found out. */
  get #isKnown(): boolean {
    const { isLoaded, problem, request } = this.#latest;
    const hasNumbers = this.numbers.data !== undefined || this.numbers.problem !== undefined;
    return isLoaded || problem !== undefined || (hasNumbers && request === undefined);
  }

  #wanted(name: "app" | "user" | "channel" | "number"): string | undefined {
    return route.query(name) ?? (name === "app" || name === "user" ? recall(KEPT[name]) : undefined);
  }
}

/** Whether a number is none of those that make messages fail. */
function isPerson(number: string | undefined): number is string {
  return number !== undefined && isNumber(number) && !number.startsWith("+999");
}

function readable(request: Request): Request | undefined {
  return session.may(request.name) ? request : undefined;
}
