/** Plain JSON objects: what comes from a model, a file or a server, and what goes back to one. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a text holds; undefined when it is not JSON, which no value is, or could not be spelled again. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Deeper than anybody writes. What is much deeper can be read, but not be spelled. */
const DEEPEST = 200;

export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Every line of a session and every event of a response comes through here, and a loop is quicker than callbacks.
  for (const each of Object.values(value)) if (isTooDeep(each, levels - 1)) return true;
  return false;
}
