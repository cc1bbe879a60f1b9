/**
 * From the text a model wrote to a tool's typed input. Forgiving where the meaning is plain (known aliases, a
 * number written as a string, the wrong payload kind); otherwise a message that starts with the words models
 * know and then says what to send.
 */
import { safeParse } from 'zod/v4/core';
import type { $ZodIssue, $ZodObject, output } from 'zod/v4/core';

import type { LocalShellPayload, Payload } from './call.js';
import { ToolFailure } from './errors.js';
import type { ObjectSchema } from './json-schema.js';
import { isJsonObject, parseJson } from './json-object.js';
import type { JsonObject } from './json-object.js';
import {
  badArguments,
  describeIssue,
  describeType,
  describeValue,
  missingField,
  signature,
  wrongKind,
} from './argument-words.js';

/** How a tool's arguments are found in a payload, whatever they are validated with afterwards. */
export type ReadingRules = {
  readonly name: string;
  readonly parameters: ObjectSchema;
  /** Names that other tool sets use for the same parameter: alias → ours. */
  readonly parameterAliases?: Readonly<Record<string, string>> | undefined;
  /** Turns a known foreign shape of the arguments into ours; runs after the aliases. */
  readonly repair?: ((raw: JsonObject) => JsonObject) | undefined;
  /** Reads a native shell call, for tools that can stand in for it. */
  readonly fromLocalShell?: ((payload: LocalShellPayload) => JsonObject) | undefined;
};

/** The arguments a payload holds, under the tool's own names. */
export function readArguments(rules: ReadingRules, payload: Payload): JsonObject {
  const renamed = rename(readPayload(rules, payload), rules.parameterAliases ?? {});
  return rules.repair?.(renamed) ?? renamed;
}

/** Typed input, after repairs where the meaning is plain. */
export function validateArguments<Schema extends $ZodObject>(
  schema: Schema,
  raw: JsonObject,
  parameters: ObjectSchema,
): output<Schema> {
  const first = safeParse(schema, raw);
  if (first.success) return first.data;
  const repaired = first.error.issues.reduce(repairScalar, raw);
  const second = repaired === raw ? first : safeParse(schema, repaired);
  if (second.success) return second.data;
  const issue = second.error.issues[0];
  throw badArguments(issue ? describeIssue(issue, repaired) : 'they do not fit', parameters);
}

/** The text of a freeform call, also when the model wrapped it in a function call. */
export function readText(name: string, payload: Payload, textArguments: readonly string[]): string {
  if (payload.kind === 'custom') return payload.input;
  if (payload.kind === 'local_shell') throw wrongKind(name, 'free text');
  const value = parseJson(payload.arguments);
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return payload.arguments;
  const text = textArguments.map((key) => value[key]).find((each) => typeof each === 'string');
  if (text !== undefined) return text;
  throw new ToolFailure(
    `failed to parse function arguments: ${missingField('input')}. ${name} takes free text: send it as {"input": "…"}.`,
  );
}

function readPayload(rules: ReadingRules, payload: Payload): JsonObject {
  switch (payload.kind) {
    case 'function':
      return readJson(payload.arguments, rules.parameters);
    case 'custom':
      return readFreeText(payload.input, rules.parameters);
    case 'local_shell':
      if (rules.fromLocalShell) return rules.fromLocalShell(payload);
      throw wrongKind(rules.name, signature(rules.parameters));
  }
}

function readJson(text: string, parameters: ObjectSchema): JsonObject {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badArguments(`invalid JSON: ${(error as Error).message}`, parameters, error);
  }
  // Some models encode the arguments twice.
  const unwrapped = typeof value === 'string' ? parseJson(value) : value;
  if (isJsonObject(unwrapped)) return unwrapped;
  throw badArguments(`invalid type: ${describeValue(value)}, expected an object`, parameters);
}

/** Free text for a tool that takes arguments: JSON if it is JSON, else the one text the tool cannot do without. */
function readFreeText(text: string, parameters: ObjectSchema): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  const [only, ...others] = parameters.required ?? [];
  const wanted = only === undefined ? undefined : parameters.properties[only];
  if (only !== undefined && others.length === 0 && wanted && describeType(wanted) === 'string') return { [only]: text };
  throw badArguments('free text, expected a JSON object', parameters);
}

function rename(raw: JsonObject, aliases: Readonly<Record<string, string>>): JsonObject {
  if (!Object.keys(raw).some((key) => Object.hasOwn(aliases, key))) return raw;
  const renamed = Object.entries(raw).flatMap(([key, value]) => {
    const name = (Object.hasOwn(aliases, key) && aliases[key]) || key;
    // A parameter under its own name wins over the same one under an alias, unless it says nothing.
    const named = Object.hasOwn(raw, name) && raw[name] !== null;
    return name !== key && named ? [] : [[name, value] as const];
  });
  return Object.fromEntries(renamed);
}

/** Reads "5" as 5, "true" as true, 5 as "5" and null as absent where that is what the schema wants. */
function repairScalar(raw: JsonObject, issue: $ZodIssue): JsonObject {
  const [key, ...deeper] = issue.path;
  if (typeof key !== 'string' || deeper.length > 0 || issue.code !== 'invalid_type') return raw;
  const value = raw[key];
  if (value === null) return Object.fromEntries(Object.entries(raw).filter(([name]) => name !== key));
  const fixed = coerce(value, issue.expected);
  return fixed === undefined ? raw : { ...raw, [key]: fixed };
}

function coerce(value: unknown, expected: string): unknown {
  if (typeof value === 'string' && (expected === 'number' || expected === 'int')) return toNumber(value);
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (typeof value === 'string' && (expected === 'array' || expected === 'object')) return parseJson(value);
  if (Number.isSafeInteger(value) && expected === 'string') return String(value);
  return undefined;
}

/** Up to 15 digits, which a number holds exactly. */
function toNumber(text: string): number | undefined {
  return /^-?\d{1,15}$|^-?\d{1,8}\.\d{1,7}$/.test(text.trim()) ? Number(text) : undefined;
}
