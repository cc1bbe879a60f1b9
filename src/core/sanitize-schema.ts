/**
 * Any value to the JSON-schema subset. Two promises: what comes out is in the subset, and sanitising it again
 * changes nothing. Missing types are inferred, integers are numbers, local references are inlined, unions lose
 * their nulls and doubles, keys come out in a fixed order, and what the subset cannot say is dropped.
 */
import { bareSchema, isUnion } from './json-schema.js';
import type { JsonSchema, ObjectSchema, TypeName } from './json-schema.js';
import { isJsonObject } from './json-object.js';
import { resolvePointer } from './json-pointer.js';
import type { JsonObject } from './json-object.js';

type Walk = {
  /** What `#` in a reference means. */
  readonly root: unknown;
  readonly depth: number;
  /** References being followed right now: meeting one again is recursion. */
  readonly following: readonly string[];
  /** Shared by the whole walk, so that nothing a schema does can make it last. */
  readonly effort: Effort;
};

/** Work is counted in things looked at: nodes, their keys, the values of enums, pieces of text. */
type Effort = { spent: number; cutShort: boolean };

const MAX_DEPTH = 32;
const MAX_EFFORT = 20_000;
const MAX_PASSES = 4;
/** So many characters of text count as one thing. */
const TEXT_PIECE = 100;

export function sanitizeSchema(input: unknown): JsonSchema {
  const first = convertOnce(input);
  return first.cutShort ? settle(first.schema, MAX_PASSES) : first.schema;
}

/** What was cut short may be cut differently the next time. Either it comes to rest soon, or it says only its type. */
function settle(schema: JsonSchema, passes: number): JsonSchema {
  if (passes === 0) return bareSchema(isUnion(schema) ? 'string' : schema.type);
  const next = convertOnce(schema);
  if (!next.cutShort || JSON.stringify(next.schema) === JSON.stringify(schema)) return next.schema;
  return settle(next.schema, passes - 1);
}

function convertOnce(input: unknown): { schema: JsonSchema; cutShort: boolean } {
  const effort: Effort = { spent: 0, cutShort: false };
  const schema = convert(input, { root: input, depth: 0, following: [], effort });
  return { schema, cutShort: effort.cutShort };
}

function convert(node: unknown, walk: Walk): JsonSchema {
  if (!isJsonObject(node)) return bareSchema('string');
  if (isTooMuch(node, walk)) return bareSchema(inferType(node));
  if (typeof node['$ref'] === 'string') return convertReference(node, node['$ref'], walk);
  if (Array.isArray(node['allOf'])) return convert(mergeAllOf(node, walk), deeper(walk));

  const types = namedTypes(node);
  if (types.length > 1) {
    return union(
      types.map((type) => convert({ ...node, type }, deeper(walk))),
      node,
    );
  }
  if (types.length === 0 && !('properties' in node)) {
    const variants = node['anyOf'] ?? node['oneOf'];
    if (Array.isArray(variants)) return convertVariants(node, variants, walk);
    const values = enumValues(node);
    if (values.length > 0) return convertEnum(node, values, walk);
  }
  return describe(convertTyped(node, types[0] ?? inferType(node), walk), node);
}

/** Asked before anything is done with a node, so that even looking at it once too often costs nothing. */
function isTooMuch(node: JsonObject, { depth, effort }: Walk): boolean {
  const cost = depth < MAX_DEPTH && effort.spent < MAX_EFFORT ? costOf(node) : MAX_EFFORT;
  if (effort.spent + cost > MAX_EFFORT) {
    effort.cutShort = true;
    return true;
  }
  effort.spent += cost;
  return false;
}

function costOf(node: JsonObject): number {
  const text = typeof node['description'] === 'string' ? node['description'].length / TEXT_PIECE : 0;
  const properties = isJsonObject(node['properties']) ? Object.keys(node['properties']).length : 0;
  return (
    1 + Object.keys(node).length + properties + asList(node['enum']).length + asList(node['required']).length + text
  );
}

/** Several kinds of values become a union, which is one level deeper than the enum was. */
function convertEnum(node: JsonObject, values: readonly unknown[], walk: Walk): JsonSchema {
  const schemas = enumSchemas(values);
  return union(schemas.length > 1 ? schemas.map((schema) => convert(schema, deeper(walk))) : schemas, node);
}

function convertTyped(node: JsonObject, type: TypeName, walk: Walk): JsonSchema {
  switch (type) {
    case 'object':
      return convertObject(node, walk);
    case 'array':
      return { type, items: convertItems(node, walk) };
    case 'string':
      return { type, ...ifAny('enum', enumValues(node).filter(isString)) };
    case 'number':
      return { type, ...ifAny('enum', enumValues(node).filter(isNumber)) };
    case 'boolean':
      return { type };
  }
}

function convertObject(node: JsonObject, walk: Walk): ObjectSchema {
  const described = describedProperties(node, walk);
  const required = unique(asList(node['required']).filter(isString)).toSorted();
  // A property that is required but not described still has to be sent, so the model must hear of it.
  const names = unique([...Object.keys(described), ...required]).toSorted();
  const rest = node['additionalProperties'];
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, convert(Object.hasOwn(described, name) ? described[name] : {}, deeper(walk))]),
    ),
    ...ifAny('required', required),
    ...(typeof rest === 'boolean' && { additionalProperties: rest }),
    ...(isJsonObject(rest) && { additionalProperties: convert(rest, deeper(walk)) }),
  };
}

/** Its own properties, and those of its alternatives: an object that may look several ways accepts all of them. */
function describedProperties(node: JsonObject, walk: Walk): JsonObject {
  const variants = asList(node['anyOf'] ?? node['oneOf']).map((variant) => dereference(variant, walk)['properties']);
  const sources = [node['properties'], ...variants].filter(isJsonObject);
  return Object.fromEntries(sources.toReversed().flatMap((properties) => Object.entries(properties)));
}

function convertItems(node: JsonObject, walk: Walk): JsonSchema {
  const { items } = node;
  if (isJsonObject(items)) return convert(items, deeper(walk));
  const tuple = Array.isArray(items) ? items : asList(node['prefixItems']);
  // Two levels down, because they end up as alternatives of the items.
  return union(
    tuple.map((item) => convert(item, deeper(deeper(walk)))),
    {},
  );
}

function convertVariants(node: JsonObject, variants: readonly unknown[], walk: Walk): JsonSchema {
  const meaningful = variants.filter((variant) => !isNullSchema(variant));
  return union(
    meaningful.map((variant) => convert(variant, deeper(walk))),
    node,
  );
}

function convertReference(node: JsonObject, reference: string, walk: Walk): JsonSchema {
  const { $ref: _, ...siblings } = node;
  const target = resolvePointer(walk.root, reference);
  if (!isJsonObject(target)) return convert(siblings, deeper(walk));
  if (walk.following.includes(reference)) return describe(bareSchema(inferType(target)), node);
  return convert({ ...target, ...siblings }, { ...deeper(walk), following: [...walk.following, reference] });
}

/** All parts of an `allOf` hold at once, so their properties add up; for everything else the first word counts. */
function mergeAllOf(node: JsonObject, walk: Walk): JsonObject {
  const parts = flattenAllOf(node, walk);
  const properties = parts.map((part) => part['properties']).filter(isJsonObject);
  const required = parts.flatMap((part) => asList(part['required']));
  return {
    ...Object.fromEntries(parts.toReversed().flatMap((part) => Object.entries(part))),
    ...(properties.length > 0 && {
      properties: Object.fromEntries(properties.toReversed().flatMap((each) => Object.entries(each))),
    }),
    ...(required.length > 0 && { required }),
  };
}

/** The node itself and every part of it, down through parts that have parts of their own. */
function flattenAllOf(node: JsonObject, walk: Walk): JsonObject[] {
  const { allOf, ...own } = node;
  if (isTooMuch(node, walk)) return [own];
  const parts = asList(allOf).map((part) => dereference(part, walk));
  return [own, ...parts.flatMap((part) => flattenAllOf(part, deeper(walk)))];
}

function dereference(part: unknown, walk: Walk): JsonObject {
  if (!isJsonObject(part)) return {};
  const reference = part['$ref'];
  if (typeof reference !== 'string' || walk.following.includes(reference)) return part;
  const target = resolvePointer(walk.root, reference);
  return isJsonObject(target) ? target : {};
}

/** One schema for several: doubles and unions inside are dissolved, a single one stands for itself. */
function union(variants: readonly JsonSchema[], node: JsonObject): JsonSchema {
  const flat = variants.flatMap((variant) => (isUnion(variant) ? variant.anyOf : [variant]));
  const distinct = [...new Map(flat.map((variant) => [JSON.stringify(variant), variant])).values()];
  const [only, ...others] = distinct;
  if (only === undefined) return describe(bareSchema('string'), node);
  return describe(others.length === 0 ? only : { anyOf: distinct }, node);
}

function enumSchemas(values: readonly unknown[]): JsonSchema[] {
  const strings = values.filter(isString);
  const numbers = values.filter(isNumber);
  return [
    ...(strings.length > 0 ? [{ type: 'string' as const, enum: strings }] : []),
    ...(numbers.length > 0 ? [{ type: 'number' as const, enum: numbers }] : []),
    ...(values.some((value) => typeof value === 'boolean') ? [{ type: 'boolean' as const }] : []),
  ];
}

/** The node's own description wins over one that came with the schema it was made from. */
function describe(schema: JsonSchema, node: JsonObject): JsonSchema {
  const description = node['description'];
  if (typeof description !== 'string' || description === '') return schema;
  if (isUnion(schema)) return { description, anyOf: schema.anyOf };
  const { type, description: _, ...rest } = schema;
  return { type, description, ...rest } as JsonSchema;
}

/** The types a node names, in the subset's words; null is left out because absence says the same. */
function namedTypes(node: JsonObject): TypeName[] {
  const { type } = node;
  const named = Array.isArray(type) ? type : [type];
  return unique(named.map(toTypeName).filter((name) => name !== undefined));
}

function toTypeName(type: unknown): TypeName | undefined {
  switch (type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'array':
    case 'object':
      return type;
    default:
      return undefined;
  }
}

const HINTS: readonly (readonly [TypeName, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function inferType(node: JsonObject): TypeName {
  const named = namedTypes(node)[0];
  if (named !== undefined) return named;
  return HINTS.find(([, hints]) => hints.some((hint) => hint in node))?.[0] ?? 'string';
}

function isNullSchema(node: unknown): boolean {
  return isJsonObject(node) && (node['type'] === 'null' || node['const'] === null);
}

function enumValues(node: JsonObject): readonly unknown[] {
  const values = Array.isArray(node['enum']) ? node['enum'] : 'const' in node ? [node['const']] : [];
  return unique(values);
}

function deeper(walk: Walk): Walk {
  return { ...walk, depth: walk.depth + 1 };
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

function ifAny<Key extends string, Value>(key: Key, values: readonly Value[]): { [K in Key]?: readonly Value[] } {
  return values.length === 0 ? {} : ({ [key]: values } as { [K in Key]: readonly Value[] });
}
