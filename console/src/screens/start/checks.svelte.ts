// Asks the API how far the organization has got. A live key sees objects of both modes, so that the list is the same in both.
import type { App, ChatBusinessProfile, ChatPhoneNumber, UsageRow } from "messaging";

import { Loaded } from "../../core/load.svelte";
import { askIn, type Request } from "../../core/request";
import { session } from "../../core/session.svelte";
import { received, requested, total } from "./counts";

/** What is known of a step. `hidden` means that the member's role may not check it. */
export type State = "done" | "open" | "busy" | "failed" | "hidden";

/** As far back as one page of days reaches. */
const LONG_AGO = 390 * 86_400_000;
/** How many apps or accounts are looked through for a first webhook, key or template. */
const MOST = 2;

type ListName = "organization.apps.webhooks.list" | "organization.apps.keys.list" | "organization.chat.templates.list";

/** Only what the member may read. */
function allowed<Name extends string>(request: Request<Name>): Request<Name> | undefined {
  return session.may(request.name) ? request : undefined;
}

export class Checks {
  readonly #since = new Date(Date.now() - LONG_AGO).toISOString();
  readonly #isOpen: () => boolean;
  readonly live = this.#usage({ mode: "live" });
  /** Whether the goal is reached. Then nothing else is asked until the reader opens the list. */
  readonly isReached = $derived(total(this.#rows(this.live), "delivered") > 0);
  readonly isWanted = $derived((this.live.data !== undefined || this.live.problem !== undefined || !session.may("organization.usage.list")) && (!this.isReached || this.#opened()));

  readonly apps = new Loaded(() => (this.isWanted ? allowed(askIn("live", "organization.apps.list", { limit: 100 })) : undefined));
  readonly numbers = new Loaded(() => (this.isWanted ? allowed(askIn("live", "organization.chat.phoneNumbers.list", { limit: 100 })) : undefined));
  readonly accounts = new Loaded(() => (this.isWanted ? allowed(askIn("live", "organization.chat.businessProfiles.list", { limit: 100 })) : undefined));
  readonly test = this.#usage({ mode: "test" }, true);
  readonly deliveries = this.#usage({ mode: "test", kind: "deliveries" }, true);

  readonly testApps: App[] = $derived(this.apps.data?.data.filter((app) => app.isTestApp) ?? []);
  readonly liveApps: App[] = $derived(this.apps.data?.data.filter((app) => !app.isTestApp) ?? []);
  readonly liveNumbers: ChatPhoneNumber[] = $derived(this.numbers.data?.data.filter((number) => !number.isTestNumber) ?? []);
  readonly liveAccounts: ChatBusinessProfile[] = $derived(this.accounts.data?.data.filter((one) => !one.isTestProfile && !one.disconnectedAt) ?? []);

  /** Whether there was a delivery, so that there is or was a webhook. */
  readonly #isCalled = $derived(total(this.#rows(this.deliveries), "deliveries") > 0);
  readonly webhooks = this.#firstOf((at) => {
    const app = this.deliveries.isBusy || this.#isCalled ? undefined : this.testApps[at];
    return app && askIn("live", "organization.apps.webhooks.list", app.id, { limit: 1 });
  });
  readonly testKeys = this.#firstOf((at) => this.testApps[at] && askIn("live", "organization.apps.keys.list", this.testApps[at].id, { limit: 1 }));
  readonly liveKeys = this.#firstOf((at) => this.liveApps[at] && askIn("live", "organization.apps.keys.list", this.liveApps[at].id, { limit: 1 }));
  readonly templates = this.#firstOf((at) =>
    this.liveAccounts[at] && askIn("live", "organization.chat.templates.list", { chatBusinessProfileId: this.liveAccounts[at].id, status: "APPROVED", limit: 1 }));

  readonly #isUncounted = $derived(this.test.data !== undefined && (requested(this.#rows(this.test)) === 0 || received(this.#rows(this.test)) === 0));
  /** Counters lag by minutes, the log of a number does not. */
  readonly log = new Loaded(() => {
    const number = this.numbers.data?.data.find((one) => one.isTestNumber && one.apps.some(({ appId }) => appId === this.testApps[0]?.id));
    return this.#isUncounted && number ? allowed(askIn("live", "organization.chat.messages.list", { chatPhoneNumberId: number.id, limit: 100 })) : undefined;
  });

  constructor(isOpen: () => boolean) {
    this.#isOpen = isOpen;
  }

  get all(): Loaded<string>[] {
    const { live, apps, numbers, accounts, test, deliveries, log } = this;
    return [live, apps, numbers, accounts, test, deliveries, log, ...this.webhooks, ...this.testKeys, ...this.liveKeys, ...this.templates] as unknown as Loaded<string>[];
  }

  get problem(): unknown {
    return this.all.find((one) => one.problem !== undefined)?.problem;
  }

  /** Repeats the requests that failed. */
  retry = (): void => {
    for (const one of this.all) if (one.problem !== undefined) void one.reload();
  };

  get hasApp(): State {
    return this.#state("organization.apps.list", [this.apps], this.testApps.length > 0);
  }

  get hasSent(): State {
    return this.#state("organization.usage.list", [this.test, this.log], requested(this.#rows(this.test)) > 0 || this.#hasLogged("OUTBOUND"));
  }

  /** The recipient of the test app's last message, if that is known. */
  get lastRecipient(): string | undefined {
    return this.log.data?.data.find(({ direction }) => direction === "OUTBOUND")?.toPhoneNumber;
  }

  get hasReceived(): State {
    return this.#state("organization.usage.list", [this.test, this.log], received(this.#rows(this.test)) > 0 || this.#hasLogged("INBOUND"));
  }

  get hasWebhook(): State {
    return this.#state("organization.apps.webhooks.list", [this.apps, ...this.webhooks], this.#isCalled || hasSome(this.webhooks));
  }

  get hasDelivered(): State {
    return this.#state("organization.usage.list", [this.deliveries], total(this.#rows(this.deliveries), "succeeded") > 0);
  }

  get hasTestKey(): State {
    return this.#state("organization.apps.keys.list", [this.apps, ...this.testKeys], hasSome(this.testKeys));
  }

  get hasAccount(): State {
    return this.#state("organization.chat.businessProfiles.list", [this.accounts], this.liveAccounts.length > 0);
  }

  get hasNumber(): State {
    const isReady = ({ cloudApiRegistered, apps }: ChatPhoneNumber) => cloudApiRegistered && apps.length > 0;
    return this.#state("organization.chat.phoneNumbers.list", [this.numbers], this.liveNumbers.some(isReady));
  }

  get hasTemplate(): State {
    const isHidden = !session.may("organization.chat.businessProfiles.list");
    return isHidden ? "hidden" : this.#state("organization.chat.templates.list", [this.accounts, ...this.templates], hasSome(this.templates));
  }

  get hasLiveKey(): State {
    return this.#state("organization.apps.keys.list", [this.apps, ...this.liveKeys], hasSome(this.liveKeys));
  }

  get hasLiveMessage(): State {
    return this.#state("organization.usage.list", [this.live], this.isReached);
  }

  #opened(): boolean {
    return this.#isOpen();
  }

  #usage(query: { mode: "live" | "test"; kind?: "deliveries" }, waits = false): Loaded<"organization.usage.list"> {
    return new Loaded(() => {
      if (waits && !this.isWanted) return undefined;
      return allowed(askIn("live", "organization.usage.list", { period: "day", since: this.#since, ...query }));
    });
  }

  /** Looks through a few objects, one after another, until one has something. */
  #firstOf(make: (at: number) => Request<ListName> | undefined): Loaded<ListName>[] {
    const all: Loaded<ListName>[] = [];
    for (let at = 0; at < MOST; at += 1) {
      const request = () => make(at);
      const before = all[at - 1];
      all.push(new Loaded(() => {
        const wanted = before && before.data?.data.length !== 0 ? undefined : request();
        return wanted && allowed(wanted);
      }));
    }
    return all;
  }

  #rows(loaded: Loaded<"organization.usage.list">): UsageRow[] {
    return loaded.data?.data ?? [];
  }

  #hasLogged(direction: string): boolean {
    return this.log.data?.data.some((message) => message.direction === direction) ?? false;
  }

  #state(operation: string, asked: { problem: unknown; isBusy: boolean }[], isDone: boolean): State {
    if (isDone) return "done";
    if (!session.may(operation)) return "hidden";
    // Nothing is asked before it is clear whether it is needed.
    if (!this.isWanted) return "busy";
    if (asked.some(({ problem }) => problem !== undefined)) return "failed";
    return asked.some(({ isBusy }) => isBusy) ? "busy" : "open";
  }
}

function hasSome(all: Loaded<ListName>[]): boolean {
  return all.some(({ data }) => (data?.data.length ?? 0) > 0);
}
