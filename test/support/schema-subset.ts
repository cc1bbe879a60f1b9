/** An independent reading of the JSON-schema subset, written from its description and not from the sanitiser. */

const KEYS: Readonly<Record<string, readonly string[]>> = {
  string: ['type', 'description', 'enum'],
  number: ['type', 'description', 'enum'],
  boolean: ['type', 'description'],
  array: ['type', 'description', 'items'],
  object: ['type', 'description', 'properties', 'required', 'additionalProperties'],
};

/** What keeps a value from being in the subset, or undefined. */
export function subsetProblem(schema: unknown, place = '#'): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return `${place} is not an object`;
  const node = schema as Record<string, unknown>;
  if ('description' in node && (typeof node['description'] !== 'string' || node['description'] === '')) {
    return `${place} has an unusable description`;
  }
  return 'anyOf' in node ? unionProblem(node, place) : typedProblem(node, place);
}

function unionProblem(node: Record<string, unknown>, place: string): string | undefined {
  const stray = Object.keys(node).find((key) => key !== 'anyOf' && key !== 'description');
  if (stray !== undefined) return `${place} has the key ${stray}`;
  const variants = node['anyOf'];
  if (!Array.isArray(variants) || variants.length < 2) return `${place} has fewer than two alternatives`;
  if (new Set(variants.map((variant) => JSON.stringify(variant))).size < variants.length)
    return `${place} repeats itself`;
  if (variants.some((variant) => 'anyOf' in (variant as object))) return `${place} nests a union`;
  return firstProblem(variants.map((variant, index) => subsetProblem(variant, `${place}/anyOf/${index}`)));
}

function typedProblem(node: Record<string, unknown>, place: string): string | undefined {
  const type = String(node['type']);
  const allowed = KEYS[type];
  if (allowed === undefined) return `${place} has the type ${type}`;
  const stray = Object.keys(node).find((key) => !allowed.includes(key));
  if (stray !== undefined) return `${place} (${type}) has the key ${stray}`;
  if ('enum' in node && !isEnum(node['enum'], type)) return `${place} has an unusable enum`;
  if (type === 'array') return subsetProblem(node['items'], `${place}/items`);
  return type === 'object' ? objectProblem(node, place) : undefined;
}

function isEnum(values: unknown, type: string): boolean {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === type);
}

function objectProblem(node: Record<string, unknown>, place: string): string | undefined {
  const properties = node['properties'];
  if (typeof properties !== 'object' || properties === null) return `${place} has no properties`;
  const required = node['required'];
  if (required !== undefined && !(Array.isArray(required) && required.length > 0))
    return `${place} has an unusable required`;
  const unknown = (required as string[] | undefined)?.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return `${place} requires ${unknown}, which it does not have`;
  const rest = node['additionalProperties'];
  return firstProblem([
    ...Object.entries(properties).map(([name, child]) => subsetProblem(child, `${place}/${name}`)),
    ...(rest === undefined || typeof rest === 'boolean' ? [] : [subsetProblem(rest, `${place}/*`)]),
  ]);
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
