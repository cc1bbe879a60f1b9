/** `tenon tools`: what the model would be told, for people or byte for byte. */
import { createRuntime, describeType, runtimeOptions } from '../../index.js';
import type { JsonSchema, ObjectSchema, ToolSpec, Wire } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { readSettings } from '../read-config.js';
import type { ConfigFlags } from '../read-config.js';
import { warnOfRefusedTools } from '../warn-of-refused-tools.js';

export type ToolsFlags = ConfigFlags & { readonly wire: Wire; readonly json?: boolean };

export async function showTools({ wire, json, ...flags }: ToolsFlags): Promise<number> {
  const settings = await readSettings('.', flags);
  const runtime = createRuntime({ ...runtimeOptions(settings.config), listeners: [warnOfRefusedTools] });
  const text = json
    ? `${JSON.stringify(runtime.specs(wire), null, 2)}\n`
    : runtime
        .offered(wire)
        .map((spec) => `${describeTool(spec)}\n`)
        .join('\n');
  process.stdout.write(text || 'No tools are offered.\n');
  return EXIT.success;
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
  const type = describeType(schema);
  return schema.description === undefined ? type : `${type}: ${schema.description}`;
}
