import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';

import { sessionJsonSchema } from '../../scripts/session-schema.js';
import { answeredElsewhere, createSession, textOutput } from '../../src/index.js';
import type { AgentSession, RuntimeEvent, RuntimeOptions, SessionLine, Tool } from '../../src/index.js';
import type { ContextSnapshot } from '../../src/context/context-entries.js';
import { WIRES } from '../../src/core/model.js';
import type { ModelScript, ScriptedModel, ScriptedRequest, ScriptedTurn } from '../../src/testing/index.js';
import { answersIn, modelAt, saidIn } from '../support/agent.js';
import { scriptedModel } from '../support/model-server.js';
import { actingTool, echo, latch, testRuntime } from '../support/runtime.js';
import type { TestRuntime } from '../support/runtime.js';
import { propertyRuns } from '../support/property-runs.js';
import { until } from '../support/until.js';
import { memoryLog } from '../support/session-log.js';
import type { MemoryLog } from '../support/session-log.js';

const runs: string[] = [];
afterEach(() => runs.splice(0));

/** Runs are counted: nothing may run twice. */
const work = (name: string): Tool =>
  actingTool(name, async () => {
    runs.push(name);
    return textOutput(`${name} done`);
  });
const TOOLS = [work('first'), work('second'), work('third'), echo];

const call = (name: string, callId?: string) => ({ name, arguments: {}, ...(callId !== undefined && { callId }) });

type Going = {
  readonly session: AgentSession;
  readonly runtime: TestRuntime;
  readonly server: ScriptedModel;
  readonly log: MemoryLog;
};

type GoingOptions = {
  readonly wire?: (typeof WIRES)[number];
  readonly past?: readonly SessionLine[];
  readonly tools?: readonly Tool[];
  readonly log?: MemoryLog;
  readonly runtime?: RuntimeOptions;
  readonly context?: () => ContextSnapshot;
};

async function sessionOver(script: ModelScript, options: GoingOptions = {}): Promise<Going> {
  const { wire = 'responses', past, tools = TOOLS, log = memoryLog() } = options;
  const server = await scriptedModel(script);
  const runtime = testRuntime({ tools, ...options.runtime });
  const model = modelAt(server, wire);
  const session = createSession({
    runtime,
    model,
    instructions: 'Work.',
    log,
    ...(past && { past }),
    ...(options.context && { context: options.context }),
  });
  return { session, runtime, server, log };
}

const last = (server: ScriptedModel): ScriptedRequest => server.requests.at(-1) as ScriptedRequest;

describe.each(WIRES)('over %s, a session that is cut off after any of its lines', (wire) => {
  const TURNS = [
    { text: 'Both.', calls: [call('first', 'one'), call('second', 'two')] },
    // The same name again, as servers do that count from one.
    { calls: [call('third', 'one')] },
    { text: 'All done.' },
  ];

  async function whole(): Promise<MemoryLog> {
    const { session, log } = await sessionOver(TURNS, { wire });
    expect(await session.send('Do it')).toMatchObject({ status: 'completed', message: 'All done.' });
    expect(runs.splice(0)).toEqual(['first', 'second', 'third']);
    return log;
  }

  /** What the answers have to say, going by the lines alone. */
  function expectedAnswers(past: readonly SessionLine[]): readonly string[] {
    const has = (type: SessionLine['type'], callId: string) =>
      past.some((line) => line.type === type && 'callId' in line && line.callId === callId);
    const received = past.flatMap((line) =>
      line.type === 'item.received' && line.item.kind === 'call' ? [line.item.call] : [],
    );
    return received.map(({ name }) => {
      const own = { first: 'one', second: 'two', third: 'one-2' }[name] ?? '';
      if (has('call.settled', own)) return `${name} done`;
      return has('call.intended', own) ? 'interrupted: the program' : 'never started: the program';
    });
  }

  test('is told what became of each call when something new is said, and runs nothing', async () => {
    const { lines } = await whole();
    for (let count = 0; count <= lines.length; count += 1) {
      const past = lines.slice(0, count);
      const { session, server, log } = await sessionOver([{ text: 'Fine.' }], { wire, past });
      expect(await session.send('What now?')).toMatchObject({ status: 'completed', message: 'Fine.' });
      const texts = answersIn(last(server)).map(([, text]) => String(text));
      const expected = expectedAnswers(past);
      expect(texts.map((text, at) => text.slice(0, expected[at]?.length))).toEqual(expected);
      expect(saidIn(last(server)).at(-1)).toBe('user: What now?');
      expect(runs).toEqual([]);
      // What it wrote is a session that can be gone on with as well.
      const again = await sessionOver([{ text: 'Fine.' }], { wire, past: [...past, ...log.lines] });
      await again.session.send('And now?');
      expect(answersIn(last(again.server)).map(([, text]) => String(text))).toEqual(texts);
      expect(again.session.unfinished).toBe(false);
    }
  });

  test('goes on: what had ended is kept, what had begun is not repeated, what had not begun is done', async () => {
    const { lines } = await whole();
    const begun = lines.findIndex(({ type }) => type === 'turn.started') + 1;
    for (let count = begun + 1; count < lines.length; count += 1) {
      const past = lines.slice(0, count);
      const { session, server } = await sessionOver([{ text: 'Fine.' }], { wire, past });
      expect(session.unfinished).toBe(true);
      expect(await session.goOn()).toMatchObject({ status: 'completed', message: 'Fine.' });
      const texts = answersIn(last(server)).map(([, text]) => String(text));
      const expected = expectedAnswers(past);
      const ran = runs.splice(0);
      for (const [at, text] of texts.entries()) {
        const before = expected[at] ?? '';
        if (before.startsWith('never')) expect(text).toMatch(/^(?:first|second|third) done$/);
        else expect(text.startsWith(before)).toBe(true);
      }
      expect(ran).toHaveLength(expected.filter((text) => text.startsWith('never')).length);
      expect(session.unfinished).toBe(false);
    }
  });

  test('keeps its name, its totals and its counting of turns', async () => {
    const { lines } = await whole();
    const { session, runtime, server } = await sessionOver([{ text: 'Fine.' }], { wire, past: lines });
    const { turn, usage, total } = await session.send('More');
    expect(turn).toBe('session-2');
    expect(session.id).toBe('session');
    expect(total.inputTokens).toBe(400);
    expect(usage.inputTokens).toBe(100);
    expect(server.requests).toHaveLength(1);
    expect(runtime.record.events.filter(({ type }) => type === 'call.started')).toEqual([]);
  });

  test('sends the very bytes it would have sent without the break', async () => {
    const script = [...TURNS, { text: 'Fine.' }];
    const { session, server } = await sessionOver(script, { wire });
    await session.send('Do it');
    await session.send('More');
    const unbroken = last(server).bodyText;
    runs.splice(0);
    const { lines } = await whole();
    const resumed = await sessionOver([{ text: 'Fine.' }], { wire, past: lines });
    await resumed.session.send('More');
    expect(last(resumed.server).bodyText).toBe(unbroken);
  });
});

test('however often it is cut off, no call is begun twice and each is answered once', async () => {
  const NAMES = ['first', 'second', 'third'];
  /** Asks for what has no answer that counts yet, two at a time. */
  const script = (request: ScriptedRequest): ScriptedTurn => {
    const done = answersIn(request).filter(([, text]) => !String(text).startsWith('never')).length;
    const wanted = NAMES.slice(done % NAMES.length, (done % NAMES.length) + 2);
    return done >= NAMES.length
      ? { text: 'All.' }
      : { calls: wanted.map((name) => call(name, `call-${done}-${name}`)) };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 40 }), fc.boolean()), { maxLength: 4 }), async (cuts) => {
      const past: SessionLine[] = [];
      for (const [length, byItself] of [...cuts, [Infinity, false] as const]) {
        const { session, log, server, runtime } = await sessionOver(script, { past });
        await (session.unfinished && byItself ? session.goOn() : session.send('Do it'));
        past.push(...log.lines.slice(0, length));
        await Promise.all([server.close(), runtime.close()]);
      }
      const begun = past.flatMap((line) => (line.type === 'call.intended' ? [line.callId] : []));
      expect(begun).toEqual([...new Set(begun)]);
      const asked = past.filter((line) => line.type === 'item.received' && line.item.kind === 'call');
      const answered = past.flatMap((line) => (line.type === 'answers.given' ? line.answers : []));
      expect(answered).toHaveLength(asked.length);
      expect(past.at(-1)).toMatchObject({ type: 'turn.finished', status: 'completed' });
    }),
    propertyRuns(15, 1000),
  );
});

describe('the model is told all of its surroundings', () => {
  const context = (): ContextSnapshot => ({
    permissions: {
      sandboxMode: 'read-only',
      approvalPolicy: 'never',
      network: false,
      allowedHosts: [],
      writableRoots: [],
    },
    environment: {
      cwd: '/project',
      shell: 'bash',
      operatingSystem: 'Linux',
      currentDate: '2026-01-31',
      timezone: 'UTC',
      writableRoots: [],
      networkAccess: false,
    },
    developer: 'Be kind.',
    projectDocs: 'Be exact.',
  });

  test('wherever it was cut off', async () => {
    const { session, server, log } = await sessionOver([{ text: 'Fine.' }], { context });
    await session.send('Go');
    const surroundings = saidIn(last(server)).slice(0, -1);
    expect(surroundings).toHaveLength(4);
    for (let count = 0; count <= log.lines.length; count += 1) {
      const next = await sessionOver([{ text: 'Fine.' }], { context, past: log.lines.slice(0, count) });
      await next.session.send('Go on');
      expect(saidIn(last(next.server))).toEqual(expect.arrayContaining([...surroundings]));
    }
  });

  test.each([{}, { permissions: 1 }, { ...context(), environment: { writableRoots: 3 } }])(
    'again when nobody knows what it was told: %j',
    async (snapshot) => {
      const past = [{ type: 'context.told', snapshot }] as const;
      const { session, server } = await sessionOver([{ text: 'Fine.' }], { context, past });
      expect(await session.send('Go')).toMatchObject({ status: 'completed' });
      expect(saidIn(last(server))).toHaveLength(5);
    },
  );
});

test('a question that nobody had answered is asked again, and can be answered then', async () => {
  const remote: Tool = {
    ...work('first'),
    intent: () => ({ effects: [{ kind: 'remote', server: 's', tool: 't', readOnly: false, destructive: true }] }),
  };
  const asking = { tools: [remote], runtime: { approver: answeredElsewhere, approvalPolicy: 'always' as const } };
  const before = await sessionOver([{ calls: [call('first', 'one')] }], asking);
  const turn = before.session.send('Go');
  await until(() => before.runtime.approvals.list().length === 1);
  const past = [...before.log.lines];
  expect(past.at(-1)).toMatchObject({ type: 'question.asked', id: 'one' });
  await before.session.interrupt();
  await turn;

  const { session, runtime, server, log } = await sessionOver([{ text: 'Done.' }], { ...asking, past });
  const goingOn = session.goOn();
  await until(() => runtime.approvals.list().length === 1);
  expect(runs).toEqual([]);
  expect(runtime.approvals.answer('one', { kind: 'once' })).toBe(true);
  expect(await goingOn).toMatchObject({ status: 'completed', message: 'Done.' });
  expect(runs).toEqual(['first']);
  expect(answersIn(last(server)).map(([, text]) => text)).toEqual(['first done']);
  expect(log.lines).toContainEqual(expect.objectContaining({ type: 'question.decided', decision: 'once' }));
});

test('a session that can no longer be written ends its turn, and what that had started', async () => {
  const stopped = latch();
  const waiting = actingTool(
    'wait',
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.open();
          reject(new Error('stopped'));
        });
      }),
    { concurrency: 'shared' },
  );
  let full = false;
  const log = memoryLog('session', (line) => {
    if (line.type === 'response.read') full = true;
    if (full) throw new Error('no space left');
  });
  const { session, runtime } = await sessionOver([{ calls: [call('wait')] }], { tools: [waiting], log });
  const result = await session.send('Go');
  expect(result).toMatchObject({
    status: 'failed',
    error: { kind: 'fatal', message: expect.stringContaining('no space') },
  });
  await stopped.opened;
  expect(runtime.record.events.map(({ type }) => type)).toContain('warning.raised');
});

test('what goes on from a session that could not be written has an answer to every call', async () => {
  const log = memoryLog('session', (line) => {
    if (line.type === 'answers.given') throw new Error('no space left');
  });
  const { session, server } = await sessionOver([{ calls: [call('first', 'one')] }, { text: 'Fine.' }], { log });
  expect(await session.send('Go')).toMatchObject({ status: 'failed' });
  await session.fork().send('Go on');
  expect(answersIn(last(server))).toEqual([['one', 'aborted']]);
});

test('a call whose intent cannot be written is not made', async () => {
  const log = memoryLog('session', (line) => {
    if (line.type === 'call.intended') throw new Error('no space left');
  });
  const { session } = await sessionOver([{ calls: [call('first')] }], { log });
  expect(await session.send('Go')).toMatchObject({ status: 'failed', error: { kind: 'fatal' } });
  expect(runs).toEqual([]);
});

async function drain(events: AsyncIterator<RuntimeEvent>): Promise<void> {
  while (!(await events.next()).done);
}

describe('while a turn runs', () => {
  test('what is said to it is heard with the next request', async () => {
    const running = latch();
    const goOn = latch();
    const slow = actingTool('slow', async () => {
      running.open();
      await goOn.opened;
      return textOutput('slow done');
    });
    const { session, server, runtime } = await sessionOver([{ calls: [call('slow')] }, { text: 'Ok.' }], {
      tools: [slow],
    });
    const turn = session.send('Go');
    await running.opened;
    expect(session.steer('But be quick')).toBe(true);
    goOn.open();
    expect(await turn).toMatchObject({ status: 'completed', message: 'Ok.' });
    expect(saidIn(last(server)).at(-1)).toBe('user: But be quick');
    expect(answersIn(last(server))).toHaveLength(1);
    expect(runtime.record.events).toContainEqual(
      expect.objectContaining({ type: 'input.taken', content: [{ kind: 'text', text: 'But be quick' }] }),
    );
    expect(session.steer('Too late')).toBe(false);
  });

  test('what is said while the model gives its last answer makes the turn go on', async () => {
    const hold = latch();
    const { session, server } = await sessionOver([
      { text: 'Done.', hold: hold.opened, holdAt: { afterItems: 0 } },
      { text: 'And that, too.' },
    ]);
    const turn = session.send('Go');
    await server.request(0);
    session.steer('One more thing');
    hold.open();
    expect(await turn).toMatchObject({ message: 'And that, too.', requests: 2 });
    expect(saidIn(last(server))).toEqual(expect.arrayContaining(['assistant: Done.', 'user: One more thing']));
  });

  test('what is said when it has heard its last is refused, and so never lost', async () => {
    const ending = latch();
    const goOn = latch();
    const kept = memoryLog();
    const durable = async (): Promise<void> => {
      ending.open();
      await goOn.opened;
    };
    const { session, runtime } = await sessionOver([{ text: 'Done.' }], { log: { ...kept, durable } });
    const heard: boolean[] = [];
    runtime.on(({ type }) => {
      if (type === 'turn.finished') heard.push(session.steer('As it ends'));
    });
    const turn = session.send('Go');
    heard.push(session.steer('At once'));
    await ending.opened;
    heard.push(session.steer('While its end is written'));
    goOn.open();
    expect(await turn).toMatchObject({ status: 'completed' });
    expect(heard).toEqual([true, false, false]);
    await expect(session.goOn()).rejects.toThrow('unfinished');
    expect(session.steer('Later')).toBe(false);
  });

  test('it can be interrupted, and what it had not heard comes back', async () => {
    const { session, server } = await sessionOver([{ hold: new Promise(() => {}) }, { text: 'Again.' }]);
    const turn = session.send('Go');
    await server.request(0);
    session.steer('Wait');
    await session.interrupt();
    expect(await turn).toMatchObject({ status: 'interrupted', unheard: ['Wait'] });
    await session.interrupt();
    expect(await session.send('Go on')).toMatchObject({ message: 'Again.' });
  });

  test('its events can be iterated over, to the last', async () => {
    const { session } = await sessionOver([{ calls: [call('first')] }, { text: 'Done.' }]);
    const turn = session.send('Go');
    const seen: RuntimeEvent['type'][] = [];
    for await (const event of turn) seen.push(event.type);
    expect(seen[0]).toBe('turn.started');
    expect(seen.at(-1)).toBe('turn.finished');
    expect(seen).toContain('call.finished');
    expect(await turn).toMatchObject({ message: 'Done.' });
  });

  test('events that are asked for ahead of time come in their order', async () => {
    const { session } = await sessionOver([{ text: 'Done.' }]);
    const events = session.send('Go')[Symbol.asyncIterator]();
    const ahead = await Promise.all([events.next(), events.next()]);
    expect(ahead.map(({ value }) => value?.type)).toEqual(['turn.started', 'request.started']);
    await drain(events);
  });

  test('no other can begin, and no copy be made', async () => {
    const { session, server } = await sessionOver([{ hold: new Promise(() => {}) }]);
    const turn = session.send('Go');
    await server.request(0);
    await expect(session.send('Me too')).rejects.toThrow('a turn of this session is running');
    const events = session.send('Me too')[Symbol.asyncIterator]();
    await expect(drain(events)).rejects.toThrow('is running');
    expect(() => session.fork()).toThrow('has not ended');
    await session.interrupt();
    await turn;
  });
});

test('a session that is closed in a turn leaves it unfinished, for whoever opens it next', async () => {
  const { session, server, log } = await sessionOver([{ text: 'One.', hold: new Promise(() => {}) }]);
  const turn = session.send('Go');
  await server.request(0);
  await session.close();
  expect(await turn).toMatchObject({ status: 'interrupted' });
  expect(log.lines.map(({ type }) => type)).not.toContain('turn.finished');
  const next = await sessionOver([{ text: 'Two.' }], { past: log.lines });
  expect(await next.session.goOn()).toMatchObject({ message: 'Two.', turn: 'session-1' });
  expect(saidIn(last(next.server))).toEqual(['user: Go']);
});

test("a session that is closed is not another process's before its calls have ended", async () => {
  const order: string[] = [];
  const running = latch();
  const slow = actingTool('slow', (_, { signal }) => {
    running.open();
    return new Promise((resolve) => {
      signal.addEventListener('abort', () =>
        setImmediate(() => {
          order.push('the call has ended');
          resolve(textOutput('slow done'));
        }),
      );
    });
  });
  const log = { ...memoryLog(), close: () => void order.push('the log is closed') };
  const { session } = await sessionOver([{ calls: [call('slow')] }], { tools: [slow], log });
  void session.send('Go');
  await running.opened;
  await session.close();
  expect(order).toEqual(['the call has ended', 'the log is closed']);
});

test('there is nothing to go on with when the words of the user were not written any more', async () => {
  const whole = await sessionOver([{ text: 'Hi.' }]);
  await whole.session.send('Hello');
  const { lines } = whole.log;
  const past = lines.slice(0, lines.findIndex(({ type }) => type === 'turn.started') + 1);
  const { session, server } = await sessionOver([{ text: 'Fine.' }], { past });
  expect(session.unfinished).toBe(false);
  await expect(session.goOn()).rejects.toThrow('no turn of this session is unfinished');
  expect(server.requests).toEqual([]);
  expect(await session.send('Hello')).toMatchObject({ status: 'completed', turn: 'session-2' });
});

test('there is nothing to go on with after a turn has ended', async () => {
  const { session } = await sessionOver([{ text: 'Hi.' }]);
  await session.send('Hello');
  expect(session.unfinished).toBe(false);
  await expect(session.goOn()).rejects.toThrow('no turn of this session is unfinished');
});

describe('a fork', () => {
  test('goes on from where its session was, and neither hears of the other', async () => {
    const { session, server } = await sessionOver((request) => ({ text: `${saidIn(request).length}` }));
    await session.send('One');
    const log = memoryLog('copy');
    const fork = session.fork({ log });
    expect(fork.id).toBe('copy');
    await fork.send('Two, copy');
    expect(saidIn(last(server))).toEqual(['user: One', 'assistant: 1', 'user: Two, copy']);
    await session.send('Two');
    expect(saidIn(last(server))).toEqual(['user: One', 'assistant: 1', 'user: Two']);
    expect(fork.usage.inputTokens).toBe(200);
    // What the fork wrote is whole by itself.
    const again = await sessionOver([{ text: 'Fine.' }], { past: log.lines });
    await again.session.send('Three');
    expect(saidIn(last(again.server))).toEqual([
      'user: One',
      'assistant: 1',
      'user: Two, copy',
      'assistant: 3',
      'user: Three',
    ]);
  });
});

describe('commands that ran when the session was left', () => {
  const began: SessionLine = { type: 'turn.started', at: '', turn: 'session-1', wire: 'responses' };
  const done: SessionLine = { type: 'turn.finished', at: '', turn: 'session-1', status: 'completed' };
  const server: SessionLine = { type: 'program.left', callId: 'c', session: 4711, argv: ['npm', 'start'] };
  const short: SessionLine = { type: 'program.left', callId: 'd', session: 4712, argv: ['sleep', '9'] };
  const ended = (session: number): SessionLine => ({ type: 'program.ended', session });

  test.each([
    ['killed', [began, server, short, ended(4712)]],
    ['closed after its turn', [began, server, short, ended(4712), done, ended(4711)]],
  ])('are told to have ended, once, when its program was %s', async (_, past) => {
    const first = await sessionOver([{ text: 'Fine.' }], { past });
    await first.session.send('Go');
    const second = await sessionOver([{ text: 'Fine.' }], { past: [...past, ...first.log.lines] });
    await second.session.send('Go on');
    const told = saidIn(last(second.server)).filter((text) => text.includes('have been ended'));
    expect(told).toEqual([expect.stringMatching(/^developer: .*have been ended:\n- session ID 4711: npm start$/s)]);
  });
});

test('sessions that share a runtime hear of their own calls alone, whatever their models call them', async () => {
  const planning = actingTool('plan', async (_, scope) => {
    scope.emit({ type: 'plan.updated', plan: [{ step: 'Measure', status: 'in_progress' }] });
    return textOutput('planned');
  });
  const [one, other] = [memoryLog('one'), memoryLog('other')];
  const first = await sessionOver([{ calls: [call('first', 'c')] }, { text: 'Done.' }], {
    tools: [work('first'), planning],
    log: one,
  });
  await first.session.send('Work');
  const server = await scriptedModel([{ calls: [call('plan', 'c')] }, { text: 'Planned.' }]);
  const { runtime } = first;
  const second = createSession({ runtime, model: modelAt(server, 'responses'), instructions: 'Plan.', log: other });
  await second.send('Plan');
  const namesIn = ({ lines }: MemoryLog) =>
    lines.flatMap((line) => (line.type === 'call.started' ? [line.callId] : []));
  expect([namesIn(one), namesIn(other)]).toEqual([['c'], ['c-2']]);
  const plansIn = ({ lines }: MemoryLog) => lines.filter(({ type }) => type === 'plan.updated').length;
  expect([plansIn(one), plansIn(other)]).toEqual([0, 1]);
  expect(answersIn(last(server))).toEqual([['c', 'planned']]);
});

test('a change of model keeps the conversation', async () => {
  const first = await sessionOver([{ calls: [call('first')] }, { text: 'Done.' }]);
  await first.session.send('Do it');
  const other = await sessionOver([{ text: 'Yes.' }], { wire: 'chat', past: first.log.lines });
  await other.session.send('Did you?');
  expect(answersIn(last(other.server)).map(([, text]) => text)).toEqual(['first done']);
  expect(saidIn(last(other.server))).toEqual(['user: Do it', 'assistant: Done.', 'user: Did you?']);
});

test('what was told shorter is told with the plan and with the calls that have ended', async () => {
  const planned = actingTool('planned', async (_, scope) => {
    scope.emit({ type: 'plan.updated', plan: [{ step: 'Measure', status: 'in_progress' }] });
    return textOutput('planned');
  });
  const { session, server, log } = await sessionOver(
    [{ calls: [call('planned')] }, { text: 'Done.' }, { text: 'Notes.' }, { text: 'Fine.' }, { text: 'Still.' }],
    { tools: [planned] },
  );
  await session.send('Plan it');
  await session.compact();
  await session.send('And now?');
  const notes = saidIn(last(server))[1] ?? '';
  expect(notes).toMatch(
    /Notes\.\n\nThe plan as it stands:\n- \[in_progress\] Measure\n\nCalls since .*\n- planned \{\}: done$/s,
  );
  const again = await sessionOver([{ text: 'Still.' }], { past: log.lines });
  await again.session.send('Still?');
  expect(saidIn(last(again.server))[1]).toBe(notes);
  expect(again.session.usage.inputTokens).toBe(500);
});

test('a turn that was cut off is not told shorter before its calls are answered', async () => {
  const whole = await sessionOver([{ calls: [call('first', 'one')] }, { text: 'Done.' }]);
  await whole.session.send('Do it');
  const { lines } = whole.log;
  const past = lines.slice(0, lines.findIndex(({ type }) => type === 'call.started') + 1);
  runs.splice(0);
  const { session, server } = await sessionOver([{ text: 'Done.' }, { text: 'Notes.' }], { past });
  await expect(session.compact()).rejects.toThrow('a turn of this session is unfinished');
  await session.goOn();
  expect(answersIn(last(server))).toEqual([['one', 'first done']]);
  await session.compact();
  expect(runs).toEqual(['first']);
});

test('the published schema of the lines is that of the code', () => {
  const file = path.join(import.meta.dirname, '../../docs/session.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(sessionJsonSchema());
});
