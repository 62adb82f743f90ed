// Where an id leads. The prefix of an id says what it is.
import { isTestId, mode } from "./mode.svelte";
import { to, toWith } from "./route.svelte";

const PLACES: [RegExp, (id: string) => string][] = [
  [/^msg_(wa|sms)_/, (id) => to("messages", "message", id)],
  [/^evt_/, (id) => to("messages", "event", id)],
  [/^app_/, (id) => to("apps", id)],
  [/^key_/, (id) => toWith(["apps"], { key: id })],
  [/^whk_/, (id) => to("webhooks", id)],
  [/^(ph|wapn)_/, (id) => to("numbers", id)],
  [/^wabp_/, (id) => to("accounts", id)],
  [/^onb_/, (id) => to("accounts", "links", id)],
  [/^mem_/, (id) => to("organization", "members", id)],
  [/^\d{5,32}$/, (id) => to("templates", id)],
  [/^\+[1-9]\d{6,14}$/, (id) => toWith(["messages"], { contact: id })],
];
/** Objects that exist in both modes. */
const WITHOUT_MODE = /^(evt|wabp|mem)_|^[\d+]/;

/** Where an id leads, without a change of the mode; nothing if no screen shows objects of its kind. */
export function hrefOf(id: string): string | undefined {
  return PLACES.find(([shape]) => shape.test(id))?.[1](id);
}

/** Where the object of an audit log entry or of an attention entry is shown. */
export function hrefOfTarget({ kind, id }: { kind: string; id: string }): string | undefined {
  if (kind === "ORGANIZATION") return to("organization");
  return kind === "DESTINATION" ? undefined : hrefOf(id);
}

/** Returns where an id or phone number that was typed leads, and switches to its mode; nothing if the console cannot open it. */
export function placeOf(text: string): string | undefined {
  const id = text.trim();
  const found = PLACES.find(([shape]) => shape.test(id));
  if (!found) return undefined;
  if (!WITHOUT_MODE.test(id)) mode.switchTo(isTestId(id) ? "test" : "live");
  return found[1](id);
}
