/** The shell call that some models bring with them: a kind of item of its own, not a function. */
import { object } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import type { ToolSpec } from '../core/tool.js';
import { offeredFor, timeoutParameters, whereParameters } from './command-request.js';
import { programCall, programParameters, programTakingPatches } from './program-call.js';

const NAME = 'local_shell';

const asFunction = defineTool({
  ...programCall(NAME),
  input: () => object({ ...programParameters(), ...whereParameters(), ...timeoutParameters() }),
  parameterAliases: { timeout: 'timeout_ms', working_directory: 'workdir' },
  fromLocalShell: ({ argv, cwd, timeoutMs }) => ({
    command: argv,
    ...(cwd !== undefined && { workdir: cwd }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  }),
  offer: offeredFor(NAME),
});

export const localShell = programTakingPatches(NAME, { ...asFunction, spec: hosted(asFunction.spec) });

/** Servers that know it are told only that it is there; the others get it as a function. */
function hosted(spec: ToolSpec): ToolSpec {
  if (spec.kind !== 'function') return spec;
  const { description, parameters, strict } = spec;
  return { kind: 'hosted', name: NAME, lowered: { description, parameters, strict } };
}
