// The WhatsApp accounts of the current mode: each has templates of its own.
import type { ChatBusinessProfile, ChatPhoneNumber } from "messaging";

import { Pages } from "../../core/load.svelte";
import { isTestId, mode } from "../../core/mode.svelte";
import { ask } from "../../core/request";
import { session } from "../../core/session.svelte";

/** The fields of an account that are needed to choose one. */
export interface Account {
  id: string;
  businessName: string;
  providerWabaId: string;
  disconnectedAt?: string | undefined;
}

/** Whether an account belongs to the mode that is not shown. A live key finds accounts and templates of both. */
export function isOfOtherMode(id: string | undefined): boolean {
  return id !== undefined && isTestId(id) !== (mode.current === "test");
}

/** The accounts, or those that the numbers belong to, for roles that may see only numbers. */
export class Accounts {
  readonly pages = new Pages<ChatBusinessProfile | ChatPhoneNumber>((cursor) =>
    session.may("organization.chat.businessProfiles.list")
      ? ask("organization.chat.businessProfiles.list", { limit: 100, cursor })
      : ask("organization.chat.phoneNumbers.list", { limit: 100, cursor }),
  );
  /** The numbers, of which the first page is enough to find an account that is in use. */
  readonly numbers = new Pages<ChatPhoneNumber>((cursor) => (session.may("organization.chat.phoneNumbers.list") ? ask("organization.chat.phoneNumbers.list", { limit: 100, cursor }) : undefined));
  readonly shown = $derived(accountsOf(this.pages.items).filter((one) => !isOfOtherMode(one.id)));
  /** Whether there are none, which is known once all pages were read. */
  readonly isEmpty = $derived(this.pages.isLoaded && this.pages.next === null && this.shown.length === 0);

  /** Whether it is known with which account to begin. */
  readonly isReady = $derived(this.pages.isLoaded && (this.numbers.isLoaded || this.numbers.problem !== undefined || this.numbers.request === undefined));

  /** The account to begin with: one whose templates an app can send, else the first that is connected. */
  get first(): Account | undefined {
    if (!this.isReady) return undefined;
    const used = new Set(this.numbers.items.filter(({ apps }) => apps.length > 0).map(({ businessProfile }) => businessProfile.id));
    const connected = this.shown.filter((one) => !one.disconnectedAt);
    return connected.find(({ id }) => used.has(id)) ?? connected[0] ?? this.shown[0];
  }

  find(id: string | undefined): Account | undefined {
    return this.shown.find((one) => one.id === id);
  }
}

/** Several numbers can belong to one account. */
function accountsOf(items: (ChatBusinessProfile | ChatPhoneNumber)[]): Account[] {
  const all = items.map((one) => ("businessProfile" in one ? one.businessProfile : one));
  return [...new Map(all.map((one) => [one.id, one])).values()];
}
