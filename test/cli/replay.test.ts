import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { Divergence } from '../../src/index.js';
import type { ModelScript } from '../../src/testing/index.js';
import { finished, runCli, startCli } from '../support/cli.js';
import type { CliResult } from '../support/cli.js';
import { scriptedModel } from '../support/model-server.js';
import { tempFolder } from '../support/temp-folder.js';

const EXAMPLES = path.join(import.meta.dirname, '../../examples');
const SAMPLE = path.join(EXAMPLES, 'night-shift.jsonl');

type Place = { readonly home: string; readonly cwd: string };

/** A copy of the sample project, and a home in which nothing is said. */
function place(): Place {
  const [home, cwd] = [tempFolder(), path.join(tempFolder(), 'project')];
  cpSync(path.join(EXAMPLES, 'night-shift'), cwd, { recursive: true });
  return { home, cwd };
}

function replay({ home, cwd }: Place, ...args: readonly string[]): Promise<CliResult> {
  return runCli(['replay', ...args], { home, cwd });
}

function sessionsIn(home: string): readonly string[] {
  return readdirSync(path.join(home, 'sessions')).flatMap((name) => /^(.*)\.jsonl$/.exec(name)?.[1] ?? []);
}

const QUIET = ['-C', '.', '--no-prompt-check', '--json'];

/** Each difference as its place and what it is, and the last line. */
function told(stdout: string): { readonly found: readonly string[]; readonly counts: unknown } {
  const lines = stdout.trimEnd().split('\n');
  const counts = JSON.parse(lines.pop() ?? '') as unknown;
  const found = lines.map((line) => JSON.parse(line) as Divergence);
  return { found: found.map(({ turn, call, what }) => `${turn}.${call?.number ?? 0} ${call?.name}: ${what}`), counts };
}

function writeRule({ home }: Place, rule: string): void {
  mkdirSync(path.join(home, 'rules'), { recursive: true });
  writeFileSync(path.join(home, 'rules/strict.toml'), rule);
}

describe('the sample', () => {
  test('goes as it was recorded, and does what it did', async () => {
    const at = place();
    const { code, stdout, stderr } = await replay(at, SAMPLE, '-C', '.', '--no-prompt-check');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the same: 1 turn, 8 calls.\n' });
    expect(stderr).toContain('FAILED   work that ends after midnight');
    expect(readFileSync(path.join(at.cwd, 'src/totals.js'), 'utf8')).toContain('minutes + DAY');
  });

  test('can be played without running anything', async () => {
    const at = place();
    const { code, stdout } = await replay(at, SAMPLE, ...QUIET, '--tools', 'recorded');
    const counts = { type: 'replay.finished', turns: 1, calls: 8, divergences: 0, cut_off: false };
    expect({ code, ...told(stdout) }).toEqual({ code: 0, found: [], counts });
    expect(readFileSync(path.join(at.cwd, 'src/totals.js'), 'utf8')).not.toContain('DAY');
  });

  test('differs in nothing but what the model is told, whatever that has become', async () => {
    const { stdout } = await replay(place(), SAMPLE, '-C', '.', '--json');
    const others = told(stdout).found.filter((found) => !/^1\.0 .*: (prompt|tools|settings|context)$/.test(found));
    expect(others).toEqual([]);
  });

  test('tells nothing of the machine it was made on', () => {
    expect(readFileSync(SAMPLE, 'utf8')).not.toMatch(/\/(?:tmp|home|root|work|Users|var)\//);
  });
});

describe('a difference is shown where it is', () => {
  test('when a file has changed', async () => {
    const at = place();
    writeFileSync(path.join(at.cwd, 'week.txt'), 'mon 09:00-10:00 nothing\n');
    const { code, stdout } = await replay(at, SAMPLE, '-C', '.', '--no-prompt-check');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^turn 1, call 8 \(exec_command\): it was answered something else\n/);
    expect(stdout).toMatch(/ {2}-deploying {2}3h 30m\n {2}\+nothing {2}1h 0m\n/);
    expect(stdout).toMatch(/1 difference: 1 turn, 8 calls\.\n$/);
  });

  test('when a rule has become stricter', async () => {
    const at = place();
    writeRule(at, '[[command]]\npattern = ["node"]\ndecision = "forbidden"\njustification = "not today"\n');
    const { code, stdout } = await replay(at, SAMPLE, ...QUIET);
    expect(code).toBe(1);
    expect(told(stdout).found).toEqual([
      '1.5 exec_command: outcome',
      '1.7 exec_command: outcome',
      '1.8 exec_command: outcome',
    ]);
    expect(stdout).toContain('not today');
    const { cwd } = place();
    expect((await replay({ ...at, cwd }, SAMPLE, ...QUIET, '--ignore-rules')).code).toBe(0);
  });

  test('when a setting or a flag gives fewer rights', async () => {
    const at = place();
    const expected = ['1.6 apply_patch: outcome', '1.7 exec_command: outcome', '1.8 exec_command: answer'];
    expect(told((await replay(at, SAMPLE, ...QUIET, '-s', 'read-only')).stdout).found).toEqual(expected);
    writeFileSync(path.join(at.home, 'config.toml'), 'sandbox_mode = "read-only"\n');
    expect(told((await replay(at, SAMPLE, ...QUIET)).stdout).found).toEqual(expected);
    expect((await replay(at, SAMPLE, ...QUIET, '--ignore-user-config')).code).toBe(0);
  });

  test('when the model is told something else, unless nobody wants to know', async () => {
    const at = place();
    writeFileSync(path.join(at.cwd, 'AGENTS.md'), 'Write in verse.\n');
    const { code, stdout } = await replay(at, SAMPLE, '-C', '.', '--tools', 'recorded');
    expect(code).toBe(1);
    expect(stdout).toMatch(/turn 1: the model was told something else[^]*\+Write in verse\./);
    expect((await replay(at, SAMPLE, ...QUIET, '--tools', 'recorded')).code).toBe(0);
  });

  test('only the first of them', async () => {
    const at = place();
    writeFileSync(path.join(at.cwd, 'package.json'), '{ "type": "module", "name": "other" }\n');
    writeFileSync(path.join(at.cwd, 'week.txt'), 'mon 09:00-10:00 nothing\n');
    const first = await replay(at, SAMPLE, ...QUIET, '--stop');
    expect({ code: first.code, ...told(first.stdout) }).toMatchObject({ code: 1, found: ['1.2 read_file: answer'] });
  });

  test('only what is not ignored, line by line', async () => {
    const [at, again] = [place(), place()];
    for (const { cwd } of [at, again]) {
      const file = path.join(cwd, 'week.txt');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('deploying', 'sleeping'));
    }
    expect((await replay(at, SAMPLE, ...QUIET)).code).toBe(1);
    expect((await replay(again, SAMPLE, ...QUIET, '--ignore', '^\\w+ +3h 30m$')).code).toBe(0);
  });
});

describe('a session of one’s own', () => {
  async function recorded(
    script: ModelScript,
    ...flags: readonly string[]
  ): Promise<Place & { readonly file: string }> {
    const at = { ...place(), file: path.join(tempFolder(), 'mine.jsonl') };
    const { baseUrl } = await scriptedModel(script);
    const server = ['-m', 'a-model', '-c', 'model_provider=mine', '-c', `model_providers.mine.base_url="${baseUrl}"`];
    const { code } = await runCli(['exec', 'Do it', '--record', at.file, ...server, ...flags], at);
    expect(code).toBe(0);
    return at;
  }

  const PATCH = `*** Begin Patch
*** Add File: new.txt
+new
*** End Patch`;
  const SCRIPT = [{ calls: [{ name: 'apply_patch', arguments: { input: PATCH } }] }, { text: 'Done.' }];

  test('is found by its id, in its own folder, and by its file', async () => {
    const at = await recorded(SCRIPT);
    const id = (JSON.parse(readFileSync(at.file, 'utf8').split('\n', 1)[0] ?? '') as { id: string }).id;
    const elsewhere = { home: at.home, cwd: tempFolder() };
    const once = await replay(elsewhere, id.slice(0, -2), '--json');
    // What it made is still there.
    expect({ code: once.code, ...told(once.stdout) }).toMatchObject({ code: 1, found: ['1.1 apply_patch: answer'] });
    expect((await replay(elsewhere, at.file, '--json', '-C', place().cwd)).code).toBe(0);
  });

  test('that went on in another process is played as a whole', async () => {
    const leave = { name: 'exec_command', arguments: { cmd: 'sleep 60', login: false, yield_time_ms: 250 } };
    const at = await recorded([{ calls: [leave] }, { text: 'It runs.' }, ...SCRIPT]);
    expect((await runCli(['exec', 'resume', '--last', 'Go on'], at)).code).toBe(0);
    const [id = ''] = sessionsIn(at.home);
    const { code, stdout } = await replay({ home: at.home, cwd: place().cwd }, id, '-C', '.');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'the same: 2 turns, 2 calls.\n' });
  });

  test('that ran without a sandbox does so again only if that is said', async () => {
    const at = await recorded(SCRIPT, '-s', 'danger-full-access');
    const { cwd } = place();
    const refused = await replay(at, at.file, '-C', cwd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('said: sandbox_mode. If') as string });
    expect(existsSync(path.join(cwd, 'new.txt'))).toBe(false);
    expect((await replay(at, at.file, '-C', cwd, '--tools', 'recorded')).code).toBe(0);
    expect((await replay(at, at.file, '-C', cwd, '-s', 'danger-full-access')).code).toBe(0);
    expect(existsSync(path.join(cwd, 'new.txt'))).toBe(true);
  });

  test('gets no other rights by its own word either, unless it is trusted or was kept here', async () => {
    const outside = tempFolder();
    const wanted = ['--add-dir', outside, '--ignore-rules', '-c', 'sandbox_workspace_write.network_access=true'];
    const at = await recorded(SCRIPT, ...wanted, '-c', 'shell_environment_policy.inherit="all"', '-m', 'other');
    const refused = await replay(at, at.file, '-C', place().cwd);
    expect(refused.code).toBe(2);
    expect(refused.stdout).toBe('');
    for (const right of ['network_access', 'shell_environment_policy', `--add-dir ${outside}`, '--ignore-rules'])
      expect(refused.stderr).toContain(right);
    expect(refused.stderr).not.toContain('model');
    expect((await replay(at, at.file, '-C', place().cwd, '--trust')).code).toBe(0);
    const [id = ''] = sessionsIn(at.home);
    expect((await replay(at, id, '-C', place().cwd)).code).toBe(0);
  });

  test('gets none of yours by the name of a profile', async () => {
    const at = place();
    const profile = '[profiles.free]\nsandbox_mode = "danger-full-access"\n';
    writeFileSync(path.join(at.home, 'config.toml'), profile);
    const theirs = await recorded(SCRIPT);
    writeFileSync(theirs.file, readFileSync(theirs.file, 'utf8').replace('"said":{', '"said":{"profile":"free",'));
    const refused = await replay(at, theirs.file, '-C', at.cwd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('said: profile. If') as string });
  });

  test('starts no program and writes no file by its settings where nothing is to be run', async () => {
    const run = { name: 'exec_command', arguments: { cmd: 'true', login: false } };
    const at = await recorded([{ calls: [run] }, { text: 'Done.' }]);
    const [ran = '', log = '', engine = ''] = ['ran', 'log', 'engine'].map((name) => path.join(tempFolder(), name));
    writeFileSync(engine, `#!/bin/sh\necho > ${ran}\n`, { mode: 0o755 });
    const said = {
      sandbox_policy: 'docker',
      'sandbox.container_engine': engine,
      'tool_security.audit_log_path': log,
      // No log may lie where commands write.
      'sandbox_workspace_write.exclude_slash_tmp': true,
      'sandbox_workspace_write.exclude_tmpdir_env_var': true,
    };
    const more = JSON.stringify(said).slice(1, -1);
    writeFileSync(at.file, readFileSync(at.file, 'utf8').replace('"said":{', `"said":{${more},`));
    await replay(at, at.file, '-C', place().cwd, '--tools', 'recorded');
    expect([existsSync(ran), existsSync(log)]).toEqual([false, false]);
    await replay(at, at.file, '-C', place().cwd, '--tools', 'recorded', '--trust');
    expect([existsSync(ran), existsSync(log)]).toEqual([true, true]);
  });

  test('that is less than what is said today is simply that', async () => {
    const at = await recorded([{ text: 'Nothing to do.' }], '-s', 'read-only', '-a', 'never');
    expect(await replay(at, at.file, '-C', place().cwd)).toMatchObject({ code: 0 });
  });

  test('does not say yes in the place of whoever plays it', async () => {
    const at = await recorded(SCRIPT);
    const asked = { at: '2026-01-01T00:00:00.000Z', callId: 'call_1_0', id: 'call_1_0' };
    const yes = [
      { type: 'question.asked', ...asked, title: 'Run a command', reason: 'it asks to' },
      { type: 'question.decided', ...asked, decision: 'once' },
    ];
    const lines = readFileSync(at.file, 'utf8').split('\n');
    const started = lines.findIndex((line) => line.startsWith('{"type":"call.started"'));
    lines.splice(started + 1, 0, ...yes.map((line) => JSON.stringify(line)));
    writeFileSync(at.file, lines.join('\n'));
    const refused = await replay(at, at.file, '-C', place().cwd);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('said: a yes to a question.') as string });
  });

  test('ends when somebody stops it', async () => {
    const wait = { name: 'exec_command', arguments: { cmd: 'cat go 2>/dev/null || sleep 60', login: false } };
    const at = place();
    writeFileSync(path.join(at.cwd, 'go'), '');
    const { baseUrl } = await scriptedModel([{ calls: [wait] }, { text: 'Done.' }]);
    const file = path.join(tempFolder(), 'mine.jsonl');
    const server = ['-m', 'a-model', '-c', 'model_provider=mine', '-c', `model_providers.mine.base_url="${baseUrl}"`];
    await runCli(['exec', 'Wait', '--record', file, ...server], at);
    const child = startCli(['replay', file, '-C', place().cwd], { home: at.home });
    child.stdin.end();
    child.stderr.on(
      'data',
      (text: Buffer) => !child.killed && text.toString().includes('sleep 60') && child.kill('SIGINT'),
    );
    expect(await finished(child)).toMatchObject({ code: 130, stdout: '' });
  });
});

describe('what cannot be played is refused', () => {
  const [created = '', ...lines] = readFileSync(SAMPLE, 'utf8').trimEnd().split('\n');

  const WRONG: Readonly<Record<string, readonly [text: string | undefined, words: RegExp]>> = {
    'a file that is not there': [undefined, /the recording .+ cannot be read: there is no such file\n/],
    'an empty file': ['', /holds no session/],
    'a file of something else': ['one\ntwo\n', /line 1: it is no line of a session/],
    'a line that is wrong': [
      `${created}\n{"type":"call.started"}\n${lines[0]}\n`,
      /line 2: a line call\.started is not/,
    ],
    'one of a newer version': [`${created.replace('"v":1', '"v":2')}\n`, /a newer Tenon/],
    'one whose folder is gone': [`${created}\n`, /the folder of the session, \/project, is gone/],
  };

  test.each(Object.entries(WRONG))('%s', async (_, [text, words]) => {
    const file = path.join(tempFolder(), 'wrong.jsonl');
    if (text !== undefined) writeFileSync(file, text);
    const { code, stderr } = await replay(place(), file);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(words) as string });
  });

  test('and so are flags that make no sense', async () => {
    const at = place();
    expect(await replay(at, SAMPLE, '--ignore', '(')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--ignore (: ') as string,
    });
    expect((await replay(at, SAMPLE, '--tools', 'none')).code).toBe(2);
    expect((await replay(at, 'no-such-session')).stderr).toContain('there is no session "no-such-session"');
  });

  test('but what a crash has left is played as far as it goes', async () => {
    const at = place();
    const file = path.join(tempFolder(), 'half.jsonl');
    writeFileSync(file, `${[created, ...lines.slice(0, 30)].join('\n')}\n${lines[30]?.slice(0, 20)}`);
    const { code, stdout } = await replay(at, file, '-C', '.', '--no-prompt-check');
    expect(code).toBe(0);
    expect(stdout).toContain('The recording is cut off; what is there was played.');
  });
});
