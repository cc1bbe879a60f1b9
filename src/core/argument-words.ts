/** The words in which a model hears that its arguments do not fit: first the form it knows, then what to send. */
import type { $ZodIssue } from 'zod/v4/core';

import { ToolFailure } from './errors.js';
import { isUnion } from './json-schema.js';
import type { JsonSchema, ObjectSchema } from './json-schema.js';
import type { JsonObject } from './json-object.js';

export function describeIssue(issue: $ZodIssue, raw: JsonObject): string {
  const place = issue.path.map(String).join('.');
  const value = issue.path.reduce<unknown>((node, key) => (node as JsonObject | undefined)?.[key as string], raw);
  if (value === undefined && issue.path.length > 0) return missingField(place);
  const where = place === '' ? '' : ` at \`${place}\``;
  switch (issue.code) {
    case 'invalid_type':
      return `invalid type: ${describeValue(value)}, expected ${withArticle(issue.expected)}${where}`;
    case 'invalid_value':
      return `unknown variant ${describeVariant(value)}, expected one of ${issue.values.map((each) => `\`${String(each)}\``).join(', ')}${where}`;
    case 'unrecognized_keys':
      return `unknown field \`${issue.keys[0] ?? ''}\`${where}`;
    case 'too_small':
      return `${describeValue(value)} is too small, the least is ${String(issue.minimum)}${where}`;
    case 'too_big':
      return `${describeValue(value)} is too big, the most is ${String(issue.maximum)}${where}`;
    default:
      return `invalid value ${describeValue(value)}${where}${issue.message === 'Invalid input' ? '' : `: ${issue.message}`}`;
  }
}

export function missingField(field: string): string {
  return `missing field \`${field}\``;
}

export function badArguments(problem: string, parameters: ObjectSchema, cause?: unknown): ToolFailure {
  return new ToolFailure(
    `failed to parse function arguments: ${problem}. Send a JSON object: ${signature(parameters)}.`,
    cause === undefined ? undefined : { cause },
  );
}

export function wrongKind(name: string, wanted: string): ToolFailure {
  return new ToolFailure(`${name} handler received unsupported payload: a native shell call. It takes ${wanted}.`);
}

/** The parameters on one line, required ones first: `{path: string, max_lines?: number}`. */
export function signature(parameters: ObjectSchema): string {
  const required = new Set(parameters.required);
  const names = Object.keys(parameters.properties);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const fields = ordered.map((name) => {
    const schema = parameters.properties[name];
    return `${name}${required.has(name) ? '' : '?'}: ${schema ? describeType(schema) : 'string'}`;
  });
  return `{${fields.join(', ')}}`;
}

export function describeType(schema: JsonSchema): string {
  if (isUnion(schema)) return schema.anyOf.map(describeType).join(' | ');
  if (schema.type === 'array') return `${describeType(schema.items)}[]`;
  if ('enum' in schema && schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return schema.type;
}

export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return `string ${JSON.stringify(clip(value))}`;
    case 'number':
      return `${Number.isInteger(value) ? 'integer' : 'number'} \`${value}\``;
    case 'boolean':
      return `boolean \`${value}\``;
    default:
      return 'an object';
  }
}

/** A value where one of a few words was expected. */
function describeVariant(value: unknown): string {
  return typeof value === 'string' ? `\`${clip(value)}\`` : describeValue(value);
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function withArticle(type: string): string {
  const word = type === 'int' ? 'integer' : type;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}
