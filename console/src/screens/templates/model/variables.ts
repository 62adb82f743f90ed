// The variables in texts: `{{1}}` or `{{first_name}}`.
import type { NewChatTemplateParameterFormat } from "messaging";

const VARIABLE = /\{\{([^{}]*)\}\}/g;

/** The variables of a text, each once: numbers in their order, names as they come. */
export function variablesOf(text: string, format: NewChatTemplateParameterFormat): string[] {
  const found = [...new Set([...text.matchAll(VARIABLE)].map((match) => match[1] ?? ""))];
  return format === "POSITIONAL" ? found.sort((a, b) => Number(a) - Number(b)) : found;
}

/** The next variable that a text does not have yet. */
export function nextVariable(text: string, format: NewChatTemplateParameterFormat): string {
  const used = new Set(variablesOf(text, format));
  const nameOf = (number: number) => (format === "POSITIONAL" ? `${number}` : number === 1 ? "name" : `name_${number}`);
  let number = 1;
  while (used.has(nameOf(number))) number += 1;
  return nameOf(number);
}
