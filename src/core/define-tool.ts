/**
 * One zod object gives a tool its spec, its input type and its validator. Both flavours of zod 4 work: the full
 * one and `zod/mini`, which our own tools use because it starts faster.
 */
import { toJSONSchema } from 'zod/v4/core';
import type { $ZodObject, output } from 'zod/v4/core';

import { parseArguments, parseFreeform } from './arguments.js';
import type { LocalShellPayload } from './call.js';
import type { Intent } from './effects.js';
import { sanitizeParameters } from './fit-schema.js';
import type { ToolOutput } from './output.js';
import type { Selection } from './selection.js';
import type { CustomSpec, Offer, Presentation, RunScope, Tool } from './tool.js';
import type { Workspace } from './workspace.js';

type Common<Input> = Pick<Tool<Input>, 'aliases' | 'experimental' | 'example'> & {
  readonly name: string;
  readonly description: string;
  /** Default `exclusive`: running alone is always correct. */
  readonly concurrency?: Tool['concurrency'];
  readonly offer?: (selection: Selection) => Offer;
  /** Required: a tool that touches nothing says so with `() => ({ effects: [] })`. */
  readonly intent: (input: Input, workspace: Workspace) => Intent;
  readonly run: (input: Input, scope: RunScope) => Promise<ToolOutput> | ToolOutput;
  readonly present?: (input: Input) => Presentation;
  readonly describeAbort?: (seconds: string) => string;
};

export type ToolDefinition<Schema extends $ZodObject> = Common<output<Schema>> & {
  readonly input: Schema;
  /** Names that other tool sets use for the same parameter: alias → ours. */
  readonly parameterAliases?: Readonly<Record<string, string>>;
  /** Turns a known foreign shape of the arguments into ours; runs after the aliases. */
  readonly repair?: (raw: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Reads a native shell call, for tools that can stand in for it. */
  readonly fromLocalShell?: (payload: LocalShellPayload) => Readonly<Record<string, unknown>>;
};

/** A tool that takes JSON arguments. */
export function defineTool<Schema extends $ZodObject>(definition: ToolDefinition<Schema>): Tool<output<Schema>> {
  const { name, description, input: schema } = definition;
  const parameters = sanitizeParameters({ ...toJSONSchema(schema, { io: 'input' }), additionalProperties: false });
  return {
    ...behaviour(definition),
    spec: { kind: 'function', name, description, parameters, strict: false },
    parse: (payload) => parseArguments({ ...definition, schema, parameters }, payload),
  };
}

export type FreeformDefinition = Common<string> & {
  readonly grammar?: CustomSpec['grammar'];
  /** Argument names that hold the text when a model calls the tool as a function; `input` always does. */
  readonly textArguments?: readonly string[];
};

/** A tool that takes free text. */
export function defineFreeformTool(definition: FreeformDefinition): Tool<string> {
  const { name, description, grammar, textArguments } = definition;
  return {
    ...behaviour(definition),
    spec: { kind: 'custom', name, description, ...(grammar && { grammar }) },
    parse: (payload) => parseFreeform(name, payload, ['input', ...(textArguments ?? [])]),
  };
}

function behaviour<Input>(definition: Common<Input>): Omit<Tool<Input>, 'spec' | 'parse'> {
  const { aliases, experimental, example, offer, present, describeAbort, intent, run } = definition;
  return {
    concurrency: definition.concurrency ?? 'exclusive',
    intent,
    run: async (input, scope) => run(input, scope),
    ...(aliases && { aliases }),
    ...(experimental !== undefined && { experimental }),
    ...(example !== undefined && { example }),
    ...(offer && { offer }),
    ...(present && { present }),
    ...(describeAbort && { describeAbort }),
  };
}
