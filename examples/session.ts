/**
 * An agent of your own in a few lines: a runtime, a model, and a session that runs whole turns.
 *
 * The model here is a script, so that the example runs without a key; for a real one, take another provider, such as
 * `findProvider({ id: 'openai', env: process.env })`.
 */
import { createModel, createRuntime, createSession, defineProvider } from 'tenon';
import { startScriptedModel } from 'tenon/testing';

const script = await startScriptedModel([
  { text: 'Let me look.', calls: [{ name: 'read_file', arguments: { path: 'session.ts', max_lines: 2 } }] },
  { text: 'It begins with a comment.' },
]);
const provider = defineProvider('script', { base_url: script.baseUrl, wire_api: 'chat' });
const model = createModel({ provider, model: 'scripted-model', env: process.env, version: '1' });

const runtime = createRuntime({ cwd: import.meta.dirname });
runtime.on((event) => {
  if (event.type === 'message.completed') process.stdout.write(`model: ${event.text}\n`);
  if (event.type === 'call.finished') process.stdout.write(`${event.name}: ${event.outcome}\n`);
});

const session = createSession({ runtime, model, limits: { requests: 20, wallMs: 60_000 } });
const { status, message, usage, requests } = await session.send('What does session.ts begin with?');
process.stdout.write(`${status} after ${requests} requests, ${usage.inputTokens} tokens in: ${message}\n`);

await runtime.close();
model.close();
await script.close();
