// The numbers and apps of the organization in the current mode, loaded once for all views of the screen.
import type { App, AppReference, ChatPhoneNumber, PhoneNumber } from "messaging";

import { allOf } from "../../core/load.svelte";
import type { Channel } from "../../core/message";
import { mode } from "../../core/mode.svelte";
import { ask } from "../../core/request";
import { session } from "../../core/session.svelte";

/** A value to choose from a list. */
export interface Option {
  value: string;
  label: string;
  /** More text that a search finds it by. */
  also?: string;
}

/** A number of either kind. */
export interface Sender {
  id: string;
  channel: Channel;
  number: string;
  /** The name of the business, for WhatsApp. */
  name: string | undefined;
  /** The WhatsApp account, whose templates the number can send. */
  account: string | undefined;
  apps: AppReference[];
}

export class Directory {
  senders = $state.raw<Sender[]>([]);
  apps = $state.raw<App[]>([]);
  problem = $state<unknown>();
  isLoaded = $state(false);

  constructor() {
    void this.load();
  }

  load = async (): Promise<void> => {
    this.problem = undefined;
    try {
      const [chat, sms, apps] = await Promise.all([
        allOf<ChatPhoneNumber>((cursor) => ask("organization.chat.phoneNumbers.list", { limit: 100, cursor })),
        allOf<PhoneNumber>((cursor) => ask("organization.phoneNumbers.list", { limit: 100, cursor })),
        session.may("organization.apps.list") ? allOf<App>((cursor) => ask("organization.apps.list", { limit: 100, cursor })) : [],
      ]);
      this.senders = [...chat.filter(({ isTestNumber }) => isShown(isTestNumber)).map(ofChat), ...sms.filter(({ isTestNumber }) => isShown(isTestNumber)).map(ofSms)];
      this.apps = apps.filter(({ isTestApp }) => isShown(isTestApp));
      this.isLoaded = true;
    } catch (error) {
      this.problem = error;
    }
  };

  /** The sender with this id or this number. */
  sender(idOrNumber: string | undefined): Sender | undefined {
    return this.senders.find(({ id, number }) => id === idOrNumber || number === idOrNumber);
  }

  /** The senders that an app may use. */
  sendersOf(appId: string): Sender[] {
    return this.senders.filter(({ apps }) => apps.some((app) => app.appId === appId));
  }

  appName(id: string): string {
    return this.apps.find((app) => app.id === id)?.name ?? id;
  }
}

/** A sender in a list to choose from. Short, as a list cuts off what is long; its names are for the search. */
export function optionOf({ id, channel, number, name, apps }: Sender): Option {
  return { value: id, label: `${number} · ${channel === "chat" ? "WhatsApp" : "SMS"}`, also: [name, ...apps.map(({ appName }) => appName)].join(" ") };
}

/** The same for lists of all numbers, with the name of the app if the number has only one. */
export function optionWithApp(sender: Sender): Option {
  const option = optionOf(sender);
  const [app, ...more] = sender.apps;
  return app && more.length === 0 ? { ...option, label: `${option.label} · ${app.appName}` } : option;
}

function isShown(isTest: boolean): boolean {
  return isTest === (mode.current === "test");
}

function ofChat({ id, displayPhoneNumber, requestedVerifiedName, businessProfile, apps }: ChatPhoneNumber): Sender {
  return { id, channel: "chat", number: displayPhoneNumber, name: requestedVerifiedName ?? businessProfile.businessName, account: businessProfile.id, apps };
}

function ofSms({ id, number, apps }: PhoneNumber): Sender {
  return { id, channel: "sms", number, name: undefined, account: undefined, apps };
}
