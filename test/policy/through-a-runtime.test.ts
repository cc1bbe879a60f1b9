import { expect, test } from 'vitest';

import { ConfigError } from '../../src/index.js';
import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { commandRuntime } from '../support/commands.js';

async function runtimeWith(toml: string) {
  const { rules, problems } = await readRuleFile(toml, { file: 'rules.toml', home: '/home/u' });
  expect(problems).toEqual([]);
  // A shell that takes commands from its input is asked about where rules restrict some.
  return commandRuntime({ rules: { load: async () => rules }, approver: async () => ({ kind: 'once' }) });
}

test('a rule for what is typed into a program finds it behind the shell that started it', async () => {
  const runtime = await runtimeWith('[[typed]]\ntext = ["DROP *"]\nprogram = ["cat"]\ndecision = "forbidden"\n');
  const { session } = await runtime.call('exec_command', { cmd: 'cat', tty: true, login: false });
  const type = (chars: string) => runtime.call('write_stdin', { session_id: session, chars });
  expect((await type('SELECT 1\n')).body).toContain('SELECT 1');
  expect((await type('DROP TABLE x\n')).text).toMatch(/^`DROP TABLE x` rejected: policy forbids typing DROP \*\./);
  expect((await type('DROP ')).result.outcome.kind).toBe('rejected');
});

test('a forbidden command cannot be typed in pieces', async () => {
  const runtime = await runtimeWith('[[command]]\npattern = ["git", "push"]\ndecision = "forbidden"\n');
  const { session } = await runtime.call('exec_command', { cmd: 'bash --norc', tty: true, login: false });
  const type = (chars: string) => runtime.call('write_stdin', { session_id: session, chars });
  expect((await type('git p')).result.outcome.kind).toBe('completed');
  expect((await type('ush\n')).text).toMatch(/^`git push` rejected: /);
  expect((await type('ull --help\n')).result.outcome.kind).toBe('completed');
});

test('a forbidden command cannot be typed by two calls at once', async () => {
  const runtime = await runtimeWith('[[command]]\npattern = ["git", "push"]\ndecision = "forbidden"\n');
  const { session } = await runtime.call('exec_command', { cmd: 'bash --norc', tty: true, login: false });
  const typed = ['git p', 'ush\n'].map((chars) => runtime.call('write_stdin', { session_id: session, chars }));
  const outcomes = (await Promise.all(typed)).map(({ result }) => result.outcome);
  expect(outcomes).toMatchObject([{ kind: 'completed' }, { kind: 'rejected', by: 'policy' }]);
});

test('rules that could not be read are read again by the next call', async () => {
  let broken = true;
  const load = async () => {
    if (broken) throw new ConfigError('rules.toml:1: broken');
    return [];
  };
  const runtime = commandRuntime({ rules: { load } });
  const read = () => runtime.call('read_file', { path: 'nowhere' });
  expect((await read()).result.outcome).toEqual({ kind: 'fatal', message: 'rules.toml:1: broken' });
  broken = false;
  expect((await read()).result.outcome.kind).toBe('failed');
});

test('nobody is asked about typing into a session that does not exist', async () => {
  const runtime = await runtimeWith('[[typed]]\ntext = "*"\ndecision = "forbidden"\n');
  const { text } = await runtime.call('write_stdin', { session_id: 5, chars: 'x\n' });
  expect(text).toMatch(/Unknown process id 5/);
});
