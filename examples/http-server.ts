/**
 * Sessions behind an HTTP server: messages come in, events go out as they happen, and whoever is asked answers over HTTP.
 * Everything is kept on the disk. A question that is open when the server stops is asked again when it starts, and can
 * be answered then: that is what this example plays through, with a script in place of a model.
 *
 *   POST /sessions/NAME            says something; answers with the events of the turn, one JSON line each
 *   GET  /questions                what waits for an answer, in all sessions
 *   POST /questions/NAME/ID        answers it, with a decision such as {"kind": "once"}
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { answeredElsewhere, createModel, createRuntime, createSession, defineProvider, openSessions } from 'tenon';
import type { AgentSession, Decision, KeptSession, Runtime, Turn } from 'tenon';
import { startScriptedModel } from 'tenon/testing';

const folder = mkdtempSync(path.join(tmpdir(), 'tenon-example-'));
const script = await startScriptedModel([
  { text: 'I need a folder.', calls: [{ name: 'exec_command', arguments: { cmd: 'mkdir made', login: false } }] },
  { text: 'The folder is there.' },
]);
const provider = defineProvider('script', { base_url: script.baseUrl, wire_api: 'responses' });

type Open = { readonly session: AgentSession; readonly runtime: Runtime };

/** All that a process has to do to serve sessions. */
async function startServer() {
  const store = openSessions({ home: path.join(folder, 'home') });
  const model = createModel({ provider, model: 'scripted-model', env: process.env, version: '1' });
  const open = new Map<string, Open>();

  function begin(name: string, kept: KeptSession): Open {
    // Nobody sits at a terminal: every question waits until it is answered over HTTP.
    const runtime = createRuntime({
      cwd: folder,
      home: path.join(folder, 'home'),
      approvalPolicy: 'always',
      approver: answeredElsewhere,
    });
    const session = createSession({ runtime, model, ...kept });
    open.set(name, { session, runtime });
    return { session, runtime };
  }

  async function find(name: string): Promise<Open> {
    const known = (await store.list()).some(({ id }) => id === name);
    if (known) return open.get(name) ?? begin(name, await store.open(name));
    return open.get(name) ?? begin(name, { log: store.create({ id: name, cwd: folder, version: '1' }), past: [] });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, what, name = '', id = ''] = (request.url ?? '').split('/');
    if (what === 'sessions') return stream((await find(name)).session.send(await text(request)), response);
    if (request.method === 'POST') {
      const decision = JSON.parse(await text(request)) as Decision;
      const isAnswered = open.get(name)?.runtime.approvals.answer(id, decision) ?? false;
      response.writeHead(isAnswered ? 204 : 404).end();
      return;
    }
    const questions = [...open].flatMap(([session, { runtime }]) =>
      runtime.approvals.list().map((each) => ({ session, id: each.id, title: each.request.presentation.title })),
    );
    response.end(JSON.stringify(questions));
  }

  // What was cut off goes on by itself: finished calls keep their results, and open questions are asked again.
  for (const { id, status } of await store.list()) {
    if (status === 'unfinished') void begin(id, await store.open(id)).session.goOn();
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  /** Whatever runs is left as it is on record, so that the next server can go on with it. */
  async function stop(): Promise<void> {
    for (const { session, runtime } of open.values()) {
      await session.close();
      await runtime.close();
    }
    model.close();
    server.close();
    server.closeAllConnections();
  }
  return { open, stop, url: `http://127.0.0.1:${port}` };
}

/** A client that leaves ends nothing: the turn goes on. */
async function stream(turn: Turn, response: ServerResponse): Promise<void> {
  for await (const event of turn) response.write(`${JSON.stringify(event)}\n`);
  response.end();
}

// --- Played through -------------------------------------------------------------------------------------------------

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const first = await startServer();
const { body } = await fetch(`${first.url}/sessions/demo`, { method: 'POST', body: 'Make a folder.' });
for await (const chunk of body ?? []) if (new TextDecoder().decode(chunk).includes('approval.requested')) break;
say(`asked: ${JSON.stringify(await questionAt(first.url))}`);
await first.stop();
say('restarted');

const second = await startServer();
const { session: name, id } = await questionAt(second.url);
say(`still asked: ${name}, ${id}`);
const finished = new Promise<void>((resolve) => {
  second.open.get('demo')?.runtime.on((event) => {
    if (event.type === 'message.completed') say(`model: ${event.text}`);
    if (event.type === 'turn.finished') resolve();
  });
});
const yes: Decision = { kind: 'once' };
const answered = await fetch(`${second.url}/questions/${name}/${id}`, { method: 'POST', body: JSON.stringify(yes) });
say(`answered: ${answered.status}`);
await finished;
say(`made: ${existsSync(path.join(folder, 'made'))}`);
await second.stop();
await script.close();
rmSync(folder, { recursive: true });

/** As a page would do that shows open questions. */
async function questionAt(url: string): Promise<{ readonly session: string; readonly id: string }> {
  for (;;) {
    const [question] = (await (await fetch(`${url}/questions`)).json()) as { session: string; id: string }[];
    if (question) return question;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
