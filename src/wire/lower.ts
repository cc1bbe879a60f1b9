/**
 * What a server does not know, in terms that every server knows: other kinds of tools as plain functions. A tool's `parse`
 * lifts the call back, because it reads any payload that says the same.
 */
import type { Payload } from '../core/call.js';
import type { Dialect } from '../core/provider.js';
import type { CustomSpec, FunctionSpec, ToolSpec } from '../core/tool.js';

/** The tool as a server of this dialect takes it. Undefined for one that only its own server could run. */
export function offeredAs(spec: ToolSpec, dialect: Pick<Dialect, 'customTools' | 'hostedTools'>): ToolSpec | undefined {
  if (spec.kind === 'custom' && dialect.customTools) return spec;
  if (spec.kind === 'hosted' && dialect.hostedTools.includes(spec.name)) return spec;
  return asFunction(spec);
}

export function asFunction(spec: ToolSpec): FunctionSpec | undefined {
  switch (spec.kind) {
    case 'function':
      return spec;
    case 'custom':
      return {
        kind: 'function',
        name: spec.name,
        description: describeCustom(spec),
        strict: false,
        parameters: TEXT_PARAMETER,
      };
    case 'hosted':
      return spec.lowered && { kind: 'function', name: spec.name, ...spec.lowered };
  }
}

const TEXT_PARAMETER: FunctionSpec['parameters'] = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole text for the tool.' } },
  required: ['input'],
  additionalProperties: false,
};

/** A server that takes no grammar leaves it to the model to keep to it, so the model must see it. */
function describeCustom({ description, grammar }: CustomSpec): string {
  return grammar
    ? `${description}\n\nThe text must follow this ${grammar.syntax} grammar:\n${grammar.text}`
    : description;
}

/** The arguments with which a function would have been called to say the same. */
export function loweredArguments(payload: Payload): string {
  if (payload.kind === 'function') return payload.arguments;
  if (payload.kind === 'custom') return JSON.stringify({ input: payload.input });
  return JSON.stringify({ command: payload.argv, workdir: payload.cwd, timeout_ms: payload.timeoutMs });
}
