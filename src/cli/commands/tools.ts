/** `tenon tools`: what the model would be told, for people or byte for byte. */
import { createRuntime, runtimeOptions } from '../../index.js';
import type { JsonSchema, ObjectSchema, ToolSpec, Wire } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { readConfig } from '../read-config.js';

export type ToolsFlags = { readonly wire: Wire; readonly json?: boolean; readonly config: readonly string[] };

export async function showTools({ wire, json, config }: ToolsFlags): Promise<number> {
  const runtime = createRuntime(runtimeOptions(await readConfig(config)));
  const specs = runtime.specs(wire);
  if (json) {
    process.stdout.write(`${JSON.stringify(specs, null, 2)}\n`);
    return EXIT.success;
  }
  const advertised = runtime.tools.filter((tool) => specs.some((spec) => nameOf(spec) === tool.spec.name));
  process.stdout.write(
    advertised.map((tool) => `${describeTool(tool.spec)}\n`).join('\n') || 'No tools are offered.\n',
  );
  return EXIT.success;
}

/** The two wires put the name in different places; a hosted tool has none but its type. */
function nameOf(spec: Readonly<Record<string, unknown>>): unknown {
  return (spec['function'] as { name?: unknown } | undefined)?.name ?? spec['name'] ?? spec['type'];
}

function describeTool(spec: ToolSpec): string {
  switch (spec.kind) {
    case 'function':
      return [`${spec.name}  (function)`, `  ${spec.description}`, ...describeParameters(spec.parameters)].join('\n');
    case 'custom':
      return [
        `${spec.name}  (free text${spec.grammar ? `, ${spec.grammar.syntax} grammar` : ''})`,
        `  ${spec.description}`,
      ].join('\n');
    case 'hosted':
      return `${spec.name}  (run by the model's server)`;
  }
}

function describeParameters({ properties, required = [] }: ObjectSchema): string[] {
  const names = Object.keys(properties);
  const width = Math.max(0, ...names.map((name) => name.length)) + 1;
  return names.map((name) => {
    const schema = properties[name];
    const mark = required.includes(name) ? '*' : ' ';
    return `    ${`${name}${mark}`.padEnd(width)}  ${schema ? describeSchema(schema) : ''}`;
  });
}

function describeSchema(schema: JsonSchema): string {
  const type = 'type' in schema ? schema.type : 'one of several';
  return schema.description === undefined ? type : `${type}: ${schema.description}`;
}
