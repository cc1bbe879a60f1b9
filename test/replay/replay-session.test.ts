import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Agent, Config, Rule, RuntimeEvent, SessionLine } from '../../src/index.js';
import type { ScriptedTurn } from '../../src/testing/index.js';
import { memoryLog } from '../support/session-log.js';
import { until } from '../support/until.js';
import { command, placesOf, play, record } from './recorded.js';
import type { Recorded } from './recorded.js';

const FILES = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' };
const read = (name: string) => ({ name: 'read_file', arguments: { path: name } });
const SAME = { divergences: 0, isCutOff: false };

describe('a session that is played again in another folder is the same', () => {
  const SCENES: Readonly<Record<string, readonly ScriptedTurn[]>> = {
    'with tools side by side': [{ text: 'Both.', calls: [read('a.txt'), read('b.txt')] }, { text: 'Done.' }],
    'with a command that takes its time': [{ calls: [command('pwd; date +%s.%N > now; echo took 0.12s')] }, {}],
    'with calls that fail': [{ calls: [read('c.txt'), { name: 'nothing', arguments: {} }, command('exit 3')] }, {}],
    'with a patch that names the whole path': [{ calls: [command('cat $PWD/a.txt', { workdir: '.' })] }, {}],
    'with a stream that breaks after a call': [
      { calls: [read('a.txt'), command('echo once >> b.txt')], fault: { kind: 'drop', afterItems: 1 } },
      { text: 'Done.' },
    ],
    'with a server that fails for good': [
      { calls: [read('a.txt')] },
      { fault: { kind: 'status', status: 401, body: 'go away', endsTurn: true } },
    ],
    'with a server that fails again and again': [
      { fault: { kind: 'status', status: 503, body: 'later', times: 2, endsTurn: true } },
    ],
    'with an answer that is cut off by its length': [
      { text: 'One ', fault: { kind: 'incomplete', reason: 'max_output_tokens' } },
      { text: 'two.' },
    ],
    'with a history that has become too long': [
      { calls: [read('a.txt')] },
      { text: 'never said', fault: { kind: 'contextOverflow' } },
      { text: 'Notes.' },
      { text: 'Done.' },
    ],
  };

  test.each(Object.entries(SCENES))('%s', async (_, script) => {
    const recorded = await record({ script, files: FILES });
    const { found, ...result } = await play(recorded, { files: FILES });
    expect(found).toEqual([]);
    expect(result).toMatchObject({ ...SAME, turns: 1 });
  });

  test('over several turns, with a schema for the answer, and told shorter in between', async () => {
    const outputSchema = { name: 'answer', schema: { type: 'object' }, strict: true };
    const recorded = await record({
      script: [{ calls: [read('a.txt')] }, { text: 'One.' }, { text: 'Notes.' }, { text: '{}' }],
      files: FILES,
      async act({ session }) {
        await session.send('First');
        await session.compact();
        await session.send([{ kind: 'text', text: 'Second' }], { outputSchema });
      },
    });
    expect(await play(recorded, { files: FILES })).toMatchObject({ ...SAME, turns: 2, calls: 1, found: [] });
  });

  test('when it began with the conversation of another one', async () => {
    const log = memoryLog('fork');
    const recorded = await record({
      script: [{ text: 'One.' }, { calls: [read('a.txt')] }, { text: 'Two.' }],
      files: FILES,
      async act({ session }, cwd) {
        await session.send('First');
        log.append({ type: 'session.created', v: 1, id: log.id, at: '', cwd, version: '0' });
        await session.fork({ log }).send('Second');
      },
    });
    const played = await play({ ...recorded, lines: log.lines }, { files: FILES });
    expect(played).toMatchObject({ ...SAME, turns: 1, calls: 1, found: [] });
  });

  test('with what the user said while the model worked', async () => {
    const recorded = await record({
      script: [{ calls: [read('a.txt')] }, { text: 'Heard.' }],
      files: FILES,
      async act({ session, runtime }) {
        runtime.on(({ type }) => void (type === 'call.started' && session.steer('And be kind')));
        const turn = session.send('Go');
        session.steer('And be brief');
        await turn;
      },
    });
    const heard: unknown[] = [];
    const listeners = [(event: RuntimeEvent) => void (event.type === 'input.taken' && heard.push(event.content))];
    expect(await play(recorded, { files: FILES, listeners })).toMatchObject({ ...SAME, found: [] });
    expect(heard).toEqual([[{ kind: 'text', text: 'And be brief' }], [{ kind: 'text', text: 'And be kind' }]]);
  });
});

describe('what a later call names', () => {
  const TALK: readonly ScriptedTurn[] = [{ calls: [command('read name; echo "Hello, $name."', { tty: true })] }];

  /** The number is only known once the command runs. */
  const talking = (index: number, body: string): ScriptedTurn => {
    if (index === 0) return TALK[0] as ScriptedTurn;
    const session_id = Number(/session ID (\d+)/.exec(body)?.[1]);
    if (index > 1) return { text: 'Done.' };
    return { calls: [{ name: 'write_stdin', arguments: { session_id, chars: 'Ada\n', yield_time_ms: 9_000 } }] };
  };

  test('is the command of this run, not that of the recorded one', async () => {
    const recorded = await record({ script: ({ bodyText }, index) => talking(index, bodyText) });
    const { found, calls } = await play(recorded);
    expect(found).toEqual([]);
    expect(calls).toBe(2);
    expect(answersIn(recorded)).toContain('Hello, Ada.');
  });

  test('is the file of this run that holds a long output', async () => {
    const recorded = await record({
      script: ({ bodyText }, index) => {
        const file = /in (\S+?\.txt); read the part/.exec(bodyText)?.[1] ?? '';
        if (index === 0) return { calls: [command('seq 1 9000', { max_output_tokens: 20 })] };
        return index === 1 ? { calls: [{ name: 'read_file', arguments: { path: file, limit: 3 } }] } : {};
      },
    });
    expect(answersIn(recorded)).toContain('1| 1\n');
    expect((await play(recorded)).found).toEqual([]);
  });

  test('is the workspace of this run', async () => {
    const recorded = await record({
      script: ({ bodyText }, index) => {
        const cwd = /<cwd>([^<]*)</.exec(bodyText)?.[1] ?? '';
        return index === 0 ? { calls: [read(`${cwd}/a.txt`), command(`ls ${cwd}`, { workdir: cwd })] } : {};
      },
      files: FILES,
    });
    expect(answersIn(recorded)).toContain('alpha');
    expect((await play(recorded, { files: FILES })).found).toEqual([]);
  });
});

describe('what has changed since is told', () => {
  const SCRIPT: readonly ScriptedTurn[] = [
    { calls: [read('a.txt')] },
    { calls: [command('cat b.txt')] },
    { text: 'Done.' },
  ];

  test('by the call that shows it, as a diff', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const played = await play(recorded, { files: { ...FILES, 'b.txt': 'gamma\n' } });
    expect(placesOf(played)).toEqual(['turn 1, exec_command 2: answer']);
    expect(played.found[0]?.diff).toContain('-beta\n+gamma');
  });

  test('unless it is to be ignored', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const played = await play(recorded, { files: { ...FILES, 'b.txt': 'gamma\n' }, ignore: [/beta|gamma/g] });
    expect(played.found).toEqual([]);
  });

  test('and with it what follows, or only the first of it', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const all = await play(recorded);
    expect(placesOf(all)).toEqual(['turn 1, read_file 1: outcome', 'turn 1, exec_command 2: outcome']);
    const first = await play(recorded, { stopAtFirst: true });
    expect(placesOf(first)).toEqual(['turn 1, read_file 1: outcome']);
    expect(first.calls).toBe(1);
  });

  test('by the turn, when the model is told something else', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const config = {
      model_verbosity: 'low',
      tools: { exec_command: false },
      developer_instructions: 'Hurry.',
    } as const;
    const played = await play(recorded, { files: { ...FILES, 'AGENTS.md': 'Be kind.' }, config });
    expect(placesOf(played).filter((place) => place.startsWith('turn 1:'))).toEqual([
      'turn 1: prompt',
      'turn 1: tools',
      'turn 1: settings',
      'turn 1: context',
    ]);
    expect(played.found.find(({ what }) => what === 'context')?.diff).toMatch(/\+Hurry\.[^]*\+Be kind\./);
    const unchecked = await play(recorded, { files: { ...FILES, 'AGENTS.md': 'Be kind.' }, checkPrompt: false });
    expect(unchecked.found).toEqual([]);
  });

  test('by the rights, when a call is no longer confined as it was', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES, config: { sandbox_mode: 'workspace-write' } });
    const played = await play(recorded, {
      files: FILES,
      config: { sandbox_mode: 'danger-full-access' },
      checkPrompt: false,
    });
    expect(placesOf(played)).toEqual(['turn 1, read_file 1: rights', 'turn 1, exec_command 2: rights']);
    expect(played.found[1]?.diff).toContain('-attempt 1, confined\n+attempt 1, not confined');
  });

  test('by the end, and the calls that were not reached', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const played = await play(recorded, { files: FILES, config: { limits: { requests: 1 } }, checkPrompt: false });
    expect(placesOf(played)).toEqual(['turn 1: calls', 'turn 1: end']);
  });
});

describe('tools that are only played', () => {
  const SCRIPT: readonly ScriptedTurn[] = [
    { calls: [command('echo made > made.txt; seq 1 9000'), read('a.txt'), read('c.txt')] },
    { text: 'Done.' },
  ];

  test('give what they gave, and touch nothing', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const played = await play(recorded, { tools: 'recorded' });
    expect(played).toMatchObject({ ...SAME, calls: 3, found: [] });
    expect(existsSync(path.join(recorded.cwd, 'made.txt'))).toBe(true);
    expect(existsSync(path.join(played.cwd, 'made.txt'))).toBe(false);
  });

  test('are judged as always: what was allowed may be refused now', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES });
    const played = await play(recorded, {
      tools: 'recorded',
      config: { approval_policy: 'untrusted' },
      checkPrompt: false,
    });
    expect(placesOf(played)).toEqual(['turn 1, exec_command 1: questions', 'turn 1, exec_command 1: outcome']);
    expect(played.found[1]?.diff).toContain('+[rejected by policy]');
  });

  test('say so when a call that was refused would run now', async () => {
    const recorded = await record({ script: SCRIPT, files: FILES, config: { approval_policy: 'untrusted' } });
    const played = await play(recorded, {
      tools: 'recorded',
      config: { approval_policy: 'never' },
      checkPrompt: false,
    });
    expect(placesOf(played)).toEqual(['turn 1, exec_command 1: questions', 'turn 1, exec_command 1: outcome']);
    expect(played.found[1]?.diff).toContain('Now it would run.');
    expect(existsSync(path.join(played.cwd, 'made.txt'))).toBe(false);
  });
});

describe('questions', () => {
  const SCRIPT: readonly ScriptedTurn[] = [
    { calls: [command('echo one > one.txt'), command('echo two > two.txt')] },
    {},
  ];
  const UNTRUSTED: Config = { approval_policy: 'untrusted' };

  test('are answered as they were', async () => {
    const recorded = await record({
      script: SCRIPT,
      config: UNTRUSTED,
      approver: ({ presentation }) =>
        Promise.resolve(presentation.command?.includes('two') ? { kind: 'deny', note: 'not two' } : { kind: 'once' }),
    });
    const played = await play(recorded);
    expect(played.found).toEqual([]);
    expect(['one.txt', 'two.txt'].map((name) => existsSync(path.join(played.cwd, name)))).toEqual([true, false]);
    expect(answersIn(recorded)).toContain('not two');
  });

  test('that were not asked then are answered with no', async () => {
    const recorded = await record({ script: SCRIPT });
    const played = await play(recorded, { config: UNTRUSTED, checkPrompt: false, stopAtFirst: true });
    expect(placesOf(played)).toEqual(['turn 1, exec_command 1: questions']);
    expect(existsSync(path.join(played.cwd, 'one.txt'))).toBe(false);
  });

  test('that were not asked then are answered with no, also where somebody was there', async () => {
    const recorded = await record({
      script: [{ calls: [command('echo one > one.txt')] }, { calls: [command('pwd')] }, {}],
      config: UNTRUSTED,
      approver: () => Promise.resolve({ kind: 'once' }),
    });
    const rule: Rule = {
      kind: 'command',
      pattern: [['pwd']],
      exact: false,
      unconfined: false,
      decision: 'prompt',
      file: '/rules.toml',
      line: 1,
    };
    const rules = { load: async () => [rule] };
    const played = await play(recorded, { settingsFor: () => Promise.resolve({ ...recorded.settings, rules }) });
    expect(placesOf(played)).toEqual(['turn 1, exec_command 2: questions', 'turn 1, exec_command 2: outcome']);
    expect(played.found[1]?.diff).toContain('+[rejected by user]');
  });

  test('that were answered for good add nothing to the rules', async () => {
    const saved: unknown[] = [];
    const recorded = await record({
      script: [{ calls: [command('echo one > one.txt')] }, { calls: [command('echo one > one.txt')] }, {}],
      config: UNTRUSTED,
      approver: () => Promise.resolve({ kind: 'always' }),
    });
    const settingsFor = () =>
      Promise.resolve({
        ...recorded.settings,
        rules: { load: async () => [], save: (...given: unknown[]) => (saved.push(given), Promise.resolve([])) },
      });
    expect((await play(recorded, { settingsFor })).found).toEqual([]);
    expect(saved).toEqual([]);
  });
});

describe('a session that was stopped', () => {
  const WAITING: readonly ScriptedTurn[] = [{ calls: [read('a.txt'), command('echo begun > begun.txt; sleep 60')] }];

  async function interrupted(): Promise<Recorded> {
    return record({
      script: WAITING,
      files: FILES,
      async act({ session }, cwd) {
        const turn = session.send('Wait');
        await until(() => existsSync(path.join(cwd, 'begun.txt')));
        await session.interrupt();
        await turn;
      },
    });
  }

  test('by the user is stopped again, once it is as far', async () => {
    const recorded = await interrupted();
    expect(recorded.lines.at(-1)).toMatchObject({ type: 'turn.finished', status: 'interrupted' });
    const played = await play(recorded, { files: FILES });
    expect(played).toMatchObject({ ...SAME, turns: 1, calls: 2, found: [] });
  });

  test('with its program is played as far as it goes', async () => {
    const { lines, ...recorded } = await record({
      script: [{ calls: [read('a.txt')] }, { calls: [read('b.txt')] }, { text: 'Done.' }],
      files: FILES,
    });
    for (let count = 2; count < lines.length; count += 1) {
      const played = await play({ ...recorded, lines: lines.slice(0, count) }, { files: FILES });
      expect(played.found, `after ${count} lines`).toEqual([]);
      expect(played.isCutOff).toBe(lines.slice(0, count).some(({ type }) => type === 'turn.started'));
    }
  });

  describe('and went on in another process has lost its commands there, and so it has here', () => {
    const text = (words: string) =>
      ({ kind: 'input', role: 'user', content: [{ kind: 'text', text: words }] }) as const;
    const NEXT: readonly SessionLine[] = [
      { type: 'entry.said', origin: 'user', entry: text('On') },
      { type: 'item.received', item: { kind: 'message', text: 'Still here.' } },
      { type: 'response.read', wire: 'responses', stop: 'end' },
      { type: 'turn.finished', at: '', turn: 'session-2', status: 'completed', message: 'Still here.' },
    ];
    const STARTED: SessionLine = { type: 'turn.started', at: '', turn: 'session-2', wire: 'responses' };
    const NOTE: SessionLine = { type: 'entry.said', origin: 'turn', entry: text('The program was closed.') };

    test.each([
      ['when it was closed', (lines: readonly SessionLine[]) => [...lines, STARTED, ...NEXT]],
      [
        'when it was killed',
        (lines: readonly SessionLine[]) => [
          ...lines.filter(({ type }) => type !== 'program.ended'),
          STARTED,
          NOTE,
          ...NEXT,
        ],
      ],
    ])('%s', async (_, goOn) => {
      const recorded = await record({
        script: [{ calls: [command('sleep 60', { yield_time_ms: 250 })] }, { text: 'Runs.' }],
      });
      const agents: Agent[] = [];
      const onAgent = (agent: Agent): void => void agents.push(agent);
      const played = await play({ ...recorded, lines: goOn(recorded.lines) }, { onAgent });
      expect(played.found).toEqual([]);
      expect(agents).toHaveLength(2);
    });
  });
});

/** What calls were answered when they were recorded. */
function answersIn({ lines }: Recorded): string {
  const parts = lines.flatMap((line) => (line.type === 'call.settled' ? line.answer.content : []));
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
