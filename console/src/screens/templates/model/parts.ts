// A part of a request with the fields of the editor that it was made from.
export interface Part {
  value: Record<string, unknown>;
  /** By the path in the part, such as `.text`; the empty path is the part itself. */
  places: Map<string, string>;
}

export function parts(value: Record<string, unknown>, places: Record<string, string>): Part {
  return { value, places: new Map(Object.entries(places)) };
}

/** The field for a path that the API names: that of the path itself, or of the nearest part around it. */
export function fieldOf(param: string, places: Map<string, string>): string | undefined {
  for (let path = param; path; path = path.replace(/(\.[^.[\]]*|\[\d+\])$/, "") || "") {
    const found = places.get(path);
    if (found !== undefined) return found;
    if (!/[.[]/.test(path)) return undefined;
  }
  return undefined;
}
