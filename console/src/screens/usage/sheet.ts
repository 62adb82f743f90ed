// A table as a value, so that the page and the file show the same.
export type Cell = string | number | Linked;

/** A text that leads somewhere, or that is explained below. */
export interface Linked {
  text: string;
  href?: string | undefined;
  about?: string | undefined;
  /** What to do about it, which only the page says: the file is for numbers. */
  remedy?: string | undefined;
  /** Whether it is a name for programs, whose words stay whole. */
  isCode?: boolean;
}

export interface Column {
  name: string;
  isNumber?: boolean;
}

export interface Sheet {
  columns: Column[];
  rows: Cell[][];
  /** The sums, which have the same columns. */
  total?: Cell[] | undefined;
}

/** The words of a cell, without digits grouped. */
function textOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  return typeof cell === "string" ? cell : [cell.text, cell.about].filter(Boolean).join(" – ");
}

/** The table as CSV, with a line of names. */
export function csvOf({ columns, rows, total }: Sheet): string {
  const lines = [columns.map(({ name }) => name), ...rows, ...(total ? [total] : [])];
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  return `\uFEFF${lines.map((line) => line.map(fieldOf).join(",")).join("\r\n")}\r\n`;
}

/** Spreadsheets run texts that look like formulas, and these texts come from outside. */
function fieldOf(cell: Cell): string {
  const text = textOf(cell);
  const safe = typeof cell !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
