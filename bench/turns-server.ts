/** The model of `turns.ts`, in a process of its own so that what it does does not count. */
import { startScriptedModel } from '../src/testing/index.js';
import type { ScriptedRequest, ScriptedTurn } from '../src/testing/index.js';

const { baseUrl } = await startScriptedModel(answerTo);
process.send?.(baseUrl);

/** Says what the last words of the user ask for, and is done once its calls are answered. */
function answerTo({ body }: ScriptedRequest): ScriptedTurn {
  const last = JSON.stringify((body['input'] as readonly unknown[]).at(-1));
  const [, count, size] = /call (\d+) times for (\d+) bytes/.exec(last) ?? [];
  if (count === undefined) return { text: 'Done.' };
  const calls = Array.from({ length: Number(count) }, (_, index) => {
    return { name: 'noop', arguments: { index, size: Number(size) } };
  });
  return { calls };
}
