/** What becomes of a command when the launcher itself is in trouble, and of what it inherits. */
import fs from 'node:fs';

import { messageOf } from '../../../src/core/errors.js';
import { damaged, openLauncher } from './by-hand.js';
import type { Launcher } from './by-hand.js';
import { pictureOf, runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { OPEN, compileTries } from './probe.js';
import { finding } from './row.js';
import type { Finding, Row, Stand } from './row.js';
import { all } from './rows-files.js';

export const LAUNCHER_ROWS: readonly Row[] = [
  {
    id: '48',
    title: 'whichever step fails, the command is never reached',
    story: (grounds, stand) => withLauncher(grounds, stand, (launcher) => everyStep(grounds, stand, launcher)),
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
    title: 'what is staged and leads out, or is protected, is refused; or nothing is staged at all',
    story: (grounds, { backend }) => (backend === 'cell' ? staged(grounds) : notStaged(grounds)),
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

const isDeep = process.env['TENON_DEEP'] !== undefined;
const SAMPLE = 5;
const SEVERAL = 4;

async function everyStep({ workspace }: Grounds, { isRoot }: Stand, launcher: Launcher): Promise<readonly Finding[]> {
  const program = launcher.compile(['/bin/touch', `${workspace}/ran`]);
  const must = program.steps.flatMap(({ mayFail }, index) => (mayFail ? [] : [index]));
  // Every fifth, and others for root than for anybody else.
  const tried = isDeep ? must : must.filter((_, index) => index % SAMPLE === (isRoot ? 0 : 2));
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

const EVERYTHING = 'allowing /';

async function optionalSteps(launcher: Launcher): Promise<readonly Finding[]> {
  const program = launcher.compile([
    '/bin/grep',
    '-E',
    '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs|Seccomp):',
    '/proc/self/status',
  ]);
  // What may be read may be gone by then, so these may fail; without all of them nothing can be started, which is right.
  const optional = program.steps.flatMap(({ mayFail, what }, index) => (mayFail && what !== EVERYTHING ? [index] : []));
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

async function staged({ workspace, outside, sandbox }: Grounds): Promise<readonly Finding[]> {
  fs.writeFileSync(`${workspace}/folder/old`, 'as it was\n');
  const before = pictureOf(workspace);
  const stage = await sandbox().stage();
  try {
    const script = `ln -s '${outside}/file' out; ln -s ../../outside/folder up; rm -r folder; mkdir folder; : >folder/new;
      mknod device c 1 3; mkfifo pipe; rm -rf .git; mkdir -p made/.git; echo evil >made/.git/config; : >done`;
    await runIn({ cwd: stage.workspace.cwd, start: (command) => stage.workspace.spawn(command) }, [
      '/bin/sh',
      '-c',
      script,
    ]);
    const changes = await stage.changes();
    const result = await stage.commit(changes);
    const changed = new Set(changes.map((each) => each.path));
    const refused = result.kind === 'refused' ? result.refused.map((each) => each.path) : [];
    return [
      finding('the last of it', changed.has('done'), true),
      finding('what became of it', result.kind, 'refused'),
      ...['out', 'up', 'pipe', 'made/.git/config'].map((name) => finding(name, refused.includes(name), true)),
      finding('a device', changed.has('device'), false),
      finding('.git was not removed', changed.has('.git'), false),
      finding('the workspace', pictureOf(workspace) === before, true),
    ];
  } finally {
    await stage.drop();
  }
}

async function notStaged({ sandbox }: Grounds): Promise<readonly Finding[]> {
  const told = await sandbox()
    .stage()
    .then(() => 'staged', messageOf);
  const cannot = 'cannot run commands on a copy of the workspace';
  return [finding('staging', told.includes(cannot) ? cannot : told, cannot)];
}
