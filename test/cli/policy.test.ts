import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { absolutePath, openRules } from '../../src/index.js';
import { runCli } from '../support/cli.js';
import { NOT_HERE } from '../support/commands.js';
import { tempFolder } from '../support/temp-folder.js';

/** A sandbox that cannot work here: whatever runs, runs by a rule. */
const NO_SANDBOX = ['-c', `sandbox_policy=${NOT_HERE}`];

const RULES = `
[[command]]
pattern = ["git", "push"]
decision = "forbidden"
justification = "open a pull request instead"
match = ["git push origin"]

[[path]]
read = ["secrets.txt"]
decision = "forbidden"
`;

/** A home with rules and a project beside it. */
function setUp({ rules = '', projectRules = '' } = {}) {
  const folder = tempFolder();
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [path.join(home, 'rules'), path.join(cwd, '.git'), path.join(cwd, '.tenon/rules')])
    mkdirSync(each, { recursive: true });
  if (rules !== '') writeFileSync(path.join(home, 'rules/mine.toml'), rules);
  if (projectRules !== '') writeFileSync(path.join(cwd, '.tenon/rules/own.toml'), projectRules);
  return { home, cwd, run: (...args: string[]) => runCli(args, { home, cwd }) };
}

const FORBIDDING =
  '[[command]]\npattern = ["git", "push"]\ndecision = "forbidden"\njustification = "open a pull request"\n';

describe('tenon policy explain', () => {
  test('tells the verdict, the deciding rule with its place, effects and parts', async () => {
    const { run, home, cwd } = setUp({ rules: FORBIDDING });
    const { code, stdout, stderr } = await run('policy', 'explain', '--', 'ls && sudo git -C . push');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'Refused.',
      `  \`git -C . push\` rejected: open a pull request. If it is needed, ask the user to run it. Commands that need no network and changes inside ${cwd} are allowed.`,
      `  Decided by: command \`git push\` (${home}/rules/mine.toml:1)`,
      '',
      'Effects:',
      expect.stringMatching(/^ {2}runs \[".*sh","-lc","ls && sudo git -C \. push"\] in /),
      '',
      'Parts:',
      '  known to be safe    command  ls',
      '  left to the policy  command  sudo git -C . push',
      '  forbidden           command  git -C . push',
      `${' '.repeat(31)}open a pull request (${home}/rules/mine.toml:1)`,
      '',
    ]);
    expect(stdout).toContain(cwd);
  });

  test('takes a program with its arguments as they are', async () => {
    const { run } = setUp({ rules: FORBIDDING });
    const { stdout } = await run('policy', 'explain', '--json', '--', 'echo', 'git push; $(git push)');
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'allow',
      confined: true,
      rule: { name: 'known-safe' },
      findings: [{ kind: 'command', decision: 'safe' }],
      effects: [{ kind: 'exec', argv: ['echo', 'git push; $(git push)'] }],
    });
  });

  test('judges files, hosts and remote tools, each as it would be touched', async () => {
    const { run, cwd } = setUp({
      rules: `
        [[path]]
        read = ["**/*.pem"]
        decision = "forbidden"
        [[host]]
        host = "example.com"
        decision = "allow"
        [[mcp]]
        tool = "github/*"
        decision = "allow"`,
    });
    const verdict = async (...args: string[]) => JSON.parse((await run('policy', 'explain', '--json', ...args)).stdout);
    expect(await verdict('--read', 'a/key.pem')).toMatchObject({
      kind: 'deny',
      effects: [{ path: `${cwd}/a/key.pem` }],
    });
    expect(await verdict('--read', 'a/key.txt')).toMatchObject({ kind: 'allow' });
    expect(await verdict('--write', 'a', '--write', '/etc/x')).toMatchObject({
      kind: 'ask',
      grants: [{ kind: 'write', path: '/etc/x' }],
      proposal: [{ kind: 'write', path: '/etc/x' }],
    });
    expect(await verdict('--connect', 'example.com')).toMatchObject({ kind: 'allow' });
    expect(await verdict('--mcp', 'github/create_issue')).toMatchObject({ kind: 'allow', confined: false });
    expect(await verdict('--escalate', 'May I?', '-s', 'read-only', '--', 'ls')).toMatchObject({
      kind: 'ask',
      rule: { name: 'escalation-requested' },
    });
  });

  test('goes by the policy and mode that are asked for', async () => {
    const { run } = setUp();
    const first = async (...args: string[]) =>
      (await run('policy', 'explain', ...args, '--', 'make')).stdout.split('\n')[0];
    expect(await first('-s', 'danger-full-access')).toBe('Allowed, without a sandbox.');
    expect(await first('-s', 'danger-full-access', '-a', 'untrusted')).toBe('Asked about, without a sandbox.');
    expect(await first()).toBe('Allowed, inside the sandbox.');
    expect(await first('-a', 'never')).toBe('Allowed, inside the sandbox.');
    expect(await first('-a', 'untrusted')).toBe('Asked about, inside the sandbox.');
    expect(await first(...NO_SANDBOX)).toBe('Asked about, without a sandbox.');
    expect(await first(...NO_SANDBOX, '-a', 'never')).toBe('Refused.');
  });

  test('does nothing', async () => {
    const { run, cwd } = setUp();
    await run('policy', 'explain', '-s', 'danger-full-access', '--', 'touch made > also-made');
    const { stdout } = await runCli(['call', 'read_file', '{"path": "made"}'], { cwd });
    expect(stdout).toMatch(/no such file/);
  });

  test.each([
    [['policy', 'explain'], /nothing to explain: give a command after --/],
    [['policy', 'explain', '--mcp', 'x'], /--mcp x: write it as SERVER\/TOOL/],
    [['policy', 'explain', '-C', 'nowhere', '--', 'ls'], /--cd nowhere: there is no such folder/],
    [['policy', 'explain', '-a', 'sometimes', '--', 'ls'], /approval_policy/],
    [['policy', 'frobnicate'], /unknown command/],
    [['policy', 'check'], /missing required argument 'file'/],
  ])('a wrong turn is told: %j', async (args, message) => {
    const { code, stderr } = await setUp().run(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
});

describe('rules', () => {
  test('are obeyed by a call, and the model reads why', async () => {
    const { run } = setUp({ rules: FORBIDDING });
    const { code, stdout } = await run('call', 'exec_command', '{"cmd": "git push"}', '-s', 'danger-full-access');
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout:
        '`git push` rejected: open a pull request. If it is needed, ask the user to run it. Commands that are not dangerous ' +
        'run without asking.',
    });
  });

  test('that allow let a call run where nobody can be asked', async () => {
    const { run } = setUp({ rules: '[[command]]\npattern = ["echo"]\ndecision = "allow"\n' });
    const call = (command: string) =>
      run('call', 'shell_command', JSON.stringify({ command, login: false }), '-a', 'never', ...NO_SANDBOX);
    expect(await call('echo hello')).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') });
    expect(await call('printf hello')).toMatchObject({ code: 3, stdout: expect.stringMatching(/^sandbox could not/) });
  });

  test('that cannot be read stop the run with file, line and reason', async () => {
    const { run, home } = setUp({ rules: '[[command]]\npattern = ["ls"]\ndecision = "maybe"\n' });
    const { code, stdout } = await run('call', 'exec_command', '{"cmd": "ls"}', '-s', 'danger-full-access');
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^Fatal error: ${home}/rules/mine\\.toml:3: .*decision`));
    const explained = await run('policy', 'explain', '--', 'ls');
    expect(explained).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('mine.toml:3: ') });
  });

  test('are not even read by a call that touches nothing', async () => {
    const { run } = setUp({ rules: 'not toml at all [' });
    const { code } = await run('call', 'update_plan', '{"plan": [{"step": "x", "status": "pending"}]}');
    expect(code).toBe(0);
  });
});

describe('tenon policy test and check', () => {
  test('hold every rule against its examples', async () => {
    const { run, home } = setUp({ rules: `${FORBIDDING}match = ["git push"]\nnot_match = ["git pull"]\n` });
    const { code, stdout } = await run('policy', 'test');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${home}/rules/mine.toml: 1 rule, 2 examples, all as they should be\n`,
    });
  });

  test('tell every problem, not only the first', async () => {
    const { run, cwd } = setUp();
    const file = path.join(cwd, 'draft.toml');
    writeFileSync(file, `${FORBIDDING}match = ["git pull"]\n\n[[comand]]\npattern = ["x"]\n`);
    const { code, stdout } = await run('policy', 'check', 'draft.toml');
    expect(code).toBe(1);
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^\/.*draft\.toml:5: .*git pull/),
      expect.stringMatching(/^\/.*draft\.toml:7: .*command/),
    ]);
    const { stdout: json } = await run('policy', 'check', '--json', 'draft.toml');
    expect(JSON.parse(json)).toMatchObject({ file, problems: [{ line: 5 }, { line: 7 }] });
  });

  test('a file that is not there is a problem too', async () => {
    const { code, stdout } = await setUp().run('policy', 'check', 'nowhere.toml');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/nowhere\.toml:1: it cannot be read/) });
  });

  test('no rules is nothing wrong', async () => {
    const { run, home } = setUp();
    expect(await run('policy', 'test')).toEqual({
      code: 0,
      stdout: `There are no rules in ${home}/rules.\n`,
      stderr: '',
    });
  });
});

describe("a project's own rules", () => {
  test('hold only once the project is trusted, and are announced until then', async () => {
    const { run, cwd } = setUp({ projectRules: RULES });
    const explain = () => run('policy', 'explain', '--', 'cat secrets.txt');
    const before = await explain();
    expect(before.stdout).toMatch(/^Allowed, inside the sandbox/);
    expect(before.stderr).toMatch(/not trusted: \.tenon\/rules\/own\.toml/);
    expect((await run('trust')).code).toBe(0);
    const after = await explain();
    expect(after).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^Refused/) });
    expect(after.stdout).toContain(`${cwd}/.tenon/rules/own.toml:8`);
    expect((await run('policy', 'test')).stdout).toMatch(/own\.toml: 2 rules, 1 example/);
    await run('trust', '--revoke');
    expect((await explain()).stdout).toMatch(/^Allowed, inside the sandbox/);
  });

  test('that say nonsense do no harm until then', async () => {
    const { run } = setUp({ projectRules: 'nonsense' });
    expect((await run('call', 'read_file', '{"path": "x"}')).stdout).toMatch(/no such file/);
    await run('trust');
    expect((await run('call', 'read_file', '{"path": "x"}')).stdout).toMatch(/^Fatal error: .*own\.toml:1/);
  });
});

test('the rule that "always" writes is found by the next run', async () => {
  const { home, cwd, run } = setUp();
  await openRules({ home }).save([{ kind: 'command', words: ['printf', 'it works'], cwd: absolutePath(cwd) }]);
  expect(readFileSync(path.join(home, 'rules/approved.toml'), 'utf8')).toContain('pattern = ["printf", "it works"]');
  const call = (command: string) =>
    run('call', 'shell_command', JSON.stringify({ command, login: false }), '-a', 'never', ...NO_SANDBOX);
  expect((await call("printf 'it works'")).stdout).toContain('it works');
  expect(await call("printf 'it works' more")).toMatchObject({ code: 3 });
});
