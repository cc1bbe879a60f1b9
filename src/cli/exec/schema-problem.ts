/** What is wrong with a JSON schema. Keywords that are not known here are left to the server. */
import { isJsonObject } from '../../index.js';
import type { JsonObject } from '../../index.js';

/** Undefined when nothing is. Names the place as a JSON pointer. */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return 'a JSON schema is an object, such as {"type": "object", "properties": {…}}';
  const waiting: Place[] = [{ at: '#', value: schema }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const problem = problemAt(place, schema);
    if (problem !== undefined) return problem;
    if (isJsonObject(place.value)) waiting.push(...partsOf({ at: place.at, value: place.value }));
  }
  return undefined;
}

type Place = { readonly at: string; readonly value: unknown };

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

function problemAt({ at, value }: Place, root: JsonObject): string | undefined {
  if (typeof value === 'boolean') return undefined;
  if (!isJsonObject(value)) return `${at} should be a schema, not ${JSON.stringify(value)}`;
  for (const [keyword, fits] of Object.entries(KEYWORDS)) {
    if (Object.hasOwn(value, keyword) && !fits.test(value[keyword], root)) {
      return `${at}/${keyword} should be ${fits.words}, not ${shown(value[keyword])}`;
    }
  }
  return undefined;
}

type Fitting = { readonly words: string; readonly test: (value: unknown, root: JsonObject) => boolean };

const A_MAP: Fitting = { words: 'an object of schemas', test: isJsonObject };
const A_LIST: Fitting = {
  words: 'a list of schemas that is not empty',
  test: (value) => Array.isArray(value) && value.length > 0,
};

const KEYWORDS: Readonly<Record<string, Fitting>> = {
  type: {
    words: `one of ${TYPES.join(', ')}, or a list of them`,
    test: (value) => {
      const types: readonly unknown[] = Array.isArray(value) ? value : [value];
      return types.length > 0 && types.every((type) => TYPES.includes(type as string));
    },
  },
  properties: A_MAP,
  $defs: A_MAP,
  definitions: A_MAP,
  anyOf: A_LIST,
  oneOf: A_LIST,
  allOf: A_LIST,
  required: {
    words: 'a list of names',
    test: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  },
  enum: { words: 'a list of values that is not empty', test: (value) => Array.isArray(value) && value.length > 0 },
  $ref: {
    words: 'a place in this schema, such as #/$defs/name',
    test: (value, root) => typeof value === 'string' && (!value.startsWith('#') || leadsSomewhere(value, root)),
  },
};

function leadsSomewhere(reference: string, root: JsonObject): boolean {
  // A name that a schema gives itself is not looked for.
  if (reference !== '#' && !reference.startsWith('#/')) return true;
  const steps = reference.split('/').slice(1).map(unescaped);
  let value: unknown = root;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as JsonObject)[step];
  }
  return true;
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function partsOf({ at, value }: { readonly at: string; readonly value: JsonObject }): readonly Place[] {
  const maps = ['properties', '$defs', 'definitions'].flatMap((keyword) =>
    Object.entries(value[keyword] ?? {}).map(([name, part]) => ({ at: `${at}/${keyword}/${name}`, value: part })),
  );
  const lists = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
    ((value[keyword] ?? []) as readonly unknown[]).map((part, index) => ({
      at: `${at}/${keyword}/${index}`,
      value: part,
    })),
  );
  const single = ['items', 'additionalProperties', 'not'].flatMap((keyword) =>
    value[keyword] === undefined || Array.isArray(value[keyword])
      ? []
      : [{ at: `${at}/${keyword}`, value: value[keyword] }],
  );
  return [...maps, ...lists, ...single];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
