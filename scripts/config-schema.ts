/** The keys of `config.toml` as a JSON schema, for editors. What each key means is taken from the documentation. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toJSONSchema } from 'zod/v4/core';

import { configSchema } from '../src/config/config-schema.js';

type Schema = {
  description?: string;
  additionalProperties?: boolean | Schema;
  properties?: Record<string, Schema>;
};

export function configJsonSchema(): object {
  const schema = toJSONSchema(configSchema(), {
    io: 'input',
    // A key that nobody knows is a mistake that an editor should show.
    override({ jsonSchema }) {
      if (jsonSchema.properties) jsonSchema.additionalProperties = false;
    },
  }) as Schema;
  for (const [key, description] of documentedKeys()) describe(schema, key.split('.'), description);
  return { title: 'Tenon configuration', ...schema };
}

/** The rows of the tables, by key; `MODEL`, `NAME` and such stand for any name. */
export function documentedKeys(): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(import.meta.dirname, '../docs/configuration.md'), 'utf8');
  const rows = text.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|(?: ([^|]*) ?\|)?$/gm);
  return new Map(
    [...rows].flatMap(([, keys = '', meaning = '', standard = '']) =>
      [...keys.matchAll(/`([^`]+)`/g)].map(([, key = '']) => [key, sentence(meaning, standard.trim())] as const),
    ),
  );
}

function sentence(meaning: string, standard: string): string {
  const plain = (text: string): string => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return plain(standard === '' ? meaning : `${meaning}. Default: ${standard}`);
}

/** A key is described where it stands by itself and in the same table of a profile. */
function describe(schema: Schema | undefined, [name, ...deeper]: readonly string[], description: string): void {
  if (!schema) return;
  if (name === undefined) {
    schema.description = description;
    return;
  }
  const { profiles } = schema.properties ?? {};
  if (profiles && name !== 'profiles') describe(valueOf(profiles), [name, ...deeper], description);
  describe(/^[A-Z]+$/.test(name) ? valueOf(schema) : schema.properties?.[name], deeper, description);
}

function valueOf({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
