/**
 * The model of `program.ts`, in a process of its own. The user's words name the scenario, the answers in the history say how far
 * it is. Tells when each request has arrived.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { startScriptedModel } from '../src/testing/index.js';
import type { ScriptedCall, ScriptedRequest, ScriptedTurn } from '../src/testing/index.js';
import { SCENARIOS } from './program-scenarios.js';

const { baseUrl } = await startScriptedModel(answerTo);
process.send?.({ baseUrl });

function answerTo({ body }: ScriptedRequest): ScriptedTurn {
  process.send?.({ arrived: performance.timeOrigin + performance.now() });
  const input = body['input'] as readonly { readonly type: string; readonly content?: unknown }[];
  const text = JSON.stringify(input.findLast(({ type }) => type === 'message')?.content);
  const name = Object.keys(SCENARIOS).find((each) => text.includes(`play ${each}"`)) ?? '';
  const answers = input.filter(({ type }) => type.endsWith('_output')).length;
  const calls: readonly ScriptedCall[] = SCENARIOS[name]?.callsAfter(answers) ?? [];
  const thinkingMs = answers === 0 ? SCENARIOS[name]?.thinkingMs : undefined;
  return {
    // Never a reason to tell the history shorter.
    usage: { input: 1000, output: 10 },
    ...(thinkingMs !== undefined && { hold: pause(thinkingMs) }),
    ...(calls.length > 0 ? { calls, chunkSize: 4096 } : { text: 'Done.' }),
  };
}
