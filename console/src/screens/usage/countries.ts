// Countries by their names, in the reader's language and in English.
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
let known: Map<string, string> | undefined;

/** The code of a country that is given by its name or its code, such as `DE` for "Germany". What is neither stays as it is. */
export function countryCode(text: string): string {
  const typed = text.trim();
  if (typed.length <= 2) return typed.toUpperCase();
  known ??= namesOf();
  return known.get(typed.toLowerCase()) ?? typed;
}

function namesOf(): Map<string, string> {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter((code) => !isFormer(code));
  const named = [undefined, "en"].map((locale) => new Intl.DisplayNames(locale, { type: "region", fallback: "none" }));
  return new Map(named.flatMap((regions) => codes.map((code): [string, string] => [regions.of(code)?.toLowerCase() ?? "", code])));
}

/** Whether another code has taken its place, as `DE` that of `DD`: both have the same name. */
function isFormer(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region !== code;
}
