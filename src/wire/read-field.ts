/** Single fields of what a server sent, which may be anything: absent when they are not of the kind that is wanted. */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';

/** A text that says something. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Arguments as the text that tools read; some servers send them as an object. */
export function argumentsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : '';
}
