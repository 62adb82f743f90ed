// Checks drafts by dry runs of the API, and holds the mistakes by the field that they are in.
import { MessagingError } from "messaging";

import { Action } from "../../../core/action.svelte";
import { build } from "./components";
import type { Draft } from "./draft";
import { mend } from "./mend";
import { creation, fieldOfParam } from "./request";

/** How many mistakes are found at once, at most. Each takes a request. */
const MOST = 20;

export class Checks {
  /** What the API says, by field. */
  faults = $state.raw<Record<string, string>>({});
  /** An error that is not about a field. */
  problem = $state.raw<unknown>();
  isBusy = $state(false);
  /** The draft that was found to be valid, as JSON. */
  valid = $state<string>();
  /** The draft that was checked last, as JSON. */
  last = $state<string>();
  #turn = 0;

  at = (field: string): string | undefined => this.faults[field];

  get count(): number {
    return Object.keys(this.faults).length;
  }

  get hasMistakes(): boolean {
    return this.count > 0 || this.problem !== undefined;
  }

  /** Finds all mistakes of a draft. Returns whether there are none. */
  async run(draft: Draft, isSilent = false): Promise<boolean> {
    const turn = ++this.#turn;
    this.isBusy = !isSilent;
    const { faults, problem } = await found(draft);
    if (turn !== this.#turn) return false;
    this.isBusy = false;
    this.last = JSON.stringify(draft);
    this.faults = faults;
    this.problem = problem;
    const isValid = problem === undefined && this.count === 0;
    this.valid = isValid ? this.last : undefined;
    return isValid;
  }

  /** Takes over the error of a creation or an edit. */
  failed(error: unknown, draft: Draft): void {
    const field = error instanceof MessagingError ? fieldOfParam(error.param, draft) : undefined;
    this.valid = undefined;
    this.last = JSON.stringify(draft);
    this.faults = field === undefined ? {} : { [field]: wordsOf(error as MessagingError, field) };
    this.problem = field === undefined ? error : undefined;
  }
}

async function found(draft: Draft): Promise<{ faults: Record<string, string>; problem?: unknown }> {
  const { problem } = build(draft);
  if (problem) return { faults: { json: problem } };
  const faults: Record<string, string> = {};
  let at = draft;
  for (let round = 0; round < MOST; round += 1) {
    const action = new Action();
    await action.run(creation(at, true));
    if (action.problem === undefined) return { faults };
    const error = action.problem;
    const field = error instanceof MessagingError ? fieldOfParam(error.param, at) : undefined;
    // What is known stays, if only the search for more has failed.
    if (field === undefined || !(error instanceof MessagingError)) return round === 0 ? { faults, problem: error } : { faults };
    faults[field] ??= wordsOf(error, field);
    at = JSON.parse(JSON.stringify(at)) as Draft;
    if (!mend(at, field)) return { faults };
  }
  return { faults };
}

/** The error's message, without the path in the request, since it is shown at the field. Only for JSON is the path needed to find the place. */
function wordsOf({ message, param, additionalInfo }: MessagingError, field: string): string {
  const text = param && field !== "json" && message.startsWith(param) ? `This${message.slice(param.length)}` : message;
  return [text, ...(additionalInfo ?? [])].join(" ");
}
