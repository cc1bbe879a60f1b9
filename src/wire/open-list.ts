/** A JSON object up to the first entry of its last field, a list: what is sent before a history. */
import type { JsonObject } from '../core/json-object.js';

export function openList(fields: JsonObject, name: string): string {
  return `${JSON.stringify(fields).slice(0, -1)},"${name}":[`;
}

/** What closes it. */
export const CLOSED_LIST = ']}';
