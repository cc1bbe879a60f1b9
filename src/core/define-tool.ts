/**
 * One zod object gives a tool its spec, its input type and its validator. Both flavours of zod 4 work: the full
 * one and `zod/mini`, which our own tools use because it starts faster. Making a schema takes longer than all else a
 * tool needs, so ours are made when the first call comes.
 */
import { toJSONSchema } from 'zod/v4/core';
import type { $ZodObject, output } from 'zod/v4/core';

import { readArguments, readText, validateArguments } from './arguments.js';
import type { ReadingRules } from './arguments.js';
import type { Intent } from './effects.js';
import type { ObjectSchema } from './json-schema.js';
import { lazy } from './lazy.js';
import { sanitizeParameters } from './sanitize-parameters.js';
import type { ToolOutput } from './output.js';
import type { Selection } from './selection.js';
import type { CustomSpec, Offer, Presentation, RunScope, Tool } from './tool.js';
import type { Workspace } from './workspace.js';

type Named = { readonly name: string; readonly description: string };

type Behaviour<Input> = Pick<Tool<Input>, 'aliases' | 'experimental' | 'example' | 'advice' | 'abortText'> & {
  /** Default `exclusive`: running alone is always correct. */
  readonly concurrency?: Tool['concurrency'];
  readonly offer?: (selection: Selection) => Offer;
  /** Required: a tool that touches nothing says so with `() => ({ effects: [] })`. */
  readonly intent: (input: Input, workspace: Workspace) => Intent;
  readonly run: (input: Input, scope: RunScope) => Promise<ToolOutput> | ToolOutput;
  readonly present?: (input: Input) => Presentation;
};

export type ToolDefinition<Schema extends $ZodObject> = Named &
  Behaviour<output<Schema>> &
  Pick<ReadingRules, 'parameterAliases' | 'repair' | 'fromLocalShell'> & {
    /** The arguments, or how to make the schema of them when it is needed. */
    readonly input: Schema | (() => Schema);
  };

/** A tool that takes JSON arguments. */
export function defineTool<Schema extends $ZodObject>(definition: ToolDefinition<Schema>): Tool<output<Schema>> {
  const { name, description, input, parameterAliases, repair, fromLocalShell, ...behaviour } = definition;
  const schema = lazy(() => (typeof input === 'function' ? input() : input));
  const parameters = (typeof input === 'function' && WORKED_OUT.get(name)) || parametersOf(schema());
  const rules = { name, parameters, parameterAliases, repair, fromLocalShell };
  return {
    ...behaving(behaviour),
    spec: { kind: 'function', name, description, parameters, strict: false },
    parse: (payload) => validateArguments(schema(), readArguments(rules, payload), parameters),
  };
}

/** In the program: JSON with the parameters of our own tools, worked out when it was built. */
declare const TENON_PARAMETERS: string;

const WORKED_OUT: ReadonlyMap<string, ObjectSchema> = new Map(
  Object.entries((typeof TENON_PARAMETERS === 'undefined' ? {} : JSON.parse(TENON_PARAMETERS)) as object),
);

function parametersOf(schema: $ZodObject): ObjectSchema {
  return sanitizeParameters({ ...toJSONSchema(schema, { io: 'input' }), additionalProperties: false });
}

export type FreeformDefinition = Named &
  Behaviour<string> & {
    readonly grammar?: CustomSpec['grammar'];
    /** Argument names that hold the text when a model calls the tool as a function; `input` always does. */
    readonly textArguments?: readonly string[];
  };

/** A tool that takes free text. */
export function defineFreeformTool(definition: FreeformDefinition): Tool<string> {
  const { name, description, grammar, textArguments = [], ...behaviour } = definition;
  return {
    ...behaving(behaviour),
    spec: { kind: 'custom', name, description, ...(grammar && { grammar }) },
    parse: (payload) => readText(name, payload, ['input', ...textArguments]),
  };
}

function behaving<Input>(behaviour: Behaviour<Input>): Omit<Tool<Input>, 'spec' | 'parse'> {
  return {
    ...behaviour,
    concurrency: behaviour.concurrency ?? 'exclusive',
    run: async (input, scope) => behaviour.run(input, scope),
  };
}
