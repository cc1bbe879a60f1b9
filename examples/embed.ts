/**
 * The runtime inside an agent of your own: you talk to the model, Tenon does what it asks for.
 *
 * `askModel` stands for your model; here it plays back two turns, so that the example runs without a key.
 */
import { createRuntime } from 'tenon';
import type { Payload } from 'tenon';

type ModelCall = { readonly call_id: string; readonly name: string; readonly arguments: string };

const runtime = createRuntime({ cwd: import.meta.dirname });

const history: unknown[] = [{ role: 'user', content: 'What does embed.ts begin with?' }];
for (let turn = 0; ; turn += 1) {
  const calls = askModel(turn, runtime.specs('responses'), history);
  if (calls.length === 0) break;
  // All calls of a turn at once: reads overlap, writes run alone, and the results come in call order.
  const results = await Promise.all(
    calls.map((call) => {
      const payload: Payload = { kind: 'function', arguments: call.arguments };
      return runtime.runCall({ id: call.call_id, name: call.name, payload });
    }),
  );
  history.push(...calls, ...results.map((result) => runtime.answerItem('responses', result.answer)));
}
await runtime.close();

process.stdout.write(`${JSON.stringify(history, null, 2)}\n`);

function askModel(turn: number, tools: readonly unknown[], _history: readonly unknown[]): readonly ModelCall[] {
  if (turn > 0 || tools.length === 0) return [];
  return [
    { call_id: 'call_1', name: 'read_file', arguments: '{"path": "embed.ts", "max_lines": 2}' },
    { call_id: 'call_2', name: 'read_file', arguments: '{"path": "missing.ts"}' },
  ];
}
