/** A container engine for tests: one that already runs, or a Docker daemon of the test's own in a temporary folder. */
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { probeEngine } from '../../src/sandbox/docker/probe-engine.js';
import type { Engine } from '../../src/sandbox/docker/probe-engine.js';

type Env = Readonly<Record<string, string | undefined>>;

export type TestEngine =
  | {
      readonly kind: 'works';
      readonly engine: Engine;
      readonly file: string;
      readonly env: Env;
      readonly stop: () => Promise<void>;
    }
  | { readonly kind: 'skipped'; readonly reason: string };

export async function startTestEngine(): Promise<TestEngine> {
  for (const file of ['docker', 'podman']) {
    const probe = await probeEngine(file);
    if (probe.kind === 'works') return { kind: 'works', engine: probe, file, env: process.env, stop: async () => {} };
  }
  if (process.getuid?.() !== 0)
    return { kind: 'skipped', reason: 'no container engine runs, and only root can start one' };
  return startDaemon();
}

/** Without a bridge and without firewall rules, so that it leaves nothing behind. */
async function startDaemon(): Promise<TestEngine> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenon-dockerd-'));
  const at = (name: string) => path.join(folder, name);
  const env = { ...process.env, DOCKER_HOST: `unix://${at('socket')}` };
  const log = openSync(at('log'), 'w');
  const args = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--data-root', at('data')];
  const places = ['--exec-root', at('exec'), '--pidfile', at('pid'), '--host', env.DOCKER_HOST];
  const daemon = spawn('dockerd', [...args, ...places], { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    daemon.once('error', () => resolve());
    daemon.once('exit', () => resolve());
  });
  const stop = async (): Promise<void> => {
    daemon.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const engine = await firstAnswer(env, ended);
  if (engine) return { kind: 'works', engine, file: 'docker', env, stop };
  await stop();
  return { kind: 'skipped', reason: 'no container engine runs, and dockerd is not installed or does not start' };
}

/** The daemon does not say when it is ready, so it is asked until it answers or ends. */
async function firstAnswer(env: Env, ended: Promise<void>): Promise<Engine | undefined> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) {
    const probe = await probeEngine('docker', { env });
    if (probe.kind === 'works') return probe;
  }
  return undefined;
}
