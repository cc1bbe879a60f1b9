import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { ResolvedPolicy } from '../../../src/sandbox/policy.js';
import { startHostProcess } from '../../../src/sandbox/vm/host-process.js';
import { machineLaunch, viewLaunch } from '../../../src/sandbox/vm/host-scripts.js';
import { KVM_DEVICE, machineUser } from '../../../src/sandbox/vm/machine-user.js';
import { hostArchitecture } from '../../../src/sandbox/vm/system-calls.js';
import { viewSteps } from '../../../src/sandbox/vm/view-steps.js';
import { processGone } from '../../support/process-gone.js';
import { tempFolder } from '../../support/temp-folder.js';
import { realPlace, resolvedPolicy } from './policies.js';

const architecture = hostArchitecture() ?? 'x64';
const PERL = '/usr/bin/perl';
const isSuperuser = process.getuid?.() === 0;
/** What the guest would be served is looked at from the host, with all the rights of whoever serves it. */
const canMount = existsSync(PERL) && spawnSync('unshare', [isSuperuser ? '-m' : '-Um', 'true']).status === 0;

type Workspace = { readonly folder: string; readonly root: string };

function workspace(): Workspace {
  const folder = tempFolder();
  const root = path.join(folder, 'root');
  for (const each of ['root/.git', 'root/sub/.git', 'secrets', 'stage']) {
    mkdirSync(path.join(folder, each), { recursive: true });
  }
  writeFileSync(path.join(folder, 'empty'), '');
  writeFileSync(path.join(folder, 'secrets/key'), 'a secret');
  writeFileSync(path.join(root, '.env'), 'a secret');
  return { folder, root };
}

function policyFor({ folder, root }: Workspace): ResolvedPolicy {
  return resolvedPolicy({
    writable: [realPlace(root)],
    pinned: [realPlace(path.join(root, 'sub'))],
    protected: [realPlace(path.join(root, '.git')), realPlace(path.join(root, 'sub/.git'))],
    hidden: [realPlace(path.join(folder, 'secrets')), realPlace(path.join(root, '.env'))],
  });
}

/** Runs a script where the program that serves files would run. */
async function inView(script: string, { folder }: Workspace, resolved: ResolvedPolicy): Promise<string> {
  const stage = path.join(folder, 'stage');
  const steps = viewSteps(resolved, { stage, emptyFile: path.join(folder, 'empty') });
  const argv = ['/bin/sh', '-c', script, 'sh', stage + folder, stage];
  const running = startHostProcess(
    PERL,
    viewLaunch({ architecture, socket: path.join(folder, 'socket'), steps, argv }),
  );
  onTestFinished(() => running.kill());
  await running.ended;
  return running.lastLines();
}

test.skipIf(!canMount)('a writable root can be written to, and it lands on the host', async () => {
  const made = workspace();
  await inView('echo made >$1/root/file', made, policyFor(made));
  expect(readFileSync(path.join(made.root, 'file'), 'utf8')).toBe('made\n');
});

test.skipIf(!canMount).each([
  ['write outside of it', 'touch $1/file', /Read-only file system/],
  ['change modes outside of it', 'chmod 777 $1', /Read-only file system/],
  ['write to what is protected', 'touch $1/root/.git/config', /Read-only file system/],
  ['rename what is protected', 'mv $1/root/.git $1/root/other', /busy/],
  ['rename the folder around what is protected', 'mv $1/root/sub $1/root/other', /busy/],
  ['read a hidden folder', 'cat $1/secrets/key', /No such file/],
  ['write to a hidden folder', 'touch $1/secrets/key', /Read-only file system/],
  ['write to a hidden file', 'echo x >>$1/root/.env', /Read-only file system/],
  ['see the host’s processes', 'cat $2/proc/1/stat', /No such file/],
  ['see the host’s devices and sockets', 'echo "<$(ls -A $2/run)$(ls -A $2/dev)$(ls -A $2/sys)>"', /<>/],
])('not even who serves it can %s', async (_, script, answer) => {
  const made = workspace();
  expect(await inView(script, made, policyFor(made))).toMatch(answer);
});

test.skipIf(!canMount)('a hidden file is empty', async () => {
  const made = workspace();
  expect(await inView('echo "<$(cat $1/root/.env)>"', made, policyFor(made))).toContain('<>');
});

test.skipIf(!canMount)('the host does not see any of it', async () => {
  const made = workspace();
  expect(await inView('test -e $2/etc && echo there', made, policyFor(made))).toContain('there');
  expect(spawnSync('ls', [path.join(made.folder, 'stage')], { encoding: 'utf8' }).stdout).toBe('');
});

test.skipIf(!canMount)('a place that is no longer what it was stops everything', async () => {
  const made = workspace();
  const resolved = policyFor(made);
  const [root] = resolved.writable;
  if (root === undefined) throw new Error('there is no root');
  const changed = { ...resolved, writable: [{ ...root, inode: root.inode + 1 }] };
  const answer = await inView('touch $1/root/file; echo ran', made, changed);
  expect(answer).toMatch(/root is no longer what it was$/);
  expect(existsSync(path.join(made.root, 'file'))).toBe(false);
});

test.skipIf(!canMount)('a step that fails stops everything', async () => {
  const made = workspace();
  const gone = { ...realPlace(made.root), path: path.join(made.root, 'gone') as ResolvedPolicy['writable'][0]['path'] };
  expect(await inView('echo ran', made, resolvedPolicy({ writable: [gone] }))).toMatch(
    /^mounting .*gone: No such file/,
  );
});

test.skipIf(!canMount || !isSuperuser)('the machine runs as somebody else, without rights', async () => {
  const argv = ['/bin/sh', '-c', 'id -u; id -G; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status'];
  const launch = machineLaunch({ architecture, as: { uid: 61_200, gid: 61_201 }, argv });
  const machine = startHostProcess('setpriv', ['--groups', '4,5', PERL, ...launch]);
  await machine.ended;
  expect(machine.lastLines().split(/\s+/)).toEqual('61200 61201 CapEff: 0000000000000000 NoNewPrivs: 1'.split(' '));
});

test.skipIf(!canMount).each(['machine', 'files'] as const)(
  'the %s process ends with whoever started it',
  async (which) => {
    const { folder } = workspace();
    const argv = ['/bin/sleep', '600'];
    const steps = viewSteps(resolvedPolicy(), { stage: path.join(folder, 'stage'), emptyFile: '' });
    const socket = path.join(folder, 'socket');
    const launch =
      which === 'machine' ? machineLaunch({ architecture, argv }) : viewLaunch({ architecture, socket, steps, argv });
    const { stdout } = spawnSync(process.execPath, ['-e', PARENT, '--', PERL, ...launch], { encoding: 'utf8' });
    expect(stdout).toMatch(/^\d+$/);
    await processGone(Number(stdout));
  },
);

test.skipIf(!canMount)('nothing is started for a parent that has ended', async () => {
  const [flag = '', script = '', end = '', , ...rest] = machineLaunch({ architecture, argv: ['/bin/echo', 'ran'] });
  const orphan = startHostProcess(PERL, [flag, script, end, '1', ...rest]);
  await orphan.ended;
  expect(orphan.lastLines()).toBe('its parent has ended');
});

test.skipIf(!isSuperuser)('the superuser’s machine is somebody else’s, without the superuser’s group', async () => {
  const plain = await machineUser('tcg');
  expect(plain?.uid).toBeGreaterThan(60_000);
  expect(plain?.gid).toBe(plain?.uid);
  if (existsSync(KVM_DEVICE)) expect((await machineUser('kvm'))?.gid).not.toBe(0);
});

/** Starts what it is given, with its own number as the parent's, and is killed as soon as that has become `sleep`. */
const PARENT = `
  const [file, flag, script, end, , ...rest] = process.argv.slice(1);
  const args = [flag, script, end, String(process.pid), ...rest];
  const { pid } = require('node:child_process').spawn(file, args, { detached: true, stdio: 'ignore' });
  const look = () => {
    if (require('node:fs').readFileSync('/proc/' + pid + '/comm', 'utf8') !== 'sleep\\n') return setImmediate(look);
    process.stdout.write(String(pid));
    process.kill(process.pid, 'SIGKILL');
  };
  look();`;
