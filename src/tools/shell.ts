/** Runs a program with its arguments as they are, and answers when it has ended. */
import { object } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import {
  escalationParameters,
  offeredFor,
  repairEscalation,
  timeoutParameters,
  whereParameters,
} from './command-request.js';
import { programCall, programParameters, programTakingPatches } from './program-call.js';

const NAME = 'shell';

const plainly = defineTool({
  ...programCall(NAME),
  input: () =>
    object({ ...programParameters(), ...whereParameters(), ...timeoutParameters(), ...escalationParameters() }),
  aliases: ['container.exec'],
  example: '{"command": ["git", "status", "--short"]}',
  parameterAliases: { timeout: 'timeout_ms', cmd: 'command', cwd: 'workdir' },
  repair: repairEscalation,
  offer: offeredFor(NAME),
});

export const shell = programTakingPatches(NAME, plainly);
