import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished, expect, test } from 'vitest';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import { absolutePath } from '../../src/core/paths.js';
import { createLocalWorkspace } from '../../src/exec/local-workspace.js';
import type { RuntimeOptions } from '../../src/index.js';
import { commandRuntime } from '../support/commands.js';
import { tempFolder } from '../support/temp-folder.js';

/** A runtime whose login shell reads this profile. */
function withProfile(profile: string, options: RuntimeOptions = {}) {
  const home = tempFolder();
  const file = path.join(home, '.bash_profile');
  const write = (text: string, age: number): void => {
    writeFileSync(file, text);
    utimesSync(file, age, age);
  };
  write(profile, 1_000);
  const runtime = commandRuntime({
    environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, set: { HOME: home } },
    ...options,
  });
  onTestFinished(() => runtime.close());
  return {
    ...runtime,
    rewrite: (text: string) => write(text, 2_000),
    login: async (cmd: string) => (await runtime.call('exec_command', { cmd, shell: '/bin/bash' })).body,
  };
}

/** A workspace of its own, in the home of that shell. */
function workspaceWithProfile(profile: string) {
  const home = absolutePath(tempFolder());
  writeFileSync(path.join(home, '.bash_profile'), profile);
  const environmentPolicy = { ...DEFAULT_ENVIRONMENT_POLICY, set: { HOME: home } };
  const workspace = createLocalWorkspace(home, { environmentPolicy });
  onTestFinished(() => workspace.close());
  return { home, workspace };
}

test('a login shell has what its profile exports, defines and puts into the path', async () => {
  const { login } = withProfile('export GREETING=hello; PATH=/extra/bin:$PATH; greet() { echo "$GREETING $1"; }');
  expect(await login('greet you; case $PATH in /extra/bin:*) echo found;; esac')).toBe('hello you\nfound\n');
});

test('the profile is read once, not with every command', async () => {
  const { login } = withProfile('echo read >> ~/count');
  for (let run = 0; run < 3; run += 1) await login('true');
  expect(await login('cat ~/count')).toBe('read\n');
});

test('no profile is read for a command that may never come', async () => {
  const { home, workspace } = workspaceWithProfile('echo read >> ~/count');
  workspace.getReady?.();
  const shell = async (...argv: readonly string[]) =>
    (await workspace.spawn({ argv: ['/bin/bash', ...argv], cwd: home, onOutput: () => {} })).exit;
  expect(await shell('-c', 'test ! -e count')).toEqual({ kind: 'exited', code: 0 });
  expect(await shell('-lc', 'test "$(cat count)" = read')).toEqual({ kind: 'exited', code: 0 });
});

test('a profile that has changed is read again', async () => {
  const { login, rewrite } = withProfile('export VERSION=1');
  expect(await login('echo $VERSION')).toBe('1\n');
  rewrite('export VERSION=2');
  expect(await login('echo $VERSION')).toBe('2\n');
});

test.each([
  ['sets options', 'set -o pipefail', 'false | true; echo $?', '1\n'],
  ['changes the folder', 'cd /', 'pwd', '/\n'],
  ['changes the mask of new files', 'umask 077', 'umask', '0077\n'],
  ['sets a trap', "trap 'echo bye' EXIT", 'echo hi', 'hi\nbye\n'],
  ['sets a limit', 'ulimit -n 333', 'ulimit -n', '333\n'],
  ['has variables of its own', 'greeting=hello', 'echo $greeting', 'hello\n'],
  ['changes how words are split', 'IFS=:', 'x=a:b; set -- $x; echo $#', '2\n'],
  ['opens a file', 'exec 9< /etc/passwd', 'read -r line <&9 && echo read', 'read\n'],
])('a profile that %s runs as the shell it is', async (_, profile, cmd, body) => {
  expect(await withProfile(profile).login(cmd)).toBe(body);
});

test('a profile that fails, talks or hangs on to its output stands in nobody’s way', async () => {
  const { login } = withProfile('echo welcome; echo oops >&2; false; sleep 60 &\nexport AFTER=1');
  expect(await login('echo $AFTER')).toBe('1\n');
});

test('a profile that leaves something running and ends the shell holds nobody up', async () => {
  expect(await withProfile('sleep 60 &\nexit 0').login('echo not reached')).toBe('');
});

test('a profile that hangs counts into the time of a command', async () => {
  const runtime = withProfile('sleep 60');
  const { text } = await runtime.call('shell', { command: ['bash', '-lc', 'true'], timeout_ms: 300 });
  expect(JSON.parse(text)).toMatchObject({
    output: 'command timed out after 300 milliseconds\n',
    metadata: { exit_code: 124 },
  });
});

test('functions of a profile are those of the shell, not of every script it runs', async () => {
  const { login } = withProfile('ls() { echo mine; }; get_token() { echo token; }');
  expect(await login('ls; get_token; bash -c "type ls"; env | grep -c TENON_LOGIN')).toMatch(
    /^mine\ntoken\nls is \/.*\n0\n$/,
  );
});

test('secrets are kept back also where the profile runs with every command', async () => {
  const { login } = withProfile('export API_TOKEN=sesame PLAIN=1; umask 077');
  expect(await login('echo "[$API_TOKEN][$PLAIN]"; umask')).toBe('[][1]\n0077\n');
});

test('a file of the workspace that is called like a shell is run as it is, and once', async () => {
  const runtime = withProfile('');
  const file = path.join(runtime.folder, 'bash');
  writeFileSync(file, '#!/bin/sh\necho "$PWD $@" >> "$PWD/log"\n', { mode: 0o755 });
  await runtime.call('shell', { command: [file, '-lc', 'ls'] });
  await runtime.call('shell', { command: ['./bash', '-lc', 'ls'] });
  expect((await runtime.call('shell', { command: ['cat', 'log'] })).text).toContain(
    JSON.stringify(`${runtime.folder} -lc ls\n${runtime.folder} -lc ls\n`),
  );
  expect(runtime.record.of('verdict.reached').map(({ effects }) => 'commands' in (effects[0] ?? {}))).toEqual([
    false,
    false,
    false,
  ]);
});

test('a profile that ends the shell is left to do so', async () => {
  expect(await withProfile('exit 3').login('echo not reached')).toBe('');
});

test('what a profile starts is owned like anything else', async () => {
  const runtime = withProfile('sleep 60 > /dev/null 2>&1 &');
  await runtime.login('true');
  // For a moment it still goes by the name of the shell that starts it.
  let processes = await runtime.processes();
  while (processes.some(({ command }) => command.includes('bash'))) processes = await runtime.processes();
  expect(processes).toMatchObject([{ label: 'login1', command: 'sleep 60' }]);
  await runtime.close();
  expect(await runtime.processes()).toEqual([]);
});

test('secrets that a profile exports are kept back, and so are pagers', async () => {
  const { login } = withProfile('export API_TOKEN=sesame PAGER=less PLAIN=1');
  expect(await login('echo "[$API_TOKEN][$PAGER][$PLAIN]"')).toBe('[][cat][1]\n');
});

test('values with line breaks and odd characters come through', async () => {
  const { login } = withProfile(`export ODD=$'a\\nb  c="d"\\t$x'`);
  expect(await login('printf %s "$ODD"')).toBe('a\nb  c="d"\t$x');
});

test('a home that cannot be looked into is no reason to fail', async () => {
  const runtime = commandRuntime({
    environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, set: { HOME: '/etc/passwd' } },
  });
  expect((await runtime.call('exec_command', { cmd: 'echo hi', shell: '/bin/bash' })).body).toBe('hi\n');
});

test('a profile that redefines the words we use gains nothing by it', async () => {
  const { login } = withProfile('unset() { :; }; eval() { :; }; export API_TOKEN=sesame; umask 077');
  expect(await login('echo "[$API_TOKEN]"')).toBe('[]\n');
});

test('a shell that is no login shell reads no profile', async () => {
  const runtime = withProfile('export GREETING=hello');
  const { body } = await runtime.call('exec_command', { cmd: 'echo "[$GREETING]"', shell: '/bin/bash', login: false });
  expect(body).toBe('[]\n');
});
