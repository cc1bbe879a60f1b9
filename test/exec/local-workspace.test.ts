import { describe, expect, test } from 'vitest';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import type { Confine, EnvironmentPolicy } from '../../src/index.js';
import { commandRuntime } from '../support/commands.js';

const plain = { login: false, shell: '/bin/bash' };
const SHOW_MARKS = 'echo "[$TENON_SANDBOX][${TENON_SANDBOX_NETWORK_DISABLED-absent}]"';

describe('a command sees what confines it', () => {
  const marking =
    (network: boolean): Confine =>
    (workspace) => ({
      ...workspace,
      spawn: (command) => workspace.spawn({ ...command, sandbox: { name: 'fence', network } }),
    });

  test.each([
    [false, '[fence][1]\n'],
    [true, '[fence][absent]\n'],
  ])('with network: %j', async (network, body) => {
    const runtime = commandRuntime({ sandboxMode: 'workspace-write', confine: marking(network) });
    expect((await runtime.call('exec_command', { cmd: SHOW_MARKS, ...plain })).body).toBe(body);
  });

  test('and nothing of the kind where nothing does', async () => {
    expect((await commandRuntime().call('exec_command', { cmd: SHOW_MARKS, ...plain })).body).toBe('[][absent]\n');
  });
});

describe('the environment follows its policy', () => {
  async function variables(change: Partial<EnvironmentPolicy>) {
    const runtime = commandRuntime({ environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, ...change } });
    const { body } = await runtime.call('exec_command', { cmd: 'env', ...plain });
    // A shell adds these by itself.
    return body
      .trim()
      .split('\n')
      .map((line) => line.replace(/=.*/, ''))
      .filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))
      .toSorted();
  }
  const FORCED = ['COLORTERM', 'GH_PAGER', 'GIT_PAGER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'NO_COLOR', 'PAGER', 'TERM'];

  test('nothing is inherited when that was asked for, but what every command gets', async () => {
    expect(await variables({ inherit: 'none', set: { EXTRA: '1' } })).toEqual(
      ['EXTRA', 'TENON_OWNER', ...FORCED].toSorted(),
    );
  });

  test('only what was named stays, and the mark of ownership cannot be taken off', async () => {
    expect(await variables({ includeOnly: ['PATH'], exclude: ['TENON_*'], set: { TENON_OWNER: 'nobody' } })).toEqual(
      ['PATH', 'TENON_NODE', 'TENON_OWNER', ...FORCED].toSorted(),
    );
    const runtime = commandRuntime({
      environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, set: { TENON_OWNER: 'nobody' } },
    });
    expect((await runtime.call('exec_command', { cmd: 'echo $TENON_OWNER', ...plain })).body).toMatch(
      new RegExp(`(^|,)${process.pid}-[0-9a-f]+:\\d+\\n$`),
    );
  });
});
