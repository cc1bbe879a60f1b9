/**
 * Keeps a parameter schema within a size that is worth its place in every request. Each reduction gives up the
 * least useful thing that is left; the last one always fits.
 */
import { bareSchema, isUnion } from './json-schema.js';
import type { JsonSchema, ObjectSchema } from './json-schema.js';
import { sanitizeSchema } from './sanitize-schema.js';

const SCHEMA_BUDGET_BYTES = 5_000;

/** What a model is told of a tool's parameters, whatever they were described with. */
export function sanitizeParameters(input: unknown, budgetBytes = SCHEMA_BUDGET_BYTES): ObjectSchema {
  let schema = sanitizeRoot(input);
  for (const reduce of REDUCTIONS) {
    if (Buffer.byteLength(JSON.stringify(schema)) <= budgetBytes) break;
    // Sanitised again because a reduction may make two alternatives of a union equal.
    schema = sanitizeRoot(reduce(schema));
  }
  return schema;
}

/** Parameters must be an object at their root. */
function sanitizeRoot(input: unknown): ObjectSchema {
  return toObject(sanitizeSchema(input));
}

/** Alternatives of objects become one object that accepts any of them. */
function toObject(schema: JsonSchema): ObjectSchema {
  if (!isUnion(schema)) return schema.type === 'object' ? schema : { type: 'object', properties: {} };
  const objects = schema.anyOf.filter(
    (variant): variant is ObjectSchema => !isUnion(variant) && variant.type === 'object',
  );
  const merged = {
    type: 'object',
    description: schema.description,
    properties: Object.fromEntries(objects.toReversed().flatMap((object) => Object.entries(object.properties))),
    required: Object.keys(objects[0]?.properties ?? {}).filter((name) =>
      objects.every((object) => object.required?.includes(name)),
    ),
  };
  return sanitizeSchema(merged) as ObjectSchema;
}

const REDUCTIONS: readonly ((schema: ObjectSchema) => JsonSchema)[] = [
  (schema) => withoutDescriptions(schema, 2),
  (schema) => withoutDescriptions(schema, 1),
  (schema) => collapseBelow(schema, 3),
  (schema) => collapseBelow(schema, 2),
  (schema) => collapseBelow(schema, 1),
  onlyRequired,
  () => bareSchema('object'),
];

/** Drops descriptions from depth `from` on; the root is depth 0. */
function withoutDescriptions(schema: JsonSchema, from: number): JsonSchema {
  if (from > 0) return mapChildren(schema, (child) => withoutDescriptions(child, from - 1));
  const { description: _, ...rest } = schema;
  return mapChildren(rest, (child) => withoutDescriptions(child, 0));
}

/** Says only the type of everything below `depth`. */
function collapseBelow(schema: JsonSchema, depth: number): JsonSchema {
  if (depth > 0) return mapChildren(schema, (child) => collapseBelow(child, depth - 1));
  return isUnion(schema) ? bareSchema('string') : bareSchema(schema.type);
}

function onlyRequired(schema: ObjectSchema): ObjectSchema {
  const required = new Set(schema.required);
  const kept = Object.entries(schema.properties).filter(([name]) => required.has(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}

function mapChildren(schema: JsonSchema, change: (child: JsonSchema) => JsonSchema): JsonSchema {
  if (isUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(change) };
  if (schema.type === 'array') return { ...schema, items: change(schema.items) };
  if (schema.type !== 'object') return schema;
  const { additionalProperties: rest } = schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, child]) => [name, change(child)])),
    ...(typeof rest === 'object' && { additionalProperties: change(rest) }),
  };
}
