/** What happens beside a confined command: to what others do meanwhile, to what it leaves behind, and when things run out. */
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';

import { loadPty } from '../../../src/exec/load-pty.js';
import { createCommandSandbox } from '../../../src/index.js';
import type { SandboxBackend } from '../../../src/index.js';
import { HAS_BUBBLEWRAP } from '../../support/installed.js';
import { felled, forest, marked } from '../../support/marked-processes.js';
import { box, sh } from '../../support/sandbox-cli.js';
import { denialsIn, grounds, permissionsAsked, sandboxedRuntime } from '../../support/sandboxed.js';
import type { SandboxedRuntime } from '../../support/sandboxed.js';
import { until } from '../../support/until.js';

const BACKENDS = ['cell', 'landlock', ...(HAS_BUBBLEWRAP ? (['bubblewrap'] as const) : [])] as const;

describe.each(BACKENDS)('in the backend %s', (backend) => {
  test('a repository that a command made without being allowed to does not stay', async () => {
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    await runtime.sh('mkdir .git; echo x > .git/config');
    expect(existsSync(path.join(runtime.project, '.git'))).toBe(false);
  });

  test('what a person let another command do meanwhile stays', async () => {
    const runtime = sandboxedRuntime({ answers: ['once', 'once'], sandbox: { backend } });
    const other = await inBackground(runtime);
    const free = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
    await runtime.sh('git init -q .', free);
    await runtime.sh('git config own.key value', free);
    await other.end();
    expect(runtime.record.of('sandbox.reverted')).toEqual([]);
    expect(readFileSync(path.join(runtime.project, '.git/config'), 'utf8')).toContain('key = value');
  });

  test('what a command leaves running cannot change anything after its end', async () => {
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    execFileSync('git', ['init', '-q', runtime.project]);
    const trees = forest();
    const hook = path.join(runtime.project, '.git/hooks/pre-commit');
    const later = `until [ -e ended ]; do sleep 0.02; done; echo x > ${hook}; echo x > late`;
    await runtime.sh(
      `env -i setsid bash -c 'exec -a ${trees.mark} bash -c "$1"' bash '${later}' > /dev/null 2>&1 < /dev/null & sleep 0.1`,
    );
    await felled(trees);
    writeFileSync(path.join(runtime.project, 'ended'), '');
    await runtime.sh('true');
    expect([existsSync(hook), existsSync(path.join(runtime.project, 'late'))]).toEqual([false, false]);
  });

  test('a command that orphans programs has ended when they have', async () => {
    const trees = forest();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    expect((await runtime.sh(`${trees.script}exit 4`)).header).toContain('exited with code 4');
    // Bubblewrap tells of the end just before the first process of the namespace is gone, and all others with it.
    if (backend === 'bubblewrap') await felled(trees);
    expect(marked(trees.mark)).toEqual([]);
  });

  test('other terminals of the user are neither read nor written', async () => {
    const other = anotherTerminal();
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const { body } = await runtime.sh(
      `(: < ${other}) 2> /dev/null && echo read; (echo fake > ${other}) 2> /dev/null && echo wrote; echo tried`,
    );
    expect(body).toBe('tried\n');
  });

  test('its own terminal works', async () => {
    const runtime = sandboxedRuntime({ sandbox: { backend } });
    const { body } = await runtime.sh('[ -t 0 ] && [ -t 1 ] && stty size > /dev/null && echo works', { tty: true });
    expect(body).toMatch(/^works\r?\n$/);
  });

  test('one that is closed while commands start leaves nothing running', async () => {
    const trees = forest();
    const argv = ['/bin/bash', '-c', `exec -a ${trees.mark} sleep 600`];
    for (let turns = 0; turns < 24; turns += 3) {
      const sandbox = commandSandbox(backend);
      const started = Array.from({ length: 3 }, () => exitOf(sandbox, argv));
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await sandbox.close();
      // Each has an end, whether it came to a start or not.
      await Promise.all(started);
      await felled(trees);
    }
  });

  test('nothing starts in one that has been closed', async () => {
    const sandbox = commandSandbox(backend);
    await sandbox.close();
    const file = path.join(sandbox.cwd, 'ran');
    await exitOf(sandbox, ['/bin/bash', '-c', `echo x > ${file}`]);
    expect(existsSync(file)).toBe(false);
  });
});

test.each(BACKENDS.filter((name) => name !== 'landlock'))(
  'in the backend %s what a command was allowed to change in .git stays when another ends that ran meanwhile',
  async (backend) => {
    const runtime = sandboxedRuntime({ answers: ['once'], sandbox: { backend } });
    execFileSync('git', ['init', '-q', runtime.project]);
    const other = await inBackground(runtime);
    await runtime.sh('echo "[own]" >> .git/config');
    expect(runtime.questions).toHaveLength(1);
    await other.end();
    expect(readFileSync(path.join(runtime.project, '.git/config'), 'utf8')).toMatch(/\[own\]\n$/);
    expect(runtime.record.of('sandbox.reverted')).toEqual([]);
  },
);

describe('--apply', () => {
  const RULES = '[[path]]\nwrite = ["PROJECT/deploy.key", "PROJECT/ci.yml", "PROJECT/kept"]\ndecision = "forbidden"\n';

  function staged() {
    const made = box();
    mkdirSync(path.join(made.ownHome, 'rules'));
    mkdirSync(path.join(made.project, 'kept'));
    writeFileSync(path.join(made.ownHome, 'rules/own.toml'), RULES.replaceAll('PROJECT', made.project));
    writeFileSync(path.join(made.project, 'ci.yml'), 'old\n');
    return made;
  }

  test.each([
    ['a file that does not exist yet', 'echo x > deploy.key'],
    ['a file', 'echo new > ci.yml'],
    ['a file by another that takes its place', 'echo new > a && mv -f a ci.yml'],
    ['a file by removing it', 'rm -f ci.yml'],
    ['something in a folder', 'echo x > kept/new'],
    ['a folder by removing it', 'rmdir kept'],
  ])('does not change what a rule forbids: %s', async (_, script) => {
    const { run, project } = staged();
    await run(['--apply', ...sh(`{ ${script}; } 2> /dev/null; true`)]);
    expect(
      readdirSync(project)
        .filter((name) => name !== 'a')
        .toSorted(),
    ).toEqual(['ci.yml', 'kept']);
    expect(readFileSync(path.join(project, 'ci.yml'), 'utf8')).toBe('old\n');
    expect(readdirSync(path.join(project, 'kept'))).toEqual([]);
  });

  test('makes other changes beside them', async () => {
    const { run, project } = staged();
    await run(['--apply', ...sh('echo new > allowed')]);
    expect(readFileSync(path.join(project, 'allowed'), 'utf8')).toBe('new\n');
  });
});

describe('nobody is asked to open', () => {
  test.each([
    ['a whole home', 'touch ~/new'],
    ['a whole home for a folder that is to be made', 'mkdir ~/a'],
    ['a folder above it', 'touch ~/../new'],
  ])('%s', async (_, cmd) => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { header } = await runtime.sh(cmd);
    expect(header).toContain('exited with code 1');
    expect([permissionsAsked(runtime), readdirSync(runtime.userHome)]).toEqual([[], []]);
    expect(readdirSync(path.dirname(runtime.userHome)).toSorted()).toEqual(['home', 'project', 'tenon']);
    expect(denialsIn(runtime).filter(({ proof }) => proof !== 'inferred')).toEqual([]);
  });

  test('a whole home, but one folder of it', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    mkdirSync(path.join(runtime.userHome, 'notes'));
    await runtime.sh('touch ~/notes/new');
    expect(permissionsAsked(runtime)).toEqual([
      { confined: true, grants: [{ kind: 'write', path: path.join(runtime.userHome, 'notes') }] },
    ]);
  });
});

/** How many descriptors are left; one more each time in the deep suite. */
const FREE =
  process.env['TENON_DEEP'] === undefined ? [0, 1, 2, 3, 4, 6, 9, 15] : Array.from({ length: 16 }, (_, free) => free);

test('where descriptors run out, a command is confined or does not start, and nothing hangs or breaks', async () => {
  const { project, ownHome } = grounds();
  const script = `
    import fs from 'node:fs';
    import { createCommandSandbox } from ${JSON.stringify(path.join(import.meta.dirname, '../../../dist/index.js'))};
    const options = { cwd: ${JSON.stringify(project)}, home: ${JSON.stringify(ownHome)} };
    async function run(sandbox) {
      let text = '';
      const argv = ['/bin/grep', 'Seccomp:', '/proc/self/status'];
      const { exit } = await sandbox.start({ argv, cwd: sandbox.cwd, onOutput(chunk) { text += Buffer.from(chunk); } });
      const { kind, code } = await exit;
      return kind === 'exited' && code === 0 ? text.trim() : 'failed';
    }
    // What is loaded needs descriptors, too.
    const first = createCommandSandbox(options);
    const told = [await run(first)];
    await first.close();
    for (const free of ${JSON.stringify(FREE)}) {
      const sandbox = createCommandSandbox(options);
      await sandbox.confinement();
      const held = [];
      try { for (;;) held.push(fs.openSync('/dev/null')); } catch {}
      for (const descriptor of held.splice(0, free)) fs.closeSync(descriptor);
      told.push(await run(sandbox).catch(() => 'failed'));
      for (const descriptor of held) fs.closeSync(descriptor);
      await sandbox.close();
    }
    const last = createCommandSandbox(options);
    told.push(await run(last));
    await last.close();
    process.stdout.write(JSON.stringify(told), () => process.exit());`;
  const limited = ['-c', 'ulimit -n 200; exec "$@"', 'bash', process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)('/bin/bash', limited, { timeout: 25_000 });
  const told = JSON.parse(stdout) as readonly string[];
  expect([...new Set(told)].toSorted()).toEqual(['Seccomp:\t2', 'failed']);
  expect([told[0], told.at(-1)]).toEqual(['Seccomp:\t2', 'Seccomp:\t2']);
});

/** A command that runs until it is told to end. */
async function inBackground(runtime: SandboxedRuntime) {
  const go = path.join(runtime.project, 'go');
  const { session } = await runtime.sh('touch up; until [ -e go ]; do sleep 0.02; done', { yield_time_ms: 1 });
  await until(() => existsSync(path.join(runtime.project, 'up')));
  return {
    async end() {
      writeFileSync(go, '');
      const { text } = await runtime.call('write_stdin', { session_id: session, chars: '', yield_time_ms: 30_000 });
      expect(text).toContain('exited with code 0');
    },
  };
}

/** As it would be in another window. */
function anotherTerminal(): string {
  const { master, slave, pty } = loadPty().open(80, 24);
  onTestFinished(() => [master, slave].forEach((descriptor) => closeSync(descriptor)));
  return pty;
}

function commandSandbox(backend: SandboxBackend) {
  const { project, ownHome } = grounds();
  const sandbox = createCommandSandbox({
    cwd: project,
    home: ownHome,
    sandboxMode: 'workspace-write',
    sandbox: { backend },
  });
  return sandbox;
}

async function exitOf(sandbox: ReturnType<typeof commandSandbox>, argv: readonly string[]): Promise<void> {
  try {
    const { exit } = await sandbox.start({ argv, cwd: sandbox.cwd, onOutput: () => {} });
    await exit;
  } catch {
    // It was closed before anything was started.
  }
}
