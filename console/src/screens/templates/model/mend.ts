// The API reports one mistake at a time. To learn of the others, the editor asks again about a copy of the draft in which the
// field with the known mistake has a harmless value.
import type { Button, Draft, Header, Written } from "./draft";

const SAMPLE = "Example";
const URL = "https://example.com/";
/** An id of a medium that does not exist, which the API finds out last. */
const MEDIUM = `media_${"0".repeat(27)}`;

/** Gives a field of this copy a harmless value. Returns whether it could. */
export function mend(draft: Draft, field: string): boolean {
  const before = JSON.stringify(draft);
  const [first = "", second = "", ...rest] = field.split(".");
  if (first === "button") mendButton(draft, Number(second), rest[0]);
  else if (first === "card") mendCard(draft, Number(second), rest);
  else if (first === "app") draft.codes.apps.forEach((app) => app.id === Number(second) && Object.assign(app, { package_name: "com.example.app", signature_hash: "AAAAAAAAAAA" }));
  else if (first === "codes") mendCodes(draft, second);
  else if (first === "header") mendHeader(draft.header, [second, ...rest]);
  else if (first === "body") mendText(draft.body, [second, ...rest]);
  else mendSingle(draft, first);
  return JSON.stringify(draft) !== before;
}

function mendSingle(draft: Draft, field: string): void {
  if (field === "name") draft.name = "example";
  if (field === "language") draft.language = "en_US";
  if (field === "seconds") draft.seconds = "";
  if (field === "footer") draft.footer = "";
  if (field === "buttons") draft.buttons = [];
  if (field === "offer") draft.offer = { text: SAMPLE, hasExpiration: false };
}

function mendText(written: Written, [part, ...name]: string[]): void {
  if (part === "example") written.examples[name.join(".")] = SAMPLE;
  else Object.assign(written, { text: SAMPLE, examples: {} });
}

function mendHeader(header: Header, [part, ...name]: string[]): void {
  if (part === "example" || part === "text") mendText(header, part === "text" ? [] : [part, ...name]);
  else if (part === "sample" && header.sample.mediaId !== MEDIUM) header.sample = { mediaId: MEDIUM };
  else header.format = "NONE";
}

function mendCodes({ codes }: Draft, part: string): void {
  if (part === "minutes") codes.minutes = "";
  if (part === "text" || part === "autofill") codes[part] = "";
  if (part === "terms") codes.hasTerms = true;
  if (part === "apps") codes.type = "COPY_CODE";
}

function mendButton(draft: Draft, id: number, part: string | undefined): void {
  const one = allButtons(draft).find((button) => button.id === id);
  if (!one) return;
  if (part === "text") one.text = SAMPLE;
  else if (part === "url") Object.assign(one, { url: URL, example: "" });
  else if (part === "example") one.example = one.type === "URL" ? URL : "CODE";
  else if (part === "phone_number") one.phone_number = "+12015550123";
  else if (part === "flow_id") one.flow_id = "1";
  else if (part === "navigate_screen") one.navigate_screen = "";
  // The button itself is in the wrong place, or one too many.
  else draft.buttons = draft.buttons.filter((button) => button.id !== id);
}

function mendCard(draft: Draft, id: number, [part, ...rest]: string[]): void {
  const card = draft.cards.find((one) => one.id === id);
  if (part === "body" && card) mendText(card.body, rest);
  // Without its header or its buttons, the card would differ from the others.
  if (part === "header" && rest[0] === "sample" && card) card.header.sample = { mediaId: MEDIUM };
}

function allButtons(draft: Draft): Button[] {
  return [...draft.buttons, ...draft.cards.flatMap((card) => card.buttons)];
}
