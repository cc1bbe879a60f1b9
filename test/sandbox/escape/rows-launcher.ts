/** What becomes of a command when the launcher itself is in trouble, and of what it inherits. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import { commitStage } from '../../../src/sandbox/staging/commit.js';
import { listChanges } from '../../../src/sandbox/staging/list-changes.js';
import type { ReadXattrs } from '../../../src/sandbox/staging/overlay-marks.js';
import { createStage } from '../../../src/sandbox/staging/stage.js';
import { damaged, openLauncher } from './by-hand.js';
import type { Launcher } from './by-hand.js';
import { pictureOf } from './grounds.js';
import type { Grounds } from './grounds.js';
import { OPEN, compileTries } from './probe.js';
import { finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { all } from './rows-files.js';

export const LAUNCHER_ROWS: readonly Row[] = [
  {
    id: '48',
    title: 'whichever step fails, the command is never reached',
    story: (grounds, stand) => withLauncher(grounds, stand, async (launcher) => everyStep(grounds, launcher)),
  },
  {
    id: 'A31',
    title: 'steps that may fail take nothing away from the rest',
    story: (grounds, stand) => withLauncher(grounds, stand, optionalSteps),
  },
  {
    id: 'A32',
    title: 'descriptors that the launcher was given do not reach the command',
    story: (grounds, stand) => withLauncher(grounds, stand, (launcher) => inherited(grounds, launcher)),
  },
  {
    id: '50',
    title: 'what is staged and leads out, or is protected, is refused',
    story: async (grounds, stand) =>
      stand.backend === 'cell'
        ? withLauncher(grounds, stand, (launcher) => staged(grounds, launcher))
        : [finding('nothing is staged here', true, true)],
  },
];

async function withLauncher(
  grounds: Grounds,
  stand: Stand,
  act: (launcher: Launcher) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const launcher = await openLauncher(grounds, stand);
  try {
    return await act(launcher);
  } finally {
    launcher.close();
  }
}

const SEVERAL = 4;

async function everyStep({ workspace }: Grounds, launcher: Launcher): Promise<readonly Finding[]> {
  const program = launcher.compile(['/bin/touch', `${workspace}/ran`]);
  const must = program.steps.flatMap(({ mayFail }, index) => (mayFail ? [] : [index]));
  const isWhole = process.env['TENON_ESCAPE_AGAIN'] === undefined || process.env['TENON_DEEP'] !== undefined;
  const tried = isWhole ? must : must.filter((_, index) => index % 5 === 0);
  const wrong: string[] = [];
  const left = [...tried];
  const worker = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const { what } = program.steps[step] ?? {};
      const { code, outcome } = await launcher.launch(damaged(program, [step]));
      const isTold = outcome.kind === 'stopped' && outcome.what === what;
      if (code !== 125 || !isTold) wrong.push(`${step} ${what}: ${code} ${JSON.stringify(outcome)}`);
    }
  };
  await Promise.all(Array.from({ length: SEVERAL }, worker));
  const hasRun = fs.existsSync(`${workspace}/ran`);
  const whole = await launcher.launch(program);
  return [
    finding('steps that were not told', wrong.join('; '), ''),
    finding('the command has run', hasRun, false),
    finding('there were enough of them', must.length > 20, true),
    finding('with every step it does', `${whole.code} ${fs.existsSync(`${workspace}/ran`)}`, '0 true'),
  ];
}

async function optionalSteps(launcher: Launcher): Promise<readonly Finding[]> {
  const program = launcher.compile([
    '/bin/grep',
    '-E',
    '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):',
    '/proc/self/status',
  ]);
  const optional = program.steps.flatMap(({ mayFail }, index) => (mayFail ? [index] : []));
  const { stdout, outcome } = await launcher.launch(damaged(program, optional));
  const lines = stdout.toString().trim().split('\n');
  return [
    finding('how it ended', JSON.stringify(outcome), '{"kind":"ended","status":0}'),
    ...lines.map((line) => {
      const [name = '', value = ''] = line.split(/:\s+/);
      return finding(name, Number.parseInt(value, 16), { NoNewPrivs: 1, Seccomp: 2 }[name] ?? 0);
    }),
    finding('lines', lines.length, 6),
  ];
}

async function inherited({ workspace, outside, runner }: Grounds, launcher: Launcher): Promise<readonly Finding[]> {
  const numbers = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const tries = [
    ...all(
      'EBADF',
      Object.fromEntries(
        // The third is the probe's own list.
        numbers.slice(1).map((number) => [`writing to ${number}`, (p) => p.call('write', [number, p.text('x'), 1])]),
      ),
    ),
    ...all(
      'EBADF|ENOTDIR',
      Object.fromEntries(numbers.map((number) => [`working in ${number}`, (p) => p.call('fchdir', [number])])),
    ),
    ...all(
      'EBADF|ENOTDIR',
      Object.fromEntries(
        numbers.map((number) => [
          `a file in ${number}`,
          (p) => p.call('openat', [number, p.text('new'), OPEN.create, 0o644]),
        ]),
      ),
    ),
  ];
  const program = compileTries(tries);
  const list = `${workspace}/inherited.list`;
  fs.writeFileSync(list, program.bytes);
  const folder = fs.openSync(outside, 'r');
  const file = fs.openSync(`${outside}/file`, 'r+');
  const before = pictureOf(outside);
  const { stdout, code } = await launcher.launch(launcher.compile([runner, list]), [folder, file]);
  for (const each of [folder, file]) fs.closeSync(each);
  return [
    finding('how it ended', code, 0),
    ...tries.map(({ name, want }, index) => finding(name, program.results(stdout)[index], want)),
    finding('outside', pictureOf(outside), before),
  ];
}

async function staged(grounds: Grounds, launcher: Launcher): Promise<readonly Finding[]> {
  const { workspace, outside, home } = grounds;
  fs.writeFileSync(`${workspace}/folder/old`, 'as it was\n');
  const before = pictureOf(workspace);
  const stage = await createStage(absolutePath(workspace), absolutePath(home));
  const script = `ln -s '${outside}/file' out; ln -s ../../outside/folder up; rm -r folder; mkdir folder; : >folder/new;
    mknod device c 1 3; mkfifo pipe; rm -rf .git; rm -rf sub; mkdir -p sub/inner/.git; echo evil >sub/inner/.git/config`;
  const { code } = await launcher.launch(launcher.compile(['/bin/sh', '-c', script], [stage]));
  const changes = await listChanges(stage, readXattrs);
  const result = await commitStage(stage, changes, { protectedNames: ['.git'], protectedPaths: [] });
  const refused = result.kind === 'refused' ? result.refused.map((each) => each.path) : [];
  return [
    finding('how it ended', code, 0),
    finding('what became of it', result.kind, 'refused'),
    ...['out', 'up', 'pipe', 'sub/inner/.git/config'].map((name) => finding(name, refused.includes(name), true)),
    finding(
      'a device',
      changes.some(({ entry }) => entry === 'device'),
      false,
    ),
    finding(
      '.git was not removed',
      changes.some(({ path }) => path === '.git'),
      false,
    ),
    finding('the workspace', pictureOf(workspace) === before, true),
  ];
}

const LGETXATTR = process.arch === 'arm64' ? 9 : 192;
const PERL = `local $/; my @w = split(/\\0/, <STDIN>); while (my ($f, $n) = splice(@w, 0, 2)) { my $v = "\\0" x 4096;
  my $l = syscall(${LGETXATTR}, $f, $n, $v, 4096); print(($l < 0 ? "-" : "=" . substr($v, 0, $l)) . "\\n") }`;

const readXattrs: ReadXattrs = async (questions) => {
  const input = questions.map(({ path, name }) => `${path}\0${name}\0`).join('');
  const { stdout } = spawnSync('perl', ['-e', PERL], { input, encoding: 'latin1' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => (line === '-' ? undefined : line.slice(1)));
};
