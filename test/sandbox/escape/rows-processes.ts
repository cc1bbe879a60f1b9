/** What a command starts, how long it stays, and how much it may use. */
import fs from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import type { CommandSandbox } from '../../../src/command-sandbox.js';
import type { SandboxLimits } from '../../../src/core/sandbox-settings.js';
import type { Process } from '../../../src/core/workspace.js';
import { runIn } from './grounds.js';
import type { Grounds } from './grounds.js';
import { finding } from './row.js';
import type { Finding, Outcome, Row, Stand } from './row.js';
import { promised } from './try-inside.js';
import { processesWith, stateOf, until } from './until.js';

const isDeep = process.env['TENON_DEEP'] !== undefined;
const MEGABYTE = 1024 * 1024;

export const PROCESS_ROWS: readonly Row[] = [
  {
    id: '44',
    title: 'what went into the background ends with its command',
    async story(grounds, stand) {
      const killing = (await promised(grounds, stand))?.killing;
      const isTied = stand.backend !== 'landlock';
      return [
        finding('what is promised', killing, isTied ? 'whole' : 'marked'),
        await background(grounds, 'when the command exits', sh),
        await background(
          grounds,
          'when it has thrown away its variables',
          async (sandbox, script) => {
            await sh(sandbox, script);
            await sandbox.close();
          },
          { clear: 'env -i', want: 'gone' },
        ),
        await background(grounds, 'when it is ended', async (sandbox, script) => {
          await (await startedWith(grounds, sandbox, script)).end();
        }),
        await background(grounds, 'when its launcher is killed', async (sandbox, script) => {
          const started = await startedWith(grounds, sandbox, script);
          if (started.pid !== undefined) process.kill(started.pid, 'SIGKILL');
          await started.exit;
          if (!isTied) await sandbox.close();
        }),
      ];
    },
  },
  {
    id: '45',
    title: 'a command that ignores signals, or has stopped itself, ends all the same',
    story: async (grounds) => [
      await stubborn(grounds, "trap '' TERM INT HUP QUIT", 'S'),
      await stubborn(grounds, 'kill -STOP $$', 'T'),
      await tooLong(grounds),
    ],
  },
  {
    id: '46',
    title: 'a command writes no larger files than it may, and may print as much as it wants',
    story: async (grounds) => [...(await largeFile(grounds)), ...(await flood(grounds))],
  },
  {
    id: '46a',
    title: 'a command starts no more processes than it may',
    story: (grounds, stand) => whereHeld(grounds, stand, { processes: 100 }, forkBomb),
  },
  {
    id: '46b',
    title: 'a command uses no more memory than it may',
    story: (grounds, stand) => whereHeld(grounds, stand, { memoryBytes: 64 * MEGABYTE }, memoryHog),
  },
  {
    id: '46c',
    title: 'a command takes no more of the processor than it may',
    story: async (grounds, stand) =>
      isDeep ? whereHeld(grounds, stand, { cpuSeconds: 1 }, busyLoop) : { skip: 'keeps a processor busy: TENON_DEEP' },
  },
];

function start(sandbox: CommandSandbox, argv: readonly string[]): Promise<Process> {
  return sandbox.start({ argv, cwd: sandbox.cwd, onOutput: () => {} });
}

async function sh(sandbox: CommandSandbox, script: string): Promise<void> {
  await runIn(sandbox, ['/bin/sh', '-c', script]);
}

/** A command that stays when it has done all this. */
async function startedWith(
  { workspace, nextName }: Grounds,
  sandbox: CommandSandbox,
  script: string,
): Promise<Process> {
  const file = nextName();
  const started = await start(sandbox, ['/bin/sh', '-c', `${script}; : >${file}; sleep 1000`]);
  await until(() => fs.existsSync(`${workspace}/${file}`));
  return started;
}

/** Twice away from its parent, in a session of its own. */
async function background(
  grounds: Grounds,
  name: string,
  act: (sandbox: CommandSandbox, script: string) => Promise<void>,
  { clear = '', want = 'gone' } = {},
): Promise<Finding> {
  const sandbox = grounds.sandbox();
  const pipe = grounds.nextName();
  const daemon = `sh -c 'echo >${pipe}; sleep 1000; : ${grounds.token}' >/dev/null 2>&1 </dev/null`;
  await act(sandbox, `mkfifo ${pipe}; (${clear} setsid ${daemon} &); read began <${pipe}`);
  const isGone = await until(() => processesWith(grounds.token).length === 0, want === 'gone' ? 10_000 : 0);
  for (const pid of processesWith(grounds.token)) process.kill(pid, 'SIGKILL');
  return finding(name, isGone ? 'gone' : 'still there', want);
}

/** It is ended when it has done all that it wanted, and waits. */
async function stubborn(grounds: Grounds, script: string, state: string): Promise<Finding> {
  const { sandbox, token, workspace, nextName } = grounds;
  const file = nextName();
  const loop = `: >${file}; ${script}; while :; do sleep 1000; done; : ${token}`;
  const started = await start(sandbox(), ['/bin/sh', '-c', loop]);
  const waits = (): boolean => processesWith(token).some((pid) => stateOf(pid) === state);
  await until(() => fs.existsSync(`${workspace}/${file}`) && waits());
  await started.end();
  await started.exit;
  return finding(script, (await until(() => processesWith(token).length === 0)) ? 'gone' : 'still there', 'gone');
}

async function tooLong({ run }: Grounds): Promise<Finding> {
  const script = "trap '' TERM; while :; do sleep 1000; done";
  const { exit } = await run(['/bin/sh', '-c', script], { limits: { wallSeconds: 1 } });
  return finding('one that takes too long', exit.kind, 'signalled');
}

/** Only what a backend says that it holds. */
async function whereHeld(
  grounds: Grounds,
  stand: Stand,
  limits: SandboxLimits,
  act: (grounds: Grounds, limits: SandboxLimits) => Promise<readonly Finding[]>,
): Promise<Outcome> {
  const held = (await promised(grounds, stand, { limits }))?.limits ?? [];
  const names = Object.keys(limits);
  if (names.some((name) => !held.some((each) => each === name)))
    return { skip: `${stand.backend} does not promise to limit ${names.join()} here` };
  return act(grounds, limits);
}

async function forkBomb(grounds: Grounds, limits: SandboxLimits): Promise<readonly Finding[]> {
  const script = 'i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo all of them';
  const sandbox = grounds.sandbox({ limits });
  const { exit, stdout } = await runIn(sandbox, ['/bin/sh', '-c', script]);
  await sandbox.close();
  return [
    finding('a bomb of processes', stdout.includes('all of them'), false),
    finding('how it ended', exit.kind === 'exited' && exit.code === 0 ? 'well' : 'badly', 'badly'),
  ];
}

async function memoryHog(grounds: Grounds, limits: SandboxLimits): Promise<readonly Finding[]> {
  const bytes = 150 * MEGABYTE;
  const script = `head -c ${bytes} /dev/zero | tail -c ${bytes} | wc -c`;
  const { stdout } = await grounds.run(['/bin/sh', '-c', script], { limits });
  return [finding('150 MB in 64 MB', stdout.includes(`${bytes}`) ? 'possible' : 'stopped', 'stopped')];
}

async function largeFile(grounds: Grounds): Promise<readonly Finding[]> {
  const limits = { fileBytes: MEGABYTE };
  const file = `${grounds.workspace}/large`;
  const script = `ulimit -f unlimited 2>/dev/null; exec head -c ${3 * MEGABYTE} /dev/zero >'${file}'`;
  const { exit } = await grounds.run(['/bin/sh', '-c', script], { limits });
  return [
    finding('a file over the limit', exit.kind === 'signalled' ? exit.signal : JSON.stringify(exit), 'SIGXFSZ'),
    finding('its size', fs.statSync(file).size, MEGABYTE),
  ];
}

async function flood(grounds: Grounds): Promise<readonly Finding[]> {
  const bytes = (isDeep ? 10_000 : 20) * MEGABYTE;
  const sandbox = grounds.sandbox();
  let seen = 0;
  const started = await sandbox.start({
    argv: ['head', '-c', `${bytes}`, '/dev/zero'],
    cwd: absolutePath(grounds.workspace),
    onOutput: (chunk) => void (seen += chunk.length),
  });
  const exit = await started.exit;
  return [
    finding('a flood of output', JSON.stringify({ exit, seen }), `{"exit":{"kind":"exited","code":0},"seen":${bytes}}`),
  ];
}

async function busyLoop(grounds: Grounds, limits: SandboxLimits): Promise<readonly Finding[]> {
  const { exit } = await grounds.run(['/bin/sh', '-c', 'while :; do :; done'], { limits });
  return [finding('a loop', exit.kind === 'signalled' ? exit.signal : JSON.stringify(exit), 'SIGKILL|SIGXCPU')];
}
