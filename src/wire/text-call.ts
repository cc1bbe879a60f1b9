/** From JSON that a model wrote to the call it stands for, if it stands for one. */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { argumentsIn, objectIn, textIn } from './read-field.js';

export type TextCall = { readonly name: string; readonly arguments: string };

export type CallForm = {
  /** Tools that the model was told of. */
  readonly names: ReadonlySet<string>;
  /** Whether a name alone is too little. */
  readonly argumentsNeeded: boolean;
};

/** All of the values have to be calls or lists of them. */
export function readTextCalls(values: readonly unknown[], form: CallForm): readonly TextCall[] | undefined {
  const calls = values.flat().map((value) => readCall(value, form));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

/** The name stands outside of the JSON, which is the arguments alone. */
export function readNamedCall(name: string, value: unknown): TextCall | undefined {
  return isJsonObject(value) ? { name, arguments: JSON.stringify(value) } : undefined;
}

function readCall(value: unknown, { names, argumentsNeeded }: CallForm): TextCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const call = objectIn(value['function']) ?? value;
  const name = textIn(call['name']);
  if (name === undefined || !names.has(name)) return undefined;
  const given = call['arguments'] ?? call['parameters'];
  if (given === undefined) return argumentsNeeded ? undefined : { name, arguments: '{}' };
  if (isJsonObject(given) ? isSchema(given) : typeof given !== 'string') return undefined;
  return { name, arguments: argumentsIn(given) };
}

/** A model that tells of a tool shows what it takes in the same place. */
function isSchema(given: JsonObject): boolean {
  return given['type'] === 'object' && isJsonObject(given['properties']);
}
