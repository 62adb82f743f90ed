// Makes WhatsApp's components from a draft, and knows which field of the editor each part of them came from.
import { parts, type Part } from "./parts";
import type { Button, Card, Codes, Draft, Header, Written } from "./draft";
import { isMedium, layoutOf } from "./draft";
import { variablesOf } from "./variables";

/** Components, with the field of the editor for each path, such as `components[1].text`. */
export interface Built {
  components: Record<string, unknown>[];
  places: Map<string, string>;
  /** Why the text that was typed is not JSON components. */
  problem?: string;
}

export function build(draft: Draft): Built {
  const list = draft.json === undefined ? undefined : parsed(draft.json);
  if (list) return { components: list.components, places: new Map([["components", "json"]]), ...(list.problem ? { problem: list.problem } : {}) };
  const all = draft.category === "AUTHENTICATION" ? codes(draft.codes) : written(draft);
  const places = new Map<string, string>();
  all.forEach((part, index) => part.places.forEach((field, path) => places.set(`components[${index}]${path}`, field)));
  return { components: all.map((part) => part.value), places };
}

function parsed(json: string): { components: Record<string, unknown>[]; problem?: string } {
  try {
    const value: unknown = JSON.parse(json);
    if (Array.isArray(value)) return { components: value };
    return { components: [], problem: "This must be a JSON array of components." };
  } catch (error) {
    return { components: [], problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

function written(draft: Draft): Part[] {
  const layout = layoutOf(draft);
  const { header, body, footer, buttons, offer, cards } = draft;
  const text = body_(body, "body", draft);
  if (layout === "CAROUSEL") return [text, carousel(cards, draft)];
  return [
    ...(header.format === "NONE" || layout === "CATALOG" ? [] : [header_(header, "header", draft)]),
    ...(layout === "OFFER" ? [offer_(offer)] : []),
    text,
    ...(footer && layout !== "OFFER" ? [parts({ type: "FOOTER", text: footer }, { "": "footer", ".text": "footer" })] : []),
    ...(buttons.length > 0 ? [buttons_(buttons, "buttons", draft)] : []),
  ];
}

function header_(header: Header, field: string, draft: Draft): Part {
  const { format, sample } = header;
  const value = { type: "HEADER", format };
  const places = { "": field, ".format": `${field}.format` };
  if (isMedium(format)) return parts({ ...value, example: { mediaId: sample.mediaId } }, { ...places, ".example": `${field}.sample` });
  if (format !== "TEXT") return parts(value, places);
  const { example, fields } = examples(header, field, "header_text", draft);
  return parts({ ...value, text: header.text, ...example }, { ...places, ".text": `${field}.text`, ...fields });
}

function body_(body: Written, field: string, draft: Draft): Part {
  const { example, fields } = examples(body, field, "body_text", draft);
  return parts({ type: "BODY", text: body.text, ...example }, { "": field, ".text": field, ...fields });
}

/** The examples of a text's variables. WhatsApp wants those of a body in a list in a list. */
function examples({ text, examples: given }: Written, field: string, name: string, { variables }: Draft) {
  const found = variablesOf(text, variables);
  if (found.length === 0) return { example: {}, fields: {} };
  const values = found.map((variable) => given[variable] ?? "");
  const isNamed = variables === "NAMED";
  const key = isNamed ? `${name}_named_params` : name;
  const list = isNamed ? found.map((param_name, at) => ({ param_name, example: values[at] })) : values;
  const isNested = !isNamed && name === "body_text";
  const path = `.example.${key}${isNested ? "[0]" : ""}`;
  const fields = Object.fromEntries(found.map((variable, at) => [`${path}[${at}]`, `${field}.example.${variable}`]));
  return { example: { example: { [key]: isNested ? [list] : list } }, fields: { ".example": field, ...fields } };
}

function offer_({ text, hasExpiration }: Draft["offer"]): Part {
  const value = { type: "LIMITED_TIME_OFFER", limited_time_offer: { text, ...(hasExpiration ? { has_expiration: true } : {}) } };
  return parts(value, { "": "offer", ".limited_time_offer": "offer" });
}

function buttons_(buttons: Button[], field: string, draft: Draft): Part {
  const all = buttons.map((one) => button(one, draft));
  const places = Object.fromEntries(all.flatMap(({ places }, at) => [...places].map(([path, name]) => [`.buttons[${at}]${path}`, name])));
  return parts({ type: "BUTTONS", buttons: all.map(({ value }) => value) }, { "": field, ...places });
}

function button(one: Button, { variables }: Draft): Part {
  const { id, type, text } = one;
  const field = `button.${id}`;
  const places = { "": field, ".text": `${field}.text` };
  if (type === "COPY_CODE") return parts({ type, example: one.example }, { ...places, ".example": `${field}.example` });
  if (type === "PHONE_NUMBER") return parts({ type, text, phone_number: one.phone_number }, { ...places, ".phone_number": `${field}.phone_number` });
  if (type === "FLOW") {
    const screen = one.navigate_screen ? { navigate_screen: one.navigate_screen } : {};
    return parts({ type, text, flow_id: one.flow_id, ...screen }, { ...places, ".flow_id": `${field}.flow_id`, ".navigate_screen": `${field}.navigate_screen` });
  }
  if (type !== "URL") return parts({ type, text }, places);
  const example = variablesOf(one.url, variables).length > 0 ? { example: [one.example] } : {};
  return parts({ type, text, url: one.url, ...example }, { ...places, ".url": `${field}.url`, ".example": `${field}.example` });
}

function carousel(cards: Card[], draft: Draft): Part {
  const all = cards.map((one) => {
    const field = `card.${one.id}`;
    const isProduct = one.header.format === "PRODUCT";
    const inner = [
      header_(one.header, `${field}.header`, draft),
      ...(draft.hasCardBodies && !isProduct ? [body_(one.body, `${field}.body`, draft)] : []),
      ...(one.buttons.length > 0 ? [buttons_(one.buttons, `${field}.buttons`, draft)] : []),
    ];
    return { field, inner };
  });
  const places = all.flatMap(({ field, inner }, at) => [
    [`.cards[${at}]`, field],
    ...inner.flatMap((part, index) => [...part.places].map(([path, name]) => [`.cards[${at}].components[${index}]${path}`, name])),
  ]);
  const value = { type: "CAROUSEL", cards: all.map(({ inner }) => ({ components: inner.map((part) => part.value) })) };
  return parts(value, { "": "cards", ...Object.fromEntries(places) });
}

/** A template for one-time codes, whose texts WhatsApp writes. */
function codes({ hasRecommendation, minutes, type, text, autofill, apps, hasTerms }: Codes): Part[] {
  const body = parts({ type: "BODY", ...(hasRecommendation ? { add_security_recommendation: true } : {}) }, { "": "codes" });
  const number = Number(minutes);
  const footer = { type: "FOOTER", code_expiration_minutes: Number.isFinite(number) ? number : minutes };
  const needsApps = type !== "COPY_CODE";
  const one = {
    type: "OTP",
    otp_type: type,
    ...(text ? { text } : {}),
    ...(needsApps && autofill ? { autofill_text: autofill } : {}),
    ...(needsApps ? { supported_apps: apps.map(({ package_name, signature_hash }) => ({ package_name, signature_hash })) } : {}),
    ...(type === "ZERO_TAP" ? { zero_tap_terms_accepted: hasTerms } : {}),
  };
  const at = ".buttons[0]";
  const places = Object.fromEntries(
    apps.flatMap(({ id }, index) => ["package_name", "signature_hash"].map((name) => [`${at}.supported_apps[${index}].${name}`, `app.${id}.${name}`])),
  );
  const fields = { "": "codes", [`${at}.text`]: "codes.text", [`${at}.autofill_text`]: "codes.autofill", [`${at}.supported_apps`]: "codes.apps", [`${at}.zero_tap_terms_accepted`]: "codes.terms" };
  return [body, ...(minutes ? [parts(footer, { "": "codes.minutes" })] : []), parts({ type: "BUTTONS", buttons: [one] }, { ...fields, ...places })];
}
