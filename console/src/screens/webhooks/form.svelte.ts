// The form that creates a webhook, and that changes it.
import type { EventName, Webhook } from "messaging";
import { tick } from "svelte";

export interface HeaderRow {
  name: string;
  value: string;
}

export class WebhookForm {
  url = $state("");
  events = $state.raw<string[]>([]);
  headers = $state<HeaderRow[]>([]);
  #before: Fields | undefined;

  /** Fills in the present values of a webhook. */
  fill(webhook: Webhook): void {
    this.url = webhook.url;
    this.events = [...webhook.events];
    this.headers = Object.entries(webhook.headers).map(([name, value]) => ({ name, value }));
    this.#before = this.all;
  }

  get all(): Fields {
    const named = this.headers.filter(({ name, value }) => name.trim() || value);
    return { url: this.url.trim(), events: this.events as EventName[], headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])) };
  }

  /** What to create: without headers, if there are none. */
  get created(): Omit<Fields, "headers"> & Partial<Fields> {
    const { headers, ...others } = this.all;
    return Object.keys(headers).length > 0 ? { ...others, headers } : others;
  }

  /** What differs from what the webhook had. */
  get changes(): Partial<Fields> {
    const before = this.#before as Record<string, unknown> | undefined;
    return Object.fromEntries(Object.entries(this.all).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name])));
  }
}

export interface Fields {
  url: string;
  events: EventName[];
  headers: Record<string, string>;
}

/** The same without the values of headers, which can be secrets: what "Show as code" shows. */
export function withoutValues<Some extends { headers?: Record<string, string> }>(fields: Some): Some {
  if (!fields.headers) return fields;
  return { ...fields, headers: Object.fromEntries(Object.keys(fields.headers).map((name) => [name, "VALUE"])) };
}

/** The parameters whose errors are shown at the fields of the form. */
export const AT_FIELDS = ["url", "events", "headers"];

/** Moves the focus to the first field with an error: it can be far above the button. */
export async function focusWrong(form: HTMLElement): Promise<void> {
  await tick();
  form.querySelector<HTMLElement>(".wrong input, .wrong select")?.focus();
}
