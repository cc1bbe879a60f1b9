/**
 * The part of JSON Schema that every model server understands. Whatever a tool, an embedder or an MCP server
 * describes its input with, the model is told in these words and no others.
 */

type Described = { readonly description?: string };

type StringSchema = Described & { readonly type: 'string'; readonly enum?: readonly string[] };
type NumberSchema = Described & { readonly type: 'number'; readonly enum?: readonly number[] };
type BooleanSchema = Described & { readonly type: 'boolean' };
type ArraySchema = Described & { readonly type: 'array'; readonly items: JsonSchema };
export type ObjectSchema = Described & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
};
/** At least two different schemas, none of them a union itself. */
export type UnionSchema = Described & { readonly anyOf: readonly JsonSchema[] };

export type JsonSchema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema | UnionSchema;

export type TypeName = 'string' | 'number' | 'boolean' | 'array' | 'object';

/** A schema that says only which type it is. */
export function bareSchema(type: TypeName): Exclude<JsonSchema, UnionSchema> {
  if (type === 'object') return { type, properties: {} };
  if (type === 'array') return { type, items: { type: 'string' } };
  return { type };
}

export function isUnion(schema: JsonSchema): schema is UnionSchema {
  return 'anyOf' in schema;
}
