// What the editor holds while a template is written. components.ts makes the components of a request from it, read.ts reads a template into it.
import type { NewChatTemplateCategory, NewChatTemplateParameterFormat } from "messaging";

/** What a template is, which decides the parts that it has. */
export type Layout = "PLAIN" | "CAROUSEL" | "OFFER" | "CATALOG" | "PRODUCTS" | "PRODUCT";
export type HeaderFormat = "NONE" | "TEXT" | "IMAGE" | "VIDEO" | "GIF" | "DOCUMENT" | "LOCATION" | "PRODUCT";
export type ButtonType = "QUICK_REPLY" | "URL" | "PHONE_NUMBER" | "COPY_CODE" | "FLOW" | "VOICE_CALL" | "CATALOG" | "MPM" | "SPM";
export type OtpType = "COPY_CODE" | "ONE_TAP" | "ZERO_TAP";

/** A text with variables, and an example for each, by the variable's name. */
export interface Written {
  text: string;
  examples: Record<string, string>;
}

/** The example file of a header. `fileName` and `url` are known of uploads only. */
export interface Sample {
  mediaId: string;
  fileName?: string;
  url?: string;
}

export interface Header extends Written {
  format: HeaderFormat;
  sample: Sample;
}

/** A button. `id` stays the same when others are removed; fields that its type does not have are not sent. */
export interface Button {
  id: number;
  type: ButtonType;
  text: string;
  url: string;
  example: string;
  phone_number: string;
  flow_id: string;
  navigate_screen: string;
}

/** A card of a carousel. */
export interface Card {
  id: number;
  header: Header;
  body: Written;
  buttons: Button[];
}

/** What a template for one-time codes has instead of texts. */
export interface Codes {
  hasRecommendation: boolean;
  minutes: string;
  type: OtpType;
  text: string;
  autofill: string;
  apps: { id: number; package_name: string; signature_hash: string }[];
  hasTerms: boolean;
}

export interface Draft {
  account: string;
  name: string;
  language: string;
  category: NewChatTemplateCategory;
  variables: NewChatTemplateParameterFormat;
  seconds: string;
  layout: Layout;
  header: Header;
  body: Written;
  footer: string;
  buttons: Button[];
  offer: { text: string; hasExpiration: boolean };
  cards: Card[];
  hasCardBodies: boolean;
  codes: Codes;
  /** The components as JSON, if they are written that way. */
  json: string | undefined;
}

/** The limits of docs/templates.md, in characters or pieces. The API checks them; the editor counts. */
export const LIMITS = { name: 512, header: 60, body: 1024, offerBody: 600, productBody: 160, cardBody: 160, footer: 60, offer: 16, buttons: 10, cards: 10, cardButtons: 2, apps: 5 };

/** WhatsApp fixes the texts of these buttons. */
const FIXED: Partial<Record<ButtonType, string>> = { CATALOG: "View catalog", MPM: "View items", SPM: "View" };

let last = 0;
const newId = () => ++last;

export function newButton(type: ButtonType): Button {
  return { id: newId(), type, text: FIXED[type] ?? "", url: "", example: "", phone_number: "", flow_id: "", navigate_screen: "" };
}

function newHeader(format: HeaderFormat = "NONE"): Header {
  return { format, text: "", examples: {}, sample: { mediaId: "" } };
}

export function newCard(format: HeaderFormat = "IMAGE", types: ButtonType[] = []): Card {
  return { id: newId(), header: newHeader(format), body: { text: "", examples: {} }, buttons: types.map(newButton) };
}

export function newApp(): Codes["apps"][number] {
  return { id: newId(), package_name: "", signature_hash: "" };
}

export function newDraft(account = ""): Draft {
  return {
    account,
    name: "",
    language: "en_US",
    category: "UTILITY",
    variables: "POSITIONAL",
    seconds: "",
    layout: "PLAIN",
    header: newHeader(),
    body: { text: "", examples: {} },
    footer: "",
    buttons: [],
    offer: { text: "", hasExpiration: false },
    cards: [],
    hasCardBodies: false,
    codes: { hasRecommendation: true, minutes: "", type: "COPY_CODE", text: "", autofill: "", apps: [], hasTerms: false },
    json: undefined,
  };
}

/** The longest time limit of a category, in seconds as the API has it: 30 days. */
export function longestOf(category: NewChatTemplateCategory): string {
  return category === "MARKETING" ? "2592000" : "-1";
}

/** Gives the draft another layout, with the parts that it must have. What was typed into other parts is kept. */
export function layOut(draft: Draft, layout: Layout): void {
  draft.layout = layout;
  if (layout === "CAROUSEL" && draft.cards.length === 0) draft.cards = [newCard("IMAGE", ["URL"]), newCard("IMAGE", ["URL"])];
  const wanted = buttonsOf(layout);
  if (wanted) draft.buttons = wanted.map((type) => draft.buttons.find((one) => one.type === type) ?? newButton(type));
  else draft.buttons = draft.buttons.filter(({ type }) => !FIXED[type]);
  if (!formatsOf(draft).includes(draft.header.format)) draft.header.format = formatsOf(draft)[0] ?? "NONE";
}

/** The buttons that a layout must have; nothing if they are free. */
function buttonsOf(layout: Layout): ButtonType[] | undefined {
  if (layout === "OFFER") return ["COPY_CODE", "URL"];
  if (layout === "CATALOG") return ["CATALOG"];
  if (layout === "PRODUCTS") return ["MPM"];
  return layout === "PRODUCT" ? ["SPM"] : undefined;
}

/** The headers that can be chosen. */
export function formatsOf({ layout, category }: Pick<Draft, "layout" | "category">): HeaderFormat[] {
  if (layout === "OFFER") return ["NONE", "IMAGE", "VIDEO"];
  if (layout === "PRODUCTS") return ["TEXT"];
  if (layout === "PRODUCT") return ["PRODUCT"];
  if (layout === "CATALOG" || layout === "CAROUSEL") return ["NONE"];
  return ["NONE", "TEXT", "IMAGE", "VIDEO", ...(category === "MARKETING" ? (["GIF"] as const) : []), "DOCUMENT", "LOCATION"];
}

export function isMedium(format: HeaderFormat): boolean {
  return ["IMAGE", "VIDEO", "GIF", "DOCUMENT"].includes(format);
}

/** The layout that applies: others than the plain one are for marketing. */
export function layoutOf(draft: Draft): Layout {
  return draft.category === "MARKETING" ? draft.layout : "PLAIN";
}

export function bodyLimit(layout: Layout): number {
  if (layout === "OFFER") return LIMITS.offerBody;
  return layout === "PRODUCT" ? LIMITS.productBody : LIMITS.body;
}
