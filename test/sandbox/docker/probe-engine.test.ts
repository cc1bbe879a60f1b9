import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { dockerGuarantees } from '../../../src/sandbox/docker/guarantees.js';
import { probeEngine, readInfo } from '../../../src/sandbox/docker/probe-engine.js';
import { propertyRuns } from '../../support/property-runs.js';
import { tempFolder } from '../../support/temp-folder.js';
import { policyOf } from './policies.js';

/** A program that answers like an engine. */
function engine(script: string): string {
  const file = path.join(tempFolder(), 'engine');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

const DOCKER = {
  ServerVersion: '28.0.1',
  MemoryLimit: true,
  PidsLimit: false,
  SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'],
};
const PODMAN = {
  host: { cgroupControllers: ['cpu', 'pids'], security: { rootless: true, selinuxEnabled: true } },
  version: { Version: '4.3.1' },
};

describe('an engine', () => {
  test('that is not there is missing', async () => {
    const file = path.join(tempFolder(), 'docker');
    expect(await probeEngine(file)).toEqual({ kind: 'missing', reason: `there is no program ${file}` });
  });

  test('that fails is broken, and its last line says why', async () => {
    const file = engine('echo warning >&2; echo Cannot connect >&2; exit 1');
    expect(await probeEngine(file)).toEqual({ kind: 'broken', reason: `${file} does not work: Cannot connect` });
  });

  test.each([
    ['exit 0', 'it does not say what it is'],
    ['echo nonsense', 'it does not say what it is'],
    ["echo '{}'", 'it does not say what it is'],
    ['exit 4', 'it ended with 4'],
  ])('that says nothing useful is broken: %s', async (script, why) => {
    const file = engine(script);
    expect(await probeEngine(file)).toEqual({ kind: 'broken', reason: `${file} does not work: ${why}` });
  });

  test('that does not answer in time is broken', async () => {
    const file = engine('exec sleep 60');
    expect(await probeEngine(file, { ms: 100 })).toEqual({
      kind: 'broken',
      reason: `${file} does not work: no answer within 0.1 s`,
    });
  });

  test('is asked with the variables that it needs', async () => {
    const file = engine(`[ "$DOCKER_HOST" = here ] && echo '${JSON.stringify(DOCKER)}'`);
    const env = { ...process.env, DOCKER_HOST: 'here' };
    expect(await probeEngine(file, { env })).toEqual({
      kind: 'works',
      engine: 'docker',
      version: '28.0.1',
      rootless: true,
      selinux: false,
      limits: ['memoryBytes'],
    });
  });

  test('is podman when it says so, whatever its name is', () => {
    expect(readInfo(JSON.stringify(PODMAN))).toEqual({
      engine: 'podman',
      version: '4.3.1',
      rootless: true,
      selinux: true,
      limits: ['processes'],
    });
  });

  test('may say anything', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const found = readInfo(text);
        expect(found === undefined || found.version !== '').toBe(true);
      }),
      propertyRuns(200),
    );
  });
});

describe('what a container holds to', () => {
  const able = readInfo(JSON.stringify({ ...DOCKER, PidsLimit: true }));
  const unable = readInfo(JSON.stringify({ ...DOCKER, MemoryLimit: false }));
  if (!able || !unable) throw new Error('both are engines');

  test('is nearly everything', () => {
    const limits = { memoryBytes: 1, cpuSeconds: 1 };
    expect(dockerGuarantees(policyOf({ limits }), able)).toEqual({
      writes: 'enforced',
      metadata: 'enforced',
      protectedPaths: 'enforced',
      hiddenPaths: 'enforced',
      network: 'loopback',
      unixSockets: 'private',
      processes: 'isolated',
      killing: 'marked',
      limits: ['memoryBytes', 'cpuSeconds'],
    });
  });

  test('is no list of hosts', () => {
    expect(dockerGuarantees(policyOf({ network: { kind: 'hosts', allowed: ['a.org'] } }), able).network).toBe(
      'loopback',
    );
    expect(dockerGuarantees(policyOf({ network: { kind: 'open' } }), able).network).toBe('open');
  });

  test('is no limit that the engine cannot set', () => {
    const limits = { memoryBytes: 1, processes: 1, cpuSeconds: 1, fileBytes: 1 };
    expect(dockerGuarantees(policyOf({ limits }), unable).limits).toEqual(['cpuSeconds', 'fileBytes']);
  });
});
