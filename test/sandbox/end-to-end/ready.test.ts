import fs from 'node:fs';
import { describe, expect, test } from 'vitest';

import { sandboxedRuntime } from '../../support/sandboxed.js';
import { CAN_RUN } from '../../support/test-runner.js';
import { until } from '../../support/until.js';

/** Networks that this process has come to hold on to since, by what the system calls them. */
function newNetworks(): () => readonly string[] {
  const before = new Set(heldNetworks());
  return () => heldNetworks().filter((network) => !before.has(network));
}

function heldNetworks(): readonly string[] {
  const targets = fs.readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return [];
    }
  });
  return targets.filter((target) => target.startsWith('net:'));
}

describe.runIf(CAN_RUN)('what the first confined command needs', () => {
  test('is made ahead, used by it, and gone with the runtime', async () => {
    const made = newNetworks();
    const runtime = sandboxedRuntime({ sandbox: { backend: 'cell' } });
    runtime.getReady();
    await until(() => made().length > 0);
    const [network] = made();
    expect((await runtime.sh('readlink /proc/self/ns/net')).text).toContain(network);
    expect(made()).toEqual([network]);
    await runtime.close();
    expect(made()).toEqual([]);
  });

  test.each(['workspace-write', 'danger-full-access'] as const)(
    'leaves nothing behind in %s when none comes',
    async (mode) => {
      const made = newNetworks();
      const runtime = sandboxedRuntime({ sandboxMode: mode, sandbox: { backend: 'cell' } });
      runtime.getReady();
      await runtime.close();
      // Longer than whatever was on its way.
      const other = sandboxedRuntime({ sandbox: { backend: 'cell' } });
      await other.sh('true');
      await other.close();
      expect(made()).toEqual([]);
    },
  );
});
